"""Seeded positions to time engines on: plain data, so that any engine can read them."""

from __future__ import annotations

import random
from typing import NamedTuple

from datc.reference_engine import Board, Unit, standard_board
from datc.reference_engine.routes import members

_OPENING = {
    "BUD": "A BUD - SER", "TRI": "F TRI - ALB", "VIE": "A VIE - TRI", "EDI": "F EDI - NWG", "LON": "F LON - NTH",
    "LVP": "A LVP - YOR", "BRE": "F BRE - MAO", "MAR": "A MAR - SPA", "PAR": "A PAR - BUR", "BER": "A BER - KIE",
    "KIE": "F KIE - DEN", "MUN": "A MUN - RUH", "NAP": "F NAP - ION", "ROM": "A ROM - APU", "VEN": "A VEN H",
    "MOS": "A MOS - UKR", "SEV": "F SEV - BLA", "STP": "F STP/SC - BOT", "WAR": "A WAR - GAL", "ANK": "F ANK - BLA",
    "CON": "A CON - BUL", "SMY": "A SMY - CON",
}  # fmt: skip


class Workload(NamedTuple):
    """Positions with an order for every unit."""

    name: str
    positions: list[tuple[list[Unit], list[tuple[str, str]]]]
    """The units, and each order as its power and its text in codes."""


def workloads(count: int) -> list[Workload]:
    """Make as many positions of each kind: the opening, dense ones of 34 units, and those full of convoys."""
    board = standard_board()
    start = list(board.start)
    opening = [(unit.power, _OPENING[unit.location.partition("/")[0]]) for unit in start]
    dense = random.Random(20240519)
    convoys = random.Random(20031213)
    return [
        Workload("opening", [(start, opening)] * count),
        Workload("dense", [_position(board, dense, sea=0.3) for _ in range(count)]),
        Workload("convoys", [_position(board, convoys, sea=0.75) for _ in range(count)]),
    ]


def _position(board: Board, rng: random.Random, *, sea: float) -> tuple[list[Unit], list[tuple[str, str]]]:
    """34 units, with about this share of the seas filled, and orders that meet: moves, supports, whole convoys."""
    powers = sorted(board.powers)
    seas = [province.code for province in board.provinces if province.terrain == "sea" and rng.random() < sea]
    land = [province for province in board.provinces if province.terrain != "sea"]
    units = [Unit(rng.choice(powers), "F", code) for code in seas]
    for province in rng.sample(land, 34 - len(units)):
        fleet = province.terrain == "coastal" and rng.random() < 0.3
        location = f"{province.code}/{rng.choice(province.coasts)}" if fleet and province.coasts else province.code
        units.append(Unit(rng.choice(powers), "F" if fleet else "A", location))
    orders: dict[Unit, str] = {}
    for unit in rng.sample(units, len(units)):
        if unit not in orders:
            _order(board, rng, unit, units, orders)
    return units, [(unit.power, orders[unit]) for unit in units]


def _order(board: Board, rng: random.Random, unit: Unit, units: list[Unit], orders: dict[Unit, str]) -> None:
    where = board.number[unit.location]
    roll = rng.random()
    if unit.type == "A" and roll < 0.5 and _convoy(board, rng, unit, units, orders):
        return
    if roll < 0.55 and _support(board, rng, unit, units, orders):
        return
    if roll < 0.95:
        if unit.type == "A":
            targets = [board.locations[number] for number in members(board.army_borders[where])]
        else:
            targets = [board.locations[to] for landings in board.fleet_moves[where].values() for to in landings]
        orders[unit] = f"{unit.type} {unit.location} - {rng.choice(targets)}"
    else:
        orders[unit] = f"{unit.type} {unit.location} H"


def _convoy(board: Board, rng: random.Random, army: Unit, units: list[Unit], orders: dict[Unit, str]) -> bool:
    """Send an army over fleets that have no orders yet."""
    free = {board.number[unit.location]: unit for unit in units if unit not in orders and unit.type == "F"}
    fleets = sum(1 << sea for sea in free if board.seas >> sea & 1)
    home = board.number[army.location]
    found = [
        (to, route)
        for to in members(board.coastal & ~board.army_borders[home])
        for route in board.routes.between(home, to)
        if route & fleets == route
    ]
    if not found:
        return False
    to, route = rng.choice(found)
    orders[army] = f"A {army.location} - {board.locations[to]}"
    for sea in members(route):
        orders[free[sea]] = f"F {free[sea].location} C A {army.location} - {board.locations[to]}"
    return True


def _support(board: Board, rng: random.Random, unit: Unit, units: list[Unit], orders: dict[Unit, str]) -> bool:
    """Support a move that is ordered already, or a neighbour that has yet to be ordered."""
    where = board.number[unit.location]
    reach = board.army_borders[where] if unit.type == "A" else board.fleet_borders[where]
    found: list[str] = []
    for other in units:
        text = orders.get(other)
        province = other.location.partition("/")[0]
        if other is unit:
            continue
        if text is None or text.endswith(" H") or " S " in text or " C " in text:
            if reach >> board.number[province] & 1:
                found.append(f"{other.type} {other.location}")
        elif reach >> board.number[text.rpartition(" - ")[2].partition("/")[0]] & 1:
            found.append(text)
    if not found:
        return False
    orders[unit] = f"{unit.type} {unit.location} S {rng.choice(found)}"
    return True
