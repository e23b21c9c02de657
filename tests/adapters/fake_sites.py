"""A scripted engine behind HTTP that misbehaves in one way, on plain sockets: it can break every rule of HTTP."""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPMessage, parse_headers
from typing import NoReturn, TypeAlias

from ..engines.speaking import MIB, Message, Request, Saying, error, good
from .fakes import MARKER

PAGE = b"<!DOCTYPE html>\n<title>\x1b[31mOops</title>"
BREATH = 0.02
"""Seconds between the bytes of an answer that drips."""


@dataclass
class Asked:
    """A request as it came."""

    path: str
    headers: HTTPMessage
    message: Request

    @property
    def texts(self) -> list[str]:
        if self.message["method"] == "initialize":
            return []
        return [order["text"] for order in self.message["params"]["orders"]]


@dataclass
class Connection:
    """One connection, as a behaviour sees it."""

    site: Site
    socket: socket.socket
    asked: Asked

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def answer(self, body: bytes | Message, status: str = "200 OK", *headers: str) -> None:
        """Answer as one should, in one piece."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send(head(status, f"Content-Length: {len(data)}", *headers) + data)

    def good(self, **fields: object) -> Message:
        return good(self.asked.message, **fields)

    def behave(self) -> None:
        self.answer(self.good())

    def end(self) -> None:
        self.socket.shutdown(socket.SHUT_RDWR)

    def wait_for_the_end(self) -> None:
        """Wait until the other side ends the connection."""
        while self.socket.recv(MIB):
            pass
        self.site.hung_up.release()


Behaviour: TypeAlias = Callable[[Connection], object]


def head(status: str, *headers: str) -> bytes:
    return "\r\n".join((f"HTTP/1.1 {status}", *headers, "", "")).encode("latin-1")


@dataclass
class Site:
    """An engine at a URL of this machine: it plays the behaviour where the marker is, or at each `initialize`."""

    behaviour: Behaviour
    at_start: bool = False
    asked: list[Asked] = field(default_factory=list)
    hung_up: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    """Counts the connections that the other side ended while it waited for an answer."""
    listening: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    connections: int = 0
    tls: ssl.SSLContext | None = None
    _sockets: list[socket.socket] = field(default_factory=list)
    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(32))
    _closing: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        _ = self._threads.submit(self._accept)

    @property
    def port(self) -> int:
        return self.listening.getsockname()[1]

    @property
    def url(self) -> str:
        return f"{'https://localhost' if self.tls else 'http://127.0.0.1'}:{self.port}/rpc"

    def times_asked(self, text: str) -> int:
        return sum(text in asked.texts for asked in self.asked)

    def close(self) -> None:
        self._closing.set()
        # A blocked `accept` ends when the socket is shut down.
        for one in (self.listening, *self._sockets):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self._threads.shutdown()
        self.listening.close()

    def pause(self) -> None:
        """Wait for a moment, or until the site is closed."""
        _ = self._closing.wait(BREATH)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                accepted, _ = self.listening.accept()
                accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._sockets.append(accepted)
                self.connections += 1
                _ = self._threads.submit(self._serve, accepted)

    def _serve(self, accepted: socket.socket) -> None:
        with (
            accepted,
            contextlib.suppress(OSError),
            self._secured(accepted) as talking,
            talking.makefile("rb") as stream,
        ):
            while first := stream.readline():
                headers = parse_headers(stream)
                message = json.loads(stream.read(int(headers["Content-Length"])))
                self.asked.append(asked := Asked(first.split()[1].decode(), headers, message))
                self._behave(Connection(self, talking, asked))

    def _secured(self, accepted: socket.socket) -> socket.socket:
        return self.tls.wrap_socket(accepted, server_side=True) if self.tls else accepted

    def _behave(self, connection: Connection) -> None:
        asked = connection.asked
        is_wanted = asked.message["method"] == "initialize" if self.at_start else MARKER in asked.texts
        _ = self.behaviour(connection) if is_wanted else connection.behave()


def says(status: str, body: bytes | Saying = b"", *headers: str) -> Behaviour:
    """Answer with a status and a body, or with what is said of the message."""
    return lambda asked: asked.answer(body(asked.asked.message) if callable(body) else body, status, *headers)


def on_fire(code: int) -> Saying:
    return lambda request: error(request, code, "the board is on fire")


def sends(data: bytes, then: Behaviour = Connection.end) -> Behaviour:
    return lambda connection: connection.send(data) or then(connection)


def floods(start: bytes, piece: bytes, *, slowly: bool = False) -> Behaviour:
    def behave(connection: Connection) -> None:
        connection.send(start)
        try:
            while True:  # Until the other side has had enough.
                connection.send(piece)
                if slowly:
                    connection.site.pause()
        except OSError:
            connection.site.hung_up.release()

    return behave


drips = partial(floods, slowly=True)


def resets(connection: Connection) -> NoReturn:
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raise ConnectionAbortedError  # Which closes it.


def answers_in_chunks(connection: Connection) -> None:
    data = json.dumps(connection.good()).encode()
    connection.send(head("200 OK", "Transfer-Encoding: chunked"))
    for start in range(0, len(data), 7):
        piece = data[start : start + 7]
        connection.send(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
    connection.send(b"0\r\n\r\n")


def answers_and_ends(connection: Connection) -> None:
    connection.behave()
    connection.end()
    connection.site.hung_up.release()


def answers_until_the_end(connection: Connection) -> None:
    """Answer after `100 Continue`, with a body whose end is that of the connection."""
    connection.send(head("100 Continue") + head("200 OK", "Connection: close"))
    connection.send(json.dumps(connection.good()).encode())
    connection.end()


def answers_twice(connection: Connection) -> None:
    """Answer twice in one piece: what is left over is there when the connection is looked at before its next use."""
    data = json.dumps(connection.good()).encode()
    connection.send((head("200 OK", f"Content-Length: {len(data)}") + data) * 2)


CHUNKED = head("200 OK", "Transfer-Encoding: chunked")
ENDLESS = head("200 OK", f"Content-Length: {1 << 40}")
BOMB = gzip.compress(b" " * (32 * MIB))
