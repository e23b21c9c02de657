import gzip
import socket
import ssl
import threading
import time
import tracemalloc
from contextlib import suppress
from urllib.parse import urlsplit

import msgspec
import pytest
import trustme

from datc.adapters import EngineSpec, Limits, errors, open_engine
from datc.adapters.http import HttpEngine

from ..engines.speaking import MIB, NONSENSE, good
from . import fake_sites as fakes
from .fake_sites import BOMB, CHUNKED, ENDLESS, PAGE, Behaviour, Connection, Site, head, on_fire, says, sends
from .fakes import DEADLINE, HASTY, MARKER, NO_RESPONSE, PATIENT, ask, does_not_start, fails, held

TOKEN = "Bearer s3cr3t+t0ken/with==.everything"  # noqa: S105 - a made-up one
SECRETS = ("s3cr3t", "t0ken", "everything")
SMALL = Limits(start=60, request=60, line=MIB)
NO_HTTP = "^answered something that is not HTTP: "
CANNOT = "^the engine says that it cannot: "
CUT_OFF = "^closed the connection in the middle of its answer$"


def test_a_good_engine_says_who_it_is_and_answers_each_request_over_one_connection(opened):
    engine, site = opened.both(Connection.behave)
    assert engine.start().engine.name == "fake"
    for number in range(10):
        _ = held(engine, f"A London Hold {number}")
    assert site.connections == 1
    assert [asked.message["id"] for asked in site.asked] == list(range(1, 12))
    assert {asked.path for asked in site.asked} == {"/rpc"}
    headers = site.asked[0].headers
    assert headers["Content-Type"] == "application/json"
    assert headers["Accept-Encoding"] == "identity"
    assert headers["User-Agent"].startswith("datc-check/")


def test_requests_at_once_have_a_connection_each_and_use_it_again(opened, pool):
    together = threading.Barrier(8)

    def wait_for_the_others(connection: Connection) -> None:
        _ = together.wait(DEADLINE)
        connection.answer(connection.good())

    engine, site = opened.both(wait_for_the_others)
    for _ in range(3):
        for texts in ([MARKER] * 8, [f"A London Hold {number}" for number in range(40)]):
            for future in [pool.submit(held, engine, text) for text in texts]:
                _ = future.result(DEADLINE)
    assert site.connections == 8


@pytest.mark.parametrize(
    "behaviour",
    [
        fakes.answers_in_chunks,
        fakes.answers_until_the_end,
        fakes.answers_twice,
        says("200 Whatever", good, "Content-Type: text/html"),
        says("200 OK", good, "Content-Encoding: identity", "Set-Cookie: a=b"),
    ],
)
def test_what_is_only_odd_is_an_answer(opened, behaviour):
    engine, _ = opened.both(behaviour)
    for text in ("A London Hold", MARKER, "A London - Wales", MARKER, "A London - Yorkshire"):
        _ = held(engine, text)


