"""Times the reference engine; `adjudicate.py` starts it, with the Python of the environment that it is installed in.

It reads positions as one line of JSON, then answers each further line, the index of a workload, with the seconds of
processor time that all its positions once took: the way from orders as read to their outcomes. Each order is an object
that the engine has not met. With the argument `equations` it only sets up and solves the equations, for orders that are
known to be legal.
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
from datc.reference_engine.movement import match
from datc.reference_engine.resolved_order import HOLDS

_Ordered = tuple[Position, list[GivenOrder]]


def main() -> None:
    """Answer until the input ends."""
    workloads: list[list[_Ordered]] = [
        [_ordered(units, orders) for units, orders in positions] for positions in json.loads(input())
    ]
    prepare = _equations if "equations" in sys.argv else _whole
    print("ready", flush=True)
    for line in sys.stdin:
        adjudications = [prepare(*ordered) for ordered in workloads[int(line)]]
        began = time.process_time()
        for adjudication in adjudications:
            _ = adjudication()
        print(time.process_time() - began, flush=True)


def _ordered(units: Sequence[tuple[str, UnitType, str]], orders: Sequence[tuple[str, str]]) -> _Ordered:
    position = Position([Unit(*unit) for unit in units])
    return position, [GivenOrder(power, read_order(text).order) for power, text in orders]


def _whole(position: Position, orders: list[GivenOrder]) -> Callable[[], object]:
    new = [given._replace(order=None if given.order is None else replace(given.order)) for given in orders]
    return lambda: adjudicate(position, new, DATC_3_2)


def _equations(position: Position, orders: list[GivenOrder]) -> Callable[[], object]:
    legality = Legality(position, DATC_3_2)
    effects = [HOLDS] * len(position.units)
    for given in orders:
        if legal := legality.effect(given.power, given.order):
            effects[legal[0]] = legal[1]
    return lambda: match(position, effects, DATC_3_2, solver_type=Equations).solve()


main()
