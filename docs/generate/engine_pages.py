"""A page for every engine, the scoreboard of all of them, and both as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from engines import ShownEngine, shown_engines
from html_pages import HtmlPage, render, root_of

from datc.cases import USUAL_EDITION, Section, load_suite
from datc.reports.html import VERDICT_TEXTS

_LABEL = USUAL_EDITION.replace("datc-", "DATC ")


def engine_pages() -> Mapping[str, HtmlPage]:
    """Return the page of every engine and the scoreboard, by address."""
    return {"scoreboard/": _scoreboard(), **{engine.url: _engine_page(engine) for engine in shown_engines()}}


def engine_files() -> Mapping[str, str]:
    """Return the engines as data, and for each of them the data of a badge of shields.io."""
    badges = {f"{engine.url}badge.json": _json(_badge(engine)) for engine in shown_engines()}
    return {"engines.json": _json([_engine_json(engine) for engine in shown_engines()]), **badges}


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
