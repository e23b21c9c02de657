"""Where a procedure and the equations part on seeded positions, under the ruleset of the procedure's name.

    python benchmarks/disagreements.py dptg --positions 20000

Prints each kind of disagreement with its count and the first position that shows it. Where the ruleset wants an army's
order to name its route (4.A.6 `required`), one of the routes that the fleets lay is named.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import workloads

from datc.cases import load_ruleset
from datc.reference_engine import PROCEDURES, adjudicate, find_procedure, read_order, standard_board, write_order
from datc.reference_engine.orders import Convoy, GivenOrder, Move
from datc.reference_engine.position import Adjudication, Position
from datc.reference_engine.routes import members, set_of


def main() -> None:
    """Play the positions both ways."""
    parser = argparse.ArgumentParser(description="Where a procedure and the equations part on seeded positions.")
    _ = parser.add_argument("procedure", choices=sorted(PROCEDURES))
    _ = parser.add_argument("--positions", type=int, default=2000)
    arguments = parser.parse_args()
    name: str = arguments.procedure
    positions: int = arguments.positions
    rules, procedure = load_ruleset(name).ruleset(), find_procedure(name)
    kinds: Counter[str] = Counter()
    for workload in workloads.workloads(positions // 2)[1:]:
        for units, texts in workload.positions:
            position = Position(units)
            orders = [GivenOrder(power, read_order(text).order) for power, text in texts]
            if rules.choices["4.A.6"] == "required":
                orders = naming_routes(orders)
            by_equations = adjudicate(position, orders, rules)
            by_steps = adjudicate(position, orders, rules, procedure)
            found = kind(orders, by_equations, by_steps)
            if found and found not in kinds:
                print(f"{found}, first here:")
                show(orders, by_equations, by_steps)
            if found:
                kinds[found] += 1
    print(f"{positions} positions, {kinds.total()} of them with a disagreement")
    for found, count in kinds.most_common():
        print(f"  {count} {found}")


def naming_routes(orders: Sequence[GivenOrder]) -> list[GivenOrder]:
    """The orders, in which each army with fleets to convoy it names one of their routes."""
    board = standard_board()
    seas: dict[tuple[str, str], int] = {}
    for _, order in orders:
        if isinstance(order, Convoy):
            key = (order.convoyed.location, order.to)
            seas[key] = seas.get(key, 0) | set_of([board.number[order.unit.location]])
    named: list[GivenOrder] = []
    for given in orders:
        order = given.order
        ordered = seas.get((order.unit.location, order.to), 0) if isinstance(order, Move) else 0
        if isinstance(order, Move) and ordered:
            routes = board.routes.between(board.number[order.unit.location], board.number[order.to])
            for route in [route for route in routes if route & ordered == route][:1]:
                order = replace(order, path=tuple(board.locations[sea] for sea in members(route)))
        named.append(GivenOrder(given.power, order))
    return named


def kind(orders: Sequence[GivenOrder], by_equations: Adjudication, by_steps: Adjudication) -> str:
    """What the two answers differ in; nothing where they are the same."""
    one, other = set(by_equations.units), set(by_steps.units)
    found = ["board"] if one != other or by_equations.dislodged != by_steps.dislodged else []
    if by_equations.contested != by_steps.contested:
        found.append("standoffs")
    found += sorted(
        {
            f"{type(order).__name__} {said.reason or 'succeeds'} -> {says.reason or 'succeeds'}"
            for (_, order), said, says in zip(orders, by_equations.orders, by_steps.orders, strict=True)
            if said != says
        }
    )
    return ", ".join(found)


def show(orders: Sequence[GivenOrder], by_equations: Adjudication, by_steps: Adjudication) -> None:
    """Print the orders with what became of each, by the equations and by the steps."""
    for (power, order), said, says in zip(orders, by_equations.orders, by_steps.orders, strict=True):
        mark = "  <" if said != says else ""
        text = write_order(order) if order else ""
        print(f"    {power:8} {text:40} {said.reason or 'succeeds':10} {says.reason or 'succeeds'}{mark}")


if __name__ == "__main__":
    main()
