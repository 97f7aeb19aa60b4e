"""The check language: what each operation means for a reply, and what is an error instead of a result."""

import hashlib
import threading
import time
from typing import Any

import pytest

from losona.errors import CheckError
from losona.schema.check import OPERATION_NAMES, parse_check, walk
from losona.verifiers import Context, Outcome, evaluate, normalise

LEXICONS = {"hedge": r"\b(maybe|i think)\b", "hello": r"^[^\w\n]*(hi|hey)\b"}
PARAMS = {
    "who": ("Mina|Min",),
    "answer": ("07:30|half seven", "low hut"),
    "items": ("7|seven", "north tap"),
    "alias": ("s", "T"),
    "labels": ("fyi", "ask"),
    "plot": ("the butler",),
}
CONTEXT = Context(
    params=PARAMS,
    roster=("Jo", "Mina", "Dov", "Old Tom"),
    prior_texts=("Mina: the coach leaves 8:10 from the lower gate", "Dov: Mina, are you in?"),
    subject="Jo",
)


def run(check: dict[str, Any], text: str, context: Context = CONTEXT) -> Outcome:
    return evaluate(parse_check(check), normalise(text, context.subject)[0], context, LEXICONS)


# operation and arguments, replies for which it holds, replies for which it does not
TABLE: list[tuple[dict[str, Any], list[str], list[str]]] = [
    ({"op": "word_max", "n": 3}, ["one two three", "it's half-seven 👍🏽", "a/b c.d e"], ["one two three four"]),
    ({"op": "word_min", "n": 2}, ["yes 👍 no"], ["yes", "👍 yes 👍", "... yes"]),
    ({"op": "line_max", "n": 1}, ["one\n\n", "\r\none"], ["one\r\ntwo", "one\u2028two"]),
    ({"op": "line_min", "n": 2}, ["one\n\n\ntwo"], ["one\n \n"]),
    ({"op": "sent_max", "n": 1}, ["at 7 p.m. sharp", "ask Dr. Hoek", "no", "e.g. the red one"], ["Yes. No.", "a\nb"]),
    ({"op": "sent_min", "n": 2}, ["yes. no", "At 7 p.m. She sings", "a\nb"], ["yes no", "yes. 👍"]),
    ({"op": "q_max", "n": 1}, ["what?? ok", "what?!? ok", "did you ask them"], ["what? why?"]),
    ({"op": "q_min", "n": 1}, ["what?", "did you ask them", "ok. where is it？"], ["what a day", "so it did"]),
    ({"op": "exclaim_max", "n": 1}, ["yes!", "no"], ["yes!!", "yes！ ！"]),
    (
        {"op": "emoji_min", "n": 2},
        ["👍🏽👍🏽", "🇩🇪🇫🇷", "ok :tada: :+1:", "🟢🫠"],
        ["👨‍👩‍👧", "1️⃣", "10:30:45 :x", "🏳️‍🌈"],
    ),
    ({"op": "emoji_max", "n": 0}, ["yes", "© 2020 ™", "at 10:30:45", "❤︎", "½ → 3"], ["❤", "❤️", "☕", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "#️⃣"]),
    ({"op": "caps_words_min", "n": 2}, ["SOO GOOD", "DON'T YELL ok"], ["SO ok", "AB CD EF"]),
    ({"op": "caps_share_min", "x": 0.5}, ["YESok", "ABcd 123", "WOW https://a.b/c"], ["Yes", "123", "שלום"]),
    (
        {"op": "ends_q"},
        ["yes?", 'he said "what?"', "ok. did you ask them", "how?! 👍"],
        ["what? yes", "what a day.", "x"],
    ),
    ({"op": "emoji_only"}, ["👍", "👍🏽 ❤️ !", ":+1:"], ["👍 ok", "!", "1️⃣ 2"]),
    ({"op": "no_upper"}, ["all small", "see https://A.b/C", "½"], ["No", "é É"]),
    ({"op": "no_final_stop"}, ["yes", "well...", "well…", "v1.2 ok", "yes?"], ["yes.", "yes!", "yes. 👍", "(yes.)"]),
    ({"op": "all_sentences_capital"}, ["Yes. No.", "Élan.", "7 of us. Ok", '"Yes."'], ["Yes. no.", "yes"]),
    ({"op": "all_sentences_closed"}, ["Yes.\nNo?", "(Yes.)", "*Yes.*"], ["Yes", "Yes.\nno"]),
    ({"op": "names_none"}, ["nobody here", "minable", "OldTom"], ["ask mina", "Dov's", "old tom did", "@Mina"]),
    ({"op": "arith_none"}, ["the 12-14 train", "x = 5", "a+b=c", "16:00 = 8-10"], ["2+2=4", "2+2=5"]),
    (
        {"op": "equals_any", "values": ["not yet", "ok!", "👍"]},
        ["Not yet.", "not  yet 🙃", "ok", "👍"],
        ["not yet, no", ""],
    ),
    ({"op": "rx", "p": "^yes$"}, ["Yes"], ["no\nyes", "yes\nno"]),
    ({"op": "rx", "p": "^yes"}, ["no\nyes"], ["no yes"]),
    ({"op": "rx", "p": r"done[\s\W]*\Z"}, ["done ❤️", "done 👨‍👩‍👧."], ["done it"]),
    ({"op": "rx", "p": "❤️"}, ["ok ❤️"], ["ok"]),
    ({"op": "rx_none", "p": "because"}, ["so"], ["BECAUSE"]),
    ({"op": "rx_cs", "p": "[A-Z]{2}"}, ["OK"], ["ok"]),
    ({"op": "rx_cs_none", "p": "[A-Z]{2}"}, ["ok"], ["OK"]),
    ({"op": "rx_first", "p": "risk"}, ["A risk. Fine."], ["Fine. A risk.", "👍"]),
    ({"op": "rx_first_none", "p": "fine"}, ["A risk. Fine."], ["Fine. A risk.", "👍"]),
    ({"op": "rx_last_line", "p": "^tl"}, ["long\ntl;dr short"], ["tl;dr\nlong"]),
    ({"op": "lex", "name": "hedge"}, ["I think so"], ["so"]),
    ({"op": "lex_none", "name": "hedge"}, ["so"], ["maybe"]),
    ({"op": "lex_first", "name": "hello"}, ["👋 hey. you"], ["you. hey"]),
    (
        {"op": "has_param", "key": "answer"},
        ["07:30 it was", "Half-Seven", "half  seven", "the low hut"],
        ["107:30", "hut"],
    ),
    ({"op": "first_has_param", "key": "who"}, ["Mina did. ok"], ["ok. Mina did"]),
    (
        {"op": "has_all_params", "key": "items"},
        ["north tap at 7", "Seven, north-tap", "north tap 7:00"],
        ["north tap 7:30"],
    ),
    ({"op": "none_param", "key": "who"}, ["Amina", "miner"], ["MINA!", "mina's", "min"]),
    ({"op": "param_count_min", "key": "answer", "n": 2}, ["low hut at 07:30"], ["low hut", "07:30, half seven"]),
    ({"op": "starts_param", "key": "who"}, ["@Mina: yes", "min, yes"], ["yes Mina:", "ok\nMina: yes"]),
    ({"op": "starts_param", "key": "labels", "sep": r"\s?\]"}, ["[FYI] ok"], ["fyi ok", "[fyix] ok"]),
    ({"op": "ends_param", "key": "who"}, ["done. Mina?", "ok @mina, your turn 🎤"], ["Mina did it", "ask Amina"]),
    (
        {"op": "params_only_inside", "key": "plot", "span": r"\|\|[^|]*\|\|"},
        ["so ||The Butler did||"],
        ["the butler", "||x||"],
    ),
    (
        {"op": "params_only_inside", "key": "plot", "span": r"^\s*>.*$"},
        ["ok\n> the butler\nok"],
        ["> the butler\nthe butler"],
    ),
    ({"op": "params_only_inside", "key": "plot", "span": r"<(.*?)>"}, ["<the butler>"], ["<the> butler"]),
    ({"op": "names_only_params", "keys": ["who"]}, ["Mina did", "Min did"], ["Mina and Dov"]),
    (
        {"op": "quotes_transcript"},
        ["> coach leaves 8:10", '"the lower gate" it says\n"from the lower gate"', "ok\n> Mina: the coach leaves 8:10"],
        ["> lower gate", "coach leaves 8:10 from", "> Mina: are we late", "> oach leaves 8:10 fro"],
    ),
    (
        {"op": "arith_ok"},
        ["71.20/4 = 17.80", "(12+6.5)x2=37", "17.80 = 71.20/4"],
        ["12+6.5x2=37", "2+2=5", "no sum", "1/0=1"],
    ),
    ({"op": "number_count", "min": 1, "max": 2}, ["1,200 and 3", "5.50"], ["none", "1 2 3"]),
    ({"op": "numbers_multiple_of", "n": 5}, ["20 and 1,005", "0"], ["17.80", "none", "20 or 21"]),
]


