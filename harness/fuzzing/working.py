"""Workers, which hunt through chunks: in this process, in others, or on a cluster."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.util
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.synchronize import Event
from typing import TYPE_CHECKING, Any, NamedTuple

from ...adapters import EngineStartError, open_engine
from ...reference_engine import EQUATIONS, find_procedure
from ..errors import HarnessError
from ..session import Adjudicator, EngineAdjudicator, ReferenceAdjudicator
from .chunk import hunt_chunk
from .findings import ChunkResult
from .plan import Plan

if TYPE_CHECKING:
    from ...adapters import Engine

_POLL_INTERVAL = 0.25
"""Seconds to wait at a stretch: a Ctrl-C that comes just before a wait begins shows only when it ends."""
_AHEAD = 2
"""Chunks that a worker is given before it has done one: while its result is taken it has something to do."""


class WorkerError(HarnessError):
    """The workers cannot be used, or one ended that should not have."""


@contextlib.contextmanager
def open_adjudicators(plan: Plan) -> Generator[Sequence[Adjudicator]]:
    """Start the engines of a plan, and close them in the end. Raises `EngineStartError`."""
    with contextlib.ExitStack() as stack:
        yield [_open_adjudicator(plan, number, stack) for number in range(len(plan.engines))]


def _open_adjudicator(plan: Plan, number: int, stack: contextlib.ExitStack) -> Adjudicator:
    spec, limits, _ = plan.engines[number]
    if spec.command is None and spec.url is None:
        procedure = find_procedure(spec.procedure) if spec.procedure else EQUATIONS
        return ReferenceAdjudicator(plan.ruleset, procedure, spec.procedure or "")
    engine: Engine = stack.enter_context(open_engine(spec, limits))
    started = engine.start()
    return EngineAdjudicator(engine, started.capabilities, plan.ruleset, identity=started.engine)


class _Worker:
    """What a worker process keeps from one chunk to the next."""

    def __init__(self) -> None:
        self._plan: Plan | None = None
        self._adjudicators: Sequence[Adjudicator] = ()
        self._open: contextlib.ExitStack = contextlib.ExitStack()
        self.stop: Event | None = None

    def adjudicators(self, plan: Plan) -> Sequence[Adjudicator]:
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


_WORKER = _Worker()


def work(plan: Plan, chunk: int, stop_at: float | None) -> ChunkResult:
    """Hunt through a chunk in a worker process; `stop_at` is a time of `time.time`."""
    try:
        adjudicators = _WORKER.adjudicators(plan)
    except EngineStartError as error:
        return ChunkResult(chunk=chunk, asked={}, trouble=str(error))
    asked_to = _WORKER.stop
    return hunt_chunk(
        plan, adjudicators, chunk, lambda: is_past(stop_at) or (asked_to is not None and asked_to.is_set())
    )


def is_past(stop_at: float | None) -> bool:
    """Whether a time of `time.time` has come."""
    return stop_at is not None and time.time() >= stop_at


def _begin(stop: Event) -> None:
    """Begin a worker process: a Ctrl-C is for the process that started it, which says when to stop."""
    _ = signal.signal(signal.SIGINT, signal.SIG_IGN)
    _WORKER.stop = stop
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End when the process that started this one was killed: what is found is no longer taken."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        _WORKER.close()
        os._exit(1)


class Workers(NamedTuple):
    """Processes that hunt."""

    executor: Executor
    threads: int
    stop: Callable[[], None]
    """Tell them to stop soon, with what they have found so far."""


@contextlib.contextmanager
def in_processes(jobs: int) -> Generator[Workers]:
    """Workers in processes of their own."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(stop,)) as pool:
        try:
            yield Workers(pool, jobs, stop.set)
        finally:
            stop.set()


@contextlib.contextmanager
def on_cluster(address: str) -> Generator[Workers]:
    """The workers of a Dask cluster. Raises `WorkerError` where it does not answer, or the extra is missing."""
    try:
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
        yield Workers(executor, max(1, sum(threads.values())), lambda: None)


def all_chunks(workers: Workers, plan: Plan, chunks: Sequence[int], stop_at: float | None) -> Iterator[ChunkResult]:
    """Let the workers hunt through chunks, and give each result as it comes. Raises `WorkerError`."""
    left = list(reversed(chunks))
    running: set[Future[ChunkResult]] = set()
    try:
        while left or running:
            while left and len(running) < _AHEAD * workers.threads and not is_past(stop_at):
                running.add(workers.executor.submit(work, plan, left.pop(), stop_at))
            if not running:
                return
            done, running = wait(running, _POLL_INTERVAL, FIRST_COMPLETED)
            for future in done:
                yield future.result()
    except BrokenProcessPool as error:
        raise WorkerError("a worker process ended unexpectedly") from error
    finally:
        for future in running:
            _ = future.cancel()
