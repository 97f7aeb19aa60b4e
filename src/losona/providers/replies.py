"""The `replies/FILE.jsonl` models of Inspect: answers from a file, as a subject or as a judge.

Knows how Inspect asks and how a prompt is keyed. Calls no model and makes up no reply.
"""

from pathlib import Path
from typing import Any, Literal

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from losona.conditions import Message, prompt_hash
from losona.errors import UserFault
from losona.providers.epoch import EPOCH
from losona.providers.faults import ProviderFault
from losona.providers.reply_file import MissingReply, Replies, Reply, read_replies

__all__ = ["MissingReply", "Replies", "RepliesAPI", "Reply", "as_messages", "read_replies", "replies"]


class RepliesAPI(ModelAPI):
    """A model whose answers stand in a file."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008  (Inspect's signature)
        **model_args: Any,
    ) -> None:
        """Read the file that the model is named after; `ProviderFault` when it is missing or wrong."""
        super().__init__(model_name, base_url, api_key, [], config)
        try:
            if model_args:
                raise UserFault(f"unknown model argument {next(iter(model_args))!r}; replies models take none.")
            self.replies: Replies = read_replies(Path(model_name).expanduser())
        except UserFault as fault:
            raise ProviderFault(str(fault)) from None

    def max_connections(self) -> int:
        """Reading from memory needs no bound."""
        return 1000

    def should_retry(self, ex: Exception) -> bool:
        """Never: a reply that is missing stays missing."""
        return False

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002  (Inspect's name)
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """The reply for these messages and the epoch in `EPOCH`; `MissingReply` when there is none."""
        row = self.replies.get(prompt_hash(as_messages(input)), EPOCH.get())
        reason = "max_tokens" if row.finish_reason == "length" else row.finish_reason
        output = ModelOutput.from_content(self.model_name, row.text, stop_reason=reason)
        output.metadata = row.model_dump(include={"model", "date", "note"}, exclude_none=True) or None
        return output


@modelapi(name="replies")
def replies() -> type[ModelAPI]:
    """The provider, under the name that `--model replies/FILE.jsonl` uses."""
    return RepliesAPI


def as_messages(messages: list[ChatMessage]) -> tuple[Message, ...]:
    """Inspect's messages as roles and texts, which the prompt's hash is taken over."""
    return tuple(Message(_role(message), message.text) for message in messages)


def _role(message: ChatMessage) -> Literal["system", "user", "assistant"]:
    if message.role == "tool":
        raise ProviderFault("answers from a file are for prompts without tool results.")
    return message.role
