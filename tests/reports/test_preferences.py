"""The rules page: what it says of each issue, and that it says so of everything that is open or contradicted."""

import re

import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace

from datc.cases import load_ruleset, ruleset_names
from datc.cases.rulesets import load_sites
from datc.reference_engine import DATC_3_1, ISSUES, ruleset
from datc.reports.html import render_html_preferences
from datc.reports.html_cases import examples
from datc.reports.markdown import render_markdown_preferences
from datc.reports.post import STYLES
from datc.reports.preferences import (
    agreement,
    closeness,
    declared_page,
    differences,
    inferred_page,
    own_choices,
    run_page,
    write_rules,
)

from . import samples


def answering(*choices):
    """A case for each of these, which its answer fits of 4.A.1."""
    return [
        replace(samples.case(number, "passed"), choices={"4.A.1": list(fitting)})
        for number, fitting in enumerate(choices, start=1)
    ]


def of(page, issue):
    return next(each for each in page.preferences if each.id == issue)


def test_a_declared_page_has_every_issue_and_a_case_for_almost_all():
    page = declared_page(DATC_3_1)
    assert [each.id for each in page.preferences] == list(ISSUES)
    assert all(each.choices == [DATC_3_1.choices[each.id]] for each in page.preferences)
    # These matter only where 4.A.1 and 4.A.2 are settled otherwise.
    assert [each.id for each in page.preferences if not each.cases] == ["X.2", "X.6", "X.7", "X.22"]
    assert page.settled
    old = declared_page(load_ruleset("1982").ruleset())
    assert "6.F.17" in [case.id for case in of(old, "X.7").cases], "the other choices in force let it show that"
    assert own_choices(declared_page(DATC_3_1.with_choices({"4.A.3": "alexander"}))) == ["4.A.3"]


def test_who_agrees_is_told_apart_from_who_is_silent():
    names = ("2000", "2023", "2025ee", "alexander", "datc-3.1", "datc-3.2")
    stated, read = agreement("4.A.3", "2000-no-fallback", names)
    assert stated == ["Rulebook of 2025", "DATC 3.1", "DATC 3.2"]
    assert read == ["Rulebook of 2000", "Rulebook of 2023"]


@pytest.mark.parametrize("name", ruleset_names())
def test_the_closest_to_a_rulebook_is_itself(name):
    page = declared_page(load_ruleset(name).ruleset())
    assert any(each.title == load_ruleset(name).short_title for each in closeness(page) if not each.differs)


def test_a_page_of_house_rules_leads_with_its_changes_and_where_they_differ():
    changes = {"4.A.7": "head-to-head-only", "4.A.2": "1982", "4.D.8": "dptg"}
    page = declared_page(load_ruleset("2023").ruleset().with_choices(changes))
    assert page.title == "Our rules: the rulebook of 2023 with 3 changes"
    markdown, bbcode = (write_rules(page, STYLES[name]) for name in ("markdown", "bbcode"))
    order = ["4.A.2 Convoy", "4.A.7 Avoiding", "4.D.8 ", "Where these rules differ", "4.A.1 Multi-route"]
    for text in (markdown, bbcode):
        assert [text.index(each) for each in order] == sorted(text.index(each) for each in order)
        assert "In the rulebook of 2023: " in text
        # webDiplomacy publishes that it plays Szykman's rule, and our other changes.
        assert re.search(r"webDiplomacy .*: otherwise in 1 of the 15 issues that its page settles: 4\.A\.2\n", text)
        assert not any(load_ruleset(name).short_title in text for name in ("dptg", "dpjudge"))
        assert len(text.split()) < 2000
    assert {each.issue for each in differences(page)["Rulebook of 2023"]} == changes.keys()
    assert load_ruleset("dptg").short_title in write_rules(replace(page, beside=["dptg"]), STYLES["markdown"])
    html = render_html_preferences(page).decode()
    assert html.index(">Changes</h2>") < html.index(">4.A Convoys</h2>")


@pytest.mark.parametrize("site", load_sites(), ids=lambda site: site.name)
def test_what_a_site_publishes_are_choices_that_exist(site):
    assert all(choice in ISSUES[issue].choices for issue, choice in site.choices.items())
    assert site.source.startswith("https://")


