"""The stored runs of the site: they are what the bridges answer today, as the program that renews them finds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from datc.adapters import bridge_names

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


@pytest.mark.parametrize("name", bridge_names())
def test_the_stored_run_of_a_bridge_is_what_its_engine_answers_today(
    name: str, ready_bridge: ReadyBridge, tmp_path: Path
) -> None:
    """One that cannot be asked does not stop the others, and leaves nothing behind."""
    _ = ready_bridge(name)
    done = renew(tmp_path, "nobody", name)
    assert done.returncode == 1
    assert "nobody: it could not be asked to the end" in done.stderr
    assert f"{name}: renewed" in done.stderr
    assert {file.name for file in tmp_path.iterdir()} == {f"{name}.jsonl", f"{name}.infer.json"}
    renewed, stored = (read_stored(folder / f"{name}.jsonl") for folder in (tmp_path, ROOT / "docs" / "runs"))
    assert (renewed.cases, renewed.rules) == (stored.cases, stored.rules), (
        f"where that is meant, `python docs/generate/renew_runs.py {name}` stores what the engine answers now"
    )
