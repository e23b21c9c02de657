import io
from contextlib import closing
from http import HTTPStatus
from typing import Any, TypeAlias
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

import jsonschema
import msgspec
import openapi_spec_validator
import pytest

from datc.adapters.builtin import BuiltinEngine, relay, respond
from datc.adapters.web import MAX_REFERENCE_BODY, Access, AccessError, ProblemError, openapi, reference_application

from .fakes import rpc

Json: TypeAlias = Any
LONDON = {"power": "ENGLAND", "type": "A", "location": "LON"}
INITIALIZE = {"protocol": 1, "harness": {"name": "test", "version": "1"}}
ADJUDICATE = {"phase": "movement", "units": [LONDON], "orders": [{"power": "ENGLAND", "text": "A London - Wales"}]}


ACCESS = Access("127.0.0.1", "127.0.0.1", 80, origins=["https://example.org"])
application = reference_application(respond, ACCESS)


def ask(method: str, path: str, body: bytes = b"", **given: str | None) -> tuple[str, dict[str, str], Json]:
    """Ask the application, which a checker of WSGI stands around; `given` is what the environment has besides."""
    usual = {"CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body)), "HTTP_HOST": "127.0.0.1"}
    environ: dict[str, Any] = {name: value for name, value in {**usual, **given}.items() if value is not None}
    environ |= {"REQUEST_METHOD": method, "SCRIPT_NAME": "", "PATH_INFO": path, "QUERY_STRING": ""}
    environ["wsgi.input"] = io.BytesIO(body)
    setup_testing_defaults(environ)
    started: list[tuple[str, dict[str, str]]] = []

    def start(status: str, headers: list[tuple[str, str]], _error: object = None) -> Any:
        started.append((status, dict(headers)))

    answered: Any = validator(application)(environ, start)
    with closing(answered) as chunks:
        data = b"".join(chunks)
    ((status, headers),) = started
    assert headers["Content-Type"] == "application/json"
    if method != "HEAD":
        assert headers["Content-Length"] == str(len(data))
    return status, headers, msgspec.json.decode(data) if data else None


@pytest.mark.parametrize(
    "body",
    [
        rpc("initialize", INITIALIZE),
        rpc("adjudicate", ADJUDICATE),
        rpc("resign", {}),
        rpc("adjudicate", {"phase": "lunch"}),
        rpc("adjudicate", {**ADJUDICATE, "map": "moon"}),
        rpc("adjudicate", {**ADJUDICATE, "units": [LONDON, LONDON]}),
        b"not JSON",
        b"",
    ],
)
def test_a_request_gets_what_it_gets_over_standard_input_or_in_this_process(body):
    status, _, answer = ask("POST", "/", body)
    assert status == "200 OK"
    assert answer == msgspec.json.decode(respond(body))
    relayed = msgspec.json.decode(relay(body, BuiltinEngine()))
    assert relayed.get("result") == answer.get("result")
    assert relayed.get("error", {}).get("code") == answer.get("error", {}).get("code")


def test_it_says_that_it_is_up_and_a_head_has_no_body():
    status, _, answer = ask("GET", "/health")
    assert status == "200 OK"
    assert (answer["status"], answer["engine"]) == ("ok", "datc-check reference engine")
    assert answer["version"]
    status, headers, answer = ask("HEAD", "/health")
    assert (status, answer) == ("200 OK", None)
    assert int(headers["Content-Length"]) > 0


@pytest.mark.parametrize(
    ("method", "path", "given", "status"),
    [
        ("GET", "/elsewhere", {}, "404 Not Found"),
        ("POST", "/health/", {}, "404 Not Found"),
        ("GET", "/", {}, "405 Method Not Allowed"),
        ("DELETE", "/openapi.json", {}, "405 Method Not Allowed"),
        ("POST", "/", {"CONTENT_LENGTH": None}, "411 Length Required"),
        ("POST", "/", {"CONTENT_LENGTH": ""}, "411 Length Required"),
    ],
)
def test_what_is_wrong_is_said_in_json(method, path, given, status):
    said, headers, answer = ask(method, path, **given)
    assert said == status
    assert ("Allow" in headers) == status.startswith("405")
    if method != "HEAD":
        assert answer["status"] == int(status[:3])
        assert answer["error"]


@pytest.mark.parametrize("length", [str(MAX_REFERENCE_BODY + 1), "9" * 400])
def test_a_request_that_is_too_large_is_not_read(length):
    status, _, answer = ask("POST", "/", CONTENT_LENGTH=length)
    assert status.startswith("413 ")
    assert answer == {"status": 413, "error": f"the request has more than {MAX_REFERENCE_BODY} bytes"}


@pytest.mark.attack
@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        *((json, 200) for json in ("application/json", "Application/JSON", "application/json; charset=utf-8")),
        *((sent, 415) for sent in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", None)),
    ],
)
def test_only_json_is_taken_as_web_pages_can_send_the_rest_without_asking_first(content_type, expected):
    status, _, answer = ask("POST", "/", rpc("initialize", INITIALIZE), CONTENT_TYPE=content_type)
    assert status.startswith(f"{expected} ")
    assert ("Content-Type: application/json" in str(answer)) == (expected == 415)


