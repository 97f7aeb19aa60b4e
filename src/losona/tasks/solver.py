"""One call of a subject: its settings, what a provider refuses of them, and what is no reply."""

from typing import Any

from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError

from losona.errors import NoReply, provider_message
from losona.providers.epoch import EPOCH
from losona.refusals import refused_setting
from losona.secrets import without_keys
from losona.tasks.setup import Done, Setup

ERROR_LENGTH = 500


@solver
def answer(epochs: list[int], setup: Setup) -> Solver:
    """One call of the subject. A setting that the provider refuses is left out and recorded."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        epoch = epochs[state.epoch - 1]
        EPOCH.set(epoch)
        settings: dict[str, Any] = {**setup.sampling, "seed": setup.seed + epoch - 1}
        state.metadata.update(epoch=epoch, left_out=[], sampling=settings)
        while True:
            try:
                state = await generate(state, tool_calls="none", **settings)
                _refuse_no_reply(state.output)
                break
            except LimitExceededError:
                raise  # by this Inspect ends a sample
            except Exception as error:  # providers raise classes of their own; what is no refused setting goes on
                message = without_keys(provider_message(error))
                refused = refused_setting(message, settings)
                if refused is None:
                    _tell(setup, state, message)
                    raise NoReply(message[:ERROR_LENGTH]) from error
                del settings[refused]
                state.metadata["left_out"].append(refused)
        _tell(setup, state)
        return state

    return solve


def _refuse_no_reply(output: ModelOutput) -> None:
    """What a provider gives in place of a reply is missing, not an empty reply."""
    if output.error or not output.choices:
        raise NoReply(output.error or "the provider gave no reply")
    if output.stop_reason == "content_filter":
        raise NoReply("withheld by the provider's content filter")
    if output.stop_reason == "model_length" and output.usage is None:
        raise NoReply(f"the prompt is too long for the model: {output.completion}")
    if not output.completion.strip() and output.stop_reason in ("tool_calls", "unknown"):
        raise NoReply(f"no text came, the call ended with {output.stop_reason!r}")


def _tell(setup: Setup, state: TaskState, error: str = "") -> None:
    if setup.watch is not None:
        usage = state.output.usage if not error else None
        tokens, cost = (usage.total_tokens, usage.total_cost) if usage else (0, None)
        setup.watch(Done(str(state.model), str(state.metadata["condition"]), tokens, cost, error))


@solver
def recall() -> Solver:
    """The reply as it stands; no subject is asked."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content(str(state.metadata["recalled"]), state.input_text)
        return state

    return solve
