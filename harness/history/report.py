"""What a history found, as data, and as JSON, Markdown and a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from ...cases.suite import short_key
from ...reference_engine.errors import printable
from ...reports import VERDICTS, CaseData, EngineData, RulesetData, Verdict
from ...reports.findings import Findings, Line, Part, Table
from ...reports.html import render_page
from ...reports.json_report import render_json
from ...reports.markdown import cell
from ...reports.report import CaseName, HarnessData, counted
from ...reports.text import printable_struct
from ..run.gate import CHANGE_TITLES, Change, RunDiff
from .snapshots import Snapshot

_SHOWN = 8
"""Of the cases that a version changed in one way, so many are named."""

KINDS: Mapping[str, str] = {
    kind: CHANGE_TITLES[kind] for kind in ("newly_passing", "newly_failing", "other_verdict", "other_answer", "not_run")
}
"""The kinds of changes, and what they are called."""


class ChangeData(msgspec.Struct, frozen=True):
    """A case that a version changed."""

    case: CaseName
    title: str
    before: Verdict
    after: Verdict


class VersionData(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was found of a release or a commit."""

    label: str
    title: str = ""
    engine: EngineData | None = None
    summary: dict[Verdict, int] = {}
    trouble: str = ""
    """Why it could not be set up or asked to the end."""
    compared_with: str = ""
    """The label of the version that the changes are counted from."""
    changes: dict[str, list[ChangeData]] = {}
    """The cases that it changed, by kind, one of `KINDS`."""

    @property
    def counts(self) -> list[str]:
        """How many cases passed, deviated, failed, and have another verdict; empty where none was asked."""
        named = [self.summary.get(verdict, 0) for verdict in ("passed", "deviated", "failed")]
        others = sum(self.summary.values()) - sum(named)
        return [*map(str, [*named, others])] if self.summary else [""] * 4


@dataclass(frozen=True)
class Bisection:
    """Which release or commit changed a case."""

    suspects: Sequence[Snapshot]
    """One of them did; only one is left unless those between could not be set up."""
    before: CaseData
    after: CaseData
    asked: int


class HistoryData(msgspec.Struct, frozen=True, kw_only=True):
    """A whole history."""

    format: int = 1
    type: str = "history"
    harness: HarnessData
    engine: str
    ruleset: RulesetData
    cases: int
    versions: list[VersionData]


def version_name(snapshot: Snapshot) -> str:
    """Name a release, or a commit with the first line of its message."""
    return f"{snapshot.label} {snapshot.title}".strip()


def changes_by_kind(found: RunDiff) -> dict[str, list[ChangeData]]:
    """Put what changed from one run to the next into a report."""
    by_kind: dict[str, Sequence[Change]] = {kind: getattr(found, kind) for kind in KINDS}
    return {
        kind: [ChangeData(CaseName.of_key(each.key), each.title, each.before, each.after) for each in changes]
        for kind, changes in by_kind.items()
        if changes
    }


def render_html(history: HistoryData) -> bytes:
    """Render a history as one page in UTF-8."""
    history = printable_struct(history)
    return render_page("history.html", history=history, kinds=KINDS, verdicts=VERDICTS, counted=counted)


def render_markdown(history: HistoryData) -> bytes:
    """Render a history as a table in Markdown; what others wrote cannot break out of its cell."""
    lines = ["| version | passed | deviated | failed | others | changed |", "|:--|--:|--:|--:|--:|:--|"]
    for version in history.versions:
        *counts, others = version.counts
        changes = ", ".join(f"{len(cases)} {KINDS[kind].lower()}" for kind, cases in version.changes.items())
        said = version.trouble.splitlines()[0] if version.trouble else changes
        label, changed = (cell(printable(text), 0) if text else "" for text in (version.label, said))
        lines.append(f"| {' | '.join([label, *counts, '' if others == '0' else others, changed])} |")
    return ("\n".join(lines) + "\n").encode()


def history_findings(history: HistoryData) -> Findings[HistoryData]:
    """Say what each version passes, and what it changed."""
    heading = f"{history.engine}, ruleset {history.ruleset.name}, {counted(history.cases, 'case')}"
    head = ("VERSION", "PASSED", "DEVIATED", "FAILED", "OTHERS", "CHANGED")
    rows: list[tuple[str, ...]] = []
    for version in history.versions:
        said = "could not be set up"
        if version.summary:
            changed = str(sum(map(len, version.changes.values())) or "nothing") if version.compared_with else ""
            said = "was not asked to the end" if version.trouble else changed
        rows.append((version.label, *version.counts, said))
    told = [Part([*_version(version)]) for version in history.versions if version.trouble or version.changes]
    return Findings(history, [Part([heading]), Part([Table(rows, head, right=range(1, 5))]), *told])


def _version(version: VersionData) -> Iterator[str | Line]:
    after = f", compared with {version.compared_with}" if version.compared_with else ""
    yield f"{version.label}{f' ({version.title})' if version.title else ''}{after}"
    yield from (Line(line, 2, unbroken=True) for line in version.trouble.splitlines())
    for kind, changes in version.changes.items():
        yield Line(f"{KINDS[kind]}: {len(changes)}", 2)
        for each in changes[:_SHOWN]:
            verdicts = each.after if each.before == each.after else f"{each.before} → {each.after}"
            yield Line(f"{each.case.label} {each.title}: {verdicts}", 4, 8)
        if len(changes) > _SHOWN:
            yield Line(f"and {', '.join(each.case.label for each in changes[_SHOWN:])}", 4, 8)


def bisection_findings(found: Bisection, versions: int) -> Findings[dict[str, object]]:
    """Say which version changed a case; `versions` is how many there are to choose from."""
    before, after = found.before, found.after
    data: dict[str, object] = {
        "format": 1,
        "type": "bisection",
        "case": before.key,
        "before": before.verdict,
        "after": after.verdict,
        "changed_by": [
            {"label": each.label, "title": each.title, "identity": list(each.identity[:1])} for each in found.suspects
        ],
        "asked": found.asked,
        "of": versions,
    }
    change = f"{before.verdict} → {after.verdict}" if before.verdict != after.verdict else "another answer"
    several = len(found.suspects) > 1
    head = "Changed by one of these, between which nothing could be set up or asked:" if several else "Changed by"
    parts = [
        Part([f"{short_key(before.key)} {before.title}: {change}"]),
        Part([head, *(Line(version_name(suspect), 2) for suspect in found.suspects)]),
        Part([f"Asked {found.asked} of {versions}."]),
    ]
    return Findings(data, parts)


RENDERERS: Mapping[str, Callable[[HistoryData], bytes]] = {
    "html": render_html,
    "markdown": render_markdown,
    "json": render_json,
}
