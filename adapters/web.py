"""Serves the protocol over HTTP, as a WSGI application: one request a POST, of JSON, to those who may ask.

A web page that a user of this machine looks at can send requests to a server here. A browser names the page's origin
with them and, where a name of the page's owner leads to this machine (DNS rebinding), that name as the host.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from http import HTTPStatus
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeAlias, final

import msgspec

from ..reference_engine.installation import package_version
from .builtin import Reference
from .engine import Limits, beginning
from .errors import AdapterError
from .protocol import PROTOCOL_VERSION, message_schemas

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse
    from waitress.server import BaseWSGIServer, MultiSocketServer

JSON = "application/json"
MAX_BODY = Limits().line
"""The largest request that is passed on to an engine, in bytes."""
MAX_REFERENCE_BODY = 1 << 20
"""The largest request that the reference engine answers: it gives no `state` that a client would send back."""

Headers: TypeAlias = Sequence[tuple[str, str]]
_Environ: TypeAlias = Mapping[str, Any]
_Json: TypeAlias = dict[str, object]
_Route: TypeAlias = tuple[tuple[str, ...], str, Callable[[_Environ], bytes]]
"""The methods that a path allows, the type of what they return, and the function that answers them."""
MOST_CONNECTIONS = 400
"""No more are accepted until one of them ends."""
SECONDS_SILENT = 60
"""A connection on which nothing came or went for so long is closed."""
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
        self.headers: Headers = headers


@final
class Access:
    """The hosts and origins whose requests are answered."""

    def __init__(
        self,
        host: str,
        address: str,
        port: int,
        *,
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        has_options: bool = True,
    ) -> None:
        """Allow the host and the address that is listened on, with the port, and what else is given.

        Args:
            host: The host to listen on, as it was named.
            address: Its address. One that stands for all addresses allows every IP address and `localhost`: only a
                name can be made to lead here by someone else.
            port: The port.
            hosts: More hosts, such as `name` (with any port) or `name:8080`.
            origins: The origins of other web pages that may ask, such as `https://example.org`.
            has_options: Whether the command that serves has options for more hosts and origins, which messages name.

        Raises:
            AccessError: Something else is given for a host or an origin.
        """
        listened = ip_address(address.partition("%")[0])
        self._has_options = has_options
        self._any_address = listened.is_unspecified
        names = [host.lower(), address.lower(), *(_LOOPBACK if listened.is_loopback else ())]
        named = {f"[{name}]" if ":" in name and not name.startswith("[") else name for name in names}
        allowed = {("localhost", None)} if self._any_address else {(name, port) for name in named}
        self._hosts: frozenset[tuple[str, int | None]] = frozenset(allowed | {_given_host(each) for each in hosts})
        self._origins = frozenset(map(_given_origin, origins))

    def check(self, environ: Mapping[str, Any]) -> Headers:
        """Return the headers that a browser wants to see in the answer.

        Args:
            environ: The request, as WSGI has it.

        Raises:
            ProblemError: The request is for another host, or of a page that may not ask.
        """
        host: str = environ.get("HTTP_HOST", "").lower()
        if not host:
            raise ProblemError(HTTPStatus.BAD_REQUEST, "the request does not say which host it is for (Host)")
        if not self._is_allowed(host):
            raise ProblemError(
                HTTPStatus.MISDIRECTED_REQUEST,
                f"this server is not {beginning(host, _SHOWN)!r}: it is {self._said()}"
                + ("; start it with --allow-host for another name" if self._has_options else ""),
            )
        vary = (("Vary", "Origin"),) if self._origins else ()
        origin: str | None = environ.get("HTTP_ORIGIN")
        if origin is None or origin.lower() == f"http://{host}":
            return vary
        if origin.lower() not in self._origins:
            raise ProblemError(
                HTTPStatus.FORBIDDEN,
                f"web pages of {beginning(origin, _SHOWN)!r} may not ask this server"
                + (": start it with --allow-origin for those that may" if self._has_options else ""),
            )
        return (*vary, ("Access-Control-Allow-Origin", origin))

    def _is_allowed(self, host: str) -> bool:
        parts = _HOST.fullmatch(host)
        if parts is None:
            return False
        name, port = parts["name"], int(parts["port"] or 80)
        return not self._hosts.isdisjoint({(name, port), (name, None)}) or (self._any_address and _is_address(name))

    def _said(self) -> str:
        """Say which hosts are allowed."""
        known = [name if port is None else f"{name}:{port}" for name, port in sorted(self._hosts, key=str)]
        return ", ".join([*known, *(["any IP address"] if self._any_address else [])])


class WebFile(NamedTuple):
    """A file for a browser."""

    type: str
    content: bytes


@final
class Application:
    """Answers any HTTP request with JSON, or with a file."""

    def __init__(
        self,
        answers: Mapping[str, Callable[[bytes], bytes]],
        documents: Mapping[str, Callable[[], object]],
        access: Access,
        *,
        files: Mapping[str, WebFile] | None = None,
        max_body: int = MAX_BODY,
    ) -> None:
        """Answer requests by path.

        Args:
            answers: What gets the body of each POST, and answers it with JSON.
            documents: What a GET returns as JSON.
            access: Whose requests are answered.
            files: What a GET returns as it is.
            max_body: How many bytes a request may have.
        """
        self._access = access
        self._routes: Mapping[str, _Route] = {
            **{path: _answer_route(answer, max_body) for path, answer in answers.items()},
            **{path: _document_route(document) for path, document in documents.items()},
            **{path: _file_route(file) for path, file in (files or {}).items()},
        }

    def __call__(self, environ: _Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        for_browser: Headers = ()
        content_type = JSON
        try:
            for_browser = self._access.check(environ)
            headers, content_type, body = self._answer(
                environ, may_preflight="Access-Control-Allow-Origin" in dict(for_browser)
            )
            status = HTTPStatus.OK
        except ProblemError as problem:
            body = problem_body(problem.status, str(problem))
            status, headers = problem.status, problem.headers
        _ = start_response(
            f"{status.value} {status.phrase}",
            [("Content-Type", content_type), ("Content-Length", str(len(body))), *headers, *for_browser],
        )
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]

    def _answer(self, environ: _Environ, *, may_preflight: bool) -> tuple[Headers, str, bytes]:
        """Return headers, the type and the body of the answer. Raises `ProblemError`."""
        path: str = environ.get("PATH_INFO") or "/"
        if path not in self._routes:
            there = ", ".join(self._routes)
            raise ProblemError(HTTPStatus.NOT_FOUND, f"there is nothing here: there are {there}")
        methods, content_type, answer = self._routes[path]
        if environ["REQUEST_METHOD"] == "OPTIONS" and may_preflight:
            return preflight_headers(methods), JSON, b""
        if environ["REQUEST_METHOD"] not in methods:
            allowed = ", ".join(methods)
            raise ProblemError(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} is for {allowed}", ("Allow", allowed))
        return (), content_type, answer(environ)


def reference_application(answer: Callable[[bytes], bytes], access: Access) -> Application:
    """Make the application of the reference engine, which answers requests with `answer`."""
    return Application(
        {"/": answer}, {"/health": _health, "/openapi.json": openapi}, access, max_body=MAX_REFERENCE_BODY
    )


def create_server(
    application: Application, listening: socket.socket, threads: int
) -> BaseWSGIServer | MultiSocketServer:
    """Serve an application at a socket that is listened on: `threads` requests at once, on `run()`.

    `run` returns after a `SystemExit` or Ctrl-C.
    """
    from waitress.server import create_server

    return create_server(
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


def problem_body(status: HTTPStatus, text: str) -> bytes:
    """Return the body of an HTTP error."""
    return msgspec.json.encode({"status": status.value, "error": text})


def _document_route(document: Callable[[], object]) -> _Route:
    return ("GET", "HEAD"), JSON, lambda _environ: msgspec.json.encode(document())


def _file_route(file: WebFile) -> _Route:
    return ("GET", "HEAD"), file.type, lambda _environ: file.content


def _answer_route(answer: Callable[[bytes], bytes], max_body: int) -> _Route:
    return ("POST",), JSON, lambda environ: answer(_request_body(environ, max_body))


@cache
def openapi() -> _Json:
    """Return the description of the application in OpenAPI 3.1."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "datc-check reference engine",
            "description": f"The engine protocol of datc-check, version {PROTOCOL_VERSION}: JSON-RPC 2.0 over HTTP.",
            "version": package_version(),
        },
        "paths": {
            "/": {"post": _ask_operation()},
            "/health": {"get": _operation("health", "Says that it is up.", _content(_reference("Health")))},
            "/openapi.json": {"get": _operation("openapi", "This description.", _content({"type": "object"}))},
        },
        "components": {
            "schemas": {
                **message_schemas("#/components/schemas/{name}"),
                "Health": _object(status={"const": "ok"}, engine={"type": "string"}, version={"type": "string"}),
                "Problem": _object(status={"type": "integer"}, error={"type": "string"}),
            }
        },
    }


