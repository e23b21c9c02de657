"""The page to try positions on, as HTML: the same one for the documentation and for the server on this machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ...cases import USUAL_EDITION, ruleset_names
from ...reports.boardmap import shared_map
from .board_data import board_data

FILES = Path(__file__).with_name("files")
"""What a browser loads."""


def page_content(
    backend: Literal["worker", "server"], assets: str, drawn_map: Markup, engines: Sequence[str] = ()
) -> Markup:
    """Return the content of the page.

    Args:
        backend: What answers: a worker in the browser, or the server of the page.
        assets: Where the files of the page are, from the page.
        drawn_map: The map for all boards of a page, as an SVG element.
        engines: The engines that the server asks beside the reference engine.
    """
    rulesets = dict.fromkeys([USUAL_EDITION, *ruleset_names()])
    return _render(
        "play.html",
        backend=backend,
        assets=assets,
        map=drawn_map,
        engines=engines,
        data=_script_data(board_data()),
        rulesets=rulesets,
    )


def local_page(engines: Sequence[str]) -> str:
    """Return the whole page for the server on this machine, which asks these engines, too."""
    content = page_content("server", "", Markup(shared_map()), engines)  # noqa: S704 - the project's own data
    return _render("local.html", content=content, engines=engines)


def _render(template: str, **values: object) -> Markup:
    environment = Environment(loader=FileSystemLoader(FILES), autoescape=True, undefined=StrictUndefined)
    return Markup(environment.get_template(template).render(values))  # noqa: S704 - the template escapes every value


def _script_data(data: object) -> Markup:
    """Write JSON that cannot end the element that it stands in."""
    return Markup(json.dumps(data).replace("<", "\\u003c"))  # noqa: S704 - it has no "<" any more
