"""The one function behind the page: from a question, as JSON, to what the rules make of it.

It needs the standard library alone, so that it runs in a browser, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from ...reference_engine import DatcCheckError, GivenOrder, Ruleset, adjudicate, printable, write_order
from ...reports.boardmap import draw_board, scene_after, scene_of_orders
from ..answers import Answer, Failure, PhaseInput
from ..errors import HarnessError
from ..explain.all_rulesets import OutcomeTable, explain_all_rulesets
from ..explain.movement import OrderExplanation
from ..explain.phase import PhaseExplanation
from ..explain.phases import explain_phases
from ..explain.text import phase_lines, row_remark
from ..pasting import PositionFileError
from ..positions import ordered_unit
from ..session import Adjudicator, PlayedPhase, ReferenceAdjudicator, play
from .phases import Centers, captured, home_centers, next_phase
from .question import Question, QuestionError, read_first_phases, read_later_phase, read_question
from .requests import dislodged_data, request_data, unit_data
from .writing import Written, case_text, forum_text, orders_text, position_text

Data: TypeAlias = dict[str, Any]


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
    of_adjustments = [one.centers for one in inputs if one.phase == "adjustment"]
    centers: Centers = next(iter(of_adjustments), pasted.centers) or home_centers()
    played = [*play(adjudicator, inputs)]
    for later in question.later:
        last = played[-1]
        coming = next_phase(last.asked, _answered(last), centers)
        centers = coming.centers
        if later.phase == "adjustment" and coming.phase != "adjustment":
            centers = captured(centers, coming.units)
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
        ruleset = _ruleset(question, rulesets)
        return answer(play_question(question, ruleset), ruleset, rulesets)
    except PositionFileError as error:
        return {"problems": [f"Line {each.line}: {each.problem}" for each in error.problems]}
    except DatcCheckError as error:
        return {"problems": [str(error)]}


def _ruleset(question: Question, rulesets: Mapping[str, Ruleset]) -> Ruleset:
    if question.ruleset not in rulesets:
        raise QuestionError(f"there is no ruleset {printable(question.ruleset)!r}: select another one")
    return rulesets[question.ruleset]


def _answered(played: PlayedPhase) -> Answer:
    if isinstance(played.answer, Failure):
        raise HarnessError(played.answer.reason)
    return played.answer


def _answer(played: Played, ruleset: Ruleset, rulesets: Mapping[str, Ruleset]) -> Data:
    asked = played.phases[-1].asked
    explained = explain_phases(played.phases, ruleset)
    inputs = [one.asked for one in played.phases]
    orders = [_orders(one) for one in inputs]
    return {
        "title": _title(asked),
        "phase": asked.phase,
        "season": asked.season,
        "year": asked.year,
        "notes": played.notes,
        "units": [unit_data(unit) for unit in asked.units],
        "dislodged": [dislodged_data(entry) for entry in asked.dislodged or ()],
        "centers": asked.centers,
        "orders": [_order_data(given) for given in orders[-1]],
        "explained": [_explained_data(each) for each in explained[-1].orders],
        "summary": explained[-1].summary,
        "steps": [*phase_lines(explained[-1])],
        "earlier": [_earlier_data(*each) for each in zip(inputs[:-1], explained, strict=False)],
        "rulesets": _table_data(explain_all_rulesets(inputs, ruleset, rulesets, {})),
        "parts": _parts(inputs, orders),
        "next": _next_data(asked, _answered(played.phases[-1]), played.centers),
        "exports": {
            "toml": case_text(inputs, orders),
            "request": request_data(asked, orders[-1], ruleset),
            "forum": forum_text(inputs, orders),
        },
    }


def _title(asked: PhaseInput) -> str:
    return f"{asked.season.capitalize()} {asked.year}, {asked.phase}"


def _orders(asked: PhaseInput) -> Sequence[GivenOrder]:
    return [GivenOrder(*order) for order in asked.submission.as_one_clear_set() or ()]


def _order_data(given: GivenOrder) -> Data:
    unit = ordered_unit(given)
    return {
        "power": given.power,
        "type": None if unit is None else unit.type,
        "location": "" if unit is None else unit.location,
        "owner": None if unit is None else unit.power,
        "text": "" if given.order is None else write_order(given.order),
    }


def _explained_data(order: OrderExplanation) -> Data:
    return {
        "power": order.power,
        "order": order.order,
        "outcome": order.outcome,
        "reason": order.reason,
        "why": [*order.sentences],
    }


def _earlier_data(asked: PhaseInput, explained: PhaseExplanation) -> Data:
    return {"title": _title(asked), "summary": explained.summary}


def _table_data(table: OutcomeTable) -> Data:
    return {
        "sentence": table.sentence,
        "rows": [
            {
                "rulesets": row.rulesets,
                "engines": row.engines,
                "phases": row.phases,
                "remark": row_remark(table, row),
                "in_force": row.is_in_force,
            }
            for row in table.rows
        ],
        "unanswered": table.unanswered,
    }


def _boards(played: Played, ruleset: Ruleset, _rulesets: Mapping[str, Ruleset]) -> Data:
    asked = played.phases[-1].asked
    position = asked.position()
    adjudication = adjudicate(position, asked.orders, ruleset)
    before = scene_of_orders(position, _orders(asked), adjudication, asked.texts)
    after = scene_after(position, adjudication)
    title = _title(asked)
    return {
        "before": draw_board(before, title=f"{title}: the orders", prefix="play-before", base="reference"),
        "after": draw_board(after, title=f"{title}: the board after", prefix="play-after", base="reference"),
    }


def _parts(inputs: Sequence[PhaseInput], orders: Sequence[Sequence[GivenOrder]]) -> Data:
    """Write the phases each as a text of its own, as the page has them: a text that was pasted may have several."""
    first = inputs[0]
    written = Written(first.phase, first.season, first.year, first.units, first.centers, orders[0])
    later = [
        {"phase": asked.phase, "text": orders_text(given)} for asked, given in zip(inputs[1:], orders[1:], strict=True)
    ]
    return {"text": position_text(written), "later": later}


def _next_data(asked: PhaseInput, answer: Answer, centers: Centers) -> Data:
    coming = next_phase(asked, answer, centers)
    data: Data = {"phase": coming.phase, "title": f"{coming.season.capitalize()} {coming.year}, {coming.phase}"}
    if coming.phase == "movement":
        data["text"] = position_text(Written(*coming))
    return data
