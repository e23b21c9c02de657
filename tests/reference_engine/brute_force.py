"""The equations of DATC 5.B solved by trying everything: slow, plain, and written without those of the engine.

A `Battle` is a small position in which every order is legal and matches. An assignment says for each order whether it
succeeds; it is a solution if every order's equation agrees with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, product
from random import Random
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from datc.reference_engine import Adjudication, Board, OrderedUnit, Position, Unit, UnitType, province_code, write_order
from datc.reference_engine.orders import Convoy, GivenOrder, Hold, Move, Order, SupportHold, SupportMove

from ..strategies import BOARD, PLACES, destinations
from .play import orders_of, position_of

Kind: TypeAlias = Literal["hold", "move", "support", "convoy"]
Assignment: TypeAlias = tuple[bool, ...]
Route: TypeAlias = frozenset[int]
T = TypeVar("T")

MOST_ORDERS = 10
SEAS = frozenset(province.code for province in BOARD.provinces if province.terrain == "sea")


class Piece(NamedTuple):
    """A unit and its order. Provinces are codes, other pieces are indices."""

    power: str
    type: UnitType
    location: str
    kind: Kind = "hold"
    to: str = ""
    """Where a move lands, where a support is directed, where a convoy leads."""
    partner: int = -1
    """The piece that is supported or convoyed."""
    routes: tuple[Route, ...] | None = None
    """The sets of convoying pieces of which each could carry this army alone; `None` for a move over land."""

    @property
    def home(self) -> str:
        return self.location[:3]

    @property
    def target(self) -> str:
        return self.to[:3]

    @property
    def unit(self) -> Unit:
        return Unit(self.power, self.type, self.location)


class Battle(NamedTuple):
    """Pieces with orders."""

    pieces: tuple[Piece, ...]

    @property
    def ordered(self) -> tuple[int, ...]:
        """The pieces whose orders can fail."""
        return tuple(index for index, piece in enumerate(self.pieces) if piece.kind != "hold")

    def position(self, board: Board | None = None) -> Position:
        return Position([piece.unit for piece in self.pieces], board=board)

    def orders(self) -> list[GivenOrder]:
        return [GivenOrder(piece.power, self._order(piece)) for piece in self.pieces]

    def _order(self, piece: Piece) -> Order:
        unit = OrderedUnit(piece.location, piece.type)
        if piece.kind == "hold":
            return Hold(unit)
        if piece.kind == "move":
            return Move(unit, piece.to, via_convoy=piece.routes is not None)
        other = self.pieces[piece.partner]
        named = OrderedUnit(other.location, other.type, other.power)
        if piece.kind == "convoy":
            return Convoy(unit, named, piece.to)
        return SupportMove(unit, named, other.to) if other.kind == "move" else SupportHold(unit, named)

    def __str__(self) -> str:
        return "\n".join(f"{order.power} {write_order(order.order)}" for order in self.orders() if order.order)


class Equations:
    """What each order's equation says, given an assignment."""

    def __init__(self, battle: Battle) -> None:
        self.pieces: tuple[Piece, ...] = battle.pieces
        self.stopped: bool = False
        """Whether the fleet in a canal, or the army on a railway, was stopped."""
        self.at: dict[str, int] = {piece.home: index for index, piece in enumerate(battle.pieces)}
        self._movers: dict[str, list[int]] = {}
        self._helpers: dict[int, list[int]] = {}
        """The supports of each piece."""
        for index, piece in enumerate(battle.pieces):
            if piece.kind == "move":
                self._movers.setdefault(piece.target, []).append(index)
            elif piece.kind == "support":
                self._helpers.setdefault(piece.partner, []).append(index)

    def holds(self, index: int, won: Sequence[bool]) -> bool:
        kind = self.pieces[index].kind
        if kind == "move":
            return self.move(index, won)
        if kind == "support":
            return self.support(index, won)
        return not any(won[mover] for mover in self.movers(self.pieces[index].home))

    def move(self, index: int, won: Sequence[bool]) -> bool:
        """5.B.1."""
        piece = self.pieces[index]
        attack = self.attack(index, won)
        opponent = self.opponent(index, won)
        against = self.hold(piece.target, won) if opponent is None else self.supported(opponent, won)
        rivals = [rival for rival in self.movers(piece.target) if rival != index]
        return attack > against and all(attack > self.prevent(rival, won) for rival in rivals)

    def support(self, index: int, won: Sequence[bool]) -> bool:
        """5.B.2."""
        return not any(self.cuts(attacker, index, won) for attacker in self.movers(self.pieces[index].home))

    def cuts(self, attacker: int, index: int, won: Sequence[bool]) -> bool:
        """Whether a move to where a support comes from cuts it, or dislodges who gives it."""
        piece, other = self.pieces[index], self.pieces[attacker]
        elsewhere = other.power != piece.power and other.home != piece.target
        return won[attacker] or (elsewhere and self.path(attacker, won))

    def path(self, index: int, won: Sequence[bool]) -> bool:
        """5.B.4."""
        routes = self.pieces[index].routes
        return routes is None or any(all(won[fleet] for fleet in route) for route in routes)

    def hold(self, province: str, won: Sequence[bool]) -> int:
        """5.B.5."""
        if province not in self.at:
            return 0
        unit = self.at[province]
        if self.pieces[unit].kind == "move":
            return 0 if won[unit] else 1
        return self.supported(unit, won)

    def prevent(self, index: int, won: Sequence[bool]) -> int:
        """5.B.6."""
        opponent = self.opponent(index, won)
        if not self.path(index, won) or (opponent is not None and won[opponent]):
            return 0
        return self.supported(index, won)

    def attack(self, index: int, won: Sequence[bool]) -> int:
        """5.B.8."""
        if not self.path(index, won):
            return 0
        defender = self.at.get(self.pieces[index].target)
        if defender is None:
            return self.supported(index, won)
        leaves = self.pieces[defender].kind == "move" and won[defender]
        if leaves and self.opponent(index, won) is None:
            return self.supported(index, won)
        if self.pieces[defender].power == self.pieces[index].power:
            return 0
        return self.supported(index, won, but_of=self.pieces[defender].power)

    def supported(self, index: int, won: Sequence[bool], but_of: str = "") -> int:
        """One and the successful supports (5.B.7 and wherever the other equations say so)."""
        helpers = self._helpers.get(index, ())
        return 1 + sum(won[helper] and self.pieces[helper].power != but_of for helper in helpers)

    def opponent(self, index: int, won: Sequence[bool]) -> int | None:
        """The other unit of a head-to-head battle."""
        piece = self.pieces[index]
        other = self.at.get(piece.target)
        if other is None or self.sails(index, won) or self.sails(other, won):
            return None
        return other if self.pieces[other].kind == "move" and self.pieces[other].target == piece.home else None

    def sails(self, index: int, won: Sequence[bool]) -> bool:  # noqa: ARG002 - other equations ask who won
        """Whether a move is by convoy (4.A.3)."""
        return self.pieces[index].routes is not None

    def stops_in(self, core: Collection[int]) -> bool:
        """Whether a fleet in a canal or an army on a railway stops for such orders that depend on one another."""
        del core
        return False

    def movers(self, province: str) -> Sequence[int]:
        return self._movers.get(province, ())


