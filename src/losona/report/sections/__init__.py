"""Which tables a report has, and what their columns are. Takes every number from the statistics."""

from losona.report.material import Material
from losona.report.sections import comparisons, controls, counts, details, rates
from losona.report.views import View

OPTIONAL = (
    "main", "gains", "ceilings", "deltas", "ranking", "model_pairs", "contrast", "frame_scores", "specificity",
    "evidence", "followed", "adaptation", "reasons",
)  # fmt: skip
"""Tables that a report may lack; their files of an earlier report are removed then."""


def results(material: Material) -> list[View]:
    """The tables of the main part; empty where there are no outcomes."""
    if not material.cells:
        return []
    return _filled(rates.main_table(material), rates.gain_table(material))


def controls_and_tests(material: Material) -> list[View]:
    """What stands behind the result: ceiling, tests, controls, other variants."""
    return _filled(
        rates.ceiling_table(material),
        comparisons.delta_table(material),
        comparisons.rank_table(material),
        comparisons.model_table(material),
        controls.contrast_table(material),
        controls.frame_table(material),
        controls.specificity_table(material),
        controls.dose_table(material),
        controls.evidence_table(material),
        controls.followed_table(material),
        *rates.other_variants(material),
    )


def _filled(*tables: View | None) -> list[View]:
    return [table for table in tables if table is not None and table.blocks]


def exploratory(material: Material) -> list[View]:
    """Tables by norm and by event."""
    return [details.norm_table(material), details.event_table(material)]


def failures(material: Material) -> list[View]:
    """What became of every outcome, and why."""
    return [counts.counts_table(material), *filter(None, [counts.reason_table(material)])]


def usage(material: Material) -> list[View]:
    """Tokens, cost and time."""
    return [counts.usage_table(material), counts.grader_table(material)]


def every(material: Material) -> list[View]:
    """All tables of a report."""
    return [
        *results(material),
        *controls_and_tests(material),
        *exploratory(material),
        *failures(material),
        *usage(material),
    ]