def test_a_connection_that_the_engine_closed_meanwhile_is_made_anew(opened):
    engine, site = opened.both(fakes.answers_and_ends)
    for number in range(3):
        _ = held(engine, MARKER)
        assert site.hung_up.acquire(timeout=DEADLINE)
        _ = held(engine, f"A London Hold {number}")
        assert site.connections == number + 2
    assert len(site.asked) == 6


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (Connection.end, "^closed the connection without an answer$"),
        (fakes.resets, "^broke the connection: Connection reset by peer$"),
        (sends(b"HTTP/1.1 200 OK\r\nContent-"), NO_RESPONSE),
        (sends(head("200 OK", "Content-Length: 99") + b"{"), CUT_OFF),
        (sends(CHUNKED + b"5\r\n{"), CUT_OFF),
        (sends(CHUNKED + b"zz\r\n{"), CUT_OFF),
        (sends(CHUNKED + b"-2\r\n{"), CUT_OFF),
        (sends(CHUNKED + b"-ffffffffffffffffffffff\r\n{"), CUT_OFF),
        (sends(CHUNKED + b"5\r\n{", fakes.resets), CUT_OFF),
        (sends(b"SSH-2.0-OpenSSH_9.2\x1b[31m\r\n"), rf"{NO_HTTP}'SSH-2\.0-OpenSSH_9\.2�\[31m"),
        (sends(b"HTTP/1.1 2000 OK\r\n\r\n"), NO_HTTP),
        (sends(head("200 OK", "Content-Length: 1, 2") + b"{}"), NO_HTTP),
        (sends(b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200), f"{NO_HTTP}'got more than 100 headers'$"),
        (sends(head("200 OK") + b"{"), NO_RESPONSE),
        (says("200 OK", PAGE), f"{NO_RESPONSE}'<!DOCTYPE html>�<title>�\\[31mOops</title>'$"),
        (says("200 OK"), NO_RESPONSE),
        (says("204 No Content"), "^answered with HTTP status 204$"),
        (says("500 Internal Server Error", PAGE), "^answered with HTTP status 500: '<!DOCTYPE html>�<title>.*'$"),
        (says("404 Not Found", b"x" * 32 * MIB), "^answered with HTTP status 404: 'x{80}…?'…?$"),
        (says("304 Not Modified"), "^answered with HTTP status 304$"),
        (says("999 Whatever"), "^answered with HTTP status 999$"),
        (says("500 Oops", good), "^answered with HTTP status 500: '{"),
        (says("500 Oops", on_fire(-32000)), "^answered error -32000: 'the board is on fire'$"),
        (says("200 OK", on_fire(-32601)), f"{CANNOT}'the board is on fire'$"),
        (says("501 Not Implemented", on_fire(-32601)), f"{CANNOT}'the board is on fire'$"),
        (says("400 Bad Request", on_fire(-32004)), f"{CANNOT}'the board is on fire'$"),
        (says("200 OK", NONSENSE["answers-another-id"]), r"^answered with id \d+, which was not asked$"),
        (says("200 OK", NONSENSE["id-as-text"]), r"^answered with id '\d+', which was not asked$"),
        (says("500 Oops", NONSENSE["error-without-an-id"]), r"^answered an error without an id: 'what was that\?'$"),
        (says("200 OK", NONSENSE["too-many-order-results"]), "^answered 9 order results to 1 orders$"),
        (says("500 Oops", BOMB, "Content-Encoding: gzip"), "^answered something compressed, which was not asked for$"),
        (says("200 OK", b"{}", "Content-Encoding: br, gzip"), "^answered something compressed"),
    ],
)
def test_what_the_engine_does_wrong_fails_one_request_that_is_asked_once(opened, behaviour, reason):
    engine, site = opened.both(behaviour)
    _ = held(engine, "A London Hold")
    is_unsupported = reason.startswith(CANNOT)
    _ = fails(engine, reason, errors.UnsupportedError if is_unsupported else errors.EngineFailure)
    _ = held(engine, "A London - Wales")
    assert site.times_asked(MARKER) == 1
    assert site.connections == 1 or not is_unsupported


@pytest.mark.parametrize(
    "behaviour",
    [
        says("200 OK", b" " * (32 * MIB)),
        sends(ENDLESS + b" " * (2 * MIB), Connection.wait_for_the_end),
        fakes.floods(head("200 OK"), b" " * MIB),
        fakes.floods(CHUNKED, b"100000\r\n" + b" " * MIB + b"\r\n"),
        fakes.floods(CHUNKED + b"-1\r\n", b" " * MIB),
        fakes.floods(CHUNKED, b"1;" + b"x" * 60_000 + b"\r\n \r\n"),
        fakes.floods(b"", head("100 Continue", "X: " + "x" * 60_000)),
    ],
)
def test_no_more_is_read_than_the_limit(opened, behaviour):
    engine, _ = opened.both(behaviour, SMALL)
    _ = fails(engine, "^answered more than 1048576 bytes$")
    _ = held(engine, "A London Hold")


def test_an_answer_at_the_limit_is_read(opened):
    def fill_up(connection: Connection) -> None:
        data = msgspec.json.encode(connection.good())
        connection.answer(data + b" " * (MIB - len(data)))

    engine, _ = opened.both(fill_up, SMALL)
    _ = held(engine, MARKER)


