from __future__ import annotations

import io
from typing import Any, TypeAlias
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

import jsonschema
import msgspec
import openapi_spec_validator
import pytest

from datc.adapters.server import respond
from datc.adapters.web import MAX_BODY, application, openapi

Json: TypeAlias = Any
LONDON = {"power": "ENGLAND", "type": "A", "location": "LON"}
INITIALIZE = {"protocol": 1, "harness": {"name": "test", "version": "1"}}
ADJUDICATE = {"phase": "movement", "units": [LONDON], "orders": [{"power": "ENGLAND", "text": "A London - Wales"}]}


def request(method: str, params: object) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})


def ask(method: str, path: str, body: bytes = b"", *, length: str | None = "right") -> tuple[str, dict[str, str], Json]:
    """Ask the application, which a checker of WSGI stands around."""
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "wsgi.input": io.BytesIO(body),
    }
    setup_testing_defaults(environ)
    if length is not None:
        environ["CONTENT_LENGTH"] = str(len(body)) if length == "right" else length
    started: list[tuple[str, dict[str, str]]] = []

    def start(status: str, headers: list[tuple[str, str]], _error: object = None) -> Any:
        started.append((status, dict(headers)))

    chunks: Any = validator(application)(environ, start)
    data = b"".join(chunks)
    chunks.close()
    ((status, headers),) = started
    assert headers["Content-Type"] == "application/json"
    if method != "HEAD":
        assert headers["Content-Length"] == str(len(data))
    return status, headers, msgspec.json.decode(data) if data else None


@pytest.mark.parametrize(
    "body",
    [
        request("initialize", INITIALIZE),
        request("adjudicate", ADJUDICATE),
        request("resign", {}),
        request("adjudicate", {"phase": "lunch"}),
        b"not JSON",
        b"",
    ],
)
def test_a_request_gets_what_it_gets_over_standard_input(body: bytes) -> None:
    status, _, answer = ask("POST", "/", body)
    assert status == "200 OK"
    assert answer == msgspec.json.decode(respond(body))


def test_it_says_that_it_is_up() -> None:
    status, _, answer = ask("GET", "/health")
    assert status == "200 OK"
    assert answer["status"] == "ok"
    assert answer["engine"] == "datc-check reference engine"
    assert answer["version"]


def test_a_head_has_no_body() -> None:
    status, headers, answer = ask("HEAD", "/health")
    assert (status, answer) == ("200 OK", None)
    assert int(headers["Content-Length"]) > 0


@pytest.mark.parametrize(
    ("method", "path", "length", "status"),
    [
        ("GET", "/elsewhere", "right", "404 Not Found"),
        ("POST", "/health/", "right", "404 Not Found"),
        ("GET", "/", "right", "405 Method Not Allowed"),
        ("HEAD", "/", "right", "405 Method Not Allowed"),
        ("POST", "/health", "right", "405 Method Not Allowed"),
        ("DELETE", "/openapi.json", "right", "405 Method Not Allowed"),
        ("POST", "/", None, "411 Length Required"),
        ("POST", "/", "", "411 Length Required"),
    ],
)
def test_what_is_wrong_is_said_in_json(method: str, path: str, length: str | None, status: str) -> None:
    said, headers, answer = ask(method, path, length=length)
    assert said == status
    assert ("Allow" in headers) == status.startswith("405")
    if method != "HEAD":
        assert answer["status"] == int(status[:3])
        assert answer["error"]


@pytest.mark.parametrize("length", [str(MAX_BODY + 1), "9" * 400])
def test_a_request_that_is_too_large_is_not_read(length: str) -> None:
    status, _, answer = ask("POST", "/", length=length)
    assert status.startswith("413 ")
    assert answer == {"status": 413, "error": f"the request has more than {MAX_BODY} bytes"}


def test_the_description_is_one() -> None:
    status, _, description = ask("GET", "/openapi.json")
    assert status == "200 OK"
    assert description == openapi()
    openapi_spec_validator.validate(description)
    assert description["openapi"].startswith("3.1")
    assert description["paths"].keys() == {"/", "/health", "/openapi.json"}


def check(description: Json, schema: Json, value: object) -> None:
    jsonschema.Draft202012Validator({**schema, "components": description["components"]}).validate(value)


def test_what_is_asked_and_answered_is_as_described() -> None:
    description = ask("GET", "/openapi.json")[2]
    post = description["paths"]["/"]["post"]
    asked = post["requestBody"]["content"]["application/json"]["schema"]
    answered = post["responses"]["200"]["content"]["application/json"]["schema"]
    for body in (request("initialize", INITIALIZE), request("adjudicate", ADJUDICATE)):
        check(description, asked, msgspec.json.decode(body))
        check(description, answered, ask("POST", "/", body)[2])
    check(description, answered, ask("POST", "/", b"[]")[2])
    for wrong in (request("initialize", ADJUDICATE), request("adjudicate", INITIALIZE), request("resign", {})):
        with pytest.raises(jsonschema.ValidationError):
            check(description, asked, msgspec.json.decode(wrong))
    health = description["paths"]["/health"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    check(description, health, ask("GET", "/health")[2])
    problem = post["responses"]["413"]["content"]["application/json"]["schema"]
    check(description, problem, ask("POST", "/", length=str(MAX_BODY + 1))[2])
