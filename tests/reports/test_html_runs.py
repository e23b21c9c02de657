from __future__ import annotations

from collections import Counter

import msgspec

from datc.reports.html_runs import render_html_runs
from datc.reports.report import Report

from .test_html import Page


def test_runs_are_set_side_by_side(every_verdict: Report, passing: Report) -> None:
    page = Page(render_html_runs([passing, every_verdict]))
    assert "2 of 7 cases have the same verdict in all runs." in page.text
    assert "Run 2, Mine, did not finish: the engine gave out." in page.text
    assert "6.F.4 A case that is declared § declared § declared" in page.text
    assert "6.F.7 A case that is not-run not in this run … not-run" in page.text
    assert "✓ passed 1 1" in page.text


def test_each_verdict_but_passed_leads_to_what_its_run_says_of_it(every_verdict: Report, passing: Report) -> None:
    page = Page(render_html_runs([passing, every_verdict, passing]))
    ids = Counter(page.attributes("id"))
    assert set(ids.values()) == {1}
    hrefs = page.attributes("href")
    assert all(href.startswith("#") for href in hrefs)
    assert {href[1:] for href in hrefs} <= set(ids)
    articles = [attrs["id"] for attrs in page.named("article")]
    assert len(articles) == 1 + 6 + 1
    assert {f"#{article}" for article in articles} <= set(hrefs)
    assert "A London should be in BEL, and is in LON" in page.text


def test_runs_that_pass_all(passing: Report) -> None:
    passed = msgspec.structs.replace(passing, cases=passing.cases[:1])
    page = Page(render_html_runs([passed, passed]))
    assert "There is none." in page.text
    assert page.named("article") == []


def test_an_empty_run_can_be_shown(empty: Report) -> None:
    assert "0 of 0 cases" in Page(render_html_runs([empty, empty])).text


def test_nothing_that_an_engine_says_runs_or_loads(hostile: Report, passing: Report) -> None:
    html = render_html_runs([hostile, passing])
    page = Page(html)
    tags = {tag for tag, _ in page.elements}
    assert tags.isdisjoint({"script", "img", "link", "iframe", "object", "embed", "form", "base", "svg"})
    names = {name for _, attrs in page.elements for name in attrs}
    assert not [name for name in names if name.startswith("on") or name in ("src", "style", "srcset")]
    assert all(href.startswith("#") for href in page.attributes("href"))
    assert "<script>alert(1)</script>" in page.text
    assert b"default-src 'none'; style-src 'unsafe-inline'" in html
