"""Let datc-check drive the PyPI package `diplomacy`: JSON-RPC on stdin and stdout, one message a line.

Every request is a game of its own: the position is set with `Game.set_state`, the orders are handed over in the
package's notation, one phase is processed, and what the package says of it is handed back. Nothing is corrected on the
way.
"""

# The package has no types, and it is not in this project's environment.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

from diplomacy import Game

sys.path.append(str(Path(__file__).parents[1] / "python"))

from json_rpc import INVALID_PARAMS, Json, RpcError, serve

PackageGame: TypeAlias = Any  # a `Game`

MAPS = {
    "standard": "standard",
    "1898": "standard",  # It differs in its start alone.
    "ancient-mediterranean": "ancmed",
    "modern": "modern",
    "pure": "pure",
}
"""The file of the package for each map that it plays: codes and powers have the same names."""
PHASES = {"movement": "M", "retreat": "R", "adjustment": "A"}
SEASONS = {"spring": "S", "autumn": "F"}
LETTERS = {"hold": "H", "disband": "D", "remove": "D", "build": "B"}
REASONS = {
    "bounce": "bounced",
    "cut": "cut",
    "dislodged": "dislodged",
    "disrupted": "disrupted",
    "no convoy": "no-path",
    "void": "void",
}


def unit_name(unit: Json) -> str:
    """Name a unit of a position: `F STP/SC`."""
    return f"{unit['type']} {unit['location']}"


def unit_text(unit: Json) -> str:
    """Write a unit of an order as it was: `F STP/SC`, `FRANCE A BEL`, or `BEL`, whose type the package finds."""
    return " ".join(unit[part] for part in ("power", "type", "location") if part in unit)


def order_text(order: Json) -> str:
    """Write a structured order in the package's notation.

    `VIA` stands only where it was written: the package convoys an army without it, and adjudicates otherwise with it.
    """
    kind = order["type"]
    if kind == "waive":
        return "WAIVE"
    unit = unit_text(order["unit"])
    if kind == "move":
        return f"{unit} - {order['to']}" + (" VIA" if order["via_convoy"] else "")
    if kind == "support":
        return f"{unit} S {unit_text(order['supported'])}" + (f" - {order['to']}" if "to" in order else "")
    if kind == "convoy":
        return f"{unit} C {unit_text(order['convoyed'])} - {order['to']}"
    if kind == "retreat":
        return f"{unit} R {order['to']}"
    if kind not in LETTERS:
        raise RpcError(INVALID_PARAMS, f"no order is of the type {kind!r}")
    return f"{unit} {LETTERS[kind]}"


def new_game(params: Json) -> PackageGame:
    """Set up a game that stands before the phase of the request, in its position."""
    game = Game(map_name=MAPS[params["map"]])
    game.add_rule("DONT_SKIP_PHASES")
    season = "W" if params["phase"] == "adjustment" else SEASONS[params["season"]]
    units: dict[str, list[str]] = {power: [] for power in game.powers}
    retreats: dict[str, dict[str, list[str]]] = {power: {} for power in game.powers}
    for unit in params["units"]:
        units.setdefault(unit["power"], []).append(unit_name(unit))
    for unit in params.get("dislodged", []):
        if unit["retreats"]:  # any other is off the board already
            units.setdefault(unit["power"], []).append(f"*{unit_name(unit)}")
            retreats.setdefault(unit["power"], {})[unit_name(unit)] = unit["retreats"]
    game.set_state(
        {
            "name": f"{season}{params['year']}{PHASES[params['phase']]}",
            "units": units,
            "retreats": retreats,
            "centers": {power: params.get("centers", {}).get(power, []) for power in game.powers},
        }
    )
    if game.get_state()["units"] != units:
        raise RpcError(INVALID_PARAMS, f"the package does not accept this position: {units} {game.error}")
    return game


def units_after(game: PackageGame) -> list[Json]:
    """List the units on the board, without those that have to retreat."""
    return [
        {"power": power, "type": unit[0], "location": unit[2:]}
        for power, units in game.get_state()["units"].items()
        for unit in units
        if not unit.startswith("*")
    ]


def dislodged_units(game: PackageGame, units: list[Json]) -> list[Json]:
    """List those of the units that were dislodged, those without a retreat included.

    The retreats are those that the package offers as orders. Its list in `Game.get_state` also holds occupied provinces
    where the attacker came by convoy, and the package refuses them when they are ordered.
    """
    offered = game.get_all_possible_orders()
    dislodged = []
    for unit in units:
        name = unit_name(unit)
        if name in game.dislodged:
            start = f"{name} R "
            retreats = sorted(order[len(start) :] for order in offered[unit["location"]] if order.startswith(start))
            dislodged.append({**unit, "from": game.dislodged[name], "retreats": retreats})
    return dislodged


def province(order: Json) -> str | None:
    """Find the province of the unit that an order is for; none where the harness could not read it."""
    location = order.get("order", {}).get("unit", {}).get("location")
    return location[:3] if location else None


def submit(game: PackageGame, order: Json) -> bool:
    """Pass on a movement order, if the harness could read it, and say whether the package took it.

    It also notes an error where it corrects an order and takes it, as one with a coast that is not there.
    """
    if "order" not in order:
        return False
    errors, orders = len(game.error), game.get_orders(order["power"])
    game.set_orders(order["power"], [order_text(order["order"])])
    return len(game.error) == errors or game.get_orders(order["power"]) != orders


def order_result(game: PackageGame, order: Json) -> Json | None:
    """Say how the movement order that a unit followed ended.

    The first result that the package lists is why it failed. Of a support or a convoy it says "no convoy" when the
    army found no route, which is not about the order itself.
    """
    _, results = game.get_order_status(loc=province(order))
    if not results:
        return {"outcome": "succeeds"}
    first = results[0]
    reason = REASONS.get(first if isinstance(first, str) else first.message)  # A word by itself in release 1.0.1.
    if reason is None or (reason == "no-path" and order["order"]["type"] != "move"):
        return None
    return {"outcome": "fails", "reason": reason}


def play_movement(params: Json) -> Json:
    """Play a movement phase. Of several orders to one unit the package follows the last that it takes."""
    game, orders = new_game(params), params["orders"]
    taken = [submit(game, order) for order in orders]
    followed = {province(order): index for index, order in enumerate(orders) if taken[index]}
    game.process()
    results: list[Json | None] = []
    for index, order in enumerate(orders):
        if "order" not in order:
            results.append(None)
        elif not taken[index]:
            results.append({"outcome": "fails", "reason": "illegal"})
        elif followed[province(order)] != index:
            results.append({"outcome": "fails", "reason": "ignored"})
        else:
            results.append(order_result(game, order))
    return {"units": units_after(game), "dislodged": dislodged_units(game, params["units"]), "orders": results}


def play_later_phase(params: Json) -> Json:
    """Play a retreat or adjustment phase, in which the package wants all orders of a power at once."""
    game = new_game(params)
    texts: dict[str, list[str]] = {}
    for order in params["orders"]:
        if "order" in order:
            texts.setdefault(order["power"], []).append(order_text(order["order"]))
    for power, lines in texts.items():
        game.set_orders(power, lines)
    game.process()
    return {"units": units_after(game)}


if __name__ == "__main__":
    serve(
        {"name": "diplomacy", "version": version("diplomacy"), "url": "https://pypi.org/project/diplomacy/"},
        {"movement": play_movement, "retreat": play_later_phase, "adjustment": play_later_phase},
        MAPS,
    )
