"""The report on a terminal; and what every format for people shows of a run, of restarts and of logs."""

import io
import re

import msgspec
import pytest
from msgspec.structs import replace
from rich.console import Console

from datc.reports import CaseData, OrderData, Report, RunFinished, read_run
from datc.reports.html import render_html
from datc.reports.json_report import render_json
from datc.reports.junit import render_junit, render_tap
from datc.reports.markdown import render_markdown
from datc.reports.report import FactData, RestartData, Verdict, statement
from datc.reports.terminal import TerminalOutput, case_text
from datc.reports.text import shortened
from datc.reports.wording import claim

from .samples import case, every_verdict, phase, report


def shown(run: Report, *, verbose: bool = False, width: int = 80) -> str:
    """Return what the terminal shows of a report."""
    console = Console(width=width, file=io.StringIO())
    TerminalOutput(console, Console(file=io.StringIO()), verbose=verbose).handle(RunFinished(run))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_cases_without_an_answer_share_a_line_for_each_reason():
    cases = [case(number, "unsupported") for number in range(1, 31)]
    cases += [replace(case(31, "unsupported"), reason="another reason")]
    cases += [case(32, "not-run"), case(33, "declared"), case(34, "declared")]
    lines = shown(report(cases)).splitlines()
    assert len(lines) < 20
    assert "unsupported: it is unsupported (30 cases): 6.F.1 to 6.F.30" in lines
    assert "unsupported: another reason: 6.F.31" in lines
    assert "not-run: it is not-run: 6.F.32" in lines
    assert "declared: it is declared (2 cases): 6.F.33, 6.F.34" in lines


def test_of_equal_reasons_the_first_case_is_shown_in_full():
    cases = [case(number, "error" if number < 4 else "deviated") for number in range(1, 7)]
    text = shown(report(cases))
    assert text.count("Movement phase, spring 1901") == 2
    assert "6.F.1 A case that is error: error\n" in text
    assert "also error: it is error (2 cases): 6.F.2, 6.F.3\n" in text
    assert "also deviated: it is deviated (2 cases): 6.F.5, 6.F.6\n" in text


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


def said(name: str, report: Report) -> str:
    return re.sub(r"<[^>]*>", "", RENDERERS[name](report).decode()).replace("`", "")


@pytest.mark.parametrize("name", ["terminal", "html", "markdown", "tap"])
def test_five_restarts_are_shown_and_the_others_counted(name: str, every_verdict: Report, passing: Report) -> None:
    text = said(name, every_verdict)
    assert "The process of the engine broke down 7 times:" in text
    assert [number for number in range(1, 8) if f"6.F.{number}: broke on 6.F.{number}\n" in text] == [1, 2, 3, 4, 5]
    assert "and 2 more\n" in text
    assert "broke down" not in said(name, passing)


@pytest.mark.parametrize("name", RENDERERS)
def test_an_error_shows_what_the_engine_logged(name: str) -> None:
    error = replace(case(1, "error"), log=["ParadoxException", "    at Board.java:7"])
    assert "at Board.java:7" in said(name, report([error]))


@pytest.mark.parametrize("name", ["terminal", "html"])
def test_an_engine_that_did_not_start_shows_its_log(name: str, every_verdict: Report) -> None:
    trouble = RestartData(cases=[], reason="ended with exit code 1", log=["no such class"])
    assert "no such class" in said(name, replace(every_verdict, restarts=[trouble]))


def test_of_a_long_log_the_middle_is_left_out() -> None:
    lines = [str(number) for number in range(100)]
    assert shortened(lines, 5) == ["0", "1", "… 95 more lines …", "97", "98", "99"]
    assert shortened(lines[:5], 5) == lines[:5]


def with_board(number: int, verdict: Verdict, board: Verdict) -> CaseData:
    return replace(case(number, verdict), board_verdict=board)


PASSED = with_board(1, "passed", "passed")
ALL_RIGHT = [with_board(number, "failed", "passed") for number in range(2, 6)]
SOME_RIGHT = [with_board(6, "deviated", "passed"), with_board(7, "deviated", "deviated")]


@pytest.mark.parametrize(
    ("cases", "counts"),
    [
        ([PASSED, *ALL_RIGHT], "1 passed, 4 failed (the board is right in all 4)"),
        ([PASSED, *SOME_RIGHT], "1 passed, 2 deviated (the board is right in 1)"),
        ([PASSED, ALL_RIGHT[0]], "1 passed, 1 failed (the board is right)"),
        ([PASSED, SOME_RIGHT[1]], "1 passed, 1 deviated"),
        ([with_board(1, "declared", "passed"), SOME_RIGHT[1]], "1 deviated, 1 declared"),
    ],
)
def test_it_says_in_how_many_the_board_is_right(cases, counts):
    found = report(cases)
    assert statement(found) == f"Not compliant with datc-3.2: {counts}."
    assert f"{len(cases)} cases: {counts}  (" in shown(found, width=200)


def test_the_claim_says_it_too():
    detail = claim(report([PASSED, *ALL_RIGHT, *SOME_RIGHT])).detail
    assert detail == (
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


@pytest.mark.parametrize("name", RENDERERS)
def test_every_format_for_people_says_why_the_expected_outcome_is_right(name: str) -> None:
    assert "A London moves to Belgium: path: F North Sea." in said(name, report([case(1, "failed")]))
