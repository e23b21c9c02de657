"""What answers the page: from a question, as JSON, to what the rules make of it, and to texts for other places.

A question is a text with a position and its orders, and the orders of the phases after it. The standard library is
enough for all of this, so that it runs in a browser, too: there Pyodide calls `answer_in_browser`, without msgspec. So
the request to an engine is written without the messages of the protocol.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from ...reference_engine import (
    Adjudication,
    DatcCheckError,
    GivenOrder,
    Move,
    Order,
    OrderedUnit,
    Retreat,
    Ruleset,
    Turn,
    adjudicate,
    standard_board,
)
from ...reference_engine.board import province_code
from ...reference_engine.errors import printable
from ...reference_engine.game import captured, home_centers, legal_orders
from ...reference_engine.notation import write_order
from ...reference_engine.rulesets import ruleset
from ...reference_engine.toml import toml_string
from ...reports.boardmap.drawing import draw_board
from ...reports.boardmap.scenes import scene_after, scene_of_orders
from ...reports.post import STYLES, write_post
from ..errors import HarnessError
from ..explain.findings import make_post, phase_text, row_remark
from ..explain.outcomes import OutcomeTable, explain_all_rulesets
from ..explain.phase import explain_phases
from ..explain.rulebooks import Documents, compare_with_recorded
from ..paste.phases import Pasted
from ..paste.reader import PositionFileError, lacks_names, read_later_orders, read_pasted
from ..paste.writing import forum_text, heading, orders_text, position_text
from ..play import positions
from ..play.answer import Answer, Failure, PhaseInput
from ..play.session import Adjudicator, PlayedPhase, ReferenceAdjudicator, play

RULESETS_FILE = "rulesets.json"
"""The rulesets, which the build of the site writes beside this module: their TOML files need msgspec."""


MOST_CHARACTERS = 100_000
"""A longer text is no position."""
MOST_ORDERS = 150
"""A phase has no more orders: the board has 75 provinces, so no more units, and a unit may have a second order."""
MOST_LATER = 2
"""The phases after a movement phase: retreats and adjustments. The movements after them are a new question."""

LaterPhase: TypeAlias = Literal["retreat", "adjustment"]
Centers: TypeAlias = Mapping[str, Sequence[str]]
"""The supply centers that each power owns."""
Data: TypeAlias = dict[str, Any]
"""An object of JSON."""


class QuestionError(HarnessError):
    """What the page sent is no question."""


class Question(NamedTuple):
    """What is to be adjudicated."""

    text: str
    """The position and its orders."""
    later: Sequence[tuple[LaterPhase, str]]
    """The phases that follow, each from the one before it, with the texts of their orders."""
    ruleset: str


def read_question(data: object) -> Question:
    """Check what came from a page or a link. Raises `QuestionError`."""
    if not isinstance(data, dict):
        raise QuestionError("a question is an object")
    fields = cast("dict[str, object]", data)
    text, ruleset, later = fields.get("text"), fields.get("ruleset"), fields.get("later", [])
    if not isinstance(text, str) or not isinstance(ruleset, str) or not isinstance(later, list):
        raise QuestionError("a question has a text, a ruleset and a list of later phases")
    phases: list[tuple[LaterPhase, str]] = []
    for each in cast("list[object]", later):
        fields = cast("dict[str, object]", each) if isinstance(each, dict) else {}
        phase, orders = fields.get("phase"), fields.get("text")
        if phase not in ("retreat", "adjustment") or not isinstance(orders, str):
            raise QuestionError("a later phase is a retreat or an adjustment phase, with a text")
        phases.append((phase, orders))
    if len(phases) > MOST_LATER:
        raise QuestionError(f"at most {MOST_LATER} phases follow")
    if sum(map(len, (text, *(orders for _, orders in phases)))) > MOST_CHARACTERS:
        raise QuestionError(f"the text has more than {MOST_CHARACTERS} characters")
    return Question(text, phases, ruleset)


def read_first_phases(question: Question) -> tuple[Pasted, Sequence[PhaseInput]]:
    """Read the position, its orders, and the later phases that the same text has. Raises `HarnessError`."""
    pasted = read_pasted(question.text, "the text", needs_orders=False)
    inputs: list[PhaseInput] = []
    for each in pasted.phases:
        _check_count(each.orders)
        units, dislodged = (each.position.units, each.position.dislodged) if each.position else ((), ())
        season = "winter" if each.phase == "adjustment" else pasted.season
        centers = each.centers or (pasted.centers if each.phase == "movement" else {})
        asked = PhaseInput(each.phase, each.orders, units, dislodged, each.texts, season, pasted.year, centers)
        inputs.append(asked._replace(follows=each.position is None))
    return pasted, inputs


def _check_count(orders: Sequence[GivenOrder]) -> None:
    """Hold a phase to what is adjudicated and explained in a moment. Raises `QuestionError`."""
    if len(orders) > MOST_ORDERS:
        raise QuestionError(f"there are {len(orders)} orders: a phase has at most {MOST_ORDERS}")


def read_later_phase(
    phase: LaterPhase, text: str, season: str, year: int, centers: Centers
) -> tuple[PhaseInput, Sequence[str]]:
    """Read the orders of a later phase; return the phase and the notes. Raises `HarnessError`."""
    found, notes = read_later_orders(text, phase, f"the text of the {phase} phase")
    _check_count(found.orders)
    asked = PhaseInput(phase, found.orders, texts=found.texts, season=season, year=year, follows=True)
    if phase == "adjustment":
        asked = asked._replace(season="winter", centers=centers)
    return asked, [f"{phase} phase, {note}" for note in notes]


def next_phase(asked: PhaseInput, answer: Answer, centers: Centers) -> PhaseInput:
    """Return the phase after one that was played, without orders; `centers` are those that were owned before it."""
    position = asked._replace(centers=centers, prepared=None).position()
    result = Adjudication(answer.units, answer.dislodged or (), ())
    coming, season, year = Turn(position, asked.season, asked.year).after(result)
    owned = {power: sorted(each) for power, each in coming.centers.items()}
    return PhaseInput(coming.phase, (), coming.units, season=season, year=year, centers=owned, board=asked.board)


def case_text(phases: Sequence[PhaseInput], orders: Sequence[Sequence[GivenOrder]]) -> str:
    """Write phases as a case without expectations, which `datc-check explain` and a suite read."""
    lines = ["[[case]]", 'id     = "play.1"', 'title  = "A position"', "issues = []"]
    prefix = "case.phase" if len(phases) > 1 else "case"
    for asked, given in zip(phases, orders, strict=True):
        lines += ["", "[[case.phase]]"] if len(phases) > 1 else []
        lines += [f"phase  = {toml_string(asked.phase)}", f"season = {toml_string(asked.season)}"]
        lines += [f"year   = {asked.year}", *(() if asked.follows else positions.unit_table(prefix, asked.units))]
        lines += positions.center_table(prefix, asked.centers) if asked.phase == "adjustment" else ()
        lines += positions.order_table(prefix, given, "names")
    return "\n".join(lines) + "\n"


def request_data(asked: PhaseInput, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Data:
    """Return the request that asks an engine to adjudicate a phase; `orders` are those of the phase."""
    choices, default_coasts = dict(ruleset.choices), dict(ruleset.default_coasts)
    uses_coasts = "default-coast" in choices.values()
    params: Data = {
        "map": asked.map_name,
        **asked.position().to_data(),
        "season": asked.season,
        "year": asked.year,
        "ruleset": _known(name=ruleset.name, choices=choices, default_coasts=default_coasts if uses_coasts else None),
        "orders": [
            _known(power=power, text=text or None, order=order and _order_message(order))
            for (power, order), text in zip(orders, asked.texts or (), strict=True)
        ],
    }
    return {"jsonrpc": "2.0", "id": 1, "method": "adjudicate", "params": params}


def _order_message(order: Order) -> Data:
    data: Data = {"type": positions.ORDER_TYPES[type(order)]}
    for name in order.__match_args__:
        value = getattr(order, name)
        if isinstance(value, OrderedUnit):
            data[name] = _known(**value._asdict())
        elif value != ():
            data[name] = list(value) if name == "path" else value
    return data


def _known(**fields: object) -> Data:
    return {name: value for name, value in fields.items() if value is not None}


class Played(NamedTuple):
    """The phases of a question, as the reference engine played them under the ruleset in force."""

    phases: Sequence[PlayedPhase]
    centers: Centers
    """What each power owned before the last phase."""
    notes: Sequence[str]


def answer_question(data: object, rulesets: Mapping[str, Ruleset], documents: Documents | None = None) -> Data:
    """Adjudicate and explain a question of the page, under one ruleset and under all of them, as JSON has it.

    A question is `{"text": ..., "ruleset": ..., "later": [{"phase": ..., "text": ...}, ...]}`; the answer to one that
    cannot be read is `{"problems": [...]}`. `documents` are those behind the rulesets.
    """
    return _tell_problems(data, rulesets, partial(_answer, documents))


def find_targets(data: object, rulesets: Mapping[str, Ruleset]) -> Data:
    """Return the provinces that a unit may go to by its legal orders; a question names its `province`, too."""

    def find(played: Played, ruleset: Ruleset, _rulesets: Mapping[str, Ruleset]) -> Data:
        province = cast("dict[str, object]", data).get("province")
        if not isinstance(province, str):
            raise QuestionError("the question names no province")
        legal = legal_orders(played.phases[-1].asked.position(), province, ruleset)
        to = [province_code(given.order.to) for given in legal if isinstance(given.order, (Move, Retreat))]
        return {"targets": list(dict.fromkeys(to))}

    return _tell_problems(data, rulesets, find)


def draw_question(data: object, rulesets: Mapping[str, Ruleset]) -> Data:
    """Draw the board of a question with its orders, and the one after the last phase, each as an SVG element.

    The page has the map that they stand on. It takes as long as the answer, so the page asks for it afterwards.
    """
    return _tell_problems(data, rulesets, _boards)


def compare_engines(
    data: object,
    rulesets: Mapping[str, Ruleset],
    engines: Callable[[Ruleset], Mapping[str, Adjudicator]],
    documents: Documents | None = None,
) -> Data:
    """Ask engines a question of the page, and put each beside the rulesets that give the same outcome.

    `engines` returns the engines by name, asked under a ruleset. Raises `EngineClosedError`.
    """

    def compare(played: Played, ruleset: Ruleset, rulesets: Mapping[str, Ruleset]) -> Data:
        inputs = [one.asked for one in played.phases]
        table = explain_all_rulesets(inputs, ruleset, rulesets, engines(ruleset), documents=documents)
        return {"rulesets": _table_data(table)}

    return _tell_problems(data, rulesets, compare)


def play_question(question: Question, ruleset: Ruleset) -> Played:
    """Play the phases of a question in turn. Raises `HarnessError`."""
    pasted, inputs = read_first_phases(question)
    adjudicator = ReferenceAdjudicator(ruleset)
    notes = [*compare_with_recorded(inputs[0], pasted.phases[0].recorded, ruleset, {}), *pasted.notes]
    board = inputs[0].position().board
    of_adjustments = [one.centers for one in inputs if one.phase == "adjustment"]
    centers: Centers = next(iter(of_adjustments), pasted.centers) or home_centers(board)
    played = [*play(adjudicator, inputs)]
    for later, text in question.later:
        last = played[-1]
        coming = next_phase(last.asked, _answered(last), centers)
        centers = coming.centers
        if later == "adjustment" and coming.phase != "adjustment":
            centers = captured(board, centers, coming.units)
        phase, more = read_later_phase(later, text, last.asked.season, last.asked.year, centers)
        notes += more
        played += play(adjudicator, [phase.after(_answered(last))])
    _ = _answered(played[-1])
    return Played(played, centers, notes)


_OTHER_MAP = "This page has the standard map only: `datc-check explain FILE` reads a text that is about another map."


def _tell_problems(
    data: object, rulesets: Mapping[str, Ruleset], answer: Callable[[Played, Ruleset, Mapping[str, Ruleset]], Data]
) -> Data:
    try:
        question = read_question(data)
        if question.ruleset not in rulesets:
            raise QuestionError(f"there is no ruleset {printable(question.ruleset)!r}: select another one")
        ruleset = rulesets[question.ruleset]
        return answer(play_question(question, ruleset), ruleset, rulesets)
    except PositionFileError as error:
        other_map = [_OTHER_MAP] if lacks_names(error.problems) else []
        return {"problems": [*other_map, *(f"Line {each.line}: {each.problem}" for each in error.problems)]}
    except DatcCheckError as error:
        return {"problems": [str(error)]}


def _answered(played: PlayedPhase) -> Answer:
    if isinstance(played.answer, Failure):
        raise HarnessError(played.answer.reason)
    return played.answer


def _answer(documents: Documents | None, played: Played, ruleset: Ruleset, rulesets: Mapping[str, Ruleset]) -> Data:
    inputs = [one.asked for one in played.phases]
    table = explain_all_rulesets(inputs, ruleset, rulesets, {}, documents=documents)
    explained = [*explain_phases(played.phases, ruleset, table.disputed)]
    orders = [_orders(one) for one in inputs]
    asked, last = inputs[-1], explained[-1]
    coming = next_phase(asked, _answered(played.phases[-1]), played.centers)
    steps = phase_text(last)
    post = make_post(inputs, explained, ruleset.name, table, notes=played.notes, details=steps)
    return {
        "title": heading(asked),
        **asked.position().to_data(),
        "season": asked.season,
        "year": asked.year,
        "notes": played.notes,
        "orders": [_order_data(given) for given in orders[-1]],
        "explained": [
            {**_fields(each, "power", "order", "outcome", "reason"), "why": [*each.sentences]} for each in last.orders
        ],
        "summary": last.summary,
        "steps": steps,
        "earlier": [
            {"title": heading(one), "summary": each.summary} for one, each in zip(inputs[:-1], explained, strict=False)
        ],
        "rulesets": _table_data(table),
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
            "posts": {name: write_post(post, style) for name, style in STYLES.items()},
        },
    }


def _orders(asked: PhaseInput) -> Sequence[GivenOrder]:
    return [GivenOrder(*order) for order in asked.submission.as_one_clear_set() or ()]


def _order_data(given: GivenOrder) -> Data:
    unit = positions.ordered_unit(given)
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
            **_fields(row, "rulesets", "engines", "phases", "why"),
            "remark": row_remark(table, row),
            "in_force": row.is_in_force,
        }
        for row in table.rows
    ]
    depends_on = [each.sentence for each in table.depends_on]
    said = _fields(table, "sentence", "question", "unanswered")
    return {**said, "depends_on": depends_on, "rows": rows}


def _fields(of: object, *names: str) -> Data:
    return {name: getattr(of, name) for name in names}


def _boards(played: Played, ruleset: Ruleset, _rulesets: Mapping[str, Ruleset]) -> Data:
    asked = played.phases[-1].asked
    title, position = heading(asked), asked.position()
    adjudication = adjudicate(position, asked.orders, ruleset)
    before = scene_of_orders(position, _orders(asked), adjudication, asked.texts)
    after = scene_after(position, adjudication)
    base = "reference" if before.board is standard_board() else "page"  # The page holds the standard map.
    return {
        "before": draw_board(before, title=f"{title}: the orders", prefix="play-before", base=base),
        "after": draw_board(after, title=f"{title}: the board after", prefix="play-after", base=base),
    }


@lru_cache(maxsize=32)
def answer_in_browser(kind: str, question: str) -> str:
    """Answer a question of the page inside a browser, as JSON: `kind` is the address that a server has for it.

    The memory that a browser keeps has the last answers, so that a position which it had before is there at once.
    """
    (rulesets, documents), data = _stored_rulesets(), json.loads(question)
    if kind == "answer":
        return json.dumps(answer_question(data, rulesets, documents))
    return json.dumps({"boards": draw_question, "targets": find_targets}[kind](data, rulesets))


@cache
def _stored_rulesets() -> tuple[Mapping[str, Ruleset], Documents]:
    stored = json.loads(Path(__file__).with_name(RULESETS_FILE).read_text(encoding="utf-8"))
    rulesets = stored["rulesets"].items()
    documents = Documents(stored["bases"], stored["titles"])
    return {name: ruleset(name, each["choices"], each["default_coasts"]) for name, each in rulesets}, documents


def rulesets_text(rulesets: Mapping[str, Ruleset], documents: Documents) -> str:
    """Write rulesets, and what their documents say, as `answer_in_browser` reads them."""
    data = {
        name: {"choices": dict(each.choices), "default_coasts": dict(each.default_coasts)}
        for name, each in rulesets.items()
    }
    return json.dumps({"rulesets": data, **documents._asdict()})
