"""Mutated inputs of every kind, read by their readers: only the project's own errors come out, and in a bounded time.

`DATC_ATTACK_INPUTS` says how many (3,000 when left out); `DATC_ATTACK_SEED` gives others.
"""

import json
import os
import re
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec
import pytest
from click.testing import CliRunner

from datc.adapters import AdjudicateParams, EngineSpec, Limits
from datc.adapters.builtin import BuiltinEngine, respond
from datc.adapters.conversion import read_position
from datc.adapters.engine import read_adjudicate_result, read_initialize_result, read_response
from datc.cases.reading import read_suite
from datc.harness.cli.group import cli
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
from datc.reports import FORMATS
from datc.reports.findings import terminal_text

pytestmark = pytest.mark.attack

INPUTS = int(os.environ.get("DATC_ATTACK_INPUTS", "3000"))
SEED = int(os.environ.get("DATC_ATTACK_SEED", "1"))
MOST_SECONDS = 10
"""Of the processor, for one input of some KiB: what else the machine has to do does not count."""
TESTS = Path(__file__).parent
ROOT = TESTS.parent

VALUES = (
    b"null", b"true", b"-1", b"0", b"1e999", b"-0.0", b"99999999999999999999999", b"9" * 5000, b"18446744073709551616",
    b"nan", b"inf", b'""', b'"\\ud800"', b'"\xff"', b"[]", b"{}", b"[[]]", b'{"a":{}}', b'"A LON"', b'"SPA/NC"',
    b'"Turkey"', b'"' + b"x" * 10_000 + b'"', b"1979-05-27T07:32:00Z", b"'''", b'"""', b"\x00", b"\xef\xbb\xbf",
    b"\xe2\x80\xae", b"0x7fffffffffffffff", b"1_000", b"-", b"::error::", b"</script>",
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
    found = list(TOKEN.finditer(text))
    if not found:
        return text
    token = rng.choice(found)
    return text[: token.start()] + rng.choice(VALUES) + text[token.end() :]


def _replace_number(rng: Random, text: bytes, others: list[bytes]) -> bytes:
    found = [token for token in TOKEN.finditer(text) if token[0].isdigit()]
    if not found:
        return _replace_token(rng, text, others)
    token = rng.choice(found)
    return text[: token.start()] + rng.choice(VALUES[2:11]) + text[token.end() :]


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


MUTATIONS = (
    _flip, _cut, _duplicate, _swap_tokens, _replace_token, _replace_token, _replace_number, _nest, _splice,
    *[_change_json] * 6,
)  # fmt: skip


class Kind(NamedTuple):
    """Inputs of one kind."""

    seeds: list[bytes]
    read: Callable[[bytes, Path], object]
    """Reads an input, and uses what it has as the commands do; it may write to the folder."""


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _read_suite(content: bytes, folder: Path) -> object:
    _ = (folder / "6.A.toml").write_bytes(content)
    _ = (folder / "suite.toml").write_bytes(SUITE)
    return read_suite(folder)


def _read_suite_header(content: bytes, folder: Path) -> object:
    _ = (folder / "suite.toml").write_bytes(content)
    (folder / "6.A.toml").unlink(missing_ok=True)
    return read_suite(folder)


def _read_config(content: bytes, folder: Path) -> object:
    _ = (folder / "datc.toml").write_bytes(content)
    config, where = read_config(folder / "datc.toml")
    return config.engines(where)


def _read_positions(content: bytes, _folder: Path) -> None:
    for case in read_positions(_text(content), "mutated"):
        _ = ReferenceAdjudicator(DATC_3_2).ask(case_inputs(case)[0])


def _read_orders(content: bytes, _folder: Path) -> None:
    for line in _text(content).splitlines()[:20]:
        for phase in ("movement", "retreat", "adjustment"):
            _ = read_writing(line, phase)


def _read_answer(content: bytes, _folder: Path) -> object:
    response = read_response(content)
    if "protocol" in _text(content):
        return read_initialize_result(response)
    answer = read_answer(read_adjudicate_result(response, PARAMS), "movement")
    return find_impossible(ASKED, answer)


def _read_request(content: bytes, _folder: Path) -> None:
    answer = json.loads(respond(content))
    assert "error" not in answer or answer["error"]["code"] != -32603, answer


def _read_run(content: bytes, folder: Path) -> None:
    file = folder / "run.json"
    _ = file.write_bytes(content)
    with file.open("rb") as stored:
        _ = read_stored(stored)
    _command("report", str(file), f"--report={Random(content).choice([*FORMATS])}:{folder / 'out'}")


def _command(*words: str) -> None:
    done = CliRunner().invoke(cli, words, prog_name="datc-check")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception


def _read_store(content: bytes, folder: Path) -> None:
    _ = (folder / "chunks.jsonl").write_bytes(content)
    _ = (folder / "hunt.json").write_bytes(HEADER)
    _use_store(Store(folder))


def _read_store_header(content: bytes, folder: Path) -> None:
    _ = (folder / "chunks.jsonl").write_bytes(b"")
    _ = (folder / "hunt.json").write_bytes(content)
    store = Store(folder)
    _ = store.resume(PLAN)
    _use_store(store)


def _use_store(store: Store) -> None:
    _ = store.results()
    _ = open_again(store, PlannedEngine(EngineSpec("builtin"), Limits()))


def _read_trace(content: bytes, _folder: Path) -> None:
    exchanges = read_exchanges(content, "mutated")
    with BuiltinEngine() as engine:
        for _ in resend(engine, exchanges[:3]):
            pass


def _read_games(content: bytes, folder: Path) -> None:
    file = folder / "games.jsonl"
    _ = file.write_bytes(content)
    games = read_games.__wrapped__(file)
    for index in range(min(len(games), 3)):
        with suppress(PositionError):
            _ = games.ordered(index)


def _replay(content: bytes, folder: Path) -> None:
    """Read an archive of any format, compare it, and write down what was found."""
    file = folder / "archive"
    _ = file.write_bytes(content)
    replay = Replay(Plan((), DATC_3_2, against="archive"), archives=open_archives([file]))
    replay.run(1, None)
    found = replay_findings(replay)
    _ = terminal_text(found.parts), msgspec.json.encode(found.data), replay_report(replay)


RECORDED = {
    "id": "g/1/F1901M", "phase": "movement", "units": [["AUSTRIA", "A", "TYR"], ["GERMANY", "A", "MUN"]],
    "orders": [["AUSTRIA", "A TYR H"], ["GERMANY", "A MUN - TYR"]], "outcomes": ["fails", None],
    "after_units": [["GERMANY", "A", "TYR"]],
    "after_dislodged": {"TYR": {"power": "AUSTRIA", "type": "A", "retreats": ["VIE"]}},
}  # fmt: skip
JDIP = b"""VARIANT_ALL Standard
CASE a
PRESTATE_SETPHASE Fall 1901, Movement
PRESTATE
    England: F North Sea
ORDERS
    England: F North Sea - Picardy
POSTSTATE_SAME
END
"""
NJUDGE = b"""Game: small
Movement results for Fall of 1901.
Austria: Army Tyrolia HOLD.  (*dislodged*)
Germany: Army Munich -> Tyrolia.
The Austrian Army in Tyrolia can retreat to Vienna or Trieste.
Retreat orders for Fall of 1901.
Austria: Army Tyrolia -> Vienna.
Ownership of supply centers:
Germany: Berlin, Kiel.
Adjustment orders for Winter of 1901.
Germany: Builds a fleet in Kiel.
"""
SUITE = (
    b'name = "s"\ntitle = "t"\nauthor = "a"\ndate = "2025-08-30"\nurl = "https://example.org"\nruleset = "datc-3.2"\n'
)
POSITION = b"""# The orders
Germany: A Mun - Ber, F Kiel S A Mun - Ber
Turkey: A Con-Bul; F Black Sea Convoys A Ankara - Sevastopol
England:
  F STP/NC Supports A Moscow
  Army London - Belgium via convoy
FRANCE: F Spain(sc) H
"""
ORDERS = b"""A London - Belgium
F English Channel Convoys A London - Belgium
F STP/NC S A Moscow - Livonia
Army Paris supports Army Burgundy holds
A Kiel - Berlin via convoy
F Trieste disband
Build F STP/SC
Remove A Galicia
Waive
F Mid-Atlantic Ocean - Spain (north coast)
"""
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
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Kind]:
    """Make what is mutated: the files that the commands write, and small ones by hand."""
    folder = tmp_path_factory.mktemp("seeds")
    select = ["--select", "6.A.1", "--select", "6.D.9", "--select", "6.H.1"]
    reports = [f"--report={kind}:{folder / 'r'}.{kind}" for kind in ("json", "jsonl")]
    _command("run", "builtin:guess", *select, *reports)
    _command("run", "builtin", *select, "--trace", str(folder / "traces"))
    hunt = "hunt builtin:guess --positions 300 --source paradoxes --no-experiments --store"
    _command(*hunt.split(), str(folder / "store"))
    traces = [file.read_bytes() for file in (folder / "traces").iterdir()]
    new = (folder / "store" / "chunks.jsonl").read_bytes().split(b"\n")
    config = (ROOT / "docs" / "config.md").read_text("utf-8").partition("```toml\n")[2].partition("```")[0].encode()
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "adjudicate", "params": REQUEST}).encode()
    cases = [_section("6.A.toml", 3), _section("6.H.toml", 2), _section("6.J.toml", 2)]
    return {
        "cases": Kind(cases, _read_suite),
        "suites": Kind([SUITE], _read_suite_header),
        "configs": Kind([config], _read_config),
        "positions": Kind([POSITION, request, cases[0]], _read_positions),
        "orders": Kind([ORDERS], _read_orders),
        "answers": Kind([json.dumps(each).encode() for each in ANSWERS], _read_answer),
        "requests": Kind([request], _read_request),
        "runs": Kind([(folder / name).read_bytes() for name in ("r.json", "r.jsonl")], _read_run),
        "stores": Kind([line for line in new if line][:6], _read_store),
        "store headers": Kind([HEADER], _read_store_header),
        "traces": Kind(traces, _read_trace),
        "games": Kind([json.dumps(GAME).encode(), request, b"\n".join(new[:4])], _read_games),
        "archives": Kind([json.dumps(RECORDED).encode(), json.dumps(GAME).encode(), JDIP, NJUDGE, ORDERS], _replay),
    }


