import msgspec

from datc.reports.comparison import Agreement, answer_letter
from datc.reports.report import Report

from . import samples


def test_each_case_is_of_a_kind() -> None:
    found = samples.three_engines()
    assert [(case.first.id, case.kind, case.groups, case.unanswered) for case in found.cases] == [
        ("6.F.1", "alike", ((0, 1, 2),), ()),
        ("6.F.2", "differing", ((0, 2), (1,)), ()),
        ("6.F.3", "differing", ((0,), (1,)), (2,)),
        ("6.F.4", "unanswered", ((0, 1),), (2,)),
    ]
    assert [found.cases[1].letter(place) for place in range(3)] == ["A", "B", "A"]
    assert [found.cases[2].letter(place) for place in range(3)] == ["A", "B", ""]


def test_who_answered_nothing_is_in_no_agreement() -> None:
    found = samples.three_engines()
    assert found.agreement(0, 1) == Agreement(2, 4)
    assert found.agreement(2, 0) == Agreement(2, 2)
    assert [found.answered(place) for place in range(3)] == [4, 4, 2]
    assert not found.alike


def test_a_case_that_only_one_run_has_is_answered_by_that_alone(passing: Report) -> None:
    shorter = msgspec.structs.replace(passing, cases=passing.cases[:1])
    found = samples.compared(passing, shorter)
    assert found.cases[1].verdicts == ("declared", None)
    assert found.cases[1].kind == "unanswered"
    assert found.agreement(0, 1) == Agreement(1, 1)
    assert found.groups == ((0,), (1,))


def test_answers_beyond_z_have_names_too() -> None:
    assert [answer_letter(number) for number in (0, 25, 26, 52)] == ["A", "Z", "A1", "A2"]
