"""Counts how often rare things are drawn among random positions.

    python benchmarks/rare.py [POSITIONS] [SEED]

Draws so many (3,000) positions of the source `random` and prints in how many of them each thing is. The exit code is 1
if one of them is in none.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from systems import drawn_at_random

from datc.cases import load_ruleset
from datc.cases.suite import USUAL_EDITION
from datc.harness.play.answer import Answer
from datc.harness.play.differential import Played, ask
from datc.harness.play.positions import OrderedPosition, helped_unit, ordered_unit
from datc.harness.play.session import ReferenceAdjudicator
from datc.reference_engine import OrderedUnit, Unit, province_code
from datc.reference_engine.civil_disorder import removal_order
from datc.reference_engine.explanation import Cycle, MovementExplanation, explain_movement
from datc.reference_engine.orders import Convoy, Move, Remove, Retreat, SupportMove

RULES = load_ruleset(USUAL_EDITION).ruleset()


class Seen(NamedTuple):
    """A position, and what the reference made of it."""

    ordered: OrderedPosition
    played: Played
    movement: MovementExplanation | None
    """`None` for adjustments."""

    @property
    def retreats(self) -> Mapping[str, Sequence[str]]:
        """Where each province's dislodged unit may go; empty where no retreats are ordered."""
        first = self.played[0].answer
        if self.ordered.retreats is None or not isinstance(first, Answer):
            return {}
        return {province_code(entry.unit.location): entry.retreats or () for entry in first.dislodged or ()}


def _convoyed(seen: Seen) -> Iterator[tuple[str, str, Sequence[object]]]:
    """Yield where each army goes from and to that a fleet is ordered to convoy there, and its complete routes."""
    ordered = {
        (province_code(given.order.convoyed.location), province_code(given.order.to))
        for given in seen.ordered.orders
        if isinstance(given.order, Convoy)
    }
    if seen.movement is None:
        return
    for unit, effect in enumerate(seen.movement.effects):
        home, routes = seen.ordered.units[unit].location, seen.movement.equations.routes[unit]
        if routes is not None and effect.target >= 0:
            to = seen.ordered.position.board.provinces[effect.target].code
            if (home, to) in ordered:
                yield home, to, routes


def _to_neighbour(seen: Seen) -> bool:
    board = seen.ordered.position.board
    return any(
        routes and board.army_borders[board.number[home]] >> board.number[to] & 1
        for home, to, routes in _convoyed(seen)
    )


def _incomplete(seen: Seen) -> bool:
    return any(not routes for _, _, routes in _convoyed(seen))


def _several_routes(seen: Seen) -> bool:
    return any(len(routes) > 1 for _, _, routes in _convoyed(seen))


def _path(seen: Seen) -> bool:
    return any(isinstance(given.order, Move) and given.order.path for given in seen.ordered.orders)


def _cycles(seen: Seen, *, paradox: bool) -> Sequence[Cycle]:
    cycles = seen.movement.equations.cycles if seen.movement is not None else ()
    return [cycle for cycle in cycles if cycle.is_paradox == paradox]


def _circle(least: int) -> Callable[[Seen], bool]:
    return lambda seen: any(len(cycle.units) >= least for cycle in _cycles(seen, paradox=False))


def _circle_with_convoy(seen: Seen) -> bool:
    return any(
        len(cycle.units) > 2 and any(cycle.equations.routes[unit] is not None for unit in cycle.units)
        for cycle in _cycles(seen, paradox=False)
    )


def _exchange(seen: Seen) -> bool:
    return any(len(cycle.units) == 2 for cycle in _cycles(seen, paradox=False))


def _paradox(least: int) -> Callable[[Seen], bool]:
    return lambda seen: any(len(cycle.units) >= least for cycle in _cycles(seen, paradox=True))


def _fleet_moves(seen: Seen) -> Iterator[tuple[Unit, str]]:
    """Yield the fleets that are ordered to a province with two coasts, and how that is written."""
    board = seen.ordered.position.board
    standing = {province_code(unit.location): unit for unit in seen.ordered.units}
    for given in seen.ordered.orders:
        if isinstance(given.order, Move):
            unit, province = standing.get(province_code(given.order.unit.location)), board.province(given.order.to)
            if unit is not None and unit.type == "F" and province is not None and province.coasts:
                yield unit, given.order.to


def _wrong_coast(seen: Seen) -> bool:
    return any(
        "/" in to
        and to not in (reached := seen.ordered.position.board.destinations(unit))
        and province_code(to) in map(province_code, reached)
        for unit, to in _fleet_moves(seen)
    )


def _no_coast(seen: Seen) -> bool:
    reached = seen.ordered.position.board.destinations
    return any("/" not in to and to in map(province_code, reached(unit)) for unit, to in _fleet_moves(seen))


def _support_of_other_coast(seen: Seen) -> bool:
    moves = {g.order.unit.location: g.order.to for g in seen.ordered.orders if isinstance(g.order, Move)}
    supports = [given.order for given in seen.ordered.orders if isinstance(given.order, SupportMove)]
    return any(
        (to := moves.get(order.supported.location)) is not None
        and to != order.to
        and province_code(to) == province_code(order.to)
        for order in supports
    )


