"""Times HTML reports against the same commands without one, and measures the memory that each needs.

    python benchmarks/reports.py [ROUNDS]

The commands are started by turns, so that what else the machine does falls on all alike. A time is that of the
processor, start included, and the median of the rounds; the memory is the most that a round needed. The last two rows
have the cases of all suites.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROUNDS = 5
COMMAND = str(Path(sys.executable).with_name("datc-check"))
COMMANDS: Mapping[str, Sequence[str]] = {
    "run": ("run", "builtin"),
    "infer": ("infer", "builtin"),
    "run --suite all": ("run", "builtin", "--suite", "all"),
    "infer --all": ("infer", "builtin", "--all"),
}
"""What is timed, without its report."""


class Cost(NamedTuple):
    """The processor time and the memory that a command took."""

    seconds: float
    megabytes: float


def main(rounds: int) -> None:
    """Print the time and the memory of each command, with and without a report, and the ratio of the times."""
    without: dict[str, list[Cost]] = {name: [] for name in COMMANDS}
    reporting: dict[str, list[Cost]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        for _ in range(rounds):
            for name, arguments in COMMANDS.items():
                without[name].append(cost_of(arguments))
                reporting[name].append(cost_of((*arguments, "--report", f"html:{page}")))
    print(f"{'':20}{'without':>10}{'with html':>12}{'ratio':>8}{'memory':>10}")
    for name in COMMANDS:
        plain, reported = (statistics.median(cost.seconds for cost in costs[name]) for costs in (without, reporting))
        memory = max(cost.megabytes for cost in reporting[name])
        print(f"{name:20}{plain:8.2f} s{reported:10.2f} s{reported / plain:8.1f}{memory:7.0f} MB")


def cost_of(arguments: Sequence[str]) -> Cost:
    """Run a command, and return what it took. Raises `RuntimeError` where it fails."""
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1, 2)]
    process = os.posix_spawn(COMMAND, (COMMAND, *arguments), os.environ, file_actions=actions)
    os.close(null)
    _, status, used = os.wait4(process, 0)
    if os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"{' '.join(arguments)} failed")
    kilobytes = used.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return Cost(used.ru_utime + used.ru_stime, kilobytes / 1024)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
