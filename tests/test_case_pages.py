"""The pages of cases and issues: they show what the case files expect, are small, and link to what is there."""

# The site's generators are no package.
# pyright: reportMissingImports=false
from __future__ import annotations

import dataclasses
import html
import json
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin

import pytest
from msgspec import structs
from msgspec.structs import replace

from datc.adapters.bridges import bridge_names, find_bridge
from datc.cases import Case, load_issues, load_ruleset, load_suite, ruleset_names, suite_names
from datc.cases.suite import SUCCESSES, USUAL_EDITION
from datc.harness.explain.outcomes import count_outcomes, expected_outcomes, explain_all_rulesets
from datc.harness.play.case_verdicts import phases_with_answer
from datc.harness.play.session import ReferenceAdjudicator, case_inputs, play
from datc.harness.play.verdict import Rules, expected_answer, expected_under
from datc.harness.run.runner import read_expected
from datc.reference_engine import Ruleset, Unit, standard_board

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from .conftest import ReadyBridge

from .conftest import ROOT, SITE_URL, open_settled
from .harness.cli.running import call

PluginError = pytest.importorskip("mkdocs.exceptions", reason="the documentation tools are not installed").PluginError
meta = pytest.importorskip("mkdocs.utils.meta")
with pytest.MonkeyPatch.context() as patched:
    patched.syspath_prepend(ROOT / "docs" / "generate")
    from engine_pages import engine_page
    from engine_verdicts import engine_of_run, verdicts_on
    from html_pages import HtmlPage
    from outcomes import outcomes_of
    from play_pages import play_link
    from stored_runs import read_stored, stored_engines

CASES = {case.key: case for name in suite_names() for case in load_suite(name).cases}
RULESETS = {name: load_ruleset(name).ruleset() for name in ruleset_names()}
RESULT = re.compile(r"</td><td>([^<]*)</td></tr>")
Phase = tuple[frozenset[str], frozenset[str], list[str]]
"""The units after a phase, the dislodged ones, and what happened to the orders."""


def address_of(case: Case) -> str:
    return f"cases/{case.id}" if case.suite == USUAL_EDITION else f"cases/{case.suite}/{case.id}"


def article(site: Path, page: str) -> str:
    text = (site / page / "index.html").read_text("utf-8")
    return text.partition("<article")[2].partition("</article>")[0]


def shown_outcomes(page: str) -> Iterator[tuple[list[str], list[Phase], bool]]:
    """Each outcome that a page shows: the rulesets that give it, its phases, and whether all have an answer.

    Those that differ from another one in words only say which orders have another result.
    """
    for tab in re.split(r'<div class="(?:tabbed-block )?outcome" data-rulesets="', page)[1:]:
        block = tab.partition("<h2>")[0]
        first, *others = re.split(r'<div class="other-words" data-rulesets="', block)
        names, _, rest = first.partition('"')
        phases: list[Phase] = [
            (_shown_units(part, "units"), _shown_units(part, "dislodged"), RESULT.findall(part))
            for part in rest.split('<div class="phase">')[1:]
        ]
        has_answer = 'class="no-answer"' not in block
        yield names.split(), phases, has_answer
        for names, _, rest in (other.partition('"') for other in others):
            changed: list[Phase] = [(units, dislodged, [*results]) for units, dislodged, results in phases]
            for row in re.findall(r'<tr data-order="(\d+\.\d+)">(.*?</tr>)', rest):
                phase, order = map(int, row[0].split("."))
                (changed[phase][2][order],) = RESULT.findall(row[1])
            assert changed != phases or not names
            yield names.split(), changed, has_answer


def _shown_units(part: str, name: str) -> frozenset[str]:
    listed = part.partition(f'<ul class="{name}"')[2].partition("</ul>")[0]
    powers = re.findall(r"<li>(\w+)[^:]*: (.*?)</li>", listed)
    named = ((power, unit) for power, units in powers for unit in re.findall(r"<span>(.*?)</span>", units))
    return frozenset(f"{power}: {html.unescape(unit)}" for power, unit in named)


