"""Everything that `datc-check explain` says of a case or a position, as data with a schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from ...cases import Case, load_ruleset, ruleset_names
from ...reference_engine import Ruleset
from ..session import Adjudicator, case_inputs
from .all_rulesets import OutcomeTable, explain_all_rulesets
from .comparison import ComparedPhase
from .explain import explain_case

FORMAT = 1
"""The number of the contract."""


@dataclass(frozen=True)
class CaseExplanation:
    """A case or a position, explained."""

    format: int
    case: str
    suite: str
    """Empty for a position."""
    title: str
    ruleset: str
    """The name of the ruleset in force."""
    phases: Sequence[ComparedPhase]
    notes: Sequence[str] = ()
    """What was guessed or skipped to read a position."""
    rulesets: OutcomeTable | None = None
    """What every ruleset makes of it, where that was asked."""


def explain_whole_case(
    case: Case, ruleset: Ruleset, engines: Mapping[str, Adjudicator], *, all_rulesets: bool
) -> CaseExplanation:
    """Explain a case: its phases, beside the engine if there is one, and the outcomes under all rulesets if asked.

    Raises `HarnessError` for rules that the reference engine does not play, and `EngineGaveOutError` and
    `EngineClosedError` where the only engine does.
    """
    engine = next(iter(engines.values())) if len(engines) == 1 else None
    return CaseExplanation(
        FORMAT,
        case.id,
        case.suite,
        case.title,
        ruleset.name,
        explain_case(case, ruleset, engine),
        [] if case.suite else case.remark.splitlines(),
        explain_all_rulesets(case_inputs(case), ruleset, every_ruleset(), engines) if all_rulesets else None,
    )


def every_ruleset() -> Mapping[str, Ruleset]:
    """Return the rulesets that come with the project, by name."""
    return {name: load_ruleset(name).ruleset() for name in ruleset_names()}


def explanation_schema() -> dict[str, object]:
    """Make the JSON Schema of what `datc-check explain --json` prints."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:datc-check:schema:explain:{FORMAT}",
        "title": f"datc-check explain {FORMAT}",
        **msgspec.json.schema(Sequence[CaseExplanation]),
    }
