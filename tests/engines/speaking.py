"""What a fake engine says: the right messages, and all kinds of wrong ones. Standard library only."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, TypeAlias

MIB = 1 << 20

Message: TypeAlias = Mapping[str, object]
Request: TypeAlias = Mapping[str, Any]
Behaviour: TypeAlias = Callable[[Request], object]


def print_line(line: bytes) -> None:
    _ = sys.stdout.buffer.write(line + b"\n")
    _ = sys.stdout.buffer.flush()


output: ContextVar[Callable[[bytes], object]] = ContextVar("output", default=print_line)
"""Where a fake writes to, in this thread."""


def write(line: bytes) -> None:
    _ = output.get()(line)


def send(message: object) -> None:
    write(json.dumps(message).encode())


def identity(**fields: object) -> Message:
    return {"protocol": 1, "engine": {"name": "fake", "version": "1.0"}, **fields}


def held(request: Request, **fields: object) -> Message:
    orders = [order["text"] for order in request["params"]["orders"]]
    state = {"orders": orders, "pid": os.getpid()}
    return {"units": request["params"]["units"], "dislodged": [], "state": state, **fields}


def good(request: Request, **fields: object) -> Message:
    result = identity() if request["method"] == "initialize" else held(request)
    return {"jsonrpc": "2.0", "id": request["id"], "result": result, **fields}


def error(request: Request, code: int, message: str, **fields: object) -> Message:
    return {"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message, **fields}}


def says(message: Callable[[Request], object]) -> Behaviour:
    """Answer with a message, made from the request."""
    return lambda request: send(message(request))


def says_result(**fields: object) -> Behaviour:
    return says(lambda request: good(request, result=held(request, **fields)))


def says_raw(line: bytes) -> Behaviour:
    """Answer with bytes in which ID stands for the id of the request."""
    return lambda request: write(line.replace(b"ID", str(request["id"]).encode()))


NONSENSE: Mapping[str, Behaviour] = {
    "answers-another-id": says(lambda request: good(request, id=request["id"] + 1000)),
    "writes-no-json": says_raw(b"Segmentation fault \x1b[31m(core dumped)"),
    "writes-a-list": says_raw(b'[{"jsonrpc":"2.0","id":ID,"result":{"units":[]}}]'),
    "writes-bad-utf-8": says_raw(b'{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":"\xff"}}'),
    "writes-bad-utf-8-in-the-result": says_raw(b'{"jsonrpc":"2.0","id":ID,"result":{"units":[{"power":"\xff"}]}}'),
    "writes-a-lone-surrogate": says(lambda request: error(request, -32000, "\ud800")),
    "writes-a-lone-surrogate-in-the-result": says_result(units=[{"power": "\udc00", "type": "A", "location": "LON"}]),
    "writes-controls": says_result(units=[{"power": "ENGLAND", "type": "\x1b[31m" * 1000, "location": "LON"}]),
    "nests-deeply": says_raw(b"[" * 100_000),
    "nests-deeply-in-the-result": says_raw(
        b'{"jsonrpc":"2.0","id":ID,"result":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    ),
    "id-as-text": says(lambda request: good(request, id=str(request["id"]))),
    "id-as-endless-text": says(lambda request: good(request, id="\x1b[31m" * MIB)),
    "id-as-true": says(lambda request: good(request, id=True)),
    "error-without-an-id": says_raw(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what was that?"}}'),
    "id-as-null": says(lambda request: good(request, id=None)),
    "neither-result-nor-error": says_raw(b'{"jsonrpc":"2.0","id":ID}'),
    "both-result-and-error": says(lambda request: {**good(request), **error(request, -32000, "")}),
    "another-json-rpc": says(lambda request: good(request, jsonrpc="1.0")),
    "result-is-null": says(lambda request: good(request, result=None)),
    "result-is-a-list": says(lambda request: good(request, result=[])),
    "result-without-units": says(lambda request: good(request, result={"dislodged": []})),
    "unit-without-location": says_result(units=[{"power": "ENGLAND", "type": "A"}]),
    "too-many-order-results": says_result(orders=[{"outcome": "succeeds"}] * 9),
    "unknown-outcome": says_result(orders=[{"outcome": "perhaps"}]),
    "error-method-not-found": says(lambda request: error(request, -32601, "no movement phase here")),
    "error-not-supported": says(lambda request: error(request, -32004, "no convoys")),
    "error-of-its-own": says(lambda request: error(request, -32000, "the board is on fire")),
    "error-with-controls": says(lambda request: error(request, -32000, "\x1b[31mred\x00\x07\u202e\nalert")),
    "error-endless": says(lambda request: error(request, -32000, "x" * MIB)),
}
"""What a fake engine can say instead of a right answer, each a function of the request."""