def _request_body(environ: _Environ, max_body: int) -> bytes:
    """Read the body of a request. Raises `ProblemError`.

    The pages of other sites can send some types of content without asking the server first; JSON is not among them.
    """
    content_type: str = environ.get("CONTENT_TYPE") or ""
    if content_type.partition(";")[0].strip().lower() != JSON:
        raise ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"a request is JSON and says so (Content-Type: {JSON})")
    length: str = environ.get("CONTENT_LENGTH") or ""
    if not (length.isascii() and length.isdigit()):
        raise ProblemError(HTTPStatus.LENGTH_REQUIRED, "the request does not say how long it is (Content-Length)")
    if len(length) > 15 or int(length) > max_body:
        raise ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request has more than {max_body} bytes")
    stream: BinaryIO = environ["wsgi.input"]
    return stream.read(int(length))


def _health() -> _Json:
    engine = Reference().identity().engine
    return {"status": "ok", "engine": engine.name, "version": engine.version}


def _ask_operation() -> _Json:
    requests = [_request_schema("initialize", "InitializeParams"), _request_schema("adjudicate", "AdjudicateParams")]
    results = [_reference("InitializeResult"), _reference("AdjudicateResult")]
    response: _Json = {"allOf": [_reference("Response"), {"properties": {"result": {"anyOf": results}}}]}
    problems: _Json = {
        str(status.value): {"description": status.phrase, **_content(_reference("Problem"))}
        for status in (
            HTTPStatus.BAD_REQUEST,
            HTTPStatus.FORBIDDEN,
            HTTPStatus.LENGTH_REQUIRED,
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            HTTPStatus.MISDIRECTED_REQUEST,
        )
    }
    return {
        **_operation("ask", "Answers one request, errors included.", _content(response), problems),
        "requestBody": {"required": True, **_content({"anyOf": requests})},
    }


