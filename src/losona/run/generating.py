"""What `losona generate` does: plan, bounds, calls, and the account at the end.

The one place that knows their order. Does not know stages.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from inspect_ai import eval as inspect_eval  # pyright: ignore[reportUnknownVariableType]
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model
from rich.console import Console

from losona.errors import RunRefused, UserFault
from losona.frames import REJECTED
from losona.generate.answers import STAGES
from losona.generate.author import Setup
from losona.generate.budget import Budget, Price
from losona.generate.plan import Planned, Wish, make_plan
from losona.generate.prompting import brief_of, check_templates, stage_messages
from losona.generate.store import Store
from losona.generate.task import Workshop, build_task, keyed
from losona.generate.work import Finished
from losona.numbers import some
from losona.prompts import Templates
from losona.report.content import print_lines
from losona.run.alone import alone
from losona.run.options import MOST, MOST_EPOCHS, within
from losona.run.plan import CHARACTERS_PER_TOKEN
from losona.run.preflight import check_model, missing_for_model
from losona.run.progress import RunProgress
from losona.schema._base import LANGUAGE_TAG, language_tag
from losona.taxonomy import Taxonomy, load_taxonomy

FREE = ("embedded", "replies", "mockllm")
"""Providers on this machine: their calls cost nothing."""
SETTLED_TOKENS, ANSWER_TOKENS = 1200, 900
"""Estimates: what earlier stages have settled, as a later stage reads it; the answer of a stage."""
SHOWN_RULES = 12


@dataclass(frozen=True)
class GenerateOptions:
    """What the user asked for."""

    wish: Wish
    """Tuples."""
    model: str
    """The provider's string."""
    out: Path = Path("frames")
    """Folder of the frames."""
    packs: tuple[Path, ...] = ()
    """Further packs."""
    language: str = "en"
    """Of what members write, BCP 47."""
    repairs: int = 2
    """How often a stage may be asked again."""
    temperature: float | None = 1.0
    """None: the provider's default."""
    max_tokens: int = 8192
    """Bound on an answer."""
    timeout: int = 300
    """Seconds for one try of a call."""
    max_retries: int = 3
    """Retries of a failed call."""
    max_connections: int | None = None
    """Frames at once; none: the provider's default."""
    max_cost: float | None = None
    """US dollars."""
    max_tokens_total: int | None = None
    """Tokens read and written."""
    price: Price | None = None
    """US dollars for a million tokens; none: not known, or free on this machine."""
    model_args: dict[str, Any] = field(default_factory=dict[str, Any])
    """Passed to the provider."""
    prompts: Path | None = None
    """Templates that replace shipped ones."""

    def checked(self) -> "GenerateOptions":
        """The same, if every value is allowed; else a `UserFault`."""
        check_model("--model", self.model)
        self._check_numbers()
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise UserFault(f"--temperature {self.temperature}: give a number from 0 to 2, or `default`.")
        self._check_language()
        if self.wish.limit is not None and not self.wish.grid:
            raise UserFault("--limit bounds a grid; give --grid PACK, or --count for frames of one tuple.")
        self._check_bound()
        return self

    def _check_language(self) -> None:
        try:
            language_tag(self.language)
        except ValueError:
            raise UserFault(f"--language {self.language}: give {LANGUAGE_TAG}.") from None

    def _check_numbers(self) -> None:
        within("--count", self.wish.count, 1, MOST_EPOCHS)
        within("--limit", self.wish.limit, 1, MOST)
        within("--seed", self.wish.seed, 0, MOST)
        within("--repairs", self.repairs, 0, MOST_EPOCHS)
        within("--max-tokens", self.max_tokens, 1, MOST)
        within("--timeout", self.timeout, 1, MOST)
        within("--max-retries", self.max_retries, 0, MOST_EPOCHS)
        within("--max-connections", self.max_connections, 1, MOST_EPOCHS)
        if self.max_tokens_total is not None and self.max_tokens_total < 1:
            raise UserFault(f"--max-tokens-total {self.max_tokens_total}: give a whole number of at least 1.")

    def _check_bound(self) -> None:
        if self.max_cost is None:
            return
        if not 0 < self.max_cost < float("inf"):
            raise UserFault(f"--max-cost {self.max_cost}: give US dollars above 0.")
        if self.known_price is None:
            raise UserFault(
                f"--max-cost {self.max_cost:g}: what {self.model} costs is not known here; give its prices with "
                "--price READ,WRITTEN (US dollars for a million tokens), or bound tokens with --max-tokens-total."
            )

    @property
    def known_price(self) -> Price | None:
        """What was given, or nothing for a model on this machine."""
        free = Price(0.0, 0.0) if self.model.partition("/")[0] in FREE else None
        return self.price or free


