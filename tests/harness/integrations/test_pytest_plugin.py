"""The pytest plugin: a test for each case, in an author's own session."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from datc.harness.integrations.pytest_plugin import marker

from ..cli.running import ENGINE, invoke, words

pytest_plugins = ["pytester"]

HOLDER = """
import json, os, sys
with open("started", "a") as file:
    print(os.getpid(), file=file)
for line in sys.stdin:
    request = json.loads(line)
    result = {"protocol": 1, "engine": {"name": "holder"}, "capabilities": {"phases": ["movement", "retreat"]}}
    if request["method"] == "adjudicate":
        if any("Supports" in order["text"] for order in request["params"]["orders"]):
            sys.exit("no support, please")
        result = {"units": request["params"]["units"], "dislodged": []}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""
"""An engine under which all units hold, and which goes down over a support.

It is right about 6.A.1, 6.A.2, 6.C.3 and 6.C.7, wrong about 6.C.1, 6.C.4 and 6.C.6, breaks down in 6.A.8, 6.A.10 and
the rest of 6.C, and cannot be asked 6.I.1.
"""
HOLDS = f"[engine.holder]\ncommand = [{sys.executable!r}, '-S', 'holder.py']\n"
DECLARED = "[deviations]\n'6.C.1' = 'no circles'\n'6.I.1' = 'no builds'\n"
OWN = "def test_mine():\n    assert True\n"