class FallbackEquations(Equations):
    """The equations where an army walks to a neighbouring province if no route by sea is left to it (4.A.3)."""

    def sails(self, index: int, won: Sequence[bool]) -> bool:
        piece = self.pieces[index]
        return piece.routes is not None and (piece.target not in destinations(piece.unit) or super().path(index, won))

    def path(self, index: int, won: Sequence[bool]) -> bool:
        piece = self.pieces[index]
        return super().path(index, won) or piece.target in destinations(piece.unit)


class SparingEquations(FallbackEquations):
    """Those with the paradox rule of 2000: an army does not cut the support of an attack on a fleet that carries it."""

    def cuts(self, attacker: int, index: int, won: Sequence[bool]) -> bool:
        piece = self.pieces[index]
        attacks = piece.type == "F" and self.pieces[piece.partner].kind == "move"
        routes = self.pieces[attacker].routes or ()
        carried = bool(routes) and all(self.at.get(piece.target) in route for route in routes)
        is_spared = attacks and carried and self.sails(attacker, won)
        return not is_spared and super().cuts(attacker, index, won)


def solutions(battle: Battle, rules: type[Equations] = Equations) -> list[Assignment]:
    """Find all assignments that agree with every equation; units that hold count as succeeding."""
    return _agreeing(rules(battle), battle.ordered, [True] * len(battle.pieces))


