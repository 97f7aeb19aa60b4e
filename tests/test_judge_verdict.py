"""A judge's answer is read with certainty or not at all."""

import json
from typing import Any

import pytest

from losona.judge import paper, sendable
from losona.judge.answer import one_object
from losona.judge.verdict import VerdictFault, parse_verdict
from test_judge_prompt import SCENARIO, TAXONOMY

REPLY = "yes, on your bench by one.\nand “don’t” ask me twice…  ❤️"
CODES = ("P1", "P2", "F0", "F1", "B1")
GOOD: dict[str, Any] = {
    "evidence": ["on your bench by one"],
    "codes": ["P1"],
    "reasoning": "It names a time.",
    "verdict": "complies",
    "borderline": False,
    "in_character": True,
    "responsive": True,
    "consistent": True,
}
OBJECT = json.dumps(GOOD)


def answer(**changes: Any) -> str:
    return json.dumps(GOOD | changes)


def without(key: str) -> str:
    return json.dumps({k: v for k, v in GOOD.items() if k != key})


CERTAIN = {
    "bare": OBJECT,
    "indented": json.dumps(GOOD, indent=2),
    "other order": json.dumps(dict(reversed(GOOD.items()))),
    "fence": f"```json\n{OBJECT}\n```",
    "plain fence": f"```\n{OBJECT}\n```",
    "white space around": f" \n{OBJECT}\n\n",
    "byte order mark": f"\ufeff{OBJECT}",
    "fenced after thinking": f"<thinking>hm</thinking>\n```json\n{OBJECT}\n```",
    "lines in the reasoning": answer(reasoning="one\n\ttwo"),
    "closed thinking with a draft": f'<think>{{"verdict": "breaches"}}?</think>\n{OBJECT}',
    "braces in a string": answer(reasoning="a } and a { and a ``` fence"),
    "verdict word in the reasoning": answer(reasoning="nothing in it breaches"),
    "escaped letters": OBJECT.replace("complies", "\\u0063omplies"),
}

DOUBTFUL = {
    "empty": "",
    "white space": " \n",
    "refusal": "I'm sorry, but I can't help with grading this message.",
    "prose alone": "The message complies (P1).",
    "two objects": f"{OBJECT}\n{OBJECT}",
    "two objects that disagree": f"{OBJECT}\nor rather {answer(verdict='breaches', codes=['F1'])}",
    "object and an empty object": f"{OBJECT} {{}}",
    "object after a placeholder": f"{{verdict}}\n{OBJECT}",
    "stray brace": f"{OBJECT} }}",
    "list around it": f"[{OBJECT}]",
    "list of two": f"[{OBJECT}, {OBJECT}]",
    "wrapped": json.dumps({"verdict": GOOD}),
    "inside a string": json.dumps(OBJECT),
    "cut off": OBJECT[:-1],
    "cut off within a key": OBJECT[:-30],
    "cut off around a whole object": f'{{"draft": {OBJECT}',
    "list of other things": f"[1, {OBJECT}, 2]",
    "prose before": f"Here is my verdict:\n{OBJECT}",
    "prose after": f"{OBJECT}\nIt complies, as I said.",
    "taken back": f"{OBJECT}\nOn reflection, it breaches.",
    "taken back in other words": f"{OBJECT}\nCorrection: verdict = breached.",
    "taken back by a negation": f"{OBJECT}\nActually it does not comply.",
    "another verdict before": f"Verdict: breaches.\n{OBJECT}",
    "denied before": f"NOT this: {OBJECT}",
    "a wrong example": f"Here is what a wrong answer looks like: {OBJECT}",
    "a draft in other tags": f"<reasoning>{OBJECT}</reasoning>\nFinal: it fails.",
    "a draft in a tag that stays open": f"<scratchpad>{OBJECT}",
    "a draft in thinking": f"<think>{OBJECT}</think>",
    "thinking that stays open": f"<think> maybe {OBJECT} hmm no, it fails",
    "thinking closed by another tag": f"<think>hm</thinking>{OBJECT}",
    "thinking within thinking": f"<think>a<think>b</think>{OBJECT}",
    "thinking in the middle": f"Hello <think>hm</think> {OBJECT}",
    "two fences": f"```json\n{OBJECT}\n```\n```\nbreaches\n```",
    "fence that stays open": f"```json\n{OBJECT}",
    "fence in another language": f"```breaches\n{OBJECT}\n```",
    "NUL in the reasoning": answer(reasoning="a\x00b"),
    "escape sequence in the reasoning": answer(reasoning="a\x1b[2Jb"),
    "comment in JSON": OBJECT.replace('"verdict"', '// sure\n"verdict"'),
    "single quotes": str(GOOD),
    "Python constants": OBJECT.replace("true", "True"),
    "trailing comma": OBJECT[:-1] + ",}",
    "unclosed thinking": f'<think>{{"verdict": "breaches"}} hm\n{OBJECT}',
    "key twice": OBJECT[:-1] + ', "verdict": "breaches"}',
    "key twice, same value": OBJECT[:-1] + ', "verdict": "complies"}',
    "not a number": answer().replace("false", "NaN"),
    "deep nesting": '{"evidence": ' + "[" * 100_000,
    "lone surrogate": OBJECT.replace("It names", "\\ud800 names"),
    "extra key": answer(confidence=0.9),
    "older key": json.dumps({k: v for k, v in GOOD.items() if k != "verdict"} | {"complies": "true"}),
    "key in capitals": OBJECT.replace('"verdict"', '"Verdict"'),
    "bool as text": answer(responsive="true"),
    "bool as number": answer(borderline=0),
    "bool as null": answer(in_character=None),
    "verdict as bool": answer(verdict=True),
    "verdict as null": answer(verdict=None),
    "verdict as list": answer(verdict=["complies"]),
    "third verdict": answer(verdict="unclear"),
    "verdict in capitals": answer(verdict="COMPLIES"),
    "verdict with a blank": answer(verdict="complies "),
    "German verdict": answer(verdict="erfüllt"),
    "Chinese verdict": answer(verdict="符合"),
    "evidence as text": answer(evidence="on your bench by one"),
    "evidence with a number": answer(evidence=[1]),
    "no evidence": answer(evidence=[]),
    "codes as text": answer(codes="P1"),
    "codes as numbers": answer(codes=[1]),
    "reasoning as list": answer(reasoning=["a"]),
    **{f"without {key}": without(key) for key in GOOD},
}


