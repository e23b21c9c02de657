"""What is said of an engine was asked of it first."""

from __future__ import annotations

import pytest

from datc.adapters.builtin import BuiltinEngine, Reference
from datc.cases import load_ruleset, load_suite, suite_names
from datc.harness.diagnosis.diagnosis import diagnose, diagnose_by_experiments
from datc.harness.diagnosis.mutants import find_mutant
from datc.harness.diagnosis.mutants.mutant import MutantReference
from datc.harness.session import EngineAdjudicator
from datc.harness.verdict import Rules, ask_case
from datc.reference_engine import DATC_3_2

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
    rules = DATC_3_2.with_choices({"4.A.2": "all-hold", "4.B.4": "ignored", "4.D.8": "dptg"})
    _, diagnosis = diagnosis_of(Reference(rules, fixed=True))
    assert diagnosis.mutants == []
    confirmed = [one.choices for one in diagnosis.choices if one.evidence.strength == "confirmed"]
    assert {issue: choice for choices in confirmed for issue, choice in choices.items()} == {
        "4.A.2": "all-hold",
        "4.B.4": "ignored",
        "4.D.8": "dptg",
    }


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
