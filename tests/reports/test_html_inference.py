from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from urllib.parse import unquote

from datc.reports.html import render_html_inference
from datc.reports.report import InferenceReport

from . import samples
from .test_html import Page


def page_of(inference: InferenceReport) -> Page:
    return Page(render_html_inference(inference))


def test_it_says_at_the_top_how_much_is_known() -> None:
    text = page_of(samples.inferred()).text
    assert "1 of 3 issues settled 2 are open; 1 set of answers contradicts itself; " in text
    assert "1 answer is wrong under every ruleset; 1 case was not answered." in text
    assert "Cases asked 5, as long as they told something" in text


def test_an_engine_without_a_mutant_is_said_to_be_one() -> None:
    only = {"choices": {"4.A.1": ["all-routes"]}, "proof": {"4.A.1": ["6.F.1"]}, "open": {}}
    text = page_of(samples.inferred(**only, contradictions=[], bugs=[], unsupported=[], every_case=True)).text
    assert "1 of 1 issues settled Its answers are those of one ruleset." in text
    assert "There is none: some ruleset gives every answer that is no bug." in text
    assert "Every answer is right under some ruleset." in text
    assert "--all" not in text
    assert "Not answered" not in text


def test_each_issue_has_its_choice_and_its_proof_or_says_why_it_is_open() -> None:
    text = page_of(samples.inferred()).text
    assert "all-routes The convoy fails only when every one of its routes is disrupted. All 2 choices" in text
    assert "open 2000 or szykman 6.F.3 should decide this, but the answers do not." in text
    assert "open any choice No case has another outcome." in text


def test_a_contradiction_shows_what_each_answer_fits() -> None:
    text = page_of(samples.inferred()).text
    assert "≠ 6.F.2 , deviated A case that is deviated: fits 4.A.1 any-route ." in text
    assert "✓ 6.F.5 , passed A case that is passed: fits 4.A.1 all-routes ." in text
    assert "datc-check infer --all asks every case." in text


def test_the_cases_that_tell_something_have_their_boards_closed() -> None:
    page = page_of(samples.inferred())
    assert [attrs["id"] for attrs in page.named("div") if attrs.get("class") == "body"] == [
        "6.F.3",
        "6.F.2",
        "6.F.4",
        "6.F.1",
        "6.F.5",
    ]
    assert not [attrs for attrs in page.named("details") if "open" in attrs]
    fewer = page_of(samples.inferred(contradictions=[], bugs=[], unsupported=[]))
    assert [attrs["id"] for attrs in fewer.named("div") if attrs.get("class") == "body"] == ["6.F.1"]


def test_every_link_within_the_page_leads_somewhere() -> None:
    page = page_of(samples.inferred())
    ids = Counter(page.attributes("id"))
    assert set(ids.values()) == {1}
    assert {unquote(href[1:]) for href in page.attributes("href") if href.startswith("#")} <= set(ids)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_nothing_that_an_engine_says_runs_or_loads() -> None:
    page = page_of(samples.hostile_inference())
    tags = {tag for tag, _ in page.elements}
    assert tags.isdisjoint({"img", "image", "link", "iframe", "object", "embed", "form", "base", "foreignobject"})
    assert (page.named("script"), page.named("style")) == ([{}], [{}])
    names = {name for _, attrs in page.elements for name in attrs}
    assert not [name for name in names if name.startswith("on") or name in ("src", "style", "srcset")]
    outer = {href for href in page.attributes("href") if not href.startswith("#")}
    assert all(href.startswith("https://") and "evil" not in href for href in outer)
    assert "<script>alert(1)</script>" in page.text
