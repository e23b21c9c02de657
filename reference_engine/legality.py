"""What an order means on this board: which orders are legal (DATC 4.E.1), and what a badly written one says.

A legal order is one that could be valid, not knowing any other order yet. It becomes a meaning, four integers:

| kind | target | | |
|---|---|---|---|
| `HOLD` | -1 | -1 | -1 |
| `MOVE` | the province it goes to | the location it lands on | 1 if tagged "via convoy" |
| `SUPPORT` | the province supported into, or held | the supported unit | the coast written, or -1 |
| `CONVOY` | the province that the army is brought to | the convoyed unit | -1 |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from .board import Board
from .errors import UnplayedChoiceError
from .orders import (
    Build,
    Convoy,
    Disband,
    Move,
    Order,
    OrderedUnit,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    Unit,
    Waive,
)
from .position import Position
from .rulesets import Ruleset

_T = TypeVar("_T")

HOLD, MOVE, SUPPORT, CONVOY = range(4)

Meaning: TypeAlias = tuple[int, int, int, int]

HOLDS: Meaning = (HOLD, -1, -1, -1)

NO_WAY_BACK_TO_LAND: frozenset[str] = frozenset({"2000-no-fallback", "dptg-explicit"})
"""Issue 4.A.3: where a move tagged "via convoy" never goes over land: it is illegal without a possible convoy."""

MULTIPLE_ORDERS: Mapping[str, Callable[[Sequence[int]], int]] = {
    "first": lambda orders: orders[0],
    "last": lambda orders: orders[-1],
    "illegal-hold": lambda _orders: -1,
}
"""Issue 4.D.3: which of several different legal orders to one unit is followed; -1 for none."""

PLAYED: Mapping[str, frozenset[str]] = {
    "4.B.1": frozenset({"fail"}),
    "4.B.2": frozenset({"only-possible", "fail"}),
    "4.B.3": frozenset({"illegal", "ignore-coast"}),
    "4.B.5": frozenset({"ignore", "fail"}),
    "4.B.6": frozenset({"ignore", "fail"}),
    "4.C.1": frozenset({"valid", "invalid"}),
    "4.C.2": frozenset({"valid", "invalid"}),
    "4.C.5": frozenset({"valid", "invalid"}),
    "4.C.6": frozenset({"valid", "invalid"}),
    "4.D.1": frozenset({"latest-unless-extended"}),
    "4.D.2": frozenset({"combine"}),
    "4.D.3": frozenset(MULTIPLE_ORDERS),
    "4.D.9": frozenset({"succeeds"}),
    "4.E.1": frozenset({"possible-now"}),
    "4.E.2": frozenset({"individual"}),
    "4.E.3": frozenset({"not-allowed"}),
    "4.E.4": frozenset({"not-allowed"}),
    "4.E.5": frozenset({"not-allowed"}),
    "4.E.6": frozenset({"datc"}),
}
"""The choices that this module plays, or that cannot show in a single phase of single orders."""


def check_played(ruleset: Ruleset, played: Mapping[str, frozenset[str]]) -> None:
    """Raise `UnplayedChoiceError` for a choice of the ruleset that is not played."""
    for issue, choices in played.items():
        if ruleset.choices[issue] not in choices:
            raise UnplayedChoiceError(
                f"the reference engine does not play {ruleset.choices[issue]!r} for issue {issue} yet,"
                + f" only {', '.join(sorted(choices))}"
            )


_OF_ANOTHER_PHASE = (Retreat, Disband, Build, Remove, Waive)


def follow_one(
    given: Sequence[tuple[int, _T] | None], units: int, unordered: _T, choose: Callable[[Sequence[int]], int]
) -> tuple[list[int], list[_T]]:
    """The order that each unit follows, by its index (-1 for none), and what that means (4.D.3).

    `given` holds for each order its unit and its meaning, or `None`; orders that mean the same count as one.
    """
    followed = [-1] * units
    meanings = [unordered] * units
    several: dict[int, list[int]] = {}
    for index, order in enumerate(given):
        if order is None:
            continue
        unit, meaning = order
        if followed[unit] < 0:
            followed[unit] = index
            meanings[unit] = meaning
        elif all(given[other] != order for other in several.get(unit, [followed[unit]])):
            several.setdefault(unit, [followed[unit]]).append(index)
    for unit, indices in several.items():
        followed[unit] = choose(indices)
        order = given[followed[unit]] if followed[unit] >= 0 else None
        meanings[unit] = unordered if order is None else order[1]
    return followed, meanings


class Legality:
    """Judges the orders of a movement phase, each on its own (4.E.2 `individual`)."""

    __slots__: tuple[str, ...] = (
        "_board",
        "_choices",
        "_fleets_at_sea",
        "_home",
        "_index",
        "_is_fleet",
        "_number",
        "_occupant",
        "_power",
        "_province_of",
        "_units",
        "_where",
    )

    def __init__(self, position: Position, ruleset: Ruleset) -> None:
        board = position.board
        self._board: Board = board
        self._choices: Mapping[str, str] = ruleset.choices
        self._units: tuple[Unit, ...] = position.units
        self._power: list[str] = position.power
        self._occupant: list[int] = position.occupant
        self._index: Mapping[OrderedUnit, int] = position.index
        self._is_fleet: list[bool] = position.is_fleet
        self._where: list[int] = position.where
        self._home: list[int] = position.home
        self._number: Mapping[str, int] = board.number
        self._province_of: tuple[int, ...] = board.province_of
        self._fleets_at_sea: int | None = None

    def meaning(self, power: str, order: Order | None) -> tuple[int, Meaning] | None:
        """The unit that a legal order commands and what it means; `None` where the order is illegal."""
        if order is None or isinstance(order, _OF_ANOTHER_PHASE):
            return None
        unit = self._index.get(order.unit)
        if unit is None or self._power[unit] != power:
            unit = self.commanded(power, order.unit)
            if unit < 0:
                return None
        if type(order) is Move:
            meaning = self._move(unit, order)
        elif type(order) is SupportMove:
            meaning = self._support_move(unit, order)
        elif type(order) is SupportHold:
            meaning = self._support_hold(unit, order)
        elif type(order) is Convoy:
            meaning = self._convoy(unit, order)
        else:
            return unit, HOLDS
        return None if meaning is None else (unit, meaning)

    def at_sea(self) -> int:
        """The set of seas with a fleet on them: those that could convoy."""
        if self._fleets_at_sea is None:
            seas = 0
            for unit, where in zip(self._units, self._where, strict=True):
                if unit.type == "F" and self._board.seas >> where & 1:
                    seas |= 1 << where
            self._fleets_at_sea = seas
        return self._fleets_at_sea

    def commanded(self, power: str, ordered: OrderedUnit) -> int:
        """The unit that a power orders, or -1 where it has none there or the order names it too badly."""
        unit = self._named(ordered)
        if unit < 0 or self._power[unit] != power or ordered.power not in (None, power):
            return -1
        if self._units[unit].location != ordered.location and not self._coast_is_ignored(unit, ordered.location):
            return -1
        return unit

    def _coast_is_ignored(self, unit: int, location: str) -> bool:
        """Issues 4.B.5 and 4.B.6: the order names its unit without its coast, or with another."""
        if "/" not in location:
            return True
        wrong = location in self._number and self._is_fleet[unit]
        return self._choices["4.B.5" if wrong else "4.B.6"] == "ignore"

    def _named(self, named: OrderedUnit) -> int:
        """The unit in a province, or -1: issues 4.C.1 and 4.C.2 on a missing or wrong type."""
        number = self._number.get(named.location.partition("/")[0])
        if number is None:
            return -1
        unit = self._occupant[number]
        if unit >= 0 and named.type != self._units[unit].type:
            issue = "4.C.1" if named.type is None else "4.C.2"
            if self._choices[issue] != "valid":
                return -1
        return unit

    def _other(self, unit: int, named: OrderedUnit) -> int:
        """The unit that a support or convoy order names, or -1: issues 4.C.5 and 4.C.6 on its nationality."""
        other = self._index.get(named)
        if other is None:
            other = self._named(named)
        if other < 0 or other == unit:
            return -1
        power = self._power[other]
        if power != named.power and (named.power is not None or power != self._power[unit]):
            issue = "4.C.5" if named.power is None else "4.C.6"
            if self._choices[issue] != "valid":
                return -1
        return other

    def _move(self, unit: int, order: Move) -> Meaning | None:
        if not order.via_convoy and (number := self._number.get(order.to)) is not None:
            # The usual order, to a neighbour and with the right coast, needs no more thought.
            if not self._is_fleet[unit]:
                if self._board.army_borders[self._home[unit]] >> number & 1:
                    return (MOVE, number, number, 0)
            elif number in self._board.fleet_moves[self._where[unit]].get(self._province_of[number], ()):
                return (MOVE, self._province_of[number], number, 0)
        landing = self.landing(unit, order.to)
        if landing < 0:
            return None
        target = self._province_of[landing]
        if self._is_fleet[unit]:
            return None if order.via_convoy else (MOVE, target, landing, 0)
        home = self._home[unit]
        by_land = self._board.army_borders[home] >> target & 1
        if order.via_convoy and self._choices["4.A.3"] in NO_WAY_BACK_TO_LAND:
            by_land = 0
        if not by_land and not self._board.routes.possible(home, target, self.at_sea()):
            return None
        return (MOVE, target, landing, int(order.via_convoy))

    def landing(self, unit: int, to: str) -> int:
        """The location that a move by this unit to `to` ends on, or -1 where it is no destination for it.

        An army's is any other province on land: whether it can come there is not decided here.
        """
        number = self._number.get(to)
        province = number if number is not None else self._number.get(to.partition("/")[0])
        if province is None:
            return -1
        province = self._province_of[province]
        if not self._is_fleet[unit]:
            if "/" in to and self._choices["4.B.6"] != "ignore":
                return -1
            return -1 if province == self._where[unit] or self._board.seas >> province & 1 else province
        possible = self._board.fleet_moves[self._where[unit]].get(province, ())
        if number is not None and number in possible:
            return number
        return self._poorly_named_coast(to, known=number is not None, possible=possible)

    def _poorly_named_coast(self, to: str, *, known: bool, possible: tuple[int, ...]) -> int:
        """Issues 4.B.1, 4.B.2, 4.B.3 and 4.B.6: the coast is left out, out of reach, or none at all."""
        if len(possible) == 0:
            return -1
        if "/" in to:
            issue, accepted = ("4.B.3", "ignore-coast") if known else ("4.B.6", "ignore")
            if self._choices[issue] != accepted:
                return -1
        if len(possible) > 1:
            return -1
        landing = possible[0]
        has_two_coasts = landing >= len(self._board.provinces)
        if "/" not in to and has_two_coasts and self._choices["4.B.2"] != "only-possible":
            return -1
        return landing

    def _reaches(self, unit: int, province: int) -> bool:
        """Whether a unit could go to a province by itself, on any coast of it: what a support requires."""
        where = self._where[unit]
        borders = self._board.fleet_borders if self._is_fleet[unit] else self._board.army_borders
        return bool(borders[where] >> province & 1)

    def _support_hold(self, unit: int, order: SupportHold) -> Meaning | None:
        other = self._other(unit, order.supported)
        if other < 0:
            return None
        province = self._home[other]
        return (SUPPORT, province, other, -1) if self._reaches(unit, province) else None

    def _support_move(self, unit: int, order: SupportMove) -> Meaning | None:
        other = self._other(unit, order.supported)
        if other < 0:
            return None
        number = self._number.get(order.to)
        province = number if number is not None else self._number.get(order.to.partition("/")[0])
        if province is None:
            return None
        province = self._province_of[province]
        if not self._reaches(unit, province) or not self._could_be_moved(unit, other, province, order.to):
            return None
        fleet_to_coast = "/" in order.to and self._is_fleet[other]
        return (SUPPORT, province, other, number if fleet_to_coast and number is not None else -1)

    def _could_be_moved(self, supporter: int, other: int, province: int, to: str) -> bool:
        """Whether the supported move is possible, without the supporter as a convoying fleet (6.D.31)."""
        where = self._where[other]
        if self._is_fleet[other]:
            possible = self._board.fleet_moves[where].get(province, ())
            if "/" not in to or self._choices["4.B.4"] == "ignored":
                return bool(possible)
            if to in self._number:
                return self._number[to] in possible
            return bool(possible) and self._choices["4.B.6"] == "ignore"
        if "/" in to and self._choices["4.B.6"] != "ignore":
            return False
        if self._board.army_borders[where] >> province & 1:
            return True
        fleets = self.at_sea() & ~(1 << self._where[supporter])
        return self._board.routes.possible(where, province, fleets)

    def _convoy(self, unit: int, order: Convoy) -> Meaning | None:
        sea = self._where[unit]
        other = self._other(unit, order.convoyed)
        if other < 0 or self._is_fleet[other] or not self.at_sea() >> sea & 1:
            return None
        if "/" in order.to and self._choices["4.B.6"] != "ignore":
            return None
        target = self._number.get(order.to.partition("/")[0])
        if target is None or not self._board.routes.necessary(self._where[other], target, self.at_sea(), sea):
            return None
        return (CONVOY, target, other, -1)
