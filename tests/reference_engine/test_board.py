from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datc.adapters.bridges import Bridge
from datc.reference_engine import Board, Unit, UnitType, routes, standard_board
from datc.reference_engine.maps import load_board
from datc.reference_engine.routes import members, set_of

from .brute_force import connects, reached
from .play import units_of

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


def all_moves(board: Board) -> set[tuple[UnitType, str, str]]:
    """Every move of a unit by itself: its type, from where, to where."""
    armies: set[tuple[UnitType, str, str]] = {
        ("A", province.code, other.code)
        for index, province in enumerate(board.provinces)
        for number, other in enumerate(board.provinces)
        if board.army_borders[index] >> number & 1
    }
    fleets: set[tuple[UnitType, str, str]] = {
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
    units = (
        "AUSTRIA: A BUD, F TRI, A VIE; ENGLAND: F EDI, F LON, A LVP; FRANCE: F BRE, A MAR, A PAR;"
        " GERMANY: A BER, F KIE, A MUN; ITALY: F NAP, A ROM, A VEN; RUSSIA: A MOS, F SEV, F STP/SC, A WAR;"
        " TURKEY: F ANK, A CON, A SMY"
    )
    assert set(board.start) == set(units_of(units))
    assert len(board.start) == 22


def test_every_border_has_two_sides(board: Board) -> None:
    moves = all_moves(board)
    assert {(kind, target, origin) for kind, origin, target in moves} == moves
    assert all(board.can_stand(kind, end) for kind, *ends in moves for end in ends)


def test_fleets_can_come_to_every_coast(board: Board) -> None:
    """From one coast of St Petersburg to the other it is the way around Europe, but there is one."""
    assert reachable(board, "F", "STP/NC") == {place for place in board.locations if board.can_stand("F", place)}


def test_armies_stay_on_their_islands(board: Board) -> None:
    """England, Africa, and all the rest: no bridges and no straits."""
    assert reachable(board, "A", "LON") == {"CLY", "EDI", "LON", "LVP", "WAL", "YOR"}
    assert reachable(board, "A", "TUN") == {"NAF", "TUN"}
    assert len(reachable(board, "A", "MUN")) == 14 + 42 - 8


def reachable(board: Board, kind: UnitType, start: str) -> set[str]:
    moves = all_moves(board)
    return reached({start}, lambda place: [to for moved, origin, to in moves if (moved, origin) == (kind, place)])


def test_where_units_can_stand(board: Board) -> None:
    places: dict[UnitType, tuple[str, str]] = {
        "A": ("MUN LON SPA", "NTH SPA/NC XXX"),
        "F": ("LON NTH SPA/NC", "MUN LON/NC SPA SPA/EC"),
    }
    for kind, (can_stand, cannot) in places.items():
        assert all(board.can_stand(kind, location) for location in can_stand.split())
        assert not any(board.can_stand(kind, location) for location in ["", *cannot.split()])


def test_coasts_part_their_neighbours(board: Board) -> None:
    for coast, around in {
        "SPA/NC": {"GAS", "MAO", "POR"},
        "SPA/SC": {"LYO", "MAO", "MAR", "POR", "WES"},
        "STP/NC": {"BAR", "NWY"},
        "STP/SC": {"BOT", "FIN", "LVN"},
        "BUL/EC": {"BLA", "CON", "RUM"},
        "BUL/SC": {"AEG", "CON", "GRE"},
    }.items():
        assert {to for kind, origin, to in all_moves(board) if (kind, origin) == ("F", coast)} == around


NO_BORDERS = (
    "F ROM VEN, F ANK SMY, F EDI LVP, F YOR LVP, F NWY FIN, F MAR GAS, F STP/NC STP/SC, A TUN NAP, A SMY BUL,"
    " A SPA NAF, F BER SIL, F DEN BOT, F IRI NTH, F NWG SKA, F LVP ENG, F SKA BAL, F HEL SKA, F AEG BLA"
)
"""Land lies between two coasts, a strait is no border, and what looks near on the map is not."""


def test_what_does_not_border(board: Board) -> None:
    moves = {" ".join(move) for move in all_moves(board)}
    for kind, one, other in map(str.split, NO_BORDERS.split(", ")):
        assert moves.isdisjoint({f"{kind} {one} {other}", f"{kind} {other} {one}"})


def test_distances_go_over_land_and_sea(board: Board) -> None:
    for pair, steps in {"LON LON": 0, "LON NTH": 1, "KIE SWE": 2, "SPA NAF": 2, "MOS POR": 6, "ALB SMY": 3}.items():
        one, other = (board.number[code] for code in pair.split())
        assert board.distances[one][other] == board.distances[other][one] == steps


def test_the_number_of_convoy_routes(board: Board) -> None:
    """Three waters carry convoys: the Black Sea (6 coasts), the Baltic (8), and all the others together (34).

    Bulgaria and Constantinople lie on the first and the last; Denmark, Kiel, St Petersburg and Sweden on the other two.
    """
    routes = routes_of(board)
    assert len(routes) == (34 * 33) + (6 * 5 - 2 * 1) + (8 * 7 - 4 * 3) == 1194
    assert sum(len(sets) for sets in routes.values()) == 2094
    assert max(len(sets) for sets in routes.values()) == 4


def test_convoy_routes_are_the_same_both_ways(board: Board) -> None:
    routes = routes_of(board)
    assert all(set(routes[target, origin]) == set(sets) for (origin, target), sets in routes.items())


def test_convoy_routes_need_all_their_fleets(board: Board) -> None:
    for (origin, target), sets in routes_of(board).items():
        for route in sets:
            seas = members(route)
            assert connected(board, set(seas), origin, target)
            assert not any(connected(board, set(seas) - {sea}, origin, target) for sea in seas)


@settings(max_examples=300)
@given(st.data())
def test_fleets_that_connect_two_coasts_are_a_route(data: st.DataObject) -> None:
    board = standard_board()
    coasts = [number for number, province in enumerate(board.provinces) if province.terrain == "coastal"]
    waters = [number for number, province in enumerate(board.provinces) if province.terrain == "sea"]
    origin, target = data.draw(st.lists(st.sampled_from(coasts), min_size=2, max_size=2, unique=True))
    missing = data.draw(st.sets(st.sampled_from(waters), max_size=8))
    seas = set(waters) - missing
    fleets = sum(1 << sea for sea in seas)
    assert board.routes.possible(origin, target, fleets) is connected(board, seas, origin, target)


@pytest.mark.parametrize("name", ["standard", "convoying-coasts"])
def test_fleets_reach_the_coasts_to_which_they_have_a_route(name: str) -> None:
    there, rng = load_board(name), Random(0)
    for _ in range(200):
        origin, fleets = (
            rng.randrange(len(there.provinces)),
            there.convoying & rng.getrandbits(80) & rng.getrandbits(80),
        )
        possible = [to for to in members(there.coastal) if to != origin and there.routes.possible(origin, to, fleets)]
        assert members(there.routes.reachable(origin, fleets)) == possible


def test_where_there_are_too_many_routes_to_list_fleets_make_the_same_ones(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "MOST_STEPS", 1)
    listed = board.routes
    crowded = routes.ConvoyRoutes(listed._borders, board.convoying, board.coastal)
    rng, coasts = Random(0), members(board.coastal)
    for _ in range(300):
        origin, target = rng.sample(coasts, 2)
        seas = rng.sample(members(board.seas), 12)
        fleets = set_of(seas)
        assert crowded.possible(origin, target, fleets) is listed.possible(origin, target, fleets)
        assert sorted(crowded.within(origin, target, fleets)) == sorted(listed.within(origin, target, fleets))
        for sea in seas:
            assert crowded.necessary(origin, target, fleets, sea) is listed.necessary(origin, target, fleets, sea)
        shortest = [route.bit_count() for route in listed.between(origin, target)[:1]]
        assert [route.bit_count() for route in crowded.between(origin, target)] == shortest


def test_a_map_of_150_seas_has_more_routes_than_are_listed() -> None:
    width, height = 15, 10
    number = {(x, y): x * height + y for x in range(width) for y in range(height)}
    beside = ((1, 0), (-1, 0), (0, 1), (0, -1))
    borders = [
        set_of(number[x + right, y + up] for right, up in beside if (x + right, y + up) in number) for x, y in number
    ]
    west, east = width * height, width * height + 1
    borders[0] |= 1 << west
    borders[west - 1] |= 1 << east
    crowded = routes.ConvoyRoutes([*borders, 1, 1 << west - 1], (1 << west) - 1, 1 << west | 1 << east)
    (route,) = crowded.between(west, east)
    assert route.bit_count() == width + height - 1
    assert crowded.within(west, east, route) == [route]
    assert not crowded.possible(west, east, route & ~1)


def test_no_convoys_from_or_to_other_provinces(board: Board) -> None:
    everywhere = board.seas
    for province in board.provinces:
        number, london = board.number[province.code], board.number["LON"]
        if province.terrain != "coastal":
            assert not board.routes.possible(london, number, everywhere)
            assert not board.routes.possible(number, london, everywhere)
    assert not board.routes.possible(board.number["LON"], board.number["LON"], everywhere)


def routes_of(board: Board) -> dict[tuple[int, int], tuple[int, ...]]:
    numbers = range(len(board.provinces))
    return {
        (origin, target): found
        for origin in numbers
        for target in numbers
        if (found := board.routes.between(origin, target))
    }


def connected(board: Board, seas: set[int], origin: int, target: int) -> bool:
    """Whether a chain of seas leads from one province to another."""
    codes = [province.code for province in board.provinces]
    return connects({codes[sea] for sea in seas}, codes[origin], codes[target])


# The map of another engine


def test_the_same_board_as_the_pypi_engine(board: Board, ready_bridge: Callable[[str], Bridge]) -> None:
    python, _ = ready_bridge("diplomacy_pypi").command
    listing = subprocess.run([python, "-c", LIST_MOVES], capture_output=True, check=True, text=True, timeout=60)
    theirs = json.loads(listing.stdout)
    places = {
        (kind, location) for location in board.locations for kind in ("A", "F") if board.can_stand(kind, location)
    }
    moves = {tuple(move) for move in theirs["moves"]}
    assert {tuple(place) for place in theirs["places"]} == places
    assert moves == all_moves(board)
    assert set(theirs["centers"]) == board.supply_centers
    assert {power: set(homes) for power, homes in theirs["homes"].items() if homes} == {
        power.code: set(power.home_centers) for power in board.powers.values()
    }
    assert {Unit(power, *unit.split()) for power, units in theirs["units"].items() for unit in units} == set(
        board.start
    )
