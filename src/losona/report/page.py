"""What a report shows and in which order, whatever the kind of file. Computes no number."""

from typing import Any

from losona.report import sections
from losona.report.audit import judge_lines
from losona.report.headline import headline
from losona.report.judging import unmeasured
from losona.report.material import Material
from losona.report.record import commands, configuration, facts


def content(material: Material) -> dict[str, Any]:
    """What the templates of HTML and Markdown show, in the order of reading."""
    return {
        "title": material.title,
        "facts": facts({run.name: run.record for run in material.runs}, material.counts),
        "headline": headline(material),
        "results": sections.results(material),
        "unmeasured": unmeasured(material.runs),
        "judges": [
            (run.name, lines)
            for run in material.runs
            if (lines := judge_lines(run.record, run.calibration, material.variant))
        ],
        "controls": sections.controls_and_tests(material),
        "exploratory": sections.exploratory(material),
        "cases": material.cases,
        "failures": sections.failures(material),
        "all_scored": not material.reasons,
        "usage": sections.usage(material),
        "repeat": [(run.name, commands(run.record), configuration(run.record)) for run in material.runs],
    }
