"""Engines that are the reference with a bug around it, such as no mutant of the catalogue has.

    python benchmarks/black_boxes.py NAME

As a program it is such an engine, which speaks the protocol over stdio. What is wrong depends on the province, the
power, a number, the season, the year, earlier requests, the order of the orders, their spelling, or the phase: it
follows some orders as if they had not been given, or changes what is answered.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace
from truth import RULES

from datc.adapters import EngineSpec
from datc.adapters.builtin import BuiltinEngine, Reference, serve
from datc.adapters.protocol import (
    AdjudicateParams,
    AdjudicateResult,
    BuildMessage,
    ConvoyMessage,
    GivenOrderMessage,
    HoldMessage,
    MoveMessage,
    OrderMessage,
    OrderResultMessage,
    RemoveMessage,
    RetreatMessage,
    SupportMessage,
    UnitMessage,
    WaiveMessage,
)
from datc.harness.play.engine import EngineAdjudicator
from datc.reference_engine import province_code, standard_board

_SEAS = {province.code for province in standard_board().provinces if province.terrain == "sea"}


class _Request(NamedTuple):
    """A request, and those before it."""

    params: AdjudicateParams
    number: int
    before: Sequence[tuple[AdjudicateParams, AdjudicateResult]]

    @property
    def owners(self) -> Mapping[str, str]:
        """The power of the unit in each province."""
        return {province_code(unit.location): unit.power for unit in self.params.units}

    def earlier(self, index: int) -> Sequence[GivenOrderMessage]:
        """The orders before one of them."""
        return self.params.orders[:index]


_Test: TypeAlias = Callable[[_Request, GivenOrderMessage, int], bool]
"""Whether something is so of an order, the index of which stands last."""
_Change: TypeAlias = Callable[[_Request, AdjudicateResult], AdjudicateResult]


def _is(kind: type[OrderMessage]) -> _Test:
    return lambda _, given, __: isinstance(given.order, kind)


def _at(given: GivenOrderMessage) -> str:
    order = given.order
    return "" if order is None or isinstance(order, WaiveMessage) else province_code(order.unit.location)


def _helped(given: GivenOrderMessage) -> str:
    """The province of the unit that an order supports or convoys."""
    order = given.order
    other = getattr(order, "supported", None) or getattr(order, "convoyed", None)
    return province_code(other.location) if other else ""


def _goal(given: GivenOrderMessage) -> str:
    return province_code(getattr(given.order, "to", None) or "")


def _in(place: str) -> _Test:
    return lambda _, given, __: _at(given) == place


def _to(place: str) -> _Test:
    return lambda _, given, __: _goal(given) == place


def _of(power: str) -> _Test:
    return lambda _, given, __: given.power == power


def _since(year: int) -> _Test:
    return lambda asked, _, __: asked.params.year >= year


def _of_earlier(count: Callable[[GivenOrderMessage, GivenOrderMessage], bool], most: int) -> _Test:
    """Whether so many orders before one are like it."""
    return lambda asked, given, index: sum(count(given, each) for each in asked.earlier(index)) >= most


def _writes(text: str) -> _Test:
    return lambda _, given, __: text in given.text


_support, _convoy, _move = _is(SupportMessage), _is(ConvoyMessage), _is(MoveMessage)
_retreat, _build, _remove = _is(RetreatMessage), _is(BuildMessage), _is(RemoveMessage)


def _fleet(_: _Request, given: GivenOrderMessage, _index: int) -> bool:
    return given.order is not None and not isinstance(given.order, WaiveMessage) and given.order.unit.type == "F"


def _autumn(asked: _Request, _: GivenOrderMessage, _index: int) -> bool:
    return asked.params.season == "autumn"


def _foreign(asked: _Request, given: GivenOrderMessage, _: int) -> bool:
    return asked.owners.get(_helped(given), given.power) != given.power


def _is_convoyed(asked: _Request, given: GivenOrderMessage, _: int) -> bool:
    return any(
        isinstance(each.order, ConvoyMessage) and (_helped(each), _goal(each)) == (_at(given), _goal(given))
        for each in asked.params.orders
    )


def _meets_head_to_head(asked: _Request, given: GivenOrderMessage, _: int) -> bool:
    moves = (each for each in asked.params.orders if isinstance(each.order, MoveMessage))
    return any((_at(each), _goal(each)) == (_goal(given), _at(given)) for each in moves)


def _is_before_its_move(asked: _Request, given: GivenOrderMessage, index: int) -> bool:
    later = asked.params.orders[index:]
    return any(isinstance(each.order, MoveMessage) and _at(each) == _helped(given) for each in later)


def _was_dislodged_there(asked: _Request, given: GivenOrderMessage, _: int) -> bool:
    there = {province_code(each.location) for _, said in asked.before[-3:] for each in said.dislodged or ()}
    return _at(given) in there


def _is_long(asked: _Request, given: GivenOrderMessage, _: int) -> bool:
    """Whether a convoy is one of three or more of the same army."""
    convoys = [_helped(each) for each in asked.params.orders if isinstance(each.order, ConvoyMessage)]
    return convoys.count(_helped(given)) > 2


def _both(one: GivenOrderMessage, other: GivenOrderMessage, kind: type[OrderMessage]) -> bool:
    return isinstance(one.order, kind) and isinstance(other.order, kind)


IGNORED: Mapping[str, tuple[_Test, ...]] = {
    # Provinces.
    "support-from-burgundy": (_support, _in("BUR")),
    "move-to-munich": (_move, _to("MUN")),
    "convoy-in-the-north-sea": (_convoy, _in("NTH")),
    "support-of-vienna": (_support, lambda _, given, __: _helped(given) == "VIE"),
    "move-from-sevastopol": (_move, _in("SEV")),
    # Powers.
    "support-by-turkey": (_support, _of("TURKEY")),
    "convoy-by-france": (_convoy, _of("FRANCE")),
    "foreign-support-of-italy": (
        _support,
        _foreign,
        lambda asked, given, _: asked.owners.get(_helped(given)) == "ITALY",
    ),
    "russian-fleet-moves": (_move, _of("RUSSIA"), _fleet),
    "english-army-by-convoy": (_move, _of("ENGLAND"), _is_convoyed),
    # Numbers.
    "sixth-order-of-a-power": (_of_earlier(lambda one, other: one.power == other.power, 5),),
    "sixteenth-order": (lambda _, __, index: index > 14,),
    "support-among-eighteen": (_support, lambda asked, _, __: len(asked.params.units) > 17),
    "third-move-to-a-province": (
        _move,
        _of_earlier(lambda one, other: _both(one, other, MoveMessage) and _goal(one) == _goal(other), 2),
    ),
    "second-build-of-a-power": (
        _build,
        _of_earlier(lambda one, other: _both(one, other, BuildMessage) and one.power == other.power, 1),
    ),
    "third-convoy": (_convoy, _of_earlier(lambda one, other: _both(one, other, ConvoyMessage), 2)),
    "third-fleet-of-a-convoy": (_convoy, _is_long),
    # Seasons and years.
    "convoy-in-autumn": (_convoy, _autumn),
    "fleet-support-in-autumn": (_support, _fleet, _autumn),
    "retreat-in-autumn": (_retreat, _autumn),
    "build-since-1905": (_build, _since(1905)),
    "foreign-support-since-1910": (_support, _foreign, _since(1910)),
    "fleet-move-in-even-years": (_move, _fleet, lambda asked, _, __: asked.params.year % 2 == 0),
    "removal-since-1907": (_remove, _since(1907)),
    # Earlier requests.
    "support-from-the-60th-request": (_support, lambda asked, _, __: asked.number > 59),
    "last-order-of-each-tenth-request": (
        lambda asked, _, index: asked.number % 10 == 0 and index == len(asked.params.orders) - 1,
    ),
    "order-where-one-was-dislodged": (_was_dislodged_there,),
    "convoy-after-adjustments": (
        _convoy,
        lambda asked, _, __: any(each.phase == "adjustment" for each, _ in asked.before),
    ),
    # The sequence of orders.
    "support-before-its-move": (_support, _is_before_its_move),
    "later-move-to-a-province": (
        _move,
        _of_earlier(lambda one, other: _both(one, other, MoveMessage) and _goal(one) == _goal(other), 1),
    ),
    "convoy-before-its-army": (_convoy, _is_before_its_move),
    "support-given-first": (_support, lambda _, __, index: index == 0),
    # Spelling.
    "gulf-in-full": (_writes("Gulf of"),),
    "saint-petersburg": (_writes("St"),),
    "long-line": (lambda _, given, __: len(given.text) > 44,),
    "coast-in-brackets": (_writes("("),),
    # Kinds of orders and phases.
    "support-at-sea": (_support, lambda _, given, __: _goal(given) in _SEAS),
    "move-to-own-unit": (_move, lambda asked, given, _: asked.owners.get(_goal(given)) == given.power),
    "head-to-head": (_move, _meets_head_to_head),
    "retreat-of-a-fleet": (_retreat, _fleet),
    "retreat-to-a-center": (_retreat, lambda _, given, __: _goal(given) in standard_board().supply_centers),
    "retreat-by-austria": (_retreat, _of("AUSTRIA")),
    "build-of-a-fleet": (_build, _fleet),
    "build-in-kiel": (_build, _in("KIE")),
    "removal-of-a-fleet": (_remove, _fleet),
}
"""The orders that each engine takes as not given: a unit then holds, is disbanded, or is not built or removed."""
IGNORED_BY_HELD_OUT: Mapping[str, tuple[_Test, ...]] = {
    "support-into-tyrolia": (_support, _to("TYR")),
    "convoy-to-norway": (_convoy, _to("NWY")),
    "support-by-german-fleets": (_support, _fleet, _of("GERMANY")),
    "support-to-hold-in-autumn": (_support, lambda _, given, __: getattr(given.order, "to", None) is None, _autumn),
    "second-support-of-a-power": (
        _support,
        _of_earlier(lambda one, other: _both(one, other, SupportMessage) and one.power == other.power, 1),
    ),
    "fleet-move-among-twelve": (_move, _fleet, lambda asked, _, __: len(asked.params.units) > 11),
    "convoy-before-1903": (_convoy, lambda asked, _, __: asked.params.year < 1903),
    "support-after-retreats": (
        _support,
        lambda asked, _, __: any(each.phase == "retreat" for each, _ in asked.before[-4:]),
    ),
    "move-out-of-the-balkans": (_move, lambda _, given, __: _at(given) in ("BUL", "GRE", "SER", "RUM", "ALB")),
}
"""The same, of engines that no way to group findings was tried on before it was measured."""


def _as_before(asked: _Request, said: AdjudicateResult) -> AdjudicateResult:
    """Answer as to an earlier request with the same units."""
    if asked.params.phase != "movement":
        return said
    moves = ((params, answer) for params, answer in asked.before if params.phase == "movement")
    same = next((answer for params, answer in moves if params.units == asked.params.units), said)
    return replace(same, orders=said.orders)


def _offering(offers: Callable[[str, Sequence[str]], Sequence[str]]) -> _Change:
    """Offer a dislodged unit of a power other retreats."""

    def change(_: _Request, said: AdjudicateResult) -> AdjudicateResult:
        entries = said.dislodged or ()
        dislodged = [replace(each, retreats=[*offers(each.power, each.retreats or [])]) for each in entries]
        return replace(said, dislodged=dislodged) if dislodged else said

    return change


def _supports_succeed(asked: _Request, said: AdjudicateResult) -> AdjudicateResult:
    pairs = zip(asked.params.orders, said.orders or (), strict=False)
    done = OrderResultMessage(outcome="succeeds")
    return replace(said, orders=[done if isinstance(given.order, SupportMessage) else each for given, each in pairs])


def _fleets_built_as_armies(asked: _Request, said: AdjudicateResult) -> AdjudicateResult:
    if asked.params.phase != "adjustment":
        return said
    units = [
        unit if unit in asked.params.units else UnitMessage(power=unit.power, type="A", location=unit.location[:3])
        for unit in said.units
    ]
    return replace(said, units=units)


CHANGED: Mapping[str, _Change] = {
    "same-units-same-answer": _as_before,
    "no-retreat-to-sea": _offering(lambda _, places: [place for place in places if place not in _SEAS]),
    "one-retreat-offered": _offering(lambda _, places: places[:1]),
    "no-retreat-for-turks": _offering(lambda power, places: () if power == "TURKEY" else places),
    "supports-said-to-succeed": _supports_succeed,
    "fleets-built-as-armies": _fleets_built_as_armies,
}
"""The engines that change an answer."""
CHANGED_BY_HELD_OUT: Mapping[str, _Change] = {
    "no-retreat-in-autumn": lambda asked, said: (
        _offering(lambda _, __: ())(asked, said) if asked.params.season == "autumn" else said
    ),
}
NAMES = (*IGNORED, *CHANGED)
HELD_OUT = (*IGNORED_BY_HELD_OUT, *CHANGED_BY_HELD_OUT)
_EVERY_IGNORED = {**IGNORED, **IGNORED_BY_HELD_OUT}
_EVERY_CHANGED = {**CHANGED, **CHANGED_BY_HELD_OUT}


class BlackBox(Reference, frozen=True, kw_only=True):
    """The reference, with a bug by its name."""

    bug: str
    before: list[tuple[AdjudicateParams, AdjudicateResult]] = msgspec.field(default_factory=list)

    def called(self) -> str:
        return f"black box, {self.bug}"

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        asked = _Request(params, len(self.before) + 1, self.before)
        change = _EVERY_CHANGED.get(self.bug)
        said = change(asked, super().adjudicate(params)) if change else self._ignoring(asked)
        self.before.append((params, said))
        return said

    def _ignoring(self, asked: _Request) -> AdjudicateResult:
        params, tests = asked.params, _EVERY_IGNORED[self.bug]
        ignored = {
            index
            for index, given in enumerate(params.orders)
            if given.order is not None and all(test(asked, given, index) for test in tests)
        }
        if not ignored:
            return super().adjudicate(params)
        orders = [(index, _as_hold(given) if index in ignored else given) for index, given in enumerate(params.orders)]
        left = [(index, given) for index, given in orders if params.phase == "movement" or index not in ignored]
        said = super().adjudicate(replace(params, orders=[given for _, given in left]))
        results: dict[int, OrderResultMessage | None] = dict(
            zip((index for index, _ in left), said.orders or (), strict=True)
        )
        results |= dict.fromkeys(ignored, OrderResultMessage(outcome="fails", reason="ignored"))
        return replace(said, orders=[results[index] for index in range(len(params.orders))])


def _as_hold(given: GivenOrderMessage) -> GivenOrderMessage:
    order = given.order
    if order is None or isinstance(order, WaiveMessage):
        return given
    return replace(given, text="", order=HoldMessage(unit=order.unit))


def open_black_box(bug: str) -> EngineAdjudicator:
    """Make the engine in this process; it remembers nothing of any other."""
    engine = BuiltinEngine(BlackBox(bug=bug))
    return EngineAdjudicator(engine, engine.start().capabilities, RULES)


def spec_of(bug: str) -> EngineSpec:
    """The engine in a process of its own."""
    return EngineSpec(f"exec:{bug}", (sys.executable, str(Path(__file__).resolve()), bug))


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer, BlackBox(bug=sys.argv[1]))
