from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise

import msgspec
import pytest

from datc.reports.html import render_html
from datc.reports.report import VERDICTS, CaseData, Report, summarize

VOID = frozenset({"meta", "br", "hr", "img", "input", "link"})


class Page(HTMLParser):
    """A page taken apart. Elements that are not closed in order are an error."""

    def __init__(self, html: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(html.decode())
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    @property
    def text(self) -> str:
        return " ".join(" ".join(data for tag, data in self.texts if tag != "style").split())

    def attributes(self, name: str) -> list[str]:
        return [attrs[name] or "" for _, attrs in self.elements if name in attrs]

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.elements if name == tag]


def test_every_case_has_an_anchor_and_a_verdict_in_words(every_verdict: Report) -> None:
    page = Page(render_html(every_verdict))
    articles = {attrs["id"]: attrs["class"] for attrs in page.named("article")}
    assert articles == {case.id: f"case {case.verdict}" for case in every_verdict.cases}
    for verdict in VERDICTS:
        assert re.search(rf"A case that is {verdict} \S {verdict}\b", page.text)


def test_ids_are_unique_and_every_link_within_the_page_leads_somewhere(every_verdict: Report) -> None:
    page = Page(render_html(every_verdict))
    ids = Counter(page.attributes("id"))
    assert set(ids.values()) == {1}
    inner = [href[1:] for href in page.attributes("href") if href.startswith("#")]
    assert inner
    assert set(inner) <= set(ids)


def test_two_suites_may_share_case_ids(passing: Report) -> None:
    others = [msgspec.structs.replace(case, suite="house") for case in passing.cases]
    page = Page(render_html(_with_cases(passing, [*passing.cases, *others])))
    assert [attrs["id"] for attrs in page.named("article")] == ["6.F.1", "6.F.4", "house:6.F.1", "house:6.F.4"]
    assert "Read DATC section 6.F.1" in page.text
    assert "Read house 6.F.1" in page.text


def test_only_what_did_not_pass_is_open(every_verdict: Report) -> None:
    details = Page(render_html(every_verdict)).named("details")
    assert ["open" in attrs for attrs in details] == [False, False, *[True] * 6]


def test_it_says_at_the_top_that_a_run_did_not_finish(every_verdict: Report, passing: Report) -> None:
    text = Page(render_html(every_verdict)).text
    assert text.index("This run did not finish: the engine gave out.") < text.index("against datc-3.1")
    assert "did not finish" not in Page(render_html(passing)).text


def test_it_says_what_ran_against_which_rules(passing: Report) -> None:
    page = Page(render_html(passing))
    assert "All 2 cases pass or are declared: compliant with 1 declared deviation." in page.text
    assert "Mine 2.0" in page.text
    assert "datc-check 0.1.0" in page.text
    assert "4.A.2 Convoy disruption paradoxes szykman" in page.text
    assert "https://example.org/mine" in page.attributes("href")


def test_units_in_the_wrong_place_are_marked_in_words(every_verdict: Report) -> None:
    failed = [case for case in every_verdict.cases if case.verdict == "failed"]
    page = Page(render_html(_with_cases(every_verdict, failed)))
    assert len(page.named("mark")) == 2
    assert "England A BEL missing , F NTH A LON unexpected , F NTH" in page.text
    assert "France F ENG F ENG" in page.text
    assert "F ENG dislodged from MAO, may retreat to IRI, WAL" in page.text


def test_what_agrees_is_not_marked(passing: Report) -> None:
    page = Page(render_html(_with_cases(passing, passing.cases[:1])))
    assert page.named("mark") == []


def test_a_unit_that_stands_twice_is_marked_once(passing: Report) -> None:
    case = passing.cases[0]
    answer = case.phases[0].answer
    assert answer is not None
    doubled = msgspec.structs.replace(answer, units=[*answer.units, answer.units[0]])
    phase = msgspec.structs.replace(case.phases[0], answer=doubled)
    page = Page(render_html(_with_cases(passing, [msgspec.structs.replace(case, phases=[phase])])))
    assert "A BEL, A BEL unexpected , F NTH" in page.text
    assert len(page.named("mark")) == 1


