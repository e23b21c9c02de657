"""An engine in a process: one request a line to its standard input, one answer a line from its standard output.

A `Session` is one process from its start to its end. `ProcessEngine` starts the next one when it is broken.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import final

from .builtin import greeting
from .engine import ENDED, Engine, Limits, Restart, read_adjudicate_result, read_initialize_result
from .errors import EngineClosedError, EngineFailure, EngineGaveOutError, EngineStartError, UnsupportedError
from .process_session import Answered, BrokenError, EngineProcess, History, Session
from .protocol import AdjudicateParams, AdjudicateResult, InitializeResult, Response, encode_request


@final
class ProcessEngine(Engine):
    """An engine that is started with a command line and spoken to over its standard input and output."""

    def __init__(
        self,
        command: Sequence[str],
        limits: Limits | None = None,
        *,
        cwd: str | None = None,
        environment: Mapping[str, str] | None = None,
        build: str = "",
    ) -> None:
        """`command` is run without a shell. `environment` is added to that of this process.

        `build` is the command that builds it, to name where it does not start.
        """
        self._command = tuple(command)
        self._limits = limits or Limits()
        self._cwd = cwd
        self._environment = environment
        self._build = build
        self._lock = threading.Lock()
        self._turns = threading.Condition()
        self._inside = self._starts = self._number = 0
        self._one_alone = self._closed = False
        self._session: Session | None = None
        self._history = History()

    def start(self) -> InitializeResult:
        with self._lock:
            return self._start_session()[1]

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        response, log = self._call("adjudicate", params)
        try:
            return read_adjudicate_result(response, params)
        except EngineFailure as failure:
            failure.log = (*failure.log, *log())
            raise

    def call(self, method: str, params: object) -> Response:
        return self._call(method, params)[0]

    @property
    def restarts(self) -> Sequence[Restart]:
        return tuple(self._history.restarts)

    def watch_log(self) -> Callable[[], Sequence[str]]:
        session = self._session
        before = 0 if session is None else session.log.position()

        def logged() -> Sequence[str]:
            now = self._session  # Another one where the process was started again.
            return () if now is None else now.log.since(before if now is session else 0)

        return logged

    def restart(self) -> bool:
        with self._turn(alone=True), self._lock:
            session, self._session = self._session, None
            if session is not None:
                self._starts -= 1  # It did not break down.
                session.close()
        return True

    def close(self) -> None:
        self._closed = True
        session = self._session
        if session is not None:
            session.close()

    def _call(self, method: str, params: object, *, alone: bool = False) -> Answered:
        with self._turn(alone=alone):
            try:
                return self._ask(method, params)
            except BrokenError as broken:
                if alone or broken.alone:
                    raise EngineFailure(f"{broken}{_log_end(broken.log)}", log=broken.log) from broken
        # Several requests were in flight. Ask each alone to find the one that broke the engine.
        return self._call(method, params, alone=True)

    @contextlib.contextmanager
    def _turn(self, *, alone: bool) -> Generator[None]:
        """Let many threads through together, or one alone."""
        with self._turns:
            while self._one_alone:
                _ = self._turns.wait()
            self._one_alone = alone
            while alone and self._inside:
                _ = self._turns.wait()
            self._inside += 1
        try:
            yield
        finally:
            with self._turns:
                self._one_alone = self._one_alone and not alone
                self._inside -= 1
                self._turns.notify_all()

    def _ask(self, method: str, params: object) -> Answered:
        """Ask the session, or the next one if it is broken."""
        with self._lock:
            self._limits.check_open(closed=self._closed)
            session = self._session
            if session is None or session.broken:
                if self._starts > self._limits.restarts:
                    last = f"; the last time it {session.broken}" if session else ""
                    raise EngineGaveOutError(f"the engine broke down {self._starts} times{last}")
                try:
                    session = self._start_session()[0]
                except EngineStartError as error:
                    self._limits.check_open(closed=self._closed, cause=error)
                    raise EngineGaveOutError(f"the engine could not be started again: {error}") from error
            self._number += 1
            number = self._number
        try:
            return session.ask(number, encode_request(number, method, params), self._limits.request)
        except BrokenError as broken:
            self._limits.check_open(closed=self._closed, cause=broken)
            raise

    def _start_session(self) -> tuple[Session, InitializeResult]:
        if self._session is not None:
            self._session.close()
        self._starts += 1
        try:
            process = EngineProcess(self._command, self._cwd, self._environment)
        except (OSError, ValueError) as error:
            hint = f". Build it first: {self._build}" if self._build and isinstance(error, FileNotFoundError) else ""
            raise EngineStartError(f"{' '.join(self._command)!r} cannot be started: {error}{hint}") from error
        try:
            self._session = session = Session(process, self._limits, self._history)
        except BaseException:  # Such as no thread to be had.
            process.end(0)
            process.close()
            raise
        if self._closed:
            session.close()
            raise EngineClosedError(ENDED)
        try:
            response, _ = session.ask(0, encode_request(0, "initialize", greeting()), self._limits.start)
            return session, read_initialize_result(response)
        except (BrokenError, EngineFailure, UnsupportedError) as error:
            session.close()
            self._limits.check_open(closed=False, cause=error)
            if isinstance(error, UnsupportedError):
                raise EngineStartError(str(error)) from error
            never_started = self._build and self._starts == 1 and isinstance(error, BrokenError)
            hint = f". If it is not built: {self._build}" if never_started else ""
            raise EngineStartError(f"the engine {error}{_log_end(error.log)}{hint}") from error


def _log_end(log: Sequence[str]) -> str:
    return f" (its log ends: {log[-1].strip()})" if log else ""
