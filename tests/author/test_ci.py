"""CI as an author has it: the GitHub Action and the GitLab template, and the example of a project that they watch.

The project is red for its bugs, green without, and red when it outgrows what it declares.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ..harness.integrations.test_pytest_plugin import BEFORE, GATES, HOLDER, HOLDS
from ..programs import run
from ..test_docs import DOCS, blocks
from .workflows import ACTION, EXPRESSION, INSTALL, ROOT, RUN, UPLOAD, defaults, evaluate, load, run_action

WORKFLOW = ROOT / "examples" / "author" / ".github" / "workflows" / "ci.yml"
GITLAB = ROOT / "ci" / "gitlab.yml"
PATCHES = Path(__file__).parent / "patches"
OWN_SUPPORT = "no-support-against-own-units"
HEAD_TO_HEAD = "beaten-head-to-head-has-no-effect"
ALL = [OWN_SUPPORT, HEAD_TO_HEAD, "coast-may-be-left-out"]


@pytest.mark.parametrize(
    ("schema", "file"), [("github-actions", ROOT / "action.yml"), ("github-workflows", WORKFLOW), ("gitlab-ci", GITLAB)]
)
def test_it_is_what_the_service_takes(schema, file):
    check = Path(sys.executable).with_name("check-jsonschema")
    done = run([check, "--builtin-schema", f"vendor.{schema}", file])
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("step", [INSTALL, RUN], ids=["install", "run"])
def test_no_input_is_pasted_into_a_script(step):
    assert step["shell"] == "bash"
    assert "${{" not in step["run"]
    used = set(re.findall(r"\$\{?([A-Z_]+)", step["run"])) - {"GITHUB_OUTPUT"}
    assert used == set(step["env"]), "every variable of the script is set, and every one that is set is used"
    done = run(["bash", "-n", "-c", step["run"]])
    assert (done.returncode, done.stderr) == (0, "")


def shown(kind):
    """The blocks of a kind that the page on CI shows."""
    return [block.text for block in blocks(DOCS / "ci.md", kind)]


def test_every_input_is_used_and_the_workflow_that_is_shown_gives_inputs_that_there_are():
    used = re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text(encoding="utf-8"))
    assert {*used} == ACTION["inputs"].keys()
    steps = load(shown("yaml")[0])["jobs"]["datc"]["steps"]
    assert all(defaults(step["with"]) for step in steps if "with" in step)


def test_the_two_lines_for_any_service_are_enough(runner, project):
    fix(project, OWN_SUPPORT)
    (script,) = shown("sh")
    installed = script.replace("pip install ./datc-check", "pip install datc-check")  # It is installed already.
    assert installed != script
    assert run(["sh", "-ec", installed], cwd=project, env=runner.environment).returncode == 1
    assert (project / "junit.xml").exists()


def test_it_asks_reports_and_says_what_there_is(runner, project):
    ran = run_action(runner, project, {"select": "6.A 6.E.1", "suite": "datc-3.1", "artifact": "mine"})
    assert ran.code == 1
    assert ran.outputs == {"exit-code": "1", "report": str(runner.report)}
    assert "::error title=pocket 0.3.0::Not compliant with datc-3.1" in ran.log
    assert "6.E.1 Dislodged unit has no effect on attacker's area: failed" in ran.log
    assert ran.summary.startswith("### `pocket 0.3.0` against `datc-3.1`")
    assert "6.E.1" in ran.summary
    assert {file.name for file in runner.report.iterdir()} == {"run.json", "report.html", "junit.xml", "badge.svg"}
    assert json.loads((runner.report / "run.json").read_bytes())["summary"]["passed"] == 12
    assert evaluate(UPLOAD["with"]["path"], runner, {}) == str(runner.report)
    assert evaluate(UPLOAD["with"]["name"], runner, defaults({"artifact": "mine"})) == "mine"


@pytest.mark.parametrize(
    ("inputs", "code", "said"),
    [
        ({"engine": "builtin", "select": "6.F"}, 0, "30 cases: 30 passed"),
        ({"engine": "builtin", "ruleset": "1982", "suite": "datc-3.1 datc-2.4", "select": "6.F.17"}, 0, "ruleset 1982"),
        ({"engine": "builtin", "select": "6.A.1\n  6.A.2 6.B\n\n6.C.1\n"}, 0, "22 cases: 22 passed"),
        ({"engine": "builtin", "suite": "datc-3.1\ndatc-3.2\n", "select": "6.A.1"}, 0, "2 cases: 2 passed"),
        ({"select": '6.A.1\n"6.A.2"'}, 2, "select"),
        ({"select": "6.A.1", "strict": "yes"}, 0, "choices; a declared deviation that passes): nothing"),
        ({"select": "6.A.1", "strict": "ture"}, 2, "strict is neither true nor false"),
        ({"engine": "exec:false"}, 3, "Not finished: "),
        ({"engine": "pockt"}, 2, "did you mean 'pocket'?"),
        ({"fail-on": "error", "select": "6.E.1"}, 0, "What fails the run (error): nothing"),
        ({"config": "nowhere.toml"}, 2, "nowhere.toml: cannot be read"),
        ({"baseline": "nowhere.json"}, 2, "nowhere.json"),
        ({"working-directory": "pocket", "config": "../datc.toml", "select": "6.A"}, 0, "12 passed"),
    ],
)
def test_its_inputs_are_the_options(runner, project, inputs, code, said):
    ran = run_action(runner, project, inputs)
    assert said in " ".join(ran.log.split())
    assert (ran.code, ran.outputs["exit-code"]) == (code, str(code))


def test_it_tests_no_other_engine_where_none_is_named(runner, tmp_path):
    ran = run_action(runner, tmp_path, {"artifact": ""})
    assert (ran.code, ran.outputs["exit-code"]) == (2, "2")
    assert "no engine is named" in ran.log


@pytest.mark.parametrize("name", sorted(ACTION["inputs"].keys() - {"working-directory", "artifact", "version"}))
def test_an_input_reaches_no_shell(runner, project, name):
    hostile = "$(touch hacked)`touch hacked`;touch hacked #\ntouch hacked\n\"'; touch hacked"
    before = sorted(project.rglob("*"))
    ran = run_action(runner, project, {"select": "6.A.1", name: hostile})
    assert [file for file in sorted(project.rglob("*")) if "__pycache__" not in file.parts] == before
    assert ran.code == 2


def test_the_gitlab_job_runs_in_a_project(runner, project):
    fix(project, OWN_SUPPORT)
    job = load(GITLAB)["datc-check"]
    assert EXPRESSION.search(str(job)) is None

    def run_job(lines=job["script"][1:], **variables):
        words = ["bash", "-eo", "pipefail", "-c", "\n".join(lines)]
        environment = {**runner.environment, **job["variables"], **variables}
        return run(words, cwd=project, env=environment, stderr=subprocess.STDOUT)

    done = run_job(job["script"])
    assert done.returncode == 1, done.stdout
    assert "6.E.1 Dislodged unit has no effect" in done.stdout
    assert (project / job["artifacts"]["reports"]["junit"]).exists()
    again = run_job(DATC_BASELINE="datc-report/run.json")
    assert again.returncode == 0, again.stdout
    assert run_job(DATC_ENGINE="builtin", DATC_FAIL_ON="failed").returncode == 0
    assert run_job(DATC_ENGINE="$(touch hacked)").returncode == 2
    assert not (project / "hacked").exists()
    (project / "datc.toml").unlink()
    without = run_job()
    assert (without.returncode, "no engine is named" in without.stdout) == (2, True)


@pytest.mark.parametrize(
    "situation", ["a case is declared", "nothing is answered", "a case is worse than the baseline"]
)
def test_the_config_colours_the_gate_of_each_service(runner, tmp_path, situation):
    """That of the command in every situation is tested beside that of pytest."""
    config, cases, green = GATES[situation]
    _ = (tmp_path / "holder.py").write_text(HOLDER, encoding="utf-8")
    _ = (tmp_path / "base.json").write_text(BEFORE, encoding="utf-8")
    _ = (tmp_path / "datc.toml").write_text(HOLDS + config, encoding="utf-8")
    ran = run_action(runner, tmp_path, {"select": cases})
    assert (ran.code == 0) == green, ran.log
    select = [f"--select={case}" for case in cases.split()]
    job = load(GITLAB)["datc-check"]
    script = job["script"][-1].replace("datc-check run", f"datc-check run {' '.join(select)}")
    environment = {**runner.environment, **job["variables"]}
    done = run(["bash", "-eo", "pipefail", "-c", f"mkdir datc-report\n{script}"], cwd=tmp_path, env=environment)
    assert done.returncode == ran.code, done.stdout + done.stderr


@pytest.mark.parametrize(
    "hook", load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")), ids=lambda hook: hook["id"]
)
def test_a_hook_runs_a_command_that_there_is(hook):
    program, *words = hook["entry"].split()
    assert run([Path(sys.executable).with_name(program), *words, "--help"]).returncode == 0
    assert (hook["language"], hook["pass_filenames"]) == ("python", False)
    assert hook["id"] in [each["id"] for each in load(shown("yaml")[1])["repos"][0]["hooks"]]


@pytest.mark.parametrize("file", [ROOT / "Containerfile", GITLAB], ids=lambda file: file.name)
def test_an_image_goes_by_its_digest(file):
    images = re.findall(r"^\s*(?:FROM|image:) (\S+)", file.read_text("utf-8"), re.MULTILINE)
    assert images
    assert [image for image in images if not re.search("@sha256:[0-9a-f]{64}$", image)] == []


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
    ran = run_action(runner, project, inputs(project))
    said = "passes): 2 cases 6.E.1 Dislodged unit has no effect on attacker's province: failed 6.H.9"
    assert (ran.code, said in " ".join(ran.log.split())) == (1, True), ran.log
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
