"""What an engine lacks as a whole is said first, and other bugs are found beside it."""

import functools

import pytest
from msgspec.structs import replace

from datc.adapters import EngineSpec
from datc.adapters.builtin import BuiltinEngine, Reference
from datc.cases import load_suite
from datc.harness.bugs.doctor import doctor_findings
from datc.harness.bugs.evidence import AskedOnce
from datc.harness.bugs.missing import find_missing
from datc.harness.bugs.mutants import MUTANTS, Mutant
from datc.harness.bugs.mutants.missing import MISSING, lacking
from datc.harness.bugs.mutants.mutant import MutantReference, by_equations
from datc.harness.play.case_verdicts import verify_run
from datc.harness.play.session import Adjudicator, ReferenceAdjudicator
from datc.harness.play.verdict import Rules
from datc.harness.run.runner import Run
from datc.reference_engine import DATC_3_2, province_code
from datc.reports.findings import terminal_text
from datc.reports.statements import MutantData
from datc.reports.wording import statement_sentences

CASES = load_suite("datc-3.2").cases


def run_of(reference, cases=CASES):
    run = Run(BuiltinEngine(reference), EngineSpec("engine"), cases, Rules(DATC_3_2), diagnoses=True)
    return run.to_the_end()


def playing(procedure):
    return MutantReference(mutant=Mutant("tested", "is tested", procedure))


@pytest.mark.parametrize("name", MISSING)
def test_a_part_that_is_missing_is_all_that_is_said(name):
    report = run_of(playing(MISSING[name].procedure))
    assert [part.name for part in report.missing_parts] == [name]
    assert (report.looks_like, report.tested_choices) == ([], [])
    (part,) = report.missing_parts
    assert [case.name for case in report.cases if case.verdict != "passed"] == part.explained == part.cases
    assert verify_run(report) == []


def test_a_case_that_passes_because_nothing_is_built_at_all_says_so():
    report = run_of(playing(MISSING["builds-missing"].procedure))
    noted = {case.id: case.notes[-1] for case in report.cases if case.verdict == "passed" and case.notes}
    assert noted["6.B.14"] == (
        "it passes also with an engine that builds nothing, as this one does: it shows nothing of builds"
    )
    hollow = [name for name, note in noted.items() if "shows nothing of builds" in note]
    assert [case.id for case in report.missing_parts[0].hollow] == hollow


@pytest.mark.parametrize(
    "reference",
    [
        Reference(DATC_3_2.with_choices({"4.A.6": "required"}), fixed=True),
        playing(MUTANTS["only-dislodgement-cuts"].procedure),
        playing(MUTANTS["coast-forgotten"].procedure),
        playing(MUTANTS["either-coast-left"].procedure),
    ],
)
def test_what_looks_like_a_missing_part_and_is_none_is_not_called_so(reference):
    assert run_of(reference).missing_parts == []


def test_what_three_answers_rule_out_is_asked_about_no_more():
    found = run_of(playing(MUTANTS["only-dislodgement-cuts"].procedure)).cases
    engine = ReferenceAdjudicator(DATC_3_2)
    assert find_missing(AskedOnce(engine), found, CASES, DATC_3_2, lambda *_: False) == []
    assert engine.answered == 3


class Recording(Adjudicator):
    """Adjudicates as another one, and keeps what it was asked."""

    def __init__(self, other):
        self.name, self.other, self.asked = other.name, other, []

    def ask(self, asked):
        self.asked.append((asked.units, asked.orders))
        return self.other.ask(asked)


@pytest.mark.parametrize("name", ["circles-missing", "convoys-missing"])
def test_each_question_about_a_missing_part_is_another_one(name):
    procedure = MISSING[name].procedure
    engine = Recording(ReferenceAdjudicator(DATC_3_2, procedure))
    (part,) = find_missing(AskedOnce(engine), run_of(playing(procedure)).cases, CASES, DATC_3_2, lambda *_: True)
    assert part.evidence.asked == part.evidence.agreed == len(set(engine.asked[:20])) == 20


def test_an_engine_that_never_says_a_coast_gets_one_sentence():
    """It leaves out the coast of a fleet that stays, too, which the reference without coasts does not."""

    def silent(adjudicate):
        def answer(*asked):
            found = adjudicate(*asked)
            return found._replace(units=tuple(u._replace(location=province_code(u.location)) for u in found.units))

        return answer

    kept = MISSING["coasts-missing"].procedure
    report = run_of(playing({phase: silent(adjudicate) for phase, adjudicate in kept.items()}))
    (sentence,) = statement_sentences(report)
    assert sentence.startswith(
        "Looks like an engine that keeps no coasts (coasts-missing): of 12 cases about coasts 12 "
    )


def many(*names):
    """One engine with several mutants of its equations."""
    adjudicates = [MUTANTS[name].procedure["movement"] for name in names]
    equations = [each.keywords["equations"] for each in adjudicates if isinstance(each, functools.partial)]
    return by_equations(type("Many", tuple(equations), {}))


def test_bugs_are_named_beside_missing_parts():
    bugs = ["own-unit-dislodged", "support-cut-from-target", "loser-prevents"]
    report = run_of(playing(lacking(["convoys-missing", "builds-missing"], many(*bugs))))
    assert [part.name for part in report.missing_parts] == ["convoys-missing", "builds-missing"]
    assert {mutant.name for mutant in report.looks_like} == set(bugs)
    assert {mutant.evidence.strength for mutant in report.looks_like if mutant.evidence} == {"confirmed"}
    _, second, third, *_ = terminal_text(doctor_findings(report, None).parts).split("\n\n")
    assert second.startswith("Looks like an engine that carries out no convoy (convoys-missing): of ")
    assert third.startswith("Looks like an engine that builds nothing")


def test_ten_statements_are_shown_unless_all_are_asked_for():
    report = run_of(Reference(), CASES[:1])
    bug = MutantData(name="swap-by-land", sentence="lets units change places", cases=[report.cases[0].name])
    report = replace(report, looks_like=[bug] * 12)
    shown = terminal_text(doctor_findings(report, None).parts)
    assert (shown.count("Looks like"), "2 more statements: add -v" in shown) == (10, True)
    assert terminal_text(doctor_findings(report, None, verbose=True).parts).count("Looks like") == 12
