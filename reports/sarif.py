"""The report as SARIF 2.1.0, which code scanning reads: a result for each case that fails the run.

A result points at a file of the author, the config or a case of an own suite: those of the project are not theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import quote

from .gate import failing_cases, is_success, place_of
from .report import CaseData, Report, Verdict, counted, statement
from .text import indented_json, printable_report
from .wording import differences

_Json: TypeAlias = "dict[str, object]"

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Mapping[Verdict, Literal["error", "warning"]] = {
    "failed": "error",
    "error": "error",
    "deviated": "warning",
    "passed": "warning",
}
"""The cases with a result of their own, the worst first. One that passed fails a run if it is still declared."""
_TOGETHER: Sequence[Verdict] = ("unsupported", "not-run")
"""The cases with one result for all."""


def render_sarif(report: Report) -> bytes:
    """Render a report as SARIF in UTF-8. Each case that has a result of its own is a rule."""
    report = printable_report(report)
    failing = failing_cases(report)
    order = [*_LEVELS]
    own = [case for case in report.cases if case.key in failing and case.verdict in _LEVELS]
    own.sort(key=lambda case: order.index(case.verdict))
    rules = {case.key: _rule(case) for case in own}
    results = [_result(report, case, [*rules].index(case.key), failing[case.key]) for case in own]
    for verdict in _TOGETHER if report.complete else ():
        if cases := [case for case in report.cases if case.key in failing and case.verdict == verdict]:
            results.append(_result_of_several(report, cases, len(rules)))
            rules[verdict] = _rule_of_several(verdict)
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(report, rules)},
                "invocations": [_invocation(report)],
                "columnKind": "unicodeCodePoints",
                "results": results,
                "properties": {
                    "engine": report.engine.name,
                    "engineVersion": report.engine.version,
                    "ruleset": report.ruleset.name,
                    "compliant": report.compliant,
                    "passed": is_success(report),
                },
            }
        ],
    }
    return indented_json(log)


def _driver(report: Report, rules: Mapping[str, _Json]) -> _Json:
    return {"name": report.harness.name, "version": report.harness.version, "rules": [*rules.values()]}


def _rule(case: CaseData) -> _Json:
    about = f"{case.suite} {case.id}: {case.title}"
    depends = f"It depends on {', '.join(case.issues)}." if case.issues else "It depends on no issue."
    return {
        "id": case.key,
        "shortDescription": _message(about),
        "fullDescription": _message(f"{about}. {depends}"),
        "help": _message(f"Read section {case.id} of {case.suite}. {depends}"),
        "properties": {"tags": ["diplomacy", *dict.fromkeys(case.issues)]},
    }


def _rule_of_several(verdict: Verdict) -> _Json:
    about = f"Cases that are {verdict}"
    return {
        "id": verdict,
        "shortDescription": _message(about),
        "fullDescription": _message(f"{about}: the engine gave no answer to them."),
        "help": _message("They fail the run unless datc.toml or --fail-on says otherwise."),
        "properties": {"tags": ["diplomacy"]},
    }


def _result(report: Report, case: CaseData, rule: int, why: str) -> _Json:
    return {
        "ruleId": case.key,
        "ruleIndex": rule,
        "level": _LEVELS[case.verdict],
        "message": _message(_said(case, why)),
        "locations": [_location(report, case)],
        "partialFingerprints": {"case/v1": case.key},
        "properties": {"verdict": case.verdict, "deviations": case.deviations},
    }


def _result_of_several(report: Report, cases: Sequence[CaseData], rule: int) -> _Json:
    verdict = cases[0].verdict
    return {
        "ruleId": verdict,
        "ruleIndex": rule,
        "level": "warning",
        "message": _message(f"{counted(len(cases), 'case')} {verdict}: {', '.join(case.id for case in cases)}"),
        "locations": [_location(report, cases[0])],
        "partialFingerprints": {"case/v1": verdict},
        "properties": {"verdict": verdict},
    }


def _said(case: CaseData, why: str) -> str:
    lines = [f"{case.id} {case.title}: {why}", *filter(None, [case.reason]), *differences(case)]
    return "\n".join(lines)


def _location(report: Report, case: CaseData) -> _Json:
    logical: _Json = {"logicalLocations": [{"fullyQualifiedName": case.key, "kind": "member"}]}
    place = place_of(report, case)
    if place is None:
        return logical
    file, line = place
    physical = {"artifactLocation": {"uri": _uri(file)}, "region": {"startLine": max(line, 1)}}
    return {"physicalLocation": physical, **logical}


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _invocation(report: Report) -> _Json:
    if report.complete:
        return {"executionSuccessful": True}
    trouble = {"level": "error", "message": _message(statement(report))}
    return {"executionSuccessful": False, "toolExecutionNotifications": [trouble]}


def _message(text: str) -> _Json:
    """Make a message of a text: its braces are no placeholders (3.11.5) and its brackets no links (3.11.6)."""
    return {"text": text.replace("{", "{{").replace("}", "}}").replace("](", "] (") or "-"}
