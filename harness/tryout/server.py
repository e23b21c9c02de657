"""Serves the page to try positions on to a browser on this machine, and asks engines beside the reference engine."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...adapters import EngineClosedError
from ...adapters.web import Application, WebFile
from ...reference_engine import Ruleset
from ...reports.boardmap import page_style
from ..session import Adjudicator
from .answer import Data, answer_question, compare_engines, draw_question
from .page import FILES, local_page
from .question import MOST_CHARACTERS

if TYPE_CHECKING:
    from ...adapters.web_access import Access

_MOST_BYTES = 8 * MOST_CHARACTERS
"""A question in JSON, its text in escapes."""
_TYPES = {"play.mjs": "text/javascript", "play.css": "text/css", "local.css": "text/css"}

_Ask = Callable[[object], Data]


def play_application(
    rulesets: Mapping[str, Ruleset],
    names: Sequence[str],
    engines: Callable[[Ruleset], Mapping[str, Adjudicator]],
    access: Access,
) -> Application:
    """Make the application: the page with its files, and what the page asks.

    While engines are asked, another question to them is answered with `{"busy": true}`: the page asks it again.

    Args:
        rulesets: The rulesets by name.
        names: The engines that are asked beside the reference engine, as the page calls them.
        engines: Returns them by name, asked under a ruleset.
        access: Whose requests are answered.
    """
    one_at_a_time = threading.Lock()

    def ask_engines(data: object) -> Data:
        if not one_at_a_time.acquire(blocking=False):  # A request that waited would occupy a thread of the server.
            return {"busy": True}
        try:
            return compare_engines(data, rulesets, engines)
        except EngineClosedError as error:
            return {"problems": [str(error)]}
        finally:
            one_at_a_time.release()

    answers: Mapping[str, _Ask] = {
        "/answer": lambda data: answer_question(data, rulesets),
        "/boards": lambda data: draw_question(data, rulesets),
        "/engines": ask_engines,
    }
    return Application(
        {path: _answering(ask) for path, ask in answers.items()},
        {"/health": lambda: {"status": "ok"}},
        access,
        files=_files(names),
        max_body=_MOST_BYTES,
    )


def _answering(ask: _Ask) -> Callable[[bytes], bytes]:
    def answer(body: bytes) -> bytes:
        try:
            question: object = json.loads(body)
        except (ValueError, RecursionError):
            return b'{"problems":["the request is no JSON"]}'
        return json.dumps(ask(question)).encode()

    return answer


def _files(engines: Sequence[str]) -> Mapping[str, WebFile]:
    contents = {name: (kind, FILES.joinpath(name).read_bytes()) for name, kind in _TYPES.items()}
    contents["boards.css"] = ("text/css", page_style().encode())
    contents[""] = ("text/html", local_page(engines).encode())
    return {f"/{name}": WebFile(f"{kind}; charset=utf-8", content) for name, (kind, content) in contents.items()}
