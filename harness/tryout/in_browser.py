"""Answers the page inside the browser, where Pyodide runs this in a worker: text in, text out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ...reference_engine import Ruleset, ruleset
from .answer import answer_question, draw_question

RULESETS_FILE = "rulesets.json"
"""The rulesets, which the build of the site writes beside this module: their TOML files need msgspec."""


def answer(kind: str, question: str) -> str:
    """Answer a question of the page (`kind` is "answer"), or draw it ("boards")."""
    asked = answer_question if kind == "answer" else draw_question
    return json.dumps(asked(json.loads(question), _rulesets()))


@cache
def _rulesets() -> Mapping[str, Ruleset]:
    text = Path(__file__).with_name(RULESETS_FILE).read_text(encoding="utf-8")
    return {name: ruleset(name, each["choices"], each["default_coasts"]) for name, each in json.loads(text).items()}


def rulesets_text(rulesets: Mapping[str, Ruleset]) -> str:
    """Write rulesets as this module reads them."""
    data = {
        name: {"choices": dict(each.choices), "default_coasts": dict(each.default_coasts)}
        for name, each in rulesets.items()
    }
    return json.dumps(data)
