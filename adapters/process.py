"""An engine in a process: one request a line to its standard input, one answer a line from its standard output.

A `_Session` is one process from its start to its end. Any invalid answer ends the session with its process group, so
that a late answer is never taken for the answer to another request. `ProcessEngine` then starts the next session.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from queue import SimpleQueue
from typing import IO, final

from ..reference_engine import printable
from .builtin import greeting
from .engine import (
    POLL_INTERVAL,
    TIME_IS_UP,
    Engine,
    Limits,
    read_adjudicate_result,
    read_initialize_result,
    read_response,
    wrong_id,
)
from .errors import EngineClosedError, EngineFailure, EngineGaveOutError, EngineStartError, UnsupportedError
from .protocol import AdjudicateParams, AdjudicateResult, InitializeResult, Response, encode_request

_CHUNK = 1 << 16
_LOG_LINES = 20
_LOG_LINE_LENGTH = 500
_GRACE = 2.0
"""Seconds that a process has to end by itself after its input is closed."""


class _BrokenError(Exception):
    """A session ended. `alone` says that only one request was in flight, which therefore broke it."""

    def __init__(self, reason: str, *, alone: bool) -> None:
        super().__init__(reason)
        self.alone: bool = alone


@final
class _Session:
    """One process and the requests in flight to it."""

    def __init__(
        self, command: Sequence[str], limits: Limits, cwd: str | None, environment: Mapping[str, str] | None
    ) -> None:
        """Start the process. Raises `OSError`."""
        self._limits = limits
        self._changed = threading.Condition()
        self._in_flight: dict[int, Response | None] = {}
        self._answered: set[int] = set()
        self._broken: _BrokenError | None = None
        self._last_answer = time.monotonic()
        self._log: deque[str] = deque(maxlen=_LOG_LINES)
        self._to_write: SimpleQueue[bytes | None] = SimpleQueue()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=None if environment is None else {**os.environ, **environment},
            bufsize=0,
            start_new_session=True,  # A process group, to kill it with all that it starts.
        )
        self._log_reader = threading.Thread(target=self._read_log, daemon=True)
        self._threads = [
            self._log_reader,
            *(threading.Thread(target=target, daemon=True) for target in (self._write, self._read)),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def is_broken(self) -> bool:
        return self._broken is not None

    @property
    def reason(self) -> str:
        """Return why the session is broken."""
        return str(self._broken)

    def ask(self, number: int, line: bytes, seconds: float) -> Response:
        """Send a request and wait for its answer. Raises `_BrokenError`."""
        with self._changed:
            if self._broken is not None:
                # This request was not sent yet and cannot have broken it.
                raise _BrokenError(str(self._broken), alone=False)
            self._in_flight[number] = None
            asked = time.monotonic()
            self._to_write.put(line + b"\n")
            while True:
                if (response := self._in_flight[number]) is not None:
                    del self._in_flight[number]
                    return response
                if self._broken is not None:
                    raise self._broken
                left = max(asked, self._last_answer) + seconds - time.monotonic()
                if self._limits.seconds_left <= 0:
                    self._break(TIME_IS_UP, blameless=True)
                elif left > 0:
                    _ = self._changed.wait(min(left, self._limits.seconds_left, POLL_INTERVAL))
                else:
                    self._break(f"gave no answer within {seconds:g} s")

    def end(self, reason: str) -> None:
        """End the session; requests in flight fail with this reason."""
        with self._changed:
            self._break(reason)

    def close(self) -> None:
        """Close the input so that the process ends by itself, and kill it if it does not."""
        self._to_write.put(None)
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                _ = self._process.wait(_GRACE)
        finally:  # A second Ctrl-C ends the waiting, not the process.
            self.end("was closed")
        with contextlib.suppress(subprocess.TimeoutExpired):
            _ = self._process.wait(_GRACE)
        for thread in self._threads:
            thread.join(_GRACE)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def stderr_tail(self) -> str:
        """Return the last line of the log, to add to the reason of a failure. The session must be broken."""
        self._log_reader.join(_GRACE)  # The log may not be read to its end yet.
        lines = [line for line in tuple(self._log) if line.strip()]
        return f" (its log ends: {lines[-1].strip()})" if lines else ""

    def _break(self, reason: str, *, blameless: bool = False) -> None:
        """End the process group and wake all waiting threads. `_changed` must be held."""
        if self._broken is None:
            self._broken = _BrokenError(reason, alone=len(self._in_flight) <= 1 and not blameless)
            self._to_write.put(None)
            kill_group(self._process)
            self._changed.notify_all()

    def _write(self) -> None:
        pipe = _pipe(self._process.stdin)
        with contextlib.suppress(OSError, ValueError):  # `_read` notices a process that ended.
            while (line := self._to_write.get()) is not None:
                view = memoryview(line)
                while view:
                    view = view[pipe.write(view) :]
        with contextlib.suppress(OSError):
            pipe.close()

    def _read(self) -> None:
        try:
            self._take_lines(_pipe(self._process.stdout))
            self.end(f"ended {_exit_text(self._process.wait())}")
        except EngineFailure as failure:
            self.end(str(failure))
        except (OSError, ValueError) as error:  # `ValueError` if the pipe was closed meanwhile.
            self.end(f"could not be read from: {error}")

    def _take_lines(self, pipe: IO[bytes]) -> None:
        """Read answers until the output ends. Raises `EngineFailure` for an invalid one."""
        pending = bytearray()
        while chunk := pipe.read(_CHUNK):
            start = len(pending)
            pending += chunk
            while (end := pending.find(b"\n", start)) >= 0:
                self._take(bytes(pending[:end]))
                del pending[: end + 1]
                start = 0
            if len(pending) > self._limits.line:
                raise EngineFailure(f"answered more than {self._limits.line} bytes without a newline")

    def _take(self, line: bytes) -> None:
        """Read an answer. Raises `EngineFailure` unless it belongs to a request in flight."""
        if not line.strip():
            return
        response = read_response(line)
        with self._changed:
            if self._broken is not None:
                return
            number = response.id
            if number in self._answered:
                # No request in flight is to blame.
                self._break(f"answered twice to id {number!r}", blameless=True)
                return
            if not isinstance(number, int) or number not in self._in_flight:
                raise EngineFailure(wrong_id(response))
            self._in_flight[number] = response
            self._answered.add(number)
            self._last_answer = time.monotonic()
            self._changed.notify_all()

    def _read_log(self) -> None:
        pipe = _pipe(self._process.stderr)
        with contextlib.suppress(OSError, ValueError):
            rest = b""
            while chunk := pipe.read(_CHUNK):
                *lines, rest = (rest + chunk).split(b"\n")
                self._log.extend(_printable(line) for line in lines)
                rest = rest[-_LOG_LINE_LENGTH:]
            if rest:
                self._log.append(_printable(rest))


@final
class _Gate:
    """Lets many threads through together, or one alone."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._one_alone = False

    @contextlib.contextmanager
    def together(self) -> Generator[None]:
        with self._changed:
            while self._one_alone:
                _ = self._changed.wait()
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextlib.contextmanager
    def alone(self) -> Generator[None]:
        with self._changed:
            while self._one_alone:
                _ = self._changed.wait()
            self._one_alone = True
            while self._inside:
                _ = self._changed.wait()
        try:
            yield
        finally:
            with self._changed:
                self._one_alone = False
                self._changed.notify_all()


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
    ) -> None:
        """`command` is run without a shell. `environment` is added to that of this process."""
        self._command = tuple(command)
        self._limits = limits or Limits()
        self._cwd = cwd
        self._environment = environment
        self._lock = threading.Lock()
        self._gate = _Gate()
        self._session: _Session | None = None
        self._starts = 0
        self._number = 0
        self._closed = False

    def start(self) -> InitializeResult:
        with self._lock:
            return self._start_session()[1]

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        return read_adjudicate_result(self.call("adjudicate", params), params)

    def call(self, method: str, params: object) -> Response:
        with self._gate.together():
            try:
                return self._ask(method, params)
            except _BrokenError as broken:
                if broken.alone:
                    raise EngineFailure(str(broken)) from broken
        # Several requests were in flight. Ask each alone to find the one that broke the engine.
        with self._gate.alone():
            try:
                return self._ask(method, params)
            except _BrokenError as broken:
                raise EngineFailure(str(broken)) from broken

    def close(self) -> None:
        self._closed = True
        session = self._session
        if session is not None:
            session.close()

    def _ask(self, method: str, params: object) -> Response:
        with self._lock:
            session = self._working_session()
            self._number += 1
            number = self._number
        try:
            return session.ask(number, encode_request(number, method, params), self._limits.request)
        except _BrokenError as broken:
            self._check_open(broken)
            raise _BrokenError(f"{broken}{session.stderr_tail()}", alone=broken.alone) from broken

    def _working_session(self) -> _Session:
        """Return the session, or start the next one if it is broken. The lock must be held."""
        self._check_open()
        if self._session is None or self._session.is_broken:
            if self._starts > self._limits.restarts:
                last = "" if self._session is None else f"; the last time it {self._session.reason}"
                raise EngineGaveOutError(f"the engine broke down {self._starts} times{last}")
            try:
                return self._start_session()[0]
            except EngineStartError as error:
                self._check_open(error)
                raise EngineGaveOutError(f"the engine could not be started again: {error}") from error
        return self._session

    def _start_session(self) -> tuple[_Session, InitializeResult]:
        if self._session is not None:
            self._session.close()
        self._starts += 1
        try:
            session = _Session(self._command, self._limits, self._cwd, self._environment)
        except (OSError, ValueError) as error:
            raise EngineStartError(f"{' '.join(self._command)!r} cannot be started: {error}") from error
        self._session = session
        if self._closed:
            session.close()
            raise EngineClosedError("the run was ended")
        try:
            response = session.ask(0, encode_request(0, "initialize", greeting()), self._limits.start)
            return session, read_initialize_result(response)
        except (_BrokenError, EngineFailure, UnsupportedError) as error:
            session.close()
            if self._limits.seconds_left <= 0:
                raise EngineClosedError(TIME_IS_UP) from error
            what = str(error) if isinstance(error, UnsupportedError) else f"the engine {error}"
            raise EngineStartError(f"{what}{session.stderr_tail()}") from error

    def _check_open(self, cause: Exception | None = None) -> None:
        """Raise `EngineClosedError` where the engine was closed, or its time is up."""
        if self._closed:
            raise EngineClosedError("the run was ended") from cause
        if self._limits.seconds_left <= 0:
            raise EngineClosedError(TIME_IS_UP) from cause


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # noqa: S101 - `Popen` gets `PIPE` for all three
    return pipe


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a process group, with all processes of the group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _exit_text(code: int) -> str:
    if code >= 0:
        return f"with exit code {code}"
    try:
        return f"by signal {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"


def _printable(line: bytes) -> str:
    return printable(line[-_LOG_LINE_LENGTH:].decode("utf-8", "replace"))
