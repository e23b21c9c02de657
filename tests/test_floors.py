"""The floors: an import goes down, never up, and a wheel has them whole (`pyproject.toml` has the contracts)."""

import re
import subprocess
import sys
from pathlib import Path

from datc.reference_engine.toml import loads

from .conftest import ROOT, SLOW


def test_an_import_goes_down_never_up():
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [command, "--no-cache", "--config", ROOT / "pyproject.toml"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 kept, 0 broken" in done.stdout


def test_the_rooms_of_the_harness_are_described_as_they_are_checked():
    tools = loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    (contract,) = [each for each in tools["importlinter"]["contracts"] if each.get("containers") == ["datc.harness"]]
    _, _, section = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## The rooms of the harness\n")
    rows = re.findall(r"^\| (`.+?`) \|", section.partition("\n## ")[0], re.MULTILINE)
    assert [re.findall(r"\w+", row) for row in rows] == [layer.split(" | ") for layer in contract["layers"]]


def test_a_format_of_reports_is_in_both_contracts():
    """That of the layers has every module. The format `github` uses that of Markdown, and `html` has two modules."""
    tools = loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    contracts = {contract["name"].partition(":")[0]: contract for contract in tools["importlinter"]["contracts"]}
    independent = {module.rpartition(".")[2] for module in contracts["A format of reports knows no other"]["modules"]}
    _, formats, *_ = contracts["In the reports"]["layers"]
    assert set(formats.split(" : ")) - independent == {"github", "html_cases"}


def test_every_file_that_is_marked_as_slow_is_there():
    assert [file for file in SLOW.split() if not (ROOT / "tests" / f"{file}.py").is_file()] == []
