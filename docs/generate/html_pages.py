"""Pages that are HTML: made from a template, and put into the frame of the theme as they are."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from datc.cases import load_issues
from datc.reference_engine import standard_board
from datc.reference_engine.errors import printable

if TYPE_CHECKING:
    from datc.reports.boardmap.scenes import Scene

_TEMPLATES = Path(__file__).with_name("templates")
_LONGEST_DESCRIPTION = 300


class Step(NamedTuple):
    """A link to the page before or after."""

    url: str
    """From the root of the site."""
    title: str


class HtmlPage(NamedTuple):
    """A page of the site."""

    title: str
    description: str
    html: str
    boost: float = 1.0
    """How much it counts in the search."""
    scene: Scene | None = None
    """The board that others show with a link to it."""
    is_wide: bool = False
    """Whether it needs the room that the navigation takes."""
    outcome: str = ""
    """What happens on that board, in a few words."""

    def front_matter(self) -> str:
        """What mkdocs reads of it: a page with a title and no content. The theme escapes neither."""
        fields: dict[str, object] = {
            "title": html.escape(self.title),
            "description": html.escape(shortened(self.description)),
            "hide": ["toc", "navigation"] if self.is_wide else ["toc"],
            "search": {"boost": self.boost},
        }
        # JSON escapes a character beyond the first 65,536 as two halves, which YAML does not read.
        lines = (f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items())
        return f"---\n{''.join(lines)}---\n"


def render(template: str, **values: object) -> str:
    """Fill in a template; lines between elements are left out."""
    return re.sub(
        r">\n+<", "><", _environment().get_template(template, globals={"issues": load_issues()}).render(**values)
    )


def search_boost(boost: float, own: str, ids: Iterable[str]) -> float:
    """Double the boost of an id with which another one begins: the search finds 6.F.20, too, where 6.F.2 is typed."""
    return boost * 2 if any(other != own and other.startswith(own) for other in ids) else boost


def shortened(text: str) -> str:
    """Cut a text at a space, for a description of a page."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= _LONGEST_DESCRIPTION else f"{line[:_LONGEST_DESCRIPTION].rsplit(' ', 1)[0]} …"


def root_of(url: str) -> str:
    """Return the way from a page to the root of the site."""
    return "../" * url.count("/")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["power"] = standard_board().power_name
    environment.filters["place"] = standard_board().describe
    return environment