def in_words(unit: Unit) -> str:
    board = standard_board()
    return f"{board.power_name(unit.power)}: {unit.type} {board.describe(unit.location)}"


def expected_phases(case: Case, ruleset: Ruleset) -> Iterator[tuple[frozenset[str], frozenset[str], dict[int, str]]]:
    """Read from the case file what is expected, phase by phase, as far as the rules give an answer."""
    count = phases_with_answer(case, Rules(ruleset))
    played = play(ReferenceAdjudicator(ruleset), case_inputs(case)[:count])
    for phase, one in zip(case.phases, played, strict=False):
        expectation = expected_under(phase, ruleset)
        assert expectation is not None
        expected = expected_answer(phase, expectation, one.asked)
        dislodged = frozenset(map(in_words, expected.dislodged or ()))
        yield frozenset(map(in_words, expected.units)), dislodged, dict(expectation.orders)


def test_each_page_shows_what_the_case_file_expects_under_every_ruleset(site: Path) -> None:
    for case in CASES.values():
        outcomes = [*shown_outcomes(article(site, address_of(case)))]
        assert len(outcomes) >= len({each.outcome for each in case.alternatives}), case.key
        shown_for = {name: outcome for outcome in outcomes for name in outcome[0]}
        assert shown_for.keys() == RULESETS.keys(), case.key
        for name, ruleset in RULESETS.items():
            (rulesets, phases, has_answer), expected = shown_for[name], [*expected_phases(case, ruleset)]
            assert has_answer == (len(expected) == len(case.phases)), (case.key, name)
            for shown, (units, dislodged, results) in zip(phases, expected, strict=True):
                assert shown[:2] == (units, dislodged), (case.key, name)
                for order, result in results.items():
                    assert (shown[2][order] in SUCCESSES) == (result in SUCCESSES), (case.key, name)
                    assert rulesets[0] != name or shown[2][order] == result, (case.key, name)


def test_the_pages_count_outcomes_as_explain_does_and_have_one_tab_for_each_board(site: Path) -> None:
    for case in CASES.values():
        own = {load_suite(case.suite).ruleset: None, **RULESETS}
        outcomes = expected_outcomes(case, {name: RULESETS[name] for name in own}, case.alternatives)
        page = article(site, address_of(case))
        tabs = len(re.findall(r'<div class="(?:tabbed-block )?outcome"', page))
        assert tabs == len({each.boards for each in case.alternatives}), case.key
        assert (count_outcomes(outcomes) in page) == (len(outcomes) > 1), case.key
        conditions = [
            re.findall(r'<p class="conditions">(.*?)</p>', tab) for tab in page.split('class="tabbed-block')[1:]
        ]
        assert len({*map(str, conditions)}) == len(conditions), case.key
        if case.key in (f"{USUAL_EDITION}/{name}" for name in ("6.F.14", "6.F.18", "6.F.24", "6.G.8", "6.J.1")):
            table = explain_all_rulesets(case_inputs(case), RULESETS[USUAL_EDITION], RULESETS, {}, case)
            rows = len(table.rows)
            assert f"The rulesets give {rows if rows > 1 else 'one'} outcome" in page, case.key
            assert rows == 1 or count_outcomes(outcomes) in table.sentence


