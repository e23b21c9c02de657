"""Two editions of a suite: what the later one adds or changes fails no gate that is pinned to the earlier one."""

import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from datc.cases import load_suite
from datc.cases.errors import SuiteError
from datc.cases.reading import digest_of, read_suite
from datc.cases.tables import table_of
from datc.reports import read_run

from ..cli.running import invoke, words

HEADER = "name = 'house'\ntitle = 'House rules'\nedition = '{}'\n"
CASE = """[[case]]
id = "{id}"
title = "A move"
{since}
units.France = ["A Paris"]
orders.France = ["A Paris - {to}"]
[[case.expect]]
moved = ["A Paris - Burgundy"]
"""
"""The built-in engine passes it where the army is ordered to Burgundy, and fails it where it is not."""
PIN = "[run.editions]\nhouse = '2026.11'\n"
NEW = "New in this edition, not gated (house 2026.12, pinned to 2026.11; {}): {}"


def edition(date: str, **cases: tuple[str, str]) -> None:
    """Write the suite: for each case, where the army goes and the edition that it is from."""
    folder = Path("house")
    folder.mkdir(exist_ok=True)
    _ = (folder / "suite.toml").write_text(HEADER.format(date), encoding="utf-8")
    texts = [
        CASE.format(id=f"H.{name}", to=to, since=since and f"since = '{since}'") for name, (to, since) in cases.items()
    ]
    _ = (folder / "H.toml").write_text("\n".join(["section = 'H'\ntitle = 'House'\n", *texts]), encoding="utf-8")
    load_suite.cache_clear()


OLD = {"old": ("Burgundy", "")}
LATER = {**OLD, "new": ("Picardy", "2026.12"), "newer": ("Burgundy", "2026.12")}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Go where the config pins the suite to its first edition, of which there is a baseline; the second is there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    _ = Path("datc.toml").write_text(PIN, encoding="utf-8")
    edition("2026.11", **OLD)
    assert run("baseline", "update", "builtin")[0] == 0
    edition("2026.12", **LATER)
    yield tmp_path
    load_suite.cache_clear()


def run(*arguments: str) -> tuple[int, str]:
    untested = ["--no-experiments"] if arguments[0] == "run" else []
    done = invoke(*arguments, *untested, "--suite", "house")
    return done.exit_code, words(done.stderr)


def session(*arguments: str) -> tuple[int, str]:
    """Run the same cases as tests."""
    command = [sys.executable, "-P", "-m", "pytest", "--datc-engine=builtin", "--datc-suite=house", "-rx", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, words(done.stdout + done.stderr)


def configure(text: str) -> None:
    _ = Path("datc.toml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("pin", [PIN, "[run]\nbaseline = 'datc-baseline.json'\n", f"[run]\nstrict = true\n{PIN}"])
def test_new_cases_of_a_pinned_suite_fail_no_gate_and_are_listed(project, pin):
    configure(pin)
    code, said = run("run", "builtin", "--report", "json:run.json", "--report", "markdown:run.md")
    listed = NEW.format("1 passed, 1 failed", "H.new, H.newer")
    assert (code, listed in said) == (0, True), said
    assert listed in words(Path("run.md").read_text(encoding="utf-8")).replace("\\", "")
    report = read_run(Path("run.json").read_bytes())
    assert report.gate is not None
    assert (report.gate.editions, report.gate.failing, report.compliant) == ({"house": "2026.11"}, [], False)


def test_nor_do_they_fail_the_tests_of_a_project(project):
    code, said = session()
    assert code == pytest.ExitCode.OK
    assert "datc: 1 answered, 2 new in this edition, not gated" in said
    assert re.search("XFAIL house::H.new - failed: .*; new in this edition, not gated", said)


def test_without_a_pin_or_in_the_pinned_edition_they_fail(project):
    configure("")
    assert run("run", "builtin")[0] == 1
    edition("2026.12", old=("Picardy", ""), new=("Burgundy", "2026.12"))
    configure(PIN)
    assert run("run", "builtin")[0] == 1, "a case of the pinned edition"
    assert session()[0] == pytest.ExitCode.TESTS_FAILED
    edition("2026.12", **LATER)
    configure(PIN.replace("2026.11", "2026.12"))
    assert run("run", "builtin")[0] == 1


def test_a_run_of_new_cases_alone_passes_no_gate(project):
    code, said = run("run", "builtin", "--select", "H.newer")
    assert (code, "Only cases are asked that the pinned edition does not have: that passes no run." in said) == (
        1,
        True,
    )
    code, said = session("--datc-select=H.newer")
    assert (code, "datc: Only cases are asked that the pinned edition does not have" in said) == (1, True)


def test_a_baseline_takes_a_whole_edition_over_and_not_a_part_of_it(project):
    configure("[run]\nbaseline = 'datc-baseline.json'\n")
    assert run("baseline", "update", "builtin", "--select", "H.old")[0] == 0
    assert NEW.format("1 passed, 1 failed", "H.new, H.newer") in run("run", "builtin")[1]
    assert run("baseline", "update", "builtin")[0] == 0
    (suite,) = json.loads(Path("datc-baseline.json").read_bytes())["suites"]
    assert (suite["suite"], suite["edition"], suite["cases"], len(suite["digest"])) == ("house", "2026.12", 3, 16)
    code, said = run("run", "builtin")
    assert (code, "New in this edition" in said) == (0, False), "its failure was known"
    edition("2026.12", **{**LATER, "newer": ("Picardy", "2026.12")})
    code, said = run("run", "builtin")
    assert (code, "The cases of house 2026.12 are not those of the baseline." in said) == (1, True), said


def test_a_pin_to_what_there_is_not_is_wrong(project):
    later = "[run.editions] pins house to 2027.01, which is later than the 2026.12 that is here"
    for pin, said in (("2026.1", "an edition in [run.editions] is a date, such as"), ("2027.01", later)):
        configure(f"[run.editions]\nhouse = '{pin}'\n")
        code, message = run("run", "builtin")
        assert (code, said in message) == (2, True), message
    assert session()[0] == pytest.ExitCode.USAGE_ERROR


def test_a_case_is_of_no_later_edition_than_its_suite(project):
    edition("2026.11", **LATER)
    with pytest.raises(SuiteError, match="since: it is later than the edition '2026.11' of suite.toml"):
        _ = read_suite(Path("house"))


def test_the_digest_is_of_what_is_asked_and_expected(project):
    old, new, _ = (table_of("house/H.toml", f"H.{case}") for case in LATER)
    assert digest_of([old, new]) == digest_of([new, msgspec.structs.replace(old, title="Another", remark="Why")])
    assert digest_of([old]) != digest_of([msgspec.structs.replace(old, year=1902)])
