"""The canonical form of a reply, and how it is counted: for any text, not only for nice ones."""

import unicodedata

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from losona.verifiers import normalise
from losona.verifiers.text import MAX_CHARS, Reading

PIECES = st.sampled_from(
    ["Jo:", "jo :", "[10:42] Jo: ", "**Jo:** ", "<Jo> ", "Mina: ", "```", "```\n", "~~~", '"', "'", "`",
     "\u201c", "\u2019", "\r\n",
     "\u2028", "\n\n", "\u00a0", "\u200b", "\u200d", "\u200c", "\ufeff", "\u202e", "\u2066", "e\u0301",
     "\u0323\u0301", "\u0dd9\u0dca",
     "👍🏽", "👨‍👩‍👧", "🇩🇪", "❤️", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "\U000e0067", "שלום", "مرحبا", "नमस्ते",
     "می\u200cروم", "OK", "it's", "7:30", " ", ":)", "<think>"]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=4), max_size=12).map("".join)
EMOJI = st.sampled_from(
    ["👍", "👍🏽", "👨‍👩‍👧", "🇩🇪", "❤️", "❤", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏳️‍🌈", "👩🏽‍⚕️", "☕", "🟢", "🫠", "⭐", "‼️"]
)
LETTERS = regex.compile(r"[\p{L}\p{N}]")


@settings(deadline=None)
@given(TEXTS)
def test_normalising_twice_changes_nothing(text: str) -> None:
    once, _ = normalise(text, "Jo")
    assert normalise(once, "Jo") == (once, ())


@settings(deadline=None)
@given(TEXTS.filter(lambda text: "```" not in text and "~~~" not in text))
def test_normalising_changes_no_letter_and_no_case(text: str) -> None:
    before = LETTERS.findall(
        unicodedata.normalize("NFC", regex.sub(r"[\p{Cf}[\p{Cc}--[\n\r\x0b\x0c\x85]]]", "", text, flags=regex.V1))
    )
    after = LETTERS.findall(normalise(text, "\ue000")[0])
    assert after == before
    assert "".join(before).endswith("".join(LETTERS.findall(normalise(text, "Jo")[0])))


@settings(deadline=None)
@given(st.text())
def test_normalised_text_has_nothing_unseen_and_is_bounded(text: str) -> None:
    clean, _ = normalise(text * 50, "Jo")
    assert len(clean) <= MAX_CHARS
    assert not regex.search(r"[\u200b\u2060\ufeff\u200e\u200f\u202a-\u202e\u2066-\u2069\r\u2028\u00ad]", clean)
    assert unicodedata.is_normalized("NFC", clean)


@settings(deadline=None)
@given(st.lists(EMOJI), st.sampled_from([" ", "\n", "x", ". "]))
def test_emoji_are_counted_as_a_reader_counts(emoji: list[str], between: str) -> None:
    reading = Reading(normalise(between.join(emoji), "Jo")[0])
    assert len(reading.emoji) == len(emoji)
    assert LETTERS.search(reading.bare.replace("x", "")) is None


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["one", "Zwei", "it's", "half-seven", "שלום", "مرحبا", "नमस्ते", "e\u0301te\u0301", "7", "a/b"])
    ),
    st.sampled_from([" ", "\r\n", " \u202e", "\u00a0", " 👍🏽 ", " — ", "\u200b ", '" "', " ❤️ "]),
)
def test_words_are_counted_whatever_stands_between_them(words: list[str], between: str) -> None:
    assert len(Reading(normalise(between.join(words), "Jo")[0]).words) == len(words)


@pytest.mark.parametrize(
    ("raw", "text", "flags"),
    [
        ("Jo: yes", "yes", ("own_label_stripped",)),
        ("[10:42] jo: yes", "yes", ("own_label_stripped",)),
        ("10:42 - Jo: yes", "yes", ("own_label_stripped",)),
        ("**Jo:** yes", "yes", ("own_label_stripped",)),
        ("**Jo**: *yes*", "*yes*", ("own_label_stripped",)),
        ("<Jo> yes", "yes", ("own_label_stripped",)),
        ("Jo (to Mina): yes", "yes", ("own_label_stripped",)),
        ("Jo: Jo: yes", "yes", ("own_label_stripped",)),
        ('Jo: "yes"', "yes", ("own_label_stripped", "quotes_stripped")),
        ("```\nJo: yes\n```", "yes", ("fence_stripped", "own_label_stripped")),
        ("```text\nyes\n```", "yes", ("fence_stripped",)),
        ("“Jo: yes”", "yes", ("own_label_stripped", "quotes_stripped")),
        ("Jo :D", "Jo :D", ()),
        ("Jo:) yes", "Jo:) yes", ()),
        ("Jo here: yes", "Jo here: yes", ()),
        ("Joan: yes", "Joan: yes", ()),
        ('"yes" and "no"', '"yes" and "no"', ()),
        ("'tis so", "'tis so", ()),
        ("```a``` and ```b```", "```a``` and ```b```", ()),
        ("it\u2019s\u00a0\u201cso\u201d\r\nok", 'it\'s "so"\nok', ()),
        ("x" * 5000, "x" * 4000, ("truncated",)),
        (" " * 5000 + "yes", "yes", ()),
    ],
)
def test_what_is_taken_off(raw: str, text: str, flags: tuple[str, ...]) -> None:
    assert normalise(raw, "Jo") == (text, flags)


def test_a_subject_without_a_name_loses_nothing() -> None:
    assert normalise("Jo: yes", "") == ("Jo: yes", ())


def test_joiners_stay_where_they_spell_and_go_where_they_hide() -> None:
    assert normalise("می\u200cروم", "Jo")[0] == "می\u200cروم"
    assert normalise("n\u200do pe\u200cn", "Jo")[0] == "no pen"
    assert normalise("👩\u200d🚒", "Jo")[0] == "👩\u200d🚒"
    assert normalise("ok\U000e0069\U000e0067", "Jo")[0] == "ok"
