"""Lets datc-check ask your engine: JSON-RPC on standard input and output, one message a line.

datc-check starts this program as `datc.toml` says. Fill in `initialize` and `adjudicate` where it says TODO; the rest
can stay. `datc-check schema protocol` prints the schema of all messages.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any

# import my_engine


class RpcError(Exception):
    """Answers a request with an error. The code -32004 says "unsupported": the engine cannot do that."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code: int = code


def initialize() -> dict[str, Any]:
    """Say who answers, and what it can do."""
    # What your engine loads when it is first used is best loaded here, for example by playing a phase:
    # the time limit of this answer is that of the start, longer than that of the others.
    return {
        "protocol": 1,
        "engine": {"name": "my-engine", "version": "0.1.0", "url": ""},  # TODO: name your engine
        "capabilities": {
            "phases": ["movement"],  # TODO: add "retreat" and "adjustment" when you answer them, too
            "maps": ["standard"],
            "orders": ["structured"],  # add "text" if your engine reads the text of the orders itself
        },
    }


def adjudicate(params: dict[str, Any]) -> dict[str, Any]:
    """Play one phase. Each request has its own position: keep nothing from one to the next."""
    # What is asked:
    #   params["phase"]      "movement", "retreat" or "adjustment"
    #   params["map"]        the map, such as "standard": only those that "maps" lists are asked
    #   params["season"]     "spring", "autumn" or "winter"; params["year"] is a number, such as 1901
    #   params["units"]      the units on the board, those without an order, too:
    #                          {"power": "FRANCE", "type": "A", "location": "PAR"}
    #                          {"power": "RUSSIA", "type": "F", "location": "STP/SC"}
    #   params["orders"]     the orders, each as text and in parts; "order" is missing where only "text" can tell:
    #                          {"power": "FRANCE", "text": "A Paris - Burgundy", "order": {"type": "move",
    #                           "unit": {"type": "A", "location": "PAR"}, "to": "BUR", "via_convoy": False}}
    #                        An order may be impossible, and "type" may be missing in its unit: it stays as written.
    #                          hold     unit
    #                          move     unit, to, via_convoy, and path where it names the seas of its convoy
    #                          support  unit, supported (a unit), and to: missing where a hold is supported
    #                          convoy   unit, convoyed (a unit), to
    #   params["ruleset"]    the rules in force: {"choices": {"4.A.1": "all-routes", ...}, ...}
    #   In a retreat phase:
    #   params["dislodged"]  the units that must retreat, not in params["units"]; as you answered them
    #   params["state"]      as you answered it
    #   params["orders"]       retreat  unit, to
    #                          disband  unit
    #   In an adjustment phase:
    #   params["centers"]    who owns what: {"FRANCE": ["BRE", "MAR", "PAR"], ...}
    #   params["orders"]       build    unit
    #                          remove   unit
    #                          waive
    #
    # What to answer:
    #   "units"      the units after the phase, as in params["units"], but for those in "dislodged"
    #   "dislodged"  after a movement phase, the units that were dislodged; "from" is where the attacker came from:
    #                  {"power": "FRANCE", "type": "A", "location": "BUR", "from": "MUN", "retreats": ["GAS", "PIC"]}
    #   "orders"     may be left out: what became of each of params["orders"], in the same order; None if unknown:
    #                  {"outcome": "succeeds"} or {"outcome": "fails", "reason": "bounced"}
    #   "state"      may be left out: what you need again in the retreat phase, such as where units bounced
    #
    # TODO: ask your engine, and answer what it says. If all units held, whatever they were ordered, that would be:
    # return {"units": params["units"], "dislodged": []}
    raise RpcError(-32004, f"no {params['phase']} phase yet")


def call(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Call the method that is asked."""
    if method == "initialize":
        return initialize()
    if method == "adjudicate":
        return adjudicate(params)
    raise RpcError(-32601, f"no method {method!r}")


def read_request(message: bytes) -> tuple[Any, str, dict[str, Any]]:
    """Read the id, the method and its parameters from a message, which can be anything."""
    try:
        request = json.loads(message)
    except ValueError as error:
        raise RpcError(-32700, f"not JSON: {error}") from error
    try:
        return request.get("id"), request["method"], request.get("params", {})
    except (AttributeError, KeyError) as error:
        raise RpcError(-32600, "not a request") from error


def respond(message: bytes) -> str:
    """Answer a request, whatever happens."""
    number = None
    try:
        number, method, params = read_request(message)
        return json.dumps({"jsonrpc": "2.0", "id": number, "result": call(method, params)})
    except RpcError as error:
        code, text = error.code, str(error)
    except Exception as error:
        traceback.print_exc()  # on standard error, which is yours
        code, text = -32603, f"{type(error).__name__}: {error}"
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}})


def main() -> None:
    """Answer line by line until the input ends."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    _ = os.dup2(2, 1)  # standard output belongs to the protocol: what the engine prints goes to standard error
    for line in sys.stdin.buffer:
        if line.strip():
            print(respond(line), file=output, flush=True)


if __name__ == "__main__":
    main()