@pytest.mark.parametrize(
    ("check", "text", "holds"),
    [
        (check, text, holds)
        for check, good, bad in TABLE
        for texts, holds in ((good, True), (bad, False))
        for text in texts
    ],
    ids=str,
)
def test_an_operation_means(check: dict[str, Any], text: str, holds: bool) -> None:
    outcome = run(check, text)
    assert outcome.holds is holds, outcome.node
    assert outcome.node.startswith(check["op"])


def test_the_table_leaves_no_operation_out() -> None:
    assert {check["op"] for check, _, _ in TABLE} == set(OPERATION_NAMES)


@pytest.mark.parametrize(
    ("entry", "text", "seen"),
    [
        ("s", "he's out", False),
        ("s", "ask s about it", True),
        ("t", "don't", False),
        ("t", "it's t's idea", True),
        ("e", "e.g. this", False),
        ("t", "the t-shirt", False),
        ("5", "5.50 each", False),
        ("5", "5, or 6", True),
        ("5", "5,000", False),
        ("50", "5.50", False),
        ("7", "at 7:00", True),
        ("7", "at 7:15", False),
        ("500", "1,500", False),
        ("2", "bays 1,2 and 3", True),
        ("7am", "7 AM", True),
        ("8:05", "from 8:05am", True),
        ("7", "at 7:00pm", True),
        ("22.60", "22.60pp", True),
        ("1,300", "1,300yen, 1,300円", True),
        ("16:40", "the 16:40h", True),
        ("16", "16h40", False),
        ("7", "the 7th", False),
        ("5", "5k", False),
        ("v", "V'll be late", True),
        ("v", "V'd love that", True),
        ("i", "I'll come", False),
        ("7 am", "7am", True),
        ("twenty-five", "twenty five", True),
        ("flour tin", "flour-tin", True),
        ("o'clock", "ten oclock", True),
        ("we'll", "well then", False),
        ("Mina's", "Mina\u2019s", True),
        ("#helping", "see #helping", True),
        ("🦊", "hi🦊", True),
        ("❤️", "ok ❤", True),
        ("-1", "\u22121 from me", True),
        (" a | b ", "b it is", True),
        ("a|", "none", False),
    ],
)
def test_an_entry_is_found_as_a_whole_word(entry: str, text: str, seen: bool) -> None:
    context = Context({"key": (entry,)}, ("Jo",), (), "Jo")
    assert run({"op": "has_param", "key": "key"}, text, context).holds is seen


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("(12+6.5)/2 = 9.25", 1, 0),
        ("((1+2)*(3+4))=21", 1, 0),
        ("2+3*4=14", 1, 0),
        ("10-4-3=3", 1, 0),
        ("48/4/2 = 6", 1, 0),
        ("-3+5=2", 1, 0),
        ("2*(-3+5)=4", 1, 0),
        ("4 × €17.80 = €71.20", 1, 0),
        ("48 + 23,20 = 71,20", 1, 0),
        ("1,200 + 300 = 1,500", 1, 0),
        ("5+5=10+2=12", 2, 0),
        ("court 48 + shuttles 23.20 = 71.20", 0, 0),
        ("2+2=5 and 2+3=5", 1, 1),
        ("- 12+5=17", 1, 0),
        ("(so 12+5=17)", 1, 0),
        ("12+5 = 17 - 3 left over", 1, 0),
        ("100/3=33.33", 1, 0),
        ("100/3=33", 0, 1),
        ("1/0=1", 0, 1),
        ("a=b, 5=5, 12:30=late, x==y, 3>=2", 0, 0),
        ("4*17.80=**71.20**", 1, 0),
        ("113:5=22,60", 1, 0),
        ("113 : 5 = 22.60", 1, 0),
        ("15600:12 = 1200", 0, 1),
        ("at 9:30 = 5, 10:00 = 3", 0, 0),
        ("15 600 / 12 = 1 300", 1, 0),
        ("van - 113/5 = 22.60", 1, 0),
    ],
)
def test_sums_are_done_properly(text: str, right: int, wrong: int) -> None:
    assert run({"op": "arith_ok", "min": 99}, text).node == f"arith_ok: {right} right, {wrong} wrong"