def test_a_case_without_an_answer_marks_nothing(every_verdict: Report) -> None:
    errors = [case for case in every_verdict.cases if case.verdict == "error"]
    page = Page(render_html(_with_cases(every_verdict, errors)))
    assert page.named("mark") == []
    assert "no answer" in page.text


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        (["any-route all-routes", "all-routes"], "Multi-route convoy disruption all-routes all-routes 6.F.1"),
        (
            ["any-route", "any-route all-routes"],
            "any-route ≠ not the declared one As declared: 6.F.4 Otherwise: 6.F.1 any-route",
        ),
        (
            ["any-route", "all-routes"],
            "✗ contradictory : no choice fits all cases Closest: any-route or all-routes , 1 of 2",
        ),
        (["any-route", ""], "✗ no choice : 6.F.4 fits none Closest: any-route , 1 of 2"),
        (["", ""], "✗ no choice : 6.F.1 , 6.F.4 fit none Otherwise: 6.F.1 none 6.F.4 none"),
    ],
)
def test_the_issues_table_joins_the_cases(passing: Report, choices: list[str], said: str) -> None:
    cases = [
        msgspec.structs.replace(case, choices={"4.A.1": fits.split()})
        for case, fits in zip(passing.cases, choices, strict=True)
    ]
    assert said in Page(render_html(_with_cases(passing, cases))).text


def test_nothing_that_an_engine_says_runs_or_loads(hostile: Report) -> None:
    page = Page(render_html(hostile))
    tags = {tag for tag, _ in page.elements}
    assert tags.isdisjoint({"script", "img", "link", "iframe", "object", "embed", "form", "base", "svg"})
    names = {name for _, attrs in page.elements for name in attrs}
    assert not [name for name in names if name.startswith("on") or name in ("src", "style", "srcset")]
    assert all(href.startswith("#") for href in page.attributes("href"))
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "javascript:alert(1)//\ufffd" in page.text


def test_the_policy_forbids_everything_but_the_inline_style(passing: Report) -> None:
    html = render_html(passing)
    page = Page(html)
    policies = [attrs["content"] for attrs in page.named("meta") if "http-equiv" in attrs]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert html.startswith(b'<!DOCTYPE html>\n<html lang="en">')
    style = "".join(data for tag, data in page.texts if tag == "style")
    assert "prefers-color-scheme: dark" in style
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//example.org",
        "https:",
        "https:///x",
        "https://a b",
        "x https://example.org",
    ],
)
def test_only_web_addresses_become_links(passing: Report, url: str) -> None:
    engine = msgspec.structs.replace(passing.engine, url=url)
    page = Page(render_html(msgspec.structs.replace(passing, engine=engine)))
    assert all(href.startswith("#") for href in page.attributes("href"))
    assert " ".join(url.split()) in page.text


def test_no_control_character_reaches_the_page(hostile: Report) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe]", render_html(hostile).decode())


def test_headings_descend_one_step_at_a_time(every_verdict: Report) -> None:
    levels = [int(tag[1]) for tag, _ in Page(render_html(every_verdict)).elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_a_run_of_no_case_renders(empty: Report) -> None:
    assert "No case was run." in Page(render_html(empty)).text


def test_a_whole_suite_stays_small(every_verdict: Report) -> None:
    cases = [
        msgspec.structs.replace(every_verdict.cases[number % 4], id=f"6.F.{number}", phases=case.phases * 2)
        for number, case in enumerate(every_verdict.cases[:4] * 41)
    ]
    assert len(render_html(_with_cases(every_verdict, cases))) < 3_000_000


def test_the_colours_have_enough_contrast(passing: Report) -> None:
    style = "".join(data for tag, data in Page(render_html(passing)).texts if tag == "style")
    light, dark = map(_palette, style.split("@media screen and")[:2])
    badges = [(name, f"{name}-bg") for name in light if f"{name}-bg" in light]
    on_page = [(name, "page") for name in ("text", "soft", "link", "against")]
    pairs = [*badges, *on_page, ("text", "panel"), ("text", "mark")]
    assert set(light) == set(dark)
    for palette in (light, dark):
        contrasts = {pair: _contrast(palette[pair[0]], palette[pair[1]]) for pair in pairs}
        assert {pair: contrast for pair, contrast in contrasts.items() if contrast < 4.5} == {}


def _with_cases(report: Report, cases: list[CaseData]) -> Report:
    return msgspec.structs.replace(report, cases=cases, summary=summarize(cases))


def _palette(style: str) -> dict[str, str]:
    return {found[1]: found[2] for found in re.finditer(r"--([\w-]+): (#\w{6});", style)}


def _contrast(front: str, back: str) -> float:
    """The contrast ratio of WCAG 2.1, 1.4.3."""
    darker, lighter = sorted((_luminance(front), _luminance(back)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
