"""What every format shows of the restarts of an engine, and of what it logged: a little, and that there is more."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import StringIO

import msgspec
import pytest
from rich.console import Console

from datc.reports import Report, RunFinished
from datc.reports.html import render_html
from datc.reports.junit import render_junit, render_tap
from datc.reports.markdown import render_markdown
from datc.reports.report import RestartData
from datc.reports.terminal import TerminalOutput
from datc.reports.text import shortened

TAGS = re.compile(r"<[^>]*>")


def render_terminal(report: Report) -> bytes:
    console = Console(file=StringIO(), width=80)
    TerminalOutput(console, Console(file=StringIO())).handle(RunFinished(report))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().encode()


RENDERERS: dict[str, Callable[[Report], bytes]] = {
    "terminal": render_terminal,
    "html": render_html,
    "markdown": render_markdown,
    "tap": render_tap,
}


def said(render: Callable[[Report], bytes], report: Report) -> str:
    return TAGS.sub("", render(report).decode()).replace("`", "")


@pytest.mark.parametrize("render", RENDERERS.values(), ids=RENDERERS)
def test_five_restarts_are_shown_and_the_others_counted(
    render: Callable[[Report], bytes], every_verdict: Report, passing: Report
) -> None:
    shown = said(render, every_verdict)
    assert "The process of the engine broke down 7 times:" in shown
    assert [number for number in range(1, 8) if f"6.F.{number}: broke on 6.F.{number}\n" in shown] == [1, 2, 3, 4, 5]
    assert "and 2 more\n" in shown
    assert "broke down" not in said(render, passing)


@pytest.mark.parametrize("render", [*RENDERERS.values(), render_junit], ids=[*RENDERERS, "junit"])
def test_an_error_shows_what_the_engine_logged(render: Callable[[Report], bytes], every_verdict: Report) -> None:
    cases = [
        msgspec.structs.replace(
            case, log=["ParadoxException", "    at Board.java:7"] if case.verdict == "error" else []
        )
        for case in every_verdict.cases
    ]
    assert "at Board.java:7" in said(render, msgspec.structs.replace(every_verdict, cases=cases))


@pytest.mark.parametrize("render", [render_terminal, render_html])
def test_an_engine_that_did_not_start_shows_its_log(render: Callable[[Report], bytes], every_verdict: Report) -> None:
    trouble = RestartData(cases=[], reason="ended with exit code 1", log=["no such class"])
    assert "no such class" in said(render, msgspec.structs.replace(every_verdict, restarts=[trouble]))


def test_of_a_long_log_the_middle_is_left_out() -> None:
    lines = [str(number) for number in range(100)]
    assert shortened(lines, 5) == ["0", "1", "… 95 more lines …", "97", "98", "99"]
    assert shortened(lines[:5], 5) == lines[:5]
