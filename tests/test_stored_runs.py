"""The stored runs of the site: they are what the bridges answer today, as the program that renews them finds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .conftest import ROOT

if TYPE_CHECKING:
    from .conftest import ReadyBridge

GENERATE = ROOT / "docs" / "generate"
pytest.importorskip("mkdocs", reason="the documentation tools (the extra `docs`) are not installed")
with pytest.MonkeyPatch.context() as patched:
    patched.syspath_prepend(GENERATE)
    from stored_runs import (  # pyright: ignore[reportMissingImports] - the site's generators are no package
        read_stored,
    )


def test_the_stored_run_of_a_bridge_is_what_its_engine_answers_today(ready_bridge: ReadyBridge, tmp_path: Path) -> None:
    _ = ready_bridge("pydip")
    program = f"import sys; sys.path.insert(0, {str(GENERATE)!r}); import pathlib, renew_runs; "
    program += f"renew_runs.RUNS = pathlib.Path({str(tmp_path)!r}); sys.exit(renew_runs.main(['pydip']))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    renewed, stored = (read_stored(folder / "pydip.jsonl") for folder in (tmp_path, ROOT / "docs" / "runs"))
    assert (renewed.cases, renewed.rules) == (stored.cases, stored.rules), (
        "where that is meant, `python docs/generate/renew_runs.py` stores what the engine answers now"
    )
