"""What a run says of itself in a line: how many cases did not pass, and in how many of them the board is right."""

import io

import msgspec
import pytest
from rich.console import Console

from datc.reports import CaseData, RunFinished, read_run
from datc.reports.html import render_html
from datc.reports.json_report import render_json
from datc.reports.junit import render_junit, render_tap
from datc.reports.markdown import render_markdown
from datc.reports.report import FactData, Verdict, statement
from datc.reports.terminal import TerminalOutput
from datc.reports.wording import claim

from .samples import case, every_verdict, report


def with_board(number: int, verdict: Verdict, board: Verdict) -> CaseData:
    return msgspec.structs.replace(case(number, verdict), board_verdict=board)


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
    assert f"{len(cases)} cases: {counts}  (" in shown(found)


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
    wrong = msgspec.structs.replace(wrong, facts=[FactData(kind="unit-missing")])
    after = msgspec.structs.replace(wrong, phase="retreat", facts=[], differences=[])
    text = shown(report([msgspec.structs.replace(failed, phases=[wrong, after])]))
    movement, retreat = text.split("Retreat phase")
    assert "Differs" in movement
    assert "Expected" not in retreat


def shown(found):
    """Return what the terminal shows of a report."""
    file = io.StringIO()
    console = Console(file=file, width=200)
    TerminalOutput(console, console).handle(RunFinished(found))
    return file.getvalue()


@pytest.mark.parametrize("render", [shown, render_html, render_markdown, render_junit, render_tap])
def test_every_format_for_people_says_why_the_expected_outcome_is_right(render):
    found = render(report([case(1, "failed")]))
    text = found if isinstance(found, str) else found.decode()
    assert "A London moves to Belgium: path: F North Sea." in text
