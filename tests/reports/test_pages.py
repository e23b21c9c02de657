"""The pages of a comparison and of an inference, and what holds for every page."""

import re
from collections import Counter
from itertools import pairwise
from urllib.parse import unquote

import msgspec
import pytest

from datc.cases import load_suite
from datc.reports.comparison import Comparison
from datc.reports.html import render_html, render_html_comparison, render_html_inference
from datc.reports.report import InferenceReport, Report

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
    page = Page(render())
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


def comparison_page(comparison: Comparison) -> Page:
    return Page(render_html_comparison(comparison))


def inference_page(inference: InferenceReport) -> Page:
    return Page(render_html_inference(inference))


def test_it_says_how_far_they_agree_and_which_issues_part_them_with_the_cases() -> None:
    text = comparison_page(samples.three_engines()).text
    for said in (
        "They differ in 2 of 4 cases In 1 all 3 answer alike.",
        "In 1 not all answered, and those who did agree.",
        "Mine was not asked to the end: it gave out.",
        "1 Mine all-routes The convoy fails only when every one of its routes is disrupted.",
        "3 Mine not seen No answer tells. 6.F.3 Answers that no one ruleset gives",
        "2 Mine 6.F.1 and 6.F.2",
    ):
        assert said in text


def test_the_matrix_has_all_cases_those_in_which_they_differ_first() -> None:
    text = comparison_page(samples.three_engines()).text
    rows = re.findall("(6[.]F[.][0-9]) A case that is [a-z]+((?: [A-Z\N{EN DASH}] [^ ] , [a-z-]+){3})", text)
    assert rows == [
        ("6.F.2", " A ✓ , passed B ✗ , failed A ✓ , passed"),
        ("6.F.3", " A ✓ , passed B ≠ , deviated \N{EN DASH} ○ , unsupported"),
        ("6.F.1", " A ✓ , passed A ✓ , passed A ✓ , passed"),
        ("6.F.4", " A ✓ , passed A ✓ , passed \N{EN DASH} ! , error"),
    ]


def test_a_case_shows_a_board_for_each_answer_and_what_is_only_there() -> None:
    page = comparison_page(samples.three_engines())
    assert "Before, with the orders" in page.text
    assert "A: engines 1, 3" in page.text
    assert "B: engine 2" in page.text
    assert "Only in A: England A BEL. Only in B: England A LON." in page.text
    assert "A London should be in BEL, and is in LON" in page.text
    boards = [attrs for attrs in page.named("svg") if attrs.get("role") == "img"]
    assert len(boards) == 2 * 3
    assert [attrs["class"] for attrs in page.named("article")] == [
        "case differing",
        "case differing",
        "case unanswered",
    ]


def test_where_nobody_is_right_the_expected_board_is_there() -> None:
    failed, deviated = (samples.report([samples.case(1, verdict)]) for verdict in ("failed", "deviated"))
    page = comparison_page(samples.compared(failed, deviated))
    assert "Expected" in page.text
    assert "A: engines 1, 2" in page.text
    assert [attrs["class"] for attrs in page.named("article")] == ["case alike"]


def test_engines_that_pass_all(passing: Report) -> None:
    passed = msgspec.structs.replace(passing, cases=passing.cases[:1])
    page = comparison_page(samples.compared(passed, passed))
    assert "They answer every case alike 1 case, both answered." in page.text
    assert "All of them answer every case alike." in page.text
    assert "No issue parts them" in page.text
    assert "All of them pass every case." in page.text
    assert page.named("article") == []


def test_engines_of_which_none_answers() -> None:
    silent = samples.report([samples.case(1, "unsupported")])
    text = comparison_page(samples.compared(silent, silent)).text
    assert "Nobody contradicts another In 0 both answer alike. In 1 not all answered" in text
    assert "none in common" in text
    assert "No two of them answer every case alike." in text


def test_empty_runs_can_be_shown(empty: Report) -> None:
    assert "No case was run There is nothing to compare." in comparison_page(samples.compared(empty, empty)).text


def test_it_says_what_is_known_and_what_proves_or_contradicts_it() -> None:
    text = inference_page(samples.inferred()).text
    for said in (
        "1 of 3 issues settled 2 are open; 1 set of answers contradicts itself; ",
        "1 answer is wrong under every ruleset; 1 case was not answered.",
        "Cases asked 5, as long as they told something",
        "all-routes The convoy fails only when every one of its routes is disrupted. All 2 choices",
        "open 2000 or szykman 6.F.3 should decide this, but the answers do not.",
        "open any choice No case has another outcome.",
        "≠ 6.F.2 , deviated A case that is deviated: fits 4.A.1 any-route .",
        "✓ 6.F.5 , passed A case that is passed: fits 4.A.1 all-routes .",
        "datc-check infer --all asks every case.",
    ):
        assert said in text


def test_an_engine_without_a_mutant_is_said_to_be_one() -> None:
    only = {"choices": {"4.A.1": ["all-routes"]}, "proof": {"4.A.1": ["6.F.1"]}, "open": {}}
    text = inference_page(samples.inferred(**only, contradictions=[], bugs=[], unsupported=[], every_case=True)).text
    assert "1 of 1 issues settled Its answers are those of one ruleset." in text
    assert "There is none: some ruleset gives every answer that is no bug." in text
    assert "Every answer is right under some ruleset." in text
    assert "--all" not in text
    assert "Not answered" not in text


def test_the_cases_that_tell_something_have_their_boards_closed() -> None:
    page = inference_page(samples.inferred())
    bodies = [attrs["id"] for attrs in page.named("div") if attrs.get("class") == "body"]
    assert bodies == ["6.F.3", "6.F.2", "6.F.4", "6.F.1", "6.F.5"]
    assert not [attrs for attrs in page.named("details") if "open" in attrs]
    fewer = inference_page(samples.inferred(contradictions=[], bugs=[], unsupported=[]))
    assert [attrs["id"] for attrs in fewer.named("div") if attrs.get("class") == "body"] == ["6.F.1"]
