"""Engines that want to outlive their run, or to hold it up: what they leave behind ends, and soon."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from datc.adapters import process_session

from .fakes import DEADLINE, HASTY, MARKER, PATIENT, command, fails, held

pytestmark = [
    pytest.mark.attack,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process that leaves its group is left behind"),
]


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


@pytest.fixture
def pids(tmp_path: Path) -> Path:
    """Where a fake writes its process id, and that of the daemon that it leaves behind."""
    return tmp_path / "pids"


def daemon_of(pids: Path) -> int:
    return int(pids.read_text(encoding="ascii").split()[1])


@pytest.mark.parametrize("has_pidfd", [True, False])
def test_a_daemon_ends_with_the_engine_that_crashes(start_fake, pids, tmp_path, monkeypatch, has_pidfd):
    """Python has no `os.pidfd_open` where it was built on an old system."""
    if not has_pidfd:
        guard = tmp_path / "guard.py"
        run = f"runpy.run_path({str(process_session._GUARD)!r}, run_name='__main__')"
        _ = guard.write_text(f"import os, runpy\ndel os.pidfd_open\n{run}\n", encoding="utf-8")
        monkeypatch.setattr(process_session, "_GUARD", guard)
    engine = start_fake("leaves-a-daemon-and-crashes", PATIENT, FAKE_PIPE=str(pids))
    _ = fails(engine, "^ended with exit code 3$")
    assert is_gone(daemon_of(pids))
    _ = held(engine, "A London Hold")


def test_a_daemon_ends_with_the_engine_that_is_closed(start_fake, pids):
    engine = start_fake("leaves-a-daemon-and-answers", PATIENT, FAKE_PIPE=str(pids))
    _ = held(engine, MARKER)
    pid = daemon_of(pids)
    assert Path(f"/proc/{pid}").exists()
    engine.close()
    assert is_gone(pid)


def test_an_engine_that_kills_its_guard_ends_with_it(start_fake):
    engine = start_fake("kills-its-guard", HASTY)
    pid = held(engine, "A London Hold").pid
    _ = fails(engine, "^ended by signal SIGKILL$")
    assert is_gone(pid)
    _ = held(engine, "A London Hold")


def test_an_engine_that_stops_its_guard_is_ended(start_fake):
    engine = start_fake("stops-its-guard", HASTY)
    pid = held(engine, "A London Hold").pid
    _ = held(engine, MARKER)
    engine.close()
    assert is_gone(pid)


def test_a_daemon_that_cannot_be_ended_is_not_waited_for(start_fake, pids, monkeypatch):
    monkeypatch.setattr(process_session, "_HAS_GUARD", False)
    engine = start_fake("leaves-a-daemon-and-answers", PATIENT, FAKE_PIPE=str(pids))
    _ = held(engine, MARKER)
    pid = daemon_of(pids)
    engine.close()
    os.kill(pid, signal.SIGKILL)  # It fails where the daemon was waited for.


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
