"""A comparison as JUnit XML, as CI systems read it: gates are tests that can fail, scenarios are shown beside them."""

from collections.abc import Sequence
from xml.etree import ElementTree

from losona.report.comparison import Comparison, Gate, told, verdict
from losona.report.foreign import shown
from losona.report.wording import unadorned


def junit(comparison: Comparison, gates: Sequence[Gate]) -> bytes:
    """Two suites. A scenario that flipped fails no test of its own: whether that matters, the gates say."""
    root = ElementTree.Element("testsuites", name="losona compare")
    suite = _suite(root, "gates", len(gates), sum(not gate.passed for gate in gates))
    for gate in gates:
        case = ElementTree.SubElement(suite, "testcase", classname="losona.gates", name=_text(gate.name), time="0")
        if not gate.passed:
            ElementTree.SubElement(case, "failure", message=_text(gate.found)).text = _text(gate.line)
    ElementTree.SubElement(suite, "system-out").text = _text(verdict(comparison))
    open_ = sum(flip.kind == "undecided" for flip in comparison.flips)
    suite = _suite(root, "scenarios", len(comparison.flips), 0, open_)
    for flip in comparison.flips:
        place = f"losona.{flip.condition}.{flip.variant}" + ("" if flip.first == flip.second else f".{flip.second}")
        case = ElementTree.SubElement(
            suite, "testcase", classname=_text(place), name=_text(flip.scenario_id), time="0"
        )  # fmt: skip
        if flip.kind == "undecided":
            ElementTree.SubElement(case, "skipped", message="one side has no majority")
        elif flip.kind != "same":
            ElementTree.SubElement(case, "system-out").text = _text(told(flip))
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def _suite(root: ElementTree.Element, name: str, tests: int, failures: int, skipped: int = 0) -> ElementTree.Element:
    return ElementTree.SubElement(
        root,
        "testsuite",
        name=name,
        tests=str(tests),
        failures=str(failures),
        errors="0",
        skipped=str(skipped),
        time="0",
    )


def _text(text: str) -> str:
    """Without what XML cannot hold."""
    return "".join(c if c.isprintable() or c == " " else f"⟨U+{ord(c):04X}⟩" for c in unadorned(shown(text)))
