"""The report as SARIF 2.1.0, which code scanning reads: a result for each case that fails the run.

A result points at a file of the author, the config or a case of an own suite: those of the project are not theirs.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

from .gate import SEVERITIES, failing_cases, is_success, place_of
from .report import CaseData, Report, by_verdict, counted
from .text import indented_json, printable_struct
from .wording import statement

_Json: TypeAlias = "dict[str, object]"

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render_sarif(report: Report) -> bytes:
    """Render a report as SARIF in UTF-8. Each case that has a result of its own is a rule."""
    report = printable_struct(report)
    failing = failing_cases(report)
    fail = by_verdict(case for case in report.cases if case.key in failing)
    rules: dict[str, _Json] = {}
    results: list[_Json] = []
    for verdict, level in SEVERITIES.items():
        for case in fail[verdict]:
            about = f"{case.suite} {case.id}: {case.title}"
            depends = f"It depends on {', '.join(case.issues)}." if case.issues else "It depends on no issue."
            advice = f"Read section {case.id} of {case.suite}. {depends}"
            said = [f"{case.id} {case.title}: {failing[case.key]}", *filter(None, [case.reason]), *case.differences]
            properties: _Json = {"verdict": verdict, "deviations": case.deviations}
            rules[case.key] = _rule(case.key, about, f"{about}. {depends}", advice, dict.fromkeys(case.issues))
            results.append(_result(report, case, [*rules].index(case.key), level, "\n".join(said), properties))
    for verdict in ("unsupported", "not-run") if report.complete else ():
        if cases := fail[verdict]:
            said = f"{counted(len(cases), 'case')} {verdict}: {', '.join(case.id for case in cases)}"
            about = f"Cases that are {verdict}"
            advice = "They fail the run unless datc.toml or --fail-on says otherwise."
            result = _result(report, cases[0], len(rules), "warning", said, {"verdict": verdict})
            results.append({**result, "ruleId": verdict, "partialFingerprints": {"case/v1": verdict}})
            rules[verdict] = _rule(verdict, about, f"{about}: the engine gave no answer to them.", advice, ())
    invocation: _Json = {"executionSuccessful": report.complete}
    if not report.complete:
        trouble = {"level": "error", "message": _message(statement(report))}
        invocation["toolExecutionNotifications"] = [trouble]
    run = {
        "tool": {
            "driver": {"name": report.harness.name, "version": report.harness.version, "rules": [*rules.values()]}
        },
        "invocations": [invocation],
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
    return indented_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule_id: str, about: str, in_full: str, advice: str, issues: Iterable[str]) -> _Json:
    return {
        "id": rule_id,
        "shortDescription": _message(about),
        "fullDescription": _message(in_full),
        "help": _message(advice),
        "properties": {"tags": ["diplomacy", *issues]},
    }


def _result(report: Report, case: CaseData, rule: int, level: str, said: str, properties: _Json) -> _Json:
    """Write the result of a case; `rule` is the place of its rule."""
    location: _Json = {"logicalLocations": [{"fullyQualifiedName": case.key, "kind": "member"}]}
    if (place := place_of(report, case)) is not None:
        path = Path(place[0])
        uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
        region = {"startLine": max(place[1], 1)}
        location = {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}, **location}
    return {
        "ruleId": case.key,
        "ruleIndex": rule,
        "level": level,
        "message": _message(said),
        "locations": [location],
        "partialFingerprints": {"case/v1": case.key},
        "properties": properties,
    }


def _message(text: str) -> _Json:
    """Make a message of a text: its braces are no placeholders (3.11.5) and its brackets no links (3.11.6)."""
    return {"text": text.replace("{", "{{").replace("}", "}}").replace("](", "] (") or "-"}
