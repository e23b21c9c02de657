"""Workers: at a Ctrl-C they give what they have found so far, and on a Dask cluster nothing is lost or counts twice."""

import json
import multiprocessing
import os
import signal
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

import pytest

from datc.adapters import EngineSpec
from datc.harness.search.hunt import Hunt
from datc.harness.search.investigation import STOPPED
from datc.harness.search.plan import FIRST_CHUNK
from datc.harness.search.store import Store
from datc.harness.search.workers import Workers, in_processes, open_adjudicators, run_all

from ..cli.running import invoke
from .adjudicators import buggy_spec, hunted, plan_for
from .games import many, write


def test_workers_with_a_slow_engine_give_the_positions_of_chunks_that_ctrl_c_ends(tmp_path):
    """A chunk would last half a minute at least."""
    slow = Path(__file__).with_name("slow.py")
    spec = EngineSpec("slow", (sys.executable, str(slow), str(os.getpid()), str(tmp_path)))
    hunt = Hunt(replace(plan_for(6000, spec=spec), chunk=60), ["slow"])
    hunt.done.add(FIRST_CHUNK)
    _ = list(hunt.go_on((), 2, None, None))
    assert hunt.interrupted
    asked = [result for result in hunt.results if result.positions]
    assert len(asked) == 2
    assert {result.trouble for result in asked} == {STOPPED}


class Scripted(Executor):
    """Gives a future for each call, which the test sets; the first one is running."""

    def __init__(self):
        self.futures = []

    def submit(self, _task, /, *_arguments, **_named):
        self.futures.append(Future())
        if len(self.futures) == 1:
            _ = self.futures[0].set_running_or_notify_cancel()
        return self.futures[-1]


@pytest.fixture
def ctrl_c_in_first_wait(monkeypatch):
    ctrl_c = iter([KeyboardInterrupt])

    def wait_after_ctrl_c(*arguments):
        for interrupt in ctrl_c:
            raise interrupt
        return wait(*arguments)

    monkeypatch.setattr("datc.harness.search.workers.wait", wait_after_ctrl_c)


@pytest.mark.usefixtures("ctrl_c_in_first_wait")
def test_ctrl_c_gives_what_is_running_cancels_the_rest_and_takes_no_further_call():
    executor, calls, given = Scripted(), iter([(0,), (1,), (2,)]), []
    workers = Workers(executor, 1, lambda: executor.futures[0].set_result("found"))
    with pytest.raises(KeyboardInterrupt):
        given.extend(run_all(workers, print, calls))
    assert given == ["found"]
    assert executor.futures[1].cancelled()
    assert list(calls) == [(2,)]


def test_ctrl_c_while_a_call_is_submitted_does_not_lose_it():
    class InterruptedAtOnce(Scripted):
        def submit(self, _task, /, *_arguments, **_named):
            signal.raise_signal(signal.SIGINT)
            return super().submit(_task)

    executor, given = InterruptedAtOnce(), []
    workers = Workers(executor, 1, lambda: executor.futures[0].set_result("found"))
    with pytest.raises(KeyboardInterrupt):
        given.extend(run_all(workers, print, [()]))
    assert given == ["found"]


@pytest.mark.usefixtures("ctrl_c_in_first_wait")
def test_a_worker_that_ends_at_ctrl_c_is_no_error():
    executor = Scripted()
    workers = Workers(executor, 1, lambda: executor.futures[0].set_exception(BrokenProcessPool()))
    with pytest.raises(KeyboardInterrupt):
        _ = list(run_all(workers, print, [()]))


def test_ctrl_c_while_workers_are_waited_for_at_the_end_kills_them(monkeypatch):
    def interrupted(_pool):
        raise KeyboardInterrupt

    before = multiprocessing.active_children()
    processes = in_processes(1)
    workers = processes.__enter__()
    _ = workers.executor.submit(os.getpid).result()
    (worker,) = (process for process in multiprocessing.active_children() if process not in before)
    with monkeypatch.context() as patched:
        patched.setattr(ProcessPoolExecutor, "shutdown", interrupted)
        with pytest.raises(KeyboardInterrupt):
            _ = processes.__exit__(None, None, None)
    workers.executor.shutdown()  # Two that wait for a process at once would take its exit code from each other.
    assert worker.exitcode == -signal.SIGKILL


