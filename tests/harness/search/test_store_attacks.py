"""Hunts that are killed at any moment, and two at once in one store.

`DATC_ATTACK_KILLS` says how many kills (3 when left out).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import msgspec
import pytest
from click.testing import CliRunner

from datc.harness.cli.commands.hunt import hunt_command as command
from datc.harness.search.findings import ChunkResult, Seconds
from datc.harness.search.plan import CHUNK
from datc.harness.search.store import Store

pytestmark = pytest.mark.attack

KILLS = int(os.environ.get("DATC_ATTACK_KILLS", "3"))
PROGRAM = Path(sys.executable).with_name("datc-check")
POSITIONS = 1_000_000


def hunting(store: Path, *options: str) -> list[str]:
    """The words of a hunt that finds something."""
    sources = ["--source", "random", "--source", "paradoxes", "--no-experiments"]
    return ["builtin:guess", *sources, "--store", str(store), *options]


def finished(store: Path) -> dict[int, ChunkResult]:
    """The chunks that are done, without the times that they took."""
    results = (result for result in Store(store).results() if not result.trouble)
    return {result.chunk: msgspec.structs.replace(result, seconds=Seconds()) for result in results}


def test_nothing_is_lost_however_often_a_hunt_is_killed(tmp_path):
    rng, store, killed, known = Random(50), tmp_path / "store", 0, {}
    while killed < KILLS:
        resumes = ["--resume"] if (store / "hunt.json").exists() else []
        jobs = ["--processes", str(rng.choice((1, 1, 2)))]
        words = hunting(store, "--positions", str(POSITIONS), *jobs, *resumes)
        process = subprocess.Popen([PROGRAM, "hunt", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            _, errors = process.communicate(timeout=rng.uniform(0.2, 4))
            pytest.fail(f"it ended by itself: {errors}")
        except subprocess.TimeoutExpired:
            process.kill()
            _ = process.communicate()
            killed += 1
        if (store / "hunt.json").exists():
            found = finished(store)
            assert known.items() <= found.items()
            known = found
    done = max(known, default=0) + 1
    one = CliRunner().invoke(
        command,
        hunting(store, "--positions", str(done * CHUNK), *(["--resume"] if (store / "hunt.json").exists() else [])),
    )
    assert one.exit_code in (0, 1), one.output
    other = CliRunner().invoke(command, hunting(tmp_path / "whole", "--positions", str(done * CHUNK)))
    assert other.exit_code == one.exit_code
    assert {chunk: result for chunk, result in finished(store).items() if chunk < done} == finished(tmp_path / "whole")


def test_a_store_has_one_hunt_at_a_time(tmp_path):
    first = hunting(tmp_path / "store", "--positions", str(CHUNK))
    assert CliRunner().invoke(command, first).exit_code in (0, 1)
    before = (tmp_path / "store" / "chunks.jsonl").read_bytes()
    with Store(tmp_path / "store").locked(new=False):
        for options in (["--resume"], []):
            done = CliRunner().invoke(command, [*first, "--positions", str(2 * CHUNK), *options])
            assert done.exit_code == 2
            assert "is in use by another hunt" in " ".join(done.output.split())
    assert (tmp_path / "store" / "chunks.jsonl").read_bytes() == before
    assert CliRunner().invoke(command, [*first, "--positions", str(2 * CHUNK), "--resume"]).exit_code in (0, 1)
    assert sorted(finished(tmp_path / "store")) == [0, 1]
