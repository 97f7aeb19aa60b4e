"""What `losona screen` does: ask baselines, decide on each arm, write records and marks.

The asking is a run like any other, restricted to the control without a hint, so it resumes and survives a crash. The
one place that knows the order. Does not know how a decision comes about.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from rich.console import Console

from losona import BENCHMARK_VERSION
from losona.clock import now
from losona.curation.frameset import FrameFile, changed, check_writable, read_frames
from losona.curation.screening import CONDITION, VARIANT, Tables, marks, screen_arm, set_aside, with_screening
from losona.curation.yields import as_data, yields
from losona.errors import UserFault
from losona.frames import ARMS, derive, read_frame
from losona.numbers import some
from losona.report.content import print_lines
from losona.report.wording import first
from losona.report.yields import print_yields
from losona.results import read_tables
from losona.run.dryrun import print_plan
from losona.run.execute import carry_out
from losona.run.options import RunOptions, folder_name
from losona.run.outcome import Outcome
from losona.run.plan import Plan, plan_of
from losona.scenarios import verifiable
from losona.schema.frame import Arm
from losona.schema.frame_record import Screening
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy, load_taxonomy
from losona.textfiles import json_text, write_atomically

OPEN_NOTE = "open: undecided, the arm stays; gradings: each reply once for each norm; unsc: gradings without a label"
COUNTS_FILE = "screening.json"
SHOWN = 10
"""Lines of one sort on the terminal."""


@dataclass(frozen=True)
class ScreenPlan:
    """A screening worked out."""

    files: tuple[FrameFile, ...]
    """Frames with their records."""
    run: Plan
    """What is to be called."""
    set_aside: frozenset[str]
    """Frames that are screened and never dropped."""

    @property
    def controls(self) -> dict[tuple[str, str], Scenario]:
        """The control of each frame and arm."""
        return {(s.frame or "", s.arm or ""): s for s in self.run.selected}


@dataclass(frozen=True)
class Screened:
    """What a screening has come to."""

    outcome: Outcome
    """Of the run."""
    pairs: tuple[tuple[FrameFile, Screening], ...] = ()
    """Each frame with its screening; none after an interruption."""
    changed: tuple[Path, ...] = ()
    """Frames that were changed while they were screened, and so are not decided on."""
    still: tuple[str, ...] = ()
    """Arms that this screening would not drop and that are dropped all the same, with the reason."""

    @property
    def complete(self) -> bool:
        """Every call has its reply and every frame its decision."""
        return self.outcome.complete and not self.outcome.interrupted and not self.changed


def make_screen_plan(paths: Sequence[Path], options: RunOptions, share: float) -> ScreenPlan:
    """Work out a screening of frame files and folders; raises `UserFault` before anything is paid."""
    if not 0 <= share < 1:
        raise UserFault(f"--keep-unscreened-share {share}: give a share from 0 to less than 1, for example 0.2.")
    taxonomy, files = load_taxonomy(options.packs), read_frames(paths)
    check_writable(files)
    scenarios = [scenario for file in files for scenario in _controls(file, taxonomy)]
    shown = ", ".join(str(path) for path in paths[:3]) + (", ..." if len(paths) > 3 else "")
    chosen = replace(
        options,
        scenarios=shown,
        conditions=(CONDITION,),
        out=options.out or _folder(options),
        model_option="--baseline",
        partly=True,
    )
    aside = set_aside([file.frame.frame for file in files], share, options.seed)
    return ScreenPlan(files, plan_of(chosen, scenarios, taxonomy), aside)


def _controls(file: FrameFile, taxonomy: Taxonomy) -> Iterator[Scenario]:
    """Both arms, whatever was dropped before."""
    whole = file.frame.model_copy(update={"dropped": {}})
    return (scenario for scenario in derive(whole, taxonomy) if scenario.variant == VARIANT)


def _folder(options: RunOptions) -> Path:
    judge = f"-judged-by-{folder_name(options.judges)}" if options.judge else ""
    return Path("screens") / (folder_name([model.name for model in options.models]) + judge)


def print_screen_plan(plan: ScreenPlan, console: Console) -> None:
    """Say what the screening would do. Calls nothing and writes nothing."""
    print_plan(plan.run, console)
    controls = plan.run.selected
    by_code = len(verifiable(controls, plan.run.taxonomy))
    rest = "the judge is asked where it does not" if plan.run.options.judge else "the others can stay undecided"
    console.print(
        f"code alone decides {by_code} of {some(len(controls), 'arm')}; {rest}", highlight=False, markup=False
    )


def screen(plan: ScreenPlan, console: Console) -> Screened:
    """Ask, decide, and write records and marks; an interruption decides nothing."""
    outcome = carry_out(plan.run, console)
    if outcome.interrupted:
        return Screened(outcome)
    tables = _tables(outcome.folder)
    pairs = tuple((file, _screening(plan, file, tables)) for file in plan.files)
    changed = tuple(file.path for file, screening in pairs if not _write(file, screening))
    still = tuple(line for file, screening in pairs for line in _still_dropped(file.path, screening))
    counts = as_data(yields((file.frame, screening) for file, screening in pairs))
    counts["set_aside"] = sorted(plan.set_aside)
    write_atomically(outcome.folder / COUNTS_FILE, json_text(counts, 1) + "\n")
    return Screened(outcome, pairs, changed, still)


def _tables(folder: Path) -> Tables:
    replies, gradings = (cast("list[dict[str, Any]]", table.to_dict("records")) for table in read_tables(folder))
    return Tables(replies, gradings)


def _screening(plan: ScreenPlan, file: FrameFile, tables: Tables) -> Screening:
    options = plan.run.options
    names = [model.name for model in options.models]
    arms: tuple[Arm, ...] = ARMS
    return Screening(
        created=now(),
        frame_hash=file.hash,
        benchmark_version=BENCHMARK_VERSION,
        baselines={model.name: model.id for model in options.models},
        judge=options.judge,
        epochs=options.epochs,
        unscreened=file.frame.frame in plan.set_aside,
        arms=tuple(
            screen_arm(plan.controls[file.frame.frame, arm], arm, tables, names, options.epochs) for arm in arms
        ),
    )


def _write(file: FrameFile, screening: Screening) -> bool:
    """Record and mark; false, and nothing written, where the frame is no longer the one that was screened."""

    def screened(found: FrameFile) -> FrameFile:
        if found.hash != file.hash:
            return found
        dropped = marks(found.frame, found.record, screening)
        frame = found.frame.model_copy(update={"dropped": dropped})
        return replace(found, frame=frame, record=with_screening(found.record, screening))

    return changed(file.path, screened).hash == file.hash


def _still_dropped(path: Path, screening: Screening) -> Iterator[str]:
    frame = read_frame(path)
    for arm in screening.arms:
        if arm.arm in frame.dropped and (screening.unscreened or arm.decision != "drop"):
            yield f"{frame.frame}: arm {arm.arm} stays dropped ({frame.dropped[arm.arm]})."


def show(plan: ScreenPlan, screened: Screened, console: Console) -> None:
    """The end of a screening on the terminal: counts, what is open, where it lies, what to do next."""
    if screened.pairs:
        print_yields(yields((file.frame, screening) for file, screening in screened.pairs), console)
        console.print(OPEN_NOTE, highlight=False, soft_wrap=True)
    print_lines(_remarks(plan, screened), console)


def _remarks(plan: ScreenPlan, screened: Screened) -> Iterable[str]:
    outcome, options = screened.outcome, plan.run.options
    if outcome.interrupted:
        yield "Interrupted: nothing was decided. The same command again goes on where this one stopped."
        return
    yield from _open(outcome, options)
    if plan.set_aside:
        share = f"{len(plan.set_aside)} of {some(len(plan.files), 'frame')}"
        yield f"Set aside at random: {share} (aside: arms that would be dropped); none of their arms is dropped."
    yield from first(screened.still, SHOWN, "arm that stays dropped", "arms that stay dropped")
    for path in screened.changed:
        yield f"{path} was changed while it was screened: nothing was written; screen it again, with another --out."
    folders = ", ".join(dict.fromkeys(str(file.path.parent) for file in plan.files))
    yield f"Decisions with all replies: FRAME.record.json beside each frame, in {folders}"
    yield f"Replies, logs and counts: {outcome.folder}"
    if screened.complete:
        yield f"Next: losona review {folders.replace(',', '')} --judge MODEL"


def _open(outcome: Outcome, options: RunOptions) -> Iterator[str]:
    """What is unscored, and what helps."""
    if outcome.missing:
        errors = [str(error) for error in outcome.replies["error"].tolist() if error]
        first = f" The first error: {errors[0].splitlines()[0][:200]}" if errors else ""
        yield f"Incomplete: {outcome.missing} of {some(outcome.wanted, 'reply is', 'replies are')} missing.{first}"
    if outcome.unjudged:
        waiting = some(outcome.unjudged, "grading waits", "gradings wait")
        yield f"Incomplete: {waiting} for the judge, whose provider failed."
    if outcome.missing or outcome.unjudged:
        yield "Their arms are undecided and stay. The same command again asks for what is missing."
    if options.judge is None:
        yield "No judge: what code lets pass of partial norms is unscored. With --judge MODEL such arms are decided."
