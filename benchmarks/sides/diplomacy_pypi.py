"""Times the resolver of PyPI `diplomacy`, in its own process and environment; `adjudicate.py` starts it.

It reads positions as one line of JSON, then answers each further line, the index of a workload, with the seconds that
resolving all its positions once took. With the argument `text`, to set up units and to read and check orders counts.
"""

# pyright: basic, reportMissingImports=false
# The package has no types, and lives in an environment of its own.

import json
import sys
import time

from diplomacy import Game


def main() -> None:
    """Answer until the input ends."""
    given = json.loads(input())
    from_text = "text" in sys.argv
    workloads = [] if from_text else [[make_game(*each) for each in positions] for positions in given]
    print("ready", flush=True)
    for line in sys.stdin:
        index = int(line)
        began = time.process_time()
        for game in (make_game(*each) for each in given[index]) if from_text else workloads[index]:
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
