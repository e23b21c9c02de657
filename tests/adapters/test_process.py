import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from datc.adapters import AdjudicateParams, Limits, errors, process_session
from datc.adapters.engine import ASKED_FOR, Restart
from datc.adapters.process import ProcessEngine
from datc.adapters.protocol import InitializeParams, encode_request

from .fakes import COLD, DEADLINE, HASTY, MARKER, NO_RESPONSE, PATIENT, ask, command, does_not_start, fails, held

WRONG_FORM = "answered a result of the wrong form: "
UNTIRING = Limits(start=60, request=60, restarts=1000)


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    return path


def test_a_good_engine_says_who_it_is_and_answers_each_request(start_fake):
    engine = start_fake("behaves")
    assert engine.start().engine.name == "fake"
    pids = {held(engine, text).pid for text in ("A London Hold", MARKER, "A London - Wales")}
    assert len(pids) == 1


def test_an_engine_that_is_started_again_has_not_broken_down(start_fake):
    engine = start_fake("behaves", Limits(start=60, request=60, restarts=0))
    before = held(engine, MARKER).pid
    assert engine.restart()
    assert held(engine, MARKER).pid != before
    assert engine.restarts == ()


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("crashes-at-start", r"^the engine ended with exit code 3 \(its log ends: the fake cannot find its board\)$"),
        ("greets-at-start", "printed 'Welcome to the fake engine!' to its standard output, which is for answers alone"),
        ("fails-at-start", "answered error -32000: 'no license'"),
        ("cannot-at-start", "^the engine says that it cannot: 'no initialize'$"),
        ("speaks-another-version", "speaks version 2 of the protocol, not 1"),
        ("has-no-name", f"{WRONG_FORM}Object missing required field `engine`"),
        ("answers-another-id-at-start", "answered with id 1, which was not asked"),
        ("hangs-at-start", r"^the engine gave no answer within 0\.5 s$"),
    ],
)
def test_an_engine_that_does_not_start_says_why(start_fake, behaviour, reason):
    limits = Limits(start=0.5) if behaviour == "hangs-at-start" else PATIENT
    does_not_start(start_fake(behaviour, limits), reason)


@pytest.mark.parametrize(
    ("words", "folder", "reason"),
    [
        (["nowhere/my-engine", "--json-rpc"], ".", "my-engine --json-rpc' cannot be started: .*No such file"),
        (["./no-program"], ".", "no-program' cannot be started: .*Permission denied"),
        (["my\0engine"], ".", "cannot be started: .*null"),
        ([sys.executable], "nowhere", "cannot be started: .*nowhere"),
    ],
)
def test_what_cannot_be_run_is_named(tmp_path, words, folder, reason):
    _ = (tmp_path / "no-program").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "no-program").chmod(0o644)
    does_not_start(ProcessEngine(words, cwd=str(tmp_path / folder)), reason)


