"""Serves the protocol over HTTP, as a WSGI application: one request a POST, of JSON, from whom `Access` lets in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeAlias, final

import msgspec

from ..reference_engine.version import package_version
from .builtin import Reference
from .engine import Limits
from .protocol import PROTOCOL_VERSION, message_schemas
from .web_access import Access, Headers, ProblemError, preflight_headers

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse

JSON = "application/json"
MAX_BODY = Limits().line
"""The largest request that is passed on to an engine, in bytes."""
MAX_REFERENCE_BODY = 1 << 20
"""The largest request that the reference engine answers: it gives no `state` that a client would send back."""

_Environ: TypeAlias = Mapping[str, Any]
_Json: TypeAlias = dict[str, object]
_Route: TypeAlias = tuple[tuple[str, ...], str, Callable[[_Environ], bytes]]
"""The methods that a path allows, the type of what they return, and the function that answers them."""


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
            HTTPStatus.SERVICE_UNAVAILABLE,
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
