"""The issues and rulesets as data: complete, and the same as the engine's."""

import pytest

from datc.cases import load_issues, load_ruleset, ruleset_names
from datc.cases.errors import UnknownRulesetError
from datc.cases.rulesets import load_map_issues
from datc.reference_engine import DATC_3_1, DATC_3_2, ISSUES
from datc.reference_engine.rulesets import MAP_ISSUES

SHIPPED = {"1971", "1982", "2000", "2023", "2025ee", "alexander", "datc-2.4", "datc-3.1", "datc-3.2", "dpjudge", "dptg"}
"""The rulesets that users may have named in a config: none of them is ever removed."""


def test_no_ruleset_is_removed():
    assert set(ruleset_names()) >= SHIPPED


@pytest.mark.parametrize(("texts", "issues"), [(load_issues(), ISSUES), (load_map_issues(), MAP_ISSUES)])
def test_the_issues_are_those_of_the_engine(texts, issues):
    assert list(texts) == list(issues)
    for number, issue in issues.items():
        assert texts[number].title == issue.title
        assert [choice.key for choice in texts[number].choice] == list(issue.choices)


def test_every_choice_has_a_sentence_and_a_source():
    for issue in (*load_issues().values(), *load_map_issues().values()):
        assert issue.question.endswith("?"), issue.id
        for choice in issue.choice:
            assert choice.text.endswith("."), (issue.id, choice.key)
            assert choice.source, (issue.id, choice.key)


def letters(issue):
    return "".join(choice.datc_3_2 or "-" for choice in load_issues()[issue].choice)


def test_the_letters_of_datc_3_2():
    """Those that it moved, added or took away; the others are as in 3.1."""
    moved = {
        "4.A.3": "--ab" + "dcc" + "--",
        "4.A.4": "--",
        "v3.2-4.A.4": "--",
        "4.B.4": "a-bc-",
        **dict.fromkeys(("4.C.1", "4.C.2", "4.C.5", "4.C.6"), "ab-"),
        "4.C.3": "---",
        "4.E.2": "----",
    }
    for issue, text in load_issues().items():
        as_before = "".join(choice.datc_3_1 or "-" for choice in text.choice)
        assert letters(issue) == moved.get(issue, as_before), issue


def test_an_issue_says_where_datc_3_2_has_it_if_not_under_the_same_number():
    numberings = {number: issue.numbering for number, issue in load_issues().items() if issue.numbering}
    assert numberings == {"4.A.4": "In DATC 3.2 this is 4.A.4, point 5.", "4.E.2": "In DATC 3.2 this is 4.E.3."}


def test_an_issue_that_is_new_in_an_edition_belongs_to_the_chapter_of_its_number():
    assert [load_issues()[issue].chapter for issue in ("4.A.4", "v3.2-4.A.4", "X.22")] == ["4.A", "4.A", "X"]


def test_datc_3_2_changes_one_preference_and_states_none_on_types_of_builds():
    before, after = load_ruleset("datc-3.1").choices, load_ruleset("datc-3.2").choices
    changed = {issue: cell.choice for issue, cell in after.items() if cell.choice != before[issue].choice}
    assert changed == {"4.C.3": "army-inland", "4.D.3": "first"}


def test_the_rulebook_of_2025_states_what_datc_3_2_says_of_it():
    cells = load_ruleset("2025ee").choices
    stated = {
        "4.A.1": "all-routes",
        "4.A.2": "2000",
        "4.A.3": "2000-no-fallback",
        "4.A.5": "retreat-to-origin",
        "4.C.1": "valid",
        "4.D.3": "first",
        "4.D.4": "first-legal",
        "4.D.6": "first-legal",
        "4.D.8": "2023",
        "4.E.1": "possible-now",
        "X.10": "none",
    }
    assert {issue: cells[issue].choice for issue in stated} == stated
    assert {cells[issue].basis for issue in stated} == {"stated"}
    assert (cells["4.D.5"].choice, cells["4.D.5"].basis) == ("first", "silent")


def test_a_sentence_stands_alone_and_is_that_of_no_other_choice():
    for issue in load_issues().values():
        texts = [choice.text for choice in issue.choice]
        assert len(set(texts)) == len(texts), issue.id
        for text in texts:
            assert len(text.split()) >= 3, text
            assert not text.startswith(("Yes", "No:", "No,", "As before", "The one ", "That of")), text
            assert ". " not in text.replace("St. ", "St "), text


@pytest.mark.parametrize("name", ruleset_names())
def test_a_ruleset_has_a_cell_with_a_source_for_every_issue(name):
    text = load_ruleset(name)
    assert text.name == name
    assert list(text.choices) == list(ISSUES)
    assert all(cell.source for cell in text.choices.values())
    assert dict(text.ruleset().choices) == {issue: cell.choice for issue, cell in text.choices.items()}


def test_the_default_of_the_engine_is_the_document():
    assert load_ruleset("datc-3.1").ruleset() == DATC_3_1
    assert load_ruleset("datc-3.2").ruleset() == DATC_3_2


def test_an_unknown_ruleset_gets_the_nearest_name():
    with pytest.raises(UnknownRulesetError, match=r"no ruleset 'datc-3\.3': did you mean 'datc-3\.2'\?"):
        _ = load_ruleset("datc-3.3")
