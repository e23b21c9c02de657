"""What runs show of the rules that their engines play, and where these differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ..adapters import AdjudicateResult
from ..cases import Case, load_suite, suite_names
from ..reference_engine import Unit
from ..reports import CaseData, PhaseData, Report, UnitData
from ..reports.comparison import Comparison, PlayedRules, Stand, compare_runs
from .inference import Constraint, conclude, constraint_of
from .judging import AskedPhase
from .wording import case_key


def compare(reports: Sequence[Report], cases: Iterable[Case] | None = None) -> Comparison:
    """Compare runs of these cases, or of those that come with the project."""
    if cases is None:
        cases = [case for name in suite_names() for case in load_suite(name).cases]
    by_key = {case_key(case.suite, case.id): case for case in cases}
    return compare_runs(reports, [played_rules(report, by_key) for report in reports])


def played_rules(report: Report, cases: Mapping[str, Case]) -> PlayedRules:
    """Infer from the answers of a run which rules its engine plays. What is of no known case tells nothing."""
    constraints: list[Constraint] = []
    bugs: list[Case] = []
    silent: list[Case] = []
    for data in report.cases:
        case = cases.get(case_key(data.suite, data.id))
        if case is None:
            continue
        asked = _asked(case, data)
        if not asked:
            silent.append(case)
        elif constraint := constraint_of(case, asked):
            constraints.append(constraint)
        else:
            bugs.append(case)
    conclusion = conclude(constraints, bugs, silent, len(report.cases))
    return PlayedRules(
        {
            issue: Stand(found.choices, tuple(map(_key, found.proof)), found.why_open)
            for issue, found in conclusion.findings.items()
        },
        tuple(tuple(map(_key, contradicting)) for contradicting in conclusion.contradictions),
    )


def _asked(case: Case, data: CaseData) -> list[AskedPhase]:
    """What was asked and answered, as far as the run has it and it is of this edition of the case."""
    asked: list[AskedPhase] = []
    for phase, found in zip(case.phases, data.phases, strict=False):
        if found.answer is None or [order.text for order in phase.orders] != [order.text for order in found.orders]:
            break
        try:
            answer = _answer(found)
        except msgspec.ValidationError:
            break
        dislodged = tuple(_unit(entry.unit) for entry in found.before.dislodged or ())
        asked.append(AskedPhase(phase, tuple(map(_unit, found.before.units)), dislodged, answer))
    return asked


def _answer(phase: PhaseData) -> AdjudicateResult:
    """What the engine answered. Raises `ValidationError` for what no engine can have answered."""
    assert phase.answer is not None  # noqa: S101 - who calls it has looked
    dislodged = phase.answer.dislodged
    data = {
        "units": [msgspec.to_builtins(unit) for unit in phase.answer.units],
        "dislodged": None
        if dislodged is None
        else [
            {**msgspec.to_builtins(entry.unit), "from": entry.attacked_from, "retreats": entry.retreats}
            for entry in dislodged
        ],
        "orders": [
            {"outcome": order.outcome, "reason": order.reason} if order.outcome is not None else None
            for order in phase.orders
        ],
    }
    return msgspec.convert(data, AdjudicateResult)


def _unit(unit: UnitData) -> Unit:
    return Unit(unit.power, "A" if unit.type == "A" else "F", unit.location)


def _key(case: Case) -> str:
    return case_key(case.suite, case.id)
