"""Why what a case expects is right, in the verdict on an answer that differs."""

from __future__ import annotations

import pytest

from datc.cases import Case, load_suite
from datc.cases.reading import read_loose_cases
from datc.harness.explain.case import why_right, with_explanation
from datc.harness.explain.phase import explain_phases
from datc.harness.play.case_verdicts import ask_case
from datc.harness.play.session import ReferenceAdjudicator, case_inputs, play
from datc.harness.play.verdict import Rules
from datc.reference_engine import DATC_3_2
from datc.reports import FactData

CASES = {case.id: case for case in load_suite("datc-3.2").cases}
OTHER_RULES = {
    "4.A.3": "alexander",
    "4.B.2": "fail",
    "4.B.5": "fail",
    "4.B.6": "fail",
    "4.C.2": "invalid",
    "4.D.8": "1971-convoy-one-move",
}


def told(case: Case) -> list[str]:
    """What is said in each phase of a case, answered by other rules than those in force."""
    engine = ReferenceAdjudicator(DATC_3_2.with_choices(OTHER_RULES))
    found = with_explanation(ask_case(engine, case, Rules(DATC_3_2)), case, DATC_3_2)
    return [phase.explanation for phase in found.phases]


@pytest.mark.parametrize(
    ("case", "explanation"),
    [
        ("6.B.2", "France's F Gascony moves to Spain: it names no coast, and counts as a move to Spain(nc) "
                  + "(4.B.2 = only-possible)."),
        ("6.B.10", "France's F Spain(sc) moves to Gulf of Lyon: it counts for F Spain(sc), though it names another "
                   + "coast (4.B.5 = ignore)."),
        ("6.G.11", "England's F North Sea moves to Skagerrak: strength 2 beats the hold strength 1 of F Skagerrak; "
                   + "supported by F Norway. "),
        ("6.J.8", "Russia has to remove 1 unit. A Tyrolia goes before F Baltic Sea, which is nearer. "
                  + "Russia's A Tyrolia is removed."),
    ],
)  # fmt: skip
def test_the_reason_for_what_is_expected(case: str, explanation: str) -> None:
    (found,) = told(CASES[case])
    assert found.startswith(explanation)


def test_an_order_with_another_outcome_is_explained_first() -> None:
    played = [*play(ReferenceAdjudicator(DATC_3_2), case_inputs(CASES["6.D.10"]))]
    (phase,) = explain_phases(played, DATC_3_2)
    said = why_right(played[0].asked, phase, DATC_3_2, [FactData(kind="outcome", order=2)])
    assert said == "Germany's A Munich succeeds: the order is legal, and nothing stops it."


def test_nothing_is_said_of_a_case_that_passes() -> None:
    assert told(CASES["6.A.11"]) == [""]


def test_nothing_is_said_where_the_case_expects_what_the_rules_do_not_give() -> None:
    wrong = """
        [[case]]
        id = "W.1"
        title = "An author's slip"
        [case.orders]
        France = ["A Paris - Burgundy"]
        [[case.expect]]
        """
    (case,) = read_loose_cases(wrong, "here")
    assert told(case) == [""]


def test_the_deciding_phase_alone_is_explained() -> None:
    several = [case for case in CASES.values() if len(case.phases) > 1]
    assert several
    for case in several:
        assert sum(map(bool, told(case))) <= 1
