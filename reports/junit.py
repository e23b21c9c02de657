"""The report as JUnit XML, which continuous integration reads."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Literal, TypeAlias, cast

from .gate import failing_cases
from .report import CaseData, Report, Verdict
from .text import printable_report
from .wording import describe_phase

_Outcome: TypeAlias = Literal["failure", "error", "skipped"]

_ERRORS: Collection[Verdict] = ("error", "not-run")
_COUNTS: Mapping[_Outcome, str] = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def render_junit(report: Report) -> bytes:
    """Render a report as JUnit XML in UTF-8, with a test suite for each section.

    A test fails where its case fails the run, and is skipped where the case did not pass and does not fail the run.
    A run that did not finish has one more test, in error, so that what it left out does not look like a success.
    """
    report = printable_report(report)
    suites = list(_suites(report))
    root = ET.Element("testsuites", {"name": report.harness.name})
    root.extend(suites)
    _count(root, suites, report.seconds)
    ET.indent(root)
    return cast("bytes", ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _suites(report: Report) -> Iterator[ET.Element]:
    if not report.complete:
        yield _suite(report, report.harness.name, [_unfinished(report)], report.seconds)
    sections: dict[tuple[str, str], list[CaseData]] = {}
    for case in report.cases:
        sections.setdefault((case.suite, case.section), []).append(case)
    failing = failing_cases(report)
    for (suite, section), cases in sections.items():
        tests = [_test(case, failing.get(case.key)) for case in cases]
        yield _suite(report, f"{suite} {section}", tests, sum(case.seconds for case in cases))


def _suite(report: Report, name: str, tests: list[ET.Element], seconds: float) -> ET.Element:
    suite = ET.Element("testsuite", {"name": name})
    properties = ET.SubElement(suite, "properties")
    for key, value in _properties(report).items():
        _ = ET.SubElement(properties, "property", {"name": key, "value": value})
    suite.extend(tests)
    _count(suite, [suite], seconds)
    return suite


def _properties(report: Report) -> dict[str, str]:
    return {
        "engine": report.engine.name,
        "engine-version": report.engine.version,
        "ruleset": report.ruleset.name,
        "complete": "true" if report.complete else "false",
    }


def _count(element: ET.Element, suites: Iterable[ET.Element], seconds: float) -> None:
    tests = [test for suite in suites for test in suite.iter("testcase")]
    outcomes = Counter(child.tag for test in tests for child in test)
    element.set("tests", str(len(tests)))
    for outcome, attribute in _COUNTS.items():
        element.set(attribute, str(outcomes[outcome]))
    element.set("time", _time(seconds))


def _unfinished(report: Report) -> ET.Element:
    test = ET.Element("testcase", {"classname": report.harness.name, "name": "The run finishes", "time": _time(0)})
    _ = ET.SubElement(test, "error", {"type": "not-finished", "message": report.incomplete_reason})
    return test


def _outcome(case: CaseData, why: str | None) -> _Outcome | None:
    """Return what a case is as a test; `why` says why it fails the run, if it does."""
    if why is not None:
        return "error" if case.verdict in _ERRORS else "failure"
    return None if case.verdict == "passed" else "skipped"


def _test(case: CaseData, why: str | None) -> ET.Element:
    # The only dot is that between suite and section: programs that show JUnit files split class names at dots.
    suite, section = (name.replace(".", "_") for name in (case.suite, case.section))
    names = {"classname": f"{suite}.{section}", "name": f"{case.id} {case.title}"}
    test = ET.Element("testcase", {**names, "time": _time(case.seconds)})
    outcome = _outcome(case, why)
    if outcome is not None:
        found = ET.SubElement(test, outcome, {"type": case.verdict, "message": case.reason or why or ""})
        if case.verdict in ("failed", "deviated"):
            found.text = "\n".join(line for phase in case.phases for line in describe_phase(phase))
        elif case.log:
            found.text = "\n".join(case.log)
    return test


def _time(seconds: float) -> str:
    return f"{seconds:.3f}"
