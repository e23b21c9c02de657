"""A page for every engine with a bridge, the scoreboard of all of them, and both as data.

The verdicts are those of the `expected.toml` of each bridge. The tests compare these with what the engine answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import msgspec
from html_pages import HtmlPage, render, root_of

from datc.adapters import Bridge, bridge_names, find_bridge
from datc.cases import USUAL_EDITION, Case, Section, load_suite
from datc.harness.runner import read_expected
from datc.reports import VERDICTS, Verdict
from datc.reports.html import VERDICT_TEXTS

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

    bridge: Bridge
    verdicts: Mapping[str, CaseVerdict]
    """For each case of the usual suite, by id."""

    @property
    def url(self) -> str:
        """Return the address of its page, from the root of the site."""
        return f"engines/{self.bridge.name}/"

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
    """Return every engine with a bridge, the one that passes most cases first."""
    engines = [_engine(find_bridge(name)) for name in bridge_names()]
    return sorted(engines, key=lambda engine: (-engine.counts.get("passed", 0), engine.bridge.name))


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


def _engine(bridge: Bridge) -> ShownEngine:
    expected = read_expected(bridge)
    verdicts: dict[str, CaseVerdict] = {}
    for case in load_suite(expected.suite).cases:
        verdict, issues = expected.row(case)
        known = expected.cases.get(case.id)
        verdicts[case.id] = CaseVerdict(case, verdict, issues, known.why if known else "")
    return ShownEngine(bridge, verdicts)


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
    table = engine.bridge.table
    title = f"{table.engine} {table.version} ({table.language})"
    html = render(
        "engine.html",
        title=title,
        root=root_of(engine.url),
        engine=engine,
        table=table,
        sections=_sections(),
        label=_LABEL,
        usual=USUAL_EDITION,
        signs=VERDICT_TEXTS,
    )
    passed = engine.counts.get("passed", 0)
    return HtmlPage(title, f"{table.engine} passes {passed} of {len(engine.verdicts)} cases of the {_LABEL}.", html)


def _badge(engine: ShownEngine) -> Mapping[str, object]:
    """What shields.io shows: https://shields.io/badges/endpoint-badge."""
    counts, passed = engine.counts, engine.counts.get("passed", 0)
    is_wrong = "failed" in counts or "error" in counts
    colour = "green" if passed == len(engine.verdicts) else "red" if is_wrong else "orange"
    return {"schemaVersion": 1, "label": _LABEL, "message": f"{passed}/{len(engine.verdicts)}", "color": colour}


def _engine_json(engine: ShownEngine) -> Mapping[str, object]:
    table = engine.bridge.table
    return {
        "name": engine.bridge.name,
        "engine": table.engine,
        "version": table.version,
        "language": table.language,
        "licence": table.licence,
        "home": table.url,
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