@pytest.mark.attack
def test_a_worker_that_is_killed_midway_loses_nothing_and_nothing_counts_twice(cluster):
    plan = plan_for(400, profiles=("opening", "dense"), spec=buggy_spec("border"))
    with cluster.get_client() as client:
        pids = list(client.run(os.getpid).values())
    hunt, came = Hunt(plan, ["buggy"]), []
    for result in hunt.go_on([], 1, None, cluster.scheduler_address):
        if not came:
            os.kill(pids[0], signal.SIGKILL)
        came.append(result.chunk)
    assert sorted(came) == [FIRST_CHUNK, *range(20)]
    assert (hunt.complete, hunt.positions) == (True, 400)
    assert hunt.findings
    assert hunt.findings == hunted(plan).findings


def test_without_a_cluster_there_is_a_message():
    _ = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    result = invoke("hunt", "builtin", "--dask", "tcp://127.0.0.1:9")
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
def test_an_engine_that_kills_every_worker_ends_the_hunt_with_a_message(tmp_path, cluster, monkeypatch):
    monkeypatch.setattr("datc.harness.search.workers.SECONDS_WITHOUT_WORKERS", 600)  # A new one may come late.
    engine = tmp_path / "deadly.py"
    _ = engine.write_text(DEADLY)
    plan = plan_for(100, spec=EngineSpec("deadly", (sys.executable, "-S", str(engine))))
    store = Store(tmp_path / "found")
    store.begin(plan)
    hunt = Hunt(plan, ["deadly"], store)
    _ = list(hunt.go_on([], 1, None, cluster.scheduler_address))
    assert hunt.trouble.startswith("the workers of the cluster die")
    assert store.results() == []


@pytest.mark.attack
@pytest.mark.parametrize("who", ["scheduler", "workers"])
def test_what_was_found_is_kept_where_a_cluster_ends_and_another_one_goes_on(tmp_path, cluster, who, monkeypatch):
    monkeypatch.setattr("datc.harness.search.workers.SECONDS_WITHOUT_WORKERS", 1)
    plan, store = plan_for(200, profiles=("opening", "dense"), spec=buggy_spec("border")), Store(tmp_path / "found")
    store.begin(plan)
    hunt = Hunt(plan, ["buggy"], store)
    for _ in hunt.go_on([], 1, None, cluster.scheduler_address):
        if len(hunt.done) == 1:
            cluster.scale(0) if who == "workers" else cluster.close()
    assert (hunt.trouble, hunt.complete) == (f"the {who} of the cluster ended", False)
    assert len(store.results()) == len(hunt.done) > 0
    later = Hunt(plan, ["buggy"], store)
    later.resume()
    with open_adjudicators(plan) as adjudicators:
        _ = list(later.go_on(adjudicators, 1, None, None))
    assert later.complete
    assert later.findings == hunted(plan).findings


@pytest.mark.attack
def test_a_hunt_on_a_cluster_ends_when_its_time_is_up(cluster):
    hunt = Hunt(plan_for(1_000_000, spec=buggy_spec("border")), ["buggy"])
    _ = list(hunt.go_on([], 1, time.monotonic() + 3, cluster.scheduler_address))
    assert not hunt.complete
    assert not hunt.trouble


def test_a_cluster_finds_in_a_replay_what_one_process_finds(tmp_path, cluster):
    file = write(tmp_path / "games.jsonl", many(500))
    options = ((), ("--dask", cluster.scheduler_address))
    alone, together = (json.loads(invoke("replay", file, "--json", *each).stdout) for each in options)
    assert alone == together
    assert alone["phases"]["movement"]["differs"] == 500
