"""Engines that attack the reports of a run, over both transports: no format has a secret, a command, or a flood."""

from __future__ import annotations

import base64
import json
import re
import sys
import tracemalloc
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from datc.adapters.http import HttpEngine
from datc.adapters.protocol import MOST_UNITS, UnitMessage
from datc.reference_engine import standard_board
from datc.reports import FORMATS

from ...adapters.fake_sites import Connection, Site
from ...adapters.fakes import ask
from ...adapters.test_redaction import SPELLINGS
from ...engines import attacking
from ...engines.attacking import TOO_LARGE, TOO_LARGE_AT_START, respond
from ...test_mutated_inputs import SUITE
from .running import invoke

pytestmark = pytest.mark.attack

TOKEN = "s3cr3t-T0ken.of+the/author"  # noqa: S105 - a made-up one
TRACES = ("s3cr3t", "S3CR3T", base64.b64encode(TOKEN.encode()).decode()[:8], "\\u0073\\u0033\\u0063", "%73%33")
COMMAND = re.compile(r"^\s*::|##\[|##vso\[|##teamcity\[|section_start:", re.MULTILINE | re.IGNORECASE)
CASES = ["--select", "6.A.1", "--select", "6.A.2", "--select", "6.D.9"]
RUN = ["run", *CASES, "--no-experiments"]


@pytest.fixture
def site() -> Iterator[Callable[[Callable[[Connection], object]], Site]]:
    """Make sites that play a behaviour at every request, and are closed when the test ends."""
    sites: list[Site] = []

    def make(behaviour: Callable[[Connection], object]) -> Site:
        class Always(Site):
            def _behave(self, connection: Connection) -> None:
                _ = behaviour(connection)

        sites.append(Always(behaviour))
        return sites[-1]

    yield make
    for one in sites:
        one.close()


@pytest.fixture(params=["process", "http"])
def engine_of(request: pytest.FixtureRequest, site) -> Callable[[str], str]:
    """Name the engine that makes an attack, over a transport."""

    def name(attack: str) -> str:
        if request.param == "process":
            return f"exec:{sys.executable} -S {attacking.__file__} {attack}"
        return site(lambda connection: connection.answer(respond(attack, connection.asked.message))).url

    return name


def run(engine: str, folder: Path) -> tuple[int, dict[str, str]]:
    """Run some cases; return the exit code, the report in every format, and what was printed.

    They are as large as those of an engine that says little: the page has a board a case.
    """
    done = invoke(*RUN, engine, *(f"--report={name}:{folder / name}" for name in FORMATS))
    found = {name: (folder / name).read_text("utf-8") for name in FORMATS} | {"terminal": done.output}
    assert max(len(text) for name, text in found.items() if name != "html") < 30_000
    assert len(found["html"]) < 400_000
    return done.exit_code, found


def test_the_bounds_are_those_of_the_board():
    board = standard_board()
    assert len(board.provinces) == MOST_UNITS
    for location in board.locations:
        for power in board.powers:
            _ = UnitMessage(power=power, type="A", location=location)
            assert max(len(power), len(location)) <= 40


@pytest.mark.promise("Bounded reports")
@pytest.mark.parametrize("attack", TOO_LARGE)
def test_too_large_an_answer_is_an_error_that_says_so(tmp_path, engine_of, attack):
    code, found = run(engine_of(attack), tmp_path)
    assert code == 1, found["terminal"]
    assert [TOO_LARGE[attack][1] in case["reason"] for case in json.loads(found["json"])["cases"]] == [True] * 3


@pytest.mark.parametrize("attack", TOO_LARGE_AT_START)
def test_too_large_an_identity_is_an_error_that_says_so(tmp_path, engine_of, attack):
    code, found = run(engine_of(attack), tmp_path)
    assert code == 3, found["terminal"]
    assert TOO_LARGE_AT_START[attack][1] in " ".join(found["terminal"].split())


def test_a_large_state_is_in_no_report(tmp_path, engine_of):
    assert not any("LARGE" in text for text in run(engine_of("state"), tmp_path)[1].values())


