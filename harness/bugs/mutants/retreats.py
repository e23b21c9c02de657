"""Mutants in retreats: where a dislodged unit may go, and the result of its order."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ....reference_engine import (
    Adjudication,
    Convoy,
    Dislodged,
    Move,
    OrderResult,
    Position,
    Procedure,
    Retreat,
    SupportMove,
    Unit,
    province_code,
)
from .mutant import AdjudicatedPhase, Mutant, by_result, ordered_province

_DONE = OrderResult()


def _offering(offers: Callable[[AdjudicatedPhase, Dislodged], Iterable[str]]) -> Procedure:
    """Adjudicate movement by the rules, and offer a dislodged unit these retreats."""

    def mutate(phase: AdjudicatedPhase) -> Adjudication:
        dislodged = [
            entry._replace(retreats=tuple(sorted(set(offers(phase, entry))))) for entry in phase.result.dislodged
        ]
        return phase.result._replace(dislodged=tuple(dislodged))

    return by_result("movement", mutate)


def _retreats(entry: Dislodged) -> tuple[str, ...]:
    return entry.retreats or ()


def _neighbours(position: Position, entry: Dislodged, provinces: Iterable[str]) -> list[str]:
    """The locations in these provinces that a dislodged unit borders on."""
    wanted = set(provinces)
    return [location for location in position.board.destinations(entry.unit) if province_code(location) in wanted]


def _occupied(result: Adjudication) -> set[str]:
    return {province_code(unit.location) for unit in result.units}


def _contested(phase: AdjudicatedPhase, entry: Dislodged) -> list[str]:
    return [*_retreats(entry), *_neighbours(phase.position, entry, phase.result.contested)]


def _contested_by_convoy(phase: AdjudicatedPhase, entry: Dislodged) -> Iterable[str]:
    attackers = [unit.type for unit in phase.position.units if province_code(unit.location) == entry.attacked_from]
    origin = phase.position.board.number[entry.attacked_from or ""]
    home = phase.position.home[phase.position.units.index(entry.unit)]
    by_convoy = attackers == ["A"] and not phase.position.board.army_borders[origin] >> home & 1
    return _contested(phase, entry) if by_convoy else _retreats(entry)


def _origin(phase: AdjudicatedPhase, entry: Dislodged) -> list[str]:
    vacant = {entry.attacked_from or ""} - _occupied(phase.result) - phase.result.contested
    return [*_retreats(entry), *_neighbours(phase.position, entry, vacant)]


def _nearly_occupied(phase: AdjudicatedPhase, entry: Dislodged) -> list[str]:
    provinces = _occupied(phase.result) - {province_code(entry.unit.location), entry.attacked_from or ""}
    return [*_retreats(entry), *_neighbours(phase.position, entry, provinces)]


def _not_vacated(phase: AdjudicatedPhase, entry: Dislodged) -> list[str]:
    before = {province_code(unit.location) for unit in phase.position.units}
    return [location for location in _retreats(entry) if province_code(location) not in before]


def _not_attempted(phase: AdjudicatedPhase, entry: Dislodged) -> list[str]:
    attempted = {
        province_code(order.to)
        for (_, order), done in zip(phase.orders, phase.result.orders, strict=False)
        if isinstance(order, Move) and done.reason not in ("illegal", "ignored")
    }
    return [location for location in _retreats(entry) if province_code(location) not in attempted]


def _retreated(entry: Dislodged, to: str) -> Unit:
    return entry.unit._replace(location=to)


def _entries(position: Position) -> dict[str, Dislodged]:
    return {province_code(entry.unit.location): entry for entry in position.dislodged}


def _also(phase: AdjudicatedPhase, accepted: Callable[[Retreat, OrderResult], bool]) -> Adjudication:
    """Carry out further retreats that were refused."""
    entries = _entries(phase.position)
    units = list(phase.result.units)
    results = list(phase.result.orders)
    for index, (power, order) in enumerate(phase.orders):
        if not isinstance(order, Retreat) or results[index].reason is None or not accepted(order, results[index]):
            continue
        entry = entries.get(ordered_province(order))
        if entry is not None and entry.unit.power == power:
            units.append(_retreated(entry, order.to))
            results[index] = _DONE
    return phase.result._replace(units=tuple(units), orders=tuple(results))


def _all_bounced(phase: AdjudicatedPhase) -> Adjudication:
    return _also(phase, lambda _order, done: done.reason == "bounced")


def _first_bounced(phase: AdjudicatedPhase) -> Adjudication:
    taken: set[str] = set()

    def accepted(order: Retreat, done: OrderResult) -> bool:
        province = province_code(order.to)
        is_first = done.reason == "bounced" and province not in taken
        taken.add(province)
        return is_first

    return _also(phase, accepted)


def _supported_bounced(phase: AdjudicatedPhase) -> Adjudication:
    supported = {province_code(order.supported.location) for _, order in phase.orders if isinstance(order, SupportMove)}
    return _also(phase, lambda order, done: done.reason == "bounced" and ordered_province(order) in supported)


def _convoyed(phase: AdjudicatedPhase) -> Adjudication:
    convoyed = {
        (province_code(order.convoyed.location), province_code(order.to))
        for _, order in phase.orders
        if isinstance(order, Convoy)
    }
    return _also(phase, lambda order, _done: (ordered_province(order), province_code(order.to)) in convoyed)


def _to_any_neighbour(phase: AdjudicatedPhase) -> Adjudication:
    entries = _entries(phase.position)

    def accepted(order: Retreat, done: OrderResult) -> bool:
        entry = entries.get(ordered_province(order))
        if entry is None or done.reason != "illegal":
            return False
        borders = phase.position.board.destinations(entry.unit)
        return order.to in borders and province_code(order.to) not in _occupied(phase.result)

    return _also(phase, accepted)


def _unordered(phase: AdjudicatedPhase) -> Adjudication:
    ordered = {ordered_province(order) for _, order in phase.orders}
    units = list(phase.result.units)
    for province, entry in _entries(phase.position).items():
        taken = {province_code(unit.location) for unit in units}
        free = [location for location in _retreats(entry) if province_code(location) not in taken]
        if province not in ordered and free:
            units.append(_retreated(entry, free[0]))
    return phase.result._replace(units=tuple(units))


MUTANTS = (
    Mutant(
        "retreat-to-contested",
        "offers a retreat to a province that was left vacant by a standoff",
        _offering(_contested),
    ),
    Mutant(
        "retreat-to-contested-by-convoy",
        "offers a retreat to a province left vacant by a standoff where the attacker came by convoy",
        _offering(_contested_by_convoy),
    ),
    Mutant(
        "retreat-to-origin",
        "offers a retreat to the province that the attacker came from, also where it came over land",
        _offering(_origin),
    ),
    Mutant(
        "retreat-to-occupied", "offers a retreat to a province where another unit stands", _offering(_nearly_occupied)
    ),
    Mutant(
        "no-retreat-to-vacated",
        "offers no retreat to a province that another unit has just left",
        _offering(_not_vacated),
    ),
    Mutant(
        "no-retreat-to-attempted",
        "offers no retreat to a province that a unit tried to enter in vain, though there was no standoff",
        _offering(_not_attempted),
    ),
    Mutant(
        "no-retreat-at-all",
        "disbands every dislodged unit at once instead of letting it retreat",
        _offering(lambda _phase, _entry: ()),
    ),
    Mutant("colliding-retreats-succeed", "lets two units retreat to one province", by_result("retreat", _all_bounced)),
    Mutant(
        "first-retreat-wins",
        "lets one of two units retreat that retreat to one province: the one ordered first",
        by_result("retreat", _first_bounced),
    ),
    Mutant("supported-retreat-wins", "counts a support for a retreat", by_result("retreat", _supported_bounced)),
    Mutant("retreat-by-convoy", "lets a unit retreat by convoy", by_result("retreat", _convoyed)),
    Mutant(
        "retreat-not-checked",
        "lets a unit retreat to any vacant neighbour, contested or where its attacker came from",
        by_result("retreat", _to_any_neighbour),
    ),
    Mutant(
        "unordered-unit-retreats",
        "lets a dislodged unit without an order retreat instead of disbanding it",
        by_result("retreat", _unordered),
    ),
)
