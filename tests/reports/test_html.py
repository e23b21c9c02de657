"""The page of a run, taken apart: what it shows, and what it lets nobody do."""

import base64
import gzip
import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from datc.adapters.conversion import read_submission
from datc.adapters.protocol import AdjudicateParams, AdjudicateResult, OrderResultMessage
from datc.cases import load_ruleset, load_suite
from datc.harness.play.report_data import order_set_data
from datc.reports.boardmap.style import contrast
from datc.reports.html import render_html
from datc.reports.html_cases import answer_text, request_text
from datc.reports.report import VERDICTS, CaseData, FactData, OrderData, Report, RulesetData, summarize
from datc.reports.statements import Evidence, MissingPart
from datc.reports.wording import URGENCY, claim

from . import samples

VOID = frozenset({"meta", "br", "hr", "img", "input", "link"})
OTHERWISE = "As declared 6.F.4 Otherwise ✓ 6.F.1 , passed any-route"
SVG = frozenset({"path", "circle", "rect", "use", "line", "ellipse", "polygon"})


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

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SVG
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    @property
    def text(self) -> str:
        return " ".join(" ".join(data for tag, data in self.texts if tag not in ("style", "script")).split())

    def attributes(self, name: str) -> list[str]:
        return [attrs[name] or "" for _, attrs in self.elements if name in attrs]

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.elements if name == tag]


def test_every_case_has_an_anchor_and_a_verdict_in_words(every_verdict: Report) -> None:
    page = Page(render_html(every_verdict))
    assert [attrs["class"] for attrs in page.named("article")] == [f"case {verdict}" for verdict in URGENCY]
    assert sorted(anchor for anchor in page.attributes("id") if anchor.startswith("6.F.")) == [
        case.id for case in every_verdict.cases
    ]
    for verdict in VERDICTS:
        assert re.search(rf"A case that is {verdict} \S {verdict}\b", page.text)
    inner = [attrs for (tag, _), (after, attrs) in pairwise(page.elements) if tag == "article" and after == "details"]
    assert ["open" in attrs for attrs in inner] == [*[True] * 6, False], "only what did not pass is open"
    assert sum("open" in attrs for attrs in page.named("details")) == 6


def test_two_suites_may_share_case_ids(passing: Report) -> None:
    others = [replace(case, suite="house") for case in passing.cases]
    page = Page(render_html(_with_cases(passing, [*passing.cases, *others])))
    bodies = [attrs["id"] for attrs in page.named("div") if attrs.get("class") == "body"]
    assert bodies == ["6.F.4", "house:6.F.4", "6.F.1", "house:6.F.1"]
    assert "https://boardgamegeek.com/filepage/274846/datc-diplomacy-adjudicator-test-cases" in page.attributes("href")
    assert "Read 6.F.1 in house." in page.text


def test_it_says_at_the_top_that_a_run_did_not_finish_and_below_what_is_wrong_with_it(every_verdict: Report) -> None:
    text = Page(render_html(every_verdict)).text
    assert text.index("This run did not finish: the engine gave out.") < text.index("Ruleset datc-3.2")
    assert "Looks like an engine that lets no army move ( lame-army ), seen in 6.F.3 though not in 6.F.1" in text
    assert "Right under any-route The convoy fails as soon as one of its routes is disrupted." in text
    assert "In force all-routes The convoy fails only when every one of its routes is disrupted." in text


def test_it_says_which_parts_of_the_rules_are_missing(every_verdict: Report) -> None:
    one, other = every_verdict.cases[:2]
    part = MissingPart(
        name="convoys-missing",
        sentence="carries out no convoy",
        topic="convoys",
        cases=[one.name],
        explained=[],
        hollow=[other.name],
        asked=1,
        evidence=Evidence(strength="confirmed", asked=20, agreed=20),
    )
    text = Page(render_html(replace(every_verdict, missing_parts=[part]))).text
    assert (
        f"engine that carries out no convoy ( convoys-missing ), seen in {one.id} (of 1 case about convoys 1 is not "
        f"passed; 1 other with such orders pass, and show nothing:) {other.id} (tested: 20 of 20 new positions agree)"
    ) in text


