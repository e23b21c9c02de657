"""What was found as JSON, the contract for other programs."""

from __future__ import annotations

import msgspec

from .comparison import Comparison
from .report import FORMAT, Report
from .text import indented_json, printable_struct


def render_json(found: msgspec.Struct) -> bytes:
    """Render a report, an inference or a rules page as indented JSON in UTF-8."""
    return indented_json(printable_struct(found))


def render_comparison_json(comparison: Comparison) -> bytes:
    """Render what several runs show of their engines. Engines go by their place in `engines`, from 0 on."""
    reports = comparison.reports
    return indented_json(
        {
            "format": 1,
            "type": "comparison",
            "engines": [report.engine for report in reports],
            "rulesets": [report.ruleset.name for report in reports],
            "complete": [report.complete for report in reports],
            "restarts": [report.restarts for report in reports],
            "answered": [comparison.answered(place) for place in range(len(reports))],
            "agreements": [
                {"engines": pair, "alike": found.alike, "both": found.both}
                for pair, found in comparison.agreements.items()
            ],
            "groups": comparison.groups,
            "issues": {
                each.issue: [found.choices if found is not None else () for found in each.inferred]
                for each in comparison.issues
            },
            "contradictions": comparison.contradictions,
            "cases": [
                {
                    "case": case.key,
                    "kind": case.kind,
                    "verdicts": case.verdicts,
                    "groups": case.groups,
                    "silent": case.unanswered,
                    "odd_one_out": case.odd_one_out,
                }
                for case in comparison.cases
            ],
        }
    )


def report_schema() -> dict[str, object]:
    """Make the JSON Schema of a report."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:datc-check:schema:report:{FORMAT}",
        "title": f"datc-check report {FORMAT}",
        **msgspec.json.schema(Report),
    }
