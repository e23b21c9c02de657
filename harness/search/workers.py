"""Workers, in other processes or on a cluster, and what they keep: the engines that they have started."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.util
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from ctypes import c_bool
from typing import Any, NamedTuple, TypeVar

from ...adapters import EngineClosedError, open_engine
from ...adapters.engine import POLL_INTERVAL
from ...reference_engine import find_procedure
from ...reference_engine.procedures import EQUATIONS
from ..errors import HarnessError
from ..play.engine import EngineAdjudicator
from ..play.session import Adjudicator, ReferenceAdjudicator
from .plan import Plan

_R = TypeVar("_R")

_ENDING = (signal.SIGINT, signal.SIGTERM)
SECONDS_WITHOUT_WORKERS = 20
"""So long a cluster may have no workers, while others start."""
_AHEAD = 2
"""Chunks that a worker is given before it has done one: while its result is taken it has something to do."""


class WorkerError(HarnessError):
    """The workers cannot be used."""


class LostWorkersError(WorkerError):
    """Workers, or the scheduler of a cluster, ended that should not have."""


@contextlib.contextmanager
def open_adjudicators(plan: Plan) -> Generator[Sequence[Adjudicator]]:
    """Start the engines of a plan, and close them in the end. Raises `EngineStartError`."""
    adjudicators: list[Adjudicator] = []
    with contextlib.ExitStack() as stack:
        for planned in plan.engines:
            spec = planned.spec
            if planned.is_builtin:
                procedure = find_procedure(spec.procedure) if spec.procedure else EQUATIONS
                adjudicators.append(ReferenceAdjudicator(plan.ruleset, procedure, spec.procedure or ""))
                continue
            engine = stack.enter_context(open_engine(spec, planned.limits))
            started = engine.start()
            can = started.capabilities
            adjudicators.append(EngineAdjudicator(engine, can, plan.ruleset, identity=started.engine))
        yield adjudicators


class _Worker:
    def __init__(self) -> None:
        self._plan: Plan | None = None
        self._adjudicators: Sequence[Adjudicator] = ()
        self._open: contextlib.ExitStack = contextlib.ExitStack()
        self.has_to_stop: c_bool = c_bool()
        """Shared with the process that started this one where that is `in_processes`; elsewhere it is never set.

        It is read several times a position: unlike an event, it needs no lock.
        """

    def adjudicators(self, plan: Plan) -> Sequence[Adjudicator]:
        """Return the adjudicators of a plan, started once. Raises `EngineStartError` and `EngineClosedError`."""
        if self.has_to_stop.value:
            raise EngineClosedError("the run was ended")
        if self._plan != plan:
            self.close()
            self._adjudicators = self._open.enter_context(open_adjudicators(plan))
            self._plan = plan
            # Worker processes end without what `atexit` holds, but not without this.
            _ = multiprocessing.util.Finalize(None, self.close, exitpriority=10)
        return self._adjudicators

    def close(self) -> None:
        self._plan, self._adjudicators = None, ()
        self._open.close()


WORKER = _Worker()


def is_past(stop_at: float | None) -> bool:
    """Whether a time of `time.monotonic` has come."""
    return stop_at is not None and time.monotonic() >= stop_at


def _begin(has_to_stop: c_bool) -> None:
    """Begin a worker process: a Ctrl-C is for the process that started it, which says when to stop."""
    _ = signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        _ = signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    WORKER.has_to_stop = has_to_stop
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Close the engines when it has to stop: one may answer slowly. End when the parent was killed."""
    parent = multiprocessing.parent_process()
    while parent is not None and parent.is_alive():
        parent.join(POLL_INTERVAL)
        if WORKER.has_to_stop.value:
            WORKER.close()
    if parent is not None:
        WORKER.close()
        os._exit(1)


class Workers(NamedTuple):
    """Processes that hunt."""

    executor: Executor
    threads: int
    stop: Callable[[], None]
    """Tell them to stop: each soon returns what it has found. On a cluster it does nothing."""
    kill: Callable[[], None] = lambda: None
    """End them at once. On a cluster it does nothing."""
    elsewhere: bool = False
    """They may be on other machines."""
    are_lost: Callable[[], bool] = lambda: False
    """Whether there have been none for so long that nobody will do what is left."""


@contextlib.contextmanager
def in_processes(jobs: int) -> Generator[Workers]:
    """Workers in processes of their own. A Ctrl-C while they are waited for at the end kills them."""
    context = multiprocessing.get_context("spawn")
    has_to_stop = context.RawValue(c_bool)

    def stop() -> None:
        has_to_stop.value = True

    def kill() -> None:
        for process in multiprocessing.active_children():
            process.kill()

    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(has_to_stop,))
    try:
        yield Workers(pool, jobs, stop, kill)
    finally:
        stop()
        try:
            pool.shutdown()
        except KeyboardInterrupt:
            kill()
            raise


