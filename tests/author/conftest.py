"""A machine of a service, on which the action has installed `datc-check` as users have it: not editable."""

import shutil
import subprocess
from pathlib import Path

import pytest

from ..conftest import UNREACHABLE
from ..programs import run
from .workflows import INSTALL, ROOT, Runner, run_step

LEFT_OUT = shutil.ignore_patterns(".*", "tests", "build", "dist", "*.egg-info", "__pycache__")
"""What a checkout of the action does not have, or what an installation has no use for."""


@pytest.fixture(scope="session")
def runner(tmp_path_factory) -> Runner:
    home = tmp_path_factory.mktemp("runner")
    sources = shutil.copytree(ROOT, home / "action", ignore=LEFT_OUT)
    (home / "temp").mkdir()
    found = Runner(sources, home / "temp")
    installed = run_step(INSTALL, found, home, {})
    _expect_success(installed.code, installed.log)
    return found


@pytest.fixture(scope="session")
def runner_with_pytest(runner: Runner) -> Runner:
    """Add pytest to what is installed, which is not built again."""
    pip = [runner.scripts / "python", "-m", "pip", "install", "--quiet", "datc-check[pytest]"]
    done = run(pip, stderr=subprocess.STDOUT)
    _expect_success(done.returncode, done.stdout)
    return runner


@pytest.fixture
def project(tmp_path) -> Path:
    """Give a copy of the example project."""
    return shutil.copytree(
        ROOT / "examples" / "author", tmp_path / "pocket", ignore=shutil.ignore_patterns("__pycache__")
    )


def _expect_success(code: int, log: str) -> None:
    """Skip the test where pip cannot reach its registry; any other failure is one of the test."""
    if code and UNREACHABLE.search(log):
        pytest.skip(f"the registry of pip cannot be reached: {log[-300:]}")
    assert code == 0, log
