"""The time as records carry it."""

from datetime import UTC, datetime


def now() -> str:
    """The time, ISO 8601, UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def now_exactly() -> str:
    """The same to the microsecond, where an order depends on it."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
