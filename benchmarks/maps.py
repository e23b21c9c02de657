"""What maps cost as they grow: generated ones of 22 to 250 provinces, a third of them seas, and one of 150 seas.

    python benchmarks/maps.py

For each map, in a process of its own: milliseconds to make the board with all that is looked up in it, the same for the
convoy routes from every coast, microseconds to adjudicate a position (a unit on every second province, orders drawn
at random), the same for each unit, and the memory at the end.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from random import Random

from datc.reference_engine import (
    Board,
    Convoy,
    GivenOrder,
    Move,
    Order,
    OrderedUnit,
    Position,
    SupportMove,
    Unit,
    adjudicate,
)
from datc.reference_engine.maps import MapTable, ProvinceTable, build_board
from datc.reference_engine.routes import members

SIZES = (22, 50, 75, 125, 250)
_POSITIONS = 30


def generated(provinces: int, seas: int) -> MapTable:
    """Make a map of so many provinces, in rows of nearly the same length, of which so many are seas."""
    rng, width = Random(provinces), max(2, round(provinces**0.5))
    places = [(number % width, number // width) for number in range(provinces)]
    # Seas are together, or no convoy were long.
    wet = set(sorted(places, key=lambda place: (place[0] - width / 2) ** 2 + (place[1] - width / 2) ** 2)[:seas])
    code = {place: f"{'S' if place in wet else 'L'}{number:03}" for number, place in enumerate(places)}
    table: dict[str, ProvinceTable] = {}
    for place in places:
        x, y = place
        beside = [(x + right, y + up) for right, up in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1))]
        near = [other for other in beside if other in code]
        coasts = [other for other in near if other not in wet and any(each in wet for each in near)]
        water = [other for other in near if other in wet]
        fleets = near if place in wet else [*water, *coasts] if water else []
        entry: ProvinceTable = {"fleets": " ".join(code[other] for other in fleets)}
        if place not in wet:
            entry["armies"] = " ".join(code[other] for other in near if other not in wet)
        table[code[place]] = entry
    homes = [code[place] for place in places if place not in wet]
    rng.shuffle(homes)
    powers = {f"P{number}": {"home": " ".join(homes[number::7][:3])} for number in range(7)}
    return {"provinces": _both_ways(table), "powers": {name: {"home": each["home"]} for name, each in powers.items()}}


def _both_ways(table: dict[str, ProvinceTable]) -> dict[str, ProvinceTable]:
    """Leave out what is no border of both its provinces."""
    sails = {code: str(entry.get("fleets", "")).split() for code, entry in table.items()}
    for code, entry in table.items():
        entry["fleets"] = " ".join(other for other in sails[code] if code in sails[other])
    return table


def drawn(board: Board, rng: Random) -> tuple[Position, list[GivenOrder]]:
    """Draw a position with a unit on every second province, and an order to each."""
    provinces = rng.sample(board.provinces, len(board.provinces) // 2)
    kinds = {"sea": "F", "inland": "A"}
    units = [
        Unit(rng.choice([*board.powers]), "F" if kinds.get(each.terrain, rng.choice("AF")) == "F" else "A", each.code)
        for each in provinces
    ]
    armies = [unit for unit in units if unit.type == "A"]
    coasts, orders = members(board.coastal), list[GivenOrder]()
    for unit in units:
        named, helped = OrderedUnit(unit.location, unit.type), rng.choice(units)
        army, coast = rng.choice(armies), board.locations[rng.choice(coasts)]
        to = rng.choice(board.destinations(unit) or [unit.location])
        every: list[Order] = [
            Move(named, to),
            SupportMove(named, OrderedUnit(helped.location, helped.type, helped.power), to),
            Convoy(named, OrderedUnit(army.location, "A", army.power), coast),
        ]
        orders.append(GivenOrder(unit.power, rng.choice(every[: 3 if unit.type == "F" else 2])))
    return Position(units, board=board), orders


def measure(provinces: int, seas: int) -> None:
    """Measure one map."""
    table = generated(provinces, seas)
    began = time.perf_counter()
    board = build_board("generated", table)
    _ = board.places, board.standing, board.names, board.distances
    loaded = time.perf_counter()
    coasts = members(board.coastal)
    routes = sum(len(board.routes.between(coast, other)) for coast in coasts for other in coasts)
    routed = time.perf_counter()
    rng = Random(0)
    positions = [drawn(board, rng) for _ in range(_POSITIONS)]
    started = time.perf_counter()
    for position, orders in positions:
        _ = adjudicate(position, orders)
    micro = (time.perf_counter() - started) * 1e6 / _POSITIONS
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    made = f"loaded in {(loaded - began) * 1e3:5.1f} ms, {routes:6,} routes in {(routed - loaded) * 1e3:6.0f} ms"
    asked = f"{micro:7,.0f} µs a position, {micro / (provinces // 2):5.1f} µs a unit, {memory:.0f} MiB"
    print(f"{provinces:4} provinces, {seas:3} seas: {made}, {asked}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        measure(int(sys.argv[1]), int(sys.argv[2]))
    else:
        for size, sea in [*((size, size // 3) for size in SIZES), (250, 150)]:
            _ = subprocess.run([sys.executable, __file__, str(size), str(sea)], check=True)