def test_a_unit_that_stands_twice_is_marked(passing: Report) -> None:
    case = passing.cases[0]
    (phase,) = case.phases
    assert phase.answer is not None
    unit = phase.answer.units[0]
    twice = FactData(kind="unit-twice", unit=unit, expected="once", actual="2 times")
    answer = replace(phase.answer, units=[*phase.answer.units, unit])
    phase = replace(phase, answer=answer, facts=[twice], differences=["impossible board: it is listed 2 times"])
    page = Page(render_html(_with_cases(passing, [replace(case, phases=[phase])])))
    assert "England A BEL, F NTH A BEL unexpected , A BEL unexpected , F NTH " in page.text


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        (
            ["any-route", "any-route all-routes"],
            "≠ not the declared one any-route The convoy fails as soon as one of its routes is disrupted. " + OTHERWISE,
        ),
        (
            ["any-route", "all-routes"],
            "✗ contradictory No choice fits all cases. Closest: any-route or all-routes , 1 of 2. " + OTHERWISE,
        ),
        (["all-routes", ""], "✓ as declared 6.F.1"),
        (["", ""], "No case of this run tells the choices of an issue apart."),
    ],
)
def test_the_issues_table_joins_the_cases(passing: Report, choices: list[str], said: str) -> None:
    cases = [replace(case, choices={"4.A.1": fits.split()}) for case, fits in zip(passing.cases, choices, strict=True)]
    assert said in Page(render_html(_with_cases(passing, cases))).text


def test_it_says_which_choices_are_the_engines_own(passing: Report) -> None:
    ruleset = replace(passing.ruleset, choices={"4.A.1": "any-route", "4.A.2": "szykman"})
    text = Page(render_html(replace(passing, ruleset=ruleset))).text
    assert "Ruleset datc-3.2 , but for 4.A.1 , where it declares its own choice" in text
    assert "The engine's own; the ruleset has all-routes ." in text


def test_boards_before_expected_and_got_have_each_their_text(every_verdict: Report) -> None:
    page = Page(render_html(_with_cases(every_verdict, every_verdict.cases[2:3])))
    boards = [attrs for attrs in page.named("svg") if attrs.get("role") == "img"]
    assert [board["aria-labelledby"] for board in boards] == [
        f"board-0-0-{name}-t board-0-0-{name}-d" for name in ("before", "expected", "got")
    ]
    assert "6.F.3, spring 1901, movement. Before, with the orders." in page.text
    assert "A London moves to Belgium, convoyed by F North Sea;" in page.text


OWN_RULES = RulesetData(name="datc-3.2", choices=dict(load_ruleset("datc-3.2").ruleset().choices))


def test_only_a_whole_edition_under_its_own_ruleset_is_called_compliant(passing: Report) -> None:
    passed, declared = passing.cases
    passing = replace(passing, ruleset=OWN_RULES)
    ids = [case.id for case in load_suite("datc-3.2").cases]
    cases = [replace(passed, id=name, phases=[]) for name in ids]
    assert claim(_with_cases(passing, cases)).words == "DATC 3.2 compliant"
    assert claim(_with_cases(passing, cases[:1])).words == "As expected"
    other = replace(passing, ruleset=replace(OWN_RULES, choices={**OWN_RULES.choices, "4.A.3": "alexander"}))
    assert claim(_with_cases(other, cases)).words == "As expected"
    made = claim(_with_cases(passing, [*(replace(declared, id=name, phases=[]) for name in ids[:3]), *cases[3:]]))
    assert made.words == "DATC 3.2 compliant with 3 declared deviations"
    assert made.detail == "173 of 176 cases pass and 3 are declared."


def test_the_claim_says_what_stands_against_it(passing: Report, every_verdict: Report) -> None:
    against = replace(every_verdict, complete=True, incomplete_reason="", ruleset=OWN_RULES)
    assert claim(against).words == "Not DATC 3.2 compliant"
    assert claim(against).detail.startswith("1 of 7 cases passes, 1 deviates, 1 fails, 1 is declared,")
    assert claim(every_verdict).words == "The run did not finish"
    assert "No case was run There is nothing to say" in Page(render_html(samples.report([]))).text
    assert claim(passing).kind == "partial"


def test_the_policy_allows_the_pages_own_style_and_script_by_their_hash(passing: Report) -> None:
    html = render_html(passing)
    page = Page(html)
    policies = [attrs["content"] or "" for attrs in page.named("meta") if "http-equiv" in attrs]
    style, script = ("".join(data for name, data in page.texts if name == tag) for tag in ("style", "script"))
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    allowed = "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; ".format(*digests)
    assert policies == [allowed + "base-uri 'none'; form-action 'none'"]
    assert html.startswith(b'<!DOCTYPE html>\n<html lang="en">')
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
    engine = replace(passing.engine, url=url)
    page = Page(render_html(replace(passing, engine=engine)))
    assert not [attrs for attrs in page.named("a") if "nofollow" in (attrs.get("rel") or "")]
    assert " ".join(url.split()) in page.text


def test_the_page_of_the_engine_and_the_source_of_a_case_are_links(passing: Report) -> None:
    case = replace(passing.cases[0], source="https://example.org/x?y#z")
    page = Page(render_html(_with_cases(passing, [case, replace(passing.cases[1], source="javascript:alert(1)")])))
    found = [attrs["href"] for attrs in page.named("a") if "nofollow" in (attrs.get("rel") or "")]
    assert found == ["https://example.org/mine", "https://example.org/x?y#z"]


