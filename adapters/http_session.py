"""A session of `requests` that does nothing by itself, and whose connections are watched.

`requests` and urllib3 have no way to end a read that blocks, nor to bound what http.client reads. Both stand on
http.client's own connections, so that the socket of a connection is known here, and what comes out of it counted.
"""

from __future__ import annotations

import http.client
import io
import socket
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast, final

import requests
import urllib3.connection
from requests.adapters import HTTPAdapter

if TYPE_CHECKING:
    from typing_extensions import Buffer


class TooMuchError(OSError):
    """An answer is larger than it may be."""


@dataclass
class _Watch:
    """What is watched in the thread of a session."""

    take_socket: Callable[[socket.socket], None]
    limit: int
    answer: http.client.HTTPResponse | None = None
    """The last one."""


_watch: ContextVar[_Watch] = ContextVar("_watch")


@final
class WatchedSession(requests.Session):
    """A session for the thread that makes it, and for no other."""

    def __init__(self, take_socket: Callable[[socket.socket], None], limit: int) -> None:
        """`take_socket` gets the socket of each new connection; no answer has more than `limit` bytes, with its head.

        A larger one is a `TooMuchError` somewhere under the exceptions of `requests` or urllib3.
        """
        super().__init__()
        self._watched = _Watch(take_socket, limit)
        _ = _watch.set(self._watched)
        # Nothing from the environment: no proxy, which would read the headers and answer in the engine's place, and no
        # password out of ~/.netrc, which nobody meant for the engine.
        self.trust_env: bool = False
        adapter = _Adapter(pool_connections=1, pool_maxsize=1, max_retries=0)
        for scheme in ("http://", "https://"):
            self.mount(scheme, adapter)

    def send(self, request: requests.PreparedRequest, **kwargs: object) -> requests.Response:
        try:
            return super().send(request, **kwargs)
        except requests.RequestException:
            if self._watched.answer is not None:
                self._watched.answer.close()  # urllib3 leaves it open where it does not understand its head.
            raise

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """Find none: `requests` would read the whole body of a redirect, however large, even where it follows none."""
        _ = resp


@final
class _Meter(io.RawIOBase):
    """Reads from a socket, up to a limit: http.client has ways to read more than it was asked to."""

    def __init__(self, source: io.RawIOBase, limit: int) -> None:
        super().__init__()
        self._source = source
        self._left = limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int | None:
        count = self._source.readinto(buffer)
        self._left -= count or 0
        if self._left < 0:
            raise TooMuchError
        return count

    def close(self) -> None:
        super().close()
        self._source.close()


class _Response(http.client.HTTPResponse):
    """What http.client reads, metered."""

    def __init__(
        self, sock: socket.socket, debuglevel: int = 0, method: str | None = None, url: str | None = None
    ) -> None:
        super().__init__(sock, debuglevel, method, url)
        watch = _watch.get()
        watch.answer = self
        self.fp: io.BufferedReader = io.BufferedReader(_Meter(self.fp.detach(), watch.limit))


@final
class _Connection(urllib3.connection.HTTPConnection):
    response_class = _Response

    def connect(self) -> None:
        super().connect()
        _watch.get().take_socket(self.sock)


@final
class _SecureConnection(urllib3.connection.HTTPSConnection):
    response_class = _Response

    def connect(self) -> None:
        super().connect()
        _watch.get().take_socket(self.sock)


@final
class _Pool(urllib3.HTTPConnectionPool):
    ConnectionCls = cast("Any", _Connection)  # urllib3's own class does not pass for what it declares here


@final
class _SecurePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = cast("Any", _SecureConnection)


@final
class _Adapter(HTTPAdapter):
    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **pool_kwargs: object) -> None:
        super().init_poolmanager(connections, maxsize, block, **pool_kwargs)
        pools: dict[str, type[urllib3.HTTPConnectionPool]] = {"http": _Pool, "https": _SecurePool}
        self.poolmanager.pool_classes_by_scheme = pools
