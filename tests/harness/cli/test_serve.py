"""`datc-check serve` as a process of its own, and runs that ask it."""

import contextlib
import json
import signal
import socket

import pytest

from ...adapters.fake_sites import Site
from .running import ask, call, connected, serving

HALF_A_HEAD = b"POST / HTTP/1.1\r\nHost: HOST\r\n"
HALF_A_BODY = HALF_A_HEAD + b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
INITIALIZE = {"protocol": 1, "harness": {"name": "test", "version": "1"}}
TOKEN = "s3cr3t-t0ken"  # noqa: S105 - a made-up one


def start(*arguments):
    return serving("serve", *arguments)


def end(process):
    """End a server; return its exit code and what it says on stderr."""
    process.terminate()
    said = process.communicate(timeout=60)[1]
    return process.returncode, said


def post(connection, number=1, method="initialize", params=None):
    """Send a request; return the status and the answer."""
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params or INITIALIZE}
    return ask(connection, "/", request)


@pytest.fixture(scope="module")
def url():
    process, url = start()
    yield url
    assert end(process) == (143, "")


@pytest.fixture
def connection(url):
    with connected(url) as connection:
        yield connection


@pytest.mark.parametrize("jobs", ["1", "8"])
def test_a_run_over_http_passes_every_case(url, tmp_path, jobs):
    done = call("run", url, "--report=json:-", f"--jobs={jobs}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["summary"]["passed"] == 176
    assert report["engine"]["name"] == "datc-check reference engine"
    assert report["engine"]["spec"] == url


def test_one_connection_is_kept_for_everything(connection):
    assert ask(connection, "/health", method="GET")[1]["status"] == "ok"
    kept = connection.sock
    status, answer = post(connection)
    assert (status, answer["id"], answer["result"]["protocol"]) == (200, 1, 1)
    assert ask(connection, "/openapi.json", method="GET")[1]["openapi"] == "3.1.0"
    assert ask(connection, "/nowhere", method="GET")[0] == 404
    assert connection.sock is kept


def test_a_request_in_chunks_is_answered(connection):
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    pieces = [json.dumps(request)[:20].encode(), json.dumps(request)[20:].encode()]
    assert ask(connection, "/", iter(pieces))[1]["id"] == 1


def test_a_request_that_is_too_large_is_refused(connection):
    assert ask(connection, "/", b" " * ((16 << 20) + 1))[0] == 413


@pytest.mark.attack
@pytest.mark.parametrize(
    ("headers", "status", "said"),
    [
        ({"Content-Type": "text/plain"}, 415, "Content-Type: application/json"),
        ({"Host": "evil.example"}, 421, "--allow-host"),
        ({"Origin": "https://evil.example"}, 403, "--allow-origin"),
    ],
)
def test_the_pages_of_others_cannot_use_it(connection, headers, status, said):
    asked = {"id": 1, "method": "initialize", "params": INITIALIZE}
    found, answer = ask(connection, "/", asked, **headers)
    assert found == status
    assert said in answer["error"]


def test_a_host_and_an_origin_can_be_allowed():
    process, url = start("--allow-host", "games.example", "--allow-origin", "https://games.example")
    with connected(url) as connection:
        connection.request("GET", "/health", headers={"Host": "games.example", "Origin": "https://games.example"})
        response = connection.getresponse()
        assert (response.status, response.getheader("Access-Control-Allow-Origin")) == (200, "https://games.example")
        _ = response.read()
    assert end(process)[1] == ""


@pytest.mark.attack
def test_an_answer_that_takes_too_long_is_given_up():
    process, url = start("--timeout", "0.001", "--threads", "1")
    fleets = [{"power": "ENGLAND", "type": "F", "location": location} for location in ("NWG", "NTH")]
    texts = ["F NWG - Nort"] * 12 + ["F NTH H"] * 488  # 4,096 combinations, each held against all the others.
    orders = [{"power": "ENGLAND", "text": text} for text in texts]
    choices = {"4.E.2": "set-matching"}
    params = {"phase": "movement", "units": fleets, "orders": orders, "ruleset": {"choices": choices}}
    with connected(url) as connection:
        for number in (1, 2):
            error = {"code": -32603, "message": "the engine gave no answer within 0.001 s"}
            expected = {"jsonrpc": "2.0", "id": number, "error": error}
            assert post(connection, number, "adjudicate", params)[1] == expected
    assert end(process)[1] == ""


ENGINES = ("--engine", "builtin", "--engine", "builtin")


@contextlib.contextmanager
def connections(port, count, data):
    """Open connections and write the same on each."""
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            opened = stack.enter_context(socket.create_connection(("127.0.0.1", port), 30))
            opened.sendall(data.replace(b"HOST", b"127.0.0.1:%d" % port))
        yield


@pytest.mark.attack
@pytest.mark.parametrize(("name", "arguments"), [("serve", ()), ("shadow", ENGINES)])
def test_idle_and_slow_connections_keep_nobody_waiting(name, arguments, tmp_path):
    """200 of them. Where they had no limits, no request was answered; `benchmarks/load.py` measures how soon one is."""
    process, url = serving(name, *arguments, cwd=tmp_path)
    port = int(url.rpartition(":")[2])
    kinds = (b"", HALF_A_HEAD, HALF_A_BODY, b"GET /health HTTP/1.1\r\nHost: HOST\r\n\r\n")
    with contextlib.ExitStack() as stack:
        for kind in kinds:
            _ = stack.enter_context(connections(port, 50, kind))
        for _ in range(10):
            with connected(url) as connection:
                assert post(connection)[1]["result"]["protocol"] == 1
    assert end(process)[1] == ""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_quietly(number, code):
    process, url = start()
    assert url.startswith("http://127.0.0.1:")
    process.send_signal(number)
    output = process.communicate(timeout=60)
    assert (process.returncode, *output) == (code, "", "")


def test_others_than_this_machine_reach_it_only_where_asked_for_and_told():
    process, url = start("--host", "0.0.0.0")  # noqa: S104 - that is what is tested
    assert url.startswith("http://0.0.0.0:")
    assert "Other machines can reach 0.0.0.0" in end(process)[1]


def test_a_port_that_is_taken_is_a_clear_error(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = call("serve", "--port", port, cwd=tmp_path)
    assert done.returncode == 2
    assert f"cannot serve at 127.0.0.1, port {port}: Address already in use" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--allow-host", "a b", "'a b' is no"),
        ("--allow-origin", "a b", "'a b' is no"),
        *(
            ("--host", host, f"cannot serve at {host}, port 0: ")
            for host in ("nowhere.invalid", "a" * 64, "256.0.0.1.2", "::zz")
        ),
    ],
)
def test_what_is_no_host_or_origin_is_a_clear_error(tmp_path, option, value, message):
    done = call("serve", "--port", "0", option, value, cwd=tmp_path)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