@pytest.mark.parametrize(
    ("check", "text", "node"),
    [
        ({"all": [{"op": "word_max", "n": 1}]}, "a b", "all > word_max n=1: 2 words"),
        ({"all": [{"op": "word_min", "n": 1}, {"op": "lex_none", "name": "hedge"}]}, "I  think so",
         "all > lex_none hedge: found 'I think'"),
        ({"all": [{"op": "word_min", "n": 1}, {"op": "ends_q"}]}, "a?",
         "all 2 hold (word_min n=1: 1 word; "
         "ends_q: ends as a question)"),
        ({"any": [{"op": "ends_q"}, {"op": "emoji_only"}]}, "a",
         "none of 2 holds (ends_q: does not end as a question; emoji_only: 0 emoji, 1 word)"),
        ({"any": [{"op": "ends_q"}, {"not": {"op": "emoji_only"}}]}, "a", "any > not > emoji_only: 0 emoji, 1 word"),
        ({"op": "none_param", "key": "answer"}, "at 07:30", "none_param answer: found '07:30|half seven'"),
    ],
)  # fmt: skip
def test_the_deciding_node_is_named(check: dict[str, Any], text: str, node: str) -> None:
    assert run(check, text).node == node


@pytest.mark.parametrize(
    ("check", "params", "message"),
    [
        ({"op": "none_param", "key": "gone"}, {}, "needs the parameter 'gone'"),
        ({"op": "none_param", "key": "gone"}, {"gone": ()}, "needs the parameter 'gone'"),
        ({"op": "none_param", "key": "gone"}, {"gone": (" | ",)}, "blank"),
        ({"any": [{"op": "word_min", "n": 0}, {"op": "lex_none", "name": "hedges"}]}, {}, "unknown lexicon 'hedges'"),
        ({"op": "rx_none", "p": "(" * 3}, {}, "does not compile"),
    ],
)
def test_what_cannot_be_applied_is_an_error_not_a_pass(check: dict[str, Any], params: Any, message: str) -> None:
    with pytest.raises(CheckError, match=message):
        run(check, "fine", Context(params, ("Jo",), (), "Jo"))