def answer(battle: Battle, rules: type[Equations] = Equations) -> Assignment:
    """What the backup rule (5.B.9) makes of a battle, also of one with no or several solutions.

    Orders are settled from the bottom: those that depend on no open order, or only on one another. If these have one
    solution it is taken. Otherwise their convoys fail, or, where there is none, they are a circular movement and
    succeed, or on some maps no such movement and fail. The question is then asked anew for the rest.
    """
    equations = rules(battle)
    won = [True] * len(battle.pieces)
    unsettled = set(battle.ordered)
    while unsettled:
        core = _core(equations, won, unsettled)
        found = _agreeing(equations, sorted(core), won)
        if len(found) == 1:
            won = list(found[0])
            unsettled -= core
            continue
        if equations.stops_in(core):
            equations.stopped = True
            continue
        convoys = {index for index in core if battle.pieces[index].kind == "convoy"}
        is_circular = all(battle.pieces[index].kind == "move" for index in core)
        for index in convoys or core:
            won[index] = is_circular
        unsettled -= convoys or core
    return tuple(won)


def _core(equations: Equations, won: list[bool], unsettled: set[int]) -> set[int]:
    """The smallest set of open orders that depend on no open order outside it."""
    needs: dict[int, set[int]] = {}
    assignments = list(_assignments(sorted(unsettled), won))
    for index in unsettled:
        value = {tried: equations.holds(index, tried) for tried in assignments}
        needs[index] = {
            other
            for other in unsettled
            for tried in assignments
            if value[tried] != value[(*tried[:other], not tried[other], *tried[other + 1 :])]
        }
    return min((reached({index}, needs.__getitem__) for index in sorted(unsettled)), key=len)


def reached(start: Iterable[T], onward: Callable[[T], Iterable[T]]) -> set[T]:
    """What can be come to from these, step by step."""
    queue = list(start)
    found = set(queue)
    for current in queue:
        queue += set(onward(current)) - found
        found.update(queue)
    return found


def _agreeing(equations: Equations, indices: Sequence[int], settled: Sequence[bool]) -> list[Assignment]:
    assignments = _assignments(indices, settled)
    return [won for won in assignments if all(equations.holds(index, won) == won[index] for index in indices)]


def _assignments(indices: Sequence[int], settled: Sequence[bool]) -> Iterator[Assignment]:
    won = list(settled)
    for values in product((True, False), repeat=len(indices)):
        for index, value in zip(indices, values, strict=True):
            won[index] = value
        yield tuple(won)


def outcomes(battle: Battle, after: Adjudication) -> Assignment:
    """What an engine says, order by order; holding is taken for success, dislodged or not."""
    assert not {result.reason for result in after.orders} & {"illegal", "void", "ignored", "no-path"}, str(battle)
    return tuple(
        piece.kind == "hold" or result.outcome == "succeeds"
        for piece, result in zip(battle.pieces, after.orders, strict=True)
    )


def random_battle(random: Random, carriers: Collection[str] = SEAS, theatre: Sequence[str] | None = None) -> Battle:
    """Crowd some units of two or three powers together, mostly around a sea, and order them against each other.

    Fleets convoy in the provinces of `carriers`. The units are in the provinces of `theatre`, if it is given.
    """
    theatre = theatre or _theatre(random)
    powers = random.sample(sorted(BOARD.powers), random.choice((2, 2, 3)))
    pieces = [_piece(random, code, random.choice(powers)) for code in theatre]
    if random.random() < 0.8:
        for _ in range(random.choice((1, 1, 2))):
            _add_convoy(random, pieces, theatre, carriers)
        for index in range(len(pieces)):
            if pieces[index].kind == "convoy" and random.random() < 0.7:
                _endanger(random, pieces, index)
    for index in random.sample(range(len(pieces)), len(pieces)):
        if pieces[index].kind == "hold" and random.random() < 0.5:
            pieces[index] = _move(random, pieces, index, theatre)
    for index in random.sample(range(len(pieces)), len(pieces)):
        if pieces[index].kind == "hold" and random.random() < 0.9:
            pieces[index] = _support(random, pieces, index)
    return Battle(tuple(pieces))


