"""Carries cases over to other places, of their own map or another one, that stand to one another as their own do.

What stands to one another is terrain, coasts, the borders of armies and of fleets from coast to coast among all places
of a case, and in adjustments supply centers and homes. So the rules say the same of both: what is expected is what the
document says, with other names. It is never taken from an engine; an engine can only refuse a placement.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple, TypeAlias

import msgspec

from ..reference_engine import Board, NotationError, PositionError, province_code
from ..reference_engine.board import UNIT_TYPES
from ..reference_engine.civil_disorder import REMOVAL_RULES
from ..reference_engine.maps import STANDARD
from ..reference_engine.routes import members, set_of
from .renaming import locations_of, powers_of, renamed
from .suite import Case, Edition, Placement

MOST_STEPS = 20_000
"""So many candidates are tried for a placement, and then no more are looked for."""
MOST_REFUSED = 400
"""So many placements of a case are refused, and then no more are looked for."""

Agrees: TypeAlias = Callable[[Case], bool]
"""Whether a carried case is what the rules say."""


class NotCarried(NamedTuple):
    """A case that a map cannot hold, or not as often as it was wanted."""

    case: Case
    why: str


class CarriedOver(NamedTuple):
    """Cases at other places."""

    map: str
    cases: tuple[Case, ...]
    not_carried: tuple[NotCarried, ...]
    placements: int
    """How many there should be of each case."""
    seed: int


def carry_over(cases: Sequence[Case], board: Board, copies: int, seed: int, agrees: Agrees) -> CarriedOver:
    """Carry each case to some placements on a board: `copies` of them, none twice, the same ones for the same seed.

    The suite of a copy is named after its own one and the map: `datc-3.2@loeb9`, then `datc-3.2@loeb9.2`.
    """
    found: list[list[Case]] = [[] for _ in range(copies)]
    missing: list[NotCarried] = []
    for case in cases:
        rng = random.Random(f"{seed} {case.key} {board.name}")  # noqa: S311 - places, not secrets
        search = _Search(case, board, rng, agrees)
        carried = list(search.cases(copies)) if not search.why_not else []
        for copy, one in enumerate(carried):
            found[copy].append(one)
        if len(carried) < copies:
            some = f"{len(carried)} of {copies} placements: " if carried else ""
            missing.append(NotCarried(case, some + search.why_not))
    every = [one for copy, these in enumerate(found) for one in _as_suites(these, board.name, copy + 1)]
    return CarriedOver(board.name, tuple(every), tuple(missing), copies, seed)


def _as_suites(cases: Iterable[Case], map_name: str, copy: int) -> Iterator[Case]:
    """Name the suites of a copy. Its digest is that of its placements, so that no baseline takes it for another."""
    cases = tuple(cases)
    placed = msgspec.json.encode([(case.key, case.placement) for case in cases])
    digest = hashlib.sha256(placed).hexdigest()[:16]
    for case in cases:
        name = f"{case.suite}@{map_name}" + f".{copy}" * (copy > 1)
        edition = case.edition and Edition(name, case.edition.edition, digest, case.edition.cases)
        yield replace(case, suite=name, edition=edition)


class _Spot(NamedTuple):
    """A province with its coasts in some order, or a power: what something of a case can be carried to."""

    province: int
    """Its number; -1 for a power."""
    locations: tuple[int, ...]
    """Where fleets stand there: its coasts in this order, or the province."""
    power: str = ""


@dataclass
class _Grid:
    """How all spots of a board stand to one another."""

    board: Board
    has_centers: bool
    """Whether centers and homes matter."""

    @cached_property
    def spots(self) -> tuple[_Spot, ...]:
        board, found = self.board, list[_Spot]()
        for number, province in enumerate(board.provinces):
            coasts = [board.number[f"{province.code}/{coast}"] for coast in province.coasts] or [number]
            found += [_Spot(number, order) for order in itertools.permutations(coasts)]
        return *found, *(_Spot(-1, (), power) for power in board.powers)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The spot of each power, and of each province with its coasts in their own order, by their codes."""
        every = reversed([*enumerate(self.spots)])
        return {spot.power or self.board.locations[spot.province]: number for number, spot in every}

    def kind(self, spot: _Spot) -> tuple[object, ...]:
        """What a spot is, whatever it borders."""
        if spot.power:
            return ("power",)
        board, province = self.board, self.board.provinces[spot.province]
        convoys = bool(board.convoying >> spot.province & 1)
        is_center = self.has_centers and province.code in board.supply_centers
        return province.terrain, len(province.coasts), convoys, is_center

    def _relation(self, one: _Spot, other: _Spot) -> int:
        """How two spots stand to one another, as bits: borders of armies, of fleets, difficult ones; or homes."""
        board = self.board
        if one.power or other.power:
            power, place = (one, other) if one.power else (other, one)
            homes = board.powers[power.power].home_centers if self.has_centers and not place.power else ()
            return board.locations[place.province] in homes
        if one.province == other.province:
            return -1  # No two places of a case are one.
        bits = board.army_borders[one.province] >> other.province & 1
        for kind in UNIT_TYPES:
            bits = bits << 1 | ((kind, one.province, other.province) in board.difficult)
        for start, end in itertools.product(one.locations, other.locations):
            bits = bits << 1 | (end in board.fleet_moves[start].get(other.province, ()))
        return bits

    @cached_property
    def relations(self) -> Sequence[Sequence[int]]:
        """How each spot stands to each other one."""
        return [[self._relation(one, other) for other in self.spots] for one in self.spots]

    @cached_property
    def related(self) -> Sequence[Mapping[int, int]]:
        """For each spot, the set of those that stand to it in each relation."""
        every: list[dict[int, int]] = []
        for relations in self.relations:
            sets: dict[int, int] = {}
            for number, relation in enumerate(relations):
                sets[relation] = sets.get(relation, 0) | 1 << number
            every.append(sets)
        return every

    @cached_property
    def of_kind(self) -> Mapping[tuple[object, ...], int]:
        """The set of the spots of each kind."""
        found: dict[tuple[object, ...], int] = {}
        for number, spot in enumerate(self.spots):
            found[self.kind(spot)] = found.get(self.kind(spot), 0) | 1 << number
        return found


