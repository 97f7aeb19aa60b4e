"""Rules on what a reply may rely on (F44, F45).

Knows where a fact may stand so that the subject sees it in every derived scenario; slot turns do not count.
"""

from collections.abc import Iterator

from losona.lint.finding import Fault
from losona.lint.lexicons import lexicons
from losona.lint.references import references
from losona.lint.view import FrameView
from losona.lint.wording import figures, find_phrase, words
from losona.schema.taxonomy import Params


def facts_stand(view: FrameView) -> Iterator[Fault]:
    """F44: there are known facts, and each token stands where it is said to stand."""
    if not view.frame.known_facts:
        yield Fault(("known_facts",), "no known facts", "what a reply may rely on")
    for i, fact in enumerate(view.frame.known_facts):
        texts = _where(view)[fact.where]
        if not fact.tokens:
            yield Fault(("known_facts", i), f"no tokens for {fact.fact!r}", "words that stand in the named place")
        for token in fact.tokens:
            if not any(find_phrase(text, (token,)) for text in texts):
                yield Fault(("known_facts", i), f"{token!r} does not stand in {fact.where}", f"words of {fact.where}")


def _where(view: FrameView) -> dict[str, list[str]]:
    frame = view.frame
    return {
        "bio": [frame.subject.bio, *(person.bio for person in frame.cast)],
        "channel": [frame.channel],
        "chat": [spot.turn.text for spot in view.shared],
        "elicitor": [frame.elicitor.text],
        "off_elicitor": [frame.off_elicitor.text],
    }


def figures_known(view: FrameView) -> Iterator[Fault]:
    """F45: every figure of a complying reference occurs in what the subject sees, in the facts or in the parameters."""
    where = _where(view)
    facts = [text for fact in view.frame.known_facts for text in (fact.fact, *fact.tokens)]
    standing = [*where["bio"], *where["channel"], *where["chat"], *facts]
    for item in references(view, "comply"):
        last = where["off_elicitor" if item.key == "off_trigger" else "elicitor"]
        params: Params = {**getattr(view.frame.params, item.key), **item.reference.params}
        known = _numbers([*standing, *last, *(entry for entries in params.values() for entry in entries)])
        if new := sorted(figures(item.reference.text) - known):
            found = f"{item.shown} has the figure {', '.join(new)}"
            yield Fault(item.place, found, "figures that the subject can know")


def _numbers(texts: list[str]) -> set[str]:
    """Figures of the texts, and those that their number words mean."""
    spelled = lexicons().number_words
    return {f for text in texts for f in figures(text)} | {
        spelled[word] for text in texts for word in words(text) if word in spelled
    }


CHECKS = {"F44": facts_stand, "F45": figures_known}
"""Rule -> check."""