SITE = "[engine.site]\nurl = '{url}'\nheaders_from_environment = {{ Authorization = 'SITE_TOKEN' }}\n"


def test_a_token_of_the_environment_is_sent_and_never_shown(tmp_path):
    def refuse(connection):
        connection.answer(f"not with {connection.asked.headers['Authorization']}".encode(), "401 Unauthorized")

    with contextlib.closing(Site(refuse, at_start=True)) as site:
        (tmp_path / "datc.toml").write_text(SITE.format(url=site.url), encoding="utf-8")
        reports = [f"--report={name}:{tmp_path / name}" for name in ("json", "junit", "html")]
        done = call("run", "site", *reports, cwd=tmp_path, SITE_TOKEN=f"Bearer {TOKEN}")
    assert done.returncode == 3
    assert "the engine answered with HTTP status 401: 'not with ***'" in done.stdout
    assert [asked.headers["Authorization"] for asked in site.asked] == [f"Bearer {TOKEN}"]
    written = [(tmp_path / name).read_text(encoding="utf-8") for name in ("json", "junit", "html")]
    assert all(TOKEN not in text for text in (done.stdout, done.stderr, *written))


def test_an_engine_that_is_not_up_exits_3_and_says_so(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
    done = call("run", url, cwd=tmp_path, COLUMNS="200")
    assert done.returncode == 3
    assert f"cannot be reached at {url}: Connection refused" in done.stdout


def test_a_header_that_cannot_be_sent_exits_2(tmp_path):
    (tmp_path / "datc.toml").write_text(SITE.format(url="http://127.0.0.1:9/"), encoding="utf-8")
    done = call("run", "site", cwd=tmp_path, SITE_TOKEN=f"Bearer {TOKEN}\nmore")
    assert done.returncode == 2
    assert "the header Authorization of the engine has a value that cannot be sent" in done.stderr
    assert TOKEN not in done.stderr