def test_a_tab_is_named_by_what_happens_in_it_and_in_no_other(site: Path) -> None:
    names: dict[str, list[str]] = {}
    for case in load_suite(USUAL_EDITION).cases:
        page = article(site, address_of(case))
        names[case.id] = re.findall(r'<label for="outcome-\d+">([^<]*)<br>', page)
        assert len({*names[case.id]}) == len(names[case.id]) == len(re.findall('<label for="outcome-', page)), case.id
        for name, tab in zip(names[case.id], page.split('class="tabbed-block')[1:], strict=True):
            for ruleset in (re.search('data-rulesets="([^"]*)"', tab) or [""])[1].split():
                expected = case.phases[0].expected(RULESETS[ruleset].choices)
                assert expected is not None
                for unit, fate in re.findall(
                    r"\b[AF] (\w+)\S* (to \S+|stays|dislodged)", name if len(case.phases) == 1 else ""
                ):
                    happens = (
                        f"to {expected.moved[unit]}"
                        if unit in expected.moved
                        else "dislodged"
                        if unit in expected.dislodged
                        else "stays"
                    )
                    assert fate.rstrip(",") == happens, (case.id, name)
    assert names["6.G.8"] == ["A BEL stays", "A BEL to HOL"]
    assert names["6.F.14"] == ["F WAL to ENG", "F WAL stays", "no answer"]
    assert names["6.I.2"] == ["A MOS not built", "A MOS built"]
    assert names["6.A.1"] == []


def test_the_document_is_quoted_in_short_with_its_edition_and_its_address(site: Path) -> None:
    source = html.escape(load_suite(USUAL_EDITION).url)
    for case in CASES.values():
        quoted = re.findall(
            r"<blockquote(.*?)</blockquote><figcaption>(.*?)</figcaption>", article(site, address_of(case))
        )
        assert len(quoted) == (case.suite == USUAL_EDITION), case.key
        for said, place in quoted:
            assert f'cite="{source}"' in said
            assert f'href="{source}"' in place
            assert f"<cite>DATC 3.2, 30 August 2025</cite>, {case.id}" in place
            assert len(said) < 500


def test_each_page_has_its_orders_its_issues_and_its_file_as_it_is(site: Path) -> None:
    for case in CASES.values():
        page = article(site, address_of(case))
        text = html.unescape(page)
        assert all(order.text in text for phase in case.phases for order in phase.orders), case.key
        assert all(f"/issues/{issue}/" in page for issue in (*case.issues, *case.rests_on)), case.key
        links = re.findall(r'href="(?:\.\./)+(play/#[^"]*)"', text)
        assert links == [*filter(None, [play_link(case)])], case.key
        toml = html.unescape(page.rpartition("<code>[[case]]")[2].partition("</code>")[0])
        assert toml.strip() in Path(case.file).read_text("utf-8"), case.key
        assert f'"{case.id}"' in toml


def test_each_issue_has_a_page_with_its_choices_a_board_for_each_the_rulesets_and_the_cases(site: Path) -> None:
    for issue in load_issues().values():
        page = article(site, f"issues/{issue.id}")
        for choice in issue.choice:
            assert f"<code>{choice.key}</code>" in page
            assert html.escape(choice.text, quote=False) in page.replace("&#39;", "'").replace("&#34;", '"')
        for name in RULESETS:
            assert f'href="../../rulesets/{name}/#{issue.id}"' in page
        for case in CASES.values():
            assert (f'href="../../{address_of(case)}/"' in page) == (issue.id in (*case.issues, *case.rests_on))
        examples = page.partition("The simplest case")[2].partition("<h2")[0]
        labels = re.findall(r'<p class="label">(.*?)</p>\s*<div class="boards', examples)
        shown = {choice for label in labels for choice in re.findall(r"<code>(.*?)</code>", label)}
        assert shown == {choice.key for choice in issue.choice}, issue.id


def test_each_ruleset_has_a_board_for_each_choice_that_is_not_the_usual_one(site: Path) -> None:
    for name, ruleset in RULESETS.items():
        page = article(site, f"rulesets/{name}")
        usual = RULESETS[USUAL_EDITION].choices
        others = {issue for issue, choice in ruleset.choices.items() if choice != usual[issue]}
        parts = re.split(r'<h3 id="', page)[1:]
        assert {part.partition('"')[0] for part in parts if 'class="board"' in part} == others, name


def test_the_pages_with_boards_are_small(site: Path) -> None:
    folders = ("cases", "issues", "engines", "rulesets")
    pages = [page for folder in folders for page in (site / folder).rglob("index.html")]
    assert len(pages) > len(CASES)
    assert [page for page in pages if page.stat().st_size > 300_000] == []


