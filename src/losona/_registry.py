"""What Inspect finds after installation: the task and the providers."""

from losona.providers.embedded import embedded
from losona.providers.replies import replies
from losona.tasks import losona

__all__ = ["embedded", "losona", "replies"]
