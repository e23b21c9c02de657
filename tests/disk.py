"""A disk that has no room for more."""

import contextlib
from collections.abc import Generator

import pytest

resource = pytest.importorskip("resource", reason="the limit on the size of a file is one of Linux and macOS")


@contextlib.contextmanager
def room_for(size: int) -> Generator[None]:
    """Let no file have more bytes, which the system holds in the middle of a write, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
