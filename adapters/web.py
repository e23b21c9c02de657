"""Serves the protocol over HTTP, as a WSGI application: one request a POST."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, final

import msgspec

from .builtin import Reference, package_version
from .engine import Limits
from .protocol import PROTOCOL_VERSION, message_schemas
from .server import respond

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse

MAX_BODY = Limits().line
"""The largest request that is answered, in bytes."""

_Environ: TypeAlias = Mapping[str, Any]
_Json: TypeAlias = dict[str, object]
_Route: TypeAlias = tuple[tuple[str, ...], Callable[[_Environ], bytes]]
"""The methods that a path allows, and the function that answers them."""


@final
class Application:
    """Answers any HTTP request with JSON."""

    def __init__(self, answer: Callable[[bytes], bytes], documents: Mapping[str, Callable[[], object]]) -> None:
        """`answer` gets the body of each POST to `/`; `documents` maps other paths to what a GET of them returns."""

        def ask(environ: _Environ) -> bytes:
            return answer(_request_body(environ))

        self._routes: Mapping[str, _Route] = {
            "/": (("POST",), ask),
            **{path: _document_route(document) for path, document in documents.items()},
        }

    def __call__(self, environ: _Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        try:
            body = self._answer(environ)
            status, headers = HTTPStatus.OK, ()
        except _ProblemError as problem:
            body = msgspec.json.encode({"status": problem.status.value, "error": str(problem)})
            status, headers = problem.status, problem.headers
        _ = start_response(
            f"{status.value} {status.phrase}",
            [("Content-Type", "application/json"), ("Content-Length", str(len(body))), *headers],
        )
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]

    def _answer(self, environ: _Environ) -> bytes:
        """Return the body of the answer. Raises `_ProblemError`."""
        path: str = environ.get("PATH_INFO") or "/"
        if path not in self._routes:
            there = ", ".join(self._routes)
            raise _ProblemError(HTTPStatus.NOT_FOUND, f"there is nothing here: there are {there}")
        methods, answer = self._routes[path]
        if environ["REQUEST_METHOD"] not in methods:
            allowed = ", ".join(methods)
            raise _ProblemError(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} is for {allowed}", ("Allow", allowed))
        return answer(environ)


def _document_route(document: Callable[[], object]) -> _Route:
    return ("GET", "HEAD"), lambda _environ: msgspec.json.encode(document())


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


class _ProblemError(Exception):
    """A request that is answered with an HTTP error."""

    def __init__(self, status: HTTPStatus, text: str, *headers: tuple[str, str]) -> None:
        super().__init__(text)
        self.status: HTTPStatus = status
        self.headers: tuple[tuple[str, str], ...] = headers


def _request_body(environ: _Environ) -> bytes:
    """Read the body of a request. Raises `_ProblemError`."""
    length: str = environ.get("CONTENT_LENGTH") or ""
    if not (length.isascii() and length.isdigit()):
        raise _ProblemError(HTTPStatus.LENGTH_REQUIRED, "the request does not say how long it is (Content-Length)")
    if len(length) > 15 or int(length) > MAX_BODY:
        raise _ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request has more than {MAX_BODY} bytes")
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
        for status in (HTTPStatus.LENGTH_REQUIRED, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
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
    return {"content": {"application/json": {"schema": schema}}}


def _reference(name: str) -> _Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(**properties: _Json) -> _Json:
    return {"type": "object", "required": list(properties), "properties": properties}


application = Application(respond, {"/health": _health, "/openapi.json": openapi})
"""The reference engine."""
