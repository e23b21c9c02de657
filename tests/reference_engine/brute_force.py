"""The equations of DATC 5.B solved by trying everything: slow, plain, and written without those of the engine.

A `Battle` is a small position in which every order is legal and matches. An assignment says for each order whether it
succeeds; it is a solution if every order's equation agrees with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from datc.reference_engine import Adjudication, OrderedUnit, Position, Unit, UnitType, standard_board, write_order
from datc.reference_engine.orders import Convoy, GivenOrder, Hold, Move, Order, SupportHold, SupportMove

Kind: TypeAlias = Literal["hold", "move", "support", "convoy"]
Assignment: TypeAlias = tuple[bool, ...]
Route: TypeAlias = frozenset[int]

BOARD = standard_board()
MOST_ORDERS = 10


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


class Battle(NamedTuple):
    """Pieces with orders."""

    pieces: tuple[Piece, ...]

    @property
    def ordered(self) -> tuple[int, ...]:
        """The pieces whose orders can fail."""
        return tuple(index for index, piece in enumerate(self.pieces) if piece.kind != "hold")

    def position(self) -> Position:
        return Position([Unit(piece.power, piece.type, piece.location) for piece in self.pieces])

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
        self.at: dict[str, int] = {piece.home: index for index, piece in enumerate(battle.pieces)}

    def agree(self, index: int, won: Sequence[bool]) -> bool:
        return self.holds(index, won) == won[index]

    def holds(self, index: int, won: Sequence[bool]) -> bool:
        kind = self.pieces[index].kind
        if kind == "move":
            return self.move(index, won)
        if kind == "support":
            return self.support(index, won)
        return not self.entered(index, won)

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
        piece = self.pieces[index]
        for attacker in self.movers(piece.home):
            foreign = self.pieces[attacker].power != piece.power
            if foreign and self.path(attacker, won) and self.pieces[attacker].home != piece.target:
                return False
        return not self.entered(index, won)

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
        return 1 + sum(
            won[helper] and piece.power != but_of
            for helper, piece in enumerate(self.pieces)
            if piece.kind == "support" and piece.partner == index
        )

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

    def movers(self, province: str) -> list[int]:
        return [index for index, piece in enumerate(self.pieces) if piece.kind == "move" and piece.target == province]

    def entered(self, index: int, won: Sequence[bool]) -> bool:
        return any(won[mover] for mover in self.movers(self.pieces[index].home))


class FallbackEquations(Equations):
    """The equations where an army walks to a neighbouring province if no route by sea is left to it (4.A.3)."""

    def sails(self, index: int, won: Sequence[bool]) -> bool:
        piece = self.pieces[index]
        if piece.routes is None or piece.target not in destinations(piece):
            return piece.routes is not None
        return any(all(won[fleet] for fleet in route) for route in piece.routes)

    def path(self, index: int, won: Sequence[bool]) -> bool:
        piece = self.pieces[index]
        return super().path(index, won) or piece.target in destinations(piece)


class SparingEquations(FallbackEquations):
    """Those with the paradox rule of 2000: an army does not cut the support of an attack on a fleet that carries it."""

    def support(self, index: int, won: Sequence[bool]) -> bool:
        piece = self.pieces[index]
        for attacker in self.movers(piece.home):
            if self._spares(attacker, index, won):
                continue
            foreign = self.pieces[attacker].power != piece.power
            if foreign and self.path(attacker, won) and self.pieces[attacker].home != piece.target:
                return False
            if won[attacker]:
                return False
        return True

    def _spares(self, army: int, supporter: int, won: Sequence[bool]) -> bool:
        piece = self.pieces[supporter]
        attacks = self.pieces[piece.partner].kind == "move"
        fleet = self.at.get(piece.target)
        routes = self.pieces[army].routes or ()
        carried = bool(routes) and all(fleet in route for route in routes)
        return piece.type == "F" and attacks and carried and self.sails(army, won)


def solutions(battle: Battle, rules: type[Equations] = Equations) -> list[Assignment]:
    """Find all assignments that agree with every equation; units that hold count as succeeding."""
    equations = rules(battle)
    return [
        won
        for won in _assignments(battle, battle.ordered, [True] * len(battle.pieces))
        if all(equations.agree(index, won) for index in battle.ordered)
    ]


def answer(battle: Battle, rules: type[Equations] = Equations) -> Assignment:
    """What the backup rule (5.B.9) makes of a battle, also of one with no or several solutions.

    Orders are settled from the bottom: those that depend on no open order, or only on one another. If these have one
    solution it is taken. Otherwise their convoys fail, or, where there is none, they are a circular movement and
    succeed. The question is then asked anew for the rest.
    """
    equations = rules(battle)
    won = [True] * len(battle.pieces)
    unsettled = set(battle.ordered)
    while unsettled:
        core = _core(battle, equations, won, unsettled)
        found = [
            tried for tried in _assignments(battle, sorted(core), won) if all(equations.agree(i, tried) for i in core)
        ]
        if len(found) == 1:
            won = list(found[0])
            unsettled -= core
            continue
        convoys = {index for index in core if battle.pieces[index].kind == "convoy"}
        for index in convoys or core:
            won[index] = not convoys
        unsettled -= convoys or core
    return tuple(won)


def _core(battle: Battle, equations: Equations, won: list[bool], unsettled: set[int]) -> set[int]:
    """The smallest set of open orders that depend on no open order outside it."""
    needs: dict[int, set[int]] = {}
    assignments = list(_assignments(battle, sorted(unsettled), won))
    for index in unsettled:
        value = {tried: equations.holds(index, tried) for tried in assignments}
        needs[index] = {other for other in unsettled if any(value[t] != value[_flip(t, other)] for t in assignments)}
    closed = [_closure(index, needs) for index in sorted(unsettled)]
    return min(closed, key=len)


def _closure(index: int, needs: dict[int, set[int]]) -> set[int]:
    found = {index}
    queue = [index]
    for current in queue:
        queue += sorted(needs[current] - found)
        found |= needs[current]
    return found


def _flip(won: Assignment, index: int) -> Assignment:
    return (*won[:index], not won[index], *won[index + 1 :])


def _assignments(battle: Battle, indices: Sequence[int], settled: Sequence[bool]) -> Iterator[Assignment]:
    for values in product((True, False), repeat=len(indices)):
        won = dict(zip(indices, values, strict=True))
        yield tuple(won.get(index, settled[index]) for index in range(len(battle.pieces)))


def outcomes(battle: Battle, after: Adjudication) -> Assignment:
    """What an engine says, order by order; holding is taken for success, dislodged or not."""
    assert not {result.reason for result in after.orders} & {"illegal", "void", "ignored", "no-path"}, str(battle)
    return tuple(
        piece.kind == "hold" or result.outcome == "succeeds"
        for piece, result in zip(battle.pieces, after.orders, strict=True)
    )


def random_battle(random: Random) -> Battle:
    """Crowd some units of two or three powers together, mostly around a sea, and order them against each other."""
    theatre = _theatre(random)
    powers = random.sample(sorted(BOARD.powers), random.choice((2, 2, 3)))
    pieces = [_piece(random, code, random.choice(powers)) for code in theatre]
    if random.random() < 0.8:
        for _ in range(random.choice((1, 1, 2))):
            _add_convoy(random, pieces, theatre)
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
    seas = [province.code for province in BOARD.provinces if province.terrain == "sea"]
    land = [province.code for province in BOARD.provinces if province.terrain != "sea"]
    found = [random.choice(seas if random.random() < 0.75 else land)]
    size = random.randint(4, MOST_ORDERS)
    while len(found) < size:
        near = _neighbours(random.choice(found))
        code = random.choice(near)
        if code not in found:
            found.append(code)
    return found


def _neighbours(code: str) -> list[str]:
    number = BOARD.number[code]
    return [other.code for i, other in enumerate(BOARD.provinces) if BOARD.distances[number][i] == 1]


def _piece(random: Random, code: str, power: str) -> Piece:
    places: list[tuple[UnitType, str]] = [
        (unit_type, location)
        for location in BOARD.locations
        if location[:3] == code
        for unit_type in ("A", "F")
        if BOARD.can_stand(unit_type, location)
    ]
    armies = [place for place in places if place[0] == "A"]
    unit_type, location = random.choice(armies if armies and random.random() < 0.6 else places)
    return Piece(power, unit_type, location)


def destinations(piece: Piece) -> list[str]:
    """Where a unit can go by itself, with coasts."""
    if piece.type == "A":
        borders = BOARD.army_borders[BOARD.number[piece.location]]
        return [province.code for i, province in enumerate(BOARD.provinces) if borders >> i & 1]
    moves = BOARD.fleet_moves[BOARD.number[piece.location]]
    return [BOARD.locations[landing] for landings in moves.values() for landing in landings]


def _move(random: Random, pieces: Sequence[Piece], index: int, theatre: Sequence[str]) -> Piece:
    """Move somewhere, rather within the theatre, and best of all against a convoying fleet."""
    everywhere = destinations(pieces[index])
    near = [to for to in everywhere if to[:3] in theatre]
    convoys = [to for to in near if any(piece.home == to[:3] and piece.kind == "convoy" for piece in pieces)]
    preferred = convoys if random.random() < 0.5 else near
    return pieces[index]._replace(kind="move", to=random.choice(preferred or everywhere))


def _support(random: Random, pieces: Sequence[Piece], index: int) -> Piece:
    """Support some other piece's order if the unit can."""
    reach = {to[:3] for to in destinations(pieces[index])}
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


