"""A user's fault that Inspect, too, shows without a traceback. Knows both exception trees and nothing else."""

from inspect_ai._util.error import PrerequisiteError
from rich.markup import escape

from losona.errors import UserFault


class ProviderFault(UserFault, PrerequisiteError):
    """A model cannot be made as asked: one sentence, no traceback from `losona` or from `inspect eval`."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.message = escape(sentence)
        """The sentence for Inspect, which prints it as markup: `losona[embedded]` would lose its bracket."""
