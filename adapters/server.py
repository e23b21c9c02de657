"""Serves the protocol, one line a request and one an answer: the reference engine, or another engine in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import BinaryIO, TypeVar, final

import msgspec

from .builtin import Reference
from .engine import UNREADABLE, Engine
from .errors import AdapterError, EngineFailure
from .protocol import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    AdjudicateParams,
    AdjudicateResult,
    InitializeResult,
    Request,
    RequestId,
    Response,
    error_response,
)

_T = TypeVar("_T")

REFERENCE = Reference()
"""The engine that is served by default."""
_REQUESTS = msgspec.json.Decoder(Request)  # Made before any thread: see `engine`.


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


@final
class EnginePool(Engine):
    """Engines that are alike, each asked one request at a time: one that hangs or crashes breaks no other's."""

    def __init__(self, engines: Sequence[Engine]) -> None:
        self._engines = tuple(engines)
        self._free: SimpleQueue[Engine] = SimpleQueue()
        for engine in self._engines:
            self._free.put(engine)

    def start(self) -> InitializeResult:
        return self._each(lambda engine: engine.start())[0]

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        return self._ask(lambda engine: engine.adjudicate(params))

    def call(self, method: str, params: object) -> Response:
        return self._ask(lambda engine: engine.call(method, params))

    def close(self) -> None:
        _ = self._each(lambda engine: engine.close())

    def _each(self, do: Callable[[Engine], _T]) -> Sequence[_T]:
        with ThreadPoolExecutor(len(self._engines)) as threads:
            return list(threads.map(do, self._engines))

    def _ask(self, do: Callable[[Engine], _T]) -> _T:
        engine = self._free.get()
        try:
            return do(engine)
        finally:
            self._free.put(engine)
