"""What generation may cost. Knows prices and counts; calls nothing.

Before a call its highest possible cost is set aside, so that a bound holds also for calls that run side by side.
"""

from collections.abc import Callable
from dataclasses import dataclass

from losona.errors import LosonaError

PER = 1_000_000
"""Prices are for so many tokens."""
CHARACTERS_PER_TOKEN = 3
"""For the highest number of tokens of a prompt; English text has about four."""


class BudgetReached(LosonaError):
    """The next call could exceed a bound; nothing was called."""


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens."""

    read: float
    """Of the prompt."""
    written: float
    """Of the answer."""

    def of(self, read: int, written: int) -> float:
        """US dollars for so many tokens."""
        return (read * self.read + written * self.written) / PER


@dataclass(frozen=True)
class Spent:
    """What calls have used."""

    read: int = 0
    """Tokens of prompts."""
    written: int = 0
    """Tokens of answers."""
    cost: float | None = 0.0
    """US dollars; none where the price is not known."""

    def __add__(self, other: "Spent") -> "Spent":
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Spent(self.read + other.read, self.written + other.written, cost)

    def __sub__(self, other: "Spent") -> "Spent":
        cost = None if self.cost is None or other.cost is None else self.cost - other.cost
        return Spent(self.read - other.read, self.written - other.written, cost)

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.read + self.written


@dataclass
class Budget:
    """The bounds of one command, and what it has used so far."""

    price: Price | None
    """None: not known."""
    max_cost: float | None = None
    """US dollars; needs a price."""
    max_tokens_total: int | None = None
    """Tokens read and written."""
    spent: Spent = Spent()
    """By finished calls."""
    watch: Callable[[Spent], None] | None = None
    """Told what every call has used."""
    _aside_tokens: int = 0
    _aside_cost: float = 0.0

    def reserve(self, prompt_characters: int, max_tokens: int) -> Spent:
        """Set the most that a call can use aside. Raises `BudgetReached` where that would exceed a bound."""
        read = prompt_characters // CHARACTERS_PER_TOKEN + 1
        most = Spent(read, max_tokens, self.price.of(read, max_tokens) if self.price else None)
        tokens = self.spent.tokens + self._aside_tokens + most.tokens
        cost = (self.spent.cost or 0.0) + self._aside_cost + (most.cost or 0.0)
        if self.max_tokens_total is not None and tokens > self.max_tokens_total:
            raise BudgetReached(f"the next call could exceed --max-tokens-total {self.max_tokens_total}")
        if self.max_cost is not None and cost > self.max_cost:
            raise BudgetReached(f"the next call could exceed --max-cost {self.max_cost:g}")
        self._aside_tokens += most.tokens
        self._aside_cost += most.cost or 0.0
        return most

    def settle(self, aside: Spent, used: Spent) -> None:
        """A call has ended: what it used takes the place of what was set aside."""
        self._aside_tokens -= aside.tokens
        self._aside_cost -= aside.cost or 0.0
        self.spent += used
        if self.watch is not None:
            self.watch(used)
