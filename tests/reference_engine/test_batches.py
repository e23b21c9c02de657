"""Many positions at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from datc.reference_engine import (
    DATC_3_1,
    GivenOrder,
    Move,
    OrderedUnit,
    Position,
    PositionError,
    Unit,
    adjudicate,
    adjudicate_all,
    standard_board,
)
from datc.reference_engine.adjudication import CHUNK, Ordered
from datc.reference_engine.errors import UnknownProcedureError
from datc.reference_engine.procedures import find_procedure

UNITS = [Unit("ENGLAND", "A", "LON"), Unit("FRANCE", "F", "ENG")]


def _positions() -> Iterator[Ordered]:
    """Positions without end, every third with another outcome."""
    places = ("WAL", "YOR", "LON")
    while True:
        for place in places:
            yield Position(UNITS), [GivenOrder("ENGLAND", Move(OrderedUnit("LON", "A"), place))]


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("procedure", [None, "decisions"])
def test_adjudications_come_in_the_order_of_the_positions(procedure: str | None, processes: int) -> None:
    count = CHUNK * 2 + 10
    found = list(adjudicate_all(islice(_positions(), count), DATC_3_1, procedure, processes))
    by = {} if procedure is None else {"procedure": find_procedure(procedure)}
    assert found == [adjudicate(*ordered, DATC_3_1, **by) for ordered in islice(_positions(), count)]


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ((Position(UNITS), [GivenOrder("NARNIA", None)]), PositionError),
        ((Position(UNITS), ["A LON - WAL"]), TypeError),
        (Position(UNITS), TypeError),
        (([], []), TypeError),
    ],
)
def test_an_error_says_which_position_it_is_about(bad: Ordered, error: type[Exception], processes: int) -> None:
    before = CHUNK + 1
    found = adjudicate_all([*islice(_positions(), before), bad], processes=processes)
    with pytest.raises(error, match=rf"^position {before + 1}: "):
        _ = list(found)


@pytest.mark.parametrize(("processes", "most"), [(1, 1), (2, 4 * CHUNK)])
def test_positions_are_taken_as_they_are_needed(processes: int, most: int) -> None:
    taken = 0

    def counted() -> Iterator[Ordered]:
        nonlocal taken
        for ordered in _positions():
            taken += 1
            yield ordered

    first = next(adjudicate_all(counted(), processes=processes))
    assert first.units[0].location == "WAL"
    assert taken <= most


def test_a_position_keeps_its_board_in_another_process() -> None:
    board = standard_board()
    no_borders = replace(board, army_borders=(0,) * len(board.army_borders))
    orders = [GivenOrder("ENGLAND", Move(OrderedUnit("LON", "A"), "WAL"))]
    positions: list[Ordered] = [(Position(UNITS[:1], board=each), orders) for each in (no_borders, board)]
    assert [one.orders[0].reason for one in adjudicate_all(positions, processes=2)] == ["illegal", None]


@pytest.mark.parametrize("processes", [1, 2])
def test_a_procedure_that_there_is_not_is_said_at_once(processes: int) -> None:
    with pytest.raises(UnknownProcedureError, match="sums"):
        _ = adjudicate_all(_positions(), procedure="sums", processes=processes)


def test_a_script_that_does_not_guard_its_work_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    _ = script.write_text(
        "from datc.reference_engine import adjudicate_all, start_position\n"
        "list(adjudicate_all([(start_position(), [])], processes=2))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, check=False)
    assert 'begin its work under `if __name__ == "__main__":`' in done.stderr.splitlines()[-1]
