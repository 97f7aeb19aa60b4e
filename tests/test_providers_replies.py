"""Answers from a file: what is read, what is refused, and which reply a prompt gets."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentText,
    ModelOutput,
    get_model,
)

import losona.providers.replies  # noqa: F401  (registers the provider)
from losona.conditions import Message, prompt_hash
from losona.errors import ContentError, LosonaError, UserFault
from losona.providers.epoch import EPOCH
from losona.providers.faults import ProviderFault
from losona.providers.reply_file import MissingReply, read_replies

PROMPT = "Pilar: who has the key?"
KEY = prompt_hash((Message("user", PROMPT),))
ROW: dict[str, Any] = {"prompt_hash": KEY, "epoch": 1, "text": "me"}


def write(folder: Path, *rows: object) -> Path:
    path = folder / "answers.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


def ask(path: Path, prompt: str | list[ChatMessage] = PROMPT, epoch: int = 1) -> ModelOutput:
    async def once() -> ModelOutput:
        EPOCH.set(epoch)
        return await get_model(f"replies/{path}", memoize=False).generate(prompt)

    return asyncio.run(once())


def test_a_prompt_gets_the_reply_of_its_epoch(tmp_path: Path) -> None:
    path = write(
        tmp_path, ROW, "", ROW | {"epoch": 2, "text": "rook has it", "finish_reason": "length", "model": "bot 3"}
    )
    assert ask(path).completion == "me"
    second = ask(path, epoch=2)
    assert (second.completion, second.stop_reason, second.metadata) == ("rook has it", "max_tokens", {"model": "bot 3"})


def test_an_empty_reply_is_a_reply(tmp_path: Path) -> None:
    assert ask(write(tmp_path, ROW | {"text": ""})).completion == ""


def test_the_key_is_the_hash_of_roles_and_texts_as_they_are_sent(tmp_path: Path) -> None:
    """Consecutive turns, edge spaces and parts of text come through Inspect unchanged."""
    messages: list[ChatMessage] = [
        ChatMessageSystem(content=" You are Marlo.\n"),
        ChatMessageUser(content="Pilar: hi"),
        ChatMessageUser(content=[ContentText(text="rook: 120 ❤️ ")]),
        ChatMessageAssistant(content="ok"),
        ChatMessageAssistant(content=" thursday "),
        ChatMessageUser(content="Pilar: sure?"),
    ]
    sent = ("system", " You are Marlo.\n"), ("user", "Pilar: hi"), ("user", "rook: 120 ❤️ ")
    sent_own = ("assistant", "ok"), ("assistant", " thursday "), ("user", "Pilar: sure?")
    key = prompt_hash(tuple(Message(role, text) for role, text in (*sent, *sent_own)))  # type: ignore[arg-type]
    assert ask(write(tmp_path, ROW | {"prompt_hash": key}), messages).completion == "me"


def test_a_missing_reply_is_an_error_that_names_hash_and_epoch(tmp_path: Path) -> None:
    path = write(tmp_path, ROW, ROW | {"epoch": 3})
    with pytest.raises(LosonaError, match=f"no reply to prompt {KEY}, epoch 2; it has epoch 1, 3 of it"):
        ask(path, epoch=2)
    with pytest.raises(MissingReply, match="it has no row for this prompt"):
        ask(path, "another prompt")


def test_missing_keys_come_in_the_order_asked(tmp_path: Path) -> None:
    replies = read_replies(write(tmp_path, ROW))
    assert replies.missing([("f" * 16, 1), (KEY, 1), (KEY, 2)]) == [("f" * 16, 1), (KEY, 2)]


def test_own_columns_are_kept_out_of_the_way_and_repeats_are_harmless(tmp_path: Path) -> None:
    replies = read_replies(write(tmp_path, ROW | {"scenario_id": "x", "messages": []}, ROW))
    assert len(replies.rows) == 1


def test_a_file_without_a_row_as_yet_lacks_every_reply(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").touch()
    assert read_replies(tmp_path / "answers.jsonl").missing([(KEY, 1)]) == [(KEY, 1)]


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([ROW, ROW | {"text": "not me"}], rf":2: prompt {KEY}, epoch 1 has another text at .*:1"),
        ([ROW, "", "{"], r":3: not valid JSON"),
        (["[1]"], r":1: an object is expected"),
        ([ROW | {"prompt_hash": "XYZ"}], r":1: prompt_hash: .*\(found 'XYZ'\); allowed: the 16 digits"),
        ([ROW | {"epoch": 0}], r":1: epoch: 0; allowed: 1 or more"),
        ([ROW | {"epoch": "1"}], r":1: epoch: '1'; allowed: a whole number"),
        ([ROW | {"text": None}], r":1: text: nothing; allowed: text"),
        ([ROW | {"finish_reason": "done"}], r":1: finish_reason: 'done'; allowed: 'stop', .*"),
        (['{"prompt_hash": "%s", "text": "a"}' % KEY], r":1: epoch: the key is missing"),  # noqa: UP031
        ([ROW | {"finish_reson": "stop"}], r":1: unknown column 'finish_reson'; 'finish_reason' is probably meant"),
        (['{"prompt_hash": "%s", "epoch": 1, "text": "\\ud800"}' % KEY], r":1: half of a surrogate"),  # noqa: UP031
    ],
)
def test_a_wrong_row_is_named_with_line_column_and_value(tmp_path: Path, rows: list[object], fault: str) -> None:
    with pytest.raises(ContentError, match=f"answers.jsonl.*{fault}"):
        read_replies(write(tmp_path, *rows))


def test_a_model_that_cannot_be_made_is_a_fault_without_traceback_for_both_programs(tmp_path: Path) -> None:
    from inspect_ai._util.error import PrerequisiteError

    with pytest.raises(ProviderFault, match="there is no such file") as caught:
        get_model(f"replies/{tmp_path / 'none.jsonl'}")
    assert isinstance(caught.value, UserFault)
    assert isinstance(caught.value, PrerequisiteError)
    with pytest.raises(ProviderFault, match="unknown model argument 'seed'"):
        get_model(f"replies/{write(tmp_path, ROW)}", seed=1)


def test_brackets_survive_where_inspect_prints_markup() -> None:
    from rich.text import Text

    sentence = "run: pip install 'losona[embedded]'"
    assert Text.from_markup(ProviderFault(sentence).message).plain == sentence


def test_light_parts_import_neither_inspect_nor_llama() -> None:
    light = ", ".join(f"losona.providers{m}" for m in ("", ".weights", ".engine", ".reply_file", ".epoch", ".serve"))
    code = f"import sys, {light}; print({{'inspect_ai', 'xllamacpp'}} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
    code = "import sys, losona.providers.embedded; print('xllamacpp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
