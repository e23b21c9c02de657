"""The HTTP server of an application: waitress, with limits that keep it answering whatever its clients do.

waitress reads requests in one thread and answers each that is complete in another, so that a slow client occupies no
thread. What it lacks is here: when there are too many connections it closes those that wait the longest instead of
accepting no more; a request must be complete in time, however slowly it comes; and when too many wait they are refused.
"""

from __future__ import annotations

import contextlib
import socket
import sys
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast, final

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.receiver import ChunkedReceiver
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher
from waitress.utilities import BadRequest, Error

from .web import JSON, MAX_BODY, problem_body

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .web import Application

MOST_CONNECTIONS = 400
"""More are closed, those first that wait the longest for a request or for a client that reads its answer."""
SECONDS_OPEN = 60.0
"""A connection without a complete request for so long, or whose answer was not read, is closed."""
MOST_WAITING = 256
"""So many requests wait for a thread; another one is refused."""
LARGE = 1 << 18
"""A larger request, in bytes, is kept in a file until it is complete."""
MOST_LARGE = 16
"""So many large requests are there at once; with another one, the oldest that is not complete is given up."""
MOST_AHEAD = 8
"""A connection on which more requests come before the first is answered is closed."""
_SECONDS_GIVEN = 1.0
"""A connection has this time to bring its request, unless there are twice as many connections as there may be."""
_MAX_HEAD = 1 << 14
_MAX_FRAME = 1 << 12
"""Bytes around a chunk of a request: its size, or what follows the last one."""
_ACCEPTED_AT_ONCE = 32
_DEFAULT_FILES = 512
"""The files that a process may have open where the system does not say: on Windows."""


@final
class _BusyError(Error):
    """Too many requests wait."""

    def __init__(self) -> None:
        super().__init__("")

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], Any]:
        del ident
        status = HTTPStatus.SERVICE_UNAVAILABLE
        body = problem_body(status, f"{MOST_WAITING} requests wait already: try again later")
        return f"{status.value} {status.phrase}", [("Content-Type", JSON), ("Retry-After", "1")], body


@final
class _Parser(HTTPRequestParser):
    """Reads a request. What stands around its chunks would be copied with each byte that comes, however long it is."""

    def received(self, data: bytes) -> int:
        consumed = super().received(data)
        chunks = self.body_rcv
        if isinstance(chunks, ChunkedReceiver) and len(chunks.control_line) + len(chunks.trailer) > _MAX_FRAME:
            self.error = BadRequest(f"a chunk has at most {_MAX_FRAME} bytes around it")
            self.completed = True
        return consumed