def _theatre(random: Random) -> list[str]:
    """Some provinces that hang together."""
    at_sea = random.random() < 0.75
    found = [random.choice([each.code for each in BOARD.provinces if (each.terrain == "sea") == at_sea])]
    size = random.randint(4, MOST_ORDERS)
    while len(found) < size:
        code = random.choice(_neighbours(random.choice(found)))
        if code not in found:
            found.append(code)
    return found


def _neighbours(code: str) -> list[str]:
    number = BOARD.number[code]
    return [other.code for i, other in enumerate(BOARD.provinces) if BOARD.distances[number][i] == 1]


def _piece(random: Random, code: str, power: str) -> Piece:
    places = [place for place in PLACES if province_code(place[1]) == code]
    armies = [place for place in places if place[0] == "A"]
    unit_type, location = random.choice(armies if armies and random.random() < 0.6 else places)
    return Piece(power, unit_type, location)


def _move(random: Random, pieces: Sequence[Piece], index: int, theatre: Sequence[str]) -> Piece:
    """Move somewhere, rather within the theatre, and best of all against a convoying fleet."""
    everywhere = destinations(pieces[index].unit)
    near = [to for to in everywhere if to[:3] in theatre]
    convoys = [to for to in near if any(piece.home == to[:3] and piece.kind == "convoy" for piece in pieces)]
    preferred = convoys if random.random() < 0.5 else near
    return pieces[index]._replace(kind="move", to=random.choice(preferred or everywhere))


def _support(random: Random, pieces: Sequence[Piece], index: int) -> Piece:
    """Support some other piece's order if the unit can."""
    reach = {to[:3] for to in destinations(pieces[index].unit)}
    moving = [i for i, other in enumerate(pieces) if i != index and other.kind == "move" and other.target in reach]
    staying = [i for i, other in enumerate(pieces) if i != index and other.kind != "move" and other.home in reach]
    candidates = moving if moving and (not staying or random.random() < 0.75) else staying
    if not candidates:
        return pieces[index]
    if random.random() < 0.5:
        against = [i for i in moving if any(p.home == pieces[i].target and p.kind == "convoy" for p in pieces)]
        candidates = against or candidates
    partner = random.choice(candidates)
    to = pieces[partner].target if pieces[partner].kind == "move" else pieces[partner].home
    return pieces[index]._replace(kind="support", to=to, partner=partner)


def _add_convoy(random: Random, pieces: list[Piece], theatre: Sequence[str], carriers: Collection[str]) -> None:
    """Have some fleets convoy some army, all of them needed for one route or another."""
    armies = [i for i, piece in enumerate(pieces) if piece.type == "A" and piece.kind == "hold"]
    fleets = [i for i, piece in enumerate(pieces) if piece.kind == "hold" and piece.type == "F"]
    fleets = [i for i in fleets if pieces[i].home in carriers]
    coasts = [code for code in theatre if _terrain(code) == "coastal"]
    if not armies or not fleets or not coasts:
        return
    army, to = random.choice(armies), random.choice(coasts)
    fleets = [i for i in fleets if pieces[i].home != to]
    if not fleets:
        return
    chosen = random.sample(fleets, random.randint(1, min(4, len(fleets))))
    routes = minimal_routes(pieces, chosen, pieces[army].home, to)
    if to == pieces[army].home or not routes:
        return
    pieces[army] = pieces[army]._replace(kind="move", to=to, routes=routes)
    for fleet in frozenset[int]().union(*routes):
        pieces[fleet] = pieces[fleet]._replace(kind="convoy", to=to, partner=army)


def _endanger(random: Random, pieces: list[Piece], convoy: int) -> None:
    """Make the seed of a paradox: the unit that the convoyed army attacks decides over the convoying fleet.

    It supports the attack on the fleet, which its being cut would save; or the fleet, which its being cut would lose.
    """
    sea, to = pieces[convoy].home, pieces[convoy].to
    near = [i for i, piece in enumerate(pieces) if piece.kind == "hold" and sea in destinations(piece.unit)]
    others = [i for i in near if pieces[i].home != to]
    random.shuffle(others)
    if not others:
        return
    attacker = others.pop()
    pieces[attacker] = pieces[attacker]._replace(kind="move", to=sea)
    saves = bool(others) and random.random() < 0.5
    supported = {i: convoy if saves else attacker for i in near if pieces[i].home == to}
    if saves:
        supported[others.pop()] = attacker
    for supporter, partner in supported.items():
        pieces[supporter] = pieces[supporter]._replace(kind="support", to=sea, partner=partner)


