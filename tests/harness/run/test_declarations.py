"""What a declaration covers: a table of declarations and answers, with the verdict and the exit code of a run."""

import json
import re

import pytest

from datc.harness.config.config import read_config
from datc.harness.run.gate import Gate
from datc.reports import read_run

from ..cli.running import COMMAND, engine_of, invoke, words

CASE = "6.F.17"
"""Right under 1971, 1982 and 2000, and under other choices for the same issue with another answer."""
MOVEMENT = {"protocol": 1, "engine": {"name": "mine"}, "capabilities": {"phases": ["movement"]}}
CAN = f"{{'result': {MOVEMENT}}} if starts else "
HOLDS = "{'result': {'units': asked['params']['units'], 'dislodged': []}}"
LOSES = HOLDS.replace("'units'], ", "'units'][1:], ")
IS_CASE = "any('Yorkshire' in order['text'] for order in asked['params']['orders'])"
ANSWERS = {
    "right": "",
    "1982": "--choice 4.A.2=1982",
    "all-hold": "--choice 4.A.2=all-hold",
    "wrong": f"({CAN}{LOSES} if {IS_CASE} else {HOLDS})",
    "unsupported": f"({CAN}{{'error': {{'code': -32004, 'message': 'no convoys'}}}} if {IS_CASE} else {HOLDS})",
    "crash": f"({CAN}sys.exit() if {IS_CASE} else {HOLDS})",
}
TEXT = '"as we play"'
AS_1982 = '{ why = "as we play", choices = { "4.A.2" = "1982" } }'
BUT = "declared as 4.A.2 = 1982, but "
BY_PATTERN = "declared only by a pattern without choices"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


def run_declared(folder, declared, answers, *options, select=f"6.A.1,{CASE}"):
    """Run cases with a declaration, of an engine with some answers; return the exit code, the output and the case."""
    (folder / "datc.toml").write_text(f"[deviations]\n{declared}\n", "utf-8")
    expression = ANSWERS[answers]
    own = expression.startswith("(")
    engine = engine_of(folder, expression) if own else f"exec:{COMMAND} engine {expression} --fixed"
    report = ("--report", "json:run.json", "--no-experiments", "--select", select)
    done = invoke("run", engine, *report, *options)
    cases = json.loads((folder / "run.json").read_text("utf-8"))["cases"]
    return done, next(case for case in cases if case["id"] == CASE)


@pytest.mark.parametrize(
    ("name", "value", "answers", "verdict", "reason", "code", "strict"),
    [
        (CASE, TEXT, "right", "passed", "", 0, 1),
        (CASE, TEXT, "1982", "declared", "as we play", 0, 0),
        (CASE, TEXT, "all-hold", "declared", "as we play", 0, 0),
        (CASE, TEXT, "wrong", "declared", "as we play", 0, 0),
        (CASE, TEXT, "unsupported", "declared", "as we play", 0, 0),
        (CASE, TEXT, "crash", "error", "ended with exit code 0", 1, 1),
        (CASE, AS_1982, "right", "passed", "", 0, 1),
        (CASE, AS_1982, "1982", "declared", "as we play", 0, 0),
        (CASE, AS_1982, "all-hold", "deviated", f"{BUT}right under 4.A.2 = all-hold", 1, 1),
        (CASE, AS_1982, "wrong", "failed", f"{BUT}wrong under every rule choice", 1, 1),
        (CASE, AS_1982, "unsupported", "unsupported", f"{BUT}not every phase was answered: the engine", 1, 1),
        (CASE, AS_1982, "crash", "error", "ended with exit code 0", 1, 1),
        ("6.F.*", TEXT, "right", "passed", "", 0, 1),
        ("6.F.*", TEXT, "1982", "declared", "as we play", 0, 1),
        ("6.F.*", TEXT, "wrong", "declared", "as we play", 0, 1),
        ("6.F.*", TEXT, "unsupported", "declared", "as we play", 0, 1),
        ("6.F.*", TEXT, "crash", "error", "ended with exit code 0", 1, 1),
        ("6.F.*", AS_1982, "right", "passed", "", 0, 1),
        ("6.F.*", AS_1982, "1982", "declared", "as we play", 0, 0),
        ("6.F.*", AS_1982, "all-hold", "deviated", f"{BUT}right under 4.A.2 = all-hold", 1, 1),
        ("6.F.*", AS_1982, "wrong", "failed", f"{BUT}wrong under every rule choice", 1, 1),
        ("6.F.*", AS_1982, "unsupported", "unsupported", f"{BUT}not every phase was answered: the engine", 1, 1),
    ],
)
def test_a_declaration_covers_what_it_stands_for(tmp_path, name, value, answers, verdict, reason, code, strict):
    done, case = run_declared(tmp_path, f'"{name}" = {value}', answers)
    assert (case["verdict"], case["reason"][: len(reason)]) == (verdict, reason)
    assert done.exit_code == code, done.output
    report, (config, _) = read_run((tmp_path / "run.json").read_bytes()), read_config(tmp_path / "datc.toml")
    gate = Gate(strict=True).applied(report, config.deviations).gate
    assert gate is not None
    assert bool(gate.failing) == bool(strict)
    assert invoke("report", "run.json", "--verify").exit_code == 0


