"""Starts the process of an engine, reads its log, and ends it with everything that it started, as far as possible."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, final

from .engine import LINE_LENGTH, log_line

_GUARD = Path(__file__).with_name("guard.py")
_HAS_GUARD = sys.platform == "linux" and bool(sys.executable)
"""Whether an engine is started by a guard, which ends it with all it started, and when this process is killed."""
_CHUNK = 1 << 16
_MOST_CHUNKS = 64
"""More than a pipe holds."""
_KEPT_LINES = 200
_CAN_POLL = hasattr(select, "poll")
"""Whether it can be known if a pipe holds something; on Windows it cannot."""


@final
class EngineProcess:
    """The process of an engine. Where there is a guard, it is that one, and ends as the engine does."""

    def __init__(self, command: Sequence[str], cwd: str | None, environment: Mapping[str, str] | None) -> None:
        """Start it; `environment` is added to that of this process. Raises `OSError` and `ValueError`."""
        whole = None if environment is None else {**os.environ, **environment}
        self._life: IO[bytes] | None = None
        self._engine: int | None = None
        """The process group of the engine, where that is another than that of `_process`."""
        if _HAS_GUARD:
            self._process = self._start_guarded(command, cwd, whole)
        else:
            self._process = _start(command, cwd, whole)

    @property
    def stdin(self) -> IO[bytes]:
        """Its input, without a buffer."""
        return _pipe(self._process.stdin)

    @property
    def stdout(self) -> IO[bytes]:
        """Its output, without a buffer."""
        return _pipe(self._process.stdout)

    @property
    def stderr(self) -> IO[bytes]:
        """Its log, without a buffer."""
        return _pipe(self._process.stderr)

    def wait(self, seconds: float | None = None) -> int | None:
        """Return its exit code, or that of a signal as a negative number; `None` where it takes longer."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """Have it killed with everything that it started, without waiting for that."""
        if self._life is None:
            kill_group(self._process)
        else:
            self._life.close()

    def end(self, seconds: float) -> None:
        """Kill it with everything that it started, and wait for that, at most about so long."""
        self.kill()
        code = self.wait(seconds)
        if self._engine is not None and (code is None or code < 0):
            # Perhaps the engine killed or stopped its guard.
            _kill_group(self._engine)
            self._process.kill()
            _ = self.wait(seconds)

    def _start_guarded(
        self, command: Sequence[str], cwd: str | None, environment: Mapping[str, str] | None
    ) -> subprocess.Popen[bytes]:
        """Start a guard, which starts the engine. Raises `OSError` and `ValueError`."""
        life, ours = os.pipe()
        reply, theirs = os.pipe()
        self._life = os.fdopen(ours, "wb", buffering=0)
        guard = [sys.executable, "-I", "-S", str(_GUARD), str(life), str(theirs), *command]
        with contextlib.ExitStack() as where_it_fails, os.fdopen(reply, "rb") as answer:
            _ = where_it_fails.callback(self._life.close)
            try:
                process = where_it_fails.enter_context(_start(guard, cwd, environment, (life, theirs)))
            finally:
                os.close(life)
                os.close(theirs)
            _ = where_it_fails.callback(self._life.close)  # Which ends the guard, before that is waited for.
            self._engine = _read_reply(answer, command[0])
            _ = where_it_fails.pop_all()
        return process


def _start(
    command: Sequence[str], cwd: str | None, environment: Mapping[str, str] | None, files: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=environment,
        bufsize=0,
        pass_fds=files,
        start_new_session=True,  # A process group, to kill it with all that it starts.
    )


def _read_reply(answer: IO[bytes], program: str) -> int:
    """Wait until the guard has started the engine, and return its process id. Raises `OSError` where it cannot."""
    said = dict(line.split() for line in answer)
    if number := int(said.get(b"error", 0)):
        raise OSError(number, os.strerror(number), program)
    if b"pid" not in said:
        raise OSError("its guard ended")
    return int(said[b"pid"])


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # noqa: S101 - `Popen` gets `PIPE` for all three
    return pipe


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a process group, with all processes of the group."""
    if hasattr(os, "killpg"):
        _kill_group(process.pid)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            process.kill()


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


@final
class EngineLog:
    """Reads a log in a thread of its own, so that an engine that writes much of it is not held up."""

    def __init__(self, pipe: IO[bytes]) -> None:
        """`pipe` has no buffer."""
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
