"""Processes on Windows, each in a job object, which ends it with all that it starts, also if we are killed."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from ctypes import wintypes
from typing import Any

assert sys.platform == "win32"  # noqa: S101 - so that a type checker takes what follows for what it is

_SUSPENDED = 0x4
_MAY_BE_ASSIGNED_AND_RESUMED = 0x901
_EXTENDED_LIMITS, _KILL_ON_CLOSE = 9, 0x2000
_LIMITS = bytes(16) + _KILL_ON_CLOSE.to_bytes(4, "little") + bytes(124 if sys.maxsize > 1 << 32 else 92)
"""A `JOBOBJECT_EXTENDED_LIMIT_INFORMATION`, of which only the flags are set."""


def start_in_job(
    command: Sequence[str],
    **options: Any,  # noqa: ANN401 - those of `Popen`
) -> tuple[subprocess.Popen[bytes], Callable[[], None]]:
    """Start a process in a job of its own, and return it with what ends the job. Raises `OSError` and `ValueError`."""
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel.CreateJobObjectW.restype = kernel.OpenProcess.restype = wintypes.HANDLE
    with ExitStack() as to_end:
        job = wintypes.HANDLE(_done(kernel.CreateJobObjectW(None, None)))
        _ = to_end.callback(kernel.CloseHandle, job)
        _ = _done(kernel.SetInformationJobObject(job, _EXTENDED_LIMITS, _LIMITS, len(_LIMITS)))
        program, *words = command
        file = shutil.which(program) or program  # Windows itself looks for an `.exe` only.
        process = subprocess.Popen[bytes]([file, *words], creationflags=_SUSPENDED, **options)
        _ = to_end.callback(process.kill)
        itself = wintypes.HANDLE(_done(kernel.OpenProcess(_MAY_BE_ASSIGNED_AND_RESUMED, 0, process.pid)))
        _ = _done(kernel.AssignProcessToJobObject(job, itself))
        _ = ctypes.WinDLL("ntdll").NtResumeProcess(itself)  # Only now does it start anything.
        _ = kernel.CloseHandle(itself)
        return process, to_end.pop_all().close


def _done(result: int) -> int:
    """Return what a function of Windows returned. Raises `OSError` if it failed."""
    if not result:
        raise ctypes.WinError(ctypes.get_last_error())
    return result