def test_a_whole_suite_stays_small(every_verdict: Report) -> None:
    cases = [
        replace(every_verdict.cases[number % 4], id=f"6.F.{number}", phases=case.phases * 2)
        for number, case in enumerate(every_verdict.cases[:4] * 41)
    ]
    assert len(render_html(_with_cases(every_verdict, cases))) < 3_000_000


def test_a_real_run_is_one_small_page(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    command = Path(sys.executable).with_name("datc-check")
    done = subprocess.run([command, "run", "builtin", "--report", f"html:{path}"], cwd=tmp_path, check=False)
    assert done.returncode == 0
    assert path.stat().st_size < 900_000
    opened = re.sub(r"<noscript>.*?</noscript>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(re.findall(r"<[a-z]", opened)) < 6_000, "what is closed is no element yet"
    page = Page(path.read_bytes())
    assert len(page.named("article")) == 176
    assert set(Counter(page.attributes("id")).values()) == {1}
    assert "DATC 3.2 compliant All 176 cases pass." in page.text
    (block,) = [data for tag, data in page.texts if tag == "template" and data.strip()]
    packed = json.loads(gzip.decompress(base64.b64decode(block)))
    boards = [packed[int(place)] for place in page.attributes("data-board")]
    assert len(boards) == sum(len(case.phases) for case in load_suite("datc-3.2").cases)
    assert all('role="img"' in board and 'fill="url(#dm-map)"' in board for board in boards)


def test_the_colours_have_enough_contrast(passing: Report) -> None:
    style = "".join(data for tag, data in Page(render_html(passing)).texts if tag == "style")
    blocks = re.findall(r"(:root[^{]*)\{([^}]*)\}", style)
    palettes = {name.strip(): dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for name, block in blocks}
    assert set(palettes) == {":root", ":root:not([data-theme=light])", ":root[data-theme=dark]"}
    light, dark, chosen = palettes.values()
    assert dark == chosen
    assert set(light) == set(dark)
    badges = [(name, f"{name}-bg") for name in light if f"{name}-bg" in light]
    on_page = [(name, ground) for name in ("text", "soft", "link") for ground in ("page", "panel")]
    pairs = [*badges, *on_page, ("text", "mark"), ("text", "raised"), ("against", "raised"), ("declared", "panel")]
    for palette in (light, dark):
        contrasts = {pair: contrast(palette[pair[0]], palette[pair[1]]) for pair in pairs}
        assert {pair: ratio for pair, ratio in contrasts.items() if ratio < 4.5} == {}


def _with_cases(report: Report, cases: list[CaseData]) -> Report:
    return replace(report, cases=cases, summary=summarize(cases))


def test_a_case_names_its_trace_as_text(every_verdict: Report) -> None:
    case = replace(every_verdict.cases[0], trace="traces/<b>+6.A.1.jsonl")
    html = render_html(replace(every_verdict, cases=[case])).decode()
    assert "Trace: <code>traces/&lt;b&gt;+6.A.1.jsonl</code>." in html
    assert "Trace: " not in render_html(every_verdict).decode()


def test_a_search_says_that_it_did_not_finish() -> None:
    text = Page(render_html(samples.searched())).text
    assert "Not finished: 970 of 2000 positions were asked." in text
    assert "This run did not finish" not in text


def test_the_request_has_the_order_sets_of_a_case() -> None:
    (sample,) = samples.every_verdict().cases[2].phases
    phases = [phase for case in load_suite("extended").cases for phase in case.phases]
    assert any(phase.marks for phase in phases)
    assert not all(phase.in_sequence for phase in phases)
    for phase in phases:
        orders = [
            OrderData(power=each.power, text=each.text, order_set=order_set_data(phase, each)) for each in phase.orders
        ]
        request = request_text(replace(sample, orders=orders), samples.every_verdict().ruleset).unescape()
        submission = read_submission(msgspec.json.decode(request, type=AdjudicateParams))
        assert (submission.marks, submission.in_sequence) == (phase.marks, phase.in_sequence)
        for said, order in zip(submission.writings, phase.orders, strict=True):
            assert said.order_set == order.submitted.order_set
            assert said.beforehand == order.submitted.beforehand


def test_the_answer_is_one_of_the_protocol_with_null_for_an_order_without_an_outcome() -> None:
    (phase,) = samples.every_verdict().cases[2].phases
    assert phase.answer is not None
    result = msgspec.json.decode(answer_text(phase.answer, phase).unescape(), type=AdjudicateResult)
    assert result.orders == [OrderResultMessage(outcome="fails", reason="no-path"), None, None]
    assert result.dislodged is not None
    assert (result.dislodged[0].from_, result.dislodged[0].retreats) == ("MAO", ["IRI", "WAL"])
