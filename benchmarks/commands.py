"""Measures whole commands as people run them: the processor time of the tool, that of the engine, and what is asked.

    datc-check engines setup NAME
    python benchmarks/commands.py [ENGINE]...

An ENGINE is what a command takes, by default those of `ENGINES` that are set up. A command may find what is wrong, but
may not break off. The processes that guard an engine count as the engine, as does all that it starts.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from datc.adapters.bridges import set_up_bridges

_ENGINE = f"exec:{Path(sys.executable).with_name('datc-check')} engine"
ENGINES: Mapping[str, str] = {
    "reference": _ENGINE,
    "with a bug": f"{_ENGINE} --mutant only-dislodgement-cuts",
    "godip": "godip",
    "diplomacy": "diplomacy_pypi",
    "pydip": "pydip",
}
COMMANDS: Mapping[str, Sequence[str]] = {
    "run": ("run",),
    "run --suite all": ("run", "--suite", "all"),
    "doctor": ("doctor",),
    "infer --all": ("infer", "--all"),
    "hunt of 3,000": ("hunt", "--positions", "3000"),
}
_MEASURED = """
import atexit, resource, sys, time
from datc.adapters.process import Session
from datc.harness.cli.start import main

ask, asked, path = Session.ask, [], sys.argv.pop()
Session.ask = lambda self, number, *rest: asked.append(number) or ask(self, number, *rest)

@atexit.register
def tell():
    engine = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(path, "w") as told:
        print(time.process_time(), engine.ru_utime + engine.ru_stime, len(asked), file=told)

main()
"""


def main() -> None:
    """Print a table for each engine."""
    given = sys.argv[1:] or [name for name, engine in ENGINES.items() if engine != name or set_up_bridges(name)]
    for name in given:
        print(f"{name:20}{'tool':>10}{'engine':>10}{'asked':>10}")
        for command, arguments in COMMANDS.items():
            tool, engine, asked = measure([*arguments, ENGINES.get(name, name)])
            print(f"{command:20}{tool:8.1f} s{engine:8.1f} s{asked:10,.0f}", flush=True)


def measure(arguments: Sequence[str]) -> Sequence[float]:
    """Return the seconds of processor time that the tool and the engine took, and how many requests it was asked."""
    with tempfile.NamedTemporaryFile("r") as told:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _MEASURED, *arguments, told.name], check=False, capture_output=True
        )
        if done.returncode not in (0, 1):
            sys.exit(f"datc-check {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr.decode()}")
        return [float(each) for each in told.read().split()]


if __name__ == "__main__":
    main()