@pytest.mark.parametrize(
    "behaviour",
    [
        Connection.wait_for_the_end,
        fakes.drips(b"", b"H"),
        fakes.drips(b"HTTP/1.1 200 OK\r\nX: ", b"x"),
        fakes.drips(b"", head("100 Continue")),
        fakes.drips(head("200 OK"), b" "),
        fakes.drips(CHUNKED, b"1\r\n \r\n"),
        fakes.drips(head("307 Temporary Redirect", "Location: /rpc")[:-2], b"X: y\r\n"),
    ],
)
def test_an_engine_that_is_too_slow_fails_and_its_connection_is_ended(opened, behaviour):
    engine, site = opened.both(behaviour, HASTY)
    _ = held(engine, "A London Hold")
    _ = fails(engine, "^gave no answer within 1 s$")
    assert site.hung_up.acquire(timeout=DEADLINE)
    _ = held(engine, "A London - Wales")
    assert site.times_asked(MARKER) == 1


def test_an_engine_that_answers_one_after_the_other_is_granted_the_time_for_each(opened, pool):
    one_at_a_time = threading.Lock()

    def take_a_while(connection: Connection) -> None:
        with one_at_a_time:
            for _ in range(15):
                connection.site.pause()
            connection.answer(connection.good())

    engine, _ = opened.both(take_a_while, Limits(start=60, request=1.5))
    began = time.monotonic()
    for future in [pool.submit(engine.adjudicate, ask()) for _ in range(8)]:
        _ = future.result(DEADLINE)
    assert time.monotonic() - began > 1.5


@pytest.mark.promise("Redirects are not followed")
@pytest.mark.parametrize(
    ("status", "location"),
    [
        ("302 Found", "/here"),
        ("308 Permanent Redirect", "http://127.0.0.1:OTHER/here"),
        ("307 Temporary Redirect", "http://127.0.0.1:OTHER\\@127.0.0.1:OTHER/here"),
        ("307 Temporary Redirect", "http://["),
        ("399 Whatever", "http://:x/"),
    ],
)
def test_a_redirect_is_refused_and_nothing_is_sent_there(opened, status, location):
    other = opened.site(Connection.behave)
    site = opened.site(says(status, PAGE, f"Location: {location.replace('OTHER', str(other.port))}"))
    engine = opened.engine(site, headers={"Authorization": TOKEN})
    reason = fails(engine, rf"^redirects to '.+' \(HTTP status {status[:3]}\): redirects are not followed$")
    assert not any(secret in str(reason) for secret in SECRETS)
    _ = held(engine, "A London Hold")
    assert other.connections == 0
    assert site.times_asked(MARKER) == 1


def test_nothing_of_the_environment_is_used(opened, monkeypatch, tmp_path):
    other = opened.site(Connection.behave)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, other.url)
    netrc = tmp_path / "netrc"
    _ = netrc.write_text("machine 127.0.0.1 login me password hunter2\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(netrc))
    engine, site = opened.both(Connection.behave)
    _ = held(engine, "A London Hold")
    assert other.connections == 0
    assert "Authorization" not in site.asked[0].headers


def test_headers_are_sent_and_can_be_anything_but_what_is_ours(opened):
    site = opened.site()
    headers = {
        "authorization": f" {TOKEN}\n",
        "content-type": "application/json; charset=utf-8",
        "accept-encoding": "gzip",
        "X-Umlaut": "ä",
    }
    with open_engine(EngineSpec("site", url=site.url, headers=headers), PATIENT) as engine:
        _ = held(engine, "A London Hold")
    sent = site.asked[0].headers
    assert sent["authorization"] == TOKEN
    assert sent["content-type"] == "application/json; charset=utf-8"
    assert sent["accept-encoding"] == "identity"
    assert sent["x-umlaut"] == "ä"


HERE = "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("url", "name", "value", "reason"),
    [
        *(
            (HERE, "Authorization", value, "the header Authorization of the engine has a value that cannot be sent")
            for value in (f"{TOKEN}\r\nX: y", f"{TOKEN}\nx", f"{TOKEN}\0", f"€{TOKEN}", f"\x7f{TOKEN}")
        ),
        *(
            (HERE, name, TOKEN, "a header of the engine has a name that cannot be sent")
            for name in (TOKEN, "", "Ä", "a\n", "a:", "a b")
        ),
        *(
            (url, "Authorization", TOKEN, "the URL of the engine cannot be understood")
            for url in ("http://", "http://.example", f"http://{'a' * 64}.example", "http://[::1", "nowhere")
        ),
    ],
)
def test_what_cannot_be_sent_is_refused_and_no_secret_is_shown(url, name, value, reason):
    with pytest.raises(errors.EngineSpecError, match=f"^{reason}$") as error:
        _ = HttpEngine(url, headers={name: value})
    assert TOKEN not in f"{error.value.__cause__} {error.value.__context__}"