@pytest.mark.attack
@pytest.mark.parametrize(("method", "path"), [("POST", "/"), ("OPTIONS", "/"), ("GET", "/health"), ("GET", "/x")])
def test_other_hosts_and_origins_are_refused_whatever_is_asked(method, path):
    status, _, answer = ask(method, path, HTTP_HOST="")
    assert status == "400 Bad Request"
    assert "which host" in answer["error"]
    status, _, answer = ask(method, path, HTTP_HOST="evil.example")
    assert status == "421 Misdirected Request"
    assert "'evil.example'" in answer["error"]
    assert "--allow-host" in answer["error"]
    for origin in ("https://evil.example", "null", "https://example.org.evil.example", "https://example.org, x"):
        status, headers, answer = ask(method, path, HTTP_ORIGIN=origin)
        assert status == "403 Forbidden"
        assert "--allow-origin" in answer["error"]
        assert "Access-Control-Allow-Origin" not in headers


def test_a_page_that_may_ask_can_read_what_is_answered_errors_too():
    origin = "https://example.org"
    preflight, headers, _ = ask("OPTIONS", "/", HTTP_ORIGIN=origin)
    assert preflight == "200 OK"
    assert headers.items() >= {
        ("Access-Control-Allow-Origin", origin),
        ("Access-Control-Allow-Methods", "POST"),
        ("Access-Control-Allow-Headers", "Content-Type"),
        ("Vary", "Origin"),
    }
    for content_type in ("application/json", "text/plain"):
        _, headers, _ = ask("POST", "/", rpc("initialize", INITIALIZE), CONTENT_TYPE=content_type, HTTP_ORIGIN=origin)
        assert headers["Access-Control-Allow-Origin"] == origin


def test_a_page_of_the_server_itself_needs_no_permission():
    origin = "http://127.0.0.1"
    assert ask("POST", "/", rpc("initialize", INITIALIZE), HTTP_ORIGIN=origin)[0] == "200 OK"
    assert ask("OPTIONS", "/", HTTP_ORIGIN=origin)[0] == "405 Method Not Allowed"


def check(description: Json, schema: Json, value: object) -> None:
    jsonschema.Draft202012Validator({**schema, "components": description["components"]}).validate(value)


def test_what_is_asked_and_answered_is_as_described():
    status, _, description = ask("GET", "/openapi.json")
    assert (status, description) == ("200 OK", openapi())
    openapi_spec_validator.validate(description)
    assert description["openapi"].startswith("3.1")
    assert description["paths"].keys() == {"/", "/health", "/openapi.json"}
    post = description["paths"]["/"]["post"]
    asked = post["requestBody"]["content"]["application/json"]["schema"]
    answered = post["responses"]["200"]["content"]["application/json"]["schema"]
    for body in (rpc("initialize", INITIALIZE), rpc("adjudicate", ADJUDICATE)):
        check(description, asked, msgspec.json.decode(body))
        check(description, answered, ask("POST", "/", body)[2])
    check(description, answered, ask("POST", "/", b"[]")[2])
    for wrong in (rpc("initialize", ADJUDICATE), rpc("adjudicate", INITIALIZE), rpc("resign", {})):
        with pytest.raises(jsonschema.ValidationError):
            check(description, asked, msgspec.json.decode(wrong))
    health = description["paths"]["/health"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    check(description, health, ask("GET", "/health")[2])
    problem = post["responses"]["413"]["content"]["application/json"]["schema"]
    check(description, problem, ask("POST", "/", CONTENT_LENGTH=str(MAX_REFERENCE_BODY + 1))[2])


def answers(access: Access, host: str) -> bool:
    try:
        _ = access.check({"HTTP_HOST": host})
    except ProblemError as problem:
        return problem.status != HTTPStatus.MISDIRECTED_REQUEST
    return True


@pytest.mark.attack
@pytest.mark.parametrize(
    ("listened", "right", "wrong"),
    [
        (
            ("127.0.0.1", "127.0.0.1"),
            ["127.0.0.1:8421", "localhost:8421", "LocalHost:8421", "[::1]:8421"],
            ["localhost", "localhost:8422", "127.0.0.2:8421", "localhost.evil:8421", "a,localhost:8421", "x@localhost"],
        ),
        (("::1", "::1"), ["[::1]:8421", "localhost:8421"], ["::1", "[::2]:8421", "[::1]:8421:8421"]),
        (("Box", "192.0.2.7"), ["box:8421", "192.0.2.7:8421"], ["localhost:8421", "127.0.0.1:8421", "other:8421"]),
        (("2001:db8::7", "2001:db8::7"), ["[2001:db8::7]:8421"], ["[::1]:8421", "[2001:db8::8]:8421"]),
        (("0.0.0.0", "0.0.0.0"), ["192.0.2.7:99", "[::1]", "localhost"], ["box:8421", "1.2.3.4.evil", "[]", "1.2.3"]),  # noqa: S104
        (
            ("127.0.0.1", "127.0.0.1", "Box", "tunnel:9000", "[2001:db8::7]:80"),
            ["box", "box:1", "tunnel:9000", "[2001:db8::7]"],
            ["tunnel:9001"],
        ),
        (("::", "::"), ["192.0.2.7:8421", "[2001:db8::7]:8421"], ["evil.example:8421"]),
    ],
)
def test_the_hosts_that_are_listened_on_and_allowed(listened, right, wrong):
    access = Access(*listened[:2], port=8421, hosts=listened[2:])
    assert [host for host in right if not answers(access, host)] == []
    assert [host for host in wrong if answers(access, host)] == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        *(({"hosts": [host]}, "NAME:PORT") for host in ("", "http://box", "box:x", "two words", "a,b")),
        *(
            ({"origins": [origin]}, "SCHEME://HOST")
            for origin in ("", "*", "null", "example.org", "https://example.org/", "https://a,https://b")
        ),
    ],
)
def test_what_is_no_host_or_origin_cannot_be_allowed(given, message):
    with pytest.raises(AccessError, match=message):
        _ = Access("127.0.0.1", "127.0.0.1", 8421, **given)
