"""Times the start of the command line against that of a bare interpreter, and says which imports it is spent on.

    python benchmarks/startup.py

They are started by turns, so that what else the machine does falls on all alike. A time is that of the processor, and
the median of the rounds; a ratio is that of the medians. The figures are those of the installed package: an editable
installation looks each module up in another way.
"""

from __future__ import annotations

import os
import re
import resource
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROUNDS = 21
SHOWN = 8
COMMAND = str(Path(sys.executable).with_name("datc-check"))
STARTS: Mapping[str, Sequence[str]] = {
    "bare interpreter": (sys.executable, "-c", "pass"),
    "datc-check --help": (COMMAND, "--help"),
    "datc-check run --help": (COMMAND, "run", "--help"),
    "datc-check cases list --help": (COMMAND, "cases", "list", "--help"),
    "datc-check --version": (COMMAND, "--version"),
    "datc-check": (COMMAND,),
    "run builtin --select 6.A.1": (COMMAND, "run", "builtin", "--select", "6.A.1"),
}
"""What is started, the first being what the others are compared with."""

_IMPORT = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \| (\s*)(\S+)")


def main() -> None:
    """Print the times and their ratios, and the imports of `--help` that take longest."""
    taken: dict[str, list[float]] = {name: [] for name in STARTS}
    for _ in range(ROUNDS):
        for name, command in STARTS.items():
            taken[name].append(processor_seconds(command))
    medians = {name: statistics.median(times) for name, times in taken.items()}
    bare = next(iter(medians.values()))
    for name, median in medians.items():
        print(f"{name:30}{median * 1000:7.1f} ms{median / bare:8.2f}")
    print("\nimports of --help, by themselves")
    for microseconds, module in import_times()[:SHOWN]:
        print(f"{module:24}{microseconds / 1000:7.1f} ms")


def processor_seconds(command: Sequence[str]) -> float:
    """Run a command, and give the processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _ = subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "COLUMNS": "80"}
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def import_times() -> Sequence[tuple[int, str]]:
    """How many microseconds each import of `--help` takes without those in it, the longest first."""
    code = "import sys; sys.argv = ['datc-check', '--help']; from datc.harness.cli.start import main; main()"
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", code], check=True, capture_output=True, text=True)
    found = (_IMPORT.match(line) for line in done.stderr.splitlines())
    return sorted(((int(each[1]), each[4]) for each in found if each), reverse=True)


if __name__ == "__main__":
    main()