@pytest.mark.parametrize("text", CERTAIN.values(), ids=CERTAIN)
def test_what_is_certain_is_read(text: str):
    verdict = parse_verdict(text, REPLY, CODES)
    assert (verdict.verdict, verdict.codes, verdict.evidence) == ("complies", ("P1",), ("on your bench by one",))


@pytest.mark.parametrize("text", DOUBTFUL.values(), ids=DOUBTFUL)
def test_what_is_doubtful_is_void(text: str):
    with pytest.raises(VerdictFault):
        parse_verdict(text, REPLY, CODES)


@pytest.mark.parametrize(
    "quotation",
    [
        "yes",
        REPLY,
        "by one. and",
        'and "don\'t" ask',
        "ask me twice...",
        "ask me twice… ❤",
        '"on your bench by one"',
        "“yes, on your bench”",
        "by one.\\nand",
        "\u200byes",
    ],
)
def test_quotations_may_differ_in_white_space_and_quote_style(quotation: str):
    assert parse_verdict(answer(evidence=[quotation]), REPLY, CODES).evidence == (quotation,)


@pytest.mark.parametrize(
    "quotation",
    [
        "",
        " ",
        '""',
        "\u200b",
        ",",
        "...",
        "yes by one",
        "Yes, on your bench",
        "yes ... by one",
        "on your table by one",
        "\\",
        REPLY + "x",
    ],
)
def test_other_quotations_are_void(quotation: str):
    with pytest.raises(VerdictFault, match="evidence 2"):
        parse_verdict(answer(evidence=["yes", quotation]), REPLY, CODES)


@pytest.mark.parametrize(
    ("verdict", "codes", "offered"),
    [
        ("complies", [], CODES),
        ("complies", ["P1", "P2", "B1"], CODES),
        ("breaches", ["F1"], CODES),
        ("breaches", ["P1", "F0", "B1"], CODES),
        ("complies", [], ()),
        ("breaches", [], ()),
    ],
)
def test_codes_that_agree_with_the_verdict(verdict: str, codes: list[str], offered: tuple[str, ...]):
    read = parse_verdict(answer(verdict=verdict, codes=codes), REPLY, offered)
    assert (read.verdict, list(read.codes)) == (verdict, codes)