def _add_convoy(random: Random, pieces: list[Piece], theatre: Sequence[str]) -> None:
    """Have some fleets convoy some army, all of them needed for one route or another."""
    armies = [i for i, piece in enumerate(pieces) if piece.type == "A" and piece.kind == "hold"]
    fleets = [i for i, piece in enumerate(pieces) if piece.kind == "hold" and _terrain(piece.home) == "sea"]
    coasts = [code for code in theatre if _terrain(code) == "coastal"]
    if not armies or not fleets or not coasts:
        return
    army, to = random.choice(armies), random.choice(coasts)
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
    near = [i for i, piece in enumerate(pieces) if piece.kind == "hold" and sea in destinations(piece)]
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
        for tried in combinations(sorted(fleets), size):
            route = frozenset(tried)
            connects = _connects({pieces[fleet].home for fleet in route}, origin, destination)
            if connects and not any(smaller < route for smaller in found):
                found.append(route)
    return tuple(found)


def _connects(seas: set[str], origin: str, destination: str) -> bool:
    reached = {sea for sea in seas if sea in _neighbours(origin)}
    queue = sorted(reached)
    for sea in queue:
        onward = {other for other in _neighbours(sea) if other in seas} - reached
        reached |= onward
        queue += sorted(onward)
    return any(sea in _neighbours(destination) for sea in reached) and _terrain(origin) == "coastal"