@pytest.mark.parametrize(
    ("fits", "declared", "standing", "choices", "note"),
    [
        ([["all-routes"]], "all-routes", "seen", ["all-routes"], ""),
        (
            [["all-routes", "any-route"]],
            "all-routes",
            "seen",
            ["all-routes"],
            "These cases cannot distinguish it from any",
        ),
        ([["any-route"]], "all-routes", "contradicted", ["any-route"], "Declared is all-routes, and the answers fit "),
        ([["any-route"], ["all-routes"]], "all-routes", "contradicted", [], "Declared is all-routes, and no choice "),
        ([["any-route", "all-routes"]], "", "open", ["any-route", "all-routes"], "Nothing is declared; "),
        ([], "all-routes", "declared", ["all-routes"], "No case of the run shows it."),
    ],
)
def test_a_run_shows_how_an_issue_is_settled(fits, declared, standing, choices, note):
    report = samples.every_verdict()
    rules = replace(report.ruleset, choices={"4.A.1": declared} if declared else {})
    page = run_page(replace(report, ruleset=rules, cases=answering(*fits), complete=True))
    found = of(page, "4.A.1")
    assert (found.standing, found.choices, found.declared) == (standing, choices, declared)
    assert found.note.startswith(note)
    assert bool(found.note) == bool(note)
    assert [case.label for case in found.cases] == [f"6.F.{number}" for number in range(1, len(fits) + 1)]
    assert page.settled == (standing != "contradicted")


def test_answers_that_no_choice_fits_together_are_contradicted():
    inference = replace(
        samples.inferred(),
        choices={"4.A.1": ["any-route", "all-routes"], "4.A.4": ["cut"]},
        proof={"4.A.1": [], "4.A.4": ["extended/4.A.4-far"]},
        open={"4.A.1": "6.F.1, 6.F.2 should decide this, but the answers do not"},
        contradictions=[["6.F.1", "6.F.2"]],
        bugs=["6.A.1"],
        cases=answering(["any-route"], ["all-routes"]),
    )
    page = inferred_page(inference)
    found = of(page, "4.A.1")
    assert (found.standing, found.choices) == ("contradicted", [])
    assert found.note == "Answers that no choices fit together: 6.F.1, 6.F.2."
    assert [case.label for case in of(page, "4.A.4").cases] == ["extended/4.A.4-far"]
    assert page.remarks == [
        "Its answers to 6.F.1 and 6.F.2 contradict each other.",
        "Wrong under every ruleset: 6.A.1.",
    ]
    assert not page.settled


def test_the_html_has_every_issue_and_asks_nobody_for_anything():
    text = render_html_preferences(declared_page(DATC_3_1)).decode()
    assert all(f'id="issue:{issue}"' in text for issue in ISSUES)
    assert "<script" not in text
    assert "default-src &#39;none&#39;" in text


def test_what_an_engine_says_has_no_effect_on_a_page():
    report = samples.hostile()
    rules = replace(report.ruleset, choices={samples.HOSTILE: samples.HOSTILE})
    page = run_page(replace(report, ruleset=rules, complete=False))
    html = render_html_preferences(page).decode()
    assert "<script" not in html
    assert "onload='x'" not in html
    markdown = MarkdownIt("commonmark").enable("table").render(render_markdown_preferences(page).decode())
    assert not {"<script", "<img", "href="} & set(filter(markdown.__contains__, ("<script", "<img", "href=")))
    assert "<h1>evil" not in markdown


def test_the_page_leads_with_the_rules_and_ends_with_what_limits_it():
    page = inferred_page(samples.inferred())
    assert page.remarks
    html = render_html_preferences(page).decode()
    assert html.index('<article class="preference') < html.index(">Limits</h2>") < html.index(page.remarks[0])
    assert 'class="banner"' not in html
    markdown = render_markdown_preferences(page).decode()
    assert markdown.index("### ") < markdown.index("## Limits") < markdown.index("Wrong under every ruleset")


def test_a_rule_has_a_board_that_shows_it_under_that_rule():
    def board_of(choice: str) -> str:
        rules = ruleset("mine", {**DATC_3_1.choices, "4.A.1": choice})
        return examples(declared_page(rules).preferences)["4.A.1"].svg

    assert "A London moves to Belgium, convoyed by F North Sea, not by way of" in board_of("all-routes")
    assert "A London moves to Belgium, convoyed by F English Channel (fails: disrupted)" in board_of("any-route")
    unknown = replace(declared_page(DATC_3_1).preferences[0], choices=["my own"])
    assert examples([unknown]) == {}
