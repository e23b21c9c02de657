"""What is said of an engine was asked of it first: what explains its wrong answers, and its rule choices."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from datc.adapters.builtin import BuiltinEngine, Reference
from datc.cases import load_ruleset, load_suite, suite_names
from datc.harness.bugs.confirm import confirm_choices
from datc.harness.bugs.diagnosis import diagnose, diagnose_by_experiments
from datc.harness.bugs.mutants import find_mutant
from datc.harness.bugs.mutants.mutant import MutantReference
from datc.harness.cli.commands.diagnose import infer_command as command
from datc.harness.play.case_verdicts import ask_case
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.verdict import Rules
from datc.harness.rules.infer import infer
from datc.reference_engine import DATC_3_2, ISSUES

CASES = [case for name in suite_names() for case in load_suite(name).cases]


def diagnosis_of(reference: Reference, left_out=()):
    engine = BuiltinEngine(reference)
    adjudicator = EngineAdjudicator(engine, engine.start().capabilities, DATC_3_2)
    found = [ask_case(adjudicator, case, Rules(DATC_3_2)) for case in CASES]
    return found, diagnose_by_experiments(found, CASES, DATC_3_2, adjudicator, left_out=left_out)


def strengths(named):
    return {one.evidence.strength for one in named if one.evidence is not None}


def test_a_bug_is_named_and_the_choices_that_it_looks_like_are_not():
    """It fits 4.A.6 = required in every case of the DATC."""
    _, diagnosis = diagnosis_of(MutantReference(mutant=find_mutant("convoyed-attack-does-not-cut")))
    assert [mutant.name for mutant in diagnosis.mutants] == ["convoyed-attack-does-not-cut"]
    assert strengths(diagnosis.mutants) == {"confirmed"}
    assert "confirmed" not in strengths(diagnosis.choices)


def test_choices_are_confirmed_one_by_one_and_no_bug_is_named():
    other = {"4.A.2": "all-hold", "4.B.4": "ignored", "4.D.8": "dptg"}
    _, diagnosis = diagnosis_of(Reference(DATC_3_2.with_choices(other), fixed=True))
    assert diagnosis.mutants == []
    confirmed = [one.choices for one in diagnosis.choices if one.evidence.strength == "confirmed"]
    assert {issue: choice for choices in confirmed for issue, choice in choices.items()} == other


def test_a_bug_is_seen_through_other_rules():
    rules = load_ruleset("2000").ruleset()
    _, diagnosis = diagnosis_of(MutantReference(rules, fixed=True, mutant=find_mutant("own-support-dislodges")))
    confirmed = [one.name for one in diagnosis.mutants if one.evidence and one.evidence.strength == "confirmed"]
    assert "own-support-dislodges" in confirmed


@pytest.mark.parametrize("name", ["no-border-gal-sil", "build-abroad"])
def test_a_bug_that_no_mutant_has_gets_no_false_name(name):
    found, diagnosis = diagnosis_of(MutantReference(mutant=find_mutant(name)), left_out=[name])
    assert name in [mutant.name for mutant in diagnose(found, CASES, DATC_3_2)]
    assert name not in [mutant.name for mutant in diagnosis.mutants]
    assert "confirmed" not in strengths(diagnosis.mutants) | strengths(diagnosis.choices)


def evidence_of(reference):
    engine = BuiltinEngine(reference)
    can = engine.start().capabilities
    conclusion = infer(engine, can, CASES, Rules(DATC_3_2)).conclusion
    return conclusion, confirm_choices(EngineAdjudicator(engine, can, DATC_3_2), conclusion, DATC_3_2)


def test_the_choices_of_an_engine_without_bugs_stand():
    conclusion, evidence = evidence_of(Reference(load_ruleset("1982").ruleset(), fixed=True))
    assert all(found.stands for found in evidence.values())
    assert evidence["4.A.2"].strength == "confirmed"
    assert set(evidence) == {issue for issue, found in conclusion.findings.items() if len(found.choices) == 1}


def test_a_bug_is_not_taken_for_a_rule():
    """What goes by the alphabet alone fits a choice of 4.D.8 in the cases that are asked."""
    conclusion, evidence = evidence_of(MutantReference(mutant=find_mutant("removed-by-alphabet")))
    assert [issue for issue, found in evidence.items() if not found.stands] == ["4.D.8"]
    left = conclusion.without_doubted(evidence).findings["4.D.8"]
    assert (left.choices, left.proof) == (ISSUES["4.D.8"].choices, ())


def test_the_command_says_so_in_every_form():
    engine = "exec:datc-check engine --mutant removed-by-alphabet"
    doubt = "fits the cases, but of"
    shown = CliRunner().invoke(command, [engine])
    assert "Not as the cases have it:" in shown.output
    assert doubt in " ".join(shown.output.split())
    assert '"4.D.8"' not in CliRunner().invoke(command, [engine, "--toml"]).output
    data = json.loads(CliRunner().invoke(command, [engine, "--json"]).output)
    assert data["evidence"]["4.D.8"]["strength"] in ("sometimes", "refuted")
    untested = json.loads(CliRunner().invoke(command, [engine, "--json", "--no-experiments"]).output)
    assert untested["evidence"] == {}