@contextlib.contextmanager
def on_cluster(address: str) -> Generator[Workers]:
    """The workers of a Dask cluster. Raises `WorkerError` where it does not answer, or the extra is missing."""
    try:
        import dask.config

        # What the cluster logs would stand between our own lines: what matters of it is raised.
        _ = dask.config.set(logging={"distributed": "critical", "distributed.client": "critical"})
        from distributed import Client
    except ImportError as error:
        raise WorkerError("--dask needs the extra: pip install 'datc-check[cluster]'") from error
    try:
        client: Any = Client(address, timeout=10, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise WorkerError(f"--dask {address}: there is no cluster: {error}") from error
    with client:  # What it gives has no types of its own.
        # Every chunk is a call of its own, and one whose worker is lost is called again elsewhere.
        executor: Executor = client.get_executor(pure=False, retries=3)
        threads: dict[str, int] = client.nthreads()
        seen = time.monotonic()

        def are_lost() -> bool:
            nonlocal seen
            with contextlib.suppress(OSError):  # The scheduler has ended, too, or it answers late.
                seen = time.monotonic() if client.nthreads() else seen
            return time.monotonic() - seen > SECONDS_WITHOUT_WORKERS

        yield Workers(executor, max(1, sum(threads.values())), lambda: None, elsewhere=True, are_lost=are_lost)


def open_workers(processes: int, cluster: str | None) -> contextlib.AbstractContextManager[Workers | None]:
    """Use a cluster, or several processes; `None` where this process does all itself. Raises `WorkerError`."""
    if cluster is not None:
        return on_cluster(cluster)
    return in_processes(processes) if processes > 1 else contextlib.nullcontext()


def run_all(workers: Workers, task: Callable[..., _R], calls: Iterable[tuple[object, ...]]) -> Iterator[_R]:
    """Let the workers do a task with these arguments, and give each result as it comes. Raises `WorkerError`.

    The arguments are taken when there is a worker for them, so that there may be very many. At a Ctrl-C it tells the
    workers to stop, gives the results of what is running, and then raises `KeyboardInterrupt`. A second Ctrl-C kills
    them. A cluster does not say what is running: there all that is not done is stopped.
    """
    left = iter(calls)
    running: set[Future[_R]] = set()
    try:
        while True:
            while len(running) < _AHEAD * workers.threads and (call := next(left, None)) is not None:
                try:
                    with _ctrl_c_later():
                        running.add(workers.executor.submit(task, *call))
                except (OSError, RuntimeError) as error:  # Such as no process or no thread to be had.
                    raise LostWorkersError(f"a worker cannot be used: {error}") from error
            if not running:
                return
            yield from _take_done(workers, running)
    except KeyboardInterrupt:
        workers.stop()
        running = {future for future in running if not future.cancel()}
        try:
            while running:
                yield from _take_done(workers, running)
        except LostWorkersError:  # There is no more to give.
            pass
        except KeyboardInterrupt:
            workers.kill()
            raise
        raise
    finally:
        for future in running:
            _ = future.cancel()


@contextlib.contextmanager
def _ctrl_c_later() -> Generator[None]:
    """Put Ctrl-C and SIGTERM off, also in a worker that starts now: it would end before `_begin`. Not on Windows."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        _ = signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _take_done(workers: Workers, running: set[Future[_R]]) -> Iterator[_R]:
    """Wait a little for what is running, and take out what is done: give the results. Raises `WorkerError`."""
    with _ctrl_c_later():  # It takes locks that the pool needs: a Ctrl-C would leave one locked.
        done, _ = wait(running, POLL_INTERVAL, FIRST_COMPLETED)
    if not done and workers.are_lost():
        raise LostWorkersError("the workers of the cluster ended")
    for future in done:
        try:
            result = future.result()
        except Exception as error:
            if type(error).__name__ == "KilledWorker":  # The extra may be missing: nothing is imported for its name.
                reason = "the workers of the cluster die, each one that is given the same positions"
                raise LostWorkersError(reason) from error
            if isinstance(error, BrokenProcessPool):
                raise LostWorkersError("a worker process ended unexpectedly") from error
            if isinstance(error, CancelledError):
                raise LostWorkersError("the scheduler of the cluster ended") from error
            raise
        running.remove(future)  # One by one: at a Ctrl-C the others are still there.
        yield result
