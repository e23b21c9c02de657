"""The report for test tools: as JUnit XML, and as TAP version 14 with a YAML block of what is known of each case."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from typing import cast

from .gate import failing_cases, gate_sentences, place_of
from .report import CaseData, Report, engine_name
from .text import one_line, printable_struct
from .wording import describe_case, describe_phase, restart_lines, statement


def render_junit(report: Report) -> bytes:
    """Render a report as JUnit XML in UTF-8, with a test suite for each section.

    A test fails where its case fails the run, and is skipped where the case did not pass and does not fail the run.
    A run that did not finish has one more test, in error, so that what it left out does not look like a success.
    """
    report = printable_struct(report)
    root = ET.Element("testsuites", {"name": report.harness.name})
    if not report.complete:
        test = ET.Element("testcase", {"classname": report.harness.name, "name": "The run finishes", "time": _time(0)})
        _ = ET.SubElement(test, "error", {"type": "not-finished", "message": report.incomplete_reason})
        root.append(_suite(report, report.harness.name, [test], report.seconds))
    sections: dict[tuple[str, str], list[CaseData]] = {}
    for case in report.cases:
        sections.setdefault((case.suite, case.section), []).append(case)
    failing = failing_cases(report)
    for (suite, section), cases in sections.items():
        tests = [_test(case, failing.get(case.key)) for case in cases]
        root.append(_suite(report, f"{suite} {section}", tests, sum(case.seconds for case in cases)))
    _count(root, report.seconds)
    ET.indent(root)
    return cast("bytes", ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _suite(report: Report, name: str, tests: list[ET.Element], seconds: float) -> ET.Element:
    suite = ET.Element("testsuite", {"name": name})
    properties = ET.SubElement(suite, "properties")
    for key, value in (
        ("engine", report.engine.name),
        ("engine-version", report.engine.version),
        ("ruleset", report.ruleset.name),
        ("complete", "true" if report.complete else "false"),
    ):
        _ = ET.SubElement(properties, "property", {"name": key, "value": value})
    suite.extend(tests)
    _count(suite, seconds)
    return suite


def _count(element: ET.Element, seconds: float) -> None:
    tests = [*element.iter("testcase")]
    outcomes = Counter(child.tag for test in tests for child in test)
    element.set("tests", str(len(tests)))
    for outcome, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        element.set(attribute, str(outcomes[outcome]))
    element.set("time", _time(seconds))


def _test(case: CaseData, why: str | None) -> ET.Element:
    """Write the test of a case; `why` says why it fails the run, if it does."""
    # The only dot is that between suite and section: programs that show JUnit files split class names at dots.
    suite, section = (name.replace(".", "_") for name in (case.suite, case.section))
    names = {"classname": f"{suite}.{section}", "name": f"{case.id} {case.title}"}
    test = ET.Element("testcase", {**names, "time": _time(case.seconds)})
    if why is not None or case.verdict != "passed":
        failure = "error" if case.verdict in ("error", "not-run") else "failure"
        attributes = {"type": case.verdict, "message": case.reason or why or ""}
        found = ET.SubElement(test, "skipped" if why is None else failure, attributes)
        if case.verdict in ("failed", "deviated"):
            found.text = "\n".join(line for phase in case.phases for line in describe_phase(phase))
        elif case.log:
            found.text = "\n".join(case.log)
    return test


def _time(seconds: float) -> str:
    return f"{seconds:.3f}"


_SKIPPED = ("unsupported", "not-run")


def render_tap(report: Report) -> bytes:
    """Render a report as TAP in UTF-8.

    A test fails where its case fails the run. Otherwise a case that did not pass is `not ok # TODO`, which is no
    failure, or skipped where the engine gave no answer. A run that did not finish bails out, which no reader takes for
    a success.
    """
    report = printable_struct(report)
    lines = ["TAP version 14", f"1..{len(report.cases)}" + ("" if report.cases else " # SKIP no case was run")]
    lines.append(f"# {one_line(engine_name(report.engine))}, ruleset {one_line(report.ruleset.name)}")
    said = (statement(report), *gate_sentences(report), *restart_lines(report.restarts))
    lines += [f"# {one_line(line)}" for line in said]
    failing = failing_cases(report)
    for number, case in enumerate(report.cases, start=1):
        lines += _tap_lines(number, case, place_of(report, case), fails=case.key in failing)
    if not report.complete:
        lines.append(f"Bail out! {one_line(report.incomplete_reason)}")
    return "".join(f"{line}\n" for line in lines).encode()


def _tap_lines(number: int, case: CaseData, place: tuple[str, int] | None, *, fails: bool) -> Iterator[str]:
    found = "ok" if not fails and case.verdict in ("passed", *_SKIPPED) else "not ok"
    no_failure = ""
    if not fails and case.verdict != "passed":
        no_failure = f" # {'SKIP' if case.verdict in _SKIPPED else 'TODO'} {_escape(case.reason)}"
    yield f"{found} {number} - {_escape(f'{case.id} {case.title}')}{no_failure}"
    if case.verdict != "passed" or case.notes:
        yield "  ---"
        yield f"  verdict: {case.verdict}"
        if place is not None:
            yield f"  at: {_quote(f'{place[0]}:{place[1]}')}"
        yield "  details:"
        yield from (f"    - {_quote(line)}" for line in describe_case(case))
        yield "  ..."


def _escape(text: str) -> str:
    """Make a text fit for a description: on one line, with no directive of its own."""
    return one_line(text).replace("\\", "\\\\").replace("#", "\\#")


def _quote(text: str) -> str:
    """Quote a text for YAML as for JSON; what YAML takes for the end of a line is a blank."""
    return json.dumps(" ".join(text.splitlines()), ensure_ascii=False)