@final
class _Channel(HTTPChannel):
    """A connection."""

    parser_class = _Parser

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - as waitress has them
        self.since: float = time.monotonic()
        """When the last request began or was answered, or else when it was opened."""
        super().__init__(*arguments, **named)

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for the client: for a request, or until its answer was read."""
        return not self.requests and not self.will_close

    @property
    def is_large(self) -> bool:
        """Whether one of its requests is kept in a file."""
        requests = [request for request in (*self.requests, self.request) if request is not None]
        return any(request.body_bytes_received > LARGE for request in requests)

    def received(self, data: bytes) -> bool:
        if self.request is None:
            self.since = time.monotonic()
        taken: bool = super().received(data)
        if len(self.requests) > MOST_AHEAD:
            self.end()
        elif self.request is not None and self.is_large:
            cast("Server", self.server).limit_large()
        return taken

    def service(self) -> None:
        self.since = time.monotonic()
        super().service()
        self.since = time.monotonic()

    def handle_close(self) -> None:
        super().handle_close()
        for request in (*self.requests[1:], self.request):  # The first one is for the thread that answers it.
            if request is not None:
                request.close()

    def end(self) -> None:
        """Let it be closed in the next round, also where the client reads nothing.

        Closed at once, its number could be that of a new connection before this round is over.
        """
        self.will_close = True
        with contextlib.suppress(OSError):
            cast("socket.socket", self.socket).shutdown(socket.SHUT_RDWR)


@final
class Server(TcpWSGIServer):
    """Serves an application at a socket that is listened on. `run` returns after a `SystemExit` or Ctrl-C."""

    channel_class = _Channel

    def __init__(self, application: Application, listening: socket.socket, threads: int) -> None:
        """`threads` requests are answered at once."""
        self._most_connections = min(MOST_CONNECTIONS, _most_files() // 3)
        dispatcher = ThreadedTaskDispatcher()
        dispatcher.set_thread_count(threads)
        self._quick = ThreadedTaskDispatcher()
        """Answers what nobody has to wait for: all but the questions to an engine."""
        self._quick.set_thread_count(1)
        settings = Adjustments(
            sockets=[listening],
            threads=threads,
            ident=None,
            connection_limit=sys.maxsize,  # `_make_room` keeps to one.
            cleanup_interval=1,
            max_request_header_size=_MAX_HEAD,
            max_request_body_size=2 * MAX_BODY,  # The application can say what is right only up to there.
            inbuf_overflow=LARGE,
            log_socket_errors=False,
            asyncore_use_poll=True,
        )
        family, kind, protocol = listening.family, listening.type, listening.proto
        super().__init__(
            application,
            {},
            _sock=listening,
            dispatcher=dispatcher,
            adj=settings,
            sockinfo=(family, kind, protocol, listening.getsockname()),
            bind_socket=False,
        )

    def run(self) -> None:
        super().run()
        _ = self._quick.shutdown()

    def add_task(self, task: Any) -> None:  # noqa: ANN401 - in waitress a task, but what comes is a connection
        request = task.requests[0]
        if request.error is None and request.command == "POST":
            if len(self.task_dispatcher.queue) < MOST_WAITING:
                self.task_dispatcher.add_task(task)
                return
            request.error = _BusyError()
        self._quick.add_task(task)

    def handle_accept(self) -> None:
        for _ in range(_ACCEPTED_AT_ONCE):
            count = len(self._channels())
            super().handle_accept()
            if len(self._channels()) == count:
                break
        self._make_room()

    def maintenance(self, now: float) -> None:
        del now
        for channel in self._waiting(SECONDS_OPEN):
            channel.end()
        self._make_room()

    def limit_large(self) -> None:
        """Give up large requests that are not complete, the oldest first, where there are too many."""
        large = sum(channel.is_large and not channel.will_close for channel in self._channels())
        _end_oldest([channel for channel in self._waiting(0) if channel.is_large], large - MOST_LARGE)

    def _make_room(self) -> None:
        """Close connections that wait, the oldest first, where there are too many."""
        too_many = sum(not channel.will_close for channel in self._channels()) - self._most_connections
        seconds = _SECONDS_GIVEN if too_many < self._most_connections else 0
        _end_oldest(self._waiting(seconds), too_many)

    def _channels(self) -> Sequence[_Channel]:
        channels: dict[int, _Channel] = cast("Any", self.active_channels)
        return tuple(channels.values())

    def _waiting(self, seconds: float) -> Sequence[_Channel]:
        """Return the connections that wait for their clients for so long."""
        start = time.monotonic() - seconds
        return [channel for channel in self._channels() if channel.is_waiting and channel.since <= start]


def _end_oldest(channels: Sequence[_Channel], count: int) -> None:
    if count > 0:
        for channel in sorted(channels, key=lambda channel: channel.since)[:count]:
            channel.end()


def _most_files() -> int:
    try:
        from resource import RLIMIT_NOFILE, getrlimit
    except ImportError:
        return _DEFAULT_FILES
    limit = getrlimit(RLIMIT_NOFILE)[0]
    return limit if limit > 0 else sys.maxsize  # Where there is no limit, some systems have -1 for it.
