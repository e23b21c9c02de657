"""The door of the engine: a position and orders in, what becomes of them out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .adjustments import adjudicate_adjustments
from .movement import adjudicate_movement
from .orders import GivenOrder, Phase
from .position import Position
from .results import Adjudication
from .retreats import adjudicate_retreats
from .rulesets import DATC_3_1, Ruleset

_PHASES: Mapping[Phase, Callable[[Position, Sequence[GivenOrder], Ruleset], Adjudication]] = {
    "movement": adjudicate_movement,
    "retreat": adjudicate_retreats,
    "adjustment": adjudicate_adjustments,
}


def adjudicate(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset = DATC_3_1) -> Adjudication:
    """Adjudicate the phase that a position is before.

    Any order may be given, also one that is badly written, impossible, or for a unit that is not there: it is then
    illegal. Units without an order hold, disband (retreats) or fall under the civil-disorder rules (adjustments).
    Raises `UnplayedChoiceError` where the ruleset makes a choice that this engine does not play.
    """
    return _PHASES[position.phase](position, orders, ruleset)
