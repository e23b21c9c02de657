"""Let datc-check drive the PyPI package `diplomacy`: JSON-RPC on stdin and stdout, one message a line.

Every request is a game of its own: the position is set with `Game.set_state`, the orders are handed over in the
package's notation, one phase is processed, and what the package says of it is handed back. Nothing is corrected on the
way.
"""

# The package has no types, and it is not in this project's environment.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, TextIO, TypeAlias

from diplomacy import Game

Json: TypeAlias = dict[str, Any]
PackageGame: TypeAlias = Any  # a `Game`

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
UNSUPPORTED = -32004

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


class RpcError(Exception):
    """A request that gets a JSON-RPC error for an answer."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


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
    game = Game()
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
    """Pass on a movement order, if the harness could read it, and say whether the package took it."""
    if "order" not in order:
        return False
    refusals = len(game.error)
    game.set_orders(order["power"], [order_text(order["order"])])
    return len(game.error) == refusals


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


def play_movement(game: PackageGame, params: Json) -> Json:
    """Play a movement phase. Of several orders to one unit the package follows the last that it takes."""
    orders = params["orders"]
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


def play_later_phase(game: PackageGame, params: Json) -> Json:
    """Play a retreat or adjustment phase, in which the package wants all orders of a power at once."""
    texts: dict[str, list[str]] = {}
    for order in params["orders"]:
        if "order" in order:
            texts.setdefault(order["power"], []).append(order_text(order["order"]))
    for power, lines in texts.items():
        game.set_orders(power, lines)
    game.process()
    return {"units": units_after(game)}


def initialize(_params: Json) -> Json:
    """Say what this engine is and can do."""
    return {
        "protocol": 1,
        "engine": {
            "name": "diplomacy",
            "version": version("diplomacy"),
            "url": "https://pypi.org/project/diplomacy/",
        },
        "capabilities": {"phases": list(PHASES), "maps": ["standard"], "orders": ["structured"]},
    }


def adjudicate(params: Json) -> Json:
    """Play the phase that is asked."""
    if params["map"] != "standard":
        raise RpcError(UNSUPPORTED, f"no map {params['map']!r}")
    if params["phase"] not in PHASES:
        raise RpcError(UNSUPPORTED, f"no {params['phase']!r} phase")
    play = play_movement if params["phase"] == "movement" else play_later_phase
    return play(new_game(params), params)


METHODS: dict[str, Callable[[Json], Json]] = {"initialize": initialize, "adjudicate": adjudicate}


def read_request(line: bytes) -> Json:
    """Read the request that a line holds."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RpcError(PARSE_ERROR, f"not JSON: {error}") from error
    if not isinstance(request, dict) or not isinstance(request.get("method"), str):
        raise RpcError(INVALID_REQUEST, "not a request")
    return request


def call(request: Json) -> Json:
    """Call the method that is asked."""
    if request["method"] not in METHODS:
        raise RpcError(UNKNOWN_METHOD, f"no method {request['method']!r}")
    return METHODS[request["method"]](request.get("params", {}))


def respond(line: bytes) -> Json | None:
    """Answer a line; a notification gets no answer."""
    response: Json = {"jsonrpc": "2.0", "id": None}
    try:
        request = read_request(line)
        if "id" not in request:
            return None
        response["id"] = request["id"]
        response["result"] = call(request)
    except RpcError as error:
        response["error"] = {"code": error.code, "message": str(error)}
    except Exception as error:  # noqa: BLE001  (whatever a request makes the package do, the next one is answered)
        traceback.print_exc()
        response["error"] = {"code": INTERNAL_ERROR, "message": f"{type(error).__name__}: {error}"}
    return response


def claim_stdout() -> TextIO:
    """Take standard output for the protocol: what the package prints on it goes to standard error from now on."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    return stream


def main() -> None:
    """Answer line by line until the input ends."""
    output = claim_stdout()
    for line in sys.stdin.buffer:
        response = respond(line) if line.strip() else None
        if response is not None:
            print(json.dumps(response), file=output, flush=True)


if __name__ == "__main__":
    main()
