"""A choice that fits the cases is asked of the engine again before it is stated as its rule."""

from __future__ import annotations

import json

from click.testing import CliRunner

from datc.adapters.builtin import BuiltinEngine, Reference
from datc.cases import load_ruleset, load_suite, suite_names
from datc.harness.cli.commands.infer import command
from datc.harness.diagnosis.mutants import find_mutant
from datc.harness.diagnosis.mutants.mutant import MutantReference
from datc.harness.inference.infer import infer
from datc.harness.inference.testing import choices_by_experiments, not_played, without_findings
from datc.harness.session import EngineAdjudicator
from datc.harness.verdict import Rules
from datc.reference_engine import DATC_3_2, ISSUES

CASES = [case for name in suite_names() for case in load_suite(name).cases]


def evidence_of(reference):
    engine = BuiltinEngine(reference)
    can = engine.start().capabilities
    conclusion = infer(engine, can, CASES, Rules(DATC_3_2)).conclusion
    return conclusion, choices_by_experiments(EngineAdjudicator(engine, can, DATC_3_2), conclusion, DATC_3_2)


def test_the_choices_of_an_engine_without_bugs_stand():
    conclusion, evidence = evidence_of(Reference(load_ruleset("1982").ruleset(), fixed=True))
    assert not_played(evidence) == []
    assert evidence["4.A.2"].strength == "confirmed"
    assert set(evidence) == {issue for issue, found in conclusion.findings.items() if len(found.choices) == 1}


def test_a_bug_is_not_taken_for_a_rule():
    """What goes by the alphabet alone fits a choice of 4.D.8 in the cases that are asked."""
    conclusion, evidence = evidence_of(MutantReference(mutant=find_mutant("removed-by-alphabet")))
    assert not_played(evidence) == ["4.D.8"]
    left = without_findings(conclusion, ["4.D.8"]).findings["4.D.8"]
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
