import msgspec

from datc.reports.comparison import Agreement, answer_letter
from datc.reports.report import Report

from . import samples


def test_a_case_that_only_one_run_has_is_answered_by_that_alone(passing: Report) -> None:
    shorter = msgspec.structs.replace(passing, cases=passing.cases[:1])
    found = samples.compared(passing, shorter)
    assert found.cases[1].verdicts == ("declared", None)
    assert found.cases[1].kind == "unanswered"
    assert found.agreement(0, 1) == Agreement(1, 1)
    assert found.groups == ((0,), (1,))


def test_answers_beyond_z_have_names_too() -> None:
    assert [answer_letter(number) for number in (0, 25, 26, 52)] == ["A", "Z", "A1", "A2"]