def test_links_on_the_pages_lead_somewhere_and_ids_are_there_once(site: Path) -> None:
    """Those that mkdocs does not check: on the pages that it does not make of Markdown."""

    @cache
    def ids_of(page: Path) -> frozenset[str]:
        return frozenset(re.findall(r'\sid="([^"]+)"', page.read_text("utf-8")))

    pages = [address_of(case) for case in CASES.values()] + [f"issues/{issue}" for issue in load_issues()]
    pages += [f"engines/{name}" for name in bridge_names()]
    for page in [*pages, "case-list", "scoreboard", "play"]:
        own = re.findall(r'\sid="([^"]+)"', article(site, page))
        assert len(own) == len(set(own)), page
        for link in set(re.findall(r'\s(?:href|src)="([^"]+)"', article(site, page))):
            if link.startswith(("https:", "http:")):
                continue
            target, _, anchor = urljoin(f"/{page}/", html.unescape(link)).partition("#")
            file = site / unquote(target).lstrip("/")
            file = file / "index.html" if file.is_dir() else file
            assert file.is_file(), (page, link)
            is_position = target == "/play/"  # What stands behind the # is a position, not an id.
            assert not anchor or is_position or anchor in ids_of(file), (page, link)


def test_the_cases_as_data_have_what_the_files_expect(site: Path) -> None:
    cases = json.loads((site / "cases.json").read_bytes())
    assert {f"{case['suite']}/{case['id']}" for case in cases} == CASES.keys()
    for entry in cases:
        case = CASES[f"{entry['suite']}/{entry['id']}"]
        assert (site / entry["url"] / "index.html").is_file()
        named = {name: outcome for outcome in entry["outcomes"] for name in outcome["rulesets"]}
        for name, ruleset in RULESETS.items():
            expected = [units for units, _, _ in expected_phases(case, ruleset)]
            boards = [phase["expected"]["units"] for phase in named[name]["phases"]]
            assert [frozenset(in_words(Unit(**unit)) for unit in board) for board in boards] == expected


def test_each_engine_has_a_page_a_row_of_the_scoreboard_and_its_verdicts_on_the_pages_of_cases(site: Path) -> None:
    scoreboard = article(site, "scoreboard")
    data = {entry["name"]: entry for entry in json.loads((site / "engines.json").read_bytes())}
    cases = load_suite(USUAL_EDITION).cases
    assert data.keys() == {*bridge_names(), *stored_engines()}
    for name in bridge_names():
        expected = read_expected(find_bridge(name))
        page, rows = article(site, f"engines/{name}"), [(case, expected.row(case)) for case in cases]
        sections = page.partition('<h2 id="6.A">')[2]
        passed = sum(verdict == "passed" for _, (verdict, _) in rows)
        assert f'<a href="../engines/{name}/">' in scoreboard
        assert re.search(
            rf'href="../engines/{name}/">[^<]*</a></th>(<td>[^<]*</td>)*<td class="passed">{passed}</td>', scoreboard
        )
        assert json.loads((site / "engines" / name / "badge.json").read_bytes())["message"] == f"{passed}/{len(cases)}"
        verdicts = [(entry["id"], entry["verdict"]) for entry in data[name]["cases"]]
        assert sorted(verdicts) == sorted((case.id, verdict) for case, (verdict, _) in rows)
        for case, (verdict, issues) in rows:
            row = article(site, address_of(case)).partition(f'href="../../engines/{name}/"')[2].partition("</tr>")[0]
            assert f" {verdict}" in row, (case.id, name)
            assert all(f"/issues/{issue}/" in row for issue in issues), (case.id, name)
            assert (f'href="../../cases/{case.id}/"' in sections) == (verdict != "passed"), (case.id, name)


