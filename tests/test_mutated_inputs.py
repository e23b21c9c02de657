"""Mutated inputs of every kind, read by their readers: only the project's own errors come out, and in a bounded time.

`DATC_ATTACK_INPUTS` says how many (1,000 when left out); `DATC_ATTACK_SEED` gives others.
"""

import json
import os
import re
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec
import pytest

from datc.adapters import AdapterError, AdjudicateParams, Engine, EngineSpec, Limits
from datc.adapters.builtin import BuiltinEngine, respond
from datc.adapters.conversion import read_position
from datc.adapters.engine import read_adjudicate_result, read_initialize_result, read_response
from datc.adapters.http import HttpEngine
from datc.adapters.process import ProcessEngine
from datc.cases.reading import read_suite
from datc.harness.cli.reporting import read_stored
from datc.harness.config.config import read_config
from datc.harness.config.preparing import read_positions
from datc.harness.play.answer import PhaseInput
from datc.harness.play.engine import read_answer
from datc.harness.play.session import ReferenceAdjudicator, case_inputs, find_impossible
from datc.harness.run.replay_requests import read_exchanges, resend
from datc.harness.search.drawn import read_games
from datc.harness.search.hunt import open_again
from datc.harness.search.plan import Plan, PlannedEngine
from datc.harness.search.replay import Replay, open_archives
from datc.harness.search.report import replay_findings, replay_report
from datc.harness.search.store import Store
from datc.reference_engine import DATC_3_2, DatcCheckError, PositionError
from datc.reference_engine.notation import read_writing
from datc.reference_engine.toml import loads
from datc.reports import FORMATS
from datc.reports.findings import terminal_text

from .adapters.fake_sites import CHUNKED, Connection, Site, head
from .conftest import ROOT
from .harness.cli.running import invoke
from .harness.search.test_archives import HISTORY, JDIP, LINE, NJUDGE

pytestmark = pytest.mark.attack

INPUTS = int(os.environ.get("DATC_ATTACK_INPUTS", "1000"))
SEED = int(os.environ.get("DATC_ATTACK_SEED", "1"))
MOST_SECONDS = 10
"""Of the processor, for one input of some KiB: what else the machine has to do does not count."""

VALUES = (
    b"null", b"true", b"-1", b"0", b"1e999", b"-0.0", b"99999999999999999999999", b"9" * 5000, b"18446744073709551616",
    b"nan", b"inf", b'""', b'"\\ud800"', b'"\xff"', b"[]", b"{}", b"[[]]", b'{"a":{}}', b'"A LON"', b'"SPA/NC"',
    b'"Turkey"', b'"' + b"x" * 10_000 + b'"', b"1979-05-27T07:32:00Z", b"'''", b'"""', b"\x00", b"\xef\xbb\xbf",
    b"\xe2\x80\xae", b"0x7fffffffffffffff", b"1_000", b"-", b"::error::", b"</script>", b"\r\n", b"-ffff", b"chunked",
)  # fmt: skip
WEIRD = (
    None, True, -1, 0, 2**53, 2**63, 2**64, 10**300, 1e308, -0.5, "", "x" * 10_000, "\u202e\x1b[31m", "\ud7ff", [], {},
    [[]], [None], {"": None}, "LON", "A LON", "SPA/NC", "ENGLAND", "F", "movement", "4.A.2", "szykman", ["LON"] * 100,
)  # fmt: skip
TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|[\w.+-]+|[^\w\s]')


