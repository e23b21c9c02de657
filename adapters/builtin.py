"""The reference engine as an engine under test, in the same process or served: one line a request and one an answer.

Another engine can be served in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

import msgspec

from ..reference_engine import DATC_3_2, Procedure, Ruleset, adjudicate, find_procedure
from ..reference_engine.errors import ReferenceEngineError, UnplayedChoiceError, nearest
from ..reference_engine.installation import package_version
from ..reference_engine.maps import MapTable, map_names, map_table, own_map_names
from ..reference_engine.procedures import EQUATIONS
from .conversion import read_position, read_ruleset, read_submission, result_message
from .engine import ENDED, UNREADABLE, Engine
from .errors import AdapterError, EngineClosedError, EngineFailure, UnsupportedError
from .protocol import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_SUPPORTED,
    PARSE_ERROR,
    PROTOCOL_VERSION,
    AdjudicateParams,
    AdjudicateResult,
    Capabilities,
    EngineIdentity,
    Harness,
    InitializeParams,
    InitializeResult,
    MapParams,
    Request,
    RequestId,
    Response,
    error_response,
    result_response,
)

MOST_ORDERS = 500
"""More in one request are not adjudicated: a board has some 75 provinces, and a power seldom hands in two sets."""
MOST_TEXT = 10_000
"""The characters that the orders of a request may have that are given as text alone, all together."""

# Made before any thread: see `engine`.
_REQUESTS = msgspec.json.Decoder(Request)
_PARAMS = {
    "initialize": msgspec.json.Decoder(InitializeParams),
    "adjudicate": msgspec.json.Decoder(AdjudicateParams),
    "map": msgspec.json.Decoder(MapParams),
}


def greeting() -> InitializeParams:
    """Return the parameters of `initialize`, the first request to every engine."""
    return InitializeParams(protocol=PROTOCOL_VERSION, harness=Harness(name="datc-check", version=package_version()))


class Reference(msgspec.Struct, frozen=True):
    """The reference engine, answering requests of the protocol."""

    ruleset: Ruleset = DATC_3_2
    """The ruleset of choices that a request leaves open or, if `fixed`, of every request."""
    fixed: bool = False
    procedure: str | None = None
    """The procedure it adjudicates by; the equations if `None`."""

    def plays(self) -> Procedure:
        """Return the procedure that adjudicates each phase."""
        return find_procedure(self.procedure) if self.procedure else EQUATIONS

    def called(self) -> str:
        return "datc-check reference engine" + (f", {self.procedure}" if self.procedure else "")

    def identity(self) -> InitializeResult:
        """Return the answer to `initialize`."""
        return InitializeResult(
            protocol=PROTOCOL_VERSION,
            engine=EngineIdentity(name=self.called(), version=package_version()),
            capabilities=Capabilities(
                phases=["movement", "retreat", "adjustment"],
                maps=list(map_names()),
                orders=["text", "structured"],
                extras=["order-sets", "perpetual-orders", "proxies", "flying-dutchmen"],
            ),
        )

    def respond(self, method: str, params: bytes) -> Response:
        """Answer a request, its parameters as JSON, with a result or a JSON-RPC error. The caller sets the id."""
        if method not in _PARAMS:
            reason = f"there is no method {method!r}: they are {', '.join(_PARAMS)}"
            return error_response(METHOD_NOT_FOUND, reason)
        try:
            asked = _PARAMS[method].decode(params)
        except UNREADABLE as error:
            return error_response(INVALID_PARAMS, str(error))
        try:
            if isinstance(asked, MapParams):
                return result_response(self.map(asked.map))
            return result_response(self.adjudicate(asked) if isinstance(asked, AdjudicateParams) else self.identity())
        except UnsupportedError as error:
            return error_response(NOT_SUPPORTED, str(error))
        except ReferenceEngineError as error:
            return error_response(INVALID_PARAMS, str(error))

    def map(self, name: str) -> MapTable:
        """Return a map of the project as data. Raises `UnsupportedError` for any other."""
        if name not in own_map_names():
            raise UnsupportedError(f"there is no map {name!r} here{nearest(name, own_map_names())}")
        return map_table(name)

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        """Adjudicate a request.

        Raises `UnsupportedError` for a map or a choice that it does not play and for too many orders, and
        `ReferenceEngineError` for an invalid position or ruleset, or an unknown procedure.
        """
        orders = params.orders
        if len(orders) > MOST_ORDERS:  # Any order can have many meanings.
            raise UnsupportedError(f"the request has {len(orders):,} orders: at most {MOST_ORDERS} are adjudicated")
        length = sum(len(order.text) for order in orders if order.order is None)
        if length > MOST_TEXT:
            raise UnsupportedError(f"the orders have {length:,} characters to read: at most {MOST_TEXT:,} are read")
        if params.map not in map_names():
            raise UnsupportedError(f"there is no map {params.map!r} here{nearest(params.map, map_names())}")
        position = read_position(params)
        ruleset = self.ruleset if self.fixed else read_ruleset(params.ruleset, self.ruleset)
        try:
            adjudication = adjudicate(position, read_submission(params), ruleset, self.plays())
        except UnplayedChoiceError as error:
            raise UnsupportedError(str(error)) from error
        return result_message(adjudication, params.phase)


class BuiltinEngine(Engine):
    """Answers with the reference engine, without a transport."""

    def __init__(self, reference: Reference | None = None) -> None:
        self._reference: Reference = reference or Reference()
        self._is_closed: bool = False

    def start(self) -> InitializeResult:
        self._check_open()
        return self._reference.identity()

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        self._check_open()
        try:
            return self._reference.adjudicate(params)
        except ReferenceEngineError as error:
            raise EngineFailure(str(error)) from error

    def call(self, method: str, params: object) -> Response:
        self._check_open()
        if method == "initialize":  # The caller is in the same process and need not say who it is.
            return result_response(self._reference.identity())
        return self._reference.respond(method, msgspec.json.encode(params))

    def close(self) -> None:
        self._is_closed = True

    def _check_open(self) -> None:
        if self._is_closed:
            raise EngineClosedError(ENDED)


REFERENCE = Reference()
"""The engine that is served by default."""


def serve(requests: BinaryIO, responses: BinaryIO, reference: Reference = REFERENCE) -> None:
    """Answer each line with `respond` until the requests end."""
    for line in requests:
        if line.strip():
            _ = responses.write(respond(line, reference) + b"\n")
            responses.flush()


def respond(line: bytes, reference: Reference = REFERENCE) -> bytes:
    """Answer any line, with a result or with a JSON-RPC error that says what is wrong with it."""
    return _answer(line, lambda request: reference.respond(request.method, request.params))


def relay(line: bytes, engine: Engine) -> bytes:
    """Pass a request on to an engine and return its answer, with the id of the request.

    If it gives none, the answer is a JSON-RPC error that says why.
    """

    def ask(request: Request) -> Response:
        try:
            return engine.call(request.method, request.params)
        except AdapterError as error:
            who = "the engine " if isinstance(error, EngineFailure) else ""
            return error_response(INTERNAL_ERROR, f"{who}{error}")

    return _answer(line, ask)


def _answer(line: bytes, ask: Callable[[Request], Response]) -> bytes:
    number: RequestId = None
    try:
        request = _REQUESTS.decode(line)
        number = request.id
        return msgspec.json.encode(msgspec.structs.replace(ask(request), id=number))
    except msgspec.ValidationError as error:
        code, message = INVALID_REQUEST, str(error)
    except UNREADABLE as error:
        code, message = PARSE_ERROR, str(error)
    except Exception as error:  # noqa: BLE001 - a server answers whatever happens
        code, message = INTERNAL_ERROR, f"{type(error).__name__}: {error}"
    return msgspec.json.encode(error_response(code, message, number))
