"""The report as SARIF 2.1.0, which code scanning reads: a result for each case that the engine got wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import quote

from .report import CaseData, Report, Verdict, statement
from .text import indented_json, printable_report
from .wording import differences

_Json: TypeAlias = "dict[str, object]"

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Mapping[Verdict, Literal["error", "warning"]] = {"failed": "error", "deviated": "warning", "error": "error"}


def render_sarif(report: Report) -> bytes:
    """Render a report as SARIF in UTF-8. Each case that has a result is a rule; the result points at its file."""
    report = printable_report(report)
    found = [case for case in report.cases if case.verdict in _LEVELS]
    rules = list(dict.fromkeys((case.suite, case.id) for case in found))
    index = {rule: number for number, rule in enumerate(rules)}
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(report, found)},
                "invocations": [_invocation(report)],
                "columnKind": "unicodeCodePoints",
                "results": [_result(case, index[case.suite, case.id]) for case in found],
                "properties": {
                    "engine": report.engine.name,
                    "engineVersion": report.engine.version,
                    "ruleset": report.ruleset.name,
                    "compliant": report.compliant,
                },
            }
        ],
    }
    return indented_json(log)


def _driver(report: Report, found: Sequence[CaseData]) -> _Json:
    cases = {(case.suite, case.id): case for case in found}
    return {
        "name": report.harness.name,
        "version": report.harness.version,
        "rules": [_rule(case) for case in cases.values()],
    }


def _rule_id(case: CaseData) -> str:
    return f"{case.suite}/{case.id}"


def _rule(case: CaseData) -> _Json:
    about = f"{case.suite} {case.id}: {case.title}"
    depends = f"It depends on {', '.join(case.issues)}." if case.issues else "It depends on no issue."
    return {
        "id": _rule_id(case),
        "shortDescription": _message(about),
        "fullDescription": _message(f"{about}. {depends}"),
        "help": _message(f"Read section {case.id} of {case.suite}. {depends}"),
        "properties": {"tags": ["diplomacy", *dict.fromkeys(case.issues)]},
    }


def _result(case: CaseData, rule: int) -> _Json:
    return {
        "ruleId": _rule_id(case),
        "ruleIndex": rule,
        "level": _LEVELS[case.verdict],
        "message": _message(_said(case)),
        "locations": [_location(case)],
        "partialFingerprints": {"case/v1": _rule_id(case)},
        "properties": {"verdict": case.verdict, "deviations": case.deviations},
    }


def _said(case: CaseData) -> str:
    lines = [f"{case.id} {case.title}: {case.verdict}", *filter(None, [case.reason]), *differences(case)]
    return "\n".join(lines)


def _location(case: CaseData) -> _Json:
    logical: _Json = {"logicalLocations": [{"fullyQualifiedName": _rule_id(case), "kind": "member"}]}
    if not case.file:
        return logical
    physical = {"artifactLocation": {"uri": _uri(case.file)}, "region": {"startLine": max(case.line, 1)}}
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
