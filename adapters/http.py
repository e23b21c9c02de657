"""An engine behind a URL: one JSON-RPC message a POST, over connections that are kept alive.

The adapter of `requests` sends what it is given: a `Session` would add cookies, redirects, proxies and `.netrc`.
"""

from __future__ import annotations

import http.client
import io
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast, final
from urllib.parse import urlsplit

import msgspec
import requests
from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict
from urllib3 import HTTPConnectionPool, connection_from_url
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, NewConnectionError

from ..reference_engine.installation import package_version
from .builtin import greeting
from .engine import (
    POLL_INTERVAL,
    Engine,
    Limits,
    read_adjudicate_result,
    read_initialize_result,
    read_response,
    shown,
    wrong_id,
)
from .errors import AdapterError, EngineFailure, EngineGaveOutError, EngineSpecError, EngineStartError, UnsupportedError
from .protocol import AdjudicateParams, AdjudicateResult, InitializeResult, Response, encode_request
from .redaction import Redaction

if TYPE_CHECKING:
    from typing_extensions import Buffer

_T = TypeVar("_T")
_CHUNK = 1 << 16
_HEAD = 1 << 20
"""Bytes of an answer that are not its body: its head, and what frames the chunks of the body."""
_SHOWN_BODY = 1 << 16
"""Bytes that are read of a body that is not the answer, such as an error page."""
_RETRY_PAUSES = (0.05, 0.2)
"""Seconds to wait before a refused connection is tried again."""
_MOST_KEPT = 1 << 10
_UNKNOWN_AUTHORITY = (18, 19, 20, 21)
"""The errors of OpenSSL for a certificate from an authority that it does not know."""
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


class BrokenConnectionError(EngineFailure):
    """The engine could not be reached, was silent for too long, or broke the rules of HTTP."""


@final
class _Exchange(io.RawIOBase):
    """One request: reads its answer, with the head and all that frames the body, within the limits of time and size."""

    def __init__(self, most: int, seconds_left: Callable[[], float]) -> None:
        """`most` bytes may be in the body. `seconds_left` raises when no time is left, or the engine was closed."""
        super().__init__()
        self.connection: socket.socket | None = None
        self.seconds_left: Callable[[], float] = seconds_left
        self._most = most
        self._bytes_left = most + _HEAD
        self._file: io.RawIOBase | None = None
        self._answer: http.client.HTTPResponse | None = None

    def begin(self, connection: socket.socket, **named: Any) -> http.client.HTTPResponse:  # noqa: ANN401 - as http.client has them
        """Return what reads an answer. http.client reads a chunk of a negative size to its end, whatever its length."""
        answer = http.client.HTTPResponse(connection, **named)
        self._file = answer.fp.detach()  # Without it the connection would be closed with the last request on it.
        answer.fp = io.BufferedReader(self)
        self._answer = answer
        return answer

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        connection = cast("socket.socket", self.connection)
        count = None
        while count is None:
            connection.settimeout(max(min(self.seconds_left(), POLL_INTERVAL), 0.001))
            with suppress(TimeoutError):
                count = connection.recv_into(buffer)
        if not count:
            _ = self.seconds_left()  # Perhaps the engine was closed here, and the answer is cut off.
        self._bytes_left -= count
        if self._bytes_left < 0:
            raise BrokenConnectionError(f"answered more than {self._most} bytes")
        return count

    def end(self) -> None:
        """End the connection: whatever waits for it then returns."""
        if self.connection is not None:
            with suppress(OSError):
                socket.socket.shutdown(self.connection, socket.SHUT_RDWR)  # That of TLS would break a read elsewhere.

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()

    def close_with_answer(self) -> None:
        """Close it with its answer, which would complain when Python finds it unclosed, as after a bad length."""
        if self._answer is not None:
            self._answer.close()
        self.close()


_EXCHANGE: ContextVar[_Exchange] = ContextVar("_EXCHANGE")


