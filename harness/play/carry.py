"""Cases at other places, on another map or on their own; the reference engine can refuse a placement."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...cases import Case, load_ruleset, load_suite, ruleset_names, suite_names
from ...cases.carrying import CarriedOver, carry_over
from ...cases.maps import find_map
from ...reference_engine import Ruleset, ruleset
from ...reference_engine.maps import load_board
from ...reports import Report
from ...reports.report import CarriedData, NotCarriedData
from .case_verdicts import phases_with_answer, play_case
from .session import ReferenceAdjudicator
from .verdict import Rules, is_wrong


def carried_data(found: CarriedOver) -> CarriedData:
    """Put into a report where cases were carried to, and which were not."""
    missing = [NotCarriedData(case=case.name, title=case.title, why=why) for case, why in found.not_carried]
    return CarriedData(map=found.map, placements=found.placements, seed=found.seed, not_carried=missing)


def carried_cases(cases: Sequence[Case], map_name: str, placements: int, seed: int, ruleset: Ruleset) -> CarriedOver:
    """Carry cases to a map where the reference engine agrees with what is expected under all choices.

    That is under a ruleset, under those of the project, and under every combination of choices that a case tells apart.
    Raises `SuiteError` with all that is wrong with the file of a map, and `PositionError` where there is no such map.
    """
    board = find_map(map_name, Path())
    every = [ruleset, *(load_ruleset(name).ruleset() for name in ruleset_names())]
    return carry_over(cases, board, placements, seed, lambda case: _agrees(case, every))


def carried_again(report: Report) -> Sequence[Case]:
    """Carry the cases of a stored run again, as it says that they were; none if it has them as documents do.

    Raises `PositionError` for a map that does not come with the project, and `RulesetError`.
    """
    if not report.carried:
        return ()
    names = {case.of_document for case in report.cases} | {each.case for each in report.not_carried}
    suites = sorted({name.suite for name in names}.intersection(suite_names()))
    cases = [case for suite in suites for case in load_suite(suite).cases if case.name in names]
    map_name, rules = load_board(report.carried.map).name, ruleset(report.ruleset.name, report.ruleset.choices)
    return carried_cases(cases, map_name, report.carried.placements, report.carried.seed, rules).cases


def _agrees(case: Case, rulesets: Sequence[Ruleset]) -> bool:
    first = rulesets[0]
    changed = (first.with_choices(each.changes(first.choices)) for each in case.alternatives)
    return all(_passes(case, ruleset) for ruleset in (*rulesets, *changed))


def _passes(case: Case, ruleset: Ruleset) -> bool:
    """Whether the reference engine answers what is expected, as far as the ruleset has an answer."""
    phases = phases_with_answer(case, Rules(ruleset))
    played = play_case(ReferenceAdjudicator(ruleset), case, phases)
    return len(played) == phases and not is_wrong(case, played, ruleset)
