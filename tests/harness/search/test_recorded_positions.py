"""Positions of real games."""

import gzip
import json
from pathlib import Path
from random import Random

import pytest

from datc.harness.search.archives import ArchiveError
from datc.harness.search.drawn import random_real, read_games
from datc.reference_engine import start_position

SAMPLE = Path(__file__).parents[4] / "shared" / "data" / "games_sample.jsonl.gz"
UNITS = [["ENGLAND", "F", "LON"], ["FRANCE", "A", "BEL"], ["FRANCE", "F", "NTH"]]
MOVEMENT = {
    "id": "g/1/S1901M",
    "phase": "movement",
    "units": UNITS,
    "orders": [["ENGLAND", "F LON - NTH"], ["FRANCE", "rubbish"]],
}
RETREAT = {"id": "g/1/S1901R", "phase": "retreat", "units": UNITS[:2], "orders": [["FRANCE", "F NTH R HEL"]]}
ADJUSTMENT = {"id": "g/1/W1901A", "phase": "adjustment", "units": UNITS, "orders": [], "centers": {"FRANCE": ["BEL"]}}


def test_lines_of_phases_are_read_with_the_retreats_after_them(tmp_path):
    file = tmp_path / "games.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, (MOVEMENT, RETREAT, ADJUSTMENT))).encode()))
    games = read_games(file)
    assert len(games) == 2
    movement, adjustment = games.ordered(0), games.ordered(1)
    assert len(movement.units) == 3
    assert len(movement.orders) == 1
    assert len(movement.retreats or ()) == 1
    assert adjustment.position.centers == {"FRANCE": frozenset({"BEL"})}


def test_a_pasted_text_is_read_with_its_retreats_and_what_was_guessed(tmp_path):
    file = tmp_path / "thread.txt"
    file.write_text(
        "> **Italy**\n> - `A VEN \u2192 TRI`\n> - `A Tyrl S VEN \u2192 TRI`\n"
        "> **Austria**\n> - `A TRI HOLD` (dislodged)\nRetreats:\nAustria: A Tri - Alb\n",
        encoding="utf-8",
    )
    games = read_games(file)
    ordered = games.ordered(0)
    assert [unit.location for unit in ordered.units] == ["VEN", "TYR", "TRI"]
    assert [given.power for given in ordered.retreats or ()] == ["AUSTRIA"]
    assert games.notes == ["line 3: 'Tyrl' read as TYR"]


def test_pasted_removals_are_read_with_their_centers(tmp_path):
    file = tmp_path / "winter.txt"
    file.write_text("Supply centers:\nRussia: Stp\nUnits:\nRussia: A Lvn\nWinter 1905\nRussia: Remove A Pru\n")
    ordered = read_games(file).ordered(0)
    assert (ordered.phase, ordered.position.centers) == ("adjustment", {"RUSSIA": frozenset({"STP"})})


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"id": 3}', b"\xff\xfe", b'{"phases": []}'])
def test_what_holds_no_games_is_refused(tmp_path, content):
    file = tmp_path / "games.jsonl"
    file.write_bytes(content)
    with pytest.raises(ArchiveError, match=r"games\.jsonl"):
        _ = read_games(file)


def test_a_location_that_there_is_not_is_named(tmp_path):
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps({**MOVEMENT, "units": [["ENGLAND", "F", "XYZ"]]}), encoding="utf-8")
    with pytest.raises(ArchiveError, match="there is no position in it: 'XYZ' is no location on the board"):
        _ = read_games(file)


def test_half_of_the_positions_have_one_order_changed(tmp_path):
    file = tmp_path / "games.jsonl"
    orders = [[unit.power, f"{unit.type} {unit.location} H"] for unit in start_position().units]
    units = [list(unit) for unit in start_position().units]
    file.write_text(json.dumps({**MOVEMENT, "units": units, "orders": orders}), encoding="utf-8")
    games = read_games(file)
    first = games.ordered(0)
    changed = 0
    for seed in range(100):
        ordered = random_real(Random(seed), games)
        others = set(ordered.orders) - set(first.orders)
        assert len(ordered.orders) == len(orders)
        assert len(others) <= 1
        changed += len(others)
    assert 25 < changed < 75


def test_the_sample_of_games_is_read():
    if not SAMPLE.is_file():
        pytest.skip(f"the sample of games is not part of the repository, and not at {SAMPLE}")
    games = read_games(SAMPLE)
    assert len(games) == 9917 + 4463
    drawn = [games.ordered(index) for index in range(0, len(games), 50)]
    assert sum(each.retreats is not None for each in drawn) > 50