def _request_schema(method: str, params: str) -> _Json:
    particular: _Json = {"properties": {"method": {"const": method}, "params": _reference(params)}}
    return {"allOf": [_reference("Request"), particular]}


def _operation(name: str, summary: str, content: _Json, problems: _Json | None = None) -> _Json:
    return {
        "operationId": name,
        "summary": summary,
        "responses": {"200": {"description": HTTPStatus.OK.phrase, **content}, **(problems or {})},
    }


def _content(schema: _Json) -> _Json:
    return {"content": {JSON: {"schema": schema}}}


def _reference(name: str) -> _Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(**properties: _Json) -> _Json:
    return {"type": "object", "required": list(properties), "properties": properties}


def preflight_headers(methods: Sequence[str]) -> Headers:
    """Return what a browser wants to know before it sends a request of a page that may ask.

    Args:
        methods: The methods that the path allows.
    """
    return (
        ("Access-Control-Allow-Methods", ", ".join(methods)),
        ("Access-Control-Allow-Headers", "Content-Type"),
        ("Access-Control-Max-Age", "600"),
    )


def _is_address(name: str) -> bool:
    try:
        _ = ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _given_host(text: str) -> tuple[str, int | None]:
    parts = _HOST.fullmatch(text.lower())
    if parts is None:
        raise AccessError(f"{text!r} is no host: write NAME or NAME:PORT, such as example.org")
    return parts["name"], int(parts["port"]) if parts["port"] else None


def _given_origin(text: str) -> str:
    if not _ORIGIN.fullmatch(text.lower()):
        raise AccessError(f"{text!r} is no origin: write SCHEME://HOST[:PORT], such as https://example.org")
    return text.lower()
