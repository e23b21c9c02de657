"""The floors: an import goes down, never up (`pyproject.toml` has the contracts)."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_an_import_goes_down_never_up():
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [command, "--no-cache", "--config", ROOT / "pyproject.toml"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 kept, 0 broken" in done.stdout
