"""At a Ctrl-C the workers give what they have found so far."""

import multiprocessing
import os
import signal
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

import pytest

from datc.adapters import EngineSpec
from datc.harness.search.hunt import Hunt
from datc.harness.search.investigation import STOPPED
from datc.harness.search.workers import Workers, in_processes, run_all

from .adjudicators import plan_for

SLOW = Path(__file__).with_name("slow.py")


def test_workers_with_a_slow_engine_give_the_positions_of_chunks_that_ctrl_c_ends(tmp_path):
    """A chunk would last half a minute at least."""
    slow = EngineSpec("slow", (sys.executable, str(SLOW), str(os.getpid()), str(tmp_path)))
    hunt = Hunt(replace(plan_for(slow, 6000), chunk=60), ["slow"])
    for _ in hunt.go_on((), 2, None, None):
        pass
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
    monkeypatch.setattr(ProcessPoolExecutor, "shutdown", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _ = processes.__exit__(None, None, None)
    worker.join()
    assert worker.exitcode == -signal.SIGKILL