def test_each_wrong_board_of_an_engine_is_drawn_on_the_page_of_its_case(site: Path) -> None:
    """The engines with another board than the one expected are named above it, those with the same board together."""
    for case in load_suite(USUAL_EDITION).cases:
        page = article(site, address_of(case)).partition("What engines answer</h2>")[2].partition("<h2>")[0]
        wrong = {
            engine.title: [phase.answer and sorted(phase.answer.units) for phase in found.data.phases]
            for engine, found in verdicts_on(case)
            if found.data is not None and found.data.board_verdict in ("failed", "deviated")
        }
        headings = [html.unescape(each) for each in re.findall(r"<h3>(.*?)</h3>", page)]
        named = [re.split(", | and ", heading) for heading in headings]
        assert sorted(name for group in named for name in group) == sorted(wrong), case.id
        assert all(wrong[name] == wrong[group[0]] for group in named for name in group), case.id
        assert page.count("The board that it answers</figcaption>") == len(headings), case.id


def test_the_page_of_an_engine_has_its_rules_its_bugs_its_history_and_its_badge(site: Path) -> None:
    for name, stored in stored_engines().items():
        page = html.unescape(article(site, f"engines/{name}"))
        rules = page.partition('<h2 id="rules">')[2].partition("<h2")[0]
        told = json.loads((ROOT / "docs" / "runs" / f"{name}.infer.json").read_bytes())
        rows = {
            issue: re.findall(r"<code>(.*?)</code>", row)
            for issue, row in re.findall(r'<th scope="row"><a href="../../issues/([^"/]+)/">(.*?)</tr>', rules)
        }
        assert rows == {issue: found for issue, found in told["choices"].items() if told["proof"].get(issue)}
        bugs = page.partition('<h2 id="bugs">')[2].partition("<h2")[0]
        wrong = {case.id for case in stored.cases.values() if case.verdict in ("failed", "error")}
        assert {*re.findall(r'href="../../cases/([^"/]+)/"', bugs)} == wrong
        history = page.partition('<h2 id="history">')[2].partition("<h2")[0]
        versions = stored.history.versions if stored.history else []
        assert [*map(int, re.findall(r">(\d+)</text>", history))] == [one.summary["passed"] for one in versions]
        badge = (site / "engines" / name / "badge.svg").read_text("utf-8")
        assert f"DATC 3.2: {stored.run.summary['passed']}/{len(stored.cases)}</title>" in badge
        assert f"({SITE_URL}engines/{name}/badge.svg)]({SITE_URL}engines/{name}/)" in page
    assert stored_engines()["diplomacy_pypi"].history


def test_what_is_stored_of_an_engine_is_checked(tmp_path: Path) -> None:
    """The rules and the history are from others, too."""
    stored = ROOT / "docs" / "runs"
    run = shutil.copy(stored / "pydip.jsonl", tmp_path)
    rules = json.loads((stored / "pydip.infer.json").read_bytes())
    history = json.loads((stored / "diplomacy_pypi.history.json").read_bytes())
    history["versions"][0]["summary"]["passed"] = 10**9
    other_choices = rules["choices"] | {"4.A.3": ["2000-no-fallback"]}
    for ending, content, words in (
        (".infer.json", rules | {"choices": {"4.A.1": ["mine"]}}, "a choice that there is not"),
        (".infer.json", rules | {"contradictions": [["6.A.1", "<b>"]]}, "a case that there is not"),
        (".infer.json", rules | {"choices": 3}, "Expected `object`"),
        (".infer.json", rules | {"choices": other_choices}, "not go with .* 4.A.3"),
        (".infer.json", rules | {"asked": 175}, "did not ask all cases: .*renew_runs.py pydip"),
        (".infer.json", rules | {"engine": rules["engine"] | {"version": "0.1.7"}}, "another engine or version"),
        (".history.json", history, "other numbers of cases"),
        (".history.json", history | {"type": "run"}, "Invalid enum value 'run'"),
    ):
        file = tmp_path / f"pydip{ending}"
        _ = file.write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(PluginError, match=words):
            read_stored(Path(run))
        file.unlink()


