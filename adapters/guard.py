"""Starts an engine, and ends it with all that it started: a program that `process_session` runs, but on Windows.

`guard.py LIFE REPLY COMMAND...`: LIFE and REPLY are open files, each an end of a pipe. The other end of LIFE belongs to
the harness, and is closed when the engine is to end, or when the harness is killed. REPLY takes the process id of the
engine, or why it cannot be started.

On Linux the guard is the subreaper of the engine: whatever process the engine leaves behind, in whatever session,
becomes a child of the guard. When the engine ends, they are killed, and the guard ends as the engine did. Elsewhere it
kills the engine's process group, and what `ps` shows below a living engine. It is started with every engine, so it
imports nothing that takes long, such as `signal` or `typing`.
"""

from __future__ import annotations

import os
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_SIGKILL, _SIGPIPE, _SIGXFSZ = 9, 13, 25
_SET_PDEATHSIG, _SET_DUMPABLE, _SET_CHILD_SUBREAPER = 1, 4, 36
"""What `prctl` sets, from <linux/prctl.h>."""
_CANNOT_START = 127
_SECONDS = 1.0
"""How long it tries to end what the engine left behind."""
_PAUSE = 0.002
_REAP_EVERY = 1000
_LOOK_EVERY = 20
"""Milliseconds after which it looks for children that ended; the second where nothing tells of the end of the engine.

That takes Linux 5.3, and a Python that was built on such a system.
"""


def main(life: int, reply: int, command: list[str]) -> NoReturn:
    """Start the engine, wait for its end or that of the harness, and end everything."""
    for file in (life, reply):
        os.set_inheritable(file, False)  # noqa: FBT003 - its only parameter
    _call_libc("prctl", _SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _call_libc("prctl", _SET_DUMPABLE, 0, 0, 0, 0)  # No core of the guard where the engine crashes.
    engine = os.fork()
    if engine == 0:
        _become(command, reply)
    os.close(reply)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # The ends of the standard streams are those of the engine.
        _ = os.dup2(nothing, stream)
    _end_as(_end_all(engine, _wait(engine, life)))


def _become(command: list[str], reply: int) -> NoReturn:
    """Become the engine, which ends with the guard, or say why that is not possible."""
    try:
        os.setsid()
        _call_libc("prctl", _SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
        for ignored in (_SIGPIPE, _SIGXFSZ):  # By Python, and an engine would inherit that.
            _call_libc("signal", ignored, 0)
        _ = os.write(reply, f"pid {os.getpid()}\n".encode())
        os.execvp(command[0], command)  # noqa: S606 - no shell is meant
    except OSError as error:
        _ = os.write(reply, f"error {error.errno}\n".encode())
    os._exit(_CANNOT_START)


def _call_libc(function: str, *arguments: int) -> None:
    try:
        import ctypes

        _ = getattr(ctypes.CDLL(None), function)(*arguments)
    except (ImportError, OSError, AttributeError):
        pass


def _wait(engine: int, life: int) -> int | None:
    """Wait for the end of the engine, and return its status; `None` where the harness ended before."""
    poll = select.poll()
    poll.register(life, select.POLLIN)  # It tells when the other end is closed. Nothing is written to it.
    try:
        poll.register(os.pidfd_open(engine), select.POLLIN)
        pause = _REAP_EVERY
    except (AttributeError, OSError):
        pause = _LOOK_EVERY
    status = None
    while status is None:
        if any(file == life for file, _ in poll.poll(pause)):
            return None
        status = _reap(engine, None)[0]
    return status


def _reap(engine: int, status: int | None) -> tuple[int | None, bool]:
    """Take note of all children that have ended; return the status of the engine, and whether a child is left."""
    try:
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == engine:
                status = ended[1]
    except ChildProcessError:
        return status, False
    return status, True


def _end_all(engine: int, status: int | None) -> int | None:
    """Kill the engine's process group and all children, which includes those that lost their parent to this."""
    started = _below(engine) if sys.platform != "linux" and status is None else []
    for process in (-engine, *started):
        _kill(process)
    deadline = time.monotonic() + _SECONDS
    children = f"/proc/{os.getpid()}/task/{os.getpid()}/children"
    while time.monotonic() < deadline:
        try:
            with open(children, encoding="ascii") as file:  # noqa: PTH123 - pathlib is slow
                for child in file.read().split():
                    _kill(int(child))
        except OSError:
            pass
        status, some_are_left = _reap(engine, status)
        if not some_are_left:
            break
        time.sleep(_PAUSE)
    return status


def _below(engine: int) -> list[int]:
    """List what the engine started, and what that started, as far as nobody on the way to it has ended."""
    from subprocess import SubprocessError, run

    try:
        listed = run(["/bin/ps", "-A", "-o", "pid=,ppid="], capture_output=True, check=True, timeout=_SECONDS).stdout
    except (OSError, SubprocessError):
        return []
    pairs = [line.split() for line in listed.decode().splitlines()]
    found = [str(engine)]
    for one in found:
        found += [process for process, parent in pairs if parent == one]
    return [*map(int, found)]


def _kill(process: int) -> None:
    try:  # noqa: SIM105 - contextlib is slow
        os.kill(process, _SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _end_as(status: int | None) -> NoReturn:
    code = -_SIGKILL if status is None else os.waitstatus_to_exitcode(status)
    if code >= 0:
        os._exit(code)
    _call_libc("signal", -code, 0)  # As the system has it, not as Python has it.
    os.kill(os.getpid(), -code)
    os._exit(_CANNOT_START)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
