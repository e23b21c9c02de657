"""Spoiled answers: every command sees the same facts in them, and `run` and `infer` give the same verdicts."""

import functools
import json
import sys

import pytest

from datc.adapters import EngineSpec
from datc.adapters.builtin import BuiltinEngine
from datc.cases import load_suite
from datc.harness.explain.case import explain_case
from datc.harness.play.case_verdicts import ask_case
from datc.harness.play.differences import WORD_KINDS
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.session import case_inputs
from datc.harness.play.verdict import Rules
from datc.harness.rules.compare import compare
from datc.harness.rules.infer import infer
from datc.harness.run.runner import Run
from datc.harness.search.hunt import hunt_chunk
from datc.harness.search.shadowing import Shadow
from datc.reference_engine import DATC_3_1

from ...engines import spoiling
from ...engines.spoiling import IMPOSSIBLE, SPOILS, spoiled_engine
from ..cli.running import invoke, words
from ..search.adjudicators import plan_for

pytest_plugins = ["pytester"]
SUITE = load_suite("datc-3.1").cases
CASES = {case.id: case for case in SUITE}
USUAL = "6.H.11"
SHOWN_BY = {"a-retreat-missing": "6.H.9", "a-retreat-too-many": "6.H.5", "another-outcome": "6.D.3"}
"""The case that shows a spoiled answer, where it is not the usual one."""
RULES = Rules(DATC_3_1)


def case_of(name):
    return CASES[SHOWN_BY.get(name, USUAL)]


def facts_of(facts):
    """Say which facts there are: their kinds, and the locations of their units."""
    return {(fact.kind, fact.unit.location if fact.unit else "") for fact in facts}


def adjudicator_of(name):
    engine = spoiled_engine(name)
    return EngineAdjudicator(engine, engine.start().capabilities, DATC_3_1)


def asked(name):
    """What the engine answers to the case that shows it."""
    return ask_case(adjudicator_of(name), case_of(name), RULES)


def seen_by_run(name):
    return facts_of(fact for phase in asked(name).phases for fact in phase.facts)


@functools.cache
def inferred_of(name):
    engine = spoiled_engine(name)
    return infer(engine, engine.start().capabilities, SUITE, RULES, every_case=True)


def spec_of(name):
    return f"exec:{sys.executable} {spoiling.__file__} {name}"


def run_of(name, cases):
    engine = spoiled_engine(name) if name else BuiltinEngine()
    return Run(engine, EngineSpec(f"exec:{name}"), cases, RULES, diagnoses=False).to_the_end()


@pytest.mark.parametrize("name", SPOILS)
def test_run_and_infer_give_the_same_verdict_for_every_case(name):
    report = run_of(name, SUITE)
    inferred = {case.id: case.verdict for case in inferred_of(name).cases}
    assert {case.id: case.verdict for case in report.cases} == inferred
    assert any(case.verdict != "passed" for case in report.cases)
    if name in IMPOSSIBLE:
        assert {case.verdict for case in report.cases} <= {"passed", "failed"}


def test_an_impossible_board_fits_no_choice():
    conclusion = inferred_of("a-unit-twice").conclusion
    assert conclusion.findings["4.B.1"].choices == ("fail", "default-coast")
    movement = [case for case in conclusion.bugs if case.phases[0].phase == "movement"]
    assert {case.id for case in movement} >= {"6.A.1", "6.B.1", "6.F.9"}


@pytest.mark.parametrize("name", SPOILS)
def test_every_command_sees_it_with_the_same_facts(name):
    case, facts, found = case_of(name), seen_by_run(name), []
    assert facts

    explained = explain_case(case, DATC_3_1, adjudicator_of(name))[-1].engine
    assert explained is not None
    assert facts <= facts_of(explained.facts)

    assert not compare([run_of("", [case]), run_of(name, [case])]).alike

    with Shadow(BuiltinEngine(), spoiled_engine(name), found.append, words=True) as shadow:
        _ = EngineAdjudicator(shadow, shadow.start().capabilities, DATC_3_1).ask(case_inputs(case)[0])
        assert shadow.wait(60)
    assert facts <= facts_of(found[0].facts)

    options = ("--suite", "datc-3.1", "--select", case.id, "--json", "--no-experiments")
    done = invoke("doctor", spec_of(name), *options)
    assert f"datc-3.1/{case.id}" in json.loads(done.output)["failed"]


@pytest.mark.parametrize("name", SPOILS)
def test_a_hunt_sees_it_and_names_no_choice_for_an_impossible_board(name):
    plan = plan_for(12, words=True)
    small = [each for each in hunt_chunk(plan, [adjudicator_of(name)], 0).findings if each.position is not None]
    kinds = {kind for kind, _ in seen_by_run(name)}
    assert any(kinds & {fact.kind for fact in finding.facts} for finding in small)
    if name in IMPOSSIBLE:
        assert not any(finding.cause.changes for finding in small)


def test_only_words_differ_where_the_board_is_right():
    found = asked("another-outcome")
    assert (found.verdict, found.board_verdict) == ("failed", "passed")
    assert {fact.kind for phase in found.phases for fact in phase.facts} <= WORD_KINDS
    assert "the board is right; only the outcome of" in found.reason


def test_the_pytest_plugin_sees_them_all(pytester):
    """One session an engine: each case that shows the spoiled answer fails with the words of its facts."""
    for name in SPOILS:
        case = case_of(name)
        done = pytester.runpytest("-p", "no:cacheprovider", "--datc-engine", spec_of(name), "--datc-select", case.id)
        assert done.ret == 1, name
        assert words(asked(name).phases[0].differences[0])[:40] in words(done.stdout.str()), name
