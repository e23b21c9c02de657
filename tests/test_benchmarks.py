"""The benchmarks run, and what they compare agrees."""

import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


def test_the_procedures_agree_on_positions_in_which_everything_meets():
    command = [sys.executable, str(BENCHMARKS / "procedures.py"), "1500"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "1,500 positions of 34 units, seeds 0 to 1499"
    assert [line.split()[0] for line in lines if line.endswith("differs on 0")] == ["default", "guess", "decisions"]
    assert "paradoxes" in lines[1]
    assert not lines[1].startswith("0 ")


def test_a_disagreement_is_shown_and_fails():
    """As where one procedure plays another paradox rule than the rest."""
    broken = (
        "import runpy, sys; from datc.reference_engine.procedures import decisions;"
        " decisions.PARADOX_RULES['szykman'] = decisions.all_hold; sys.argv = [sys.argv[1], '300'];"
        " sys.path.insert(0, sys.argv[0].rpartition('/')[0]); runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    command = [sys.executable, "-c", broken, str(BENCHMARKS / "procedures.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "differs on 0" in done.stdout
    assert done.stdout.startswith("seed ")
