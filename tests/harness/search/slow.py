"""The reference engine, each answer after half a second: `slow.py PROCESS FOLDER`.

As soon as two of them in different processes were asked a few questions, PROCESS gets a Ctrl-C. FOLDER is where they
see each other.
"""

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

from datc.adapters.builtin import respond

ASKED = 4
"""`initialize`, and enough questions to have finished a position, which is of two phases at most."""
PROCESS, FOLDER = int(sys.argv[1]), Path(sys.argv[2])

for number, line in enumerate(sys.stdin.buffer):
    time.sleep(0.5)
    if number == ASKED:
        (FOLDER / f"{os.getpid()}.asked").touch()
        if len(list(FOLDER.glob("*.asked"))) == 2:
            with contextlib.suppress(FileExistsError):  # Both see each other: one of them sends it.
                (FOLDER / "sent").touch(exist_ok=False)
                os.kill(PROCESS, signal.SIGINT)
    _ = sys.stdout.buffer.write(respond(line) + b"\n")
    _ = sys.stdout.buffer.flush()