def tells_of_the_token(status: str, body: str, *headers: str) -> Behaviour:
    """Answer with what was sent as a token."""

    def behave(connection: Connection) -> None:
        token = connection.asked.headers["Authorization"]
        filled = body.replace("TOKEN", token).replace("ID", str(connection.asked.message["id"]))
        connection.answer(filled.encode(), status, *(header.replace("TOKEN", token) for header in headers))

    return behave


@pytest.mark.parametrize(
    "behaviour",
    [
        tells_of_the_token("401 Unauthorized", "TOKEN"),
        tells_of_the_token("401 Unauthorized", "x" * 60 + "TOKEN"),
        tells_of_the_token("200 OK", "<p>TOKEN"),
        tells_of_the_token("200 OK", '{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"no: TOKEN"}}'),
        tells_of_the_token("200 OK", '{"jsonrpc":"2.0","id":ID,"error":{"code":-32004,"message":"no: TOKEN"}}'),
        tells_of_the_token("200 OK", '{"jsonrpc":"2.0","id":"TOKEN","error":{"code":-32004,"message":""}}'),
        tells_of_the_token("200 OK", '{"jsonrpc":"2.0","id":null,"error":{"code":-32004,"message":"TOKEN"}}'),
        tells_of_the_token("200 OK", '{"jsonrpc":"2.0","id":ID,"result":{"units":[{"type":"TOKEN","power":"ITALY"}]}}'),
        tells_of_the_token("307 Temporary Redirect", "", "Location: http://127.0.0.2/?token=TOKEN"),
        tells_of_the_token("2000 TOKEN", ""),
        tells_of_the_token("200 OK", "", "Content-Length: TOKEN"),
        tells_of_the_token("200 OK", "", "Content-Encoding: TOKEN"),
    ],
)
def test_no_failure_shows_a_header(opened, behaviour):
    engine = opened.engine(opened.site(behaviour), headers={"Authorization": TOKEN})
    with pytest.raises((errors.EngineFailure, errors.UnsupportedError)) as failure:
        _ = engine.adjudicate(ask())
    assert not any(secret in str(failure.value) for secret in SECRETS), failure.value
    assert not any(secret in repr(engine) for secret in SECRETS)


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (Connection.wait_for_the_end, r"^the engine gave no answer within 0\.5 s$"),
        (Connection.end, "^the engine closed the connection without an answer$"),
        (says("200 OK", on_fire(-32601)), "^the engine says that it cannot: 'the board is on fire'$"),
    ],
)
def test_an_engine_that_does_not_start_says_why(opened, behaviour, reason):
    limits = Limits(start=0.5) if behaviour == Connection.wait_for_the_end else PATIENT
    does_not_start(opened.engine(opened.site(behaviour, at_start=True), limits), reason)


def test_an_engine_or_a_host_that_is_not_there_is_said_to_be(opened):
    url = unused_url()
    for site, path, said in ((url, "/path?key=secret", "Connection refused$"), ("http://nowhere.invalid", "/", "")):
        does_not_start(opened.engine(f"{site}{path}"), f"^the engine cannot be reached at {site}: {said}")


@pytest.mark.attack
def test_a_compressed_answer_is_not_unpacked(opened):
    bomb = gzip.compress(b"[" * (64 * MIB))
    engine = opened.engine(opened.site(says("200 OK", bomb, "Content-Encoding: gzip")))
    disguised = opened.engine(opened.site(says("200 OK", bomb)))
    tracemalloc.start()
    try:
        _ = fails(engine, "^answered something compressed")
        _ = fails(disguised, "^answered")
        assert tracemalloc.get_traced_memory()[1] < 4 * MIB
    finally:
        tracemalloc.stop()


def test_over_tls_the_same_limits_hold(opened, tmp_path, monkeypatch):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    slow = opened.site(fakes.drips(head("200 OK"), b" "), tls=context)
    engine = opened.engine(slow, HASTY)
    for number in range(3):
        _ = held(engine, f"A London Hold {number}")
    assert slow.connections == 1
    _ = fails(engine, "^gave no answer within 1 s$")
    _ = held(engine, "A London - Wales")
    large = opened.site(says("200 OK", b" " * (2 * MIB)), tls=context)
    _ = fails(opened.engine(large, SMALL), "^answered more than 1048576 bytes$")


