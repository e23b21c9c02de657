"""A process of an engine from its start to its end, and the requests in flight to it.

Any invalid answer ends it with everything that it started, so that a late answer is never taken for the answer to
another request.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import NamedTuple, final

from .engine import ASKED_FOR, POLL_INTERVAL, TIME_IS_UP, Limits, Restart, read_response, wrong_id
from .errors import EngineFailure
from .launching import EngineLog, EngineProcess
from .protocol import Response

_CHUNK = 1 << 16
_GRACE = 2.0
"""Seconds that a process has to end by itself after its input is closed."""
_SETTLE = 1.0
"""Seconds to read what a process that has ended leaves in its pipes, which another process may still hold."""
_COLD_FACTOR = 10
"""How many times longer a first answer may take than the slowest one of earlier processes."""


class BrokenError(Exception):
    """A session ended. `alone` says that only one request was in flight, which therefore broke it."""

    def __init__(self, reason: str, *, alone: bool, log: Sequence[str] = ()) -> None:
        """`log` is what the engine logged since the request was sent."""
        super().__init__(reason)
        self.alone: bool = alone
        self.log: Sequence[str] = log


class Answered(NamedTuple):
    """An answer, and what the engine logged since the request was sent."""

    response: Response
    log: Callable[[], Sequence[str]]


@dataclass
class _Asked:
    """A request that was sent."""

    about: str
    log_position: int
    sent: float
    response: Response | None = None


@dataclass
class History:
    """What the sessions of an engine have found out for the later ones."""

    restarts: list[Restart] = field(default_factory=list[Restart])
    slowest_first_answer: float | None = None
    """Seconds that the first answer after a start took; `None` where there was none yet."""

    def first_answer_limit(self, limits: Limits) -> float:
        """Return the time limit of the first answer after a start: an engine may load what it needs only then."""
        if limits.first is not None:
            return limits.first
        if self.slowest_first_answer is None:
            return max(limits.start, limits.request)
        # So an engine that is quick at first, and hangs, is not waited for longer than usual after each restart.
        return max(min(limits.start, _COLD_FACTOR * self.slowest_first_answer), limits.request)


@final
class Session:
    """One process and the requests in flight to it."""

    def __init__(
        self,
        command: Sequence[str],
        limits: Limits,
        cwd: str | None,
        environment: Mapping[str, str] | None,
        history: History,
    ) -> None:
        """Start the process. If it ends unasked, that is added to `history`. Raises `OSError` and `ValueError`."""
        self._limits = limits
        self._history = history
        self._changed = threading.Condition()
        self._in_flight: dict[int, _Asked] = {}
        self._answered: set[int] = set()
        self._last = _Asked("", 0, 0.0)
        """The request that was answered last."""
        self._broken: BrokenError | None = None
        self._is_closing = False
        self._is_warm = False
        """Whether it has answered anything but `initialize`."""
        self._last_answer = time.monotonic()
        self._to_write: SimpleQueue[bytes | None] = SimpleQueue()
        self._process = EngineProcess(command, cwd, environment)
        self.log: EngineLog = EngineLog(self._process.stderr)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._writer = threading.Thread(target=self._write, daemon=True)
        self._reader.start()
        self._writer.start()

    @property
    def is_broken(self) -> bool:
        """Whether it can be asked nothing any more."""
        return self._broken is not None

    @property
    def reason(self) -> str:
        """Return why the session is broken."""
        return str(self._broken)

    def ask(self, number: int, line: bytes, seconds: float) -> Answered:
        """Send a request and wait for its answer, which may take longer if it is the first. Raises `BrokenError`."""
        with self._changed:
            position = self.log.position() if number else 0  # What it logs before `initialize` belongs to that.
            if self._broken is not None:
                # This request was not sent yet and cannot have broken it.
                raise BrokenError(str(self._broken), alone=False, log=self.log.since(position))
            request = self._in_flight[number] = _Asked(ASKED_FOR.get(), position, time.monotonic())
            self._to_write.put(line + b"\n")
            while True:
                if request.response is not None:
                    del self._in_flight[number]
                    return Answered(request.response, lambda: self.log.since(request.log_position))
                if self._broken is not None:
                    log = self.log.since(request.log_position)
                    raise BrokenError(str(self._broken), alone=self._broken.alone, log=log)
                is_first = number != 0 and not self._is_warm
                allowed = max(seconds, self._history.first_answer_limit(self._limits)) if is_first else seconds
                left = max(request.sent, self._last_answer) + allowed - time.monotonic()
                if self._limits.seconds_left <= 0:
                    self._break(TIME_IS_UP, blameless=True, unasked=False)
                elif left > 0:
                    _ = self._changed.wait(min(left, self._limits.seconds_left, POLL_INTERVAL))
                else:
                    self._break(f"gave no answer within {allowed:.3g} s")

    def close(self) -> None:
        """Close the input so that the process ends by itself, and kill it if it does not.

        It takes a few seconds at most, also where a process that cannot be killed holds the pipes.
        """
        self._to_write.put(None)
        self._is_closing = True
        try:
            if self._broken is None and self._process.wait(_GRACE) is not None:
                self._reader.join(_SETTLE)  # It may have answered something that was not asked.
        finally:  # A second Ctrl-C ends the waiting, not the process.
            with self._changed:
                self._break("was closed", unasked=False)
        self._process.end(_GRACE)
        until = time.monotonic() + _SETTLE
        for thread in (self._reader, self._writer, self.log.thread):
            thread.join(max(until - time.monotonic(), 0))
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()

    def _break(self, reason: str, *, blameless: bool = False, unasked: bool = True) -> None:
        """Have the process end and wake all waiting threads; `unasked`: nobody wanted that. `_changed` must be held."""
        if self._broken is not None:
            return
        self._broken = BrokenError(reason, alone=len(self._in_flight) <= 1 and not blameless)
        self._to_write.put(None)
        self._process.kill()
        if unasked:
            waiting = [one for one in self._in_flight.values() if one.response is None] or [self._last]
            log = self.log.since(min(one.log_position for one in waiting))
            about = tuple(dict.fromkeys(one.about for one in waiting if one.about))
            self._history.restarts.append(Restart(about, reason, tuple(log)))
        self._changed.notify_all()

    def _write(self) -> None:
        pipe = self._process.stdin
        with contextlib.suppress(OSError, ValueError):  # `_read` notices a process that ended.
            while (line := self._to_write.get()) is not None:
                view = memoryview(line)
                while view:
                    view = view[pipe.write(view) :]
        with contextlib.suppress(OSError):
            pipe.close()

    def _read(self) -> None:
        unasked = True
        try:
            self._take_lines()
            reason = f"ended {_exit_text(self._process.wait())}"
            unasked = not self._is_closing
        except EngineFailure as failure:
            reason = str(failure)
        except (OSError, ValueError) as error:  # `ValueError` if the pipe was closed meanwhile.
            reason = f"could not be read from: {error}"
        with self._changed:
            self._break(reason, unasked=unasked)

    def _take_lines(self) -> None:
        """Read answers until the output ends. Raises `EngineFailure` for an invalid one."""
        pending = bytearray()
        while chunk := self._process.stdout.read(_CHUNK):
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
            self._last = self._in_flight[number]
            self._last.response = response
            self._answered.add(number)
            self._last_answer = time.monotonic()
            if number and not self._is_warm:
                self._is_warm = True
                taken, slowest = self._last_answer - self._last.sent, self._history.slowest_first_answer
                self._history.slowest_first_answer = max(taken, slowest or 0)
            self._changed.notify_all()


def _exit_text(code: int | None) -> str:
    if code is None or code >= 0:
        return f"with exit code {code}"
    try:
        return f"by signal {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"