def _terrain(code: str) -> str:
    return BOARD.provinces[BOARD.number[code]].terrain


CIRCLE = Battle((
    Piece("TURKEY", "F", "ANK", "move", "CON"),
    Piece("TURKEY", "A", "CON", "move", "SMY"),
    Piece("TURKEY", "A", "SMY", "move", "ANK"),
))  # fmt: skip
SZYKMAN = Battle((
    Piece("ENGLAND", "F", "LON", "support", "ENG", 1),
    Piece("ENGLAND", "F", "WAL", "move", "ENG"),
    Piece("FRANCE", "A", "BRE", "move", "LON", routes=(frozenset({3}),)),
    Piece("FRANCE", "F", "ENG", "convoy", "LON", 2),
))  # fmt: skip
BETRAYAL = Battle((
    Piece("ENGLAND", "F", "LON", "support", "ENG", 3),
    Piece("GERMANY", "F", "WAL", "move", "ENG"),
    Piece("FRANCE", "A", "BRE", "move", "LON", routes=(frozenset({3}),)),
    Piece("FRANCE", "F", "ENG", "convoy", "LON", 2),
    Piece("GERMANY", "F", "IRI", "support", "ENG", 1),
))  # fmt: skip
ONE_WAY_ROUND = Battle((
    Piece("RUSSIA", "A", "CON", "move", "SMY"),
    Piece("TURKEY", "F", "ANK", "move", "CON"),
    Piece("TURKEY", "A", "SMY", "move", "ANK"),
    Piece("TURKEY", "A", "BUL", "support", "CON", 1),
))  # fmt: skip
CONVOY_FOR_A_SWAP = Battle((
    Piece("GERMANY", "A", "CON", "move", "SMY", routes=(frozenset({1}),)),
    Piece("GERMANY", "F", "AEG", "convoy", "SMY", 0),
    Piece("GERMANY", "A", "ANK", "support", "SMY", 0),
    Piece("ENGLAND", "F", "SMY", "support", "AEG", 1),
    Piece("ENGLAND", "F", "BUL/SC", "move", "AEG"),
))  # fmt: skip