BREAKS = (
    ("crashes", r"^ended with exit code 3 \(its log ends: the fake goes down\)$"),
    ("crashes-in-colour", r"\(its log ends: �\[31mthe fake� goes down�\[0m�\)$"),
    ("crashes-with-a-long-line", r"^ended with exit code 3 \(its log ends: x{493}the end\)$"),
    ("is-killed", "^ended by signal SIGKILL$"),
    ("answers-another-id", r"^answered with id \d+, which was not asked$"),
    ("writes-no-json", r"^printed 'Segmentation fault �\[31m\(core dumped\)' to its standard output"),
    ("writes-a-lone-surrogate-in-the-result", NO_RESPONSE),
    ("nests-deeply-in-the-result", r"not a JSON-RPC response \(maximum recursion depth exceeded"),
    ("id-as-text", r"^answered with id '\d+', which was not asked$"),
    ("id-as-endless-text", r"^answered with id '[^\x1b]{60,100}…, which was not asked$"),
    ("id-as-true", r"not a JSON-RPC response \(Expected `int \| str \| null`, got `bool` - at `\$\.id`\)"),
    ("error-without-an-id", r"^answered an error without an id: 'what was that\?'$"),
    ("neither-result-nor-error", "^answered with neither or both of result and error: "),
    ("both-result-and-error", "^answered with neither or both of result and error: "),
    ("another-json-rpc", rf"{NO_RESPONSE}.*1\.0"),
)
"""What ends the process, so that a late answer is not taken for the next one."""
BEYOND_A_LIMIT = (
    ("hangs", HASTY, "^gave no answer within 1 s$"),
    ("answers-late", HASTY, "^gave no answer within 1 s$"),
    ("floods-with-blank-lines", HASTY, "^gave no answer within 1 s$"),
    ("floods", Limits(start=60, request=60, line=1 << 20), "^answered more than 1048576 bytes without a newline$"),
)
WRONG_ANSWERS = (
    ("error-of-its-own", errors.EngineFailure, "^answered error -32000: 'the board is on fire'$"),
    ("error-with-controls", errors.EngineFailure, r"^answered error -32000: '�\[31mred����alert'$"),
    ("error-endless", errors.EngineFailure, "^answered error -32000: 'x{80}'…$"),
    ("error-method-not-found", errors.UnsupportedError, "^the engine says that it cannot: 'no movement phase here'$"),
    ("error-not-supported", errors.UnsupportedError, "^the engine says that it cannot: 'no convoys'$"),
    ("result-is-null", errors.EngineFailure, f"^{WRONG_FORM}Expected `object`, got `null`$"),
    ("unit-without-location", errors.EngineFailure, rf"^{WRONG_FORM}.*`location` - at `\$.units\[0\]`$"),
    ("too-many-order-results", errors.EngineFailure, "^answered 9 order results to 1 orders$"),
    ("writes-bad-utf-8-in-the-result", errors.EngineFailure, WRONG_FORM),
    ("writes-controls", errors.EngineFailure, rf"^{WRONG_FORM}Invalid enum value '\\x1b\[31m.*…$"),
)
"""What leaves the process running."""


@pytest.mark.promise("Time and size")
@pytest.mark.parametrize(
    ("behaviour", "limits", "kind", "reason", "goes_on"),
    [
        *((behaviour, PATIENT, errors.EngineFailure, reason, False) for behaviour, reason in BREAKS),
        *((behaviour, limits, errors.EngineFailure, reason, False) for behaviour, limits, reason in BEYOND_A_LIMIT),
        *((behaviour, PATIENT, kind, reason, True) for behaviour, kind, reason in WRONG_ANSWERS),
    ],
)
def test_what_is_wrong_fails_one_request(start_fake, behaviour, limits, kind, reason, goes_on):
    engine = start_fake(behaviour, limits)
    before = held(engine, "A London Hold")
    _ = fails(engine, reason, kind)
    after = held(engine, "A London - Wales")
    assert (after.pid == before.pid) == goes_on


def test_the_next_request_is_not_blamed_for_a_second_answer(start_fake):
    engine = start_fake("answers-the-last-again")
    assert held(engine, "A London Hold").pid != held(engine, MARKER).pid


def test_a_request_is_not_blamed_for_a_crash_before_it_was_sent(start_fake, monkeypatch):
    engine = start_fake("crashes")
    between: list[Callable[[], object]] = [lambda: engine.adjudicate(ask())]

    def encode(number: int, method: str, params: InitializeParams | AdjudicateParams) -> bytes:
        """Encode a request, once it was settled which process it goes to; the other one crashes it meanwhile."""
        if number == 1:
            with pytest.raises(errors.EngineFailure):
                _ = between.pop()()
        return encode_request(number, method, params)

    monkeypatch.setattr("datc.adapters.process.encode_request", encode)
    _ = held(engine, "A London Hold")
    assert not between


def test_an_engine_that_never_reads_is_ended(start_fake):
    engine = start_fake("never-reads", COLD)
    for seconds in (5, 1):  # It is waited for once as long as for one that loads what it needs.
        with pytest.raises(errors.EngineFailure, match=f"^gave no answer within {seconds} s$"):
            _ = engine.adjudicate(ask(bulk=1 << 20))


