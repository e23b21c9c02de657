"""Lets datc-check ask pocket: JSON-RPC on standard input and output, one message a line.

Begun with `datc-check init python`.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any

from pocket.movement import play_movement
from pocket.retreats import play_retreats


class RpcError(Exception):
    """Answers a request with an error. The code -32004 says "unsupported": the engine cannot do that."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code: int = code


PHASES = {"movement": play_movement, "retreat": play_retreats}


def initialize() -> dict[str, Any]:
    """Say who answers, and what it can do."""
    return {
        "protocol": 1,
        "engine": {"name": "pocket", "version": "0.3.0"},
        "capabilities": {"phases": list(PHASES), "maps": ["standard"], "orders": ["structured"]},
    }


def adjudicate(params: dict[str, Any]) -> dict[str, Any]:
    """Play one phase."""
    if params["phase"] not in PHASES:
        raise RpcError(-32004, f"no {params['phase']} phase yet")
    return PHASES[params["phase"]](params)


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