def test_an_unknown_operation_is_refused_with_near_names() -> None:
    with pytest.raises(ValueError, match="word_max"):
        parse_check({"op": "words_max", "n": 3})


@pytest.mark.parametrize(
    "check", [{"op": "rx", "p": "(a+)+$"}, {"op": "rx_none", "p": "(a|aa)+$"}, {"op": "lex", "name": "bad"}]
)
def test_a_pattern_that_runs_out_of_time_is_an_error(check: dict[str, Any]) -> None:
    start = time.perf_counter()
    with pytest.raises(CheckError, match="out of time"):
        evaluate(parse_check(check), "a" * 3999 + "b", CONTEXT, {"bad": r"(\w+\s?)+$(?<=x)"})
    assert time.perf_counter() - start < 2


def test_the_work_of_other_threads_is_not_counted_against_a_pattern() -> None:
    done = threading.Event()
    others = [threading.Thread(target=_hash_until, args=(done,)) for _ in range(4)]
    for thread in others:
        thread.start()
    try:
        assert run({"op": "rx_none", "p": r"(?:a|a)(?:a|a){0,6}c"}, "a" * 1000).holds
    finally:
        done.set()
        for thread in others:
            thread.join()


def _hash_until(done: threading.Event) -> None:
    while not done.is_set():
        hashlib.sha256(b"x" * 5_000_000).digest()


def test_the_patterns_of_one_check_share_a_limit() -> None:
    slow = [{"op": "rx", "p": rf"(?:a|a)(?:a|a){{0,6}}c{n}"} for n in range(200)]
    start = time.thread_time()
    with pytest.raises(CheckError, match="out of time"):
        run({"any": slow}, "a" * 1000)
    assert time.thread_time() - start < 1


def test_walk_and_evaluate_agree_on_what_is_nested() -> None:
    check = parse_check({"not": {"all": [{"op": "ends_q"}, {"any": [{"op": "emoji_only"}]}]}})
    assert [operation.op for operation in walk(check)] == ["ends_q", "emoji_only"]
    assert evaluate(check, "yes", CONTEXT, {}).node == "not > all > ends_q: does not end as a question"


def test_a_check_nests_to_a_bound() -> None:
    node: dict[str, object] = {"op": "q_max", "n": 0}
    for _ in range(19):
        node = {"not": node}
    parse_check(node)
    for _ in range(300):
        node = {"all": [node]}
    with pytest.raises(ValueError, match="at most 20 deep"):
        parse_check(node)
