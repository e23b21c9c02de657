"""One connection to an engine that answers HTTP requests, kept alive between them.

`requests`, urllib3 and http.client limit the time of a single read, but neither the time nor the size of a whole
answer. All that http.client reads comes from a socket, so the socket of a connection enforces both limits.
"""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias, final
from urllib.parse import quote, urljoin, urlsplit

from ..reference_engine.version import package_version
from .engine import POLL_INTERVAL, Limits, shown
from .errors import EngineFailure, EngineSpecError
from .redaction import Redaction

if TYPE_CHECKING:
    from typing_extensions import Buffer

_CHUNK = 1 << 16
_HEAD = 1 << 20
"""Bytes of an answer that are not its body: its head, and what frames the chunks of the body."""
_SHOWN_BODY = 1 << 16
"""Bytes that are read of a body that is not the answer: of a redirect, or of an error page."""
_RETRY_PAUSES = (0.05, 0.2)
"""Seconds to wait before a refused connection is tried again."""
_REDIRECTS = 3
_PORTS = {"http": 80, "https": 443}
_UNKNOWN_AUTHORITY = (18, 19, 20, 21)
"""What OpenSSL says of a certificate that it knows nobody to vouch for."""
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_CUT_OFF = "closed the connection in the middle of its answer"

SecondsLeft: TypeAlias = Callable[[], float]
"""Returns how many more seconds to wait for an answer, or raises an `AdapterError` that says why to give up."""


class BrokenConnectionError(EngineFailure):
    """The engine could not be reached, was silent for too long, or broke the rules of HTTP."""


class _TooLargeError(Exception):
    """An answer has more bytes than it may have."""


@final
class Address:
    """Where an engine is, and the headers of each request, which no message may show."""

    def __init__(self, url: str, headers: Mapping[str, str], ca_file: str | None = None) -> None:
        """Raises `EngineSpecError` for what cannot be sent, without showing the value of a header, and the CA file."""
        values = {name: value.strip() for name, value in headers.items()}
        self.headers: Mapping[str, str] = _all_headers(values)
        self.redaction: Redaction = Redaction(values)
        try:
            self.origin: tuple[str, str, int] = _origin(url)
        except ValueError as error:
            raise EngineSpecError("the URL of the engine cannot be understood") from error
        scheme, self.host, self.port = self.origin
        self.url: str = url
        self.place: str = f"{scheme}://{urlsplit(url).netloc}"
        """The URL without its path and query, which may be secret."""
        self._tls = _tls_context(ca_file) if scheme == "https" else None

    def connect(self, seconds: float) -> BoundedSocket:
        """Connect to the engine. Raises `OSError`.

        `seconds` limits the attempt at each address of its host. Only the system limits the look-up of these addresses.
        """
        with socket.create_connection((self.host, self.port), seconds) as connected:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is None:
                return BoundedSocket(fileno=connected.detach())
            secured = self._tls.wrap_socket(connected, server_hostname=self.host)
            assert isinstance(secured, _BoundedTlsSocket)  # noqa: S101 - the context makes no other
            return secured


class BoundedSocket(socket.socket):
    """A socket that limits the time and the size of all reads of one answer together."""

    _bytes_left: int = 0
    _seconds_left: SecondsLeft  # pyright: ignore[reportUninitializedInstanceVariable] - `allow` comes before any read

    def allow(self, size: int, seconds_left: SecondsLeft) -> None:
        """Set the limits of the next answer."""
        self._bytes_left = size
        self._seconds_left = seconds_left
        self.settimeout(seconds_left())  # For the request, which is sent as a whole.

    def recv_into(self, buffer: Buffer, nbytes: int | None = None, flags: int = 0) -> int:
        """Read as usual. Raises `_TooLargeError`, and what `seconds_left` raises."""
        while True:
            self.settimeout(min(self._seconds_left(), POLL_INTERVAL))
            try:
                count = super().recv_into(buffer, nbytes or memoryview(buffer).nbytes, flags)
            except TimeoutError:
                continue
            self._bytes_left -= count
            if self._bytes_left < 0:
                raise _TooLargeError
            return count

    def is_idle(self) -> bool:
        """Return whether the connection still stands and holds nothing that was not asked for."""
        self.settimeout(0)
        try:
            _ = self.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        except OSError:
            pass
        return False


@final
class _BoundedTlsSocket(BoundedSocket, ssl.SSLSocket):  # pyright: ignore[reportUnsafeMultipleInheritance] - see below
    """The same over TLS. Contexts make it, not `__init__`: that of `SSLSocket` does nothing but refuse."""