def test_a_long_log_stops_nobody(start_fake):
    engine = start_fake("logs-much")
    assert held(engine, MARKER).pid == held(engine, "A London Hold").pid


def test_a_failure_shows_the_log_since_its_request(start_fake):
    engine = start_fake("logs-each", marker="")
    for _ in range(2):
        _ = held(engine, "A London Hold")
    failure = fails(engine, r"\(its log ends: request 3\)$")
    assert failure.log == ["request 3"]


def test_every_restart_says_what_was_asked_and_why(start_fake):
    engine = start_fake("crashes")
    token = ASKED_FOR.set("datc-3.2/6.A.1")
    _ = fails(engine)
    ASKED_FOR.reset(token)
    log = ("reading the order", "the fake goes down")
    assert engine.restarts == (Restart(("datc-3.2/6.A.1",), "ended with exit code 3", log),)
    _ = held(engine, "A London Hold")
    engine.close()
    assert len(engine.restarts) == 1


def test_a_second_answer_is_told_though_nobody_is_to_blame(start_fake):
    engine = start_fake("answers-twice", marker="")
    for number in range(3):
        _ = held(engine, f"A London Hold {number}")
    engine.close()
    assert [restart.reason for restart in engine.restarts] == [f"answered twice to id {number}" for number in (1, 2, 3)]


def test_the_first_answer_after_a_start_has_the_time_of_the_start(start_fake):
    engine = start_fake("warms-up", HASTY, marker="")
    _ = held(engine, MARKER)
    _ = held(engine, MARKER)
    assert engine.restarts == ()


def test_an_engine_that_is_quick_at_first_and_hangs_is_not_waited_for_so_long_after_a_restart(start_fake):
    engine = start_fake("hangs", HASTY)
    _ = held(engine, "A London Hold")
    for _ in range(2):
        _ = fails(engine, "^gave no answer within (?!60 s)")


def test_an_engine_that_breaks_down_too_often_gives_out(start_fake):
    engine = start_fake("crashes", Limits(start=60, request=60, restarts=2))
    for _ in range(3):
        _ = fails(engine)
    gave_out = "^the engine broke down 3 times; the last time it ended with exit code 3$"
    for text in (MARKER, "A London Hold"):
        _ = fails(engine, gave_out, errors.EngineGaveOutError, text)


def test_an_engine_that_cannot_be_started_again_gives_out(tmp_path):
    script = tmp_path / "engine.py"
    good = '{"jsonrpc":"2.0","id":0,"result":{"protocol":1,"engine":{"name":"once"}}}'
    _ = script.write_text(f"import os\nos.remove(__file__)\ninput()\nprint('{good}', flush=True)\ninput()\n", "utf-8")
    with ProcessEngine([sys.executable, "-S", str(script)], PATIENT) as engine:
        assert engine.start().engine.name == "once"
        _ = fails(engine, "^ended with exit code 0$")
        gave_out = "could not be started again: the engine ended with exit code 2"
        _ = fails(engine, gave_out, errors.EngineGaveOutError)


def test_closing_ends_all_requests_in_flight(start_fake, pool, fifo):
    engine = start_fake("leaves-a-child-and-hangs", FAKE_PIPE=str(fifo))
    asked = [pool.submit(engine.adjudicate, ask()) for _ in range(7)]
    with fifo.open("rb") as pipe:  # Opens once the engine works on the first of them.
        engine.close()
        for future in asked:
            assert isinstance(future.exception(DEADLINE), errors.EngineClosedError)
        assert pool.submit(pipe.read).result(DEADLINE) == b""
    _ = fails(engine, kind=errors.EngineClosedError)


@pytest.mark.parametrize("behaviour", ["leaves-a-child-and-hangs", "leaves-a-child-and-crashes"])
def test_the_whole_process_group_ends_when_the_engine_breaks_down(start_fake, pool, fifo, behaviour):
    # Without a guard, the child holds the pipe of the answers, so that nobody sees the crash.
    is_seen = behaviour.endswith("crashes") and sys.platform != "win32"
    engine = start_fake(behaviour, HASTY, FAKE_PIPE=str(fifo))
    _ = held(engine, "A London Hold")
    child_is_gone = pool.submit(fifo.read_bytes)
    _ = fails(engine, "^ended with exit code 3$" if is_seen else "^gave no answer within 1 s$")
    assert child_is_gone.result(DEADLINE) == b""
    _ = held(engine, "A London Hold")


