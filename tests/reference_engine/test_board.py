from __future__ import annotations

import json
import subprocess
from itertools import combinations
from pathlib import Path

import pytest
from datc.reference_engine import Board, Unit, standard_board

UNIT_TYPES = ("A", "F")

# Run by the other engine's own Python: it prints every move between two locations that its map allows.
LIST_MOVES = """
import json
from diplomacy import Map
board = Map("standard")
locations = sorted({location.upper() for location in board.locs})
places = [(kind, where) for kind in "AF" for where in locations if board.is_valid_unit(kind + " " + where)]
moves = [
    [kind, origin, target]
    for kind, origin in places
    for other, target in places
    if kind == other and origin != target and board.abuts(kind, origin, "-", target)
]
print(json.dumps({"places": places, "moves": moves, "centers": board.scs, "homes": board.homes, "units": board.units}))
"""


@pytest.fixture
def board() -> Board:
    return standard_board()


def all_moves(board: Board) -> set[tuple[str, str, str]]:
    """Every move of a unit by itself: its type, from where, to where."""
    armies = {
        ("A", province.code, other.code)
        for index, province in enumerate(board.provinces)
        for number, other in enumerate(board.provinces)
        if board.army_borders[index] >> number & 1
    }
    fleets = {
        ("F", location, board.locations[landing])
        for number, location in enumerate(board.locations)
        for landings in board.fleet_moves[number].values()
        for landing in landings
    }
    return armies | fleets


def test_its_size(board: Board) -> None:
    terrains = [province.terrain for province in board.provinces]
    assert len(board.provinces) == 75
    assert (terrains.count("sea"), terrains.count("inland"), terrains.count("coastal")) == (19, 14, 42)
    assert len(board.locations) == 75 + 6
    assert len(board.supply_centers) == 34
    assert len(board.powers) == 7
    moves = all_moves(board)
    assert sum(kind == "A" for kind, _, _ in moves) == 222
    assert sum(kind == "F" for kind, _, _ in moves) == 282


def test_the_home_centers(board: Board) -> None:
    homes = {power.code: set(power.home_centers) for power in board.powers.values()}
    assert homes == {
        "AUSTRIA": {"BUD", "TRI", "VIE"},
        "ENGLAND": {"EDI", "LON", "LVP"},
        "FRANCE": {"BRE", "MAR", "PAR"},
        "GERMANY": {"BER", "KIE", "MUN"},
        "ITALY": {"NAP", "ROM", "VEN"},
        "RUSSIA": {"MOS", "SEV", "STP", "WAR"},
        "TURKEY": {"ANK", "CON", "SMY"},
    }
    every_home = {home for of_one in homes.values() for home in of_one}
    neutral = {"BEL", "BUL", "DEN", "GRE", "HOL", "NWY", "POR", "RUM", "SER", "SPA", "SWE", "TUN"}
    assert len(every_home) == 22
    assert board.supply_centers == every_home | neutral


def test_the_start(board: Board) -> None:
    assert set(board.start) == {
        Unit("AUSTRIA", "A", "BUD"),
        Unit("AUSTRIA", "F", "TRI"),
        Unit("AUSTRIA", "A", "VIE"),
        Unit("ENGLAND", "F", "EDI"),
        Unit("ENGLAND", "F", "LON"),
        Unit("ENGLAND", "A", "LVP"),
        Unit("FRANCE", "F", "BRE"),
        Unit("FRANCE", "A", "MAR"),
        Unit("FRANCE", "A", "PAR"),
        Unit("GERMANY", "A", "BER"),
        Unit("GERMANY", "F", "KIE"),
        Unit("GERMANY", "A", "MUN"),
        Unit("ITALY", "F", "NAP"),
        Unit("ITALY", "A", "ROM"),
        Unit("ITALY", "A", "VEN"),
        Unit("RUSSIA", "A", "MOS"),
        Unit("RUSSIA", "F", "SEV"),
        Unit("RUSSIA", "F", "STP/SC"),
        Unit("RUSSIA", "A", "WAR"),
        Unit("TURKEY", "F", "ANK"),
        Unit("TURKEY", "A", "CON"),
        Unit("TURKEY", "A", "SMY"),
    }
    assert len(board.start) == 22


def test_every_border_has_two_sides(board: Board) -> None:
    moves = all_moves(board)
    assert {(kind, target, origin) for kind, origin, target in moves} == moves
    assert all(board.can_stand(kind, end) for kind, *ends in moves for end in ends if kind in UNIT_TYPES)


