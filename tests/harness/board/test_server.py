"""What the server of the page does with several questions at once."""

from __future__ import annotations

import io
import json

from datc.adapters.web import Access
from datc.harness.board.server import play_application
from datc.harness.explain.case import every_ruleset
from datc.harness.play.session import ReferenceAdjudicator

QUESTION = {"text": "Austria: A Vie - Bud", "ruleset": "datc-3.2", "later": []}


def test_engines_that_are_asked_already_are_busy_and_no_request_waits_for_them() -> None:
    meanwhile: list[dict] = []

    def ask() -> dict:
        body = json.dumps(QUESTION).encode()
        environ = {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": "/engines",
            "HTTP_HOST": "127.0.0.1:80",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
        }
        return json.loads(b"".join(application(environ, lambda *_: lambda _: None)))

    def engines(ruleset):
        meanwhile.append(ask())
        return {"mine": ReferenceAdjudicator(ruleset)}

    application = play_application(every_ruleset(), ["mine"], engines, Access("127.0.0.1", "127.0.0.1", 80))
    assert ask()["rulesets"]["rows"][0]["engines"] == ["mine"]
    assert ask()["rulesets"]["rows"][0]["engines"] == ["mine"]
    assert meanwhile == [{"busy": True}] * 2