@dataclass(frozen=True)
class GeneratePlan:
    """A command worked out."""

    options: GenerateOptions
    """As asked."""
    taxonomy: Taxonomy
    """Packs."""
    templates: Templates
    """Prompts."""
    planned: tuple[Planned, ...]
    """All frames that are wanted."""
    left_out: dict[str, int]
    """Tuples of a grid that are not, by reason."""

    @cached_property
    def orders(self) -> dict[str, Planned]:
        """The frames by the key of what was asked for."""
        options = self.options
        return keyed(self.planned, options.model, options.wish.seed, options.language)

    def open(self) -> dict[str, Planned]:
        """The frames that have no outcome in the folder yet."""
        done = Store(self.options.out).done()
        return {key: planned for key, planned in self.orders.items() if key not in done}

    def calls(self, frames: int) -> tuple[int, int]:
        """Least and greatest number of calls for so many frames."""
        return frames * len(STAGES), frames * len(STAGES) * (1 + self.options.repairs)

    def tokens(self, frames: Sequence[Planned]) -> tuple[int, int]:
        """About how many tokens are read and written for these frames, without repairs."""
        read = 0
        for planned in frames:
            brief = brief_of(planned, self.taxonomy, self.options.language)
            first = stage_messages("goal", brief, {}, self.templates)
            characters = sum(len(message.content) for message in first)
            read += len(STAGES) * (characters // CHARACTERS_PER_TOKEN) + (len(STAGES) - 1) * SETTLED_TOKENS
        return read, len(frames) * len(STAGES) * ANSWER_TOKENS


def plan_generation(options: GenerateOptions) -> GeneratePlan:
    """Work a command out. Raises `UserFault` where nothing could be generated."""
    options = options.checked()
    taxonomy = load_taxonomy(options.packs)
    planned, left_out = make_plan(options.wish, taxonomy)
    plan = GeneratePlan(options, taxonomy, Templates(options.prompts), planned, left_out)
    check_templates(brief_of(planned[0], taxonomy, options.language), plan.templates)
    return plan


def print_generation(plan: GeneratePlan, console: Console) -> None:
    """Say what the command would do. Calls nothing and writes nothing."""
    waiting = list(plan.open().values())
    for planned in waiting:
        _say(console, f"{planned.tuple_id}, {some(planned.slots, 'slot')}: {', '.join(planned.names)}")
    least, most = plan.calls(len(waiting))
    read, written = plan.tokens(waiting)
    price, options = plan.options.known_price, plan.options
    _say(console, f"{some(len(waiting), 'frame')} to make, {len(plan.orders) - len(waiting)} there already")
    retries = some(options.max_retries, "retry", "retries")
    _say(
        console,
        f"{some(least, 'call')}, at most {most} with repairs (and {retries} of a failed call)",
    )
    cost = f"${price.of(read, written):.2f}" if price else "not known; give --price READ,WRITTEN"
    _say(console, f"about {read:,} tokens read and {written:,} written without repairs (estimate); cost: {cost}")
    for reason, number in plan.left_out.items():
        _say(console, f"left out, {reason}: {number}")
    faults = missing_for_model(options.model)
    _say(console, f"--model {options.model}: " + ("; ".join(f"missing {fault}" for fault in faults) or "ready"))
    _say(console, f"folder: {options.out}")


def _say(console: Console, line: str) -> None:
    print_lines([line], console)


@dataclass
class Account:
    """What a command has come to."""

    plan: GeneratePlan
    """What was asked for."""
    reused: int
    """Frames that had an outcome already."""
    finished: list[Finished] = field(default_factory=list[Finished])
    """Frames that this command has worked on."""
    budget: Budget = field(default_factory=lambda: Budget(None))
    """What it has used."""
    interrupted: bool = False
    """The user stopped it."""
    lost: list[str] = field(default_factory=list[str])
    """Errors that ended a frame without an outcome; what it had is kept."""

    @property
    def complete(self) -> bool:
        """Every planned frame has an outcome."""
        done = sum(one.status in ("accepted", "rejected") for one in self.finished)
        return self.reused + done == len(self.plan.orders)

    @property
    def fruitless(self) -> bool:
        """Not one of the planned frames stands accepted, now or from an earlier command."""
        outcomes = Store(self.plan.options.out).done()
        return not any(outcomes.get(key) == "accepted" for key in self.plan.orders)


def carry_out_generation(plan: GeneratePlan, console: Console) -> Account:
    """Make the frames that have no outcome yet. Raises `RunRefused` when it cannot start."""
    options, waiting = plan.options, plan.open()
    if waiting and (lacks := [f for f in missing_for_model(options.model) if not f.startswith("the weights")]):
        raise RunRefused(f"--model {options.model} lacks {'; '.join(lacks)}.")
    with alone(options.out):
        return _locked(plan, waiting, console)


def _locked(plan: GeneratePlan, waiting: dict[str, Planned], console: Console) -> Account:
    options = plan.options
    account = Account(plan, len(plan.orders) - len(waiting))
    account.budget = Budget(options.known_price, options.max_cost, options.max_tokens_total)
    if not waiting:
        return account
    with RunProgress("frames", len(waiting), console) as progress:

        def watch(finished: Finished) -> None:
            account.finished.append(finished)
            failed = finished.reason if finished.status in ("failed", "stopped") else ""
            progress.count(0, None, failed)

        account.budget.watch = lambda used: progress.add(used.tokens, used.cost)
        logs = _evaluate(plan, waiting, account.budget, watch)
    account.interrupted = not logs or any(log.status in ("cancelled", "started") for log in logs)
    account.lost = [s.error.message for log in logs for s in log.samples or () if s.error is not None]
    return account


def _evaluate(plan: GeneratePlan, waiting: dict[str, Planned], budget: Budget, watch: Any) -> list[EvalLog]:
    """Run the task."""
    options = plan.options
    model = get_model(options.model, memoize=False, **options.model_args)
    settings = {
        "max_tokens": options.max_tokens,
        "attempt_timeout": options.timeout,
        "max_retries": options.max_retries,
        "seed": options.wish.seed,
        **({} if options.temperature is None else {"temperature": options.temperature}),
    }
    setup = Setup(plan.taxonomy, plan.templates, options.language, options.repairs, options.wish.seed, options.model)
    workshop = Workshop(setup, Store(options.out), budget, settings, watch)
    return inspect_eval(
        build_task(waiting, workshop, model),
        log_dir=str(options.out / "logs"),
        log_format="eval",
        log_buffer=1,
        display="none",
        score_display=False,
        fail_on_error=False,
        max_connections=options.max_connections,
        max_samples=options.max_connections,
        ctl_server=False,
        log_level="error",
    )


def show_account(account: Account, console: Console) -> None:
    """The end of the command on the terminal."""
    for line in _lines(account):
        _say(console, line)


def _lines(account: Account) -> Iterator[str]:
    options, finished = account.plan.options, account.finished
    kinds = Counter(one.status for one in finished)
    repaired = sum(one.generation.repairs > 0 for one in finished if one.status == "accepted")
    yield f"accepted {kinds['accepted']} ({repaired} after repairs), rejected {kinds['rejected']}, " + (
        f"failed {kinds['failed']}, stopped by a bound {kinds['stopped']}, there already {account.reused}"
    )
    yield from _reasons(finished)
    if account.lost:
        yield f"ended by an error: {len(account.lost)}; the first: {' '.join(account.lost[0].split())[:200]}"
    spent = account.budget.spent
    cost = "not known" if spent.cost is None else f"${spent.cost:.2f}"
    yield f"tokens: {spent.read:,} read, {spent.written:,} written; cost: {cost}"
    if options.language != "en":
        yield f"The linter's word lists and the checks' lexicons are English: of {options.language} they see little."
    yield from _whereabouts(account)


def _reasons(finished: Sequence[Finished]) -> Iterator[str]:
    """Why frames were rejected, by rule and by failure, and what calls failed of."""
    rejected = [one for one in finished if one.status == "rejected"]
    rules = Counter(f["rule"] for one in rejected for f in one.findings if f["severity"] == "error")
    frames = Counter(rule for one in rejected for rule in {f["rule"] for f in one.findings if f["severity"] == "error"})
    if rules:
        shown = [f"{rule} {n} in {frames[rule]}" for rule, n in rules.most_common(SHOWN_RULES)]
        yield f"rejected by the linter (findings in frames): {', '.join(shown)}"
    given_up = Counter(":".join(one.reason.split(":")[:2]) for one in rejected if one.frame is None)
    if given_up:
        yield "rejected for want of a usable answer: " + ", ".join(f"{what} {n}" for what, n in given_up.most_common())
    warned = Counter(f["rule"] for one in finished if one.status == "accepted" for f in one.findings)
    if warned:
        yield "warnings in accepted frames: " + ", ".join(f"{rule} {n}" for rule, n in warned.most_common())
    failures = Counter(f"{failure.stage}: {failure.kind}" for one in finished for failure in one.work.failures)
    if failures:
        yield "unusable answers and failed calls: " + ", ".join(f"{what} {n}" for what, n in failures.most_common())
    for one in finished:
        if one.status in ("failed", "stopped"):
            yield f"{one.status}: {one.work.tuple_id}: {' '.join(one.reason.split())[:200]}"
            break


def _whereabouts(account: Account) -> Iterator[str]:
    out = account.plan.options.out
    yield f"Frames: {out}; rejected ones with their findings: {out / REJECTED}; every call: {out / 'logs'}"
    if not account.complete:
        how = "Interrupted" if account.interrupted else "Incomplete"
        yield f"{how}. The same command again goes on where this one stopped."
    elif account.fruitless:
        yield "No frame was accepted."
    if any(out.glob("*.yaml")):
        yield f"Next: read them; losona lint {out}; losona screen {out}"
    elif any((out / REJECTED).glob("*.yaml")):
        yield f"Next: losona lint {out / REJECTED} shows what to mend; mended frames go to {out}."
    elif any((out / REJECTED).iterdir() if (out / REJECTED).is_dir() else ()):
        yield f"Next: read {out / REJECTED}/*.findings.json; a larger model, or a greater --max-tokens, may do."
