"""The grammar of the check language: which operations exist and which arguments each takes.

Knows the shape of a check. Does not know what an operation means for a reply (`losona.verifiers`) nor
which lexicons a pack has (`losona.taxonomy`).

A check is a tree of `{"all": [...]}`, `{"any": [...]}`, `{"not": ...}` over operations `{"op": name, ...}`.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import Field, PlainValidator, SerializeAsAny, ValidationError

from losona.schema._base import Record
from losona.validation import ALLOWED, told


class Count(Record):
    """Compare a count of the reply with a bound."""

    op: Literal[
        "word_min", "word_max", "line_min", "line_max", "sent_min", "sent_max",
        "q_min", "q_max", "exclaim_max", "emoji_min", "emoji_max", "caps_words_min",
    ]  # fmt: skip
    n: int = Field(ge=0)
    """The bound, inclusive, in units of what is counted."""


class Form(Record):
    """A property of the reply's form that needs no argument."""

    op: Literal[
        "ends_q", "emoji_only", "no_upper", "no_final_stop", "all_sentences_capital", "all_sentences_closed",
        "names_none", "arith_none",
    ]  # fmt: skip


class CapsShare(Record):
    """At least a share of the letters is upper case."""

    op: Literal["caps_share_min"]
    x: float = Field(ge=0, le=1)
    """Least share of upper-case letters, 0 to 1."""


class EqualsAny(Record):
    """The whole reply, without case and edge punctuation, is one of the values."""

    op: Literal["equals_any"]
    values: tuple[str, ...] = Field(min_length=1)
    """Allowed replies, compared without case."""


class Pattern(Record):
    """A regular expression is found, or not found, in the reply or in a part of it."""

    op: Literal["rx", "rx_none", "rx_cs", "rx_cs_none", "rx_first", "rx_first_none", "rx_last_line"]
    p: str
    """Regular expression; `_cs` minds case, `_first` looks at the first sentence, `_last_line` at the last line."""


class Lexicon(Record):
    """A lexicon of the pack is found, or not found, in the reply or in its first sentence."""

    op: Literal["lex", "lex_none", "lex_first"]
    name: str
    """Name of a lexicon of the pack."""


class Param(Record):
    """Tokens that a scenario supplies are found, or not found, as whole words."""

    op: Literal["has_param", "first_has_param", "has_all_params", "none_param", "ends_param"]
    key: str
    """Name of the scenario parameter; an entry `a|b` accepts either spelling."""


class ParamCount(Record):
    """At least `n` entries of a scenario parameter are found."""

    op: Literal["param_count_min"]
    key: str
    """Name of the scenario parameter."""
    n: int = Field(ge=1)
    """Least number of different entries."""


class StartsParam(Record):
    """The reply starts with an entry of a scenario parameter and a separator."""

    op: Literal["starts_param"]
    key: str
    """Name of the scenario parameter."""
    sep: str = r"\s*[:,]"
    """Regular expression of the separator after the entry."""


class ParamsInside(Record):
    """Entries of a scenario parameter occur inside spans (spoiler bars, double brackets) and never outside."""

    op: Literal["params_only_inside"]
    key: str
    """Name of the scenario parameter."""
    span: str
    """Regular expression of a span, with its inside as the one group."""


class NamesOnly(Record):
    """No member is named but those that the scenario parameters list."""

    op: Literal["names_only_params"]
    keys: tuple[str, ...] = Field(min_length=1)
    """Names of the scenario parameters that hold the allowed names."""


class QuotesTranscript(Record):
    """A line of the reply quotes an earlier message word for word."""

    op: Literal["quotes_transcript"]
    min_words: int = Field(3, ge=1)
    """Least number of words in the quotation."""


class ArithOk(Record):
    """The reply holds right sums and no wrong one."""

    op: Literal["arith_ok"]
    min: int = Field(1, ge=1)
    """Least number of right sums."""


class NumberCount(Record):
    """How many numbers the reply holds."""

    op: Literal["number_count"]
    min: int = Field(0, ge=0)
    """Least count."""
    max: int = Field(1_000_000, ge=0)
    """Greatest count."""


