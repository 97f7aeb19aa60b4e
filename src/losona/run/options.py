"""What the user asked of a run: values only, checked where one of them alone is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from losona.conditions import PAPER_CONDITIONS, PromptStyle, Rendering, check_condition
from losona.errors import UserFault
from losona.presets import presets
from losona.prompts import Templates
from losona.scenarios import SHIPPED, Selection
from losona.textfiles import read_text

DEFAULT_MODEL = "embedded/smollm2-135m"
DEFAULT_VARIANTS = ("demos", "nodemos")
FROM_FILE = "replies/"
"""How a model is named that answers from a file."""
MOST_EPOCHS, MOST = 1_000, 2**31 - 1
"""Bounds of what may be asked for."""


@dataclass(frozen=True)
class NamedModel:
    """A model with the name it has in tables."""

    name: str
    """In tables."""
    id: str
    """The provider's string."""
    provider_default: bool = False
    """Uses the provider's own temperature, whatever the run's."""

    def as_in_paper(self) -> "NamedModel":
        """With the provider's temperature where the paper used it for this model."""
        default = any(preset.id == self.id and preset.temperature is None for preset in presets())
        return replace(self, provider_default=default)

    @classmethod
    def parse(cls, text: str, option: str = "--model") -> "NamedModel":
        """`PROVIDER/MODEL` or `NAME=PROVIDER/MODEL`; `option` is what a fault names."""
        name, separator, model = text.partition("=")
        if not separator or "/" in name:
            name, model = text, text
        if "/" not in model or not all(part.strip() for part in (name, *model.split("/", 1))):
            raise UserFault(
                f"{option} {text}: write PROVIDER/MODEL or NAME=PROVIDER/MODEL, for example openai/gpt-5.5; "
                "`losona list models` shows presets."
            )
        return cls(name, model)


@dataclass(frozen=True)
class RunOptions:
    """A run as asked for."""

    models: tuple[NamedModel, ...] = (NamedModel(DEFAULT_MODEL, DEFAULT_MODEL),)
    """Subjects."""
    judges: tuple[str, ...] = ()
    """Models that grade what code cannot decide, several as a panel; none: the verifiable track."""
    judge_protocol: str = "losona"
    """How judges are asked: losona or paper."""
    judge_validity: bool = False
    """Ask judges about replies that code decides whether a member could have sent them."""
    audits: Path = Path("audits")
    """Folder in which audits of the judges are looked for."""
    strict_judge: bool = False
    """Refuse a judge that is related to a subject."""
    scenarios: str = SHIPPED
    """Source."""
    packs: tuple[Path, ...] = ()
    """Further packs."""
    conditions: tuple[str, ...] = PAPER_CONDITIONS
    """Conditions."""
    selection: Selection = field(default_factory=lambda: Selection(variants=DEFAULT_VARIANTS))
    """Which scenarios."""
    epochs: int = 3
    """Replies for each transcript and condition (K)."""
    temperature: float | None = 0.9
    """None: the provider's default."""
    max_tokens: int = 400
    """Bound on a reply."""
    judge_max_tokens: int = 8192
    """Bound on a verdict; wide, since some judges think first."""
    model_args: dict[str, Any] = field(default_factory=dict[str, Any])
    """Passed to every subject's provider."""
    seed: int = 0
    """Base of the seeds."""
    prompts: Path | None = None
    """Templates that replace shipped ones."""
    system_prompt: Path | None = None
    """The user's own agent."""
    rendering: Rendering = "text"
    """How the chat is written down."""
    unnamed_subject: str = ""
    """Name for subjects of rows that give none."""
    skip_bad_rows: bool = False
    """Leave out malformed rows of a release, and count them."""
    max_connections: int | None = None
    """Calls at once for each model; none: the provider's default."""
    max_retries: int = 3
    """How often a failed provider call is tried again."""
    out: Path | None = None
    """Folder of the run; none: `runs/` and a name made from the models."""
    model_option: str = "--model"
    """How the user named the subjects; for messages."""
    partly: bool = False
    """A file of replies may lack some: they are counted as failed calls, not refused."""

    @property
    def judge(self) -> str | None:
        """All judges, in words; none where there is none."""
        return ", ".join(self.judges) or None

    def checked(self) -> "RunOptions":
        """The same, if every value is allowed; else a `UserFault`."""
        for name in self.conditions:
            check_condition(name)
        within("--epochs", self.epochs, 1, MOST_EPOCHS)
        within("--max-tokens", self.max_tokens, 1, MOST)
        within("--judge-max-tokens", self.judge_max_tokens, 1, MOST)
        within("--max-retries", self.max_retries, 0, MOST_EPOCHS)
        within("--seed", self.seed, 0, MOST)
        within("--limit", self.selection.limit, 1, MOST)
        within("--max-connections", self.max_connections, 1, MOST_EPOCHS)
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise UserFault(f"--temperature {self.temperature}: give a number from 0 to 2.")
        for field_name in ("name", "id"):
            values = [getattr(model, field_name) for model in self.models]
            if doubled := sorted({v for v in values if values.count(v) > 1}):
                twice = f"{self.model_option}: {doubled[0]!r} is given twice"
                raise UserFault(f"{twice}; give each model and each name once.")
        if doubled := sorted({judge for judge in self.judges if self.judges.count(judge) > 1}):
            raise UserFault(f"--judge {doubled[0]} is given twice; the votes of a panel must be independent.")
        if self.judge_validity and not self.judges:
            raise UserFault("--judge-validity: there is no judge to ask; give --judge MODEL.")
        return replace(self, conditions=tuple(dict.fromkeys(self.conditions)))

    def style(self) -> PromptStyle:
        """How prompts are made; reads the user's files."""
        system = read_text(self.system_prompt).strip() if self.system_prompt else ""
        return PromptStyle(Templates(self.prompts), self.rendering, system)

    def folder(self) -> Path:
        """Where the run lies."""
        if self.out is not None:
            return checked_folder(self.out)
        return Path("runs") / folder_name([model.name for model in self.models])


def folder_name(models: Sequence[str]) -> str:
    """A name for a folder, made from those of models; a file of replies lends its name without the suffix."""
    slug = "+".join(name.split("/")[-1].removesuffix(".jsonl") for name in models)
    return ("".join(c if c.isalnum() or c in "-+." else "-" for c in slug).strip(".-") or "run")[:80]


def checked_folder(out: Path) -> Path:
    """The folder of a run, an audit, an attack or a review, if it can be one; else a `UserFault`.

    The engine takes paths for URLs, so that a log under a name with `#`, `?` or `%` is written and never found again.
    """
    whole = str(out.absolute())
    odd = sorted({c for c in whole if c in "#?%" or not c.isprintable()})
    if odd or str(out) == ".":
        fault = f"holds {', '.join(map(repr, odd))}" if odd else "is the folder you are in"
        raise UserFault(f"--out {ascii(str(out))[1:-1]}: the path {fault}; give a folder whose path has none of # ? %.")
    if out.exists() and not out.is_dir():
        raise UserFault(f"--out {out}: this is no folder; give a folder, new or of an earlier command.")
    if out.is_symlink() and not out.exists():
        raise UserFault(f"--out {out}: the link leads nowhere; give a folder, new or of an earlier command.")
    return out


def within(option: str, value: int | None, least: int, most: int) -> None:
    """Raise `UserFault` for a number out of its bounds; none, where nothing was given, is within all."""
    if value is not None and not least <= value <= most:
        raise UserFault(f"{option} {value}: give a whole number from {least:,} to {most:,}.")
