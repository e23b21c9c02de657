"""What procedures written from other documents share: the choices that a document makes, and the answer's form.

The procedure itself comes in between, as a function that says what became of the units: see `Outcome`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple, TypeAlias

from ..adjustments import adjudicate_adjustments
from ..board import province_code
from ..legality import CONVOY, HOLD, HOLDS, MOVE, MULTIPLE_ORDERS, PLAYED, Legality, Meaning, check_played, follow_one
from ..movement import powers_in_disorder
from ..orders import GivenOrder, Unit
from ..position import Dislodged, Position
from ..procedure import AdjudicatePhase, Procedure
from ..results import DISLODGED, IGNORED, ILLEGAL, SUCCEEDED, Adjudication, OrderResult
from ..retreats import adjudicate_retreats
from ..rulesets import Ruleset


class Orders(NamedTuple):
    """The orders of a movement phase as a procedure gets them."""

    position: Position
    meanings: Sequence[Meaning]
    """For each unit, by its index in the position, what it is ordered to do."""
    disordered: frozenset[str]
    """The powers whose units cannot be supported to hold (4.D.9)."""
    ruleset: Ruleset
    """Its choices are those of the document where it makes any."""

    def armies_by_convoy(self) -> list[int]:
        """The armies that move by convoy: to a space that is not adjacent, or whose order says so (4.A.3)."""
        position = self.position
        return [
            unit
            for unit, (kind, target, _, by_sea) in enumerate(self.meanings)
            if kind == MOVE
            and target >= 0
            and not position.is_fleet[unit]
            and (by_sea or not position.board.army_borders[position.home[unit]] >> target & 1)
        ]


class Outcome(NamedTuple):
    """What a procedure made of the orders: units by their index in the position, provinces by their number."""

    advanced: frozenset[int]
    """The units whose move succeeded."""
    dislodged: Mapping[int, int]
    """For each dislodged unit the one that dislodged it."""
    standoffs: frozenset[int]
    """The provinces of a standoff: nobody retreats there, should they be vacant."""
    convoyed: frozenset[int]
    """The armies that went by convoy."""
    failures: Mapping[int, OrderResult]
    """Why the order of a unit failed, apart from holding or convoying units that were dislodged."""


ResolveMovement: TypeAlias = Callable[[Orders], Outcome]


def procedure_by_document(resolve: ResolveMovement, fixed: Mapping[str, str]) -> Procedure:
    """Make a procedure of how a document resolves movement, and of the choices that it makes, whatever is asked for."""

    @lru_cache(maxsize=256)
    def by_the_document(ruleset: Ruleset) -> Ruleset:
        played = ruleset.with_choices(fixed)
        check_played(played, PLAYED)
        return played

    def with_its_choices(adjudicate: AdjudicatePhase) -> AdjudicatePhase:
        return lambda position, orders, ruleset: adjudicate(position, orders, by_the_document(ruleset))

    return {
        "movement": with_its_choices(partial(_adjudicate_movement, resolve)),
        "retreat": with_its_choices(adjudicate_retreats),
        "adjustment": with_its_choices(adjudicate_adjustments),
    }


def _adjudicate_movement(
    resolve: ResolveMovement, position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset
) -> Adjudication:
    legality = Legality(position, ruleset)
    given = legality.meanings(orders)
    followed, meanings = follow_one(given, len(position.units), HOLDS, MULTIPLE_ORDERS[ruleset.choices["4.D.3"]])
    outcome = resolve(Orders(position, meanings, powers_in_disorder(position, orders, ruleset), ruleset))
    units = _board_after(position, meanings, outcome)
    occupied = {province_code(unit.location) for unit in units}
    contested = {position.board.provinces[province].code for province in outcome.standoffs} - occupied
    return Adjudication(
        units=units,
        dislodged=_dislodged(position, outcome, occupied | contested, ruleset),
        orders=tuple(_result(given, index, followed, outcome, legality) for index in range(len(given))),
        contested=frozenset(contested),
    )


def _board_after(position: Position, meanings: Sequence[Meaning], outcome: Outcome) -> tuple[Unit, ...]:
    """The units on the board after the moves, without the dislodged ones."""
    locations = position.board.locations
    return tuple(
        unit._replace(location=locations[meanings[index][2]]) if index in outcome.advanced else unit
        for index, unit in enumerate(position.units)
        if index not in outcome.dislodged
    )


def _dislodged(position: Position, outcome: Outcome, closed: set[str], ruleset: Ruleset) -> tuple[Dislodged, ...]:
    """The dislodged units, and where they may retreat to (4.A.5)."""
    to_origin = ruleset.choices["4.A.5"] == "retreat-to-origin"
    found: list[Dislodged] = []
    for index, attacker in sorted(outcome.dislodged.items()):
        unit = position.units[index]
        origin = position.board.provinces[position.home[attacker]].code
        open_origin = to_origin and attacker in outcome.convoyed
        retreats = tuple(
            location
            for location in position.board.destinations(unit)
            if province_code(location) not in closed and (province_code(location) != origin or open_origin)
        )
        found.append(Dislodged(unit, origin, retreats))
    return tuple(found)


def _result(
    given: Sequence[tuple[int, Meaning] | None],
    index: int,
    followed: Sequence[int],
    outcome: Outcome,
    legality: Legality,
) -> OrderResult:
    """What became of one order: it was illegal, not the one followed, or what the procedure says of its unit."""
    order = given[index]
    if order is None:
        return IGNORED if index in legality.ignored else ILLEGAL
    unit, (kind, target, _, _) = order
    if followed[unit] != index and (followed[unit] < 0 or given[followed[unit]] != order):
        return IGNORED
    if kind == MOVE and target < 0:
        return ILLEGAL
    failure = outcome.failures.get(unit)
    if failure is None and kind in (HOLD, CONVOY) and unit in outcome.dislodged:
        return DISLODGED
    return failure or SUCCEEDED
