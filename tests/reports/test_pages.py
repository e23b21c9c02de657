"""The pages of a comparison and of an inference, and what holds for every page."""

import re
from collections import Counter
from itertools import pairwise
from urllib.parse import unquote

import pytest

from datc.cases import load_suite
from datc.reports.comparison import Agreement, answer_letter
from datc.reports.html import render_html, render_html_comparison, render_html_inference
from datc.reports.report import CaseData, Report

from . import samples
from .test_html import Page

PAGES = {
    "run": lambda: render_html(samples.every_verdict()),
    "comparison": lambda: render_html_comparison(samples.three_engines()),
    "inference": lambda: render_html_inference(samples.inferred()),
}
HOSTILE_PAGES = {
    "run": lambda: render_html(samples.hostile()),
    "comparison": lambda: render_html_comparison(samples.compared(samples.hostile(), samples.every_verdict())),
    "inference": lambda: render_html_inference(samples.hostile_inference()),
}
READING_PLACE = "https://webdiplomacy.net/doc/"


@pytest.mark.parametrize("render", PAGES.values(), ids=PAGES)
def test_every_link_within_a_page_leads_somewhere_and_headings_descend_one_step_at_a_time(render) -> None:
    page = Page(render())
    ids = Counter(page.attributes("id"))
    assert set(ids.values()) == {1}
    inner = {unquote(href[1:]) for href in page.attributes("href") if href.startswith("#")}
    assert "6.F.2" in inner
    assert inner <= set(ids)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert (levels[0], levels.count(1)) == (1, 1)
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("render", HOSTILE_PAGES.values(), ids=HOSTILE_PAGES)
def test_nothing_that_an_engine_says_runs_or_loads(render) -> None:
    html = render()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe]", html.decode())
    page = Page(html)
    tags = {tag for tag, _ in page.elements}
    assert tags.isdisjoint({"img", "image", "link", "iframe", "object", "embed", "form", "base", "foreignobject"})
    assert (page.named("script"), page.named("style")) == ([{}], [{}])
    names = {name for _, attrs in page.elements for name in attrs}
    assert not [name for name in names if name.startswith("on") or name in ("src", "style", "srcset")]
    outer = {href for href in page.attributes("href") if not href.startswith(("#", READING_PLACE))}
    assert all(href.startswith("https://") and "evil" not in href for href in outer)
    assert "<script>alert(1)</script>" in page.text


def test_of_a_hostile_run_only_the_suite_is_linked_and_its_texts_are_shown() -> None:
    page = Page(render_html(samples.hostile()))
    outer = {href for href in page.attributes("href") if not href.startswith(("#", READING_PLACE))}
    assert outer == {load_suite("datc-3.2").url}
    assert "{{ 7 * 7 }}" in page.text
    assert "javascript:alert(1)//\ufffd" in page.text


def test_it_says_who_gave_no_answer_and_whose_choices_are_not_seen() -> None:
    page = Page(render_html_comparison(samples.three_engines()))
    for said in (
        "They differ in 2 of 4 cases In 1 all 3 answer alike.",
        "In 1 not all answered, and those who did agree.",
        "Mine was not asked to the end: it gave out.",
        "3 Mine not seen No answer tells. 6.F.3 Answers that no one ruleset gives",
        "6.F.3 A case that is passed A ✓ , passed B ≠ , deviated \N{EN DASH} ○ , unsupported",
        "6.F.4 A case that is passed A ✓ , passed A ✓ , passed \N{EN DASH} ! , error",
    ):
        assert said in page.text
    kinds = [attrs["class"] for attrs in page.named("article")]
    assert kinds == ["case differing", "case differing", "case unanswered"]


def test_where_nobody_is_right_the_expected_board_is_there() -> None:
    failed, deviated = (samples.report([samples.case(1, verdict)]) for verdict in ("failed", "deviated"))
    page = Page(render_html_comparison(samples.compared(failed, deviated)))
    assert "Expected" in page.text
    assert "A: engines 1, 2" in page.text
    assert [attrs["class"] for attrs in page.named("article")] == ["case alike"]


@pytest.mark.parametrize(
    ("cases", "sentences"),
    [
        (
            [samples.case(1, "passed")],
            [
                "They answer every case alike 1 case, both answered.",
                "All of them answer every case alike.",
                "No issue parts them",
                "All of them pass every case.",
            ],
        ),
        (
            [samples.case(1, "unsupported")],
            [
                "Nobody contradicts another In 0 both answer alike. In 1 not all answered",
                "none in common",
                "No two of them answer every case alike.",
            ],
        ),
        ([], ["No case was run There is nothing to compare."]),
    ],
)
def test_engines_with_the_same_answers(cases: list[CaseData], sentences: list[str]) -> None:
    text = Page(render_html_comparison(samples.compared(samples.report(cases), samples.report(cases)))).text
    assert [said for said in sentences if said not in text] == []


def test_it_says_what_is_open_and_what_contradicts_it_and_has_those_cases_closed() -> None:
    page = Page(render_html_inference(samples.inferred()))
    for said in (
        "1 of 3 issues settled 2 are open; 1 set of answers contradicts itself; ",
        "1 answer is wrong under every ruleset; 1 case was not answered.",
        "Cases asked 5, as long as they told something",
        "open 2000 or szykman 6.F.3 should decide this, but the answers do not.",
        "open any choice No case has another outcome.",
        "≠ 6.F.2 , deviated A case that is deviated: fits 4.A.1 any-route .",
        "✓ 6.F.5 , passed A case that is passed: fits 4.A.1 all-routes .",
        "datc-check infer --all asks every case.",
    ):
        assert said in page.text
    bodies = [attrs["id"] for attrs in page.named("div") if attrs.get("class") == "body"]
    assert bodies == ["6.F.3", "6.F.2", "6.F.4", "6.F.1", "6.F.5"]
    assert not [attrs for attrs in page.named("details") if "open" in attrs]


def test_answers_of_one_ruleset_have_only_the_cases_that_prove_it() -> None:
    only = {"choices": {"4.A.1": ["all-routes"]}, "proof": {"4.A.1": ["6.F.1"]}, "open": {}}
    found = samples.inferred(**only, contradictions=[], bugs=[], unsupported=[], every_case=True)
    page = Page(render_html_inference(found))
    assert "1 of 1 issues settled Its answers are those of one ruleset." in page.text
    assert "--all" not in page.text
    assert "Not answered" not in page.text
    assert [attrs["id"] for attrs in page.named("div") if attrs.get("class") == "body"] == ["6.F.1"]


def test_a_case_that_only_one_run_has_is_answered_by_that_alone(passing: Report) -> None:
    found = samples.compared(passing, samples.report(passing.cases[:1]))
    assert found.cases[1].verdicts == ("declared", None)
    assert found.cases[1].kind == "unanswered"
    assert found.agreement(0, 1) == Agreement(1, 1)
    assert found.groups == ((0,), (1,))


def test_answers_beyond_z_have_names_too() -> None:
    assert [answer_letter(number) for number in (0, 25, 26, 52)] == ["A", "Z", "A1", "A2"]
