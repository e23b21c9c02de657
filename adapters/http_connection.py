"""One connection to an engine that answers to HTTP requests, kept alive, and the thread that asks over it.

`requests` bounds each read but no whole answer, and its sessions are not made for several threads. So each connection
has a session and a thread of its own, which may block as long as it likes: whoever waits for the answer gives up when
its time is over and ends the connection, whose answer then can never be taken for that to another request.
"""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import final
from urllib.parse import urljoin, urlsplit

import requests
import urllib3.exceptions

from .answers import shown
from .builtin import package_version
from .engine import Limits
from .errors import AdapterError, EngineFailure, EngineSpecError
from .http_session import TooMuchError, WatchedSession

_CHUNK = 1 << 16
_HEAD = 1 << 20
"""Room for the head of an answer, and for what stands between the chunks of its body."""
_SHOWN_BODY = 1 << 16
"""How much of a body is read that is not the answer: of a redirect, or of an error page."""
_PAUSES = (0.05, 0.2)
"""Seconds between the attempts to connect."""
_REDIRECTS = 3
_SECRET = re.compile(rb"[0-9A-Za-z._~-]{4,}")
"""A piece of a header, as it is looked for elsewhere: without what may be written in another way there, as `/` is."""
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


class BrokenConnectionError(EngineFailure):
    """The engine could not be reached, was silent for too long, or did not keep to HTTP."""


@dataclass(frozen=True)
class HttpAnswer:
    """What came back to a request."""

    status: int
    body: bytes


