"""The example of an author's project, watched by its own CI: red for its bugs, green without, red when it outgrows what
it declares."""

import subprocess
from pathlib import Path

import pytest

from ..programs import run
from .workflows import load, run_action

PATCHES = Path(__file__).parent / "patches"
OWN_SUPPORT = "no-support-against-own-units"
HEAD_TO_HEAD = "beaten-head-to-head-has-no-effect"
ALL = [OWN_SUPPORT, HEAD_TO_HEAD, "coast-may-be-left-out"]


def fix(project, *names):
    for name in names:
        _ = subprocess.run(["git", "apply", PATCHES / f"{name}.patch"], cwd=project, check=True)


def inputs(project):
    """What the workflow of the project gives the action."""
    steps = load(project / ".github" / "workflows" / "ci.yml")["jobs"]["datc"]["steps"]
    (step,) = [step for step in steps if "datc-check@" in step["uses"]]
    return step["with"]


@pytest.mark.parametrize(
    ("fixed", "given", "code", "said"),
    [
        ([], {}, 1, "a declared deviation that passes): 11 cases"),
        (
            [OWN_SUPPORT],
            {},
            1,
            "passes): 2 cases 6.E.1 Dislodged unit has no effect on attacker's province: failed 6.H.9",
        ),
        ([HEAD_TO_HEAD], {}, 1, "6.D.12 Supporting a foreign unit to dislodge own unit prohibited: failed"),
        ([OWN_SUPPORT, HEAD_TO_HEAD], {}, 0, "a declared deviation that passes): nothing"),
        (ALL, {}, 1, "passes): 1 case 6.B.2 Moving with unspecified coast when coast is not necessary: declared as a"),
        (ALL, {"strict": False}, 0, "What fails the run"),
    ],
)
def test_the_gate_is_green_when_all_bugs_are_fixed_and_no_declaration_is_out_of_date(
    runner, project, fixed, given, code, said
):
    fix(project, *fixed)
    ran = run_action(runner, project, {**inputs(project), **given})
    assert (ran.code, said in " ".join(ran.log.split())) == (code, True), ran.log


def test_with_a_baseline_one_bug_can_stay_and_a_new_one_cannot(runner, project):
    fix(project, OWN_SUPPORT)
    _ = run_action(runner, project, inputs(project))
    _ = (runner.report / "run.json").rename(project / "baseline.json")
    with_baseline = {**inputs(project), "baseline": "baseline.json"}
    assert run_action(runner, project, with_baseline).code == 0
    _ = subprocess.run(["git", "apply", "-R", PATCHES / f"{OWN_SUPPORT}.patch"], cwd=project, check=True)
    ran = run_action(runner, project, with_baseline)
    assert ran.code == 1
    assert "passes): 9 cases" in " ".join(ran.log.split())
    assert "6.E.1 " not in ran.log.partition("What fails the run")[2]


@pytest.mark.parametrize(
    ("fixed", "code", "outcomes"),
    [
        ([], 1, "11 failed, 147 passed, 20 skipped, 1 xfailed"),
        ([OWN_SUPPORT, HEAD_TO_HEAD], 0, "158 passed, 20 skipped, 1 xfailed"),
        (ALL, 0, "158 passed, 20 skipped, 1 xpassed"),
    ],
)
def test_its_pytest_says_the_same(runner_with_pytest, project, fixed, code, outcomes):
    fix(project, *fixed)
    done = run_pytest(runner_with_pytest, project, "-q")
    assert outcomes in done.stdout
    assert done.returncode == code


def run_pytest(runner, project, *arguments):
    command = [runner.scripts / "python", "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return run(command, cwd=project, stderr=subprocess.STDOUT)


NAMES = ("adapters", "cases", "harness", "reference_engine", "reports")
"""What the author's own packages may be called, and the folders of this project are."""
OWN_TEST = f"""
import sys
import adapters, cases, harness, reference_engine, reports

def test_these_are_the_author_s_own_and_nobody_watches_them():
    for package in ({", ".join(NAMES)}):
        assert package.OWN == package.__name__
        assert type(package.__loader__).__name__ == "SourceFileLoader"
    assert sys.modules["datc.harness"] is not harness
"""
IMPORTED_BEFORE = "import harness, reports, sys, pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider']))"


def test_an_author_s_own_packages_are_not_disturbed(runner_with_pytest, tmp_path):
    for name in NAMES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"OWN = {name!r}\n", encoding="utf-8")
    (tmp_path / "test_own.py").write_text(OWN_TEST, encoding="utf-8")
    ini = "[pytest]\ndatc_engine = builtin\ndatc_select = 6.A\nfilterwarnings = error\n"
    (tmp_path / "pytest.ini").write_text(ini, encoding="utf-8")
    done = run_pytest(runner_with_pytest, tmp_path, "-q")
    assert "13 passed" in done.stdout, done.stdout
    before = run([runner_with_pytest.scripts / "python", "-c", IMPORTED_BEFORE], cwd=tmp_path, stderr=subprocess.STDOUT)
    assert "13 passed" in before.stdout, before.stdout
