"""What all tests share: the profile of `hypothesis`, and the PyPI engine in an environment of its own."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent
DIPLOMACY_README = ROOT / "adapters" / "engines" / "diplomacy_pypi" / "README.md"
DIPLOMACY_PYTHON = ROOT / ".engines" / "diplomacy" / "bin" / "python"

# The same examples in every run: a failure never depends on luck or on a slow machine.
settings.register_profile(
    "datc", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("datc")


@pytest.fixture(scope="session")
def diplomacy_python() -> Path:
    """A Python that has the PyPI package `diplomacy`, set up as the bridge's README says."""
    if not _has_diplomacy():
        create, install = _setup_commands()
        _ = subprocess.run(create, cwd=ROOT, check=True)
        installing = subprocess.run(install, cwd=ROOT, check=False, capture_output=True, text=True)
        if installing.returncode != 0:
            pytest.skip(f"pip could not install diplomacy: {installing.stderr[-500:]}")
    return DIPLOMACY_PYTHON


def _has_diplomacy() -> bool:
    importing = [DIPLOMACY_PYTHON, "-c", "import diplomacy"]
    return DIPLOMACY_PYTHON.exists() and subprocess.run(importing, check=False, capture_output=True).returncode == 0


def _setup_commands() -> list[list[str]]:
    """The two commands of the first code block of the README."""
    block = re.search(r"```\n(.*?)```", DIPLOMACY_README.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    commands = [shlex.split(line) for line in block[1].splitlines()]
    assert len(commands) == 2
    return [[sys.executable if word == "python" else word for word in command] for command in commands]
