"""What every page has: one way to escape, the style, the script, and the policy that lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

from markupsafe import Markup

from ..reference_engine import standard_board
from .boardmap import board_style, draw_legend, make_environment, power_class, shared_map
from .html_cases import board_rows
from .report import VERDICTS, Verdict
from .wording import count_in_words, suite_label

if TYPE_CHECKING:
    from jinja2 import Environment


class VerdictText(NamedTuple):
    """How a verdict is shown beside its name."""

    sign: str
    meaning: str


VERDICT_TEXTS: Mapping[Verdict, VerdictText] = {
    "passed": VerdictText("✓", "the answer is the one expected under the ruleset in force"),
    "deviated": VerdictText("≠", "it is the one expected under another choice of an issue"),
    "failed": VerdictText("✗", "it is wrong under every choice: a bug"),
    "declared": VerdictText("§", "not passed, and the engine's author says so"),
    "unsupported": VerdictText("○", "the engine said that it cannot"),
    "error": VerdictText("!", "the engine crashed, hung or answered nonsense"),
    "not-run": VerdictText("…", "the engine was not asked"),
}


class Toggle(NamedTuple):
    """A button of the filter, which shows the cases of one kind alone; the bar at the top has a part for each."""

    name: str
    """It in the page's address, and its colours."""
    sign: str
    words: str
    cases: int


READING_PLACES: Mapping[str, tuple[str, str]] = {
    "datc-3.1": ("https://webdiplomacy.net/doc/DATC_v3_0.html", "edition 3.0, online"),
    "datc-2.4": ("http://web.inter.nl.net/users/L.B.Kruijswijk/", "online"),
}
"""Where single cases and issues of a suite can be read, each at its id, and which edition is there."""

_WEB_ADDRESS = re.compile(r"https?://[^\s/?#]+[^\s]*", re.IGNORECASE)


def render_page(template: str, **values: object) -> bytes:
    """Render a page in UTF-8. It loads nothing, and runs nothing but its own script."""
    environment = _environment()
    style = Markup(board_style() + environment.get_template("report.css").render())  # noqa: S704 - the project's own
    script = Markup(_source(environment, "report.js"))  # noqa: S704 - the project's own
    text = environment.get_template(template).render(
        policy=_policy(style, script),
        style=style,
        script=script,
        map_for_all=Markup(shared_map()),  # noqa: S704 - nothing in it comes from outside
        legend=Markup(draw_legend()),  # noqa: S704 - nothing in it comes from outside
        **values,
    )
    return text.encode()


def verdict_toggles(summary: Mapping[Verdict, int]) -> list[Toggle]:
    """One for each verdict that some case has."""
    return [
        Toggle(verdict, VERDICT_TEXTS[verdict].sign, verdict, summary[verdict])
        for verdict in VERDICTS
        if summary[verdict]
    ]


@cache
def _environment() -> Environment:
    environment = make_environment()
    helpers: dict[str, object] = {
        "board_rows": board_rows,
        "count_in_words": count_in_words,
        "issue_anchor": _issue_anchor,
        "power_class": power_class,
        "power_name": standard_board().power_name,
        "reading_place": _reading_place,
        "suite_label": suite_label,
        "verdict_texts": VERDICT_TEXTS,
        "verdicts": VERDICTS,
        "web_address": _web_address,
    }
    cast("dict[str, object]", environment.globals).update(helpers)
    return environment


def _source(environment: Environment, name: str) -> str:
    loader = environment.loader
    assert loader is not None  # noqa: S101 - the environment was made with one
    return loader.get_source(environment, name)[0]


def _policy(style: str, script: str) -> str:
    """Forbid everything but this style and this script, so that nothing that slips into the page could do a thing."""
    return (
        f"default-src 'none'; style-src {_source_hash(style)}; script-src {_source_hash(script)}; img-src data:; "
        + "base-uri 'none'; form-action 'none'"
    )


def _source_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _web_address(url: str) -> str | None:
    """Let only web addresses become links."""
    return url if _WEB_ADDRESS.fullmatch(url) else None


def _issue_anchor(issue: str) -> str:
    return f"issue:{issue}"


def _reading_place(suite: str, place: str) -> tuple[str, str] | None:
    """Where to read a case or an issue, and in which edition."""
    if suite not in READING_PLACES:
        return None
    url, edition = READING_PLACES[suite]
    return f"{url}#{place}", edition