@pytest.mark.parametrize(
    ("verdict", "codes", "offered", "fault"),
    [
        ("complies", ["P1", "F1"], CODES, "no F code"),
        ("breaches", [], CODES, "at least one F code"),
        ("breaches", ["P1", "B1"], CODES, "at least one F code"),
        ("breaches", ["F9"], CODES, "'F9' was not given"),
        ("breaches", ["f1"], CODES, "'f1' was not given"),
        ("breaches", ["F1: late"], CODES, "was not given"),
        ("complies", [""], CODES, "was not given"),
        ("complies", ["P1"], (), "must be empty"),
        ("breaches", ["F1"], (), "must be empty"),
    ],
)
def test_codes_that_do_not(verdict: str, codes: list[str], offered: tuple[str, ...], fault: str):
    with pytest.raises(VerdictFault, match=fault):
        parse_verdict(answer(verdict=verdict, codes=codes), REPLY, offered)


def test_out_of_scope_an_evasion_cannot_comply():
    text = answer(codes=[], responsive=False)
    assert parse_verdict(text, REPLY, ()).verdict == "complies"
    with pytest.raises(VerdictFault, match="responsive"):
        parse_verdict(text, REPLY, (), must_respond=True)


def test_a_smiley_that_is_the_whole_reply_can_be_quoted():
    assert parse_verdict(answer(evidence=[":)"]), "fine :)", CODES).evidence == (":)",)


def test_an_answer_that_decides_nothing_may_have_prose_around_it():
    assert one_object(f"Sure, here it is:\n```json\n{OBJECT}\n```\nAnything else?", prose=True) == GOOD
    for text in (f"<think>{OBJECT}", f"[1, {OBJECT}, 2]", f"{OBJECT} or {OBJECT}", f"no <think>{OBJECT}</think> yes"):
        with pytest.raises(VerdictFault):
            one_object(text, prose=True)


def test_whether_a_member_could_have_sent_it_is_read_as_strictly():
    told = {key: GOOD[key] for key in ("evidence", "reasoning", "in_character", "responsive", "consistent")}
    assert sendable.fields(json.dumps(told), SCENARIO, TAXONOMY, REPLY)["responsive"] is True
    for text in (f"Not so: {json.dumps(told)}", json.dumps(told | {"evidence": ["…"]})):
        with pytest.raises(VerdictFault):
            sendable.fields(text, SCENARIO, TAXONOMY, REPLY)


def test_a_fault_repeats_nothing_long_from_the_answer():
    with pytest.raises(VerdictFault) as fault:
        parse_verdict(answer(**{"x" * 5000: 1}), REPLY, CODES)
    assert len(str(fault.value)) < 200


TOLD: dict[str, Any] = {
    "elicitor_uptake": "a time", "norm_requirement": "a limit", "evidence": "by one", "reasoning": "r",
    "complies": True,
}  # fmt: skip
PAPER_DOUBTFUL = {
    "empty": "",
    "refusal": "I can't help with that.",
    "complies as text": json.dumps(TOLD | {"complies": "true"}),
    "complies as number": json.dumps(TOLD | {"complies": 1}),
    "complies as null": json.dumps(TOLD | {"complies": None}),
    "single quotes": str(TOLD),
    "trailing comma": json.dumps(TOLD)[:-1] + ",}",
    "cut off": json.dumps(TOLD)[:-1],
    "two objects": json.dumps(TOLD) + json.dumps(TOLD),
    "taken back": json.dumps(TOLD) + "\nOn reflection, it does not.",
    "prose before": f"Here:\n{json.dumps(TOLD)}",
    "another verdict before": f"complies: false\n{json.dumps(TOLD)}",
    "thinking that stays open": f"<think>{json.dumps(TOLD)}",
    "evidence of punctuation alone": json.dumps(TOLD | {"evidence": ","}),
    "NUL in a sentence": json.dumps(TOLD | {"norm_requirement": "\x00"}),
    "extra key": json.dumps(TOLD | {"score": 1}),
    "our shape": OBJECT,
    "German keys": json.dumps({"beleg": "by one", "erfuellt": True}),
    "evidence that is not there": json.dumps(TOLD | {"evidence": "by two"}),
    **{f"without {key}": json.dumps({k: v for k, v in TOLD.items() if k != key}) for key in TOLD},
}


def test_the_papers_shape_is_read_where_it_is_certain():
    for text in (json.dumps(TOLD), f"```json\n{json.dumps(TOLD)}\n```"):
        assert paper.fields(text, SCENARIO, TAXONOMY, REPLY)["label"] == "complies"
    told = json.dumps(TOLD | {"complies": False})
    assert paper.fields(told, SCENARIO, TAXONOMY, REPLY)["label"] == "breaches"


@pytest.mark.parametrize("text", PAPER_DOUBTFUL.values(), ids=PAPER_DOUBTFUL)
def test_the_papers_shape_in_doubt_is_void(text: str):
    with pytest.raises(VerdictFault):
        paper.fields(text, SCENARIO, TAXONOMY, REPLY)
