"""The reference engine whose answers are spoiled in one way, as an engine over stdio: `spoiling.py NAME`."""

import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec.structs import replace

from datc.adapters.builtin import BuiltinEngine, Reference
from datc.adapters.protocol import AdjudicateParams, AdjudicateResult, DislodgedMessage, OrderResultMessage, UnitMessage
from datc.adapters.server import serve
from datc.reference_engine import standard_board

Spoil: TypeAlias = Callable[[AdjudicateParams, AdjudicateResult], AdjudicateResult]


def _units(answer: AdjudicateResult, *units: UnitMessage) -> AdjudicateResult:
    return replace(answer, units=list(units))


def _vacant(params: AdjudicateParams, answer: AdjudicateResult) -> str:
    """Find a province inland that nobody was in, is in or goes to."""
    board = standard_board()
    units = (*params.units, *params.dislodged, *answer.units, *(answer.dislodged or ()))
    named = {unit.location.partition("/")[0] for unit in units}
    free = [p.code for p in board.provinces if p.terrain == "inland" and p.code not in named]
    return next(code for code in free if not any(code in order.text for order in params.orders))


def _other_power(unit: UnitMessage) -> UnitMessage:
    power = next(other for other in standard_board().powers if other != unit.power)
    return replace(unit, power=power)


def _beside(answer: AdjudicateResult, unit: UnitMessage) -> AdjudicateResult:
    """List a unit as dislodged, too."""
    entry = DislodgedMessage(power=unit.power, type=unit.type, location=unit.location, from_="MOS", retreats=[])
    return replace(answer, dislodged=[*(answer.dislodged or ()), entry])


def _in_nowhere(params: AdjudicateParams, answer: AdjudicateResult, unit: UnitMessage) -> UnitMessage:
    return replace(unit, type="A", location=_vacant(params, answer))


def _each_dislodged(answer: AdjudicateResult, change: Callable[[Any], Any]) -> AdjudicateResult:
    """Change the dislodged units; without one nothing is spoiled."""
    entries = [change(entry) for entry in answer.dislodged or ()]
    return replace(answer, dislodged=entries) if entries else answer


def _first_outcome(_params: AdjudicateParams, answer: AdjudicateResult) -> AdjudicateResult:
    first, *rest = answer.orders or [None]
    if first is None:
        return answer
    other = OrderResultMessage(outcome="fails" if first.outcome == "succeeds" else "succeeds")
    return replace(answer, orders=[other, *rest])


IMPOSSIBLE: Mapping[str, Spoil] = {
    "a-unit-twice": lambda _, answer: _units(answer, *answer.units, answer.units[0]),
    "two-units-in-a-province": lambda _, answer: _units(answer, *answer.units, _other_power(answer.units[0])),
    "standing-and-dislodged": lambda _, answer: _beside(answer, answer.units[0]),
    "dislodged-of-another-power": lambda _, answer: _each_dislodged(answer, _other_power),
    "dislodged-of-another-type": lambda _, answer: _each_dislodged(
        answer, lambda entry: replace(entry, type="A" if entry.type == "F" else "F")
    ),
    "dislodged-from-nowhere": lambda params, answer: _beside(answer, _in_nowhere(params, answer, answer.units[0])),
    "a-unit-from-nowhere": lambda params, answer: _units(
        answer, *answer.units, _in_nowhere(params, answer, answer.units[0])
    ),
    "a-fleet-inland": lambda params, answer: _units(
        answer, replace(_in_nowhere(params, answer, answer.units[0]), type="F"), *answer.units[1:]
    ),
    "a-place-that-is-none": lambda _, answer: _units(
        answer, replace(answer.units[0], location="XYZ"), *answer.units[1:]
    ),
    "a-unit-of-another-power": lambda _, answer: _units(answer, _other_power(answer.units[0]), *answer.units[1:]),
}
"""Boards that cannot exist."""

WRONG: Mapping[str, Spoil] = {
    "a-unit-missing": lambda _, answer: _units(answer, *answer.units[1:]),
    "no-dislodgement": lambda _, answer: replace(answer, dislodged=[]),
    "a-retreat-missing": lambda _, answer: _each_dislodged(answer, lambda entry: replace(entry, retreats=[])),
    "a-retreat-too-many": lambda _, answer: _each_dislodged(
        answer, lambda entry: replace(entry, retreats=[*(entry.retreats or []), entry.from_])
    ),
}
"""Boards that are wrong."""

WORDS: Mapping[str, Spoil] = {"another-outcome": _first_outcome}
"""The right board, and a wrong word for an order."""

SPOILS: Mapping[str, Spoil] = {**IMPOSSIBLE, **WRONG, **WORDS}


class SpoiledReference(Reference):
    """Answers as the reference engine, spoiled in movement phases."""

    spoil: Spoil = staticmethod(lambda _params, answer: answer)

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        answer = super().adjudicate(params)
        return self.spoil(params, answer) if params.phase == "movement" and answer.units else answer


def spoiled(name: str) -> SpoiledReference:
    """Make the reference engine with its answers spoiled in one way."""
    reference = SpoiledReference()
    object.__setattr__(reference, "spoil", SPOILS[name])
    return reference


def spoiled_engine(name: str) -> BuiltinEngine:
    """Make the same as an engine in this process."""
    return BuiltinEngine(spoiled(name))


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer, spoiled(sys.argv[1]))
