"""The reference engine whose answers are spoiled in one way, as an engine over stdio: `spoiling.py NAME`."""

import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec.structs import replace

from datc.adapters.builtin import BuiltinEngine, Reference, serve
from datc.adapters.protocol import AdjudicateParams, AdjudicateResult, DislodgedMessage, OrderResultMessage, UnitMessage
from datc.reference_engine import UnitType, standard_board

Spoil: TypeAlias = Callable[[AdjudicateParams, AdjudicateResult], AdjudicateResult]


def _first(answer: AdjudicateResult, *instead: UnitMessage) -> AdjudicateResult:
    """Put other units into the place of the first."""
    return replace(answer, units=[*instead, *answer.units[1:]])


def _elsewhere(params: AdjudicateParams, answer: AdjudicateResult, kind: UnitType = "A") -> UnitMessage:
    """Put the first unit into a province inland that nobody was in, is in or goes to."""
    units = (*params.units, *params.dislodged, *answer.units, *(answer.dislodged or ()))
    named = {unit.location.partition("/")[0] for unit in units}
    free = [p.code for p in standard_board().provinces if p.terrain == "inland" and p.code not in named]
    place = next(code for code in free if not any(code in order.text for order in params.orders))
    return replace(answer.units[0], type=kind, location=place)


def _other_power(unit: UnitMessage) -> UnitMessage:
    power = next(other for other in standard_board().powers if other != unit.power)
    return replace(unit, power=power)


def _dislodged_too(answer: AdjudicateResult, unit: UnitMessage) -> AdjudicateResult:
    entry = DislodgedMessage(power=unit.power, type=unit.type, location=unit.location, from_="MOS", retreats=[])
    return replace(answer, dislodged=[*(answer.dislodged or ()), entry])


def _each_dislodged(change: Callable[[Any], Any]) -> Spoil:
    """Change the dislodged units; without one nothing is spoiled."""
    return lambda _, answer: replace(answer, dislodged=list(map(change, answer.dislodged or ())) or answer.dislodged)


def _first_outcome(_params: AdjudicateParams, answer: AdjudicateResult) -> AdjudicateResult:
    first, *rest = answer.orders or [None]
    if first is None:
        return answer
    other = OrderResultMessage(outcome="fails" if first.outcome == "succeeds" else "succeeds")
    return replace(answer, orders=[other, *rest])


IMPOSSIBLE: Mapping[str, Spoil] = {
    "a-unit-twice": lambda _, answer: replace(answer, units=[*answer.units, answer.units[0]]),
    "two-units-in-a-province": lambda _, answer: replace(answer, units=[*answer.units, _other_power(answer.units[0])]),
    "standing-and-dislodged": lambda _, answer: _dislodged_too(answer, answer.units[0]),
    "dislodged-of-another-power": _each_dislodged(_other_power),
    "dislodged-of-another-type": _each_dislodged(lambda entry: replace(entry, type="A" if entry.type == "F" else "F")),
    "dislodged-from-nowhere": lambda params, answer: _dislodged_too(answer, _elsewhere(params, answer)),
    "a-unit-from-nowhere": lambda params, answer: replace(answer, units=[*answer.units, _elsewhere(params, answer)]),
    "a-fleet-inland": lambda params, answer: _first(answer, _elsewhere(params, answer, "F")),
    "a-place-that-is-none": lambda _, answer: _first(answer, replace(answer.units[0], location="XYZ")),
    "a-unit-of-another-power": lambda _, answer: _first(answer, _other_power(answer.units[0])),
}
"""Boards that cannot exist."""

WRONG: Mapping[str, Spoil] = {
    "a-unit-missing": lambda _, answer: _first(answer),
    "no-dislodgement": lambda _, answer: replace(answer, dislodged=[]),
    "a-retreat-missing": _each_dislodged(lambda entry: replace(entry, retreats=[])),
    "a-retreat-too-many": _each_dislodged(
        lambda entry: replace(entry, retreats=[*(entry.retreats or []), entry.from_])
    ),
}
"""Boards that are wrong."""

WORDS: Mapping[str, Spoil] = {"another-outcome": _first_outcome}
"""The right board, and a wrong word for an order."""

SPOILS: Mapping[str, Spoil] = {**IMPOSSIBLE, **WRONG, **WORDS}


class SpoiledReference(Reference, frozen=True):
    """Answers as the reference engine, spoiled in movement phases."""

    spoil: Spoil = lambda _params, answer: answer

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        answer = super().adjudicate(params)
        return self.spoil(params, answer) if params.phase == "movement" and answer.units else answer


def spoiled_engine(name: str) -> BuiltinEngine:
    """Make the reference engine with its answers spoiled in one way, in this process."""
    return BuiltinEngine(SpoiledReference(spoil=SPOILS[name]))


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer, SpoiledReference(spoil=SPOILS[sys.argv[1]]))
