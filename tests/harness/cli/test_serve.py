"""`datc-check engine --http` and `play` as processes: who may ask them, what they answer, and runs that ask."""

import contextlib
import json
import signal
import socket

import pytest

from .running import COMMAND, ask, connected, serving, spawn

HALF_A_HEAD = b"POST / HTTP/1.1\r\nHost: HOST\r\n"
HALF_A_BODY = HALF_A_HEAD + b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
INITIALIZE = {"protocol": 1, "harness": {"name": "test", "version": "1"}}
QUESTION = {"text": "England: F Lon - Eng\nFrance: F Bre - Eng", "ruleset": "datc-3.2", "later": []}
TOKEN = "s3cr3t-t0ken"  # noqa: S105 - a made-up one


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
def urls(tmp_path_factory):
    """Start both, each once for all tests that change nothing of it."""
    folder = tmp_path_factory.mktemp("servers")
    started = {words[0]: serving(*words, cwd=folder) for words in (("engine", "--http"), ("play", "builtin:dpjudge"))}
    yield {name: url for name, (_, url) in started.items()}
    assert [end(process) for process, _ in started.values()] == [(143, "")] * 2


@pytest.fixture
def connection(urls):
    with connected(urls["engine"]) as connection:
        yield connection


@pytest.fixture
def page(urls):
    with connected(urls["play"]) as connection:
        yield connection


@pytest.mark.promise("Other web pages cannot use it")
@pytest.mark.attack
@pytest.mark.parametrize(("name", "path"), [("engine", "/"), ("play", "/engines")])
@pytest.mark.parametrize(
    ("headers", "status", "said"),
    [
        ({"Content-Type": "text/plain"}, 415, "Content-Type: application/json"),
        ({"Host": "evil.example"}, 421, "'evil.example'"),
        ({"Origin": "https://evil.example"}, 403, "'https://evil.example'"),
        ({"Origin": "null"}, 403, "'null'"),
    ],
)
def test_the_pages_of_others_cannot_use_it(urls, name, path, headers, status, said):
    with connected(urls[name]) as connection:
        found, answer = ask(connection, path, {**QUESTION, "id": 1}, **headers)
    assert (found, said in answer["error"]) == (status, True)
    assert ("--allow-" in answer["error"]) == (name == "engine" and status != 415)


@pytest.mark.parametrize("jobs", ["1", "8"])
def test_a_run_over_http_passes_every_case(urls, tmp_path, jobs):
    url = urls["engine"]
    done = spawn("run", url, "--report=json:-", f"--jobs={jobs}", cwd=tmp_path)
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


@pytest.mark.attack
@pytest.mark.parametrize("head", [b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 5000, b"GET http://[ HTTP/1.1"])
def test_a_head_that_cannot_be_read_is_answered_and_the_server_prints_nothing(urls, head):
    with socket.create_connection(("127.0.0.1", int(urls["engine"].rpartition(":")[2])), timeout=60) as raw:
        raw.sendall(head + b"\r\n\r\n")
        assert raw.makefile("rb").readline() == b"HTTP/1.1 400 Bad Request\r\n"


def test_a_request_that_is_too_large_is_refused(connection):
    assert ask(connection, "/", b" " * ((16 << 20) + 1))[0] == 413


@pytest.mark.promise("`engine --http` stores nothing")
def test_of_a_large_request_no_file_is_left(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    process, url = serving("engine", "--http", cwd=tmp_path)
    with connected(url) as connection:
        assert ask(connection, "/", b" " * (1 << 20))[0] in (200, 413)
    assert end(process)[0] == 143
    assert list(tmp_path.iterdir()) == []


def test_a_host_and_an_origin_can_be_allowed():
    process, url = serving(
        "engine", "--http", "--allow-host", "games.example", "--allow-origin", "https://games.example"
    )
    with connected(url) as connection:
        connection.request("GET", "/health", headers={"Host": "games.example", "Origin": "https://games.example"})
        response = connection.getresponse()
        assert (response.status, response.getheader("Access-Control-Allow-Origin")) == (200, "https://games.example")
        _ = response.read()
    assert end(process)[1] == ""


@pytest.mark.attack
def test_an_answer_that_takes_too_long_is_given_up():
    process, url = serving("engine", "--http", "--timeout", "0.001", "--threads", "1")
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


@pytest.mark.promise("Slow clients do not delay others")
@pytest.mark.attack
@pytest.mark.parametrize("words", ["engine --http", "shadow builtin builtin"])
def test_idle_and_slow_connections_keep_nobody_waiting(words, tmp_path):
    """200 of them. Where they had no limits, no request was answered; `benchmarks/load.py` measures how soon one is."""
    process, url = serving(*words.split(), cwd=tmp_path)
    port = int(url.rpartition(":")[2])
    kinds = (b"", HALF_A_HEAD, HALF_A_BODY, b"GET /health HTTP/1.1\r\nHost: HOST\r\n\r\n")
    with contextlib.ExitStack() as stack:
        for data in kinds * 50:
            opened = stack.enter_context(socket.create_connection(("127.0.0.1", port), 30))
            opened.sendall(data.replace(b"HOST", b"127.0.0.1:%d" % port))
        for _ in range(10):
            with connected(url) as connection:
                assert post(connection)[1]["result"]["protocol"] == 1
    assert end(process)[1] == ""


@pytest.mark.parametrize("words", [("engine", "--http"), ("play", "builtin")])
def test_ctrl_c_ends_it_quietly(tmp_path, words):
    process, url = serving(*words, cwd=tmp_path)
    assert url.startswith("http://127.0.0.1:")
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=60)
    assert (process.returncode, *output) == (130, "", "")