def test_each_kind_of_unit_can_come_everywhere(board: Board) -> None:
    """A fleet on one coast of St Petersburg needs the way around Europe, but there is one."""
    for kind in UNIT_TYPES:
        moves = [(origin, target) for moved, origin, target in all_moves(board) if moved == kind]
        reached = {"NAF" if kind == "A" else "STP/NC"}
        size = 0
        while len(reached) > size:
            size = len(reached)
            reached |= {target for origin, target in moves if origin in reached}
        # North Africa and Tunis are an island to armies.
        assert reached == ({"NAF", "TUN"} if kind == "A" else {loc for loc in board.locations if board.can_stand("F", loc)})


@pytest.mark.parametrize(
    ("kind", "location", "can_stand"),
    [
        ("A", "MUN", True),
        ("A", "LON", True),
        ("A", "NTH", False),
        ("A", "SPA", True),
        ("A", "SPA/NC", False),
        ("F", "MUN", False),
        ("F", "LON", True),
        ("F", "LON/NC", False),
        ("F", "NTH", True),
        ("F", "SPA", False),
        ("F", "SPA/NC", True),
        ("F", "SPA/EC", False),
        ("A", "XXX", False),
        ("F", "", False),
    ],
)
def test_where_units_can_stand(board: Board, kind: str, location: str, can_stand: bool) -> None:  # noqa: FBT001
    assert kind in UNIT_TYPES
    assert board.can_stand(kind, location) is can_stand


def test_coasts_part_their_neighbours(board: Board) -> None:
    fleets = {(origin, target) for kind, origin, target in all_moves(board) if kind == "F"}
    assert {target for origin, target in fleets if origin == "SPA/NC"} == {"GAS", "MAO", "POR"}
    assert {target for origin, target in fleets if origin == "SPA/SC"} == {"LYO", "MAO", "MAR", "POR", "WES"}
    assert {target for origin, target in fleets if origin == "STP/NC"} == {"BAR", "NWY"}
    assert {target for origin, target in fleets if origin == "STP/SC"} == {"BOT", "FIN", "LVN"}
    assert {target for origin, target in fleets if origin == "BUL/EC"} == {"BLA", "CON", "RUM"}
    assert {target for origin, target in fleets if origin == "BUL/SC"} == {"AEG", "CON", "GRE"}


@pytest.mark.parametrize(
    ("kind", "origin", "target"),
    [
        ("F", "ROM", "VEN"),  # land between two coasts
        ("F", "ANK", "SMY"),
        ("F", "EDI", "LVP"),
        ("F", "YOR", "LVP"),
        ("F", "NWY", "FIN"),
        ("F", "MAR", "GAS"),
        ("F", "STP/NC", "STP/SC"),
        ("A", "TUN", "NAP"),  # no strait
        ("A", "SMY", "BUL"),
        ("A", "SPA", "NAF"),
        ("F", "BER", "SIL"),
        ("F", "DEN", "BOT"),
        ("F", "IRI", "NTH"),
        ("F", "NWG", "SKA"),
        ("F", "LVP", "ENG"),
        ("F", "SKA", "BAL"),
        ("F", "HEL", "SKA"),
        ("F", "AEG", "BLA"),
    ],
)
def test_what_does_not_border(board: Board, kind: str, origin: str, target: str) -> None:
    assert (kind, origin, target) not in all_moves(board)
    assert (kind, target, origin) not in all_moves(board)


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [("LON", "LON", 0), ("LON", "NTH", 1), ("KIE", "SWE", 2), ("SPA", "NAF", 2), ("MOS", "POR", 7), ("ALB", "SMY", 3)],
)
def test_distances_go_over_land_and_sea(board: Board, one: str, other: str, steps: int) -> None:
    assert board.distances[board.number[one]][board.number[other]] == steps
    assert board.distances[board.number[other]][board.number[one]] == steps


def test_convoy_routes(board: Board) -> None:
    coastal = [number for number, province in enumerate(board.provinces) if province.terrain == "coastal"]
    routes = {
        (origin, target): board.routes.between(origin, target)
        for origin in coastal
        for target in coastal
        if origin != target and board.routes.between(origin, target)
    }
    # Every pair of coasts that are connected by sea, both ways, but for the two coasts of the Black Sea... and so on.
    assert sum(origin < target for origin, target in routes) == 597
    for (origin, target), sets in routes.items():
        assert set(routes[target, origin]) == set(sets)
        assert not any(one & other in (one, other) for one, other in combinations(sets, 2))
