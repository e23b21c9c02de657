"""A hunt and a replay on a Dask cluster of real worker processes."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from datc.adapters import EngineSpec
from datc.harness.cli.commands.hunt import hunt_command as command
from datc.harness.cli.group import cli
from datc.harness.search.hunt import Hunt
from datc.harness.search.store import Store
from datc.harness.search.workers import WorkerError, open_adjudicators

from .adjudicators import buggy_spec, plan_for
from .games import VIA, game, write

distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")


@pytest.fixture
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs="CRITICAL"
    ) as local:
        yield local


@pytest.mark.attack
def test_a_worker_that_is_killed_midway_loses_nothing_and_nothing_counts_twice(cluster):
    plan = plan_for(buggy_spec("border"), 400, profiles=("opening", "dense"))
    with open_adjudicators(plan) as adjudicators:
        alone = Hunt(plan, ["buggy"])
        for _ in alone.go_on(adjudicators, 1, None, None):
            pass
    with distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
    hunt = Hunt(plan, ["buggy"])
    came = []
    for result in hunt.go_on([], 1, None, cluster.scheduler_address):
        if not came:
            os.kill(pids[0], signal.SIGKILL)
        came.append(result.chunk)
    assert sorted(came) == list(range(20))
    assert hunt.complete
    assert hunt.positions == 400
    assert alone.findings
    assert hunt.findings == alone.findings


def test_without_a_cluster_there_is_a_message():
    result = CliRunner().invoke(command, ["builtin", "--dask", "tcp://127.0.0.1:9"])
    assert result.exit_code == 2
    assert "there is no cluster" in result.output


DEADLY = """
import json, os, signal, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "adjudicate":
        guard = os.getppid()
        status = open(f"/proc/{guard}/status").read()
        os.kill(int(status.partition("PPid:")[2].split()[0]), signal.SIGKILL)
    result = {"protocol": 1, "engine": {"name": "deadly"}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""
"""An engine that kills the process that asks it."""


@pytest.mark.attack
@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="it finds the process in /proc")
def test_an_engine_that_kills_every_worker_ends_the_hunt_with_a_message(tmp_path, cluster):
    engine = tmp_path / "deadly.py"
    _ = engine.write_text(DEADLY)
    plan = plan_for(EngineSpec("deadly", (sys.executable, "-S", str(engine))), 100)
    store = Store(tmp_path / "found")
    store.begin(plan)
    with pytest.raises(WorkerError, match="the workers of the cluster die"):
        for _ in Hunt(plan, ["deadly"], store).go_on([], 1, time.monotonic() + 60, cluster.scheduler_address):
            pass
    assert store.results() == []


@pytest.mark.attack
def test_a_hunt_on_a_cluster_ends_when_its_time_is_up(cluster):
    plan = plan_for(buggy_spec("border"), 1_000_000)
    hunt = Hunt(plan, ["buggy"])
    for _ in hunt.go_on([], 1, time.monotonic() + 3, cluster.scheduler_address):
        pass
    assert not hunt.complete
    assert not hunt.trouble


def test_a_cluster_finds_in_a_replay_what_one_process_finds(tmp_path, cluster):
    lines = [line for number in range(500) for line in ({"id": f"v/{number}/S1901M", **VIA}, *game(f"g/{number}"))]
    file = write(tmp_path / "games.jsonl", lines)
    options = ([], ["--dask", cluster.scheduler_address])
    found = [CliRunner().invoke(cli, ["replay", str(file), "--json", *each]) for each in options]
    alone, together = (json.loads(done.stdout) for done in found)
    assert alone == together
    assert alone["phases"]["movement"]["differs"] == 500
