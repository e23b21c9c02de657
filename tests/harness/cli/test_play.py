"""`datc-check play` as a process of its own: who may ask it, and what engines answer beside the reference engine."""

import json
import signal

import pytest

from .running import COMMAND, ask, call, connected, serving

QUESTION = {"text": "England: F Lon - Eng\nFrance: F Bre - Eng", "ruleset": "datc-3.2", "later": []}
MINE = f"[engine.mine]\ncommand = {json.dumps([COMMAND, 'engine'])}\n"


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    process, url = serving("play", "builtin:dpjudge", cwd=tmp_path_factory.mktemp("play"))
    yield url
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "")


@pytest.fixture
def connection(url):
    with connected(url) as connection:
        yield connection


def test_it_answers_and_draws(connection):
    status, told = ask(connection, "/answer", QUESTION)
    assert (status, [each["reason"] for each in told["explained"]]) == (200, ["bounced", "bounced"])
    assert ask(connection, "/boards", QUESTION)[1]["before"].startswith("<svg")


def test_an_engine_stands_beside_the_rulesets(connection):
    _, told = ask(connection, "/engines", QUESTION)
    (row,) = told["rulesets"]["rows"]
    assert (row["engines"], row["in_force"]) == (["builtin:dpjudge"], True)


def asked_of_the_config(folder, config):
    """Ask the engines of a config, in a folder of its own; return the table of rulesets, and what is said on stderr."""
    _ = (folder / "datc.toml").write_text(config, encoding="utf-8")
    process, url = serving("play", cwd=folder)
    with connected(url) as connection:
        _, told = ask(connection, "/engines", QUESTION)
    process.terminate()
    _, said = process.communicate(timeout=60)
    return told["rulesets"], said


def test_without_an_engine_those_of_the_config_are_asked(tmp_path):
    table, _ = asked_of_the_config(tmp_path, MINE)
    assert [row["engines"] for row in table["rows"]] == [["mine"]]


def test_an_engine_of_the_config_that_does_not_start_is_listed_with_the_reason(tmp_path):
    table, said = asked_of_the_config(tmp_path, f"{MINE}[engine.broken]\ncommand = ['false']\n")
    assert [row["engines"] for row in table["rows"]] == [["mine"]]
    assert table["unanswered"] == {"broken": "the engine ended with exit code 1"}
    assert said.startswith("broken is not asked: ")


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
    process.terminate()
    _ = process.communicate(timeout=60)
    assert {each["rulesets"]["unanswered"]["exec:sh engine.sh"] for each in told} == {"ended with exit code 0"}


@pytest.mark.parametrize("words", [("play", "exec:touch started"), ("serve", "--port", "0")])
def test_without_its_server_it_says_how_to_install_it_and_starts_no_engine(tmp_path, words):
    (tmp_path / "waitress").mkdir()
    (tmp_path / "waitress" / "__init__.py").write_text("raise ImportError", encoding="utf-8")
    done = call(*words, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert (done.returncode, (tmp_path / "started").exists()) == (2, False)
    assert "pip install 'datc-check[serve]'" in done.stderr


def test_an_engine_that_is_named_and_does_not_start_ends_it(tmp_path):
    done = call("play", "exec:false", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")


@pytest.mark.attack
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/plain"}, 415),
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
@pytest.mark.parametrize("path", ["/answer", "/engines"])
def test_the_pages_of_others_cannot_use_it(connection, path, headers, status):
    assert ask(connection, path, QUESTION, **headers)[0] == status


@pytest.mark.attack
def test_another_host_does_not_get_the_page(connection):
    connection.request("GET", "/", headers={"Host": "evil.example"})
    assert connection.getresponse().status == 421


@pytest.mark.attack
def test_what_is_no_question_is_answered_all_the_same(connection):
    assert ask(connection, "/answer", b" " * 800_001)[0] == 413
    for body in (b"[" * 100_000, b"{", b"\xff", b"1", b'{"text":"","ruleset":"x","later":[' + b"{}," * 9 + b"{}]}"):
        status, told = ask(connection, "/answer", body)
        assert (status, len(told["problems"])) == (200, 1)


def test_every_file_of_the_page_is_there(connection):
    connection.request("GET", "/")
    response = connection.getresponse()
    page = response.read().decode()
    assert response.getheader("Content-Type") == "text/html; charset=utf-8"
    for name in ("boards.css", "local.css", "play.css", "play.mjs"):
        assert f'"{name}"' in page
        connection.request("GET", f"/{name}")
        response = connection.getresponse()
        assert (response.status, bool(response.read())) == (200, True)