@cache
def _grid(board: Board, has_centers: bool) -> _Grid:
    return _Grid(board, has_centers)


@dataclass
class _Search:
    """Looks for placements of one case on a board."""

    case: Case
    board: Board
    random: random.Random
    agrees: Agrees
    steps: int = 0
    why_not: str = ""
    """Why there are no more placements; empty as long as nobody looked for more."""

    def __post_init__(self) -> None:
        self.why_not = self._why_never()

    @cached_property
    def own(self) -> Board:
        return self.case.phases[0].board

    @cached_property
    def powers(self) -> Sequence[str]:
        return tuple(powers_of(self.case))

    @cached_property
    def has_centers(self) -> bool:
        """Whether centers and homes matter: otherwise any power can take the place of another one."""
        return any(phase.phase == "adjustment" for phase in self.case.phases)

    @cached_property
    def codes(self) -> Sequence[str]:
        """What places are looked for: the provinces of the case, and the powers where their homes matter."""
        places = dict.fromkeys(map(province_code, locations_of(self.case)))
        return *places, *(self.powers if self.has_centers else ())

    @cached_property
    def removals(self) -> Sequence[tuple[bool, bool]]:
        """How the distances of its units compare in civil disorder."""
        return [*_sequence_of_removals(self.case)]

    @cached_property
    def grids(self) -> tuple[_Grid, _Grid]:
        """The board of the case, and the one that it is carried to."""
        return _grid(self.own, self.has_centers), _grid(self.board, self.has_centers)

    @cached_property
    def domains(self) -> list[int]:
        """For each of `codes`, the set of spots of the same kind; no place that is ice in the seasons of the case."""
        (own, other), frozen = self.grids, 0
        for phase in self.case.phases:
            frozen |= self.board.ice.get(phase.season, 0)
        ice = set_of(
            number for number, spot in enumerate(other.spots) if spot.locations and frozen >> spot.province & 1
        )
        kinds = [own.kind(own.spots[own.index[code]]) for code in self.codes]
        return [other.of_kind.get(kind, 0) & ~ice for kind in kinds]

    def _why_never(self) -> str:
        """Say why the case has no placement that can be looked for; empty where it may have one."""
        if self.own.name != STANDARD:
            return f"it is on the map {self.own.name}, not on the standard one"
        orders = [order for phase in self.case.phases for order in phase.orders]
        dutchmen = any(phase.position and phase.position.flying_dutchmen for phase in self.case.phases)
        if dutchmen or any(order.order is None or order.submitted.beforehand for order in orders):
            return "it is about how orders are written or known, not about places"
        if any(order.submitted.order_set > 1 for order in orders):
            return "it is about sets of orders, not about places"
        if strange := [code for code in self.codes if code not in self.grids[0].index]:
            return f"it names {strange[0]!r}, which is no place of its map"
        return self._too_few()

    def _too_few(self) -> str:
        """Say of what the case has more than the board."""
        own, other = self.grids
        needed = Counter(own.kind(own.spots[own.index[code]]) for code in dict.fromkeys((*self.codes, *self.powers)))
        for kind, count in needed.items():
            domain = other.of_kind.get(kind, 0)
            there = len({(other.spots[spot].province, other.spots[spot].power) for spot in members(domain)})
            if there < count:
                return f"it needs {_counted(kind, count)}, and the map has {there or 'none'}"
        return ""

    def cases(self, copies: int) -> Iterator[Case]:
        """Yield the case at so many placements, no two the same; where there are fewer, `why_not` says why."""
        tried: set[tuple[int, ...]] = set()
        refused, found, steps = Counter[str](), 0, 0
        while found < copies and not self.why_not:
            spots = next((spots for spots in self._placements(range(len(self.codes))) if spots not in tried), None)
            steps += self.steps
            if spots is None:
                self.why_not = self._why_no_more(refused, found)
                return
            tried.add(spots)
            carried = self._at(spots)
            why = "its orders cannot be written there" if carried is None else self._why_refused(carried)
            if not why and carried is not None:
                found += 1
                yield carried
                continue
            refused[why] += 1
            if refused.total() == MOST_REFUSED or steps > MOST_STEPS:
                self.why_not = f"the first {refused.total()} placements are refused: {_reasons(refused)}"

    def _why_no_more(self, refused: Counter[str], found: int) -> str:
        if self.steps > MOST_STEPS:
            return f"no more placements were found in {MOST_STEPS:,} steps"
        if refused:
            return f"{refused.total()} placements are refused: {_reasons(refused)}"
        if found:
            return "there are no more"
        return f"no {'other ' * (self.own is self.board)}places stand to one another as {self._core()} do"

    def _core(self) -> str:
        """Name places of the case, none of which can be left out, that have no placement together."""
        left = [*range(len(self.codes))]
        for node in reversed(range(len(self.codes))):
            fewer = [each for each in left if each != node]
            if next(self._placements(fewer), None) is None and self.steps <= MOST_STEPS:
                left = fewer
        *names, last = (self.own.describe(self.own.power_name(self.codes[node])) for node in left)
        return f"{', '.join(names)} and {last}" if names else last

    def _at(self, spots: tuple[int, ...]) -> Case | None:
        own, other = self.grids
        locations: dict[str, str] = {}
        powers = dict(zip(self.powers, self.random.sample([*self.board.powers], len(self.powers)), strict=True))
        for code, number in zip(self.codes, spots, strict=True):
            spot, mine = other.spots[number], own.spots[own.index[code]]
            if spot.power:
                powers[code] = spot.power
                continue
            locations[code] = other.board.locations[spot.province]
            for old, new in zip(mine.locations, spot.locations, strict=True):
                locations[own.board.locations[old]] = other.board.locations[new]
        placement = Placement(self.case.name, self.board.name, locations, powers)
        try:
            return renamed(self.case, self.board, placement)
        except (NotationError, PositionError):
            return None

    def _why_refused(self, carried: Case) -> str:
        """Say what a placement has not as the case has it, beside the borders among its places; empty for nothing."""
        if _may_leave(self.case) != _may_leave(carried):
            return "it differs whether a dislodged unit has somewhere to go"
        if any(one != other for one, other in zip(self.removals, _sequence_of_removals(carried), strict=True)):
            return "the distances in civil disorder compare otherwise"
        return "" if self.agrees(carried) else "the rules give another result"

    def _placements(self, nodes: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield spots that stand to one another as some of `codes` do, in a random order; on their own map others.

        It ends after `MOST_STEPS`, too.
        """
        own, other = self.grids
        mine = [own.index[code] for code in self.codes]
        place = [-1] * len(mine)
        self.steps = 0

        def fill(domains: Mapping[int, int]) -> Iterator[tuple[int, ...]]:
            if not domains:
                if own is not other or any(place[node] != mine[node] for node in nodes):
                    yield tuple(place)
                return
            node = min(domains, key=lambda each: domains[each].bit_count())
            candidates = members(domains[node])
            self.random.shuffle(candidates)
            if own is other:  # Where it can be another place, it is.
                candidates.sort(key=lambda spot: spot == mine[node])
            relations = {each: own.relations[mine[node]][mine[each]] for each in domains if each != node}
            for spot in candidates:
                self.steps += 1
                if self.steps > MOST_STEPS:
                    return
                related = other.related[spot]
                left = {each: domains[each] & related.get(how, 0) & ~(1 << spot) for each, how in relations.items()}
                if all(left.values()):
                    place[node] = spot
                    yield from fill(left)

        yield from fill({node: self.domains[node] for node in nodes})


def _counted(kind: tuple[object, ...], count: int) -> str:
    """Count spots of a kind: `"2 coastal provinces with 2 coasts"`."""
    plural = "s" * (count != 1)
    if kind == ("power",):
        return f"{count} power{plural}"
    terrain, coasts, convoys, is_center = kind
    what = "supply center" if is_center else "province"
    more = [f"with {coasts} coasts"] if coasts else []
    more += ["where a fleet can convoy"] if convoys and terrain != "sea" else []
    return " ".join((f"{count} {terrain} {what}{plural}", *more))


def _reasons(refused: Counter[str]) -> str:
    return "; ".join(f"{why} ({count})" for why, count in refused.most_common())


def _may_leave(case: Case) -> list[bool]:
    """Whether each unit that may be dislodged can retreat to a place that the case does not name."""
    named, found = set(map(province_code, locations_of(case))), list[bool]()
    for phase in case.phases:
        dislodged = {province for expected in phase.expectations for province in expected.dislodged}
        for unit in phase.position.units if phase.position else ():
            if province_code(unit.location) in dislodged:
                found.append(not named.issuperset(map(province_code, phase.board.destinations(unit))))
    return found


def _sequence_of_removals(case: Case) -> Iterator[tuple[bool, bool]]:
    """How the distances of any two units of a power compare that has too many units, under each choice of 4.D.8."""
    for phase in case.phases:
        position = phase.position
        if phase.phase != "adjustment" or position is None:
            continue
        for power in dict.fromkeys(position.power):
            units = [unit for unit in position.units if unit.power == power]
            if len(units) <= len(position.centers.get(power, ())):
                continue
            for rule in reversed([*REMOVAL_RULES.values()]):  # The first ones take longest.
                ways = map(rule.way(position, power), units)
                lengths = [len(way) or len(position.board.locations) for way in ways]
                yield from ((one < other, one == other) for one, other in itertools.combinations(lengths, 2))
