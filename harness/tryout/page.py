"""The page to try positions on, as HTML: the same one for the documentation and for the server on this machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ...cases import USUAL_EDITION, ruleset_names
from .board_data import board_data

FILES = Path(__file__).with_name("files")
"""What a browser loads."""


def page_content(
    backend: Literal["worker", "server"], assets: str, shared_map: Markup, engines: Sequence[str] = ()
) -> Markup:
    """Return the content of the page.

    Args:
        backend: What answers: a worker in the browser, or the server of the page.
        assets: Where the files of the page are, from the page.
        shared_map: The map for all boards of a page, as an SVG element.
        engines: The engines that the server asks beside the reference engine.
    """
    environment = Environment(loader=FileSystemLoader(FILES), autoescape=True, undefined=StrictUndefined)
    rulesets = dict.fromkeys([USUAL_EDITION, *ruleset_names()])
    content = environment.get_template("play.html").render(
        backend=backend,
        assets=assets,
        map=shared_map,
        engines=engines,
        data=_script_data(board_data()),
        rulesets=rulesets,
    )
    return Markup(content)  # noqa: S704 - the template escapes every value


def _script_data(data: object) -> Markup:
    """Write JSON that cannot end the element that it stands in."""
    return Markup(json.dumps(data).replace("<", "\\u003c"))  # noqa: S704 - it has no "<" any more
