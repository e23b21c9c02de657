"""What is wrong with the answer to a plain position, in words that its author can act on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...reference_engine import Unit, nearest, province_code, standard_board
from ..answers import Answer, ExpectedAnswer, Fact, diff_answers, expect_answer, fact_text, not_given, unit_text
from ..session import PlayedPhase

NO_DISLODGED = "the answer has no `dislodged`, from which a retreat phase goes on"
_NO_ORDERS = "the answer has no `orders`: the outcomes of single orders are not judged"


class Remarks(NamedTuple):
    """What is to be said of an answer."""

    failures: list[str]
    """What is wrong."""
    hints: list[str]
    """What could be better, or has to be known."""


def advise(played: PlayedPhase, reference: Answer) -> Remarks:
    """Hold what was answered to the answer of the reference engine."""
    asked, answer = played.asked, played.answer
    if not isinstance(answer, Answer):
        return Remarks([f"the engine {answer.reason.removeprefix('the engine ')}"], [])
    expected = expect_answer(reference, None if asked.phase == "movement" else (), attackers=True)
    facts = played.impossible or diff_answers(expected, answer)
    # An unknown name leads to further facts, which say nothing new.
    facts = [fact for fact in facts if fact.kind == "impossible-place"] or facts
    orders = asked.texts or ()
    failures = dict.fromkeys(_failure(fact, expected, orders) for fact in facts)
    hints = dict.fromkeys(_hint(fact, answer) for fact in not_given(expected, answer))
    return Remarks([*failures], [*filter(None, hints), *_other_reasons(reference, answer, orders)])


def _failure(fact: Fact, expected: ExpectedAnswer, orders: Sequence[str]) -> str:
    board = standard_board()
    if fact.kind == "impossible-place" and fact.unit is not None:
        return _impossible_place(fact.unit)
    if fact.kind in ("attacked-from", "retreat-unexpected") and board.province(fact.actual) is None:
        return _unknown("location", fact.actual, board.locations)
    if fact.unit is None or fact.unit not in (expected.dislodged or {}):
        return fact_text(fact, orders)
    if fact.kind in ("standing-and-dislodged", "unit-unexpected"):
        unit = unit_text(fact.unit)
        return f"`units` has {unit}, which is dislodged: it stands in `dislodged` alone until it has retreated"
    return fact_text(fact, orders)


def _impossible_place(unit: Unit) -> str:
    board = standard_board()
    if unit.power not in board.powers:
        return _unknown("power", unit.power, tuple(board.powers))
    if unit.location not in board.number:
        return _unknown("location", unit.location, board.locations)
    coasts = [place for place in board.locations if place.startswith(f"{unit.location}/")]
    if unit.type == "F" and coasts:
        return f"a fleet in {unit.location} is on one of its coasts: {' or '.join(coasts)}"
    if unit.type == "A" and "/" in unit.location:
        return f"an army is on no coast: {province_code(unit.location)} instead of {unit.location}"
    return fact_text(Fact("impossible-place", unit), ())


def _unknown(kind: str, word: str, known: Sequence[str]) -> str:
    """Say that the protocol has no such word (docs/protocol.md), and which is meant."""
    return f"{kind} {word!r} is unknown{nearest(word, known)}"


def _hint(fact: Fact, answer: Answer) -> str:
    """Say what is left out; nothing of a single order."""
    if fact.kind == "outcome":
        return "" if answer.outcomes else _NO_ORDERS
    if fact.kind == "dislodgement-missing" or fact.unit is None:
        return NO_DISLODGED
    unit = unit_text(fact.unit)
    if fact.kind == "attacked-from":
        return f"`from` of {unit} is not given: the province that its attacker came from"
    return f"`retreats` of {unit} are not given: where it may retreat to is not judged"


def _other_reasons(reference: Answer, answer: Answer, orders: Sequence[str]) -> Iterator[str]:
    """Name the orders that fail for another reason than the answer says."""
    for text, wanted, said in zip(orders, reference.outcomes or (), answer.outcomes or (), strict=False):
        if wanted is None or said is None or wanted.outcome != said.outcome:
            continue
        if said.reason not in (None, wanted.reason):
            yield f"{text!r} fails as {wanted.reason}; `orders` says {said.reason}"
