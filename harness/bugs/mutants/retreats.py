"""Mutants in retreats: where a dislodged unit may go, and the result of its order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeAlias

from ....reference_engine import Adjudication, Dislodged, OrderResult, Position, Procedure, province_code
from ....reference_engine.orders import Convoy, Move, Retreat, SupportMove
from ...play.positions import ordered_province
from .mutant import Adjudicated, by_result, mutant

_Accepts: TypeAlias = Callable[[Retreat, OrderResult], bool]


def _offering(offers: Callable[[Adjudicated, Dislodged], Iterable[str]]) -> Procedure:
    """Adjudicate movement by the rules, and offer a dislodged unit these retreats."""

    def mutate(phase: Adjudicated) -> Adjudication:
        dislodged = [
            entry._replace(retreats=tuple(sorted(set(offers(phase, entry))))) for entry in phase.result.dislodged
        ]
        return phase.result._replace(dislodged=tuple(dislodged))

    return by_result("movement", mutate)


def _and_neighbours(phase: Adjudicated, entry: Dislodged, provinces: Iterable[str]) -> list[str]:
    """The retreats of a dislodged unit, and the locations in these provinces that it borders on."""
    borders = phase.position.board.destinations(entry.unit)
    return [*(entry.retreats or ()), *(location for location in borders if province_code(location) in provinces)]


def _occupied(result: Adjudication) -> set[str]:
    return {province_code(unit.location) for unit in result.units}


@mutant("offers a retreat to a province that was left vacant by a standoff", _offering)
def _retreat_to_contested(phase: Adjudicated, entry: Dislodged) -> Iterable[str]:
    return _and_neighbours(phase, entry, phase.result.contested)


@mutant("offers a retreat to a province left vacant by a standoff where the attacker came by convoy", _offering)
def _retreat_to_contested_by_convoy(phase: Adjudicated, entry: Dislodged) -> Iterable[str]:
    attackers = [unit.type for unit in phase.position.units if province_code(unit.location) == entry.attacked_from]
    origin = phase.position.board.number[entry.attacked_from or ""]
    home = phase.position.home[phase.position.units.index(entry.unit)]
    by_convoy = attackers == ["A"] and not phase.position.board.army_borders[origin] >> home & 1
    return _and_neighbours(phase, entry, phase.result.contested if by_convoy else ())


@mutant("offers a retreat to the province that the attacker came from, also where it came over land", _offering)
def _retreat_to_origin(phase: Adjudicated, entry: Dislodged) -> Iterable[str]:
    return _and_neighbours(phase, entry, {entry.attacked_from or ""} - _occupied(phase.result) - phase.result.contested)


@mutant("offers a retreat to a province where another unit stands", _offering)
def _retreat_to_occupied(phase: Adjudicated, entry: Dislodged) -> Iterable[str]:
    others = _occupied(phase.result) - {province_code(entry.unit.location), entry.attacked_from or ""}
    return _and_neighbours(phase, entry, others)


@mutant("offers no retreat to a province that another unit has just left", _offering)
def _no_retreat_to_vacated(phase: Adjudicated, entry: Dislodged) -> Iterable[str]:
    before = {province_code(unit.location) for unit in phase.position.units}
    return [location for location in entry.retreats or () if province_code(location) not in before]


@mutant("offers no retreat to a province that a unit tried to enter in vain, though there was no standoff", _offering)
def _no_retreat_to_attempted(phase: Adjudicated, entry: Dislodged) -> Iterable[str]:
    attempted = {
        province_code(order.to)
        for (_, order), done in zip(phase.orders, phase.result.orders, strict=False)
        if isinstance(order, Move) and done.reason not in ("illegal", "ignored")
    }
    return [location for location in entry.retreats or () if province_code(location) not in attempted]


@mutant("disbands every dislodged unit at once instead of letting it retreat", _offering)
def _no_retreat_at_all(_phase: Adjudicated, _entry: Dislodged) -> Iterable[str]:
    return ()


def _entries(position: Position) -> dict[str, Dislodged]:
    return {province_code(entry.unit.location): entry for entry in position.dislodged}


def _also(accepting: Callable[[Adjudicated], _Accepts]) -> Procedure:
    """Adjudicate retreats by the rules, and carry out further ones that were refused."""

    def mutate(phase: Adjudicated) -> Adjudication:
        accepts, entries = accepting(phase), _entries(phase.position)
        units, results = list(phase.result.units), list(phase.result.orders)
        for index, (power, order) in enumerate(phase.orders):
            if not isinstance(order, Retreat) or results[index].reason is None or not accepts(order, results[index]):
                continue
            entry = entries.get(ordered_province(order))
            if entry is not None and entry.unit.power == power:
                units.append(entry.unit._replace(location=order.to))
                results[index] = OrderResult()
        return phase.result._replace(units=tuple(units), orders=tuple(results))

    return by_result("retreat", mutate)


@mutant("lets two units retreat to one province", _also)
def _colliding_retreats_succeed(_phase: Adjudicated) -> _Accepts:
    return lambda _order, done: done.reason == "bounced"


@mutant("lets one of two units retreat that retreat to one province: the one ordered first", _also)
def _first_retreat_wins(_phase: Adjudicated) -> _Accepts:
    taken: set[str] = set()

    def accepts(order: Retreat, done: OrderResult) -> bool:
        is_first = done.reason == "bounced" and province_code(order.to) not in taken
        taken.add(province_code(order.to))
        return is_first

    return accepts


@mutant("counts a support for a retreat", _also)
def _supported_retreat_wins(phase: Adjudicated) -> _Accepts:
    supported = {province_code(order.supported.location) for _, order in phase.orders if isinstance(order, SupportMove)}
    return lambda order, done: done.reason == "bounced" and ordered_province(order) in supported


@mutant("lets a unit retreat by convoy", _also)
def _retreat_by_convoy(phase: Adjudicated) -> _Accepts:
    convoys = [order for _, order in phase.orders if isinstance(order, Convoy)]
    convoyed = {(province_code(order.convoyed.location), province_code(order.to)) for order in convoys}
    return lambda order, _done: (ordered_province(order), province_code(order.to)) in convoyed


@mutant("lets a unit retreat to any vacant neighbour, contested or where its attacker came from", _also)
def _retreat_not_checked(phase: Adjudicated) -> _Accepts:
    entries, occupied = _entries(phase.position), _occupied(phase.result)

    def accepts(order: Retreat, done: OrderResult) -> bool:
        entry = entries.get(ordered_province(order))
        if entry is None or done.reason != "illegal" or province_code(order.to) in occupied:
            return False
        return order.to in phase.position.board.destinations(entry.unit)

    return accepts


@mutant("lets a dislodged unit without an order retreat instead of disbanding it", partial(by_result, "retreat"))
def _unordered_unit_retreats(phase: Adjudicated) -> Adjudication:
    ordered = {ordered_province(order) for _, order in phase.orders}
    units = list(phase.result.units)
    for province, entry in _entries(phase.position).items():
        taken = {province_code(unit.location) for unit in units}
        free = [location for location in entry.retreats or () if province_code(location) not in taken]
        if province not in ordered and free:
            units.append(entry.unit._replace(location=free[0]))
    return phase.result._replace(units=tuple(units))
