"""What `infer` says of a choice is what `doctor` says: the bugs of an engine are found first, and are no choices."""

import json

from datc.adapters.builtin import BuiltinEngine, Reference
from datc.cases import load_ruleset, load_suite
from datc.harness.bugs.confirm import HypothesisTests, confirm_choices
from datc.harness.bugs.diagnosis import diagnose_by_experiments, infer_by_experiments
from datc.harness.bugs.evidence import AskedOnce
from datc.harness.bugs.mutants import Mutant, find_mutant
from datc.harness.bugs.mutants.adjustments import removing_first
from datc.harness.bugs.mutants.missing import lacking
from datc.harness.bugs.mutants.mutant import MutantReference
from datc.harness.play.case_verdicts import ask_case
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.session import ReferenceAdjudicator
from datc.harness.play.verdict import Rules
from datc.harness.rules.infer import Finding, infer, inference_report
from datc.reference_engine import DATC_3_2, ISSUES
from datc.reports import EngineData
from datc.reports.statements import Statement

from ..cli.running import COMMAND, invoke

CASES = [case for name in ("datc-3.2", "extended") for case in load_suite(name).cases]
RULES = Rules(DATC_3_2)


def playing(procedure, rules=DATC_3_2):
    return MutantReference(rules, fixed=True, mutant=Mutant("tested", "is tested", procedure))


def inferred(reference, seed=0):
    engine = BuiltinEngine(reference)
    can = engine.start().capabilities
    found = infer(engine, can, CASES, RULES, every_if_wrong=True)
    return infer_by_experiments(found, CASES, RULES, EngineAdjudicator(engine, can, DATC_3_2), seed)


def diagnosed(reference):
    engine = BuiltinEngine(reference)
    asked = EngineAdjudicator(engine, engine.start().capabilities, DATC_3_2)
    return diagnose_by_experiments([ask_case(asked, case, RULES) for case in CASES], CASES, DATC_3_2, asked)


def assert_alike(found, diagnosis):
    """Check that both name the same bugs, and say the same of every choice."""
    confirmed = [bug for bug in diagnosis.mutants if bug.evidence and bug.evidence.strength == "confirmed"]
    assert (found.bugs, found.missing) == (confirmed, diagnosis.missing)
    said = {pair: each for each in diagnosis.choices if len(each.choices) == 1 for pair in each.choices.items()}
    for (issue, choice), each in said.items():
        finding = found.conclusion.findings[issue]
        if each.evidence.strength == "confirmed" or finding.choices == (choice,):
            assert (finding.choices, found.evidence[issue]) == ((choice,), each.evidence)


def test_infer_and_doctor_agree_on_an_engine_that_lacks_a_part_has_a_bug_and_plays_another_rule():
    procedure = lacking(["convoys-missing"], find_mutant("own-support-dislodges").procedure)
    reference = playing(procedure, DATC_3_2.with_choices({"4.B.4": "ignored"}))
    found = inferred(reference)
    assert [part.name for part in found.missing] == ["convoys-missing"]
    assert [bug.name for bug in found.bugs] == ["own-support-dislodges"]
    assert found.conclusion.findings["4.B.4"].choices == ("ignored",)
    assert_alike(found, diagnosed(reference))


def test_a_bug_that_cases_like_it_show_is_not_taken_for_a_choice_that_few_positions_show():
    """Where two names decide, `dptg-list` reverses them for three provinces: so does this engine for all."""
    reverse = removing_first(lambda usual, _: (*usual[:3], [-ord(letter) for letter in usual[3].ljust(40)]))
    engine = MutantReference(mutant=Mutant("reverse", "goes by the reversed alphabet", reverse))
    assert [each.evidence.strength for each in diagnosed(engine).choices if "X.17" in each.choices] == ["sometimes"]
    found = inferred(engine, seed=4)  # Its new positions alone would confirm the choice.
    assert found.conclusion.findings["X.17"].choices == ("dptg-list",)
    doubted = Statement(choices={"X.17": "dptg-list"}, evidence=found.evidence["X.17"])
    assert doubted.doubt == "dptg-list fits some cases, but others speak against it"
    left = found.conclusion.without_doubted(found.evidence).findings["X.17"]
    assert (left.choices, left.proof) == (ISSUES["X.17"].choices, ())


def test_the_choices_of_an_engine_without_bugs_stand_and_are_those_of_doctor():
    choices = {"4.A.2": "1982", "4.A.3": "1971-opposite-undisrupted", "4.A.7": "never-effect", "4.D.8": "dptg"}
    engine = Reference(DATC_3_2.with_choices(choices), fixed=True)
    found = inferred(engine)
    assert_alike(found, diagnosed(engine))
    assert all(evidence.stands for evidence in found.evidence.values())
    assert found.evidence["4.A.2"].strength == "confirmed"
    settled = {issue for issue, finding in found.conclusion.findings.items() if len(finding.choices) == 1}
    assert set(found.evidence) == settled


def test_a_bug_is_not_taken_for_a_rule():
    """What goes by the alphabet alone fits a choice of 4.D.8 in the cases that are asked."""
    found = inferred(MutantReference(mutant=find_mutant("removed-by-alphabet")))
    assert [bug.name for bug in found.bugs] == ["removed-by-alphabet"]
    assert DATC_3_2.choices["4.D.8"] in found.conclusion.findings["4.D.8"].choices
    assert all(evidence.stands for evidence in found.evidence.values())


def test_choices_that_the_cases_leave_are_doubted_together_if_none_stands_its_test():
    right = ReferenceAdjudicator(DATC_3_2)
    tests = HypothesisTests(AskedOnce(right), DATC_3_2, list[str](), lambda *_: (), lambda _: None)
    finding = Finding(("1971", "2000"), (CASES[0],), "another case should decide this")
    found = confirm_choices(tests, {"4.A.2": finding}, {})["4.A.2"]
    assert found.alike == ("2000",)
    doubt = Statement(choices={"4.A.2": "1971"}, evidence=found).doubt
    assert doubt.startswith(f"1971 or 2000 fits the cases, but of {found.asked} new positions ")


def test_of_an_engine_that_answers_otherwise_later_no_choice_is_confirmed():
    engine, other = BuiltinEngine(), ReferenceAdjudicator(load_ruleset("1971").ruleset())
    found = infer(engine, engine.start().capabilities, CASES, RULES)
    found = infer_by_experiments(found, CASES, RULES, other)
    assert {evidence.flaky for evidence in found.evidence.values()} == {True}
    report = inference_report(found, EngineData(spec="", name=""), RULES)
    assert report.open["4.A.2"] == "the cases leave no other, and its answers change when it is asked again"


def test_the_command_says_the_bugs_beside_the_choices_and_tests_nothing_if_told_to(tmp_path):
    command = ("infer", f"exec:{COMMAND} engine --mutant doomed-attack-disrupts-convoy", "--suite", "datc-3.2")
    file = tmp_path / "report.json"
    assert "Looks like an engine that" in invoke(*command, "--report", f"json:{file}").output
    assert [bug["name"] for bug in json.loads(file.read_bytes())["looks_like"]] == ["doomed-attack-disrupts-convoy"]
    assert json.loads(invoke(*command, "--json", "--no-experiments").output)["evidence"] == {}