class NumbersMultiple(Record):
    """The reply holds numbers and each is a multiple of `n`."""

    op: Literal["numbers_multiple_of"]
    n: int = Field(ge=1)
    """The divisor."""


class All(Record):
    """Every branch holds."""

    all: tuple["Check", ...] = Field(min_length=1)
    """The branches."""


class AnyOf(Record):
    """At least one branch holds."""

    any: tuple["Check", ...] = Field(min_length=1)
    """The branches."""


class Not(Record):
    """The branch does not hold."""

    not_: "Check" = Field(alias="not")
    """The branch."""


Operation = (
    Count | Form | CapsShare | EqualsAny | Pattern | Lexicon | Param | ParamCount | StartsParam | ParamsInside
    | NamesOnly | QuotesTranscript | ArithOk | NumberCount | NumbersMultiple
)  # fmt: skip
Node = All | AnyOf | Not | Operation

_BRANCHES: dict[str, type[Record]] = {"all": All, "any": AnyOf, "not": Not}
_OPERATIONS: dict[str, type[Record]] = {
    name: model for model in get_args(Operation) for name in get_args(model.model_fields["op"].annotation)
}
OPERATION_NAMES = tuple(sorted(_OPERATIONS))
MAX_DEPTH = 20
"""Greatest number of branches inside each other."""


def _depth(node: Any) -> int:
    """Branches inside each other; counts one further than allowed at most."""
    level, depth = [node], 0
    while level and depth <= MAX_DEPTH:
        entries = [cast(dict[str, Any], n)[key] for n in level if isinstance(n, dict) for key in _BRANCHES if key in n]
        level = [child for e in entries for child in (cast(list[Any], e) if isinstance(e, list) else [e])]
        depth += bool(level)
    return depth


def parse_check(node: Any) -> Any:
    """Turn a mapping into a check node; a `ValueError` says what is unknown and what exists."""
    if isinstance(node, Record):
        return node
    if _depth(node) > MAX_DEPTH:
        raise ValueError(f"a check nests at most {MAX_DEPTH} deep; flatten it")
    if not isinstance(node, dict):
        raise ValueError(f"a check node is a mapping with 'op', 'all', 'any' or 'not', not {node!r}")
    for key, branch in _BRANCHES.items():
        if key in node:
            return branch.model_validate(node)
    name = str(cast(dict[str, object], node).get("op"))
    if name not in _OPERATIONS:
        near = get_close_matches(name, OPERATION_NAMES, 3) or OPERATION_NAMES
        raise ValueError(f"unknown operation {name!r}; did you mean one of: {', '.join(near)}")
    model = _OPERATIONS[name]
    try:
        return model.model_validate(node)
    except ValidationError as error:
        wrong = [told(fault, model) for fault in error.errors()]
        found = "; ".join(one.found for one in wrong)
        allowed = "; ".join(dict.fromkeys(one.allowed for one in wrong))
        raise ValueError(f"operation {name!r}: {found}{ALLOWED}{allowed}") from None


Check = Annotated[Node, PlainValidator(parse_check), SerializeAsAny()]  # pyright: ignore[reportCallIssue]
for _branch in _BRANCHES.values():
    _branch.model_rebuild()


def walk(node: Node) -> Iterator[Operation]:
    """Every operation of a check, from left to right."""
    match node:
        case All():
            for branch in node.all:
                yield from walk(branch)
        case AnyOf():
            for branch in node.any:
                yield from walk(branch)
        case Not():
            yield from walk(node.not_)
        case _:
            yield node


def needed_params(node: Node | None) -> frozenset[str]:
    """Names of the scenario parameters that a check needs."""
    keys: set[str] = set()
    for operation in walk(node) if node is not None else ():
        match operation:
            case Param() | ParamCount() | StartsParam() | ParamsInside():
                keys.add(operation.key)
            case NamesOnly():
                keys.update(operation.keys)
            case _:
                pass
    return frozenset(keys)
