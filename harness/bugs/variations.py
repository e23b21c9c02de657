"""Fresh positions like one that is known: in other places, with other powers, with a unit more or less."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

from ...cases import Case, load_suite, suite_names
from ...reference_engine import GivenOrder, Position, PositionError, province_code, standard_board
from ..play.positions import OrderedPosition, Orders, without_units
from .generate import perhaps_via, random_adjustments, random_paradox, random_position, with_others
from .terrain import PROFILES, elsewhere, locations_of, province_kind, with_places, with_powers

_MOST_STEPS = 400
"""Of a search for other places."""


def vary(rng: Random, ordered: OrderedPosition) -> OrderedPosition:
    """Change a position so that what it shows may still show: rarely nothing of it stays.

    A retreat phase that stands alone is given back as it is.
    """
    if ordered.phase == "retreat":
        return ordered
    try:
        return _varied(rng, ordered)
    except PositionError:  # A fleet cannot stand inland, for example.
        return ordered


def _varied(rng: Random, ordered: OrderedPosition) -> OrderedPosition:
    if ordered.phase == "adjustment":
        return _with_others_adjusting(rng, _of_another_power(rng, ordered))
    if rng.random() < 0.7:
        ordered = elsewhere(rng, ordered, _MOST_STEPS)
    if rng.random() < 0.7:
        powers = list(ordered.position.board.powers)
        ordered = with_powers(ordered, dict(zip(powers, rng.sample(powers, len(powers)), strict=True)))
    if rng.random() < 0.5:
        ordered = with_others(rng, ordered, rng.randint(1, 3))
    if rng.random() < 0.15:
        ordered = ordered._replace(orders=tuple(perhaps_via(rng, given) for given in ordered.orders))
    if len(ordered.units) > 2 and rng.random() < 0.2:
        ordered = without_units(ordered, {province_code(rng.choice(ordered.units).location)})
    if rng.random() < 0.5:
        orders = list(ordered.orders)
        rng.shuffle(orders)
        ordered = ordered._replace(orders=tuple(orders))
    return ordered


def _of_another_power(rng: Random, ordered: OrderedPosition) -> OrderedPosition:
    """Let other powers adjust: the home centers of each become those of the power that takes its place."""
    homes = {code: power.home_centers for code, power in standard_board().powers.items()}
    powers = list(homes)
    names = dict(zip(powers, rng.sample(powers, len(powers)), strict=True))
    places: dict[str, str] = {}
    for power, other in names.items():
        left = rng.sample(homes[other], len(homes[other]))
        for home in homes[power]:
            alike = next((each for each in left if province_kind(each) == province_kind(home)), None)
            if alike is None or power == other:
                return ordered
            left.remove(alike)
            places[home] = alike
    centers = {
        names[power]: tuple(places.get(center, center) for center in owned)
        for power, owned in ordered.position.centers.items()
    }
    moved = with_places(with_powers(ordered, names), places)
    return moved._replace(position=Position(moved.units, phase="adjustment", centers=centers))


def _with_others_adjusting(rng: Random, ordered: OrderedPosition) -> OrderedPosition:
    """Add what other powers have, own and order, where nothing of it is in the way."""
    if rng.random() < 0.3:
        return ordered
    drawn = random_adjustments(rng)
    mine, taken = ordered.position.centers, {province_code(place) for place in locations_of(ordered)}
    powers = {*mine, *(unit.power for unit in ordered.units), *(given.power for given in ordered.orders)}
    taken.update(*mine.values())
    units = [u for u in drawn.units if u.power not in powers and province_code(u.location) not in taken]
    centers = {
        power: tuple(center for center in owned if center not in taken)
        for power, owned in drawn.position.centers.items()
        if power not in powers
    }
    orders = [given for given in drawn.orders if given.power not in powers]
    position = Position((*ordered.units, *units), phase="adjustment", centers={**mine, **centers})
    return OrderedPosition(position, (*ordered.orders, *orders))


def drawn_at_random(rng: Random) -> Iterator[OrderedPosition]:
    """Draw positions of all kinds, without end."""
    profiles = list(PROFILES.values())
    while True:
        yield random_paradox(rng) if rng.random() < 0.15 else random_position(rng, rng.choice(profiles))


@cache
def positions_of_suites() -> tuple[OrderedPosition, ...]:
    """The positions of the cases, those alone whose orders are all clear: written once, by powers, as orders."""
    cases = [case for name in suite_names() for case in load_suite(name).cases]
    found = [ordered for case in cases if (ordered := position_of_case(case)) is not None]
    return tuple({key_of(ordered): ordered for ordered in found}.values())


def position_of_case(case: Case) -> OrderedPosition | None:
    """Return a case as a position, with the retreats after it; `None` where it is not one with clear orders."""
    first, *later = case.phases
    orders = _orders(case, 0)
    if first.position is None or orders is None or first.position.phase == "retreat" or first.position.flying_dutchmen:
        return None
    if later and later[0].phase == "retreat" and later[0].position is None:
        return OrderedPosition(first.position, orders, _orders(case, 1))
    return OrderedPosition(first.position, orders)


def _orders(case: Case, phase: int) -> Orders | None:
    """The orders of a phase; `None` where some are of another set, or no orders."""
    written = case.phases[phase].orders
    plain = all(one.order and one.submitted.order_set == 1 and not one.submitted.beforehand for one in written)
    return tuple(GivenOrder(one.power, one.order) for one in written) if plain else None


def key_of(ordered: OrderedPosition) -> tuple[object, ...]:
    """What two positions share that are the same question, in whichever order the orders were given."""
    position = ordered.position
    return (
        position.phase,
        frozenset(position.units),
        frozenset(ordered.orders),
        None if ordered.retreats is None else frozenset(ordered.retreats),
        tuple((power, tuple(owned)) for power, owned in sorted(position.centers.items())),
    )
