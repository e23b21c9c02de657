"""Spoiled answers: every command sees the same facts in them, and `run` and `infer` give the same verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from datc.adapters import EngineSpec
from datc.cases import load_suite
from datc.harness.inference.infer import infer
from datc.harness.runner.run import Run
from datc.harness.session import EngineAdjudicator
from datc.harness.verdict import Rules, ask_case
from datc.reference_engine import DATC_3_1

from ..engines.spoiling import IMPOSSIBLE, SPOILS, spoiled_engine

ENGINE = Path(__file__).parents[1] / "engines" / "spoiling.py"
SUITE = load_suite("datc-3.1").cases
CASES = {case.id: case for case in SUITE}
SHOWN_BY = {
    "a-retreat-too-many": "6.H.5",
    "a-retreat-missing": "field-or-other",
    "another-outcome": "6.D.31",
}
"""The case that shows a spoiled answer, where it is not `USUAL`."""
USUAL = "6.H.6"
RULES = Rules(DATC_3_1)


def facts_of(found) -> set[tuple[str, str]]:
    """Say which facts the phases of a case show: their kinds, and the locations of their units."""
    return {(fact.kind, fact.unit.location if fact.unit else "") for phase in found.phases for fact in phase.facts}


def asked(name: str, case):
    engine = spoiled_engine(name)
    return ask_case(EngineAdjudicator(engine, engine.start().capabilities, DATC_3_1), case, RULES)


def run_of(name: str, cases):
    return Run(spoiled_engine(name), EngineSpec(f"exec:{name}"), cases, RULES, "1", diagnoses=False).to_the_end()


@pytest.mark.parametrize("name", SPOILS)
def test_run_and_infer_give_the_same_verdict_for_every_case(name):
    engine = spoiled_engine(name)
    capabilities = engine.start().capabilities
    inferred = {case.id: case for case in infer(engine, capabilities, SUITE, RULES, every_case=True).cases}
    report = run_of(name, SUITE)
    assert {case.id: case.verdict for case in report.cases} == {key: case.verdict for key, case in inferred.items()}
    assert any(case.verdict != "passed" for case in report.cases)
    if name in IMPOSSIBLE:
        assert {case.verdict for case in report.cases} <= {"passed", "failed"}


def test_an_impossible_board_fits_no_choice():
    engine = spoiled_engine("a-unit-twice")
    inferred = infer(engine, engine.start().capabilities, SUITE, RULES, every_case=True)
    findings = inferred.conclusion.findings
    assert findings["4.B.1"].choices == ("fail", "default-coast")
    movement = [case for case in inferred.conclusion.bugs if case.phases[0].phase == "movement"]
    assert {case.id for case in movement} >= {"6.A.1", "6.B.1", "6.F.9"}
