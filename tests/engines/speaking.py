"""What a fake engine says: the right messages, and all kinds of wrong ones. Standard library only."""

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

MIB = 1 << 20

Message: TypeAlias = Mapping[str, object]
Request: TypeAlias = Mapping[str, Any]
Saying: TypeAlias = Callable[[Request], Message | bytes]
"""Makes what is said of a request: a message, or a line as it is."""


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


def result(**fields: object) -> Saying:
    return lambda request: good(request, result=held(request, **fields))


def raw(line: bytes) -> Saying:
    """Say bytes in which ID stands for the id of the request."""
    return lambda request: line.replace(b"ID", str(request["id"]).encode())


NONSENSE: Mapping[str, Saying] = {
    "answers-another-id": lambda request: good(request, id=request["id"] + 1000),
    "writes-no-json": raw(b"Segmentation fault \x1b[31m(core dumped)"),
    "writes-bad-utf-8": raw(b'{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":"\xff"}}'),
    "writes-bad-utf-8-in-the-result": raw(b'{"jsonrpc":"2.0","id":ID,"result":{"units":[{"power":"\xff"}]}}'),
    "writes-a-lone-surrogate": lambda request: error(request, -32000, "\ud800"),
    "writes-a-lone-surrogate-in-the-result": result(units=[{"power": "\udc00", "type": "A", "location": "LON"}]),
    "writes-controls": result(units=[{"power": "ENGLAND", "type": "\x1b[31m" * 1000, "location": "LON"}]),
    "nests-deeply": raw(b"[" * 100_000),
    "nests-deeply-in-the-result": raw(b'{"jsonrpc":"2.0","id":ID,"result":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "id-as-text": lambda request: good(request, id=str(request["id"])),
    "id-as-endless-text": lambda request: good(request, id="\x1b[31m" * MIB),
    "id-as-true": lambda request: good(request, id=True),
    "error-without-an-id": raw(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what was that?"}}'),
    "neither-result-nor-error": raw(b'{"jsonrpc":"2.0","id":ID}'),
    "both-result-and-error": lambda request: {**good(request), **error(request, -32000, "")},
    "another-json-rpc": lambda request: good(request, jsonrpc="1.0"),
    "result-is-null": lambda request: good(request, result=None),
    "result-is-a-list": lambda request: good(request, result=[]),
    "result-without-units": lambda request: good(request, result={"dislodged": []}),
    "unit-without-location": result(units=[{"power": "ENGLAND", "type": "A"}]),
    "too-many-order-results": result(orders=[{"outcome": "succeeds"}] * 9),
    "unknown-outcome": result(orders=[{"outcome": "perhaps"}]),
    "error-method-not-found": lambda request: error(request, -32601, "no movement phase here"),
    "error-not-supported": lambda request: error(request, -32004, "no convoys"),
    "error-of-its-own": lambda request: error(request, -32000, "the board is on fire"),
    "error-with-controls": lambda request: error(request, -32000, "\x1b[31mred\x00\x07\u202e\nalert"),
    "error-endless": lambda request: error(request, -32000, "x" * MIB),
}
"""What a fake engine can say instead of a right answer."""
