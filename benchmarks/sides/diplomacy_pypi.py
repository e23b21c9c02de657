"""Times the resolver of PyPI `diplomacy`, in its own process and environment; `adjudicate.py` starts it.

It reads positions as one line of JSON, then answers each further line, the index of a workload, with the seconds that
resolving all its positions once took.
"""

# pyright: basic, reportMissingImports=false
# The package has no types, and lives in an environment of its own.

import json
import sys
import time

from diplomacy import Game


def main() -> None:
    """Answer until the input ends."""
    workloads = [[make_game(units, orders) for units, orders in positions] for positions in json.loads(input())]
    print("ready", flush=True)
    for line in sys.stdin:
        games = workloads[int(line)]
        began = time.process_time()
        for game in games:
            game._resolve_moves()  # noqa: SLF001 - the resolver alone, without reading and checking orders
        print(time.process_time() - began, flush=True)


def make_game(units: list, orders: list) -> Game:
    """Set up a position with its orders, read and checked."""
    game = Game()
    game.clear_units()
    for power, unit_type, location in units:
        game.set_units(power, f"{unit_type} {location}")
    by_power: dict = {}
    for power, text in orders:
        by_power.setdefault(power, []).append(text)
    for power, texts in by_power.items():
        game.set_orders(power, texts)
    game._determine_orders()  # noqa: SLF001 - what `process` does before it resolves
    game._add_coasts()  # noqa: SLF001 - likewise
    return game


main()
