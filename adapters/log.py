"""The log of an engine: what its process writes to its standard error, line by line, as far as it is kept."""

from __future__ import annotations

import select
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, final

from ..reference_engine import printable

_CHUNK = 1 << 16
_MOST_CHUNKS = 64
"""More than a pipe holds."""
_KEPT_LINES = 200
_LINE_LENGTH = 500
"""Of a longer line its end is kept."""
_CAN_POLL = hasattr(select, "poll")
"""Whether it can be known if a pipe holds something; on Windows it cannot."""


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
        with suppress(OSError, ValueError):  # `ValueError` if the pipe was closed meanwhile.
            chunk = self._pipe.read(_CHUNK)
        self._has_ended = not chunk
        *lines, rest = (self._rest + chunk).split(b"\n")
        self._lines.extend(map(_shown, lines))
        self._count += len(lines)
        self._rest = rest[-_LINE_LENGTH:]


def _wait_for(pipe: IO[bytes], milliseconds: int | None = None) -> bool:
    """Wait until there is something to read, or the end; say whether there is."""
    poll = select.poll()  # One may not be used by two threads at once.
    with suppress(OSError, ValueError):
        poll.register(pipe, select.POLLIN)
        return bool(poll.poll(milliseconds))
    return True  # The pipe was closed, which reading tells.


def log_line(text: str) -> str:
    """Return the end of a line that an engine wrote, printable, its indentation kept."""
    return printable(text.rstrip().replace("\t", "    ")[-_LINE_LENGTH:])


def _shown(line: bytes) -> str:
    return log_line(line[-_LINE_LENGTH:].decode("utf-8", "replace"))
