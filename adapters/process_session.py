"""A process of an engine from its start to its end, its log, and the requests in flight to it.

Any invalid answer ends it with everything that it started, so that a late answer is never taken for the answer to
another request.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any, TypeAlias, cast, final

from .engine import (
    ASKED_FOR,
    LINE_LENGTH,
    POLL_INTERVAL,
    TIME_IS_UP,
    Limits,
    Restart,
    log_line,
    read_response,
    shown,
    wrong_id,
)
from .errors import EngineFailure
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
        super().__init__(reason)
        self.alone: bool = alone
        self.log: Sequence[str] = log


Answered: TypeAlias = tuple[Response, Callable[[], Sequence[str]]]
"""An answer, and what tells what the engine logged since the request was sent."""


@dataclass
class _Asked:
    about: str
    log_position: int
    sent: float
    response: Response | None = None


@dataclass
class History:
    """What the sessions of an engine have found out for the later ones."""

    restarts: list[Restart] = field(default_factory=list[Restart])
    slowest_first_answer: float | None = None
    """Seconds that the first answer after a start took, 0 where it did not come; `None` where none was asked yet."""

    def first_answer_limit(self, limits: Limits) -> float:
        """Return the time limit of the first answer after a start: an engine may load what it needs only then."""
        if limits.first is not None:
            return limits.first
        # So an engine that is quick at first, and hangs, is not waited for longer than usual after each restart.
        expected = math.inf if self.slowest_first_answer is None else _COLD_FACTOR * self.slowest_first_answer
        return max(min(limits.start, expected), limits.request)


@final
class Session:
    """One process and the requests in flight to it."""

    def __init__(self, process: EngineProcess, limits: Limits, history: History) -> None:
        """Talk to a process that was just started. If it ends unasked, that is added to `history`."""
        self._limits = limits
        self._history = history
        self._changed = threading.Condition()
        self._in_flight: dict[int, _Asked] = {}
        self._answered: set[int] = set()
        self._last = _Asked("", 0, 0.0)
        self.broken: BrokenError | None = None
        """Why it can be asked nothing any more."""
        self._is_closing = False
        self._is_warm = False
        """Whether it has answered anything but `initialize`."""
        self._last_answer = time.monotonic()
        self._to_write: SimpleQueue[bytes | None] = SimpleQueue()
        self._process = process
        self.log: EngineLog = EngineLog(process.stderr)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._writer = threading.Thread(target=self._write, daemon=True)
        self._reader.start()
        self._writer.start()

    def ask(self, number: int, line: bytes, seconds: float) -> Answered:
        """Send a request and wait for its answer, which may take longer if it is the first. Raises `BrokenError`."""
        with self._changed:
            position = self.log.position() if number else 0  # What it logs before `initialize` belongs to that.
            if self.broken is not None:
                # This request was not sent yet and cannot have broken it.
                raise BrokenError(str(self.broken), alone=False, log=self.log.since(position))
            request = self._in_flight[number] = _Asked(ASKED_FOR.get(), position, time.monotonic())
            self._to_write.put(line + b"\n")
            while request.response is None:
                if self.broken is not None:
                    raise BrokenError(str(self.broken), alone=self.broken.alone, log=self.log.since(position))
                is_first = number != 0 and not self._is_warm
                allowed = max(seconds, self._history.first_answer_limit(self._limits)) if is_first else seconds
                left = max(request.sent, self._last_answer) + allowed - time.monotonic()
                if self._limits.seconds_left <= 0:
                    self._break(TIME_IS_UP, blameless=True, unasked=False)
                elif left > 0:
                    _ = self._changed.wait(min(left, self._limits.seconds_left, POLL_INTERVAL))
                else:
                    if is_first and self._history.slowest_first_answer is None:
                        self._history.slowest_first_answer = 0.0  # It loads nothing that it would be waited for again.
                    self._break(f"gave no answer within {allowed:.3g} s")
            del self._in_flight[number]
            return request.response, lambda: self.log.since(position)

    def close(self) -> None:
        """Close the input so that the process ends by itself, and kill it if it does not, or is being asked.

        It takes a few seconds at most, also where a process that cannot be killed holds the pipes.
        """
        self._to_write.put(None)
        self._is_closing = True
        try:
            if not (self.broken or self._in_flight) and self._process.wait(_GRACE) is not None:
                self._reader.join(_SETTLE)  # It may have answered something that was not asked.
        finally:  # A second Ctrl-C ends the waiting, not the process.
            with self._changed:
                self._break("was closed", unasked=False)
        self._process.end(_GRACE)
        until = time.monotonic() + _SETTLE
        for thread in (self._reader, self._writer, self.log.thread):
            thread.join(max(until - time.monotonic(), 0))
        self._process.close()

    def _break(self, reason: str, *, blameless: bool = False, unasked: bool = True) -> None:
        """Have the process end and wake all waiting threads; `unasked`: nobody wanted that. `_changed` must be held."""
        if self.broken is not None:
            return
        self.broken = BrokenError(reason, alone=len(self._in_flight) <= 1 and not blameless)
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
        with io.BufferedReader(cast("io.FileIO", self._process.stdout), _CHUNK) as output:
            try:
                while (line := output.readline(self._limits.line + 1)).endswith(b"\n"):
                    self._take(line[:-1])
                reason = f"answered more than {self._limits.line} bytes without a newline"
                if len(line) <= self._limits.line:
                    reason = f"ended {_exit_text(self._process.wait())}"
                    unasked = not self._is_closing
            except EngineFailure as failure:
                reason = str(failure)
            except Exception as error:  # noqa: BLE001 - whatever is raised, as where the pipe was closed meanwhile
                reason = f"could not be read from: {error}"
            with self._changed:
                self._break(reason, unasked=unasked)

    def _take(self, line: bytes) -> None:
        """Read an answer. Raises `EngineFailure` unless it belongs to a request in flight."""
        if not line.strip():
            return
        if not line.lstrip().startswith(b"{"):
            printed = f"printed {shown(line)} to its standard output"
            raise EngineFailure(f"{printed}, which is for answers alone: it has to print to standard error")
        response = read_response(line)
        with self._changed:
            if self.broken is not None:
                return
            number = response.id
            if number in self._answered:  # No request in flight is to blame.
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
    names = {number.value: number.name for number in signal.Signals}
    return f"by signal {names.get(-code, -code)}"


_GUARD = Path(__file__).with_name("guard.py")
_HAS_GUARD = sys.platform != "win32" and bool(sys.executable)
"""Whether an engine is started by a guard, which ends it with all it started, and when this process is killed."""
_MOST_CHUNKS = 64
"""More than a pipe holds."""
_KEPT_LINES = 200
_CAN_POLL = hasattr(select, "poll")
"""Whether it can be known if a pipe holds something; on Windows it cannot."""


Killable: TypeAlias = tuple[subprocess.Popen[bytes], Callable[[], None]]
"""A process, and what kills it with all that it starts, as far as the system knows of that."""

if sys.platform == "win32":
    from .windows import start_in_job

    start_killable = start_in_job
else:

    def start_killable(command: Sequence[str], **options: Any) -> Killable:  # noqa: ANN401 - those of `Popen`
        """Start a process in a group of its own. Raises `OSError` and `ValueError`."""
        process = subprocess.Popen[bytes](command, start_new_session=True, **options)
        return process, partial(_kill_group, process.pid)

    def _kill_group(leader: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


@final
class EngineProcess:
    """The process of an engine. Where there is a guard, it is that one, and ends as the engine does."""

    def __init__(self, command: Sequence[str], cwd: str | None, environment: Mapping[str, str] | None) -> None:
        """Start it; `environment` is added to that of this process. Raises `OSError` and `ValueError`."""
        self._engine: int | None = None
        """The process group of the engine, where that is another than that of `_process`."""
        start = partial(
            start_killable,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=None if environment is None else {**os.environ, **environment},
            bufsize=0,
        )
        self._process, self.kill = self._guarded(command, start) if _HAS_GUARD else start(command)
        """`kill` has it killed with everything that it started, without waiting for that."""
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self.stdin, self.stdout, self.stderr = (cast("IO[bytes]", pipe) for pipe in pipes)  # They have no buffers.

    def wait(self, seconds: float | None = None) -> int | None:
        """Return its exit code, or that of a signal as a negative number; `None` where it takes longer."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def end(self, seconds: float) -> None:
        """Kill it with everything that it started, and wait for that, at most about so long."""
        self.kill()
        code = self.wait(seconds)
        if self._engine is not None and (code is None or code < 0):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._engine, signal.SIGKILL)  # Perhaps the engine killed or stopped its guard.
            self._process.kill()
            _ = self.wait(seconds)

    def close(self) -> None:
        """Close its pipes, when it has ended."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(OSError):
                pipe.close()

    def _guarded(self, command: Sequence[str], start: Callable[..., Killable]) -> Killable:
        """Start a guard, and wait until it has started the engine. Raises `OSError` and `ValueError`."""
        life, ours = os.pipe()
        reply, theirs = os.pipe()
        kill = os.fdopen(ours, "wb", buffering=0).close
        guard = [sys.executable, "-I", "-S", str(_GUARD), str(life), str(theirs), *command]
        with contextlib.ExitStack() as where_it_fails, os.fdopen(reply, "rb") as answer:
            _ = where_it_fails.callback(kill)
            try:
                process = where_it_fails.enter_context(start(guard, pass_fds=(life, theirs))[0])
            finally:
                os.close(life)
                os.close(theirs)
            _ = where_it_fails.callback(kill)  # Which ends the guard, before that is waited for.
            said = dict(line.split() for line in answer)
            if number := int(said.get(b"error", 0)):
                raise OSError(number, os.strerror(number), command[0])
            if b"pid" not in said:
                raise OSError("its guard ended")
            self._engine = int(said[b"pid"])
            _ = where_it_fails.pop_all()
        return process, kill


@final
class EngineLog:
    """Reads a log in a thread of its own, so that an engine that writes much of it is not held up."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._count = 0
        """How many lines there were, with those that are not kept any more."""
        self._rest = b""
        self._has_ended = False
        self.thread: threading.Thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def position(self) -> int:
        """Return where the log is now, for `since`."""
        with self._lock:
            self._take_pending()
            return self._count

    def since(self, position: int) -> Sequence[str]:
        """Return the lines that were written since a position, as far as they are kept, printable."""
        with self._lock:
            self._take_pending()
            lines = [*self._lines, _shown(self._rest)]
            left_out = self._count - len(self._lines)
            return [line for line in lines[max(position - left_out, 0) :] if line.strip()]

    def _read(self) -> None:
        while not self._has_ended:
            if _CAN_POLL:
                _ = _wait_for(self._pipe)
                with self._lock:
                    self._take_pending()
            else:
                self._take()

    def _take_pending(self) -> None:
        """Take what was written until now. The lock must be held."""
        for _ in range(_MOST_CHUNKS):
            if self._has_ended or not _CAN_POLL or not _wait_for(self._pipe, 0):
                return
            self._take()

    def _take(self) -> None:
        chunk = b""
        with contextlib.suppress(OSError, ValueError):  # `ValueError` if the pipe was closed meanwhile.
            chunk = self._pipe.read(_CHUNK)
        self._has_ended = not chunk
        *lines, rest = (self._rest + chunk).split(b"\n")
        self._lines.extend(map(_shown, lines))
        self._count += len(lines)
        self._rest = rest[-LINE_LENGTH:]


def _wait_for(pipe: IO[bytes], milliseconds: int | None = None) -> bool:
    """Wait until there is something to read, or the end; say whether there is."""
    poll = select.poll()  # One may not be used by two threads at once.
    with contextlib.suppress(OSError, ValueError):
        poll.register(pipe, select.POLLIN)
        return bool(poll.poll(milliseconds))
    return True  # The pipe was closed, which reading tells.


def _shown(line: bytes) -> str:
    return log_line(line[-LINE_LENGTH:].decode("utf-8", "replace"))