KINDS = {
    "cases": 5, "suites": 2, "configs": 10, "positions": 12, "orders": 16, "answers": 15, "requests": 10, "runs": 2,
    "stores": 6, "store headers": 5, "traces": 8, "games": 5, "archives": 4,
}  # fmt: skip
"""What is mutated, and how many of 100 inputs it gets: the slow ones get few."""


@pytest.mark.parametrize("name", KINDS)
def test_a_mutated_input_is_read_or_refused(name: str, kinds: Mapping[str, Kind], tmp_path: Path) -> None:
    assert sum(KINDS.values()) == 100
    kind, problems = kinds[name], dict[str, str]()
    others = [seed for each in kinds.values() for seed in each.seeds]
    for number in range(INPUTS * KINDS[name] // 100):
        rng = Random(f"{SEED} {name} {number}")
        content = mutated(rng, rng.choice(kind.seeds), others)
        began = time.process_time()
        try:
            _ = kind.read(content, tmp_path)
        except DatcCheckError:
            pass
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            trace = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{type(error).__name__} in {Path(trace.filename).name}:{trace.lineno}"
            _ = problems.setdefault(where, f"input {number}: {error!r:.300}")
        if (took := time.process_time() - began) > MOST_SECONDS:
            _ = problems.setdefault("time", f"input {number} took {took:.1f} s")
    assert not problems, "\n".join(f"{where}: {problem}" for where, problem in problems.items())
