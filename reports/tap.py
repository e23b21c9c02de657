"""The report as TAP version 14, the Test Anything Protocol, with a YAML block of what is known of each case."""

from __future__ import annotations

import json
from collections.abc import Iterator

from .gate import failing_cases, gate_sentences, place_of
from .report import CaseData, Report, engine_name, statement
from .text import one_line, printable_report
from .wording import describe_case, restart_lines

_SKIPPED = ("unsupported", "not-run")


def render_tap(report: Report) -> bytes:
    """Render a report as TAP in UTF-8.

    A test fails where its case fails the run. Otherwise a case that did not pass is `not ok # TODO`, which is no
    failure, or skipped where the engine gave no answer. A run that did not finish bails out, which no reader takes for
    a success.
    """
    return "".join(f"{line}\n" for line in _lines(printable_report(report))).encode()


def _lines(report: Report) -> Iterator[str]:
    yield "TAP version 14"
    yield f"1..{len(report.cases)}" + ("" if report.cases else " # SKIP no case was run")
    yield f"# {one_line(engine_name(report.engine))}, ruleset {one_line(report.ruleset.name)}"
    yield f"# {one_line(statement(report))}"
    yield from (f"# {one_line(line)}" for line in (*gate_sentences(report), *restart_lines(report.restarts)))
    failing = failing_cases(report)
    for number, case in enumerate(report.cases, start=1):
        yield from _test(number, case, place_of(report, case), failing.get(case.key))
    if not report.complete:
        yield f"Bail out! {one_line(report.incomplete_reason)}"


def _test(number: int, case: CaseData, place: tuple[str, int] | None, why: str | None) -> Iterator[str]:
    """Write the test of a case; `why` says why it fails the run, if it does."""
    fails = why is not None
    found = "ok" if not fails and case.verdict in ("passed", *_SKIPPED) else "not ok"
    yield f"{found} {number} - {_escape(f'{case.id} {case.title}')}{'' if fails else _directive(case)}"
    if case.verdict != "passed" or case.notes:
        yield "  ---"
        yield f"  verdict: {case.verdict}"
        if place is not None:
            yield f"  at: {_quote(f'{place[0]}:{place[1]}')}"
        yield "  details:"
        yield from (f"    - {_quote(line)}" for line in describe_case(case))
        yield "  ..."


def _directive(case: CaseData) -> str:
    """Say why a test is no failure though its case did not pass."""
    if case.verdict == "passed":
        return ""
    return f" # {'SKIP' if case.verdict in _SKIPPED else 'TODO'} {_escape(case.reason)}"


def _escape(text: str) -> str:
    """Make a text fit for a description: on one line, with no directive of its own."""
    return one_line(text).replace("\\", "\\\\").replace("#", "\\#")


def _quote(text: str) -> str:
    """Quote a text for YAML as for JSON; what YAML takes for the end of a line is a blank."""
    return json.dumps(" ".join(text.splitlines()), ensure_ascii=False)
