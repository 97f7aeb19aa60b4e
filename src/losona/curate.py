"""What `losona curate` does: one frame at a time, shown as a chat with all that is known of it, then a key.

Every decision is on the disk before the next frame is shown. Works on a terminal, and with answers piped in, one a
line. Does not know what a decision changes.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Literal, cast

import click
from rich.console import Console
from rich.text import Text

from losona.curation.checks import check_name, current_checks, failed_checks
from losona.curation.decisions import accept, refuse_failed_checks, reject, waits
from losona.curation.frameset import FrameFile, check_writable, read_frame_file, read_frames
from losona.curation.screening import standing as what_counts
from losona.errors import UserFault
from losona.lint import Finding, lint_paths
from losona.numbers import some
from losona.report.content import frame_view
from losona.report.foreign import shown
from losona.report.standing import standing
from losona.report.wording import first
from losona.taxonomy import Taxonomy
from losona.textfiles import is_unicode, listed

KEYS = {"a": "accept", "r": "reject", "e": "edit", "s": "skip", "q": "quit"}
ACTS = {**KEYS, **{word: word for word in KEYS.values()}}
"""What is meant by a key, or by its word in full, and by nothing else: `abort` accepts nothing."""
PROMPT = "a accept, r reject, e edit, s skip, q quit: "
AT_ONCE = "(a key acts at once, without Enter) "
ENDS = "\r\n"
NAME_SHOWN = 100
"""Characters of an author that are repeated."""
SHOWN = 10
"""Frames that a fault names."""
Next = Literal["on", "again", "quit"]


class Answers:
    """Where keys and reasons come from: a terminal, or lines of standard input."""

    def __init__(self, terminal: bool) -> None:
        self.terminal = terminal
        self.read = 0
        lines: Any = sys.stdin
        if isinstance(lines, TextIOWrapper):
            cast("TextIOWrapper[Any]", lines).reconfigure(errors="surrogateescape")

    def key(self) -> str:
        """The next key, or line of piped input, in lower case; `q` at the end of the input."""
        click.echo((AT_ONCE if self.terminal else "") + PROMPT, nl=False)
        if not self.terminal:
            line = self._line()
            return "q" if line is None else line.strip().lower()
        key = self._typed()
        click.echo(key if key.isprintable() else "")
        return key

    def _typed(self) -> str:
        """One key of a terminal; what came with it is dropped, and an Enter alone is no key."""
        while True:
            try:
                typed = click.getchar().lower().strip(ENDS)
            except EOFError:
                return "q"
            if typed:
                return typed if typed.startswith("\x1b") else typed[:1]

    def reason(self) -> str:
        """A line of text; empty at the end of the input. On a terminal the Enter after a key is not taken for it."""
        for _ in range(2 if self.terminal else 1):
            click.echo("reason: ", nl=False)
            if line := (self._line() or "").strip():
                return line
        return ""

    def _line(self) -> str | None:
        line = sys.stdin.readline() if sys.stdin else ""
        if not self.terminal:
            click.echo(shown(line.rstrip("\n")))
        if not line and not self.read and not self.terminal:
            raise UserFault(
                "curate asks for a key at each frame, but there is neither a terminal nor a line of input; "
                "use a terminal, pipe the keys in, or decide with --accept ID or --reject ID --reason TEXT."
            )
        self.read += 1
        if not is_unicode(line):
            raise UserFault(
                f"line {self.read} of the input is not UTF-8: {line[:80]!a}; write it as UTF-8 text. Decisions "
                "before it are kept."
            )
        return line or None


@dataclass
class Session:
    """One person, some frames."""

    paths: tuple[Path, ...]
    """All frame files, for the rules over a set."""
    author: str
    """Who decides."""
    taxonomy: Taxonomy
    """For the linter."""
    answers: Answers
    """Keys."""
    console: Console
    """Where frames are shown."""
    accepted: int = 0
    """Decisions of this session."""
    rejected: int = 0
    """Decisions of this session."""
    findings: list[Finding] | None = None
    """Of the linter over all files; none: look again."""

    def run(self, files: Sequence[FrameFile]) -> None:
        """Show each frame until there is a decision, or until the person leaves."""
        for number, file in enumerate(files, 1):
            self.console.rule(f"{number} of {len(files)}", style="dim")
            following: Next = "again"
            while following == "again":
                following = self._one(file.path)
            if following == "quit":
                return

    def _one(self, path: Path) -> Next:
        if self.findings is None:
            self.findings = lint_paths(self.paths, self.taxonomy)
        findings = [finding for finding in self.findings if finding.file == path]
        try:
            file = read_frame_file(path)
        except UserFault as fault:
            self._say(f"{fault}\nThe frame cannot be read; mend it (e), skip it (s) or quit (q).")
            return self._act(None, path)
        self._show(file, findings)
        return self._act(file, path)

    def _show(self, file: FrameFile, findings: Sequence[Finding]) -> None:
        self.console.print(frame_view(file.frame, self.taxonomy.norms))
        for line in standing(file, findings):
            self._say(line)
        if errors := _errors(findings, file):
            self._say(f"{some(len(errors), 'error')} of the linter: the frame cannot be accepted while they stand.")

    def _act(self, file: FrameFile | None, path: Path) -> Next:
        """One key, until it is one that can be used."""
        while True:
            match ACTS.get(self.answers.key()):
                case "accept" if file:
                    if self._accept(file):
                        return "on"
                case "reject" if file:
                    if reason := self.answers.reason():
                        reject(file, self.author, reason)
                        self.rejected += 1
                        return "on"
                    self._say("A rejection needs a reason; nothing was written.")
                case "edit":
                    self._edit(path)
                    return "again"
                case "skip":
                    return "on"
                case "quit":
                    return "quit"
                case _:
                    self._say("No such key here.")

    def _accept(self, file: FrameFile) -> bool:
        """Accept, unless the linter finds an error, or a check has failed and no reason is given."""
        if errors := _errors(self.findings or (), file):
            self._say(f"Not accepted: {some(len(errors), 'error')} of the linter; mend the frame (e). No release is "
                      "built while they stand.")  # fmt: skip
            return False
        failed = failed_checks(file)
        if failed:
            self._say(f"Failed: {', '.join(check_name(check) for check in failed)}. Why is it accepted all the same?")
        reason = self.answers.reason() if failed else ""
        if failed and not reason:
            self._say("To accept it in spite of that needs a reason; nothing was written.")
            return False
        accept(file, self.author, reason, despite_checks=True)
        self.accepted += 1
        return True

    def _edit(self, path: Path) -> None:
        self.findings = None
        try:
            click.edit(filename=str(path))
        except click.ClickException as fault:
            self._say(f"{fault.format_message()}; set EDITOR to an editor that is installed.")

    def _say(self, text: str) -> None:
        self.console.print(Text(shown(text)), soft_wrap=True)


def curate(
    paths: Sequence[Path], author: str, every: bool, taxonomy: Taxonomy, answers: Answers, console: Console
) -> None:
    """Ask for a decision on each frame that has none as it now is, or on every one."""
    files = read_frames(paths)
    check_writable(files)
    waiting = [file for file in files if every or waits(file)]
    if not waiting:
        which = "The frame is" if len(files) == 1 else f"All {some(len(files), 'frame')} are"
        console.print(f"{which} decided on; --all shows what was.", highlight=False)
        return
    session = Session(tuple(file.path for file in files), author, taxonomy, answers, console)
    try:
        session.run(waiting)
    finally:
        done = f"{session.accepted} accepted, {session.rejected} rejected by {shown(author)}"
        before = some(len(waiting), "frame was", "frames were")
        console.print(Text(f"{done}; {before} waiting. The same command goes on with the rest."))


@dataclass(frozen=True)
class Choices:
    """Decisions that need no question."""

    accepted: Sequence[str]
    """Frame ids."""
    rejected: Sequence[str]
    """Frame ids."""
    author: str
    """Who decides."""
    reason: str = ""
    """Why."""
    despite_checks: bool = False
    """Accept frames of which a check has failed."""


def decide(paths: Sequence[Path], choices: Choices, taxonomy: Taxonomy) -> tuple[FrameFile, ...]:
    """Decide without being asked; all that can be wrong is looked at before the first decision is written."""
    files = {file.frame.frame: file for file in read_frames(paths)}
    check_writable(tuple(files.values()))
    for name in (*choices.accepted, *choices.rejected):
        if name not in files:
            raise UserFault(_no_such_frame(name, list(files)))
    if both := set(choices.accepted) & set(choices.rejected):
        raise UserFault(f"{min(both)} is given to both --accept and --reject; give it to one.")
    if choices.rejected and not choices.reason.strip():
        raise UserFault(f"--reject {choices.rejected[0]}: a rejection needs a reason; give it with --reason TEXT.")
    _refuse_unfit([files[name] for name in choices.accepted], files.values(), choices, taxonomy)
    accepted = [
        accept(files[name], choices.author, choices.reason, choices.despite_checks) for name in choices.accepted
    ]
    return *accepted, *(reject(files[name], choices.author, choices.reason) for name in choices.rejected)


def _no_such_frame(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, 3, 0.5)
    hint = f"did you mean {', '.join(near)}? " if near else ""
    there = "there is" if len(known) == 1 else "there are"
    return f"there is no frame {name!r}; {hint}{there} {', '.join(first(known, SHOWN, 'frame'))}."


def decided(file: FrameFile) -> str:
    """The last decision on a frame on one line, with what whoever accepts it should know."""
    last = file.record.decisions[-1]
    notes = [
        (last.decision == "accept" and not what_counts(file.record.screenings, file.hash), "not screened as it is"),
        (last.decision == "accept" and not current_checks(file), "not checked by models as it is"),
        (bool(last.despite), f"in spite of {', '.join(last.despite)}"),
    ]
    told = f"{file.frame.frame}: {last.decision}ed by {last.author[:NAME_SHOWN]}"
    return "; ".join([told, *(note for holds, note in notes if holds)])


def _refuse_unfit(
    accepted: Sequence[FrameFile], files: Iterable[FrameFile], choices: Choices, taxonomy: Taxonomy
) -> None:
    """Raise `UserFault` where a frame that is to be accepted has errors of the linter, or a failed check."""
    findings = lint_paths([file.path for file in files], taxonomy) if accepted else []
    if faults := [finding.render() for file in accepted for finding in _errors(findings, file)]:
        raise UserFault(f"nothing was accepted: {listed(faults)}")
    for file in accepted:
        refuse_failed_checks(file, choices.reason, choices.despite_checks)


def _errors(findings: Iterable[Finding], file: FrameFile) -> list[Finding]:
    return [finding for finding in findings if finding.file == file.path and finding.severity == "error"]