NO_CONNECTION = r"no connection within 0\.5 s"


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (b"", NO_CONNECTION),
        (b"\x16\x03\x03\x40\x00", NO_CONNECTION),  # It begins a record of TLS, and then sends a byte now and then.
        (head("400 Bad Request"), "TLS fails: [a-z ]+"),
    ],
)
def test_an_engine_that_is_silent_about_tls_or_drips_is_given_so_long(opened, pool, first, reason):
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            with server.accept()[0] as accepted, suppress(OSError):
                accepted.sendall(first)
                while first and not ended.wait(fakes.BREATH):
                    accepted.sendall(b"x")
                _ = ended.wait(DEADLINE)

        dripped = pool.submit(drip)
        url = f"https://127.0.0.1:{server.getsockname()[1]}"
        engine = opened.engine(url, Limits(connect=0.5 if reason == NO_CONNECTION else DEADLINE))
        does_not_start(engine, f"^the engine cannot be reached at {url}: {reason}$")
        ended.set()
        dripped.result(DEADLINE)


def test_an_engine_that_accepts_no_connection_is_given_so_long(opened):
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        address = full.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.settimeout(0)
            _ = one.connect_ex(address)
        url = f"http://127.0.0.1:{address[1]}"
        for limits in (Limits(connect=0.5), Limits(start=0.5)):
            does_not_start(opened.engine(url, limits), f"^the engine cannot be reached at {url}: {NO_CONNECTION}$")
        for one in waiting:
            one.close()


def test_only_connecting_is_tried_again(opened, monkeypatch):
    url = unused_url()
    pauses: list[float] = []
    sites: list[Site] = []

    def open_meanwhile(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            sites.append(opened.site(listening=socket.create_server(("127.0.0.1", urlsplit(url).port))))

    monkeypatch.setattr("datc.adapters.http.time.sleep", open_meanwhile)
    engine = opened.engine(url)
    _ = held(engine, "A London Hold")
    assert pauses == [0.05, 0.2]
    assert len(sites[0].asked) == 1


def test_an_engine_that_breaks_down_too_often_gives_out(opened, monkeypatch):
    monkeypatch.setattr("datc.adapters.http.time.sleep", lambda _seconds: None)
    url = unused_url()
    engine = opened.engine(url, Limits(start=60, request=60, restarts=2))
    for _ in range(3):
        _ = fails(engine, f"^cannot be reached at {url}: Connection refused$")
    gave_out = f"^the engine broke down 3 times; the last time it cannot be reached at {url}: Connection refused$"
    for _ in range(2):
        _ = fails(engine, gave_out, errors.EngineGaveOutError)


def test_wrong_answers_are_no_breakdown(opened):
    engine, _ = opened.both(says("500 Oops", PAGE), Limits(start=60, request=60, restarts=0))
    for _ in range(3):
        _ = fails(engine, "HTTP status 500")
    _ = held(engine, "A London Hold")


def test_closing_ends_all_requests_in_flight(opened, pool):
    all_here = threading.Barrier(8)

    def hang(connection: Connection) -> None:
        _ = all_here.wait(DEADLINE)
        connection.wait_for_the_end()

    engine, site = opened.both(hang)
    asked = [pool.submit(engine.adjudicate, ask()) for _ in range(7)]
    _ = all_here.wait(DEADLINE)
    engine.close()
    for future in asked:
        assert isinstance(future.exception(DEADLINE), errors.EngineClosedError)
        assert site.hung_up.acquire(timeout=DEADLINE)
    _ = fails(engine, kind=errors.EngineClosedError)


def test_closing_ends_the_connections_that_are_kept(opened):
    def answer_and_wait(connection: Connection) -> None:
        connection.behave()
        connection.wait_for_the_end()

    engine, site = opened.both(answer_and_wait)
    _ = held(engine, MARKER)
    engine.close()
    assert site.hung_up.acquire(timeout=DEADLINE)


def unused_url() -> str:
    """Give a URL at which nothing answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}"
