"""Serves the protocol over HTTP, as a WSGI application: one request a POST, of JSON, to those who may ask.

A web page that a user of this machine looks at can send requests to a server here. A browser names the page's origin
with them and, where a name of the page's owner leads to this machine (DNS rebinding), that name as the host.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, TypeAlias, final

import msgspec

from ..reference_engine.installation import package_version
from .builtin import Reference
from .engine import Limits, beginning
from .errors import AdapterError
from .protocol import PROTOCOL_VERSION, message_schemas

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse
    from waitress.server import BaseWSGIServer, MultiSocketServer

MAX_BODY = Limits().line
"""The largest request that is passed on to an engine, in bytes."""
MAX_REFERENCE_BODY = 1 << 20
"""The largest request that the reference engine answers: it gives no `state` that a client would send back."""
MOST_CONNECTIONS = 400
"""No more are accepted until one of them ends."""
SECONDS_SILENT = 60
"""A connection on which nothing came or went for so long is closed."""
_Headers: TypeAlias = Sequence[tuple[str, str]]
_Environ: TypeAlias = Mapping[str, Any]
_Json: TypeAlias = dict[str, object]
_JSON = "application/json"
_PAGE_HEADERS = (
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        + "frame-ancestors 'none'",
    ),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)
"""What a page may load. No other page may show it in a frame, where its buttons would be pressed unseen, take it to
other positions after it opened it, or load its files."""
_MAX_HEAD = 1 << 14
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^\s:/@,\[\]]+)(?::(?P<port>[0-9]{1,5}))?")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/,]+")
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_SHOWN = 80


class AccessError(AdapterError):
    """What is allowed is no host or no origin."""


class ProblemError(Exception):
    """A request that is answered with an HTTP error."""

    def __init__(self, status: HTTPStatus, text: str, *headers: tuple[str, str]) -> None:
        super().__init__(text)
        self.status: HTTPStatus = status
        self.headers: Sequence[tuple[str, str]] = headers


@final
class Access:
    """The hosts and origins whose requests are answered."""

    def __init__(
        self,
        host: str,
        address: str,
        port: int,
        *,
        hosts: Sequence[str] = (),
        origins: Sequence[str] = (),
        has_options: bool = True,
    ) -> None:
        """Allow the host and the address that is listened on, with the port, and what else is given.

        An address that stands for all addresses allows every IP address and `localhost`: only a name can be made to
        lead here by someone else. `hosts` are `name` (with any port) or `name:8080`; `origins` are those of web pages
        that may ask, such as `https://example.org`. `has_options` says whether the command that serves has options for
        them, which messages name. Raises `AccessError` for what is no host or no origin.
        """
        listened = ip_address(address.partition("%")[0])
        self._has_options = has_options
        self._any_address = listened.is_unspecified
        names = [host.lower(), address.lower(), *(_LOOPBACK if listened.is_loopback else ())]
        named = {f"[{name}]" if ":" in name and not name.startswith("[") else name for name in names}
        self._hosts: set[tuple[str, int | None]] = {(name, port) for name in named}
        if self._any_address:
            self._hosts = {("localhost", None)}
        for text in hosts:
            parts = _HOST.fullmatch(text.lower())
            if parts is None:
                raise AccessError(f"{text!r} is no host: write NAME or NAME:PORT, such as example.org")
            self._hosts.add((parts["name"], int(parts["port"]) if parts["port"] else None))
        for text in origins:
            if not _ORIGIN.fullmatch(text.lower()):
                raise AccessError(f"{text!r} is no origin: write SCHEME://HOST[:PORT], such as https://example.org")
        self._origins = {text.lower() for text in origins}

    def check(self, environ: _Environ) -> _Headers:
        """Return the headers that a browser wants to see in the answer to a request of WSGI.

        Raises `ProblemError` where it is for another host, or of a page that may not ask.
        """
        host: str = environ.get("HTTP_HOST", "").lower()
        if not host:
            raise ProblemError(HTTPStatus.BAD_REQUEST, "the request does not say which host it is for (Host)")
        if not self._is_allowed(host):
            known = [name if port is None else f"{name}:{port}" for name, port in sorted(self._hosts, key=str)]
            known += ["any IP address"] if self._any_address else []
            advice = "; start it with --allow-host for another name" if self._has_options else ""
            text = f"this server is not {beginning(host, _SHOWN)!r}: it is {', '.join(known)}{advice}"
            raise ProblemError(HTTPStatus.MISDIRECTED_REQUEST, text)
        vary = (("Vary", "Origin"),) if self._origins else ()
        origin: str | None = environ.get("HTTP_ORIGIN")
        if origin is None or origin.lower() == f"http://{host}":
            return vary
        if origin.lower() not in self._origins:
            advice = ": start it with --allow-origin for those that may" if self._has_options else ""
            text = f"web pages of {beginning(origin, _SHOWN)!r} may not ask this server{advice}"
            raise ProblemError(HTTPStatus.FORBIDDEN, text)
        return (*vary, ("Access-Control-Allow-Origin", origin))

    def _is_allowed(self, host: str) -> bool:
        parts = _HOST.fullmatch(host)
        if parts is None:
            return False
        if not self._hosts.isdisjoint({(parts["name"], int(parts["port"] or 80)), (parts["name"], None)}):
            return True
        with suppress(ValueError):
            _ = ip_address(parts["name"].strip("[]"))
            return self._any_address
        return False


@final
class Application:
    """Answers any HTTP request with JSON, or with a file."""

    def __init__(
        self,
        answers: Mapping[str, Callable[[bytes], bytes]],
        documents: Mapping[str, Callable[[], object]],
        access: Access,
        *,
        files: Mapping[str, tuple[str, bytes]] | None = None,
        max_body: int = MAX_BODY,
    ) -> None:
        """Answer requests by path, those of up to `max_body` bytes, if `access` allows it.

        `answers` get the body of a POST and answer it with JSON. A GET returns a document as JSON, and a file, of which
        the type and the content are given, as it is.
        """
        self._answers = answers
        self._documents = documents
        self._access = access
        self._files = files or {}
        self._max_body = max_body

    def __call__(self, environ: _Environ, start_response: StartResponse) -> Iterable[bytes]:
        status, content_type, for_browser = HTTPStatus.OK, _JSON, ()
        try:
            for_browser = self._access.check(environ)
            headers, content_type, body = self._answer(environ, dict(for_browser))
        except ProblemError as problem:
            status, headers = problem.status, problem.headers
            body = msgspec.json.encode({"status": status.value, "error": str(problem)})
        _ = start_response(
            f"{status.value} {status.phrase}",
            [("Content-Type", content_type), ("Content-Length", str(len(body))), *headers, *for_browser],
        )
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]

    def _answer(self, environ: _Environ, for_browser: Mapping[str, str]) -> tuple[_Headers, str, bytes]:
        path: str = environ.get("PATH_INFO") or "/"
        paths = (*self._answers, *self._documents, *self._files)
        if path not in paths:
            raise ProblemError(HTTPStatus.NOT_FOUND, f"there is nothing here: there are {', '.join(paths)}")
        methods = ("POST",) if path in self._answers else ("GET", "HEAD")
        allowed = ", ".join(methods)
        if environ["REQUEST_METHOD"] == "OPTIONS" and "Access-Control-Allow-Origin" in for_browser:
            permission = {"Allow-Methods": allowed, "Allow-Headers": "Content-Type", "Max-Age": "600"}
            return [(f"Access-Control-{name}", value) for name, value in permission.items()], _JSON, b""
        if environ["REQUEST_METHOD"] not in methods:
            raise ProblemError(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} is for {allowed}", ("Allow", allowed))
        if path in self._answers:
            return (), _JSON, self._answers[path](_request_body(environ, self._max_body))
        if path in self._documents:
            return (), _JSON, msgspec.json.encode(self._documents[path]())
        return _PAGE_HEADERS, *self._files[path]


def reference_application(answer: Callable[[bytes], bytes], access: Access) -> Application:
    """Make the application of the reference engine, which answers requests with `answer`."""
    engine = Reference().identity().engine
    health = {"status": "ok", "engine": engine.name, "version": engine.version}
    documents = {"/health": lambda: health, "/openapi.json": openapi}
    return Application({"/": answer}, documents, access, max_body=MAX_REFERENCE_BODY)


def create_server(
    application: Application, listening: socket.socket, threads: int
) -> BaseWSGIServer | MultiSocketServer:
    """Serve an application at a socket that is listened on: `threads` requests at once, on `run()`.

    `run` returns after a `SystemExit` or Ctrl-C.
    """
    from waitress.channel import HTTPChannel
    from waitress.parser import HTTPRequestParser, ParsingError
    from waitress.server import create_server

    @final
    class Parser(HTTPRequestParser):
        path = ""  # Waitress logs it, also where it read none.

        def parse_header(self, header_plus: bytes) -> None:
            """Read a head. Raises `ParsingError`, also for a length or an address that Python cannot read."""
            try:
                super().parse_header(header_plus)
            except ValueError as error:
                raise ParsingError(str(error)) from error

    @final
    class Channel(HTTPChannel):
        parser_class = Parser

    server = create_server(
        application,
        sockets=[listening],
        threads=threads,
        ident=None,
        connection_limit=MOST_CONNECTIONS,
        channel_timeout=SECONDS_SILENT,
        cleanup_interval=1,
        max_request_header_size=_MAX_HEAD,
        max_request_body_size=2 * MAX_BODY,  # The application can say what is right only up to there.
        log_socket_errors=False,
        asyncore_use_poll=True,
    )
    server.channel_class = Channel  # pyright: ignore[reportAttributeAccessIssue] - a server of one socket has it
    return server


def _request_body(environ: _Environ, max_body: int) -> bytes:
    """Read the body of a request. Raises `ProblemError`.

    The pages of other sites can send some types of content without asking the server first; JSON is not among them.
    """
    content_type: str = environ.get("CONTENT_TYPE") or ""
    if content_type.partition(";")[0].strip().lower() != _JSON:
        raise ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"a request is JSON and says so (Content-Type: {_JSON})")
    length: str = environ.get("CONTENT_LENGTH") or ""
    if not (length.isascii() and length.isdigit()):
        raise ProblemError(HTTPStatus.LENGTH_REQUIRED, "the request does not say how long it is (Content-Length)")
    if len(length) > 15 or int(length) > max_body:
        raise ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request has more than {max_body} bytes")
    return environ["wsgi.input"].read(int(length))


@cache
def openapi() -> _Json:
    """Return the description of the application in OpenAPI 3.1."""

    def named(name: str) -> _Json:
        return {"$ref": f"#/components/schemas/{name}"}

    def responses(schema: _Json, *codes: int) -> _Json:
        content = {_JSON: {"schema": schema}}
        return {str(code): {"description": HTTPStatus(code).phrase, "content": content} for code in codes}

    def operation(name: str, summary: str, answered: _Json, *problems: int) -> _Json:
        every = {**responses(answered, 200), **responses(named("Problem"), *problems)}
        return {"operationId": name, "summary": summary, "responses": every}

    def record(**properties: _Json) -> _Json:
        return {"type": "object", "required": list(properties), "properties": properties}

    asked = [
        {"allOf": [named("Request"), {"properties": {"method": {"const": method}, "params": named(params)}}]}
        for method, params in (("initialize", "InitializeParams"), ("adjudicate", "AdjudicateParams"))
    ]
    results: _Json = {"properties": {"result": {"anyOf": [named("InitializeResult"), named("AdjudicateResult")]}}}
    answered: _Json = {"allOf": [named("Response"), results]}
    ask = operation("ask", "Answers one request, errors included.", answered, 400, 403, 411, 413, 415, 421)
    ask["requestBody"] = {"required": True, "content": {_JSON: {"schema": {"anyOf": asked}}}}
    text: _Json = {"type": "string"}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "datc-check reference engine",
            "description": f"The engine protocol of datc-check, version {PROTOCOL_VERSION}: JSON-RPC 2.0 over HTTP.",
            "version": package_version(),
        },
        "paths": {
            "/": {"post": ask},
            "/health": {"get": operation("health", "Says that it is up.", named("Health"))},
            "/openapi.json": {"get": operation("openapi", "This description.", {"type": "object"})},
        },
        "components": {
            "schemas": {
                **message_schemas("#/components/schemas/{name}"),
                "Health": record(status={"const": "ok"}, engine=text, version=text),
                "Problem": record(status={"type": "integer"}, error=text),
            }
        },
    }
