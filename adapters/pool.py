"""Several engines as one: each request goes to one that nobody else asks."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TypeVar, final

from .engine import Engine
from .protocol import AdjudicateParams, AdjudicateResult, InitializeResult, Response

_T = TypeVar("_T")


@final
class EnginePool(Engine):
    """Engines that are alike, each asked one request at a time: one that hangs or crashes breaks no other's."""

    def __init__(self, engines: Sequence[Engine]) -> None:
        self._engines = tuple(engines)
        self._free: SimpleQueue[Engine] = SimpleQueue()
        for engine in self._engines:
            self._free.put(engine)

    def start(self) -> InitializeResult:
        return self._each(lambda engine: engine.start())[0]

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        with self._one() as engine:
            return engine.adjudicate(params)

    def call(self, method: str, params: object) -> Response:
        with self._one() as engine:
            return engine.call(method, params)

    def close(self) -> None:
        _ = self._each(lambda engine: engine.close())

    def _each(self, do: Callable[[Engine], _T]) -> Sequence[_T]:
        with ThreadPoolExecutor(len(self._engines)) as threads:
            return list(threads.map(do, self._engines))

    @contextmanager
    def _one(self) -> Generator[Engine]:
        engine = self._free.get()
        try:
            yield engine
        finally:
            self._free.put(engine)
