"""Which repeat of a sample is being asked for. Knows one number and nothing of models."""

from contextvars import ContextVar

EPOCH: ContextVar[int] = ContextVar("losona_epoch", default=1)
"""The caller sets it, from 1, before it generates; the `replies` provider looks answers up by it."""
