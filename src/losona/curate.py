"""What `losona curate` does: one frame at a time, shown as a chat with all that is known of it, then a key.

Every decision is on the disk before the next frame is shown. Works on a terminal, and with answers piped in, one a
line. Does not know what a decision changes.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click
from rich.console import Console
from rich.text import Text

from losona.curation.decisions import accept, current_decision, reject
from losona.curation.frameset import FrameFile, check_writable, read_frame_file, read_frames
from losona.errors import UserFault
from losona.lint import Finding, lint_paths
from losona.numbers import some
from losona.report.content import frame_view
from losona.report.foreign import shown
from losona.report.standing import standing
from losona.taxonomy import Taxonomy
from losona.taxonomy.load import unknown

KEYS = {"a": "accept", "r": "reject", "e": "edit", "s": "skip", "q": "quit"}
PROMPT = "a accept, r reject, e edit, s skip, q quit: "
Next = Literal["on", "again", "quit"]


class Answers:
    """Where keys and reasons come from: a terminal, or lines of standard input."""

    def __init__(self, terminal: bool) -> None:
        self.terminal = terminal
        self.read = 0

    def key(self) -> str:
        """The next key, in lower case; `q` at the end of the input."""
        click.echo(PROMPT, nl=False)
        if not self.terminal:
            line = self._line()
            return "q" if line is None else line.strip()[:1].lower()
        try:
            key = click.getchar().lower()
        except EOFError:
            key = "q"
        click.echo(key if key.isprintable() else "")
        return key

    def reason(self) -> str:
        """A line of text; empty at the end of the input."""
        click.echo("reason: ", nl=False)
        return (self._line() or "").strip()

    def _line(self) -> str | None:
        line = sys.stdin.readline() if sys.stdin else ""
        if not self.terminal:
            click.echo(line.rstrip("\n"))
        if not line and not self.read and not self.terminal:
            raise UserFault(
                "curate asks for a key at each frame, but there is neither a terminal nor a line of input; "
                "use a terminal, pipe the keys in, or decide with --accept ID or --reject ID --reason TEXT."
            )
        self.read += 1
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
        self.console.print(frame_view(file.frame))
        for line in standing(file, findings):
            self._say(line)
        if errors := sum(finding.severity == "error" for finding in findings):
            self._say(f"{some(errors, 'error')} of the linter: no release is built while they stand.")

    def _act(self, file: FrameFile | None, path: Path) -> Next:
        """One key, until it is one that can be used."""
        while True:
            match KEYS.get(self.answers.key()):
                case "accept" if file:
                    accept(file, self.author)
                    self.accepted += 1
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
    waiting = [file for file in files if every or current_decision(file) is None]
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


def decide(
    paths: Sequence[Path], accepted: Sequence[str], rejected: Sequence[str], author: str, reason: str
) -> tuple[FrameFile, ...]:
    """Decide without being asked; all ids and reasons are looked at before the first decision is written."""
    files = {file.frame.frame: file for file in read_frames(paths)}
    check_writable(tuple(files.values()))
    for name in (*accepted, *rejected):
        if name not in files:
            raise UserFault(unknown("frame", name, files, f"losona lint {paths[0]}"))
    if both := set(accepted) & set(rejected):
        raise UserFault(f"{min(both)} is given to both --accept and --reject; give it to one.")
    if rejected and not reason.strip():
        raise UserFault(f"--reject {rejected[0]}: a rejection needs a reason; give it with --reason TEXT.")
    choices: list[tuple[str, Callable[[FrameFile, str, str], FrameFile]]] = [
        *((name, accept) for name in accepted),
        *((name, reject) for name in rejected),
    ]
    return tuple(choice(files[name], author, reason) for name, choice in choices)
