"""The report as TAP version 14, the Test Anything Protocol, with a YAML block of what is known of each case."""

from __future__ import annotations

import json
from collections.abc import Iterator

from .report import CaseData, Report, statement
from .text import one_line, printable_report
from .wording import describe_case, engine_name, restart_lines


def render_tap(report: Report) -> bytes:
    """Render a report as TAP in UTF-8.

    A declared deviation is a test that is `not ok # TODO`, which is no failure, as in JUnit; what an engine
    does not support is skipped. A run that did not finish bails out, which no reader takes for a success.
    """
    return "".join(f"{line}\n" for line in _lines(printable_report(report))).encode()


def _lines(report: Report) -> Iterator[str]:
    yield "TAP version 14"
    yield f"1..{len(report.cases)}" + ("" if report.cases else " # SKIP no case was run")
    yield f"# {one_line(engine_name(report.engine))}, ruleset {one_line(report.ruleset.name)}"
    yield f"# {one_line(statement(report))}"
    yield from (f"# {one_line(line)}" for line in restart_lines(report.restarts))
    for number, case in enumerate(report.cases, start=1):
        yield from _test(number, case)
    if not report.complete:
        yield f"Bail out! {one_line(report.incomplete_reason)}"


def _test(number: int, case: CaseData) -> Iterator[str]:
    found = "ok" if case.verdict in ("passed", "unsupported") else "not ok"
    yield f"{found} {number} - {_escape(f'{case.id} {case.title}')}{_directive(case)}"
    if case.verdict != "passed" or case.notes:
        yield "  ---"
        yield f"  verdict: {case.verdict}"
        if case.file:
            yield f"  at: {_quote(f'{case.file}:{case.line}')}"
        yield "  details:"
        yield from (f"    - {_quote(line)}" for line in describe_case(case))
        yield "  ..."


def _directive(case: CaseData) -> str:
    if case.verdict == "declared":
        return f" # TODO {_escape(case.reason)}"
    if case.verdict == "unsupported":
        return f" # SKIP {_escape(case.reason)}"
    return ""


def _escape(text: str) -> str:
    """Make a text fit for a description: on one line, with no directive of its own."""
    return one_line(text).replace("\\", "\\\\").replace("#", "\\#")


def _quote(text: str) -> str:
    """Quote a text for YAML as for JSON; what YAML takes for the end of a line is a blank."""
    return json.dumps(" ".join(text.splitlines()), ensure_ascii=False)
