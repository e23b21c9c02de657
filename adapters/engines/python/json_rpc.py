"""What the bridges to engines in Python share: JSON-RPC on standard input and output, one message a line.

A bridge runs in the environment of its engine: this needs nothing but Python.
"""

# pyright: basic

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
Play: TypeAlias = Callable[[Json], Json]
"""Plays a phase: gets the parameters of `adjudicate`, and returns the result."""

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
UNSUPPORTED = -32004

# The protocol takes standard output. What the engine prints, also while it is imported, goes to standard error.
_OUTPUT = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
_ = os.dup2(2, 1)


class RpcError(Exception):
    """A request that gets a JSON-RPC error for an answer."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code: int = code


def serve(engine: Json, phases: Mapping[str, Play], maps: Iterable[str] = ("standard",)) -> None:
    """Answer line by line until the input ends: with what the engine is, and with the phases that it plays on maps."""
    can = {"phases": list(phases), "maps": list(maps), "orders": ["structured"]}
    started = {"protocol": 1, "engine": engine, "capabilities": can}
    for line in sys.stdin.buffer:
        response = _respond(line, started, phases) if line.strip() else None
        if response is not None:
            print(json.dumps(response), file=_OUTPUT, flush=True)


def _respond(line: bytes, started: Json, phases: Mapping[str, Play]) -> Json | None:
    """Answer a line; a notification gets no answer."""
    response: Json = {"jsonrpc": "2.0", "id": None}
    try:
        request = _read_request(line)
        if "id" not in request:
            return None
        response["id"] = request["id"]
        response["result"] = _call(request["method"], request.get("params", {}), started, phases)
    except RpcError as error:
        response["error"] = {"code": error.code, "message": str(error)}
    except Exception as error:  # noqa: BLE001  (whatever a request makes the engine do, the next one is answered)
        traceback.print_exc()
        # An assertion has no message but itself.
        message = str(error) or traceback.extract_tb(error.__traceback__)[-1].line
        response["error"] = {"code": INTERNAL_ERROR, "message": f"{type(error).__name__}: {message}"}
    return response


def _read_request(line: bytes) -> Json:
    try:
        request: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RpcError(PARSE_ERROR, f"not JSON: {error}") from error
    if not isinstance(request, dict) or not isinstance(request.get("method"), str):
        raise RpcError(INVALID_REQUEST, "not a request")
    return request


def _call(method: str, params: Json, started: Json, phases: Mapping[str, Play]) -> Json:
    if method == "initialize":
        return started
    if method != "adjudicate":
        raise RpcError(UNKNOWN_METHOD, f"no method {method!r}")
    if params["map"] not in started["capabilities"]["maps"]:
        raise RpcError(UNSUPPORTED, f"no map {params['map']!r}")
    if params["phase"] not in phases:
        raise RpcError(UNSUPPORTED, f"no {params['phase']!r} phase")
    return phases[params["phase"]](params)
