from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from urllib.parse import unquote

import msgspec

from datc.reports.comparison import Comparison
from datc.reports.html import render_html_comparison
from datc.reports.report import Report

from . import samples
from .test_html import Page


def page_of(comparison: Comparison) -> Page:
    return Page(render_html_comparison(comparison))


def test_it_says_at_the_top_how_far_they_agree() -> None:
    text = page_of(samples.three_engines()).text
    assert "They differ in 2 of 4 cases In 1 all 3 answer alike." in text
    assert "In 1 not all answered, and those who did agree." in text
    assert "Mine was not asked to the end: it gave out." in text


def test_each_engine_has_its_figures_and_the_cases_in_which_it_is_alone() -> None:
    text = page_of(samples.three_engines()).text
    assert "1 Mine 2.0 its page of engine 1 exec:./mine 4 of 4 ✓ 4 passed in no case" in text
    assert "4 of 4 ✗ 1 failed ≠ 1 deviated ✓ 2 passed 6.F.2" in text
    assert "2 of 4 ! 1 error ○ 1 unsupported ✓ 2 passed in no case" in text


def test_every_two_engines_have_their_agreement() -> None:
    text = page_of(samples.three_engines()).text
    rows = ["1 Mine \N{EN DASH} 50 % 2/4 100 % 2/2", "2 Mine 50 % 2/4 \N{EN DASH} 50 % 1/2"]
    assert " ".join([*rows, "3 Mine 100 % 2/2 50 % 1/2 \N{EN DASH}"]) in text
    assert "No two of them answer every case alike." in text


def test_the_issues_that_part_them_have_each_ones_choice_and_the_cases() -> None:
    text = page_of(samples.three_engines()).text
    assert "1 Mine all-routes The convoy fails only when every one of its routes is disrupted." in text
    assert "3 Mine not seen No answer tells. 6.F.3 Answers that no one ruleset gives" in text
    assert "2 Mine 6.F.1 and 6.F.2" in text


def test_the_matrix_has_all_cases_those_in_which_they_differ_first() -> None:
    text = page_of(samples.three_engines()).text
    rows = re.findall("(6[.]F[.][0-9]) A case that is [a-z]+((?: [A-Z\N{EN DASH}] [^ ] , [a-z-]+){3})", text)
    assert rows == [
        ("6.F.2", " A ✓ , passed B ✗ , failed A ✓ , passed"),
        ("6.F.3", " A ✓ , passed B ≠ , deviated \N{EN DASH} ○ , unsupported"),
        ("6.F.1", " A ✓ , passed A ✓ , passed A ✓ , passed"),
        ("6.F.4", " A ✓ , passed A ✓ , passed \N{EN DASH} ! , error"),
    ]


def test_a_case_shows_a_board_for_each_answer_and_what_is_only_there() -> None:
    page = page_of(samples.three_engines())
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
    page = page_of(samples.compared(failed, deviated))
    assert "Expected" in page.text
    assert "A: engines 1, 2" in page.text
    assert [attrs["class"] for attrs in page.named("article")] == ["case alike"]


def test_every_link_within_the_page_leads_somewhere() -> None:
    page = page_of(samples.three_engines())
    ids = Counter(page.attributes("id"))
    assert set(ids.values()) == {1}
    inner = [unquote(href[1:]) for href in page.attributes("href") if href.startswith("#")]
    assert {"6.F.2", "6.F.4", "matrix"} <= set(inner)
    assert set(inner) <= set(ids)


def test_headings_descend_one_step_at_a_time() -> None:
    levels = [int(tag[1]) for tag, _ in page_of(samples.three_engines()).elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_engines_that_pass_all(passing: Report) -> None:
    passed = msgspec.structs.replace(passing, cases=passing.cases[:1])
    page = page_of(samples.compared(passed, passed))
    assert "They answer every case alike 1 case, both answered." in page.text
    assert "All of them answer every case alike." in page.text
    assert "No issue parts them" in page.text
    assert "All of them pass every case." in page.text
    assert page.named("article") == []


def test_engines_of_which_none_answers() -> None:
    silent = samples.report([samples.case(1, "unsupported")])
    text = page_of(samples.compared(silent, silent)).text
    assert "Nobody contradicts another In 0 both answer alike. In 1 not all answered" in text
    assert "none in common" in text
    assert "No two of them answer every case alike." in text


def test_empty_runs_can_be_shown(empty: Report) -> None:
    assert "No case was run There is nothing to compare." in page_of(samples.compared(empty, empty)).text


def test_nothing_that_an_engine_says_runs_or_loads(hostile: Report, passing: Report) -> None:
    page = page_of(samples.compared(hostile, passing, hostile))
    tags = {tag for tag, _ in page.elements}
    assert tags.isdisjoint({"img", "image", "link", "iframe", "object", "embed", "form", "base", "foreignobject"})
    assert (page.named("script"), page.named("style")) == ([{}], [{}])
    names = {name for _, attrs in page.elements for name in attrs}
    assert not [name for name in names if name.startswith("on") or name in ("src", "style", "srcset")]
    outer = {href for href in page.attributes("href") if not href.startswith("#")}
    assert all(href.startswith("https://") and "evil" not in href for href in outer)
    assert "<script>alert(1)</script>" in page.text