def test_the_whole_process_group_ends_when_the_engine_is_closed(start_fake, pool, fifo):
    engine = start_fake("leaves-a-child-and-answers", FAKE_PIPE=str(fifo))
    child_is_gone = pool.submit(fifo.read_bytes)
    _ = held(engine, MARKER)
    assert not child_is_gone.done()
    engine.close()
    assert child_is_gone.result(DEADLINE) == b""


def test_answers_may_come_in_any_order(start_fake, pool):
    engine = start_fake("answers-three-in-reverse", marker="Ness")
    texts = [f"A Nessie - Loch Ness {number}" for number in range(3)]
    futures = [pool.submit(held, engine, text) for text in texts]
    assert len({future.result(DEADLINE).pid for future in futures}) == 1


@pytest.mark.parametrize(
    ("behaviour", "limits", "reason", "guilty"),
    [
        ("crashes", PATIENT, "^ended with exit code 3", {11}),
        ("crashes", UNTIRING, "^ended with exit code 3", {*range(0, 80, 5)}),
        ("hangs", COLD, "^gave no answer within [15] s$", {11}),
        ("writes-no-json", PATIENT, "^printed ", {11}),
        ("answers-another-id", PATIENT, "which was not asked$", {11}),
        ("error-of-its-own", PATIENT, "on fire", {11}),
    ],
)
def test_of_many_requests_in_flight_only_the_guilty_fail(start_fake, pool, behaviour, limits, reason, guilty):
    engine = start_fake(behaviour, limits)
    texts = [MARKER if number in guilty else f"A London Hold {number}" for number in range(max(guilty) + 13)]
    futures = [pool.submit(held, engine, text) for text in texts]
    for text, future in zip(texts, futures, strict=True):
        wrong = pytest.raises(errors.EngineFailure, match=reason)
        with wrong if text == MARKER else nullcontext():
            _ = future.result(DEADLINE)


@pytest.mark.promise("Answers belong to requests")
def test_many_second_answers_touch_no_request(start_fake, pool):
    engine = start_fake("answers-twice", UNTIRING)
    futures = [pool.submit(held, engine, MARKER if number % 5 == 0 else "A London Hold") for number in range(40)]
    assert all(future.result(DEADLINE).orders for future in futures)


# Engines that want to outlive their run, or to hold it up: what they leave behind ends, and soon.


def attack_on_linux(test: Callable[..., object]) -> Callable[..., object]:
    no_guard = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere what leaves its group is left behind")
    return pytest.mark.attack(no_guard(test))


def is_gone(pid: int) -> bool:
    """Whether a process ends soon, though perhaps nobody has taken note of it."""
    until = time.monotonic() + DEADLINE
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


def daemon_of(folder: Path) -> int:
    """Return the process id of the daemon that a fake left behind."""
    return int((folder / "pids").read_text(encoding="ascii").split()[1])


@pytest.fixture
def alter_guard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Give the means to run lines of Python before the guard, which take something away from it."""

    def alter(lines: str) -> None:
        guard = tmp_path / "guard.py"
        run = f"runpy.run_path({str(process_session._GUARD)!r}, run_name='__main__')"
        _ = guard.write_text(f"import ctypes, os, runpy, sys\n{lines}\n{run}\n", encoding="utf-8")
        monkeypatch.setattr(process_session, "_GUARD", guard)

    return alter


WITHOUT_LINUX = """
if sys.platform == "linux":
    del os.pidfd_open
    sys.platform = "darwin"
    linked = ctypes.CDLL(None)
    class Linked:
        signal = linked.signal
    ctypes.CDLL = lambda _name: Linked
