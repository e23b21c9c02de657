"""The Flying Dutchman: a unit that should not be on the board, and what becomes of it (issue 4.E.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .board import province_code
from .disorder import removal_order
from .orders import Unit
from .position import FlyingDutchman, Position
from .rulesets import Ruleset


def _candidates(position: Position, dutchman: FlyingDutchman) -> Sequence[Unit]:
    provinces = {province_code(candidate) for candidate in dutchman.candidates}
    return [unit for unit in position.units if province_code(unit.location) in provinces]


def _any_before_moves(position: Position, dutchman: FlyingDutchman) -> Sequence[Unit]:
    """The Alexander Rules V.6: any unit of the power, as in civil disorder; adjustments finish as usual."""
    if position.phase == "adjustment":
        return ()
    return [unit for unit in position.units if unit.power == dutchman.power]


GOES_AT_ONCE: Mapping[str, Callable[[Position, FlyingDutchman], Sequence[Unit]]] = {
    "play-on": lambda _position, _dutchman: (),
    "datc": _candidates,
    "alexander": _any_before_moves,
}
"""Issue 4.E.6: the units of which the first one by the civil-disorder rule goes before the phase; none where it stays.

That the last phase is judged again, where its adjudication was the mistake, is not for this phase to show.
"""


def without_flying_dutchmen(position: Position, ruleset: Ruleset) -> Position:
    """The position once its Flying Dutchmen are dealt with."""
    for dutchman in position.flying_dutchmen:
        doomed = GOES_AT_ONCE[ruleset.choices["4.E.6"]](position, dutchman)
        gone = min(doomed, key=removal_order(position, dutchman.power, ruleset), default=None)
        units = [unit for unit in position.units if unit != gone]
        position = Position(units, phase=position.phase, centers=position.centers, board=position.board)
    return position
