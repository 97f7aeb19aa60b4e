"""For programs: grade one reply by code. The same gate and checks as in a run; no model, no network."""

from functools import cache

from losona.errors import UserFault
from losona.scenarios import SHIPPED, ScenarioSet, load_scenarios, not_found
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy, load_taxonomy
from losona.taxonomy.load import unknown
from losona.verifiers import CodeVerdict, verdict_of


def grade(scenario: Scenario | str, reply: str, taxonomy: Taxonomy | None = None) -> CodeVerdict | None:
    """What code says of a reply: label, deciding node and validity; none where only a judge can tell.

    `scenario` may be the id of a shipped one. As a reward for training: 1 for `complies`, 0 for `breaches`.
    Raises `UserFault` for an unknown id and `CheckError` when the check cannot be applied.
    """
    taxonomy = taxonomy or load_taxonomy()
    verdict = verdict_of(_find(scenario), reply, taxonomy)
    return verdict if verdict.label != "unscored" else None


@cache
def _shipped() -> dict[str, Scenario]:
    return {s.scenario_id: s for s in _source().scenarios}


@cache
def _source() -> ScenarioSet:
    return load_scenarios(SHIPPED, load_taxonomy())


def _find(scenario: Scenario | str) -> Scenario:
    if isinstance(scenario, Scenario):
        return scenario
    known = _shipped()
    if scenario not in known:
        raise UserFault(not_found(scenario, _source()) or unknown("scenario", scenario, known, "losona list scenarios"))
    return known[scenario]
