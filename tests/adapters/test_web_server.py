"""The server in a thread, and clients over sockets that do to it what clients should not do."""

from __future__ import annotations

import contextlib
import http.client
import json
import select
import socket
import threading
from collections.abc import Callable, Generator, Sequence
from typing import Any

import pytest
from waitress import wasyncore

from datc.adapters import web_server
from datc.adapters.web import Application
from datc.adapters.web_access import Access

pytestmark = pytest.mark.attack

JSON = {"Content-Type": "application/json"}
PATIENCE = 30
"""Seconds after which a test that waits has failed."""


@contextlib.contextmanager
def serving(answer: Callable[[bytes], bytes] = bytes.strip, threads: int = 1) -> Generator[int]:
    """Serve at a free port."""
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    application = Application({"/": answer}, {"/health": lambda: "well"}, Access("127.0.0.1", "127.0.0.1", port))
    server: Any = web_server.Server(application, listening, threads)
    thread = threading.Thread(target=server.run)

    def stop() -> None:
        for channel in server._channels():
            channel.handle_close()
        wasyncore.close_all(server._map)

    thread.start()
    try:
        yield port
    finally:
        server.trigger.pull_trigger(stop)
        thread.join()
        server.task_dispatcher.shutdown()


@contextlib.contextmanager
def connections(port: int, count: int, data: bytes) -> Generator[Sequence[socket.socket]]:
    """Open connections and write the same on each."""
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE)) for _ in range(count)]
        for each in opened:
            each.sendall(data.replace(b"HOST", b"127.0.0.1:%d" % port))
        yield opened


def ask(port: int, method: str = "POST", path: str = "/", body: bytes | None = b'"asked"') -> tuple[int, Any]:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request(method, path, body, JSON)
        response = connection.getresponse()
        return response.status, json.loads(response.read())


def is_ended(opened: socket.socket) -> bool:
    """Whether the server ends a connection, after what it still says."""
    try:
        while opened.recv(1 << 16):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


HALF_A_HEAD = b"POST / HTTP/1.1\r\nHost: HOST\r\n"
HALF_A_BODY = HALF_A_HEAD + b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"

A_REQUEST = HALF_A_HEAD + b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


@pytest.mark.parametrize("data", [b"", HALF_A_HEAD, HALF_A_BODY, b"GET /health HTTP/1.1\r\nHost: HOST\r\n\r\n"])
def test_where_there_are_too_many_connections_the_oldest_are_closed(
    monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    monkeypatch.setattr(web_server, "MOST_CONNECTIONS", 5)
    with serving() as port, connections(port, 30, data) as opened:
        assert ask(port) == (200, "asked")
        assert is_ended(opened[0])
        assert ask(port) == (200, "asked")


def test_a_request_that_does_not_get_complete_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "SECONDS_OPEN", 0.1)
    with serving() as port, connections(port, 1, HALF_A_BODY) as (opened,):
        assert is_ended(opened)


def test_a_byte_now_and_then_does_not_keep_a_connection_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "SECONDS_OPEN", 0.1)
    with serving() as port, connections(port, 1, HALF_A_BODY) as (opened,):
        opened.settimeout(0.05)
        for _ in range(PATIENCE * 20):
            try:
                opened.sendall(b"x")
                if not opened.recv(1):
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        else:
            pytest.fail("it stayed open")


def test_a_client_that_reads_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "SECONDS_OPEN", 0.1)
    closed = threading.Event()
    close = web_server._Channel.handle_close

    def close_and_tell(channel: Any) -> None:
        close(channel)
        closed.set()

    monkeypatch.setattr(web_server._Channel, "handle_close", close_and_tell)
    answer = json.dumps("x" * (32 << 20)).encode()  # More than the system takes for a client that does not read.
    with serving(lambda _body: answer) as port, connections(port, 1, A_REQUEST) as (opened,):
        assert closed.wait(PATIENCE)
        received = 0
        with contextlib.suppress(ConnectionError):
            while chunk := opened.recv(1 << 20):
                received += len(chunk)
        assert received < len(answer)


def test_where_too_many_wait_the_next_is_refused_and_documents_are_still_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(web_server, "MOST_WAITING", 1)
    begun, goes_on = threading.Semaphore(0), threading.Event()

    def answer(body: bytes) -> bytes:
        begun.release()
        assert goes_on.wait(PATIENCE)
        return body

    with serving(answer) as port, connections(port, 1, A_REQUEST):
        assert begun.acquire(timeout=PATIENCE)
        with connections(port, 2, A_REQUEST) as others:  # One waits, the other one is refused.
            (refused,), _, _ = select.select(others, [], [], PATIENCE)
            assert refused.recv(1 << 16).startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
            assert ask(port, "GET", "/health", None) == (200, "well")
            assert ask(port)[1] == {"status": 503, "error": "1 requests wait already: try again later"}
            goes_on.set()
            (waited,) = set(others) - {refused}
            assert waited.recv(1 << 16).startswith(b"HTTP/1.1 200 OK\r\n")


def test_of_too_many_large_requests_one_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "MOST_LARGE", 2)
    head = HALF_A_HEAD + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (4 * web_server.LARGE)
    with serving() as port, connections(port, 3, head + b" " * (2 * web_server.LARGE)) as opened:
        (ended,), _, _ = select.select(opened, [], [], PATIENCE)
        assert is_ended(ended)
        (other, *_) = set(opened) - {ended}
        other.sendall(b" " * (2 * web_server.LARGE - 2) + b"{}")
        assert other.recv(1 << 16).startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (HALF_A_HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"1" * 5000, b"400 Bad Request"),
        (HALF_A_HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"x: y\r\n" * 1000, b"400 Bad Request"),
        (b"GET / HTTP/1.1\r\nX: ".ljust(1 << 14, b"y"), b"431 Request Header Fields Too Large"),
    ],
)
def test_what_frames_a_request_has_a_limit(data: bytes, status: bytes) -> None:
    with serving() as port, connections(port, 1, data) as (opened,):
        assert opened.recv(1 << 16).partition(b" ")[2].startswith(status)


def test_many_requests_ahead_end_the_connection() -> None:
    with serving() as port, connections(port, 1, b"GET /health HTTP/1.1\r\nHost: HOST\r\n\r\n" * 1000) as (opened,):
        assert is_ended(opened)
