"""The report on a terminal; and what every format for people shows of a run, of restarts and of logs."""

import io

import msgspec
import pytest
from msgspec.structs import replace
from rich.console import Console

from datc.reports import OrderData, Report, RunFinished, read_run
from datc.reports.html import render_html
from datc.reports.json_report import render_json
from datc.reports.junit import render_junit, render_tap
from datc.reports.markdown import render_markdown
from datc.reports.report import FactData, RestartData, Verdict
from datc.reports.terminal import TerminalOutput, case_text
from datc.reports.text import shortened
from datc.reports.wording import claim, statement

from .samples import case, every_verdict, phase, report


def shown(run: Report, *, verbose: bool = False, width: int = 80) -> str:
    """Return what the terminal shows of a report."""
    console = Console(width=width, file=io.StringIO())
    TerminalOutput(console, Console(file=io.StringIO()), verbose=verbose).handle(RunFinished(run))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_cases_share_a_line_for_each_reason_and_the_first_with_a_wrong_answer_is_shown_in_full():
    counts: dict[Verdict, int] = {"unsupported": 30, "not-run": 1, "declared": 2, "error": 3, "deviated": 3}
    verdicts: list[Verdict] = [verdict for verdict, count in counts.items() for _ in range(count)]
    cases = [case(number, verdict) for number, verdict in enumerate(verdicts, start=1)]
    text = shown(report([*cases, replace(case(40, "unsupported"), reason="another reason")]))
    assert text.count("Movement phase, spring 1901") == 2
    assert "6.F.34 A case that is error: error\n" in text
    assert set(text.splitlines()) > {
        "unsupported: it is unsupported (30 cases): 6.F.1 to 6.F.30",
        "unsupported: another reason: 6.F.40",
        "not-run: it is not-run: 6.F.31",
        "declared: it is declared (2 cases): 6.F.32, 6.F.33",
        "also error: it is error (2 cases): 6.F.35, 6.F.36",
        "also deviated: it is deviated (2 cases): 6.F.38, 6.F.39",
    }


def test_the_first_failed_cases_are_shown_in_full_and_all_where_asked():
    run = report([case(number, "failed") for number in range(1, 24)])
    text = shown(run)
    assert text.count("Differs") == 20
    assert "also failed: it is failed (3 cases): 6.F.21 to 6.F.23\n" in text
    assert "3 more cases in full: with -v, --select ID or --report FILE.html\n" in text
    text = shown(run, verbose=True)
    assert text.count("Differs") == 23
    assert "more case" not in text


def test_an_order_is_not_broken_where_no_outcome_is_known():
    order = OrderData(power="RUSSIA", text="Build A Moscow")
    only = replace(phase(answer=None, differences=[]), orders=[order], expected=None)
    assert "Russia  Build A Moscow\n" in case_text(replace(case(1, "error"), phases=[only]), 80)


RENDERERS = {
    "terminal": lambda report: shown(report, width=200).encode(),
    "html": render_html,
    "markdown": render_markdown,
    "tap": render_tap,
    "junit": render_junit,
}


@pytest.mark.parametrize("name", RENDERERS)
def test_it_shows_what_the_engine_logged(name: str) -> None:
    error = replace(case(1, "error"), log=["ParadoxException", "    at Board.java:7"])
    trouble = RestartData(cases=[], reason="ended with exit code 1", log=["no such class"])
    text = RENDERERS[name](replace(report([error]), restarts=[trouble])).decode()
    assert "at Board.java:7" in text
    assert ("no such class" in text) == (name in ("terminal", "html"))


def test_of_a_long_log_the_middle_is_left_out() -> None:
    lines = [str(number) for number in range(100)]
    assert shortened(lines, 5) == ["0", "1", "… 95 more lines …", "97", "98", "99"]
    assert shortened(lines[:5], 5) == lines[:5]


def test_it_says_in_how_many_the_board_is_right():
    words: list[Verdict] = ["passed", "failed", "failed", "failed", "failed", "deviated", "deviated", "declared"]
    cases = [replace(case(number, verdict), board_verdict="passed") for number, verdict in enumerate(words)]
    found = report([*cases[:6], replace(cases[6], board_verdict="deviated"), cases[7]])
    counts = "1 passed, 2 deviated (the board is right in 1), 4 failed (the board is right in all 4), 1 declared"
    assert statement(found) == f"Not compliant with datc-3.2: {counts}."
    assert f"8 cases: {counts}  (" in shown(found, width=200)
    assert claim(replace(found, cases=found.cases[:7])).detail == (
        "1 of 7 cases passes, 2 deviate (the board is right in 1) and 4 fail (the board is right in all 4)."
    )


def test_a_stored_run_that_does_not_know_the_boards_says_nothing_of_them():
    stored = msgspec.json.decode(render_json(every_verdict()))
    for each in stored["cases"]:
        del each["board_verdict"]
    old = read_run(msgspec.json.encode(stored))
    assert {each.board_verdict for each in old.cases} == {None}
    assert old.board_summary == old.summary
    assert "the board" not in statement(old)


def test_the_phase_that_decided_is_shown_also_where_it_is_not_the_last():
    failed = case(1, "failed")
    (wrong,) = failed.phases
    wrong = replace(wrong, facts=[FactData(kind="unit-missing")])
    after = replace(wrong, phase="retreat", facts=[], differences=[])
    text = shown(report([replace(failed, phases=[wrong, after])]))
    movement, retreat = text.split("Retreat phase")
    assert "Differs" in movement
    assert "Expected" not in retreat
