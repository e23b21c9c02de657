"""Measures again what the documents say of speed, and writes it there.

    datc-check engines setup NAME
    python benchmarks/page.py

Before each figure in `docs/speed.md` and the README stands a comment with the command that measures it. The commands
are run in two fresh environments, one in plain Python and one with the compiled engine. A figure that several
documents show is measured once. Each is written as soon as it is measured, so a command that fails loses only its own.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = ROOT / "build" / "environments"
PAGES = (ROOT / "docs" / "speed.md", ROOT / "README.md")
_FIGURE = re.compile(
    r"(<!-- (?P<environment>plain|compiled): python (?P<command>.+?) -->\n```text\n).*?(```)", re.DOTALL
)


def main() -> None:
    """Make the environments, and fill in every figure."""
    make_environment("plain", {})
    make_environment("compiled", {"DATC_CHECK_COMPILE": "1"})
    failed = [failure for page in PAGES for failure in fill_in(page, printed)]
    if failed:
        sys.exit("\n".join(["Not measured:", *failed]))


def fill_in(page: Path, measure: Callable[[str, str], str]) -> Sequence[str]:
    """Write each figure into a document when it is measured; return what went wrong, a line for each that was not.

    `measure` is given an environment and a command. A figure that is not measured stays as it was.
    """
    failed: list[str] = []
    for found in _FIGURE.finditer(page.read_text(encoding="utf-8")):
        try:
            figure = measure(found["environment"], found["command"])
        except (subprocess.CalledProcessError, OSError) as error:
            failed.append(f"{page.name}: {error}")
            continue
        text = page.read_text(encoding="utf-8")
        _ = page.write_text(text.replace(found[0], found[1] + figure + found[4]), encoding="utf-8")
    return failed


def make_environment(name: str, variables: dict[str, str]) -> None:
    """Install the project in an environment of its own, anew."""
    folder = ENVIRONMENTS / name
    shutil.rmtree(folder, ignore_errors=True)
    _ = subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    _ = subprocess.run(
        [folder / "bin" / "pip", "install", "--quiet", ROOT], check=True, env={**os.environ, **variables}
    )


@cache
def printed(environment: str, command: str) -> str:
    """Return what a benchmark prints, each line without spaces at its end."""
    print(f"{environment}: python {command}", flush=True)
    python = ENVIRONMENTS / environment / "bin" / "python"
    done = subprocess.run([python, *command.split()], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


if __name__ == "__main__":
    main()
