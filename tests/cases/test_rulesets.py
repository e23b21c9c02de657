"""The issues and rulesets as data: complete, and the same as the engine's."""

import pytest

from datc.cases import UnknownRulesetError, load_issues, load_ruleset, ruleset_names
from datc.reference_engine import DATC_3_1, ISSUES

NAMES = (
    "1971",
    "1982",
    "2000",
    "2023",
    "2025ee",
    "alexander",
    "datc-2.4",
    "datc-3.1",
    "datc-3.2",
    "dpjudge",
    "dptg",
)


def test_there_are_eleven_rulesets():
    assert ruleset_names() == NAMES


def test_the_issues_are_those_of_the_engine():
    texts = load_issues()
    assert list(texts) == list(ISSUES)
    for number, issue in ISSUES.items():
        assert texts[number].title == issue.title
        assert [choice.key for choice in texts[number].choice] == list(issue.choices)


def test_every_choice_has_a_sentence_and_a_source():
    for issue in load_issues().values():
        assert issue.question.endswith("?"), issue.id
        for choice in issue.choice:
            assert choice.text.endswith("."), (issue.id, choice.key)
            assert choice.source, (issue.id, choice.key)


def test_a_sentence_stands_alone_and_is_that_of_no_other_choice():
    for issue in load_issues().values():
        texts = [choice.text for choice in issue.choice]
        assert len(set(texts)) == len(texts), issue.id
        for text in texts:
            assert len(text.split()) >= 3, text
            assert not text.startswith(("Yes", "No:", "No,", "As before", "The one ", "That of")), text
            assert ". " not in text.replace("St. ", "St "), text


@pytest.mark.parametrize("name", NAMES)
def test_a_ruleset_has_a_cell_with_a_source_for_every_issue(name):
    text = load_ruleset(name)
    assert text.name == name
    assert list(text.choices) == list(ISSUES)
    assert all(cell.source for cell in text.choices.values())
    assert dict(text.ruleset().choices) == {issue: cell.choice for issue, cell in text.choices.items()}


def test_the_default_of_the_engine_is_the_document():
    assert load_ruleset("datc-3.1").ruleset() == DATC_3_1


def test_an_unknown_ruleset_gets_the_nearest_name():
    with pytest.raises(UnknownRulesetError, match=r"no ruleset 'datc-3\.3': did you mean 'datc-3\.2'\?"):
        _ = load_ruleset("datc-3.3")