def mutated(rng: Random, text: bytes, others: list[bytes]) -> bytes:
    """Change a text in one to four places."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        text = rng.choice(MUTATIONS)(rng, text, others)
    return text


def _place(rng: Random, text: bytes) -> tuple[int, int]:
    start = rng.randrange(len(text) + 1)
    return start, min(len(text), start + rng.choice((1, 2, 8, 40, 400)))


def _flip(rng: Random, text: bytes, _others: list[bytes]) -> bytes:
    at = rng.randrange(len(text) + 1)
    return text[:at] + bytes([text[at] ^ 1 << rng.randrange(8)] if at < len(text) else b"\xff") + text[at + 1 :]


def _cut(rng: Random, text: bytes, _others: list[bytes]) -> bytes:
    start, end = _place(rng, text)
    return text[:start] + text[end:] if rng.random() < 0.7 else text[:start]


def _duplicate(rng: Random, text: bytes, _others: list[bytes]) -> bytes:
    start, end = _place(rng, text)
    return text[:end] + text[start:end] * rng.choice((1, 1, 2, 50)) + text[end:]


def _swap_tokens(rng: Random, text: bytes, _others: list[bytes]) -> bytes:
    found = list(TOKEN.finditer(text))
    if len(found) < 2:
        return text
    one, other = sorted(rng.sample(found, 2), key=lambda token: token.start())
    between = text[one.end() : other.start()]
    return text[: one.start()] + other[0] + between + one[0] + text[other.end() :]


def _replace_token(rng: Random, text: bytes, _others: list[bytes]) -> bytes:
    """Put a value in the place of a token, in a third of the cases a number in that of one."""
    found, values = list(TOKEN.finditer(text)), VALUES
    numbers = [token for token in found if token[0].isdigit()]
    if numbers and rng.random() < 0.33:
        found, values = numbers, VALUES[2:11]
    if not found:
        return text
    token = rng.choice(found)
    return text[: token.start()] + rng.choice(values) + text[token.end() :]


def _nest(rng: Random, text: bytes, _others: list[bytes]) -> bytes:
    at, _ = _place(rng, text)
    opening, closing = rng.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"{a = ", b"}"), (b"(", b")"), (b"a.", b"")))
    depth = rng.choice((3, 100, 2000, 30_000))
    return text[:at] + opening * depth + rng.choice((b"", b"1" + closing * depth)) + text[at:]


def _splice(rng: Random, text: bytes, others: list[bytes]) -> bytes:
    other = rng.choice(others)
    start, end = _place(rng, other)
    at, _ = _place(rng, text)
    return text[:at] + other[start:end] + text[at:]


def _change_json(rng: Random, text: bytes, _others: list[bytes]) -> bytes:
    """Change a value of JSON, or of one of its lines: what comes out is JSON still."""
    lines = text.split(b"\n")
    number = rng.randrange(len(lines))
    try:
        single = rng.random() < 0.5
        whole = json.loads(text if single else lines[number])
    except (ValueError, RecursionError):
        return text
    holders = [holder for holder in _holders(whole) if holder]
    if not holders:
        return text
    holder, value = rng.choice(holders), rng.choice(WEIRD)
    place = rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
    if rng.random() < 0.2:
        del holder[place]
    elif rng.random() < 0.2 and isinstance(holder, list):
        holder.extend(holder[place : place + 1] * rng.choice((1, 100)))
    elif rng.random() < 0.3:
        other = rng.choice(holders)
        holder[place] = json.loads(json.dumps(rng.choice(list(other.values()) if isinstance(other, dict) else other)))
    else:
        holder[place] = value
    new = json.dumps(whole).encode()
    if single:
        return new
    return b"\n".join((*lines[:number], new, *lines[number + 1 :]))


def _holders(value: object) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = [value] if isinstance(value, (dict, list)) else []
    return own + [holder for each in inner for holder in _holders(each)]


MUTATIONS = (_flip, _cut, _duplicate, _swap_tokens, *[_replace_token] * 3, _nest, _splice, *[_change_json] * 6)


def _read_suite(file: Path) -> object:
    if file.name != "suite.toml":
        _ = file.with_name("suite.toml").write_bytes(SUITE)
    return read_suite(file.parent)


def _read_config(file: Path) -> object:
    config, where = read_config(file)
    return config.engines(where)


def _read_positions(file: Path) -> None:
    for case in read_positions(_text(file), "mutated"):
        _ = ReferenceAdjudicator(DATC_3_2).ask(case_inputs(case)[0])


def _text(file: Path) -> str:
    return file.read_text("utf-8", "replace")


def _read_orders(file: Path) -> None:
    for line in _text(file).splitlines()[:20]:
        for phase in ("movement", "retreat", "adjustment"):
            _ = read_writing(line, phase)


def _read_answer(file: Path) -> object:
    response = read_response(file.read_bytes())
    if "protocol" in _text(file):
        return read_initialize_result(response)
    answer = read_answer(read_adjudicate_result(response, PARAMS), "movement")
    return find_impossible(ASKED, answer)


def _ask_site(file: Path) -> None:
    """Let an engine answer over HTTP with what the file has, byte by byte as it is."""
    data = file.read_bytes()

    def behave(connection: Connection) -> None:
        connection.send(data)
        connection.end()

    with closing(Site(behave, at_start=True)) as site, HttpEngine(site.url, ONCE) as engine:
        _fails_or_starts(engine)


def _ask_process(file: Path) -> None:
    """Let an engine answer with what the file has when it is asked, and end."""
    with ProcessEngine(["/bin/sh", "-c", f"read -r _; cat '{file}'"], ONCE) as engine:
        _fails_or_starts(engine)


def _fails_or_starts(engine: Engine) -> None:
    try:
        _ = engine.start()
    except AdapterError as error:
        assert str(error).isprintable()  # noqa: PT017 - any error may come, or none
        assert len(str(error)) < 1000  # noqa: PT017
        raise


def _read_request(file: Path) -> None:
    answer = json.loads(respond(file.read_bytes()))
    assert "error" not in answer or answer["error"]["code"] != -32603, answer


def _read_run(file: Path) -> None:
    with file.open("rb") as stored:
        _ = read_stored(stored)
    kind = Random(file.read_bytes()).choice([*FORMATS])
    _ = invoke("report", file, f"--report={kind}:{file.with_name('out')}")


def _read_store(file: Path) -> None:
    is_header = file.name == "hunt.json"
    _ = file.with_name("chunks.jsonl" if is_header else "hunt.json").write_bytes(b"" if is_header else HEADER)
    store = Store(file.parent)
    if is_header:
        _ = store.resume(PLAN)
    _ = store.results()
    _ = open_again(store, PlannedEngine(EngineSpec("builtin"), Limits()))


def _read_trace(file: Path) -> None:
    exchanges = read_exchanges(file.read_bytes(), "mutated")
    with BuiltinEngine() as engine:
        for _ in resend(engine, exchanges[:3]):
            pass


def _read_games(file: Path) -> None:
    games = read_games.__wrapped__(file)
    for index in range(min(len(games), 3)):
        with suppress(PositionError):
            _ = games.ordered(index)


def _replay(file: Path) -> None:
    """Read an archive of any format, compare it, and write down what was found."""
    replay = Replay(Plan((), DATC_3_2, against="archive"), archives=open_archives([file])[0])
    replay.run(1, None)
    found = replay_findings(replay)
    _ = terminal_text(found.parts), msgspec.json.encode(found.data), replay_report(replay)


class Kind(NamedTuple):
    """Inputs of one kind."""

    share: int
    """Of 100 inputs: the slow ones get few."""
    file: str
    read: Callable[[Path], object]
    """Reads a file, and uses what it has as the commands do; it may write beside it."""


KINDS = {
    "cases": Kind(5, "6.A.toml", _read_suite),
    "suites": Kind(2, "suite.toml", _read_suite),
    "configs": Kind(10, "datc.toml", _read_config),
    "positions": Kind(10, "positions", _read_positions),
    "orders": Kind(12, "orders", _read_orders),
    "answers": Kind(13, "answer.json", _read_answer),
    "requests": Kind(8, "request.json", _read_request),
    "HTTP": Kind(9, "answer.http", _ask_site),
    "processes": Kind(1, "answer.lines", _ask_process),
    "runs": Kind(2, "run.json", _read_run),
    "stores": Kind(6, "chunks.jsonl", _read_store),
    "store headers": Kind(5, "hunt.json", _read_store),
    "traces": Kind(8, "trace", _read_trace),
    "games": Kind(5, "games.jsonl", _read_games),
    "archives": Kind(4, "archive", _replay),
}
SUITE = (
    b'name = "s"\ntitle = "t"\nauthor = "a"\ndate = "2025-08-30"\nurl = "https://example.org"\nruleset = "datc-3.2"\n'
)
PASTES = loads((ROOT / "tests" / "harness" / "paste" / "pasted.toml").read_text("utf-8"))["pasted"]
PASTED = [each["text"].encode() for each in PASTES]
LONDON = {"power": "ENGLAND", "type": "A", "location": "LON"}
MOVE = {"power": "ENGLAND", "text": "A London - Wales"}
REQUEST = {"phase": "movement", "units": [LONDON], "orders": [MOVE], "ruleset": {"name": "datc-3.2", "choices": {}}}
PARAMS = msgspec.convert(REQUEST, AdjudicateParams)
ASKED = PhaseInput("movement", (), tuple(read_position(PARAMS).units))
RETREAT = {"power": "ENGLAND", "type": "A", "location": "YOR", "from": "EDI", "retreats": ["LON", "WAL"]}
ANSWERS = [
    {"jsonrpc": "2.0", "id": 1, "result": each}
    for each in (
        {"units": [LONDON], "dislodged": [RETREAT], "orders": [{"outcome": "fails", "reason": "bounced"}], "state": {}},
        {"protocol": 1, "engine": {"name": "e", "version": "1", "url": "https://example.org"}, "capabilities": {}},
    )
] + [{"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "no", "data": {"a": [1]}}}]
ONCE = Limits(start=5, request=5, restarts=0)
STARTED = json.dumps({**ANSWERS[1], "id": 1}).encode()
OVER_HTTP = [
    head("200 OK", "Content-Type: application/json", f"Content-Length: {len(STARTED)}") + STARTED,
    head("100 Continue")
    + CHUNKED
    + b"9;a=b\r\n%b\r\n%x\r\n%b\r\n0\r\nX: y\r\n\r\n" % (STARTED[:9], len(STARTED) - 9, STARTED[9:]),
    head(
        "500 Oops", "Set-Cookie: a=b; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Version=1", "Connection: close"
    )
    + STARTED,
    head("302 Found", "Location: http://127.0.0.1:9/", "Content-Encoding: identity", "Content-Length: 0"),
]
PLAN = Plan((PlannedEngine(EngineSpec("builtin"), Limits()),), DATC_3_2, ("random",), ("dense",))
with tempfile.TemporaryDirectory() as made:
    Store(Path(made)).begin(PLAN)
    HEADER = Path(made, "hunt.json").read_bytes()
PHASE = {"state": {"units": {"ENGLAND": ["A LON", "F STP/NC"]}}, "orders": {"ENGLAND": ["A LON - WAL"]}}
GAME = {"id": "g", "map": "standard", "phases": [{"name": "S1901M", **PHASE}]}


def _section(name: str, most: int) -> bytes:
    """The first cases of a section of the suite."""
    text = (ROOT / "cases" / "datc-3.2" / name).read_text("utf-8")
    return "[[case]]".join(text.split("[[case]]")[: most + 1]).encode()


@pytest.fixture(scope="session")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[bytes]]:
    """Make what is mutated: the files that the commands write, and small ones by hand."""
    folder = tmp_path_factory.mktemp("seeds")
    select = "--select=6.A.1,6.D.9,6.H.1"
    reports = [folder / "r.json", folder / "r.jsonl"]
    _ = invoke("run", "builtin:guess", select, *(f"--report={file.suffix[1:]}:{file}" for file in reports))
    _ = invoke("run", "builtin", select, "--trace", folder / "traces")
    hunt = "hunt builtin:guess --positions 300 --source paradoxes --no-experiments --store"
    _ = invoke(*hunt.split(), folder / "store")
    chunks = (folder / "store" / "chunks.jsonl").read_bytes().split(b"\n")
    config = (ROOT / "docs" / "config.md").read_text("utf-8").partition("```toml\n")[2].partition("```")[0].encode()
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "adjudicate", "params": REQUEST}).encode()
    cases = [_section("6.A.toml", 3), _section("6.H.toml", 2), _section("6.J.toml", 2)]
    game = json.dumps(GAME).encode()
    return {
        "cases": cases,
        "suites": [SUITE],
        "configs": [config],
        "positions": [*PASTED, request, cases[0]],
        "orders": PASTED,
        "answers": [json.dumps(each).encode() for each in ANSWERS],
        "requests": [request],
        "HTTP": OVER_HTTP,
        "processes": [json.dumps({**ANSWERS[1], "id": 0}).encode() + b"\n"],
        "runs": [file.read_bytes() for file in reports],
        "stores": [line for line in chunks if line][:6],
        "store headers": [HEADER],
        "traces": [file.read_bytes() for file in sorted((folder / "traces").iterdir())],
        "games": [game, request, b"\n".join(chunks[:4])],
        "archives": [*(json.dumps(each).encode() for each in (LINE, HISTORY)), game, JDIP.encode(), NJUDGE.encode()],
    }


@pytest.mark.promise("Files that are read")
@pytest.mark.parametrize("name", KINDS)
def test_a_mutated_input_is_read_or_refused(name: str, seeds: Mapping[str, list[bytes]], tmp_path: Path) -> None:
    assert sum(kind.share for kind in KINDS.values()) == 100
    kind, problems = KINDS[name], dict[str, str]()
    others = [seed for each in seeds.values() for seed in each]
    for number in range(INPUTS * kind.share // 100):
        rng = Random(f"{SEED} {name} {number}")
        known, text = len(problems), mutated(rng, rng.choice(seeds[name]), others)
        _ = (tmp_path / kind.file).write_bytes(text)
        began = time.process_time()
        try:
            _ = kind.read(tmp_path / kind.file)
        except DatcCheckError:
            pass
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            trace = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{type(error).__name__} in {Path(trace.filename).name}:{trace.lineno}"
            _ = problems.setdefault(where, f"input {number}: {error!r:.300}")
        if (took := time.process_time() - began) > MOST_SECONDS:
            _ = problems.setdefault("time", f"input {number} took {took:.1f} s")
        if len(problems) > known:
            _ = (tmp_path / f"input {number}").write_bytes(text)
    assert not problems, "\n".join([f"inputs in {tmp_path}:", *(": ".join(problem) for problem in problems.items())])