@pytest.mark.promise("Commands to a CI service")
@pytest.mark.parametrize("format_name", [name for name in FORMATS if name != "github"])
def test_no_printed_report_has_a_command_to_a_ci_service(tmp_path, engine_of, format_name):
    file = tmp_path / "report"
    reports = (f"--report={format_name}:{place}" for place in ("-", file))
    printed = invoke(*RUN, engine_of("commands"), "-q", *reports).stdout_bytes.decode()
    assert COMMAND.findall(printed) == []
    assert "evil" in printed or format_name == "badge"
    stored = file.read_text("utf-8")
    if format_name in ("json", "sarif"):
        assert json.loads(printed) == json.loads(stored)
        assert COMMAND.search(stored)
    elif format_name == "jsonl":
        one, other = ([*map(json.loads, text.rstrip("\n").split("\n"))] for text in (printed, stored))
        assert one == other
    elif format_name in ("junit", "badge"):
        assert ET.canonicalize(printed) == ET.canonicalize(stored)
    else:
        assert printed.count("\n") == stored.count("\n")


def test_github_gets_the_commands_of_the_project_alone(engine_of):
    lines = invoke(*RUN, engine_of("commands"), "-q", "--report=github:-").stdout.splitlines()
    assert len(lines) == 4
    assert all(re.match(r"::(error|warning|notice) ", line) for line in lines)


@pytest.mark.parametrize(
    "words",
    [
        [*RUN, "ENGINE"],
        ["infer", "ENGINE", "--suite", "datc-2.4", "--no-experiments"],
        ["explain", "6.A.1", "ENGINE"],
        ["compare", "ENGINE", "builtin", *CASES],
        ["engines", "check", "ENGINE"],
        ["doctor", "ENGINE", "--suite", "datc-2.4", "--no-experiments"],
        ["ask", "ENGINE", "-"],
    ],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_no_command_prints_one_either(engine_of, words, options):
    engine = engine_of("commands")
    request = {"jsonrpc": "2.0", "id": 1, "method": "adjudicate", "params": {"phase": "movement", "units": []}}
    done = invoke(*(engine if word == "ENGINE" else word for word in words), *options, input=json.dumps(request))
    assert done.exit_code in ((2,) if words[0] == "ask" and options else (0, 1, 3)), done.output
    assert COMMAND.findall(done.output) == []


PLACES = ("identity", "capabilities", "units", "escaped", "error", "page")
SPELLED = ("upper case", "URL without slashes", "base64", "each character in JSON")


def echoes(where: str, spelling: str) -> Callable[[Connection], object]:
    """Answer with the token that came with the request."""

    def behave(connection: Connection) -> None:
        said = SPELLINGS[spelling](connection.asked.headers["Authorization"].removeprefix("Bearer "))
        request = connection.asked.message
        starts = request["method"] == "initialize"
        result = attacking.right(request)
        if where == "identity" and starts:
            result["engine"] = {"name": said, "version": said, "url": f"https://example.org/{said}"}
        elif where == "capabilities" and starts:
            result["capabilities"] = {"choices": {said: [said]}, "maps": ["standard", said]}
        elif where == "units" and not starts:
            result["units"] = [attacking.unit(said), attacking.unit(location=said)]
            result["dislodged"] = [{**attacking.unit(), "from": said, "retreats": [said]}]
        elif where == "escaped" and starts:
            result["engine"] = {"name": "TOKEN"}
            line = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result})
            connection.answer(line.replace("TOKEN", SPELLINGS["each character in JSON"](said)).encode())
            return
        elif where == "error" and not starts:
            error = {"code": -32000, "message": f"{'x' * 60} no right: {said}", "data": said}
            connection.answer({"jsonrpc": "2.0", "id": request["id"], "error": error})
            return
        elif where == "page" and not starts:
            connection.answer(f"<p>{said}".encode(), "403 Forbidden", f"X-Token: {said}")
            return
        connection.answer({"jsonrpc": "2.0", "id": request["id"], "result": result})

    return behave


