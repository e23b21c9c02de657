"""Files that are written whole or not at all, whatever the disk or the user does meanwhile."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Protocol


class Sink(Protocol):
    """What bytes are written to."""

    def write(self, data: bytes, /) -> int:
        """Write bytes. Raises `OSError`."""
        ...

    def flush(self) -> None:
        """Write what is left. Raises `OSError`."""
        ...


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: beside its place, and then put there, with the mode of what was there.

    What is no regular file, such as /dev/stdout, is written in place. Raises `OSError`.
    """
    if path.exists() and not path.is_file():
        _ = path.write_bytes(content)
        return

    from shutil import copymode  # These here, since they take long to import.
    from tempfile import mkstemp

    descriptor, name = mkstemp(dir=path.parent, prefix=f".{path.name}.")
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:  # Windows moves no file that is open.
            _ = file.write(content)
        if path.exists():
            copymode(path, beside)
        else:
            mask = os.umask(0)
            _ = os.umask(mask)
            beside.chmod(0o666 & ~mask)
        _ = beside.replace(path)
    except BaseException:  # A Ctrl-C, too, leaves nothing behind.
        beside.unlink(missing_ok=True)
        raise


def append_whole(path: Path, content: bytes) -> None:
    """Add to a file, which need not be there yet, all or nothing: a part is cut off again. Raises `OSError`."""
    with path.open("ab", buffering=0) as file:
        before = file.tell()
        left = memoryview(content)
        try:
            while left:
                left = left[file.write(left) :]
        except BaseException:  # A Ctrl-C, too, leaves nothing behind.
            with contextlib.suppress(OSError):
                _ = file.truncate(before)
            raise