def _names(seen: Seen) -> Iterator[tuple[Unit, OrderedUnit]]:
    """Yield the units that orders name, and how."""
    standing = {province_code(unit.location): unit for unit in seen.ordered.units}
    for given in seen.ordered.orders:
        for named in (ordered_unit(given), helped_unit(given.order)):
            if named is not None and (unit := standing.get(province_code(named.location))) is not None:
                yield unit, named


def _unit_on_other_coast(seen: Seen) -> bool:
    return any("/" in named.location and named.location != unit.location for unit, named in _names(seen))


def _other_type(seen: Seen) -> bool:
    return any(named.type != unit.type for unit, named in _names(seen))


def _other_nationality(seen: Seen) -> bool:
    return any(named.power not in (None, unit.power) for unit, named in _names(seen))


def _second_order(seen: Seen) -> bool:
    if seen.movement is None:
        return False
    meant = {each for each in seen.movement.given if each is not None}
    return len(meant) > len({unit for unit, _ in meant})


def _silent_power(seen: Seen) -> bool:
    powers = {unit.power for unit in seen.ordered.units}
    return seen.movement is not None and not powers <= {given.power for given in seen.ordered.orders}


def _retreats_to_one(least: int) -> Callable[[Seen], bool]:
    def shows(seen: Seen) -> bool:
        allowed = seen.retreats
        going: dict[str, set[str]] = {}
        for given in seen.ordered.retreats or ():
            if isinstance(given.order, Retreat) and given.order.to in allowed.get(given.order.unit.location[:3], ()):
                going.setdefault(province_code(given.order.to), set()).add(given.order.unit.location)
        return any(len(units) >= least for units in going.values())

    return shows


def _forbidden_retreat(seen: Seen) -> bool:
    allowed = seen.retreats
    return any(
        isinstance(given.order, Retreat) and given.order.to not in allowed.get(given.order.unit.location[:3], ())
        for given in seen.ordered.retreats or ()
    )


def _tie(seen: Seen) -> bool:
    """Whether a unit is removed in civil disorder rather than another of its power for its name alone."""
    answer = seen.played[0].answer
    if seen.ordered.phase != "adjustment" or not isinstance(answer, Answer):
        return False
    ordered = {
        province_code(given.order.unit.location) for given in seen.ordered.orders if isinstance(given.order, Remove)
    }
    for power in seen.ordered.position.board.powers:
        key = removal_order(seen.ordered.position, power, RULES)
        own = [unit for unit in seen.ordered.units if unit.power == power]
        removed = {key(u)[:3] for u in own if u not in answer.units and province_code(u.location) not in ordered}
        if removed & {key(unit)[:3] for unit in own if unit in answer.units}:
            return True
    return False


THINGS: Mapping[str, Callable[[Seen], bool]] = {
    "convoy to an adjacent province": _to_neighbour,
    "two units change places, one by convoy": _exchange,
    "convoy with a gap in its route": _incomplete,
    "convoy over several routes": _several_routes,
    "move that names the path of its convoy": _path,
    "circle of three or more": _circle(3),
    "circle of four or more": _circle(4),
    "circle of three or more with a convoy in it": _circle_with_convoy,
    "paradox of convoys": _paradox(1),
    "paradox in which six orders or more depend on each other": _paradox(6),
    "fleet ordered to a coast that it cannot reach": _wrong_coast,
    "fleet ordered to two coasts without saying which": _no_coast,
    "support that names another coast than the move": _support_of_other_coast,
    "unit named on another coast than its own": _unit_on_other_coast,
    "unit named with a wrong type, or none": _other_type,
    "unit named with a wrong nationality": _other_nationality,
    "two legal orders to one unit": _second_order,
    "power with units and no orders": _silent_power,
    "two retreats to one province": _retreats_to_one(2),
    "three retreats to one province": _retreats_to_one(3),
    "retreat that is not allowed": _forbidden_retreat,
    "disband with a tie, in civil disorder": _tie,
}


def see(ordered: OrderedPosition) -> Seen:
    """Ask the reference a position, and have its movements explained."""
    is_movement = ordered.phase == "movement"
    explained = explain_movement(ordered.position, ordered.orders, RULES) if is_movement else None
    return Seen(ordered, ask(ReferenceAdjudicator(RULES), ordered), explained)


def count(positions: int, seed: int) -> Counter[str]:
    """Count in how many positions each thing is."""
    found: Counter[str] = Counter(dict.fromkeys(THINGS, 0))
    for ordered in drawn_at_random(positions, seed):
        seen = see(ordered)
        found.update(name for name, shows in THINGS.items() if shows(seen))
    return found


def main() -> int:
    """Print a table of what is drawn."""
    positions = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    found = count(positions, seed)
    print(f"| in {positions:,} positions of `random`, seed {seed} | |\n|:--|--:|")
    for name, number in found.items():
        print(f"| {name} | {number} |")
    return 0 if all(found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