@pytest.mark.promise("Headers of a `datc.toml`")
@pytest.mark.parametrize(
    ("where", "spelling"), [*((where, "itself") for where in PLACES), *(("error", spelling) for spelling in SPELLED)]
)
def test_no_report_has_the_token_that_an_engine_repeats(tmp_path, monkeypatch, site, where, spelling):
    """Every place has it as it is, and one in other spellings: `test_redaction.py` has them all."""
    (tmp_path / "datc.toml").write_text(
        f'[engine.site]\nurl = "{site(echoes(where, spelling)).url}"\n'
        + 'headers_from_environment = { Authorization = "SITE_TOKEN" }',
        encoding="utf-8",
    )
    monkeypatch.setenv("SITE_TOKEN", f"Bearer {TOKEN}")
    monkeypatch.chdir(tmp_path)
    _, found = run("site", tmp_path)
    found["check"] = invoke("engines", "check", "site").output
    for name, text in found.items():
        assert not any(trace in text.replace("\\\\", "\\") for trace in TRACES), name
    if where != "capabilities":
        assert "***" in found["json"]


def test_the_cookies_of_an_engine_are_not_kept(site):
    cookies = [f"Set-Cookie: c{number}={'x' * 60_000}; Max-Age=99999" for number in range(15)]

    def behave(connection: Connection) -> None:
        connection.answer(connection.good(), "200 OK", *cookies)

    found = site(behave)
    with HttpEngine(found.url) as engine:
        _ = engine.adjudicate(ask())
        tracemalloc.start()
        for _ in range(36):
            _ = engine.adjudicate(ask())
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert not any("cookie" in name.lower() for asked in found.asked for name in asked.headers)
    assert kept < 8_000_000


EVIL = "\u202e\x1b[31m\n::add-mask::evil\n##[error]evil"
FOREIGN_CASE = f"""
section = "6.A"
title = {json.dumps(EVIL)}
[[case]]
id = "6.A.1"
title = {json.dumps(EVIL)}
[case.orders]
England = ["A London Holds"]
[[case.expect]]
"""


@pytest.mark.parametrize(
    "words",
    ["engines list", "engines setup mine", "cases list --suite own", "run builtin --suite own", "explain 6.A.toml"],
)
def test_nothing_that_a_file_or_a_set_up_says_is_printed_as_a_command(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    setup = json.dumps([[sys.executable, "-c", f"import sys; sys.exit({EVIL!r})"]])
    config = f'[engine.mine]\ncommand = ["x"]\nsetup = {setup}\n[engine.{json.dumps(EVIL)}]\nurl = "http://x/"\n'
    _ = Path("datc.toml").write_text(config, "utf-8")
    Path("own").mkdir()
    _ = Path("own", "suite.toml").write_bytes(SUITE)
    _ = Path("own", "6.A.toml").write_text(FOREIGN_CASE, "utf-8")
    _ = Path("6.A.toml").write_text(FOREIGN_CASE[FOREIGN_CASE.index("[[") :], "utf-8")
    said = invoke(*words.split()).output
    assert "evil" in said or words.startswith("run")
    assert COMMAND.findall(said) == []
    assert not re.search("[\x1b\u202e]", said)


def test_in_a_working_directory_that_is_gone_a_command_says_so(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    done = invoke("run", "builtin", "--select=6.A.1")
    assert (done.exit_code, done.stderr) == (2, "Error: the working directory is gone\n")


def test_where_no_thread_or_process_is_to_be_had_a_command_says_so(tmp_path, monkeypatch):
    for place, error in (
        ("threading.Thread.start", RuntimeError("can't start new thread")),
        ("subprocess._fork_exec", BlockingIOError(11, "Resource temporarily unavailable")),
    ):
        with monkeypatch.context() as patched:

            def refuse(*_arguments, error=error, **_named):
                raise error

            patched.setattr(place, refuse)
            done = invoke("explain", "6.A.1", f"exec:{sys.executable} -S {attacking.__file__} state")
        assert done.exit_code in (2, 3)
        assert str(error) in " ".join(done.stderr.split())
