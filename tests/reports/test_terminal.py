"""The report on a terminal: what is shown in full, and what shares a line."""

from __future__ import annotations

import io

import msgspec
from rich.console import Console

from datc.reports import BoardData, OrderData, PhaseData, Report, RunFinished
from datc.reports.terminal import TerminalOutput, case_text

from .samples import case, report


def shown(run: Report, *, verbose: bool = False) -> str:
    file = io.StringIO()
    console = Console(width=80, file=file)
    TerminalOutput(console, console, verbose=verbose).handle(RunFinished(run))
    return file.getvalue()


def test_cases_without_an_answer_share_a_line_for_each_reason():
    cases = [case(number, "unsupported") for number in range(1, 31)]
    cases += [msgspec.structs.replace(case(31, "unsupported"), reason="another reason")]
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
    only = PhaseData(
        phase="adjustment",
        season="winter",
        year=1901,
        before=BoardData(units=[]),
        centers={},
        orders=[order],
        expected=None,
        answer=None,
    )
    assert "Russia  Build A Moscow\n" in case_text(msgspec.structs.replace(case(1, "error"), phases=[only]), 80)