@final
class HttpConnection:
    """Asks one request after the other, connecting where necessary. One thread at a time may use it."""

    def __init__(self, address: Address, limits: Limits) -> None:
        self._address = address
        self._limits = limits
        self._http = http.client.HTTPConnection(address.host, address.port)

    def ask(self, body: bytes, seconds: float, seconds_left: SecondsLeft) -> tuple[int, bytes]:
        """POST a request once, follow redirects to the same place, and return the status and body of the answer.

        The body of an error page may be cut off. The request may take `seconds` in all. Raises `EngineFailure`, and
        what `seconds_left` raises; the connection must be closed then.
        """
        url = self._address.url
        try:
            for _ in range(_REDIRECTS + 1):
                self._prepare(seconds, seconds_left)
                with self._post(url, body) as response:
                    answer = self._read(response)
                location = response.getheader("Location")
                if not (300 <= response.status < 400 and location):
                    return response.status, answer
                url = self._redirected(url, location, response.status)
        except _TooLargeError as error:
            raise BrokenConnectionError(f"answered more than {self._limits.line} bytes") from error
        raise EngineFailure(f"redirects more than {_REDIRECTS} times")

    def close(self) -> None:
        """End the connection."""
        self._http.close()

    def _prepare(self, seconds: float, seconds_left: SecondsLeft) -> None:
        """Connect where necessary, and set the limits of the next answer. Raises `BrokenConnectionError`."""
        connected = self._http.sock
        if not isinstance(connected, BoundedSocket) or not connected.is_idle():
            self._http.close()
            self._http.sock = connected = self._connect(min(self._limits.connect, seconds), seconds_left)
        connected.allow(self._limits.line + _HEAD, seconds_left)

    def _connect(self, seconds: float, seconds_left: SecondsLeft) -> BoundedSocket:
        pauses = iter(_RETRY_PAUSES)
        while True:
            try:
                return self._address.connect(min(seconds, seconds_left()))
            except OSError as error:
                pause = next(pauses, None)
                if pause is None or not isinstance(error, ConnectionRefusedError):
                    reason = f"no connection within {seconds:g} s" if isinstance(error, TimeoutError) else _text(error)
                    raise BrokenConnectionError(f"cannot be reached at {self._address.place}: {reason}") from error
            time.sleep(pause)

    def _post(self, url: str, body: bytes) -> http.client.HTTPResponse:
        """Send a request and read the head of its answer. Raises `BrokenConnectionError`."""
        try:
            with contextlib.suppress(BrokenPipeError):  # The engine may have answered before it read everything.
                self._http.request("POST", _target(url), body, self._address.headers)
            return self._http.getresponse()
        except http.client.RemoteDisconnected as error:
            raise BrokenConnectionError("closed the connection without an answer") from error
        except http.client.HTTPException as error:
            problem = shown(self._address.redaction.in_text(str(error)).encode("utf-8", "replace"))
            raise BrokenConnectionError(f"answered something that is not HTTP: {problem}") from error
        except OSError as error:
            raise BrokenConnectionError(f"broke the connection: {_text(error)}") from error

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        """Read the body of an answer, or the beginning of any other body. Raises `EngineFailure`."""
        if response.getheader("Content-Encoding", "").strip().lower() not in ("", "identity"):
            raise EngineFailure("answered something compressed, which was not asked for")
        limit = self._limits.line if response.status == 200 else _SHOWN_BODY
        body = bytearray()
        try:
            while len(body) <= limit and (chunk := response.read(_CHUNK)):
                body += chunk
        except (http.client.HTTPException, OSError) as error:
            raise BrokenConnectionError(_CUT_OFF) from error
        if len(body) <= limit and response.length:
            raise BrokenConnectionError(_CUT_OFF)
        if len(body) > limit and response.status == 200:
            raise _TooLargeError
        if not response.isclosed():
            self._http.close()  # The rest of the body would be taken for the next answer.
        return bytes(body[:limit])

    def _redirected(self, url: str, location: str, status: int) -> str:
        """Return the URL that a redirect leads to. Raises `EngineFailure` for one that is not followed."""
        with contextlib.suppress(ValueError):
            target = urljoin(url, location)
            if status in (307, 308) and _origin(target) == self._address.origin:
                return target
        place = shown(self._address.redaction.in_text(location).encode("utf-8", "replace"))
        raise EngineFailure(
            f"redirects to {place} (HTTP status {status}): only 307 and 308 to the same host are followed"
        )


def _all_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a request: those of a config, with ours.

    Raises `EngineSpecError` for one that cannot be sent: http.client would do so too, and show its value.
    """
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise EngineSpecError("a header of the engine has a name that cannot be sent")
        if not _HEADER_VALUE.fullmatch(value):
            raise EngineSpecError(f"the header {name} of the engine has a value that cannot be sent")
    usual = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": f"datc-check/{package_version()}",
    }
    ours = {"Accept-Encoding": "identity"}  # A small compressed answer can be a huge one.
    by_name = {name.lower(): (name, value) for name, value in [*usual.items(), *headers.items(), *ours.items()]}
    return dict(header for name, header in by_name.items() if name not in ("content-length", "transfer-encoding"))


def _tls_context(ca_file: str | None) -> ssl.SSLContext:
    """Return what verifies a certificate, by the system's authorities or those of a file. Raises `EngineSpecError`."""
    try:
        context = ssl.create_default_context(cafile=ca_file)
    except ssl.SSLError as error:
        raise EngineSpecError(f"the CA file {ca_file} has no certificate in PEM format") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise EngineSpecError(f"the CA file {ca_file} cannot be read: {reason}") from error
    context.sslsocket_class = _BoundedTlsSocket
    return context


def _origin(url: str) -> tuple[str, str, int]:
    """Return the scheme, host and port of a URL. Raises `ValueError` for a URL that no engine can be at."""
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname or parts.username is not None:
        raise ValueError(parts.scheme)
    return parts.scheme, parts.hostname.encode("idna").decode(), parts.port or _PORTS[parts.scheme]


def _target(url: str) -> str:
    """Return the part of a URL that is sent, with everything quoted that may not stand in it."""
    parts = urlsplit(url)
    return quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), safe="!#$%&'()*+,/:;=?@[]~")


def _text(error: OSError) -> str:
    """Return what a person can read of an error of a connection."""
    if isinstance(error, ssl.SSLCertVerificationError):
        advice = "; --ca-file names who may vouch for it" if error.verify_code in _UNKNOWN_AUTHORITY else ""
        return f"TLS fails: {error.verify_message}{advice}"
    if isinstance(error, ssl.SSLError):
        return f"TLS fails: {(error.reason or 'unknown reason').replace('_', ' ').lower()}"
    return error.strerror or str(error) or type(error).__name__