def test_the_page_of_an_engine_without_a_bridge_says_what_of_its_rules_is_not_checked(tmp_path: Path) -> None:
    said = "It does not check the answers to other cases."
    for ending, is_said in ((".jsonl", False), (".infer.json", True)):
        _ = shutil.copy(ROOT / "docs" / "runs" / f"pydip{ending}", tmp_path / f"mine{ending}")
        page = engine_page(engine_of_run(read_stored(tmp_path / "mine.jsonl")), SITE_URL).html
        assert 'id="rules"' in page
        assert (said in page) == is_said


def test_a_link_to_a_case_or_an_issue_shows_its_title_and_its_board(site: Path) -> None:
    """The picture is a PNG of the size that the page states, and another one for another board."""
    sitemap = (site / "sitemap.xml").read_text("utf-8")
    pictures: dict[str, str] = {}
    titles = {
        address_of(case): f"{'DATC ' * case.suite.startswith('datc-')}{case.id} {case.title}" for case in CASES.values()
    }
    titles |= {f"issues/{issue.id}": f"{issue.id} {issue.title}" for issue in load_issues().values()}
    for address, title in titles.items():
        page = (site / address / "index.html").read_text("utf-8")
        properties = dict(re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)">', page))
        assert f"<loc>{SITE_URL}{address}/</loc>" in sitemap
        assert properties["og:url"] == f"{SITE_URL}{address}/"
        assert html.unescape(properties["og:title"]).startswith(title)
        assert properties["twitter:card"] == "summary_large_image"
        picture = (site / properties["og:image"].removeprefix(SITE_URL)).read_bytes()
        size = (int(properties["og:image:width"]), int(properties["og:image:height"]))
        assert (picture[:8], struct.unpack(">II", picture[16:24])) == (b"\x89PNG\r\n\x1a\n", size), address
        assert len(picture) < 100_000, address
        pictures[address] = properties["og:image"]
    assert len({pictures[f"cases/{name}"] for name in ("6.A.1", "6.F.24", "6.H.1", "6.I.1")}) == 4


def test_an_expectation_that_the_reference_engine_contradicts_stops_the_build() -> None:
    case = CASES[f"{USUAL_EDITION}/6.A.11"]
    (phase,) = case.phases
    wrong = [structs.replace(each, moved={}, dislodged=frozenset({"VIE"})) for each in phase.expectations]
    changed = dataclasses.replace(case, phases=(structs.replace(phase, expectations=tuple(wrong)),))
    assert len(outcomes_of(case)) == 1
    said = "6.A.11: the reference engine's answer under datc-3.2 is not the one expected"
    with pytest.raises(PluginError, match=said):
        outcomes_of(changed)


def test_mkdocs_reads_what_a_page_is_called() -> None:
    """Engines name themselves, in any characters."""
    page = HtmlPage('\N{ROCKET} "x": \\ <b>\N{LINE SEPARATOR}', "\N{ROCKET}\x7f\x85\ud83d", "")
    content, fields = meta.get_data(page.front_matter())
    assert (content, fields["title"]) == ("", html.escape(page.title))
    assert fields["description"] == "\N{ROCKET}\N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER}"


