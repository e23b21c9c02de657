"""A page for every engine, the scoreboard of all of them, and both as data.

The verdicts on engines with a bridge are those of its `expected.toml`. The tests compare these with what the engine
answers. Those on other engines are from the stored runs in `docs/runs`, as far as they follow from the answers there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec
from html_pages import HtmlPage, render, root_of
from mkdocs.exceptions import PluginError

from datc.adapters import Bridge, bridge_names, find_bridge
from datc.cases import USUAL_EDITION, Case, Section, load_ruleset, load_suite
from datc.harness.runner import read_expected
from datc.harness.verdict import verify_run
from datc.reports import VERDICTS, StoredRunError, Verdict, read_run
from datc.reports.html import VERDICT_TEXTS
from datc.reports.text import one_line, printable_report

RUNS = Path(__file__).parents[1] / "runs"
"""Where authors add stored runs of their engines."""
_LONGEST_TITLE = 60
_LABEL = USUAL_EDITION.replace("datc-", "DATC ")


class CaseVerdict(NamedTuple):
    """The verdict on an engine in a case."""

    case: Case
    verdict: Verdict
    issues: Sequence[str]
    """For a deviation, the issues that explain it."""
    why: str


class ShownEngine(NamedTuple):
    """An engine and its verdicts."""

    name: str
    """It in addresses."""
    title: str
    """Its own name, with its version."""
    about: Sequence[str]
    """What is known of it: its language, its licence."""
    home: str
    """Its own page; empty where none is known."""
    has_bridge: bool
    verdicts: Mapping[str, CaseVerdict]
    """For each case of the usual suite, by id."""

    @property
    def url(self) -> str:
        """Return the address of its page, from the root of the site."""
        return f"engines/{self.name}/"

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """Count its cases by verdict, in the order of the verdicts."""
        return self.counts_in(list(self.verdicts))

    def counts_in(self, ids: Sequence[str]) -> Mapping[Verdict, int]:
        """Count some cases by verdict."""
        found = Counter(self.verdicts[each].verdict for each in ids)
        return {verdict: found[verdict] for verdict in VERDICTS if found[verdict]}


@cache
def shown_engines() -> Sequence[ShownEngine]:
    """Return every engine, the one that passes most cases first."""
    engines = [_bridged(find_bridge(name)) for name in bridge_names()]
    engines += [engine_of_run(file) for file in sorted(RUNS.glob("*.json"))]
    return sorted(engines, key=lambda engine: (-engine.counts.get("passed", 0), engine.name))


def engine_pages() -> Mapping[str, HtmlPage]:
    """Return the page of every engine and the scoreboard, by address."""
    return {"scoreboard/": _scoreboard(), **{engine.url: _engine_page(engine) for engine in shown_engines()}}


def engine_files() -> Mapping[str, str]:
    """Return the engines as data, and for each of them the data of a badge of shields.io."""
    badges = {f"{engine.url}badge.json": _json(_badge(engine)) for engine in shown_engines()}
    return {"engines.json": _json([_engine_json(engine) for engine in shown_engines()]), **badges}


def verdicts_on(case: Case) -> Sequence[tuple[ShownEngine, CaseVerdict]]:
    """Return the verdict on every engine in a case; none for cases of other suites."""
    if case.suite != USUAL_EDITION:
        return []
    return [(engine, engine.verdicts[case.id]) for engine in shown_engines()]


def _bridged(bridge: Bridge) -> ShownEngine:
    expected, table = read_expected(bridge), bridge.table
    verdicts: dict[str, CaseVerdict] = {}
    for case in load_suite(expected.suite).cases:
        verdict, issues = expected.row(case)
        known = expected.cases.get(case.id)
        verdicts[case.id] = CaseVerdict(case, verdict, issues, known.why if known else "")
    about = [f"in {table.language}", f"under the licence {table.licence}"]
    return ShownEngine(
        bridge.name, f"{table.engine} {table.version}", about, table.url, has_bridge=True, verdicts=verdicts
    )


def engine_of_run(file: Path) -> ShownEngine:
    """Read the engine of a stored run.

    Raises `PluginError` where its verdicts do not follow from its answers, or it is not one of all cases under the
    usual ruleset, or its file has the name of a bridge or one that is no address.
    """
    if file.stem in bridge_names() or not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", file.stem):
        raise PluginError(
            f"{file.name}: its name is that of a bridge, or is not made of small letters, digits, - and _"
        )
    try:
        run = read_run(file.read_bytes())
    except StoredRunError as error:
        raise PluginError(f"{file.name}: {error}") from error
    for found in verify_run(run):
        raise PluginError(f"{file.name}: {found.case}: {found.reason}")
    run = printable_report(run)
    cases = {case.id: case for case in load_suite(USUAL_EDITION).cases}
    if [case.key for case in run.cases] != [case.key for case in cases.values()]:
        raise PluginError(f"{file.name}: it is not a run of all cases of {USUAL_EDITION}")
    if not run.complete or run.summary["not-run"]:
        raise PluginError(f"{file.name}: it did not ask all cases")
    if run.ruleset.choices != load_ruleset(USUAL_EDITION).ruleset().choices or run.summary["declared"]:
        raise PluginError(f"{file.name}: it is not a run under {USUAL_EDITION} without declared deviations")
    verdicts = {
        each.id: CaseVerdict(cases[each.id], each.verdict, [*each.deviations], each.reason) for each in run.cases
    }
    title = one_line(f"{run.engine.name} {run.engine.version}".strip(), _LONGEST_TITLE)
    home = run.engine.url if run.engine.url.startswith("https://") else ""
    return ShownEngine(file.stem, title, [], home, has_bridge=False, verdicts=verdicts)


def _sections() -> Sequence[Section]:
    return load_suite(USUAL_EDITION).sections


def _scoreboard() -> HtmlPage:
    url = "scoreboard/"
    html = render(
        "scoreboard.html",
        root=root_of(url),
        engines=shown_engines(),
        sections=_sections(),
        label=_LABEL,
        usual=USUAL_EDITION,
        signs=VERDICT_TEXTS,
    )
    return HtmlPage("Scoreboard", f"How many cases of the {_LABEL} each engine passes, section by section.", html)


def _engine_page(engine: ShownEngine) -> HtmlPage:
    html = render(
        "engine.html",
        root=root_of(engine.url),
        engine=engine,
        sections=_sections(),
        label=_LABEL,
        usual=USUAL_EDITION,
        signs=VERDICT_TEXTS,
    )
    passed = engine.counts.get("passed", 0)
    description = f"{engine.title} passes {passed} of {len(engine.verdicts)} cases of the {_LABEL}."
    return HtmlPage(engine.title, description, html)


def _badge(engine: ShownEngine) -> Mapping[str, object]:
    """What shields.io shows: https://shields.io/badges/endpoint-badge."""
    counts, passed = engine.counts, engine.counts.get("passed", 0)
    is_wrong = "failed" in counts or "error" in counts
    colour = "green" if passed == len(engine.verdicts) else "red" if is_wrong else "orange"
    return {"schemaVersion": 1, "label": _LABEL, "message": f"{passed}/{len(engine.verdicts)}", "color": colour}


def _engine_json(engine: ShownEngine) -> Mapping[str, object]:
    return {
        "name": engine.name,
        "engine": engine.title,
        "about": engine.about,
        "home": engine.home,
        "has_bridge": engine.has_bridge,
        "url": engine.url,
        "suite": USUAL_EDITION,
        "ruleset": USUAL_EDITION,
        "summary": engine.counts,
        "cases": [
            {"id": name, "verdict": found.verdict, "issues": found.issues, "why": found.why}
            for name, found in engine.verdicts.items()
        ],
    }


def _json(content: object) -> str:
    return msgspec.json.encode(content).decode() + "\n"
