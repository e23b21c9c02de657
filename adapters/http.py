"""An engine behind a URL: one JSON-RPC message a POST, over connections that are kept alive."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar, final

import msgspec

from .answers import beginning, read_adjudicate_result, read_initialize_result, read_response, shown
from .builtin import greeting
from .engine import Engine, Limits
from .errors import (
    EngineClosedError,
    EngineFailure,
    EngineGaveOutError,
    EngineStartError,
    UnsupportedError,
)
from .http_connection import Address, BrokenConnectionError, HttpAnswer, HttpConnection
from .protocol import (
    AdjudicateParams,
    AdjudicateResult,
    InitializeResult,
    Response,
    encode_request,
)

_T = TypeVar("_T")
_BREATH = 0.25
"""Seconds to wait at a stretch: a Ctrl-C that comes just before a wait begins shows only when it ends."""
_GRACE = 2.0
"""Seconds that all connections together have to close once they were ended."""


@final
class HttpEngine(Engine):
    """An engine that is asked with HTTP requests: as many connections as requests at once, each used again.

    A request is sent once: only where no connection could be made it is tried again. Closing the engine ends requests
    in flight at once, with `EngineClosedError`, and waits at most 2 s for the connections to be closed.
    """

    def __init__(self, url: str, limits: Limits | None = None, *, headers: Mapping[str, str] | None = None) -> None:
        """`headers` are sent with each request and never shown. Raises `EngineSpecError` for what cannot be sent."""
        self._address = Address(url, headers or {})
        self._limits = limits or Limits()
        self._lock = threading.Lock()
        self._idle: list[HttpConnection] = []
        self._busy: set[HttpConnection] = set()
        self._number = 0
        self._last_answer = time.monotonic()
        self._breakdowns = 0
        self._last_breakdown = ""
        self._closed = False

    def start(self) -> InitializeResult:
        try:
            return self._ask("initialize", greeting(), self._limits.start, read_initialize_result)
        except UnsupportedError as error:
            raise EngineStartError(str(error)) from error
        except EngineFailure as error:
            raise EngineStartError(f"the engine {error}") from error

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        return self._ask(
            "adjudicate", params, self._limits.request, lambda response: read_adjudicate_result(response, params)
        )

    def call(self, method: str, params: object) -> Response:
        return self._ask(method, params, self._limits.request, lambda response: response)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            connections = [*self._idle, *self._busy]
            self._idle.clear()
        for connection in connections:
            connection.end(EngineClosedError("the run was ended"))
        deadline = time.monotonic() + _GRACE
        for connection in connections:
            connection.join(max(0.0, deadline - time.monotonic()))

    def _ask(
        self,
        method: str,
        params: object,
        seconds: float,
        read: Callable[[Response], _T],
    ) -> _T:
        """Ask a request and read its answer; whatever leaves it open what comes next ends the connection."""
        connection, number = self._take_connection()
        kept = False
        try:
            connection.ask(encode_request(number, method, params))
            answer = self._wait(connection, seconds)
            kept = True
            return self._read(answer, number, read)
        except BrokenConnectionError as broken:
            kept = False
            self._count(broken)
            raise
        finally:
            self._release(connection, kept=kept)

    def _take_connection(self) -> tuple[HttpConnection, int]:
        """Give a connection that nobody uses, and the id of a request over it."""
        with self._lock:
            if self._closed:
                raise EngineClosedError("the run was ended")
            if self._breakdowns > self._limits.restarts:
                raise EngineGaveOutError(
                    f"the engine broke down {self._breakdowns} times; the last time it {self._last_breakdown}"
                )
            connection = self._idle.pop() if self._idle else HttpConnection(self._address, self._limits)
            self._busy.add(connection)
            self._number += 1
            return connection, self._number

    def _release(self, connection: HttpConnection, *, kept: bool) -> None:
        with self._lock:
            self._busy.discard(connection)
            kept = kept and not self._closed
            if kept:
                self._idle.append(connection)
        if not kept:
            connection.end(EngineClosedError("the connection was ended"))

    def _count(self, broken: BrokenConnectionError) -> None:
        with self._lock:
            self._breakdowns += 1
            self._last_breakdown = str(broken)

    def _wait(self, connection: HttpConnection, seconds: float) -> HttpAnswer:
        """Wait for an answer. Raises `EngineFailure`, and `EngineClosedError` where the engine was closed meanwhile."""
        asked = time.monotonic()
        left = seconds
        while left > 0:
            if (answer := connection.answer(min(left, _BREATH))) is not None:
                self._last_answer = time.monotonic()
                return answer
            # An engine that answers one after the other has the others wait.
            left = max(asked, self._last_answer) + seconds - time.monotonic()
        raise BrokenConnectionError(f"{connection.trouble} within {seconds:g} s")

    def _read(self, answer: HttpAnswer, number: int, read: Callable[[Response], _T]) -> _T:
        """Read an answer; what is said of a wrong one shows nothing of our headers, even where the answer does."""
        try:
            return read(_read_response(answer, number))
        except (EngineFailure, UnsupportedError):
            hidden = self._address.hide(answer.body)
            if hidden == answer.body:
                raise
        _ = read(_read_response(replace(answer, body=hidden), number))
        raise EngineFailure("answered what cannot be shown: it has a header of the request in it")


def _read_response(answer: HttpAnswer, number: int) -> Response:
    """Take the response to a request. Raises `EngineFailure` where there is none."""
    response = read_response(answer.body) if answer.status == 200 else _read_error(answer)
    if response.id is None and response.error is not msgspec.UNSET:
        raise EngineFailure(f"answered an error without an id: {beginning(response.error.message, 80)!r}")
    if response.id != number or not isinstance(response.id, int):
        raise BrokenConnectionError(f"answered with id {beginning(repr(response.id), 80)}, which was not asked")
    return response


def _read_error(answer: HttpAnswer) -> Response:
    """Take the JSON-RPC error that came with another status than 200. Raises `EngineFailure` where there is none."""
    body = answer.body.strip()
    try:
        response = read_response(body)
    except EngineFailure:
        response = None
    if response is None or response.error is msgspec.UNSET:
        raise EngineFailure(f"answered with HTTP status {answer.status}" + (f": {shown(body)}" if body else ""))
    return response
