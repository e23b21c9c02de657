from __future__ import annotations

import pytest

from datc.reference_engine import DATC_3_1, ISSUES, RulesetError, adjustments, legality, movement, ruleset
from datc.reference_engine.errors import ReferenceEngineError, UnplayedChoiceError
from datc.reference_engine.rulesets import check_choice

OWN_RULES = [f"X.{number}" for number in (*range(1, 13), 15, 17, 22)]
"""The rules that vary without an issue of the DATC."""

NEW_IN_3_2 = ["v3.2-4.A.4"]
"""The questions that DATC 3.2 has under a number which means another one in DATC 3.1."""

SETTLED_BEFORE = {"4.D.1", "4.D.2", "4.E.2", "4.E.3", "4.E.4", "4.E.5", "4.E.6"}
"""These show in no single phase of single orders: orders come as one set of them, each of which has been read."""

SUPPORTED_CHOICES = {
    "movement": movement.SUPPORTED_CHOICES,
    "retreat": legality.SUPPORTED_CHOICES,
    "adjustment": adjustments.SUPPORTED_CHOICES,
}


def test_all_issues_of_chapter_4_are_there() -> None:
    sections = {"4.A": 7, "4.B": 7, "4.C": 6, "4.D": 9, "4.E": 6}
    chapter_4 = [f"{section}.{n}" for section, count in sections.items() for n in range(1, count + 1)]
    assert len(chapter_4) == 35
    after = chapter_4.index("4.A.7") + 1
    assert list(ISSUES) == [*chapter_4[:after], *NEW_IN_3_2, *chapter_4[after:], *OWN_RULES]
    for number, issue in ISSUES.items():
        assert issue.id == number
        assert issue.title
        assert len(issue.choices) >= 2
        assert len(set(issue.choices)) == len(issue.choices)


def test_other_choices() -> None:
    other = DATC_3_1.with_choices({"4.A.4": "cut"})
    assert other.choices["4.A.4"] == "cut"
    assert {issue for issue in ISSUES if other.choices[issue] != DATC_3_1.choices[issue]} == {"4.A.4"}
    assert DATC_3_1.choices["4.A.4"] == "not-cut"
    assert DATC_3_1.with_choices({}) == DATC_3_1
    assert hash(DATC_3_1.with_choices({})) == hash(DATC_3_1)
    assert other != DATC_3_1


def test_errors() -> None:
    with pytest.raises(RulesetError, match="there is no issue '4\\.Z\\.1'"):
        check_choice("4.Z.1", "fail")
    with pytest.raises(RulesetError, match="issue 4.A.4 has no choice 'maybe': it is not-cut, cut"):
        check_choice("4.A.4", "maybe")
    with pytest.raises(RulesetError, match="has no choice"):
        _ = DATC_3_1.with_choices({"4.A.4": "maybe"})
    with pytest.raises(RulesetError, match="there is no issue"):
        _ = DATC_3_1.with_choices({"4.Z.1": "fail"})
    without = {issue: choice for issue, choice in DATC_3_1.choices.items() if issue not in ("4.A.4", "4.E.2")}
    with pytest.raises(RulesetError, match="ruleset 'mine' leaves open 4.A.4, 4.E.2"):
        _ = ruleset("mine", without)
    check_choice("4.A.4", "cut")
    assert issubclass(UnplayedChoiceError, RulesetError)
    assert issubclass(RulesetError, ReferenceEngineError)


def test_every_issue_is_played_in_some_phase() -> None:
    assert {issue for played in SUPPORTED_CHOICES.values() for issue in played} == ISSUES.keys() - SETTLED_BEFORE
    for played in SUPPORTED_CHOICES.values():
        for issue, choices in played.items():
            assert choices == set(ISSUES[issue].choices)
            assert DATC_3_1.choices[issue] in choices
