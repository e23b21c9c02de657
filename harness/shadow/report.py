"""What a shadow found as a report: a case for the smallest position of each cause, so that every format shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from ...reference_engine.version import package_version
from ...reports import CaseData, EngineData, HarnessData, Report, RulesetData, SearchData, counted, summarize
from ..fuzzing.grouping import Group, group_findings
from ..fuzzing.report import finding_case
from ..fuzzing.texts import how_tested
from .findings import ShadowFinding
from .shadowing import Counts

_SECTION = "Found by a shadow"


def read_findings(path: Path, start: int = 0) -> list[ShadowFinding]:
    """Read what a store has from byte `start` on; a line that was cut off counts for nothing. Raises `OSError`."""
    return [*_findings(path, start)]


def _findings(path: Path, start: int) -> Iterator[ShadowFinding]:
    with path.open("rb") as file:
        _ = file.seek(start)
        for line in file:
            try:
                yield msgspec.json.decode(line, type=ShadowFinding)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue


def shadow_report(findings: Sequence[ShadowFinding], counts: Counts, names: tuple[str, str], spec: str) -> Report:
    """Make the report of a shadow.

    Args:
        findings: What this run of it found.
        counts: What this run of it counted.
        names: What the engine in use and the new one call themselves.
        spec: The new engine, as it was named on the command line.
    """
    cases = [_case(group, number) for number, group in enumerate(group_findings(findings), 1)]
    disagreements = counts.different + counts.failed
    left_out = counts.dropped + counts.errors + counts.waiting
    return Report(
        harness=HarnessData(name="datc-check", version=package_version()),
        engine=EngineData(spec=spec, name=names[1] or spec),
        ruleset=_only_ruleset(findings),
        complete=not left_out,
        incomplete_reason=f"{counted(left_out, 'request')} could not be compared" if left_out else "",
        compliant=not left_out and not disagreements,
        seconds=0.0,
        summary=summarize(cases),
        cases=cases,
        search=SearchData(
            positions=counts.asked,
            disagreements=disagreements,
            against=names[0] or "the first engine",
        ),
    )


def _only_ruleset(findings: Sequence[ShadowFinding]) -> RulesetData:
    """Return the ruleset of all requests; one without a name and choices if they have different rulesets."""
    rulesets = [finding.params.ruleset for finding in findings]
    if not rulesets or any(ruleset != rulesets[0] for ruleset in rulesets):
        return RulesetData(name="", choices={})
    return RulesetData(name=rulesets[0].name, choices=dict(rulesets[0].choices))


def _case(group: Group, number: int) -> CaseData:
    """Make a case of a cause; without a position that the reference can be asked it has words alone."""
    whose = ("the engine in use: ", "the new engine: ")[group.engine]
    notes = [f"{counted(len(group.findings), 'request')} with this cause", *how_tested(group)]
    if group.smallest is not None:
        return finding_case(group, group.smallest, f"shadow.{number}", whose, notes, _SECTION)
    failed = group.kind == "failure"
    return CaseData(
        id=f"shadow.{number}",
        suite="shadow",
        section="shadow",
        section_title=_SECTION,
        title=f"{whose}{group.label}",
        issues=[],
        verdict="error" if failed else "failed",
        reason=group.label,
        notes=notes,
    )
