"""The stages of one frame, in order: ask, validate, put together, lint, repair.

Knows the order and when to give up. Does not know files, other frames or the terminal.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from losona.clock import now
from losona.conditions import Message
from losona.errors import LosonaError, NoReply
from losona.generate.answers import SHAPES, STAGES, Stage, StageFault, read_answer
from losona.generate.ask import Line
from losona.generate.assemble import assemble
from losona.generate.budget import BudgetReached, Spent
from losona.generate.plan import Planned
from losona.generate.prompting import brief_of, repair_messages, retry_messages, stage_messages
from losona.generate.routing import Routed, errors, routed_findings
from losona.generate.work import Failure, Finished, Status, Work
from losona.generate.writing import document, frame_text, header
from losona.lint.view import FrameView
from losona.prompts import Templates
from losona.schema.frame_record import Generation
from losona.taxonomy import Taxonomy

TIMEOUT_WORDS = ("timeout", "timed out")


@dataclass(frozen=True)
class Setup:
    """What all frames of a command share."""

    taxonomy: Taxonomy
    """Packs."""
    templates: Templates
    """Prompts."""
    language: str
    """BCP 47."""
    repairs: int
    """How often a stage may be asked again, for an unusable answer or for findings."""
    seed: int
    """Base of the seeds."""
    model: str
    """The provider's string."""


class _Unusable(LosonaError):
    """A stage gave no usable answer and may not be asked again."""


@dataclass
class Author:
    """Makes one frame."""

    planned: Planned
    """What is wanted."""
    setup: Setup
    """Shared."""
    line: Line
    """To the model."""
    work: Work
    """What there is so far."""
    keep: Callable[[Work], None]
    """Called with the work after every call."""
    claim: Callable[[str], str]
    """Title -> a slug that no other frame has or gets."""
    text: str = ""
    """The file, as far as it could be put together."""

    async def make(self) -> Finished:
        """The frame with its outcome. Cancellation and Inspect's limits go through."""
        try:
            for stage in STAGES:
                if stage not in self.work.answers:
                    await self._settle(stage, self._question(stage))
            return await self._mend()
        except _Unusable as given_up:
            return self._finished("rejected", reason=str(given_up))
        except NoReply as failure:
            return self._finished("failed", reason=str(failure))
        except BudgetReached as bound:
            return self._finished("stopped", reason=str(bound))

    async def make_renamed(self) -> Finished:
        """The same frame under another slug. Asks nothing: what there is is put together again."""
        self._keep(self.work.model_copy(update={"slug": ""}))
        return await self.make()

    def _question(self, stage: Stage) -> tuple[Message, ...]:
        brief = brief_of(self.planned, self.setup.taxonomy, self.setup.language)
        return stage_messages(stage, brief, self.work.draft, self.setup.templates)

    async def _settle(self, stage: Stage, question: tuple[Message, ...]) -> None:
        """Ask until there is a usable answer, within the repairs of the stage."""
        messages = question
        while True:
            text = ""
            try:
                text = await self._ask(stage, messages)
                answer = read_answer(stage, text, self.planned, self.setup.taxonomy)
            except StageFault as fault:
                self._note(Failure(stage=stage, kind=fault.kind, fault=str(fault), answer=fault.answer or text))
                if self._left(stage) == 0:
                    raise _Unusable(f"{stage}: {fault.kind}: {fault}") from None
                self.work = self.work.with_repair(stage)
                messages = (*question, *retry_messages(text, str(fault), self.setup.templates))
            else:
                self._keep(self.work.with_answer(stage, answer))
                return

    async def _ask(self, stage: Stage, messages: tuple[Message, ...]) -> str:
        before, started = self.line.spent, time.monotonic()
        calls = self.line.calls
        try:
            return await self.line.ask(messages, stage, SHAPES[stage])
        except NoReply as failure:
            kind = "timeout" if any(word in str(failure).lower() for word in TIMEOUT_WORDS) else "provider"
            self._note(Failure(stage=stage, kind=kind, fault=str(failure)))
            raise
        finally:
            if self.line.calls > calls:
                used = self.line.spent - before
                self._keep(self.work.with_call(stage, used, time.monotonic() - started))

    def _left(self, stage: Stage) -> int:
        return self.setup.repairs - self.work.repairs.get(stage, 0)

    def _note(self, failure: Failure) -> None:
        self._keep(self.work.with_failure(failure))

    def _keep(self, work: Work) -> None:
        self.work = work
        self.keep(work)

    async def _mend(self) -> Finished:
        """Lint, and ask the stages concerned again, until nothing blocks or one of them has no repair left."""
        while True:
            view = self._view()
            routed = routed_findings(view)
            blocked = {item.stage for item in errors(routed)}
            if not blocked:
                return self._finished("accepted", view, routed)
            if None in blocked or any(stage in blocked and self._left(stage) == 0 for stage in STAGES):
                rules = ", ".join(sorted({item.finding.rule for item in errors(routed)}))
                return self._finished("rejected", view, routed, f"lint: {rules}")
            for stage in STAGES:
                if stage in blocked:
                    await self._repair(stage, [item for item in routed if item.stage == stage])

    async def _repair(self, stage: Stage, routed: list[Routed]) -> None:
        previous = SHAPES[stage].model_validate(self.work.answers[stage]).model_dump_json()
        question = (*self._question(stage), *repair_messages(previous, routed, self.setup.templates))
        self._keep(self.work.with_repair(stage))
        await self._settle(stage, question)

    def _view(self) -> FrameView:
        """The frame as the file that it will be."""
        draft, taxonomy = self.work.draft, self.setup.taxonomy
        if not self.work.slug:
            self._keep(self.work.model_copy(update={"slug": self.claim(draft["goal"].title)}))
        frame = assemble(draft, self.planned, self.work.slug, self.setup.language, taxonomy)
        self.text = frame_text(frame, header(self.setup.model, taxonomy.packs[frame.pack].info.canary))
        return FrameView(document(self.text, frame), frame, taxonomy)

    def _finished(
        self, status: Status, view: FrameView | None = None, routed: list[Routed] | None = None, reason: str = ""
    ) -> Finished:
        frame = view.frame if view else None
        unnamed = f"{self.planned.pack}.{self.planned.event}.{self.work.slug or f'frame_{self.work.plan[:8]}'}"
        found: list[Mapping[str, Any]] = [
            {**item.finding.as_dict(), "file": item.finding.file.name, "stage": item.stage} for item in routed or []
        ]
        return Finished(
            status=status,
            name=frame.frame if frame else unnamed,
            work=self.work,
            generation=self._generation(),
            frame=frame,
            text=self.text if view else "",
            findings=tuple(dict(item) for item in found),
            reason=reason,
        )

    def _generation(self) -> Generation:
        work, hashes = self.work, self.setup.templates.hashes()
        return Generation(
            created=now(),
            model=self.setup.model,
            prompts={name: value for name, value in hashes.items() if name.startswith("generate/")},
            taxonomy={name: pack.hash for name, pack in self.setup.taxonomy.packs.items()},
            seed=self.setup.seed,
            calls=work.calls,
            repairs=sum(work.repairs.values()),
            tokens=Spent(work.read, work.written).tokens,
            cost=work.cost,
            seconds=work.seconds,
            plan=work.plan,
        )
