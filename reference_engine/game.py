"""A game as it goes on: the legal orders of a position, and the position after a phase."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from .adjudication import legality
from .board import Board, OrderedUnit, Unit, province_code
from .civil_disorder import homes, without_flying_dutchmen
from .errors import PositionError
from .orders import (
    Build,
    Convoy,
    Disband,
    GivenOrder,
    Hold,
    Move,
    Order,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    Waive,
)
from .position import Adjudication, Position
from .procedures import EQUATIONS
from .routes import members
from .rulesets import DATC_3_2, Ruleset


class Turn(NamedTuple):
    """A position, and when in a game it is."""

    position: Position
    """The supply centers that it has are those owned; where it has none, each power owns its home centers."""
    season: str = "spring"
    """`spring`, `autumn`, or `winter` for adjustments."""
    year: int = 1901

    def after(self, result: Adjudication) -> Turn:
        """Return the next phase in which there is something to order: retreats, movements, or adjustments.

        At the end of an autumn, a power comes to own each supply center on which it has a unit.
        """
        position, season, year = self
        board, units = position.board, result.units
        if position.phase == "movement" and result.dislodged:
            dislodged, owned = result.dislodged, _owned(position)
            return self._replace(
                position=Position(units, phase="retreat", dislodged=dislodged, centers=owned, board=board)
            )
        ends_autumn = season == "autumn" and position.phase != "adjustment"
        owned = captured(board, _owned(position), units if ends_autumn else ())
        if ends_autumn:
            coming = Position(units, phase="adjustment", centers=owned, board=board.in_season("winter"))
            if any(coming.power.count(power) != len(coming.counted(power)) for power in owned):
                return Turn(coming, "winter", year)
        is_autumn = season == "spring" and position.phase != "adjustment"
        season = "autumn" if is_autumn else "spring"
        return Turn(Position(units, centers=owned, board=board.in_season(season)), season, year + (not is_autumn))

    @property
    def eliminated(self) -> tuple[str, ...]:
        """The powers that have no unit and own no supply center."""
        position, owned = self.position, _owned(self.position)
        alive = {unit.power for unit in (*position.units, *(each.unit for each in position.dislodged))}
        return tuple(power for power in position.board.powers if power not in alive and not owned.get(power))


def _owned(position: Position) -> Mapping[str, Iterable[str]]:
    named = position.centers or position.phase == "adjustment"
    return position.centers if named else home_centers(position.board)


def home_centers(board: Board) -> Mapping[str, tuple[str, ...]]:
    """Return the supply centers that each power owns at the start of a game: its home, if the map says nothing else."""
    return {power.code: power.owned for power in board.powers.values()}


def captured(
    board: Board, centers: Mapping[str, Iterable[str]], units: Iterable[Unit]
) -> Mapping[str, tuple[str, ...]]:
    """Give each supply center on which a unit stands to the power of the unit."""
    taken = {province_code(unit.location): unit.power for unit in units}
    owners = {center: power for power, owned in centers.items() for center in owned}
    owners |= {province: power for province, power in taken.items() if province in board.supply_centers}
    return {power: tuple(sorted(each for each, owner in owners.items() if owner == power)) for power in board.powers}


def legal_orders(position: Position, location: str, ruleset: Ruleset = DATC_3_2) -> tuple[GivenOrder, ...]:
    """Return the legal orders of a unit, as of what stands on the board, whatever other units are ordered.

    These are the orders that the adjudicator does not call illegal, each written once: a unit in full, a support
    without the coast that the supported unit goes to, a convoyed move without its path.

    Args:
        position: The position before the phase.
        location: Where the unit is: the dislodged one before retreats. Before adjustments, where a unit can be removed,
            or a home center, where units can be built or waived.
        ruleset: The choice for every issue.

    Returns:
        The orders, with the power that may give them; none where nothing can be ordered.

    Raises:
        PositionError: The location is not on the board.
    """
    if position.flying_dutchmen:
        position = without_flying_dutchmen(position, ruleset)
    board, province = position.board, province_code(location)
    if location not in board.number:
        raise PositionError(f"{location!r} is no location on the board")
    standing = [each.unit for each in position.dislodged] if position.phase == "retreat" else position.units
    unit = next((unit for unit in standing if province_code(unit.location) == province), None)
    power = unit.power if unit else next((each for each in board.powers if province in homes(position, each)), "")
    if not power or (unit is None and position.phase != "adjustment"):
        return ()
    is_legal = legality(position, ruleset, EQUATIONS)
    built = (Build(place.named) for place in board.places.values() if place.province == board.number[province])
    legal = [order for order in (_orders(position, unit) if unit else built) if is_legal(power, order)]
    if unit is None and legal and is_legal(power, Waive()):
        legal.append(Waive())
    return tuple(GivenOrder(power, order) for order in legal)


def _orders(position: Position, unit: Unit) -> Iterator[Order]:
    """The orders of a unit that may be legal."""
    named = OrderedUnit(unit.location, unit.type)
    if position.phase == "adjustment":
        yield Remove(named)
    elif position.phase == "retreat":
        yield from (
            Retreat(named, to) for each in position.dislodged if each.unit == unit for to in each.retreats or ()
        )
        yield Disband(named)
    else:
        yield Hold(named)
        yield from (Move(named, to) for to in position.board.destinations(unit))
        canal, home = position.board.canal, position.board.number[province_code(unit.location)]
        if canal is not None and canal.beyond(home) >= 0:
            yield Move(named, position.board.locations[canal.beyond(home)])
        if (railway := position.board.railway) is not None and home in railway.line:
            yield from (Move(named, position.board.locations[to], path=(railway.name,)) for to in railway.line)
        yield from _orders_with_others(position, unit, named)


def _orders_with_others(position: Position, unit: Unit, named: OrderedUnit) -> Iterator[Order]:
    """The moves by convoy, supports and convoys of a unit that may be legal."""
    board, fleets = position.board, position.fleets_at_sea()
    home, coasts = board.number[province_code(unit.location)], members(board.coastal)
    if unit.type == "A":
        over_sea = (coast for coast in coasts if board.routes.possible(home, coast, fleets))
        yield from (Move(named, board.locations[coast], via_convoy=True) for coast in over_sea)
    near = dict.fromkeys(map(province_code, board.destinations(unit)))
    for other in position.units:
        if other == unit:
            continue
        helped, there = OrderedUnit(other.location, other.type, other.power), province_code(other.location)
        yield SupportHold(named, helped)
        yield from (SupportMove(named, helped, to) for to in near if to != there)
        if fleets >> home & 1 and other.type == "A":
            yield from (Convoy(named, helped, board.locations[coast]) for coast in coasts)
