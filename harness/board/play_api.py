"""The one function behind the page: from a question, as JSON, to what the rules make of it.

It needs the standard library alone, so that it runs in a browser, too: there Pyodide calls `answer_in_browser`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ...reference_engine import DatcCheckError, GivenOrder, Ruleset, adjudicate, ruleset, write_order
from ...reference_engine.errors import printable
from ...reports.boardmap import draw_board, scene_after, scene_of_orders
from ..errors import HarnessError
from ..explain.findings import phase_text, row_remark
from ..explain.outcomes import OutcomeTable, explain_all_rulesets
from ..explain.phase import explain_phases
from ..paste.reader import PositionFileError
from ..play.answer import Answer, Failure, PhaseInput
from ..play.positions import ordered_unit
from ..play.session import Adjudicator, PlayedPhase, ReferenceAdjudicator, play
from .question import (
    Centers,
    Data,
    Question,
    QuestionError,
    captured,
    case_text,
    dislodged_data,
    forum_text,
    heading,
    home_centers,
    next_phase,
    orders_text,
    position_text,
    read_first_phases,
    read_later_phase,
    read_question,
    request_data,
)

RULESETS_FILE = "rulesets.json"
"""The rulesets, which the build of the site writes beside this module: their TOML files need msgspec."""


class Played(NamedTuple):
    """The phases of a question, as the reference engine played them under the ruleset in force."""

    phases: Sequence[PlayedPhase]
    centers: Centers
    """What each power owned before the last phase."""
    notes: Sequence[str]


def answer_question(data: object, rulesets: Mapping[str, Ruleset]) -> Data:
    """Adjudicate and explain a question of the page, under one ruleset and under all of them.

    Args:
        data: `{"text": ..., "ruleset": ..., "later": [{"phase": ..., "text": ...}, ...]}`, as JSON has it.
        rulesets: The rulesets by name.

    Returns:
        What the page shows, as JSON has it; `{"problems": [...]}` where the question cannot be read.
    """
    return _tell_problems(data, rulesets, _answer)


def draw_question(data: object, rulesets: Mapping[str, Ruleset]) -> Data:
    """Draw the board of a question with its orders, and the one after the last phase, each as an SVG element.

    The page has the map that they stand on. It takes as long as the answer, so the page asks for it afterwards.
    """
    return _tell_problems(data, rulesets, _boards)


def compare_engines(
    data: object, rulesets: Mapping[str, Ruleset], engines: Callable[[Ruleset], Mapping[str, Adjudicator]]
) -> Data:
    """Ask engines a question of the page, and put each beside the rulesets that give the same outcome.

    `engines` returns the engines by name, asked under a ruleset. Raises `EngineClosedError`.
    """

    def compare(played: Played, ruleset: Ruleset, rulesets: Mapping[str, Ruleset]) -> Data:
        inputs = [one.asked for one in played.phases]
        return {"rulesets": _table_data(explain_all_rulesets(inputs, ruleset, rulesets, engines(ruleset)))}

    return _tell_problems(data, rulesets, compare)


def play_question(question: Question, ruleset: Ruleset) -> Played:
    """Play the phases of a question in turn. Raises `HarnessError`."""
    pasted, inputs = read_first_phases(question)
    adjudicator = ReferenceAdjudicator(ruleset)
    notes = [*pasted.notes]
    board = inputs[0].position().board
    of_adjustments = [one.centers for one in inputs if one.phase == "adjustment"]
    centers: Centers = next(iter(of_adjustments), pasted.centers) or home_centers(board)
    played = [*play(adjudicator, inputs)]
    for later in question.later:
        last = played[-1]
        coming = next_phase(last.asked, _answered(last), centers)
        centers = coming.centers
        if later.phase == "adjustment" and coming.phase != "adjustment":
            centers = captured(board, centers, coming.units)
        phase, more = read_later_phase(later, last.asked.season, last.asked.year, centers)
        notes += more
        played += play(adjudicator, [phase.after(_answered(last))])
    _ = _answered(played[-1])
    return Played(played, centers, notes)


def _tell_problems(
    data: object,
    rulesets: Mapping[str, Ruleset],
    answer: Callable[[Played, Ruleset, Mapping[str, Ruleset]], Data],
) -> Data:
    """Play a question and answer it, or say what is wrong with it."""
    try:
        question = read_question(data)
        if question.ruleset not in rulesets:
            raise QuestionError(f"there is no ruleset {printable(question.ruleset)!r}: select another one")
        ruleset = rulesets[question.ruleset]
        return answer(play_question(question, ruleset), ruleset, rulesets)
    except PositionFileError as error:
        return {"problems": [f"Line {each.line}: {each.problem}" for each in error.problems]}
    except DatcCheckError as error:
        return {"problems": [str(error)]}


def _answered(played: PlayedPhase) -> Answer:
    if isinstance(played.answer, Failure):
        raise HarnessError(played.answer.reason)
    return played.answer


def _answer(played: Played, ruleset: Ruleset, rulesets: Mapping[str, Ruleset]) -> Data:
    explained = [*explain_phases(played.phases, ruleset)]
    inputs = [one.asked for one in played.phases]
    orders = [_orders(one) for one in inputs]
    asked, last = inputs[-1], explained[-1]
    coming = next_phase(asked, _answered(played.phases[-1]), played.centers)
    return {
        "title": heading(asked),
        "phase": asked.phase,
        "season": asked.season,
        "year": asked.year,
        "notes": played.notes,
        "units": [unit._asdict() for unit in asked.units],
        "dislodged": [dislodged_data(entry) for entry in asked.dislodged or ()],
        "centers": asked.centers,
        "orders": [_order_data(given) for given in orders[-1]],
        "explained": [
            {**_fields(each, "power", "order", "outcome", "reason"), "why": [*each.sentences]} for each in last.orders
        ],
        "summary": last.summary,
        "steps": phase_text(last, asked.position().board),
        "earlier": [
            {"title": heading(one), "summary": each.summary} for one, each in zip(inputs[:-1], explained, strict=False)
        ],
        "rulesets": _table_data(explain_all_rulesets(inputs, ruleset, rulesets, {})),
        # The phases each as a text of its own, as the page has them: a text that was pasted may have several.
        "parts": {
            "text": position_text(inputs[0], orders[0]),
            "later": [
                {"phase": one.phase, "text": orders_text(given)}
                for one, given in zip(inputs[1:], orders[1:], strict=True)
            ],
        },
        "next": {
            "phase": coming.phase,
            "title": heading(coming),
            **({"text": position_text(coming)} if coming.phase == "movement" else {}),
        },
        "exports": {
            "toml": case_text(inputs, orders),
            "request": request_data(asked, orders[-1], ruleset),
            "forum": forum_text(inputs, orders),
        },
    }


def _orders(asked: PhaseInput) -> Sequence[GivenOrder]:
    return [GivenOrder(*order) for order in asked.submission.as_one_clear_set() or ()]


def _order_data(given: GivenOrder) -> Data:
    unit = ordered_unit(given)
    return {
        "power": given.power,
        "type": unit and unit.type,
        "location": unit.location if unit else "",
        "owner": unit and unit.power,
        "text": "" if given.order is None else write_order(given.order),
    }


def _table_data(table: OutcomeTable) -> Data:
    rows = [
        {
            **_fields(row, "rulesets", "engines", "phases"),
            "remark": row_remark(table, row),
            "in_force": row.is_in_force,
        }
        for row in table.rows
    ]
    return {"sentence": table.sentence, "rows": rows, "unanswered": table.unanswered}


def _fields(of: object, *names: str) -> Data:
    return {name: getattr(of, name) for name in names}


def _boards(played: Played, ruleset: Ruleset, _rulesets: Mapping[str, Ruleset]) -> Data:
    asked = played.phases[-1].asked
    position = asked.position()
    adjudication = adjudicate(position, asked.orders, ruleset)
    before = scene_of_orders(position, _orders(asked), adjudication, asked.texts)
    after = scene_after(position, adjudication)
    title = heading(asked)
    return {
        "before": draw_board(before, title=f"{title}: the orders", prefix="play-before", base="reference"),
        "after": draw_board(after, title=f"{title}: the board after", prefix="play-after", base="reference"),
    }


def answer_in_browser(kind: str, question: str) -> str:
    """Answer a question of the page (`kind` is "answer"), or draw it ("boards"), inside a browser, as JSON."""
    asked = answer_question if kind == "answer" else draw_question
    return json.dumps(asked(json.loads(question), _stored_rulesets()))


@cache
def _stored_rulesets() -> Mapping[str, Ruleset]:
    text = Path(__file__).with_name(RULESETS_FILE).read_text(encoding="utf-8")
    return {name: ruleset(name, each["choices"], each["default_coasts"]) for name, each in json.loads(text).items()}


def rulesets_text(rulesets: Mapping[str, Ruleset]) -> str:
    """Write rulesets as `answer_in_browser` reads them."""
    data = {
        name: {"choices": dict(each.choices), "default_coasts": dict(each.default_coasts)}
        for name, each in rulesets.items()
    }
    return json.dumps(data)