def test_a_stored_run_is_shown_only_if_its_verdicts_follow_from_its_answers(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    done = call("run", "builtin", "-q", f"--report=json:{file}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    run = json.loads(file.read_bytes())
    run["engine"] |= {"name": "<b>mine</b>\x1b[31m", "url": "javascript:alert(1)"}
    _ = file.write_text(json.dumps(run), encoding="utf-8")
    engine = engine_of_run(read_stored(file))
    assert (engine.counts, engine.home, "\x1b" in engine.title) == ({"passed": 176}, "", False)
    for name, words in (
        ("pydip.json", "of version .*, the bridge's is another: .*renew_runs.py pydip"),
        ("My engine.json", "its name is not made of small letters"),
    ):
        _ = file.with_name(name).write_bytes(file.read_bytes())
        with pytest.raises(PluginError, match=words):
            read_stored(file.with_name(name))
    for change, words in (
        (run["cases"][0]["phases"][0]["answer"]["units"].clear, "6.A.1: the run says passed"),
        (lambda: run["cases"].pop(0), "not a run of all cases"),
    ):
        change()
        _ = file.write_text(json.dumps(run), encoding="utf-8")
        with pytest.raises(PluginError, match=words):
            read_stored(file)
    _ = file.write_text("{}", encoding="utf-8")
    with pytest.raises(PluginError, match="mine.json"):
        read_stored(file)


def test_what_is_stored_of_a_bridge_is_renewed_whole(ready_bridge: ReadyBridge, tmp_path: Path) -> None:
    """One that cannot be asked does not stop the others, and leaves nothing behind."""
    name = "godip"
    _ = ready_bridge(name)
    program = f"import sys; sys.path.insert(0, {str(ROOT / 'docs' / 'generate')!r}); import pathlib, renew_runs; "
    program += f"renew_runs.RUNS = pathlib.Path({str(tmp_path)!r}); sys.exit(renew_runs.main(['nobody', {name!r}]))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, "nobody: it could not be asked to the end" in done.stderr) == (1, True)
    endings = (".jsonl", ".infer.json", ".doctor.json")
    assert {file.name for file in tmp_path.iterdir()} == {f"{name}{ending}" for ending in endings}
    renewed, stored = (read_stored(folder / f"{name}.jsonl") for folder in (tmp_path, ROOT / "docs" / "runs"))
    assert renewed.doctor
    assert stored.doctor
    same_day = replace(renewed.doctor, asked_on=stored.doctor.asked_on)
    meant = f"where that is meant, `python docs/generate/renew_runs.py {name}` stores what it says now"
    assert (renewed.cases, renewed.rules, same_day) == (stored.cases, stored.rules, stored.doctor), meant


def test_the_outcomes_can_be_switched_without_javascript(browser: Browser, address: str) -> None:
    page = browser.new_page(java_script_enabled=False)
    _ = page.goto(f"{address}cases/6.F.24/")
    shown = page.locator(".outcome:visible")
    assert shown.count() == 1
    assert (shown.get_attribute("data-rulesets") or "").startswith("datc-3.2 ")
    page.locator("label", has_text="dptg").click()
    assert shown.count() == 1
    assert shown.get_attribute("data-rulesets") == "dptg"
    page.close()


def search(browser: Browser, address: str, query: str) -> Sequence[str]:
    """Type into the search field, and return the pages that it finds, the best first."""
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    open_settled(page, address)
    page.fill(".md-search__input", query)
    page.press(".md-search__input", "End")  # The theme waits for a key.
    links = page.locator(".md-search-result__item > a")
    links.first.wait_for(state="attached")
    found = links.evaluate_all("links => links.map(link => link.href)")
    page.close()
    return [link.partition("?")[0].removeprefix(address) for link in found]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("6.F.2", "cases/6.F.2/"),
        ("6.a.1", "cases/6.A.1/"),
        ("4.A.2", "issues/4.A.2/"),
        ("X.1", "issues/X.1/"),
        ("DPTG.VIII.11.a", "cases/dptg/DPTG.VIII.11.a/"),
        ("unwanted multi-route paradox", "cases/6.F.20/"),
        ("Pandin", "cases/6.F.16/"),
        ("pydip", "engines/pydip/"),
        ("Turkey Aegean retreat", "cases/6.H.1/"),
    ],
)
def test_the_search_puts_what_is_named_first(browser: Browser, address: str, query: str, found: str) -> None:
    assert search(browser, address, query)[0] == found


def test_the_search_finds_a_case_by_province_power_and_issue(browser: Browser, address: str) -> None:
    wanted: set[str] = set()
    for case in load_suite(USUAL_EDITION).cases:
        orders = [order for phase in case.phases for order in phase.orders]
        named = any(order.power == "TURKEY" for order in orders) and any("Aegean" in order.text for order in orders)
        if named and "4.A.2" in case.issues:
            wanted.add(f"{address_of(case)}/")
    assert wanted
    assert wanted <= {*search(browser, address, '"Turkey Aegean paradox"')}
