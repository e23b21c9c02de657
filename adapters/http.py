"""An engine behind a URL: one JSON-RPC message a POST, over connections that are kept alive."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import TypeVar, final

import msgspec

from .builtin import greeting
from .engine import (
    TIME_IS_UP,
    Engine,
    Limits,
    read_adjudicate_result,
    read_initialize_result,
    read_response,
    shown,
    wrong_id,
)
from .errors import EngineClosedError, EngineFailure, EngineGaveOutError, EngineStartError, UnsupportedError
from .http_connection import Address, BrokenConnectionError, HttpConnection
from .protocol import AdjudicateParams, AdjudicateResult, InitializeResult, Response, encode_request

_T = TypeVar("_T")


@final
class HttpEngine(Engine):
    """An engine that is asked with HTTP requests: as many connections as requests at once, each used again.

    A request is sent once: only a refused connection is tried again. Closing the engine ends requests in flight with
    `EngineClosedError` as soon as they wait for an answer, that is once a connection that is being made is there.
    """

    def __init__(
        self,
        url: str,
        limits: Limits | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        ca_file: str | None = None,
    ) -> None:
        """`headers` are sent with each request and never shown; `ca_file` has the authorities for HTTPS.

        Raises `EngineSpecError` for what cannot be sent, and for a CA file that cannot be used.
        """
        self._address = Address(url, headers or {}, ca_file)
        self._limits = limits or Limits()
        self._lock = threading.Lock()
        self._idle: list[HttpConnection] = []
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

    def hide(self, line: bytes) -> bytes:
        return self._address.redaction.in_json(line)

    def close(self) -> None:
        with self._lock:
            self._closed = True  # Requests in flight check it while they wait, and close their own connections.
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _ask(self, method: str, params: object, seconds: float, read: Callable[[Response], _T]) -> _T:
        """Send a request and read its answer. The connection is used again only after a complete one."""
        connection, number = self._take_connection()
        kept = False
        try:
            status, body = connection.ask(encode_request(number, method, params), seconds, self._countdown(seconds))
            self._last_answer = time.monotonic()
            kept = True
            return self._read(status, body, number, read)
        except BrokenConnectionError as broken:
            kept = False
            if self._limits.seconds_left <= 0:
                raise EngineClosedError(TIME_IS_UP) from broken
            with self._lock:
                self._breakdowns += 1
                self._last_breakdown = str(broken)
            raise
        finally:
            with self._lock:
                if kept := kept and not self._closed:
                    self._idle.append(connection)
            if not kept:
                connection.close()

    def _take_connection(self) -> tuple[HttpConnection, int]:
        """Return a connection that nobody uses, and the id of a request over it."""
        with self._lock:
            if self._closed:
                raise EngineClosedError("the run was ended")
            if self._breakdowns > self._limits.restarts:
                raise EngineGaveOutError(
                    f"the engine broke down {self._breakdowns} times; the last time it {self._last_breakdown}"
                )
            self._number += 1
            connection = self._idle.pop() if self._idle else HttpConnection(self._address, self._limits)
            return connection, self._number

    def _countdown(self, seconds: float) -> Callable[[], float]:
        """Start the time of a request; return a function that returns the seconds left or raises an `AdapterError`."""
        asked = time.monotonic()

        def seconds_left() -> float:
            if self._closed:
                raise EngineClosedError("the run was ended")
            if (until_end := self._limits.seconds_left) <= 0:
                raise EngineClosedError(TIME_IS_UP)
            # An engine that answers one request after the other lets the others wait.
            left = max(asked, self._last_answer) + seconds - time.monotonic()
            if left <= 0:
                raise BrokenConnectionError(f"gave no answer within {seconds:g} s")
            return min(left, until_end)

        return seconds_left

    def _read(self, status: int, body: bytes, number: int, read: Callable[[Response], _T]) -> _T:
        """Read an answer. Neither it nor an error shows a header of ours, even if the engine repeats it."""
        redaction = self._address.redaction
        try:
            return read(_read_response(status, redaction.in_message(body), number))
        except (EngineFailure, UnsupportedError) as error:
            error.args = (redaction.in_text(str(error)),)  # It may show a number, such as the code of an error.
            raise


def _read_response(status: int, body: bytes, number: int) -> Response:
    """Return the response to a request, which with another status than 200 is an error. Raises `EngineFailure`."""
    body = body.strip()
    try:
        response = read_response(body)
    except EngineFailure:
        if status == 200:
            raise
        response = None
    if response is None or (status != 200 and response.error is msgspec.UNSET):
        raise EngineFailure(f"answered with HTTP status {status}" + (f": {shown(body)}" if body else ""))
    if not isinstance(response.id, int) or response.id != number:
        raise BrokenConnectionError(wrong_id(response))
    return response