@final
class Address:
    """Where an engine is, and what is sent with each request: headers that nothing may show."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        """Raises `EngineSpecError` for what cannot be sent, without showing the value of a header."""
        values = {name: value.strip() for name, value in headers.items()}
        _check_headers(values)
        pieces = {piece for value in values.values() for piece in _SECRET.findall(value.encode("latin-1"))}
        self._secrets = sorted(pieces, key=len, reverse=True)
        try:
            parts = urlsplit(url)
            _ = (parts.hostname or "").encode("idna")
            self._request = requests.Request("POST", url, headers=_usual_headers() | values).prepare()
        except (requests.RequestException, ValueError) as error:
            raise EngineSpecError("the URL of the engine cannot be understood") from error
        self.place: str = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        """The URL as far as it can be no secret."""
        # A small compressed answer can be a huge one: it is not asked for, and not taken.
        self._request.headers["Accept-Encoding"] = "identity"

    def request(self, body: bytes) -> requests.PreparedRequest:
        """Make a request."""
        request = self._request.copy()
        request.prepare_body(body, None)
        return request

    def hide(self, data: bytes) -> bytes:
        """Take the pieces of our headers out of what the engine wrote, which may be about them."""
        for secret in self._secrets:
            data = data.replace(secret, b"***")
        return data


@final
class HttpConnection:
    """Asks one request after the other. All methods can be called from any thread."""

    def __init__(self, address: Address, limits: Limits) -> None:
        self._address = address
        self._limits = limits
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._ended = False
        self._to_ask: SimpleQueue[bytes | None] = SimpleQueue()
        self._answered: SimpleQueue[HttpAnswer | AdapterError] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> str:
        """What is wrong while there is no answer."""
        if self._socket is None:
            return f"cannot be reached at {self._address.place}: no connection"
        return "gave no answer"

    def ask(self, body: bytes) -> None:
        """Send a request, once the one before it is answered."""
        self._to_ask.put(body)

    def answer(self, seconds: float) -> HttpAnswer | None:
        """Wait so long for the answer, or raise what became of it: an `AdapterError`."""
        try:
            answer = self._answered.get(timeout=seconds)
        except Empty:
            return None
        if isinstance(answer, AdapterError):
            raise answer
        return answer

    def end(self, reason: AdapterError) -> None:
        """End it at once; who waits for an answer gets the reason."""
        self._answered.put(reason)
        self._to_ask.put(None)
        with self._lock:
            self._ended = True
            if self._socket is not None:
                _shut_down(self._socket)

    def join(self, seconds: float) -> None:
        """Wait until it is closed, but not for ever: nobody can interrupt who looks up a name."""
        self._thread.join(seconds)

    def _work(self) -> None:
        with WatchedSession(self._take_socket, self._limits.line + _HEAD) as session:
            while (body := self._to_ask.get()) is not None:
                try:
                    answer = self._post(session, body)
                except EngineFailure as failure:
                    self._answered.put(failure)
                except Exception as error:  # noqa: BLE001 - whoever waits must hear of it; the text may show a header
                    self._answered.put(BrokenConnectionError(f"could not be asked ({type(error).__name__})"))
                else:
                    self._answered.put(answer)

    def _take_socket(self, connected: socket.socket) -> None:
        """Take note of a new connection: nothing else can end a read from it that blocks."""
        with self._lock:
            self._socket = connected
            if self._ended:
                _shut_down(connected)

    def _post(self, session: requests.Session, body: bytes) -> HttpAnswer:
        """Ask, and follow redirects that stay where they are. Raises `EngineFailure`."""
        request = self._address.request(body)
        for _ in range(_REDIRECTS + 1):
            response = self._send(session, request)
            with contextlib.closing(response):
                if not (300 <= response.status_code < 400 and response.headers.get("Location")):
                    return HttpAnswer(response.status_code, self._read(response))
                request = self._redirected(request, response)
                _ = self._read_body(response, _SHOWN_BODY)  # So that the connection can be used again.
        raise EngineFailure(f"redirects more than {_REDIRECTS} times")

    def _send(self, session: requests.Session, request: requests.PreparedRequest) -> requests.Response:
        """Send a request and read the head of its answer. Only where it was not sent it is tried again."""
        pauses = iter(_PAUSES)
        while True:
            try:
                return session.send(request, stream=True, allow_redirects=False, timeout=(self._limits.connect, None))
            except requests.RequestException as error:
                pause = next(pauses, None)
                if pause is None or self._ended or not _was_refused(error):
                    raise self._broken(error) from error
            time.sleep(pause)

    def _broken(self, error: requests.RequestException) -> BrokenConnectionError:
        if isinstance(error, requests.Timeout):  # Reading has no time limit but this one's, for a TLS handshake.
            return self._unreachable(f"no connection within {self._limits.connect:g} s")
        cause = _cause(error)
        if isinstance(cause, TooMuchError):
            return self._too_much()
        if isinstance(error, requests.exceptions.SSLError):
            return self._unreachable(f"TLS fails: {_ssl_text(cause)}")
        if isinstance(cause, urllib3.exceptions.NewConnectionError):
            return self._unreachable(_os_text(cause.__cause__))
        if isinstance(cause, http.client.RemoteDisconnected):
            return BrokenConnectionError("closed the connection without an answer")
        if isinstance(
            cause, http.client.HTTPException | requests.exceptions.InvalidHeader | urllib3.exceptions.InvalidHeader
        ):
            return BrokenConnectionError(f"answered what is no HTTP: {shown(self._address.hide(str(cause).encode()))}")
        return BrokenConnectionError(f"broke the connection: {_os_text(cause)}")

    def _unreachable(self, reason: str) -> BrokenConnectionError:
        return BrokenConnectionError(f"cannot be reached at {self._address.place}: {reason}")

    def _redirected(self, request: requests.PreparedRequest, response: requests.Response) -> requests.PreparedRequest:
        """Make the request that a redirect leads to. Raises `EngineFailure` where it is not followed."""
        location = response.headers["Location"]
        target = request.copy()
        with contextlib.suppress(requests.RequestException, ValueError):
            target.prepare_url(urljoin(request.url or "", location), None)
            if response.status_code in (307, 308) and _origin(target) == _origin(request):
                return target
        place = shown(self._address.hide(location.encode("utf-8", "replace")))
        raise EngineFailure(
            f"redirects to {place} (HTTP status {response.status_code}): only 307 and 308 to the same host are followed"
        )

    def _read(self, response: requests.Response) -> bytes:
        """Read an answer, and of anything else the beginning. Raises `EngineFailure`."""
        encoding = response.headers.get("Content-Encoding", "identity")
        if encoding.strip().lower() not in ("", "identity"):
            raise EngineFailure("answered something compressed, which was not asked for")
        if response.status_code != 200:
            return self._read_body(response, _SHOWN_BODY)[:_SHOWN_BODY]
        body = self._read_body(response, self._limits.line)
        if len(body) > self._limits.line:
            raise self._too_much()
        return body

    def _read_body(self, response: requests.Response, limit: int) -> bytes:
        """Read a body, or a little more of it than the limit. Raises `EngineFailure` where it ends too early."""
        body = bytearray()
        try:
            while len(body) <= limit and (chunk := response.raw.read(_CHUNK, decode_content=False)):
                body += chunk
        except urllib3.exceptions.HTTPError as error:
            if isinstance(_cause(error), TooMuchError):
                raise self._too_much() from error
            raise BrokenConnectionError("closed the connection in the middle of its answer") from error
        return bytes(body)

    def _too_much(self) -> BrokenConnectionError:
        return BrokenConnectionError(f"answered more than {self._limits.line} bytes")


def _usual_headers() -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": f"datc-check/{package_version()}",
    }


def _check_headers(headers: Mapping[str, str]) -> None:
    """Raise `EngineSpecError` for a header that cannot be sent. `requests` would say so too, and show the value."""
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise EngineSpecError("a header of the engine has a name that cannot be sent")
        if not _HEADER_VALUE.fullmatch(value):
            raise EngineSpecError(f"the header {name} of the engine has a value that cannot be sent")


def _was_refused(error: requests.RequestException) -> bool:
    """Whether there was no connection, so that nothing can have been asked."""
    return isinstance(_cause(error), urllib3.exceptions.NewConnectionError)


def _cause(error: BaseException) -> BaseException:
    """Find what lies under the wrappings of `requests` and urllib3."""
    while True:
        inner = getattr(error, "reason", None) or next(
            (one for one in reversed(error.args) if isinstance(one, BaseException)), None
        )
        if not isinstance(inner, BaseException):
            return error
        error = inner


def _os_text(error: BaseException | None) -> str:
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return type(error).__name__


def _ssl_text(error: BaseException) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    reason: object = getattr(error, "reason", None)
    return reason.replace("_", " ").lower() if isinstance(reason, str) else type(error).__name__


def _origin(request: requests.PreparedRequest) -> tuple[str, str | None, int | None]:
    """Say where a request goes. Its URL is read as it is sent, not as it came: readers differ on odd ones."""
    parts = urlsplit(request.url or "")
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _shut_down(connected: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # Not the `shutdown` of a TLS socket, which another thread may be reading from.
        socket.socket.shutdown(connected, socket.SHUT_RDWR)
