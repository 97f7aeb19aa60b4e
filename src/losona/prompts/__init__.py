"""Templates as files, rendered strictly in one pass.

Knows where templates stand, how they are overridden and hashed. Does not know what goes into them.
A variable that a template uses and nobody gives is an error, and so is one that is given and not used.
"""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import FunctionLoader, StrictUndefined, TemplateError, meta
from jinja2.nodes import Template
from jinja2.sandbox import ImmutableSandboxedEnvironment

from losona.errors import ContentError
from losona.textfiles import read_text

SHIPPED = Path(str(files("losona"))) / "prompts"
SUFFIX = ".j2"


def names(folder: Path = SHIPPED) -> tuple[str, ...]:
    """Names of the templates under a folder, with slashes and without suffix."""
    return tuple(sorted(p.relative_to(folder).as_posix().removesuffix(SUFFIX) for p in folder.rglob(f"*{SUFFIX}")))


@dataclass(frozen=True)
class Templates:
    """The shipped templates, or a user's files of the same names in their place."""

    override: Path | None = None
    """Folder with templates that replace shipped ones; unknown names in it are an error."""
    _used: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]], compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.override is None:
            return
        if not self.override.is_dir():
            raise ContentError(f"{self.override}: there is no such folder of prompt templates; check --prompts.")
        if not (found := names(self.override)):
            raise ContentError(
                f"{self.override}: holds no template; name files like {', '.join(names()[:3])}, ending {SUFFIX}."
            )
        for name in found:
            if name not in names():
                raise ContentError(
                    f"{self.override / name}{SUFFIX}: no template has this name; known are {', '.join(names())}."
                )

    def source(self, name: str) -> str:
        """Text of a template."""
        if self.override is not None and (self.override / f"{name}{SUFFIX}").is_file():
            return read_text(self.override / f"{name}{SUFFIX}")
        return read_text(SHIPPED / f"{name}{SUFFIX}")

    @cached_property
    def _environment(self) -> ImmutableSandboxedEnvironment:
        return ImmutableSandboxedEnvironment(
            loader=FunctionLoader(self.source),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
            auto_reload=False,
        )

    def render(self, name: str, **variables: Any) -> str:
        """Render a template with exactly the variables that it, and what it extends or includes, uses."""
        used = self._variables(name)
        known = ", ".join(sorted(variables))
        if missing := sorted(used - set(variables)):
            raise ContentError(f"template {name}: unknown variable {missing[0]!r}; known are {known}.")
        if unused := sorted(set(variables) - used):
            raise ContentError(f"template {name}: does not use the variable {unused[0]!r}; use each of {known}.")
        try:
            return self._environment.get_template(name).render(**variables).strip()
        except (TemplateError, ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
            raise ContentError(f"template {name}: {str(error) or type(error).__name__}.") from None

    def _variables(self, name: str) -> frozenset[str]:
        if name not in self._used:
            parsed = [self._parse(part) for part in self.parts(name)]
            try:
                self._used[name] = frozenset(v for part in parsed for v in meta.find_undeclared_variables(part))
            except TemplateError as error:
                raise ContentError(f"template {name}: {error.message}.") from None
        return self._used[name]

    def parts(self, name: str, within: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The template and all that it extends or includes, by name."""
        if name in within:
            raise ContentError(f"template {name}: extends or includes itself ({' > '.join((*within, name))}).")
        found = [name]
        for other in meta.find_referenced_templates(self._parse(name)):
            if other not in names():
                raise ContentError(f"template {name}: refers to {other!r}; known are {', '.join(names())}.")
            found.extend(self.parts(other, (*within, name)))
        return tuple(dict.fromkeys(found))

    def _parse(self, name: str) -> Template:
        try:
            return self._environment.parse(self.source(name))
        except TemplateError as error:
            raise ContentError(f"template {name}: {error.message}.") from None

    def hashes(self) -> dict[str, str]:
        """Hash (16 hex digits) of every template as it would be used."""
        return {name: hashlib.sha256(self.source(name).encode()).hexdigest()[:16] for name in names()}
