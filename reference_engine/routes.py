# mypyc
"""Sets of provinces, each an integer with a bit for each province, and the ways by sea between coastal provinces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .installation import mypyc_attr


def members(provinces: int) -> list[int]:
    """The numbers in a set of provinces, ascending."""
    return [number for number in range(provinces.bit_length()) if provinces >> number & 1]


def set_of(numbers: Iterable[int]) -> int:
    """The set of provinces with these numbers."""
    result = 0
    for number in numbers:
        result |= 1 << number
    return result


@mypyc_attr(allow_interpreted_subclasses=True)
class ConvoyRoutes:
    """The minimal convoy routes between coastal provinces, worked out once for each province of departure.

    From a minimal route no fleet can be left out: an army arrives if and only if all fleets of one of them convoy it. A
    fleet in no minimal route is never necessary, which makes its convoy order illegal (DATC 4.E.1 and 6.G.19).
    """

    def __init__(self, borders: Sequence[int], seas: int, coastal: int) -> None:
        """`borders` holds for each province the set of its neighbours; `seas` and `coastal` are sets of provinces."""
        self._borders: Sequence[int] = borders
        self._seas: int = seas
        self._coastal: int = coastal
        self._from: dict[int, dict[int, tuple[int, ...]]] = {}

    def between(self, origin: int, destination: int) -> tuple[int, ...]:
        """List the minimal routes between two provinces, the shortest first; empty where no sea connects them."""
        found = self._from.get(origin)
        if found is None:
            found = self._from[origin] = self._all_from(origin)
        return found.get(destination, ())

    def within(self, origin: int, destination: int, fleets: int) -> list[int]:
        """The minimal routes between two provinces that fleets in this set of seas could make."""
        most = fleets.bit_count()
        found: list[int] = []
        for route in self.between(origin, destination):
            if route & fleets == route:
                found.append(route)
            elif route.bit_count() > most:
                break  # None of those that follow is shorter.
        return found

    def possible(self, origin: int, destination: int, fleets: int) -> bool:
        """Whether fleets in this set of seas could carry an army between two provinces."""
        for route in self.between(origin, destination):  # noqa: SIM110 - `any` takes twice as long, often
            if route & fleets == route:
                return True
        return False

    def necessary(self, origin: int, destination: int, fleets: int, sea: int) -> bool:
        """Whether the fleet at `sea` is part of a minimal route that these fleets could make."""
        bit = 1 << sea
        for route in self.between(origin, destination):  # noqa: SIM110 - as above
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

    def _all_from(self, origin: int) -> dict[int, tuple[int, ...]]:
        """Walk all chains of seas without a shortcut; each is a route to the coasts that only its last sea touches."""
        routes: dict[int, tuple[int, ...]] = {}
        if not self._coastal >> origin & 1:
            return routes
        seas, coasts_behind = self._seas & ~(1 << origin), 1 << origin
        stack = [(self._borders[origin] & seas, 0, coasts_behind)]
        while stack:
            candidates, route, touched = stack.pop()
            while candidates:
                bit = candidates & -candidates
                candidates ^= bit
                sea_borders = self._borders[bit.bit_length() - 1]
                landings = sea_borders & self._coastal & ~(touched | route)
                for coast in range(landings.bit_length()):
                    if landings >> coast & 1:
                        routes[coast] = (*routes.get(coast, ()), route | bit)
                # The next sea borders this one and none before it, nor the origin: otherwise this sea were superfluous.
                onward = sea_borders & seas & ~self._reach_of(origin, route) & ~(route | bit)
                stack.append((onward, route | bit, touched | sea_borders & self._coastal))
        return {coast: tuple(sorted(found, key=int.bit_count)) for coast, found in routes.items()}

    def _reach_of(self, origin: int, route: int) -> int:
        reach = self._borders[origin]
        for sea in range(route.bit_length()):
            if route >> sea & 1:
                reach |= self._borders[sea]
        return reach
