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
from .orders import Convoy, Hold, Move, Order, OrderedUnit, SupportHold, SupportMove, Unit
from .position import Position
from .rulesets import Ruleset

_T = TypeVar("_T")

HOLD, MOVE, SUPPORT, CONVOY = range(4)

Meaning: TypeAlias = tuple[int, int, int, int]

HOLDS: Meaning = (HOLD, -1, -1, -1)

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


def follow_one(given: Sequence[tuple[int, _T] | None], choose: Callable[[Sequence[int]], int]) -> dict[int, int]:
    """The index of the order that each ordered unit follows, -1 for none (4.D.3).

    `given` holds for each order the unit and the meaning, or `None`; orders that mean the same count as one.
    """
    followed: dict[int, int] = {}
    several: dict[int, list[int]] = {}
    for index, order in enumerate(given):
        if order is None:
            continue
        unit = order[0]
        if unit not in followed:
            followed[unit] = index
        elif all(given[other] != order for other in several.get(unit, [followed[unit]])):
            several.setdefault(unit, [followed[unit]]).append(index)
    for unit, indices in several.items():
        followed[unit] = choose(indices)
    return followed


class Legality:
    """Judges the orders of a movement phase, each on its own (4.E.2 `individual`)."""

    __slots__: tuple[str, ...] = (
        "_board",
        "_choices",
        "_fleets_at_sea",
        "_number",
        "_occupant",
        "_province_of",
        "_units",
        "_where",
        "home",
    )

    def __init__(self, position: Position, ruleset: Ruleset) -> None:
        board = position.board
        self._board: Board = board
        self._choices: Mapping[str, str] = ruleset.choices
        self._units: tuple[Unit, ...] = position.units
        self._occupant: list[int] = position.occupant
        self._number: Mapping[str, int] = board.number
        self._province_of: tuple[int, ...] = board.province_of
        self._where: list[int] = [board.number[unit.location] for unit in position.units]
        self.home: list[int] = [board.province_of[where] for where in self._where]
        """The province of each unit."""
        self._fleets_at_sea: int | None = None

    def meaning(self, power: str, order: Order | None) -> tuple[int, Meaning] | None:
        """The unit that a legal order commands and what it means; `None` where the order is illegal."""
        if not isinstance(order, (Move, SupportMove, SupportHold, Hold, Convoy)):
            return None
        unit = self.commanded(power, order.unit)
        if unit < 0:
            return None
        if isinstance(order, Move):
            meaning = self._move(unit, order)
        elif isinstance(order, SupportMove):
            meaning = self._support_move(unit, order)
        elif isinstance(order, SupportHold):
            meaning = self._support_hold(unit, order)
        elif isinstance(order, Convoy):
            meaning = self._convoy(unit, order)
        else:
            meaning = HOLDS
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
        if unit < 0 or self._units[unit].power != power:
            return -1
        if ordered.power is not None and ordered.power != power:
            return -1
        if self._units[unit].location != ordered.location and not self._coast_is_ignored(unit, ordered.location):
            return -1
        return unit

    def _coast_is_ignored(self, unit: int, location: str) -> bool:
        """Issues 4.B.5 and 4.B.6: the order names its unit without its coast, or with another."""
        if "/" not in location:
            return True
        wrong = location in self._number and self._units[unit].type == "F"
        return self._choices["4.B.5" if wrong else "4.B.6"] == "ignore"

    def _named(self, named: OrderedUnit) -> int:
        """The unit in a province, or -1: issues 4.C.1 and 4.C.2 on a missing or wrong type."""
        number = self._number.get(named.location)
        if number is None and (number := self._number.get(named.location.partition("/")[0])) is None:
            return -1
        unit = self._occupant[self._province_of[number]]
        if unit >= 0 and named.type != self._units[unit].type:
            issue = "4.C.1" if named.type is None else "4.C.2"
            if self._choices[issue] != "valid":
                return -1
        return unit

    def _other(self, unit: int, named: OrderedUnit) -> int:
        """The unit that a support or convoy order names, or -1: issues 4.C.5 and 4.C.6 on its nationality."""
        other = self._named(named)
        if other < 0 or other == unit:
            return -1
        power = self._units[other].power
        if power != named.power and (named.power is not None or power != self._units[unit].power):
            issue = "4.C.5" if named.power is None else "4.C.6"
            if self._choices[issue] != "valid":
                return -1
        return other

    def _move(self, unit: int, order: Move) -> Meaning | None:
        landing = self.landing(unit, order.to)
        if landing < 0:
            return None
        target = self._province_of[landing]
        home = self.home[unit]
        if self._units[unit].type == "F":
            return None if order.via_convoy else (MOVE, target, landing, 0)
        if order.via_convoy or not self._board.army_borders[home] >> target & 1:
            if not self._board.routes.possible(home, target, self.at_sea()):
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
        if self._units[unit].type == "A":
            if "/" in to and self._choices["4.B.6"] != "ignore":
                return -1
            return -1 if province == self._where[unit] or self._board.seas >> province & 1 else province
        possible = self._board.fleet_moves[self._where[unit]].get(province, ())
        if number is not None and number in possible:
            return number
        return self._poorly_named_coast(to, known=number is not None, possible=possible)

    def _poorly_named_coast(self, to: str, *, known: bool, possible: tuple[int, ...]) -> int:
        """Issues 4.B.1, 4.B.2, 4.B.3 and 4.B.6: the coast is left out, out of reach, or none at all."""
        if not possible:
            return -1
        if "/" in to:
            issue, accepted = ("4.B.3", "ignore-coast") if known else ("4.B.6", "ignore")
            if self._choices[issue] != accepted:
                return -1
        if len(possible) > 1:
            return -1
        if "/" in to or len(self._board.provinces[self._province_of[possible[0]]].coasts) == 0:
            return possible[0]
        return possible[0] if self._choices["4.B.2"] == "only-possible" else -1

    def _reaches(self, unit: int, province: int) -> bool:
        """Whether a unit could go to a province by itself, on any coast of it: what a support requires."""
        where = self._where[unit]
        borders = self._board.army_borders if self._units[unit].type == "A" else self._board.fleet_borders
        return bool(borders[where] >> province & 1)

    def _support_hold(self, unit: int, order: SupportHold) -> Meaning | None:
        other = self._other(unit, order.supported)
        if other < 0:
            return None
        province = self.home[other]
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
        fleet_to_coast = "/" in order.to and self._units[other].type == "F"
        return (SUPPORT, province, other, number if fleet_to_coast and number is not None else -1)

    def _could_be_moved(self, supporter: int, other: int, province: int, to: str) -> bool:
        """Whether the supported move is possible, without the supporter as a convoying fleet (6.D.31)."""
        where = self._where[other]
        if self._units[other].type == "F":
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
        if other < 0 or self._units[other].type != "A" or not self.at_sea() >> sea & 1:
            return None
        if "/" in order.to and self._choices["4.B.6"] != "ignore":
            return None
        target = self._number.get(order.to.partition("/")[0])
        if target is None or not self._board.routes.necessary(self._where[other], target, self.at_sea(), sea):
            return None
        return (CONVOY, target, other, -1)
