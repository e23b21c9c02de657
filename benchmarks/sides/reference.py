"""Times the reference engine; `adjudicate.py` starts it, with the Python of the environment that it is installed in.

It reads positions as one line of JSON, then answers each further line, the index of a workload, with the seconds of
processor time that all its positions once took: the way from orders as read to their outcomes. With the argument
`new` each order is an object that the engine has not met, equal to one that it has; with `equations` it only sets up
and solves the equations, for orders that are known to be legal.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from datc.reference_engine import DATC_3_2, GivenOrder, Position, Unit, UnitType, adjudicate, read_order
from datc.reference_engine.equations import Equations
from datc.reference_engine.legality import Legality
from datc.reference_engine.meanings import HOLDS
from datc.reference_engine.movement import match

_Ordered = tuple[Position, list[GivenOrder]]


def main() -> None:
    """Answer until the input ends."""
    workloads: list[list[_Ordered]] = [
        [_ordered(units, orders) for units, orders in positions] for positions in json.loads(input())
    ]
    prepare = _equations if "equations" in sys.argv else _whole
    ready = [[prepare(*ordered) for ordered in positions] for positions in workloads]
    print("ready", flush=True)
    for line in sys.stdin:
        adjudications = ready[int(line)]
        if "new" in sys.argv:
            adjudications = [_whole(position, _copied(orders)) for position, orders in workloads[int(line)]]
        began = time.process_time()
        for adjudication in adjudications:
            _ = adjudication()
        print(time.process_time() - began, flush=True)


def _ordered(units: Sequence[tuple[str, UnitType, str]], orders: Sequence[tuple[str, str]]) -> _Ordered:
    position = Position([Unit(*unit) for unit in units])
    return position, [GivenOrder(power, read_order(text).order) for power, text in orders]


def _whole(position: Position, orders: list[GivenOrder]) -> Callable[[], object]:
    return lambda: adjudicate(position, orders, DATC_3_2)


def _copied(orders: Sequence[GivenOrder]) -> list[GivenOrder]:
    return [given._replace(order=None if given.order is None else replace(given.order)) for given in orders]


def _equations(position: Position, orders: list[GivenOrder]) -> Callable[[], object]:
    legality = Legality(position, DATC_3_2)
    meanings = [HOLDS] * len(position.units)
    for given in orders:
        if legal := legality.meaning(given.power, given.order):
            meanings[legal[0]] = legal[1]
    return lambda: match(position, meanings, DATC_3_2, solver=Equations).solve()


main()
