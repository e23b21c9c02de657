"""Renew the stored runs in `docs/runs`: `python docs/generate/renew_runs.py [--history] [BRIDGE]…`.

Each bridge that is set up, or each named one, is asked the cases of the usual suite, and all cases for the rules that
it plays and for what the bug doctor says. With `--history`, each release of an engine that has a stored history is
asked, too; what is missing is set up first. What a bridge answers is compared with its `expected.toml` when the site is
built.
"""

from __future__ import annotations

import datetime as dt
import itertools
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory

import click
import msgspec
from stored_runs import DOCTOR_ENDING, HISTORY_ENDING, RULES_ENDING, RUN_ENDING, RUNS, DoctorData

from datc.adapters.bridges import bridge_names, find_bridge
from datc.reports import RunFinished, read_run
from datc.reports.files import write_whole
from datc.reports.json_report import JsonLinesOutput

_SHOWN_EXIT_CODES = (0, 1)
"""Those of commands that asked the engine to the end."""
_PROGRAM = "from datc.harness.cli.start import main; main()"
"""`datc-check` of this environment."""


def main(arguments: list[str]) -> int:
    """Renew the runs of the named bridges, several at once, and return the exit code.

    What is stored of a bridge that cannot be asked to the end stays as it is.
    """
    with_history = "--history" in arguments
    named = [each for each in arguments if each != "--history"]
    ready = named or [name for name in bridge_names() if find_bridge(name).is_ready]
    RUNS.mkdir(exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        renewed = [*pool.map(_renew, ready, itertools.repeat(with_history))]
    return 0 if all(renewed) else 1


def _renew(name: str, with_history: bool) -> bool:
    """Renew what is stored of an engine, and return whether it could be asked."""
    with TemporaryDirectory() as folder:
        endings = (RUN_ENDING, RULES_ENDING, DOCTOR_ENDING, HISTORY_ENDING)
        stored, rules, doctor, history = (Path(folder, f"{name}{each}") for each in endings)
        done = _call("run", name, "-q", "-o", f"jsonl:{stored}")
        done = done and _call("infer", name, "--all", "--json", output=rules)
        done = done and _call("doctor", name, "--json", output=doctor)
        if with_history and (RUNS / history.name).exists():
            done = done and _call("history", name, "--versions", "all", "-o", f"json:{history}")
        if done:
            _drop_times(stored)
            shown = msgspec.json.decode(doctor.read_bytes(), type=DoctorData)
            shown = msgspec.structs.replace(shown, asked_on=dt.date.today().isoformat())
            _ = doctor.write_bytes(msgspec.json.format(msgspec.json.encode(shown)) + b"\n")
            for file in Path(folder).iterdir():
                write_whole(RUNS / file.name, file.read_bytes())
    click.echo(
        f"{name}: {'renewed' if done else 'it could not be asked to the end: what is stored of it stays as it is'}",
        err=True,
    )
    return done


def _call(*arguments: str, output: Path | None = None) -> bool:
    """Call a command, its output going to a file or nowhere."""
    done = run([sys.executable, "-c", _PROGRAM, *arguments], capture_output=True, check=False)
    if done.returncode not in _SHOWN_EXIT_CODES:
        click.echo(done.stderr, err=True)
        return False
    if output is not None:
        _ = output.write_bytes(done.stdout)
    return True


def _drop_times(stored: Path) -> None:
    """Set all times to zero, so that a run changes only where the engine does."""
    report = read_run(stored.read_bytes())
    cases = [msgspec.structs.replace(case, seconds=0.0) for case in report.cases]
    with stored.open("wb") as file:
        JsonLinesOutput(file).handle(RunFinished(msgspec.structs.replace(report, seconds=0.0, cases=cases)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
