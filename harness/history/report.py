"""What a history found, as data, and as JSON, Markdown and a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from ...reference_engine import printable
from ...reports import VERDICTS, CaseName, EngineData, HarnessData, RulesetData, Verdict, counted
from ...reports.html import render_page
from ...reports.json_report import render_json
from ...reports.markdown import cell
from ...reports.text import printable_struct
from ..gate import CHANGE_TITLES, Change
from .history import Entry

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
    def change_text(self) -> str:
        """Count the changes of each kind; empty if nothing changed."""
        return ", ".join(f"{len(cases)} {KINDS[kind].lower()}" for kind, cases in self.changes.items())

    @property
    def others(self) -> int:
        """Count the cases that have another verdict than passed, deviated or failed."""
        return sum(count for verdict, count in self.summary.items() if verdict not in ("passed", "deviated", "failed"))


class HistoryData(msgspec.Struct, frozen=True, kw_only=True):
    """A whole history."""

    format: int = 1
    type: str = "history"
    harness: HarnessData
    engine: str
    """What names the engine."""
    ruleset: RulesetData
    cases: int
    """How many cases each version was asked."""
    versions: list[VersionData]


def version_data(entry: Entry) -> VersionData:
    """Put what was found of a version into a report."""
    report = entry.report
    return VersionData(
        label=entry.snapshot.label,
        title=entry.snapshot.title,
        engine=None if report is None else report.engine,
        summary={} if report is None else dict(report.summary),
        trouble=entry.trouble,
        compared_with="" if entry.before is None or entry.changes is None else entry.before.label,
        changes={kind: _changes(found) for kind in KINDS if (found := getattr(entry.changes, kind, ()))},
    )


def _changes(changes: Sequence[Change]) -> list[ChangeData]:
    return [ChangeData(CaseName.of_key(each.key), each.title, each.before, each.after) for each in changes]


def render_html(history: HistoryData) -> bytes:
    """Render a history as one page in UTF-8."""
    history = printable_struct(history)
    return render_page("history.html", history=history, kinds=KINDS, verdicts=VERDICTS, counted=counted)


def render_markdown(history: HistoryData) -> bytes:
    """Render a history as a table in Markdown; what others wrote cannot break out of its cell."""
    lines = ["| version | passed | deviated | failed | others | changed |", "|:--|--:|--:|--:|--:|:--|"]
    for version in history.versions:
        counts = [str(version.summary.get(verdict, 0)) for verdict in ("passed", "deviated", "failed")]
        if not version.summary:
            counts = ["", "", ""]
        others = str(version.others or "")
        said = version.trouble.splitlines()[0] if version.trouble else version.change_text
        changed = cell(printable(said), 0) if said else ""
        lines.append(f"| {' | '.join([cell(printable(version.label), 0), *counts, others, changed])} |")
    return ("\n".join(lines) + "\n").encode()


RENDERERS: Mapping[str, Callable[[HistoryData], bytes]] = {
    "html": render_html,
    "markdown": render_markdown,
    "json": render_json,
}