@pytest.fixture
def project(pytester, monkeypatch):
    """Go into an author's project: an engine, its `datc.toml`, and a test of the author's own."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    _ = pytester.makefile(".py", holder=HOLDER, test_mine=OWN)
    configure(pytester)
    _ = pytester.makeini("[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n")
    return pytester


def configure(pytester, more: str = "") -> None:
    (pytester.path / "datc.toml").write_text(HOLDS + more, encoding="utf-8")


def select(*cases: str) -> list[str]:
    return ["--datc-engine=holder", *(f"--datc-select={case}" for case in cases)]


def started(pytester) -> list[int]:
    """Name the processes of the engine that there were."""
    file = pytester.path / "started"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_without_an_engine_nothing_is_collected_and_nothing_imported(project):
    _ = project.makepyfile(test_mine="import sys\ndef test_mine():\n    assert 'datc.harness' not in sys.modules\n")
    project.runpytest_subprocess().assert_outcomes(passed=1)
    project.runpytest_subprocess("-m", "not datc").assert_outcomes(passed=1)
    imported = "import sys, pytest_datc; print([name for name in sys.modules if name.startswith('datc')])"
    done = subprocess.run([sys.executable, "-c", imported], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_one_process_is_asked_and_ended_and_a_failure_shows_the_case_without_a_traceback(project):
    done = project.runpytest(*select("6.A.1", "6.A.2", "6.C.1"))
    done.assert_outcomes(passed=3, failed=1)
    (process,) = started(project)
    assert not is_alive(process)
    done.stdout.fnmatch_lines(
        [
            "*_ 6.C.1 Three army circular movement _*",
            "6.C.1 Three army circular movement: failed",
            "  Board     Turkey: F ANK, A CON, A SMY",
            "  Orders    Turkey  F Ankara - Constantinople *",
            "  Expected  Turkey: *",
            "  Got       Turkey: A CON, A SMY, F ANK",
            "  Differs   Turkey *",
            "  Why       Turkey's F Ankara moves to Constantinople.*",
            "FAILED datc-3.2::6.C.1 - failed: Turkey *",
        ]
    )
    text = done.stdout.str()
    assert "pytest_plugin.py" not in text
    # The summary below is pytest's own, which on a CI machine it does not shorten to the terminal.
    shown = text.partition("= FAILURES =")[2].partition("= short test summary info =")[0]
    assert len(shown.splitlines()) > 10
    assert max(map(len, shown.splitlines())) <= 80


def test_a_deviation_names_the_choice(project):
    arguments = ("--datc-engine", f"{ENGINE} --ruleset 1982 --fixed", "--datc-select=6.F.17")
    done = project.runpytest(*arguments)
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(["6.F.17 *: deviated", "  right under 4.A.2 = *1982*"])
    project.runpytest(*arguments, "--datc-ruleset=1982").assert_outcomes(passed=2)


@pytest.mark.parametrize(("choice", "outcome"), [("1982", "xfailed"), ("all-hold", "failed")])
def test_a_declaration_with_choices_expects_no_other_failure(project, choice, outcome):
    configure(project, "[deviations]\n'6.F.17' = { why = 'so', choices = { '4.A.2' = '1982' } }\n")
    engine = f"{ENGINE} --choice 4.A.2={choice} --fixed"
    project.runpytest("--datc-engine", engine, "--datc-select=6.F.17").assert_outcomes(passed=1, **{outcome: 1})


@pytest.mark.parametrize(
    ("config", "cases", "outcomes", "lines"),
    [
        ("", "6.A.1 6.C.1 6.I.1", {"passed": 2, "failed": 2}, [
            "datc: engine holder, ruleset datc-3.2, 3 cases of datc-3.2",
            "test_mine.py::test_mine PASSED*",
            "datc-3.2::6.A.1 PASSED*",
            "datc-3.2::6.C.1 FAILED*",
            "datc-3.2::6.I.1 FAILED*",
            "datc: 2 answered, 1 unsupported",
            "FAILED datc-3.2::6.I.1 - unsupported: *",
        ]),
        ("[run]\nfail_on = ['failed']\n", "6.A.1 6.I.1", {"passed": 2, "skipped": 1},
         ["SKIPPED * unsupported: *; datc.toml does not fail on that"]),
        (f"{DECLARED}'6.A.1' = 'outdated'", "6.C.1 6.I.1 6.A.1", {"passed": 1, "xfailed": 2, "xpassed": 1}, [
            "XFAIL datc-3.2::6.C.1 - no circles*",
            "XFAIL datc-3.2::6.I.1 - no builds*",
            "XPASS datc-3.2::6.A.1 - outdated*",
        ]),
        (f"[run]\nstrict = true\n{DECLARED}'6.A.1' = 'outdated'", "6.C.1 6.A.1",
         {"passed": 1, "xfailed": 1, "failed": 1},
         ["FAILED datc-3.2::6.A.1 - *declared as a deviation, but passes: outdated"]),
        ("[run.skip]\n'6.C.*' = 'no circles yet'\n", "6.C.1 6.A.1", {"passed": 2, "skipped": 1},
         ["*SKIPPED*datc.toml skips it: no circles yet*", "datc: 1 answered, 1 skipped by the config"]),
        ("[deviations]\n'6.A.10' = 'why not'\n", "6.A.8 6.A.10 6.A.1", {"passed": 2, "failed": 2}, [
            "error: ended with exit code 1 (its log ends: no support*",
            "  no support*",
            "The process of the engine broke down 2 times:",
            "6.A.8: ended with exit code 1",
        ]),
        ("[run]\nfail_on = ['error']\n", "6.C.1", {"passed": 1, "xfailed": 1},
         ["XFAIL datc-3.2::6.C.1 - *failed: Turkey*datc.toml does not fail on that*"]),
    ],
    ids=["nothing", "unsupported", "declared", "strict", "skipped", "a-breakdown-is-not-excused", "not-failed-on"],
)  # fmt: skip
def test_each_case_is_a_test_beside_the_author_s_own_and_the_config_says_what_fails(
    project, config, cases, outcomes, lines
):
    configure(project, config)
    done = project.runpytest(*select(*cases.split()), "-v", "-rfsxX")
    done.assert_outcomes(**outcomes)
    done.stdout.fnmatch_lines(lines)


def test_an_engine_that_cannot_start_fails_every_case_and_none_of_the_author_s_own_tests(project):
    done = project.runpytest("--datc-engine=exec:nowhere", "--datc-select=6.E")
    done.assert_outcomes(passed=1, failed=15)
    done.stdout.fnmatch_lines(["FAILED datc-3.2::6.E.15 - the engine could not be started: 'nowhere'*"])


def test_an_engine_that_gives_out_leaves_no_case_passed(project):
    _ = project.makefile(".py", holder=HOLDER.replace('"Supports" in', '"" in'))
    done = project.runpytest(*select("6.A", "6.B", "6.C"), "-q")
    done.assert_outcomes(passed=1, failed=12 + 19 + 9)
    done.stdout.fnmatch_lines(["FAILED datc-3.2::6.C.9 - the engine broke down 21 times*"])


@pytest.mark.parametrize(
    ("arguments", "passed", "failed", "left_out"),
    [
        (["-m", "datc_6_C"], 0, 1, 3),
        (["-m", "datc_4_A_6"], 0, 1, 3),
        (["-m", "not datc"], 1, 0, 3),
        (["-k", "6.A or mine"], 2, 0, 2),
        (["--deselect", "datc-3.2::6.C.6"], 2, 1, 1),
    ],
)
def test_markers_and_names_select(project, arguments, passed, failed, left_out):
    done = project.runpytest(*select("6.A.1", "6.C.6", "6.I.1"), *arguments)
    expected = {"passed": passed, "failed": failed, "deselected": left_out}
    assert {name: done.parseoutcomes().get(name, 0) for name in expected} == expected


DEVIATES = f"[engine.holder]\ncommand = {[*ENGINE.partition(':')[2].split(), '--ruleset', '1982', '--fixed']!r}\n"
BASELINE = "[run]\nbaseline = 'base.json'\n"
GATES = {
    "all cases pass": ("", "6.A.1 6.A.2", True),
    "a case fails": ("", "6.A.1 6.C.1", False),
    "a case deviates": (DEVIATES, "6.A.1 6.F.17", False),
    "a case is declared": (DECLARED, "6.A.1 6.C.1", True),
    "a declared case passes": ("[deviations]\n'6.A.1' = 'why'\n", "6.A.1 6.A.2", True),
    "a declared case passes, strict": ("[run]\nstrict = true\n[deviations]\n'6.A.1' = 'why'\n", "6.A.1 6.A.2", False),
    "a case is unsupported": ("", "6.A.1 6.I.1", False),
    "a case is unsupported, not failed on": ("[run]\nfail_on = ['failed']\n", "6.A.1 6.I.1", True),
    "nothing is answered": ("[run]\nfail_on = ['failed']\n", "6.I.1", False),
    "only a pattern declares the cases": ("[deviations]\n'6.C.*' = 'no circles'\n", "6.C.1", False),
    "everything is skipped": ("[run.skip]\n'6.*' = 'later'\n", "6.A.1 6.C.1", False),
    "the engine breaks down": ("", "6.A.1 6.A.8", False),
    "no case is worse than the baseline": (BASELINE, "6.A.1 6.C.1", True),
    "a case is worse than the baseline": (BASELINE, "6.A.1 6.C.4", False),
}
"""In each situation of the documentation: the config, the cases, and whether a gate is green."""
BEFORE = """{"format": 1, "type": "baseline", "harness": {"name": "datc-check", "version": "0"}, "engine": "holder",
"ruleset": {"name": "datc-3.2", "choices": {}},
"cases": {"datc-3.2/6.A.1": "passed", "datc-3.2/6.C.1": "failed", "datc-3.2/6.C.4": "passed"}}"""


def test_the_documentation_has_each_situation_of_a_gate():
    text = (Path(__file__).parents[3] / "docs" / "ci.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+) \| (green|red) \|$", text, re.MULTILINE)
    expected = [(name, "green" if green else "red") for name, (_, _, green) in GATES.items()]
    assert rows == [row for row in expected if not row[0].endswith("the baseline")], "the options say that"


@pytest.mark.parametrize("situation", GATES)
def test_what_fails_a_run_fails_the_session_and_nothing_else_does(project, situation):
    config, cases, green = GATES[situation]
    configure(project, config)
    if config == DEVIATES:
        _ = (project.path / "datc.toml").write_text(config, encoding="utf-8")
    _ = (project.path / "base.json").write_text(BEFORE, encoding="utf-8")
    ran = invoke("run", "holder", "--no-experiments", *(f"--select={case}" for case in cases.split()))
    assert (ran.exit_code == 0) == green, ran.output
    done = project.runpytest(*select(*cases.split()))
    assert (done.ret == pytest.ExitCode.OK) == green
    assert "passed" in done.parseoutcomes(), "the author's own test"


UNANSWERED = "[run]\nfail_on = ['failed']\n"


@pytest.mark.parametrize(
    ("config", "cases", "arguments", "code", "said"),
    [
        (UNANSWERED, "6.I", ["-n2"], 1, "datc: None of 7 cases was answered: nothing is known of the engine."),
        (UNANSWERED, "6.I 6.A.1", ["-n2"], 0, "datc: 1 answered, 7 unsupported"),
        ("[run.skip]\n'6.*' = 'later'\n", "6.A", [], 1, "datc: No case was asked: nothing is known of the engine."),
        ("[deviations]\n'6.C.*' = 'why'\n", "6.C.1", [], 1, "datc: Only a pattern of [[]deviations] lets*"),
        (UNANSWERED, "6.I", ["--collect-only"], 0, "*8 tests collected*"),
        (UNANSWERED, "6.I", ["-m", "not datc"], 0, "*1 passed, 7 deselected*"),
        (UNANSWERED, "6.I", ["--setup-only"], 0, "*no tests ran*"),
    ],
)
def test_a_session_whose_cases_have_no_answer_fails_and_says_so(project, config, cases, arguments, code, said):
    configure(project, config)
    runs = project.runpytest_subprocess if "-n2" in arguments else project.runpytest
    done = runs(*select(*cases.split()), *arguments)
    done.stdout.fnmatch_lines([said])
    assert done.ret == code


def test_what_ends_a_session_before_its_cases_keeps_its_exit_code(project):
    configure(project, UNANSWERED)
    _ = project.makepyfile(test_mine="import pytest\ndef test_mine():\n    pytest.exit('enough', 7)\n")
    assert project.runpytest_subprocess(*select("6.I.1")).ret == 7
    assert project.runpytest_subprocess(*select("6.I.1"), "datc-3.2", "test_mine.py").ret == 7


def test_cases_that_the_author_s_own_hooks_skip_are_not_answered(project):
    marks = "import pytest\ndef pytest_collection_modifyitems(items):\n"
    _ = project.makeconftest(f"{marks}    for item in items:\n        item.add_marker(pytest.mark.skip)\n")
    done = project.runpytest(*select("6.A.1"))
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.stdout.fnmatch_lines(["datc: 0 answered, 1 not asked"])


@pytest.mark.parametrize("arguments", [[], ["--datc-engine=holder"], ["-n2"]])
def test_a_misspelt_key_of_pytest_s_config_is_wrong(project, arguments):
    _ = project.makeini("[pytest]\ndatc_engin = holder\nfilterwarnings = error\n")
    done = project.runpytest_subprocess(*arguments)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "datc: the config of pytest has an unknown key 'datc_engin': did you mean 'datc_engine'?" in words(
        done.stderr.str()
    )


def test_a_baseline_that_is_missing_or_of_another_engine_is_named(project):
    configure(project, BASELINE)
    done = project.runpytest(*select("6.A.1"))
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*datc: [[]run] baseline *base.json: No such file or directory: *"])
    _ = (project.path / "base.json").write_text(BEFORE.replace('"holder"', '"other"'), encoding="utf-8")
    done = project.runpytest(*select("6.A.1"), "-Wdefault")
    done.stdout.fnmatch_lines(["*The baseline is of the engine other, but this run is of holder."])
    done.assert_outcomes(passed=2, warnings=1)


def test_the_markers_are_listed(project):
    section, issue = "cases of section 6.F, Convoys", "cases whose outcome depends on issue 4.A.2, *"
    lines = ["@pytest.mark.datc: *", f"@pytest.mark.datc_6_F: {section}", f"@pytest.mark.datc_4_A_2: {issue}"]
    project.runpytest(*select("6.F"), "--markers").stdout.fnmatch_lines(lines)
    assert marker("X.10") == "datc_X_10"
    assert marker("v3.2-4.A.4") == "datc_v3_2_4_A_4"


def test_the_last_failed_are_run_again_and_the_first_failure_can_end_it(project):
    arguments = select("6.A.1", "6.C.1", "6.C.2")
    project.runpytest(*arguments, "-x").assert_outcomes(passed=2, failed=1)
    project.runpytest(*arguments).assert_outcomes(passed=2, failed=2)
    done = project.runpytest(*arguments, "--lf")
    assert done.parseoutcomes() == {"failed": 2, "deselected": 2}
    assert not any(map(is_alive, started(project)))


def test_collecting_starts_no_engine(project):
    done = project.runpytest(*select("6.C"), "--collect-only", "-q")
    done.stdout.fnmatch_lines(["test_mine.py::test_mine", "datc-3.2::6.C.1", "datc-3.2::6.C.9", "10 tests collected*"])
    assert started(project) == []


def test_each_worker_has_a_process_of_its_own(project):
    done = project.runpytest_subprocess(
        *select("6.C.1", "6.C.3", "6.C.4", "6.C.6", "6.C.7", "6.I.1"), "-n2", "--junitxml=junit.xml"
    )
    done.assert_outcomes(passed=1 + 2, failed=3 + 1)
    done.stdout.fnmatch_lines(["6.C.1 Three army circular movement: failed", "FAILED datc-3.2::6.C.1 - failed: Turk*"])
    processes = started(project)
    assert 1 <= len(processes) <= 2
    assert not any(map(is_alive, processes))
    assert 'classname="datc-3.2" name="6.C.1"' in (project.path / "junit.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ([], ["mine", "6.A.1", "6.A.2"]),
        (["."], ["mine", "6.A.1", "6.A.2"]),
        (["test_mine.py"], ["mine"]),
        (["datc-3.2"], ["6.A.1", "6.A.2"]),
        (["datc-3.2::6.A.2"], ["6.A.2"]),
        (["datc-3.2::6.A.2", "test_mine.py::test_mine"], ["mine", "6.A.2"]),
        (["datc-3.2::6.A.2", "-n1"], ["6.A.2"]),
        (["test_mine.py", "-n1"], ["mine"]),
        (["--datc-engine=holder", "test_mine.py"], ["mine", "6.A.1", "6.A.2"]),
    ],
)
def test_the_config_of_pytest_says_it_once_and_arguments_choose(project, arguments, names):
    ini = "[pytest]\ndatc_engine = holder\ndatc_select = 6.A.1 6.A.2\ndatc_suite = datc-3.2\n"
    _ = project.makeini(ini)
    run = project.runpytest_subprocess if "-n1" in arguments else project.runpytest
    done = run(*arguments, "-rp", "--color=no")
    passed = [line.split("::")[1] for line in done.outlines if line.startswith("PASSED")]
    assert sorted(name.removeprefix("test_") for name in passed) == sorted(names)


def test_a_case_is_named_from_another_folder_as_pytest_shows_it_there(project):
    (project.path / "deep").mkdir()
    _ = project.makeini("[pytest]\ndatc_engine = holder\n")
    os.chdir(project.path / "deep")
    done = project.runpytest("../datc-3.2::6.C.1")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["FAILED ../datc-3.2::6.C.1 - *"])


def test_the_engine_of_the_config_can_be_named_from_another_file(project):
    (project.path / "datc.toml").rename(project.path / "other.toml")
    assert project.runpytest(*select("6.A.1")).ret == pytest.ExitCode.USAGE_ERROR
    project.runpytest(*select("6.A.1"), "--datc-config=other.toml").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--datc-engine=holdr"], "datc: there is no engine 'holdr': did you mean 'holder'?"),
        ([*select("6.Z")], "datc: --select 6.Z: there is no such case"),
        ([*select("6.A"), "--datc-suite=datc-9"], "datc: there is no suite 'datc-9'"),
        ([*select("6.A"), "--datc-ruleset=1983"], "datc: there is no ruleset '1983'"),
        ([*select("6.A"), "--datc-config=nowhere.toml"], "nowhere.toml: cannot be read"),
        ([*select("6.A"), "datc-3.2::6.F.1"], "datc: datc-3.2::6.F.1: there is no such case"),
    ],
)
def test_what_is_wrong_is_said_without_a_traceback(project, arguments, message):
    done = project.runpytest_subprocess(*arguments)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert message in done.stderr.str()
    assert "Traceback" not in done.stderr.str()


def test_all_suites_can_be_asked(project):
    done = project.runpytest("--datc-engine=builtin", "--datc-suite=all", "--datc-select=4.A.1", "-q")
    assert done.ret == pytest.ExitCode.OK
    assert done.parseoutcomes()["passed"] > 10
