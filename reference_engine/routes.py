# mypyc
"""Sets of provinces, each an integer with a bit for each province, and the ways by sea between coastal provinces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .installation import mypyc_attr


def members(provinces: int) -> list[int]:
    """The numbers in a set of provinces, ascending."""
    numbers: list[int] = []
    while provinces:
        others = provinces & provinces - 1
        numbers.append((provinces ^ others).bit_length() - 1)
        provinces = others
    return numbers


def set_of(numbers: Iterable[int]) -> int:
    """The set of provinces with these numbers."""
    result = 0
    for number in numbers:
        result |= 1 << number
    return result


MOST_STEPS = 5_000
"""So many chains of seas are tried from a province. Maps of 20 seas need 500; of 150 seas no memory could hold all."""

_MOST_KEPT = 100


@mypyc_attr(allow_interpreted_subclasses=True)
class ConvoyRoutes:
    """The minimal convoy routes between coastal provinces, worked out once for each province of departure.

    From a minimal route no fleet can be left out: an army arrives if and only if all fleets of one of them convoy it. A
    fleet in no minimal route is never necessary, which makes its convoy order illegal (DATC 4.E.1 and 6.G.19).

    On large maps there are too many to list. Then they are worked out among the seas with fleets each time.
    """

    def __init__(self, borders: Sequence[int], seas: int, coastal: int) -> None:
        """`borders` holds for each province the set of its neighbours; `seas` and `coastal` are sets of provinces."""
        self._borders: Sequence[int] = borders
        self._seas: int = seas
        self._coastal: int = coastal
        self._from: dict[int, dict[int, tuple[int, ...]]] = {}
        self._too_many: bool = False
        """Whether there are too many routes to list."""
        self._of_fleets_from: dict[tuple[int, int], dict[int, tuple[int, ...]] | None] = {}
        """Then those of some fleets from a province, unless these are too many as well; the last ones asked for."""

    def between(self, origin: int, destination: int) -> tuple[int, ...]:
        """List the minimal routes between two provinces, the shortest first; empty where no sea connects them.

        Where there are too many to list, it is the shortest one alone.
        """
        found = self._from.get(origin)
        if found is None and not self._too_many:
            found = self._all_from(origin, self._seas, MOST_STEPS)
            if found is None:
                self._too_many = True
            else:
                self._from[origin] = found
        if self._too_many or found is None:
            return self._shortest(origin, destination, self._seas)
        return found.get(destination, ())

    def _of_fleets(self, origin: int, destination: int, fleets: int) -> tuple[int, ...]:
        """List the minimal routes, at least those that these fleets could make, the shortest first."""
        listed = self.between(origin, destination)
        if not self._too_many:
            return listed
        found = self._from_fleets(origin, fleets & self._seas)
        if found is None:
            found = self._all_from(origin, fleets & self._seas, 0) or {}
        return found.get(destination, ())

    def _from_fleets(self, origin: int, fleets: int) -> dict[int, tuple[int, ...]] | None:
        """The minimal routes from a province over the seas of these fleets; `None` where they are too many to list."""
        asked = origin, fleets
        if asked not in self._of_fleets_from:
            if len(self._of_fleets_from) == _MOST_KEPT:
                self._of_fleets_from.clear()
            self._of_fleets_from[asked] = self._all_from(origin, fleets, MOST_STEPS // 10)
        return self._of_fleets_from[asked]

    def within(self, origin: int, destination: int, fleets: int) -> list[int]:
        """The minimal routes between two provinces that fleets in this set of seas could make."""
        most = fleets.bit_count()
        found: list[int] = []
        for route in self._of_fleets(origin, destination, fleets):
            if route & fleets == route:
                found.append(route)
            elif route.bit_count() > most:
                break  # None of those that follow is shorter.
        return found

    def possible(self, origin: int, destination: int, fleets: int) -> bool:
        """Whether fleets in this set of seas could carry an army between two provinces."""
        for route in self.between(origin, destination):
            if route & fleets == route:
                return True
        return self._too_many and bool(self._shortest(origin, destination, fleets & self._seas))

    def reachable(self, origin: int, fleets: int) -> int:
        """The set of provinces that fleets in this set of seas could carry an army to."""
        reached = 0
        if self._coastal >> origin & 1:
            for sea in members(self._connected(origin, fleets & self._seas)):
                reached |= self._borders[sea]
        reached &= self._coastal & ~(1 << origin)
        # A coast that convoys may be reached over itself only.
        for coast in members(reached & fleets):
            if not self.possible(origin, coast, fleets):
                reached &= ~(1 << coast)
        return reached

    def necessary(self, origin: int, destination: int, fleets: int, sea: int) -> bool:
        """Whether the fleet at `sea` is part of a minimal route that these fleets could make.

        Where these are too many to list, it is if it is connected with the other fleets of one: no order of a player
        depends on more.
        """
        bit, routes = 1 << sea, () if self._too_many else self.between(origin, destination)
        if self._too_many:
            listed = self._from_fleets(origin, fleets & self._seas)
            if listed is None:
                connected = self._connected(origin, fleets & self._seas & ~(1 << destination))
                return bool(connected & bit and connected & self._borders[destination])
            routes = listed.get(destination, ())
        for route in routes:  # noqa: SIM110 - `any` takes twice as long, often
            if route & bit and route & fleets == route:
                return True
        return False

    def simple_paths(self, origin: int, destination: int, fleets: int) -> list[int]:
        """All chains of these fleets between two provinces that pass no sea twice, also with fleets to spare (X.2)."""
        paths: list[int] = []
        if not self._coastal >> destination & 1:
            return paths
        fleets &= ~(1 << origin | 1 << destination)
        stack = [(self._borders[origin] & fleets, 0)]
        while stack:
            candidates, path = stack.pop()
            while candidates:
                bit = candidates & -candidates
                candidates ^= bit
                borders = self._borders[bit.bit_length() - 1]
                if borders >> destination & 1:
                    paths.append(path | bit)
                stack.append((borders & fleets & ~(path | bit), path | bit))
        return paths

    def _shortest(self, origin: int, destination: int, seas: int) -> tuple[int, ...]:
        """Return the shortest route over these seas, if there is one."""
        if origin == destination or not self._coastal >> origin & self._coastal >> destination & 1:
            return ()
        seas &= ~(1 << origin | 1 << destination)
        ways: list[tuple[int, int]] = [(self._borders[origin] & seas, 0)]
        for beside, route in ways:
            candidates = beside
            seas &= ~candidates
            while candidates:
                bit = candidates & -candidates
                candidates ^= bit
                borders = self._borders[bit.bit_length() - 1]
                if borders >> destination & 1:
                    return (route | bit,)
                if borders & seas:
                    ways.append((borders & seas, route | bit))
                    seas &= ~borders
        return ()

    def _connected(self, origin: int, seas: int) -> int:
        """The set of those of these seas to which a chain of them leads."""
        reached, new = 0, self._borders[origin] & seas
        while new:
            reached |= new
            beside = 0
            for sea in members(new):
                beside |= self._borders[sea]
            new = beside & seas & ~reached & ~(1 << origin)
        return reached

    def _all_from(self, origin: int, seas: int, most_steps: int) -> dict[int, tuple[int, ...]] | None:
        """Walk all chains of seas without a shortcut; each is a route to the coasts that only its last sea touches.

        It is `None` after so many steps, if a number is given.
        """
        routes: dict[int, list[int]] = {}
        if not self._coastal >> origin & 1:
            return {}
        steps = 0
        seas = seas & ~(1 << origin)
        # With each chain: the coasts that it touches, and what borders the origin and all its seas but the last.
        stack = [(self._borders[origin] & seas, 0, 1 << origin, self._borders[origin])]
        while stack:
            candidates, route, touched, reach = stack.pop()
            steps += 1
            if steps == most_steps:
                return None
            while candidates:
                bit = candidates & -candidates
                candidates ^= bit
                sea_borders = self._borders[bit.bit_length() - 1]
                landings = sea_borders & self._coastal & ~(touched | route)
                while landings:
                    coast = landings & -landings
                    landings ^= coast
                    routes.setdefault(coast.bit_length() - 1, []).append(route | bit)
                # The next sea borders this one and none before it, nor the origin: otherwise this sea were superfluous.
                onward = sea_borders & seas & ~reach & ~(route | bit)
                if onward:
                    stack.append((onward, route | bit, touched | sea_borders & self._coastal, reach | sea_borders))
        return {coast: tuple(sorted(found, key=int.bit_count)) for coast, found in routes.items()}
