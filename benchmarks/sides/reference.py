"""Times the reference engine; `adjudicate.py` starts it, with the Python of the environment that it is installed in.

It reads positions as one line of JSON, then answers each further line, the index of a workload, with the seconds of
processor time that all its positions once took: the way from orders as read to their outcomes. Each order is an object
that the engine has not met. With the argument `text` it begins with units and texts of orders, of which it keeps the
latest 16,384 as read; with `equations` it only sets up and solves the equations, for orders that are known to be legal.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from datc.reference_engine import DATC_3_2, GivenOrder, Position, Unit, UnitType, adjudicate, read_order
from datc.reference_engine.equations import Equations
from datc.reference_engine.legality import Legality
from datc.reference_engine.movement import match
from datc.reference_engine.resolved_order import HOLDS

_Units: TypeAlias = "Sequence[tuple[str, UnitType, str]]"
_Texts: TypeAlias = "Sequence[tuple[str, str]]"
_Written: TypeAlias = tuple[_Units, _Texts]


def main() -> None:
    """Answer until the input ends."""
    given: list[list[_Written]] = json.loads(input())
    prepare = _PREPARED[sys.argv[1] if sys.argv[1:] else "orders"]
    print("ready", flush=True)
    for line in sys.stdin:
        adjudications = [prepare(*written) for written in given[int(line)]]
        began = time.process_time()
        for adjudication in adjudications:
            _ = adjudication()
        print(time.process_time() - began, flush=True)


def _ordered(units: _Units, orders: _Texts) -> tuple[Position, list[GivenOrder]]:
    position = Position([Unit(*unit) for unit in units])
    return position, [GivenOrder(power, read_order(text).order) for power, text in orders]


def _from_text(units: _Units, orders: _Texts) -> Callable[[], object]:
    return lambda: adjudicate(*_ordered(units, orders), DATC_3_2)


def _from_orders(units: _Units, orders: _Texts) -> Callable[[], object]:
    position, read = _ordered(units, orders)
    new = [given._replace(order=None if given.order is None else replace(given.order)) for given in read]
    return lambda: adjudicate(position, new, DATC_3_2)


def _equations(units: _Units, orders: _Texts) -> Callable[[], object]:
    position, read = _ordered(units, orders)
    legality = Legality(position, DATC_3_2)
    effects = [HOLDS] * len(position.units)
    for given in read:
        if legal := legality.effect(given.power, given.order):
            effects[legal[0]] = legal[1]
    return lambda: match(position, effects, DATC_3_2, solver_type=Equations).solve()


_PREPARED: Mapping[str, Callable[[_Units, _Texts], Callable[[], object]]] = {
    "orders": _from_orders,
    "text": _from_text,
    "equations": _equations,
}

main()
