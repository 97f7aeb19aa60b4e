"""A number with its noun. Knows English plurals; nothing of what is counted."""


def some(n: int, one: str, many: str = "") -> str:
    """`1 pair`, `2,000 pairs`, in plain characters for a terminal."""
    return f"{n:,} {agreeing(n, one, many)}"


def agreeing(n: int, one: str, many: str = "") -> str:
    """The word that goes with a number: `pair` with 1, else `pairs`; of a verb, both forms."""
    return one if n == 1 else many or one + "s"
