"""What a report shows and in which order, whatever the kind of file. Computes no number."""

from typing import Any

from losona.report import sections
from losona.report.headline import headline
from losona.report.material import Material
from losona.report.record import commands, configuration, facts


def content(material: Material) -> dict[str, Any]:
    """What the templates of HTML and Markdown show, in the order of reading."""
    reasons = sections.reason_table(material)
    return {
        "title": material.title,
        "facts": facts({run.name: run.record for run in material.runs}, material.counts),
        "headline": headline(material.cells, material.gains),
        "results": sections.results(material),
        "exploratory": [sections.norm_table(material), sections.event_table(material)],
        "cases": material.cases,
        "counts": [sections.counts_table(material), reasons],
        "reasons": reasons,
        "usage": [sections.usage_table(material), sections.grader_table(material)],
        "repeat": [(run.name, commands(run.record), configuration(run.record)) for run in material.runs],
    }
