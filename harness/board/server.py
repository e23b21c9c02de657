"""The page to try positions on, as HTML, and what serves it on this machine with engines beside the reference engine.

The documentation has the same page, with another backend.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ...adapters import EngineClosedError
from ...adapters.web import Access, Application
from ...cases import ruleset_names
from ...cases.suite import USUAL_EDITION
from ...reference_engine import Ruleset, standard_board, start_position
from ...reference_engine.game import home_centers
from ...reference_engine.routes import members
from ...reports.boardmap.drawing import draw_map, page_style, shared_map
from ...reports.boardmap.geography import standard_geography, whole_map
from ..explain.rulebooks import Documents
from ..paste.writing import position_text
from ..play.answer import PhaseInput
from ..play.session import Adjudicator
from . import play_api
from .play_api import Data

FILES = Path(__file__).with_name("files")
"""What a browser loads."""
_MOST_BYTES = 8 * play_api.MOST_CHARACTERS
"""A question in JSON, its text in escapes."""
_TYPES = {"play.mjs": "text/javascript", "view.mjs": "text/javascript", "play.css": "text/css", "local.css": "text/css"}


class EngineFolder(NamedTuple):
    """The reference engine as a browser loads it."""

    folder: str
    """Where its files are, from the page, with a slash at the end."""
    size: int
    """The bytes of what is counted while it is loaded."""


def page_content(
    assets: str, drawn_map: Markup, map_file: str, engines: Sequence[str] = (), *, engine: EngineFolder | None = None
) -> Markup:
    """Return the content of the page, which an `engine` in the browser answers, or the server of the page.

    `assets` is where its files are, `drawn_map` the map for all its boards, and `map_file` where the map is as a file
    (`draw_map`). The server asks the `engines`, too.
    """
    rulesets = dict.fromkeys([USUAL_EDITION, *ruleset_names()])
    # JSON that cannot end the element that it stands in.
    data = Markup(json.dumps(play_data()).replace("<", "\\u003c"))  # noqa: S704 - it has no "<" any more
    backend = "worker" if engine else "server"
    values = {"backend": backend, "engine": engine, "assets": assets, "map": drawn_map, "map_file": map_file}
    return _render("play.html", **values, engines=engines, data=data, rulesets=rulesets)


def _render(template: str, **values: object) -> Markup:
    environment = Environment(loader=FileSystemLoader(FILES), autoescape=True, undefined=StrictUndefined)
    return Markup(environment.get_template(template).render(values))  # noqa: S704 - the template escapes every value


def play_data() -> Data:
    """Return the provinces with their names, coasts and places on the map, the powers, and the start of a game."""
    board = standard_board()
    start = PhaseInput("movement", (), start_position().units, centers=home_centers(board))
    return {
        "viewBox": whole_map(board).view_box,
        "provinces": {
            province.code: {
                "name": province.name,
                "terrain": province.terrain,
                "coasts": {at: board.describe(at) for at in (f"{province.code}/{coast}" for coast in province.coasts)},
                "near": [board.locations[near] for near in members(board.borders_of_any_unit(number))],
                "at": standard_geography().provinces[province.code].unit,
            }
            for number, province in enumerate(board.provinces)
        },
        "powers": {power.code: power.name for power in board.powers.values()},
        "start": position_text(start),
    }


def play_application(
    rulesets: Mapping[str, Ruleset],
    documents: Documents,
    names: Sequence[str],
    engines: Callable[[Ruleset], Mapping[str, Adjudicator]],
    access: Access,
) -> Application:
    """Make the application: the page with its files, and what the page asks.

    `engines` returns those of the `names` by name, asked under a ruleset. While they are asked, another question to
    them is answered with `{"busy": true}`: the page asks it again.
    """
    one_at_a_time = threading.Lock()

    def ask_engines(data: object) -> Data:
        if not one_at_a_time.acquire(blocking=False):  # A request that waited would occupy a thread of the server.
            return {"busy": True}
        try:
            return play_api.compare_engines(data, rulesets, engines, documents)
        except EngineClosedError as error:
            return {"problems": [str(error)]}
        finally:
            one_at_a_time.release()

    answers: Mapping[str, Callable[[object], Data]] = {
        "/answer": lambda data: play_api.answer_question(data, rulesets, documents),
        "/boards": lambda data: play_api.draw_question(data, rulesets),
        "/targets": lambda data: play_api.find_targets(data, rulesets),
        "/engines": ask_engines,
    }
    contents = {name: (kind, FILES.joinpath(name).read_bytes()) for name, kind in _TYPES.items()}
    contents["boards.css"] = ("text/css", page_style().encode())
    contents["map.svg"] = ("image/svg+xml", draw_map("light").encode())
    content = page_content("", Markup(shared_map()), "map.svg", names)  # noqa: S704 - the project's own data
    contents[""] = ("text/html", _render("local.html", content=content, engines=names).encode())
    return Application(
        {path: partial(_answer_body, ask) for path, ask in answers.items()},
        {"/health": lambda: {"status": "ok"}},
        access,
        files={f"/{name}": (f"{kind}; charset=utf-8", content) for name, (kind, content) in contents.items()},
        max_body=_MOST_BYTES,
    )


def _answer_body(ask: Callable[[object], Data], body: bytes) -> bytes:
    try:
        question: object = json.loads(body)
    except (ValueError, RecursionError):
        return b'{"problems":["the request is no JSON"]}'
    return json.dumps(ask(question)).encode()