def test_others_than_this_machine_reach_it_only_where_asked_for_and_told():
    process, url = serving("engine", "--http", "--host", "0.0.0.0")  # noqa: S104 - that is what is tested
    assert url.startswith("http://0.0.0.0:")
    assert "Other machines can reach 0.0.0.0" in end(process)[1]


def test_a_port_that_is_taken_is_a_clear_error(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = spawn("engine", "--http", "--port", port, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: cannot serve at 127.0.0.1, port {port}: Address already in use")


def test_a_header_that_cannot_be_sent_exits_2(tmp_path):
    site = "[engine.site]\nurl = 'http://127.0.0.1:9/'\nheaders_from_environment = { Authorization = 'SITE_TOKEN' }\n"
    (tmp_path / "datc.toml").write_text(site, encoding="utf-8")
    done = spawn("run", "site", cwd=tmp_path, SITE_TOKEN=f"Bearer {TOKEN}\nmore")
    assert done.returncode == 2
    assert "the header Authorization of the engine has a value that cannot be sent" in done.stderr
    assert TOKEN not in done.stderr


def test_it_answers_and_draws_with_an_engine_beside_the_rulesets(page):
    status, told = ask(page, "/answer", QUESTION)
    assert (status, [each["reason"] for each in told["explained"]]) == (200, ["bounced", "bounced"])
    assert ask(page, "/boards", QUESTION)[1]["before"].startswith("<svg")
    (row,) = ask(page, "/engines", QUESTION)[1]["rulesets"]["rows"]
    assert (row["engines"], row["in_force"]) == (["builtin:dpjudge"], True)


@pytest.mark.promise("It runs engines as their commands say")
def test_without_an_engine_those_of_the_config_are_asked_and_one_that_does_not_start_is_listed(tmp_path):
    mine = f"[engine.mine]\ncommand = {json.dumps([COMMAND, 'engine'])}\n"
    _ = (tmp_path / "datc.toml").write_text(f"{mine}[engine.broken]\ncommand = ['false']\n", encoding="utf-8")
    process, url = serving("play", cwd=tmp_path)
    with connected(url) as connection:
        table = ask(connection, "/engines", QUESTION)[1]["rulesets"]
    assert [row["engines"] for row in table["rows"]] == [["mine"]]
    assert table["unanswered"] == {"broken": "the engine ended with exit code 1"}
    assert end(process)[1].startswith("broken is not asked: ")


CRASHING = """\
read line
echo '{"jsonrpc":"2.0","id":0,"result":{"protocol":1,"engine":{"name":"crashing"},"capabilities":{}}}'
read line
"""


def test_an_engine_that_always_crashes_is_started_again_for_every_question(tmp_path):
    """A run starts it again 20 times, and then gives up."""
    _ = (tmp_path / "engine.sh").write_text(CRASHING, encoding="utf-8")
    process, url = serving("play", "exec:sh engine.sh", cwd=tmp_path)
    with connected(url) as connection:
        told = [ask(connection, "/engines", QUESTION)[1] for _ in range(25)]
    _ = end(process)
    assert {each["rulesets"]["unanswered"]["exec:sh engine.sh"] for each in told} == {"ended with exit code 0"}


@pytest.mark.parametrize("words", [("play", "exec:touch started"), ("engine", "--http", "--port", "0")])
def test_without_its_server_it_says_how_to_install_it_and_starts_no_engine(tmp_path, words):
    (tmp_path / "waitress").mkdir()
    (tmp_path / "waitress" / "__init__.py").write_text("raise ImportError", encoding="utf-8")
    done = spawn(*words, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert (done.returncode, (tmp_path / "started").exists()) == (2, False)
    assert "pip install 'datc-check[serve]'" in done.stderr


@pytest.mark.promise("It listens on 127.0.0.1 only")
@pytest.mark.attack
def test_another_host_does_not_get_the_page(page):
    assert ask(page, "/", method="GET", Host="evil.example")[0] == 421


@pytest.mark.promise("A question is bounded")
@pytest.mark.attack
def test_what_is_no_question_is_answered_all_the_same(page):
    assert ask(page, "/answer", b" " * 800_001)[0] == 413
    for body in (b"[" * 100_000, b"{", b"\xff", b"1", b'{"text":"","ruleset":"x","later":[' + b"{}," * 9 + b"{}]}"):
        status, told = ask(page, "/answer", body)
        assert (status, len(told["problems"])) == (200, 1)


def test_every_file_of_the_page_is_there(page):
    page.request("GET", "/")
    response = page.getresponse()
    text = response.read().decode()
    assert response.getheader("Content-Type") == "text/html; charset=utf-8"
    assert "frame-ancestors 'none'" in response.getheader("Content-Security-Policy")
    for name in ("boards.css", "local.css", "play.css", "play.mjs"):
        assert f'"{name}"' in text
        page.request("GET", f"/{name}")
        response = page.getresponse()
        assert (response.status, bool(response.read())) == (200, True)
