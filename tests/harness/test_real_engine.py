"""A real engine that someone else wrote: PyPI `diplomacy`, through its bridge."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = str(Path(sys.executable).with_name("datc-check"))


@pytest.fixture(scope="module")
def report(diplomacy_python, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.json"
    bridge = ROOT / "adapters" / "engines" / "diplomacy_pypi" / "bridge.py"
    done = subprocess.run(
        [COMMAND, "run", f"exec:{diplomacy_python} {bridge}", "--report", f"json:{path}", "--jobs", "4"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return json.loads(path.read_text(encoding="utf-8"))


def test_its_figures(report):
    assert report["engine"]["name"] == "diplomacy"
    assert report["engine"]["version"] == "1.1.2"
    assert report["complete"]
    assert {verdict: count for verdict, count in report["summary"].items() if count} == {"passed": 158, "deviated": 6}


def test_its_deviations_and_the_issues_that_explain_them(report):
    deviated = {case["id"]: case["deviations"] for case in report["cases"] if case["verdict"] == "deviated"}
    assert deviated.keys() == {"6.B.9", "6.G.8", "6.J.3", "6.J.6", "6.J.10", "6.J.11"}
    assert deviated["6.B.9"] == {"4.B.4": ["ignored"]}
    assert deviated["6.G.8"].keys() == {"4.A.3"}
    assert "2000-fallback-unordered" in deviated["6.G.8"]["4.A.3"]
    for case in ("6.J.3", "6.J.6", "6.J.10", "6.J.11"):
        assert deviated[case].keys() == {"4.D.8"}
        assert "dptg" in deviated[case]["4.D.8"]