def minimal_routes(pieces: Sequence[Piece], fleets: Sequence[int], origin: str, destination: str) -> tuple[Route, ...]:
    """The sets of these fleets that connect two coasts, and of which none can be left out."""
    found: list[Route] = []
    for size in range(1, len(fleets) + 1):
        for route in map(frozenset[int], combinations(sorted(fleets), size)):
            is_minimal = not any(smaller < route for smaller in found)
            if is_minimal and connects({pieces[fleet].home for fleet in route}, origin, destination):
                found.append(route)
    return tuple(found)


def connects(seas: set[str], origin: str, destination: str) -> bool:
    """Whether a chain of these seas leads from one province to another."""
    found = reached(seas.intersection(_by_water(origin)), lambda sea: seas.intersection(_by_water(sea)))
    return not found.isdisjoint(_by_water(destination))


@cache
def _by_water(code: str) -> frozenset[str]:
    """The provinces that a fleet goes to from any coast of one."""
    places = [Unit("FRANCE", kind, place) for kind, place in PLACES if kind == "F" and province_code(place) == code]
    return frozenset(to[:3] for place in places for to in destinations(place))


def _terrain(code: str) -> str:
    return BOARD.provinces[BOARD.number[code]].terrain


def battle_of(text: str) -> Battle:
    """Read orders that match, each of another unit: `"ENGLAND: A LON - BEL; FRANCE: F ENG C A LON - BEL"`."""
    given = orders_of(text)
    units = position_of(given).units
    at = {unit.location: index for index, unit in enumerate(units)}
    pieces: list[Piece] = []
    for unit, (_, order) in zip(units, given, strict=True):
        piece = Piece(*unit)
        if isinstance(order, Move):
            piece = piece._replace(kind="move", to=order.to)
        elif isinstance(order, Convoy):
            piece = piece._replace(kind="convoy", to=order.to, partner=at[order.convoyed.location])
        elif isinstance(order, (SupportHold, SupportMove)):
            to = order.to if isinstance(order, SupportMove) else order.supported.location[:3]
            piece = piece._replace(kind="support", to=to, partner=at[order.supported.location])
        pieces.append(piece)
    for army in {piece.partner for piece in pieces if piece.kind == "convoy"}:
        fleets = [fleet for fleet, piece in enumerate(pieces) if piece.kind == "convoy" and piece.partner == army]
        routes = minimal_routes(pieces, fleets, pieces[army].home, pieces[army].to)
        pieces[army] = pieces[army]._replace(routes=routes)
    return Battle(tuple(pieces))


SIMPLE_PARADOX = "ENGLAND: F LON S F WAL - ENG, F WAL - ENG; FRANCE: A BRE - LON, F ENG C A BRE - LON"
CIRCLE = battle_of("TURKEY: F ANK - CON, A CON - SMY, A SMY - ANK")
SZYKMAN = battle_of(SIMPLE_PARADOX)
PANDIN = battle_of(f"{SIMPLE_PARADOX}; GERMANY: F NTH S F BEL - ENG, F BEL - ENG")
BETRAYAL = battle_of(
    "ENGLAND: F LON S F ENG; GERMANY: F WAL - ENG; FRANCE: A BRE - LON, F ENG C A BRE - LON;"
    " GERMANY: F IRI S F WAL - ENG"
)
ONE_WAY_ROUND = battle_of("RUSSIA: A CON - SMY; TURKEY: F ANK - CON, A SMY - ANK, A BUL S F ANK - CON")
CONVOY_FOR_A_SWAP = battle_of(
    "GERMANY: A CON - SMY, F AEG C A CON - SMY, A ANK S A CON - SMY; ENGLAND: F SMY S F AEG, F BUL/SC - AEG"
)
KNOWN = (CIRCLE, ONE_WAY_ROUND, SZYKMAN, BETRAYAL, CONVOY_FOR_A_SWAP, PANDIN)
