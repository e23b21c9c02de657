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


def renew(folder: Path, *names: str) -> subprocess.CompletedProcess[str]:
    program = f"import sys; sys.path.insert(0, {str(GENERATE)!r}); import pathlib, renew_runs; "
    program += f"renew_runs.RUNS = pathlib.Path({str(folder)!r}); sys.exit(renew_runs.main({[*names]!r}))"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)


def test_the_stored_run_of_a_bridge_is_what_its_engine_answers_today(ready_bridge: ReadyBridge, tmp_path: Path) -> None:
    """One that cannot be asked does not stop the others, and leaves nothing behind."""
    _ = ready_bridge("pydip")
    done = renew(tmp_path, "nobody", "pydip")
    assert done.returncode == 1
    assert "nobody: it could not be asked to the end" in done.stderr
    assert "pydip: renewed" in done.stderr
    assert {file.name for file in tmp_path.iterdir()} == {"pydip.jsonl", "pydip.infer.json"}
    renewed, stored = (read_stored(folder / "pydip.jsonl") for folder in (tmp_path, ROOT / "docs" / "runs"))
    assert (renewed.cases, renewed.rules) == (stored.cases, stored.rules), (
        "where that is meant, `python docs/generate/renew_runs.py` stores what the engine answers now"
    )