class _Connection(HTTPConnection):
    def connect(self) -> None:
        for pause in (*_RETRY_PAUSES, None):
            try:
                return super().connect()
            except NewConnectionError as error:
                if pause is None or not isinstance(_origin_of(error), ConnectionRefusedError):
                    raise
                time.sleep(pause)
        return None

    def request(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - as urllib3 has them
        if self.sock is None:
            self.connect()
        exchange = _EXCHANGE.get()
        exchange.connection = cast("socket.socket", self.sock)
        self.timeout: float | None = exchange.seconds_left()
        exchange.connection.settimeout(self.timeout)  # Before its version 2, urllib3 keeps that of the last request.
        super().request(*arguments, **named)

    def response_class(self, sock: socket.socket, **named: Any) -> http.client.HTTPResponse:  # pyright: ignore[reportIncompatibleVariableOverride] # noqa: ANN401 - a function is called as a class is
        return _EXCHANGE.get().begin(sock, **named)


class _TlsConnection(_Connection, HTTPSConnection):  # pyright: ignore[reportUnsafeMultipleInheritance, reportIncompatibleVariableOverride] - see urllib3
    pass


@final
class _Adapter(HTTPAdapter):
    def __init__(self, pool: HTTPConnectionPool) -> None:
        super().__init__()
        self.pool: HTTPConnectionPool = pool

    def get_connection_with_tls_context(self, *_arguments: object, **_named: object) -> HTTPConnectionPool:
        return self.pool

    def cert_verify(self, conn: object, url: object, verify: object, cert: object) -> None:
        """Leave the certificate to the context of the pool: requests would trust authorities of its own."""


@final
class HttpEngine(Engine):
    """An engine that is asked with HTTP requests: as many connections as requests at once, each used again.

    A request is sent once: only a refused connection is tried again. Closing the engine ends requests in flight with
    `EngineClosedError`, those that are being connected once they are.
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
        values = {name: value.strip() for name, value in (headers or {}).items()}
        self._limits = limits or Limits()
        self._redaction = Redaction(values)
        try:
            self._request = requests.Request("POST", url, _all_headers(values)).prepare()
            _ = (urlsplit(url).hostname or "").encode("idna")
        except ValueError as error:
            raise EngineSpecError("the URL of the engine cannot be understood") from error
        self._place = "{0.scheme}://{0.netloc}".format(urlsplit(url))  # Its path and query may be secret.
        is_secure = url.startswith("https:")
        options = {"ssl_context": _tls_context(ca_file)} if is_secure else {}
        pool = connection_from_url(cast("str", self._request.url), maxsize=_MOST_KEPT, **options)
        pool.ConnectionCls = _TlsConnection if is_secure else _Connection  # pyright: ignore[reportAttributeAccessIssue] - the protocol has more than connections have
        self._adapter = _Adapter(pool)
        self._lock = threading.Lock()
        self._exchanges: set[_Exchange] = set()
        self._number = self._breakdowns = 0
        self._last_answer = time.monotonic()
        self._last_breakdown = ""
        self._closed = False

    def start(self) -> InitializeResult:
        try:
            return self._ask("initialize", greeting(), self._limits.start, read_initialize_result)
        except (EngineFailure, UnsupportedError) as error:
            who = "the engine " if isinstance(error, EngineFailure) else ""
            raise EngineStartError(f"{who}{error}") from error

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        read = partial(read_adjudicate_result, params=params)
        return self._ask("adjudicate", params, self._limits.request, read)

    def call(self, method: str, params: object) -> Response:
        return self._ask(method, params, self._limits.request, lambda response: response)

    def hide(self, line: bytes) -> bytes:
        return self._redaction.in_json(line)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for exchange in self._exchanges:
                exchange.end()
        self._adapter.pool.close()

    def _ask(self, method: str, params: object, seconds: float, read: Callable[[Response], _T]) -> _T:
        """Send a request and read its answer. Neither it nor an error shows a header of ours."""
        asked = time.monotonic()

        def seconds_left() -> float:
            self._limits.check_open(closed=self._closed)
            # An engine that answers one request after the other lets the others wait.
            left = max(asked, self._last_answer) + seconds - time.monotonic()
            if left <= 0:
                raise BrokenConnectionError(f"gave no answer within {seconds:g} s")
            return min(left, self._limits.seconds_left)

        exchange = _Exchange(self._limits.line, seconds_left)
        with self._lock:
            self._limits.check_open(closed=self._closed)
            if self._breakdowns > self._limits.restarts:
                count, last = self._breakdowns, self._last_breakdown
                raise EngineGaveOutError(f"the engine broke down {count} times; the last time it {last}")
            self._number += 1
            number = self._number
            self._exchanges.add(exchange)
        try:
            status, body = self._post(encode_request(number, method, params), exchange, seconds)
            self._last_answer = time.monotonic()
            return read(_read_response(status, self._redaction.in_message(body), number))
        except (EngineFailure, UnsupportedError) as error:
            error.args = (self._redaction.in_text(str(error)),)
            if isinstance(error, BrokenConnectionError):
                with self._lock:
                    self._breakdowns += 1
                    self._last_breakdown = str(error)
            raise
        finally:
            with self._lock:
                self._exchanges.discard(exchange)

    def _post(self, body: bytes, exchange: _Exchange, seconds: float) -> tuple[int, bytes]:
        """POST a request once; return the status and the body of the answer, that of an error page cut off."""
        request = self._request.copy()
        request.body = body
        request.headers["Content-Length"] = str(len(body))
        connecting = min(self._limits.connect, seconds)
        token = _EXCHANGE.set(exchange)
        try:
            with self._adapter.send(request, stream=True, timeout=(connecting, None)) as response:
                return response.status_code, self._read(response)
        except Exception as error:  # Whatever the library raises, the answer cannot be read.
            self._limits.check_open(closed=self._closed)
            if isinstance(error, EngineFailure):
                raise
            if exchange.connection is not None:
                _ = exchange.seconds_left()
            raise self._broken(_origin_of(error), exchange, connecting) from error
        finally:
            exchange.close_with_answer()
            _EXCHANGE.reset(token)

    def _read(self, response: requests.Response) -> bytes:
        """Read the body of an answer, or the beginning of any other body. Raises `EngineFailure`."""
        if 300 <= response.status_code < 400 and (location := response.headers.get("Location")):
            where = f"{self._shown(location)} (HTTP status {response.status_code})"
            raise EngineFailure(f"redirects to {where}: redirects are not followed")
        if response.headers.get("Content-Encoding", "").strip().lower() not in ("", "identity"):
            raise EngineFailure("answered something compressed, which was not asked for")
        limit = self._limits.line if response.status_code == 200 else _SHOWN_BODY
        body = bytearray()
        try:
            while len(body) <= limit and (chunk := response.raw.read(_CHUNK, decode_content=False)):
                body += chunk
        except AdapterError:
            raise
        except Exception as error:  # Such as a ValueError for a chunk of a negative size.
            raise BrokenConnectionError("closed the connection in the middle of its answer") from error
        if len(body) > limit and response.status_code == 200:
            raise BrokenConnectionError(f"answered more than {limit} bytes")
        return bytes(body[:limit])

    def _broken(self, error: BaseException, exchange: _Exchange, connecting: float) -> BrokenConnectionError:
        if exchange.connection is None:
            reason = f"no connection within {connecting:g} s" if isinstance(error, TimeoutError) else _text(error)
            return BrokenConnectionError(f"cannot be reached at {self._place}: {reason}")
        if isinstance(error, http.client.RemoteDisconnected):
            return BrokenConnectionError("closed the connection without an answer")
        if isinstance(error, OSError):
            return BrokenConnectionError(f"broke the connection: {_text(error)}")
        return BrokenConnectionError(f"answered something that is not HTTP: {self._shown(str(error))}")

    def _shown(self, text: str) -> str:
        return shown(self._redaction.in_text(text).encode("utf-8", "replace"))


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


def _all_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a request: those of a config, with ours.

    Raises `EngineSpecError` for one that cannot be sent: requests would do so too, and show its value.
    """
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise EngineSpecError("a header of the engine has a name that cannot be sent")
        if not _HEADER_VALUE.fullmatch(value):
            raise EngineSpecError(f"the header {name} of the engine has a value that cannot be sent")
    json, agent = "application/json", f"datc-check/{package_version()}"
    sent = CaseInsensitiveDict({"Content-Type": json, "Accept": json, "User-Agent": agent})
    sent.update(headers)
    sent["Accept-Encoding"] = "identity"  # A small compressed answer can be a huge one.
    return {name: value for name, value in sent.items() if name.lower() not in ("content-length", "transfer-encoding")}


def _tls_context(ca_file: str | None) -> ssl.SSLContext:
    """Return what verifies a certificate, by the system's authorities or those of a file. Raises `EngineSpecError`."""
    try:
        return ssl.create_default_context(cafile=ca_file)
    except ssl.SSLError as error:
        raise EngineSpecError(f"the CA file {ca_file} has no certificate in PEM format") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise EngineSpecError(f"the CA file {ca_file} cannot be read: {reason}") from error


def _origin_of(error: BaseException) -> BaseException:
    while isinstance(error, (requests.RequestException, HTTPError)) and error.__context__ is not None:
        error = error.__context__
    return error


def _text(error: BaseException) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        advice = "; --ca-file names who may vouch for it" if error.verify_code in _UNKNOWN_AUTHORITY else ""
        return f"TLS fails: {error.verify_message}{advice}"
    if isinstance(error, ssl.SSLError):
        return f"TLS fails: {(error.reason or 'unknown reason').replace('_', ' ').lower()}"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