def test_an_id_goes_before_a_pattern_that_would_cover_any_answer(tmp_path):
    both = f'"6.F.*" = "later"\n"{CASE}" = {AS_1982}'
    assert run_declared(tmp_path, both, "all-hold")[1]["verdict"] == "deviated"


def test_a_declaration_that_covers_nothing_fails_a_strict_run_that_fails_on_less(tmp_path):
    declared = f'"{CASE}" = {AS_1982}'
    assert run_declared(tmp_path, declared, "all-hold", "--fail-on", "error")[0].exit_code == 0
    done, _ = run_declared(tmp_path, declared, "all-hold", "--fail-on", "error", "--strict")
    assert (done.exit_code, "declared as a deviation, but deviated" in words(done.stderr)) == (1, True)
    done, _ = run_declared(tmp_path, f'"6.F.*" = {AS_1982}', "right", "--strict")
    assert '"6.F.*" of [deviations] covers no case any more' in words(done.stderr)


def test_a_run_names_what_a_pattern_without_choices_covers_and_says_what_to_write(tmp_path):
    select = "6.A.1,6.F.16,6.F.17,6.F.18"
    done, _ = run_declared(tmp_path, '"6.F.*" = "later"', "1982", select=select)
    assert done.exit_code == 0
    covers = "A pattern of [deviations] without choices covers 6.F.16, 6.F.17, 6.F.18, whatever"
    assert words(done.stderr).count(covers) == 1
    line = next(line for line in done.stderr.splitlines() if line.startswith('"'))
    assert line == '"6.F.17" = { why = "…", choices = { "4.A.2" = "1971" } }'
    done, case = run_declared(tmp_path, line, "1982", "--strict", select=f"6.A.1,{CASE}")
    assert (done.exit_code, case["verdict"], done.stderr.count("covers")) == (0, "declared", 0)
    done, _ = run_declared(tmp_path, '"6.F.*" = "later"', "wrong")
    assert done.stderr.splitlines()[-1] == '"6.F.17" = "…"'


def test_a_run_in_which_a_pattern_without_choices_covers_all_fails_in_every_format_and_when_it_is_read_again(tmp_path):
    reports = ["--report", "github:annotations", "--report", "sarif:run.sarif", "--report", "junit:junit.xml"]
    done, _ = run_declared(tmp_path, '"*" = "later"', "1982", *reports, select=CASE)
    assert (done.exit_code, BY_PATTERN in words(done.stderr)) == (1, True)
    assert "Only a pattern of [deviations] lets these cases pass" in words(done.stderr)
    assert invoke("report", "run.json").exit_code == 1
    assert all(BY_PATTERN in (tmp_path / name).read_text("utf-8") for name in ("annotations", "run.sarif"))
    assert 'failures="1"' in (tmp_path / "junit.xml").read_text("utf-8")


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (f'"{CASE}" = {{ why = "so", choices = {{ "4.A.2" = "1983" }} }}', "issue 4.A.2 has no choice '1983'"),
        (f'"{CASE}" = {{ why = "so", choices = {{ "4.A.22" = "1982" }} }}', "there is no issue '4.A.22'"),
        (f'"{CASE}" = {{ why = "so", choices = {{}} }}', "A declaration is a text, or { why ="),
        (f'"{CASE}" = {{ why = "so" }}', "A declaration is a text, or { why ="),
        (f'"{CASE}" = {{ why = "so", choices = {{ 4.A.2 = "1982" }} }}', 'in quotes, "4.A.1"'),
        (f'{CASE} = "so"', 'in quotes, "4.A.1"'),
    ],
)
def test_what_is_wrong_with_a_declaration_is_said(tmp_path, declared, said):
    (tmp_path / "datc.toml").write_text(f"[deviations]\n{declared}\n", "utf-8")
    done = invoke("run", "builtin", "--select", CASE)
    assert (done.exit_code, "datc.toml: " in done.stderr) == (2, True)
    assert said in words(done.stderr)


def test_a_run_with_most_cases_declared_is_called_compliant_nowhere_and_says_why(tmp_path):
    formats = ("badge", "html", "markdown", "tap", "github")
    options = [word for name in formats for word in ("--report", f"{name}:{name}")]
    declared = f'"{CASE}" = {TEXT}\n"6.F.18" = {AS_1982}'
    done, _ = run_declared(tmp_path, declared, "1982", *options, select=f"{CASE},6.F.18")
    said = "0 passed, 2 declared"
    assert done.exit_code == 0
    assert f"2 cases: {said}" in done.stdout
    assert f"Not compliant with datc-3.2: {said}; at most 1 may be declared." in done.stdout
    texts = {name: words((tmp_path / name).read_text("utf-8")) for name in formats}
    assert f"DATC 3.2: {said}" in texts["badge"]
    assert "0 of 2 cases pass and 2 are declared; at most 1 may be declared." in texts["html"]
    assert all(f"{said}; at most 1 may be declared" in texts[name] for name in ("markdown", "tap", "github"))
    assert not any(re.search(r"(?<!not )(?<!DATC 3\.2 )compliant(?! with `?datc)", text) for text in texts.values())