"""
"""What macOS does not have: the calls that make a subreaper, and tell of the end of a process."""


def test_where_there_is_no_subreaper_what_left_its_group_ends_with_a_living_engine(start_fake, pool, fifo, alter_guard):
    alter_guard(WITHOUT_LINUX)
    engine = start_fake("leaves-a-session-and-hangs", HASTY, FAKE_PIPE=str(fifo))
    _ = held(engine, "A London Hold")
    child_is_gone = pool.submit(fifo.read_bytes)
    _ = fails(engine, "^gave no answer within 1 s$")
    assert child_is_gone.result(DEADLINE) == b""
    _ = held(engine, "A London Hold")


@pytest.mark.parametrize("behaviour", ["crashes", "is-killed"])
def test_where_there_is_no_subreaper_an_engine_ends_as_it_does(start_fake, alter_guard, behaviour):
    alter_guard(WITHOUT_LINUX)
    ends = {"crashes": "^ended with exit code 3 ", "is-killed": "^ended by signal SIGKILL$"}
    _ = fails(start_fake(behaviour, PATIENT), ends[behaviour])


@attack_on_linux
@pytest.mark.parametrize("has_pidfd", [True, False])
def test_a_daemon_ends_with_the_engine_that_crashes(start_fake, tmp_path, alter_guard, has_pidfd):
    """Python has no `os.pidfd_open` where it was built on an old system."""
    if not has_pidfd:
        alter_guard("del os.pidfd_open")
    engine = start_fake("leaves-a-daemon-and-crashes", PATIENT, FAKE_PIPE=str(tmp_path / "pids"))
    _ = fails(engine, "^ended with exit code 3$")
    assert is_gone(daemon_of(tmp_path))
    _ = held(engine, "A London Hold")


@attack_on_linux
def test_a_daemon_ends_with_the_engine_that_is_closed(start_fake, tmp_path):
    engine = start_fake("leaves-a-daemon-and-answers", PATIENT, FAKE_PIPE=str(tmp_path / "pids"))
    _ = held(engine, MARKER)
    pid = daemon_of(tmp_path)
    assert Path(f"/proc/{pid}").exists()
    engine.close()
    assert is_gone(pid)


@attack_on_linux
def test_an_engine_that_kills_its_guard_ends_with_it(start_fake):
    engine = start_fake("kills-its-guard", HASTY)
    pid = held(engine, "A London Hold").pid
    _ = fails(engine, "^ended by signal SIGKILL$")
    assert is_gone(pid)
    _ = held(engine, "A London Hold")


@attack_on_linux
def test_an_engine_that_stops_its_guard_is_ended(start_fake):
    engine = start_fake("stops-its-guard", HASTY)
    pid = held(engine, "A London Hold").pid
    _ = held(engine, MARKER)
    engine.close()
    assert is_gone(pid)


@attack_on_linux
def test_a_daemon_that_cannot_be_ended_is_not_waited_for(start_fake, tmp_path, monkeypatch):
    monkeypatch.setattr(process_session, "_HAS_GUARD", False)
    engine = start_fake("leaves-a-daemon-and-answers", PATIENT, FAKE_PIPE=str(tmp_path / "pids"))
    _ = held(engine, MARKER)
    pid = daemon_of(tmp_path)
    engine.close()
    os.kill(pid, signal.SIGKILL)  # It fails where the daemon was waited for.


@pytest.mark.promise("What an engine starts ends with it")
@attack_on_linux
def test_nothing_of_an_engine_outlives_a_harness_that_is_killed(tmp_path):
    pids = tmp_path / "pids"
    os.mkfifo(pids)
    engine = f"exec:{shlex.join(command('leaves-a-daemon-and-hangs', marker=''))}"
    with subprocess.Popen(
        [Path(sys.executable).with_name("datc-check"), "run", engine, "--timeout=600", "--quiet"],
        cwd=tmp_path,
        env={**os.environ, "FAKE_PIPE": str(pids)},
    ) as harness:
        left = pids.read_text(encoding="ascii").split()
        harness.kill()
    assert [is_gone(int(pid)) for pid in left] == [True, True]
