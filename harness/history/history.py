"""Asks the cases of each release or commit of an engine, keeps the runs, and says which one changed a case."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from ...adapters import open_engine
from ...cases import Case
from ...cases.suite import CaseName, short_key
from ...reference_engine import Ruleset
from ...reference_engine.errors import printable
from ...reference_engine.installation import package_version
from ...reports import VERDICTS, CaseData, EngineData, Report, RulesetData, StoredRunError, Verdict, read_run
from ...reports.files import write_whole
from ...reports.findings import Findings, Line, Part, Table, contract
from ...reports.html import render_page
from ...reports.json_report import render_json
from ...reports.markdown import cell
from ...reports.report import HarnessData, counted
from ...reports.text import printable_struct
from ..config.setting_up import Manner
from ..errors import HarnessError
from ..play.verdict import Declaration, Declarations, Rules
from ..rules.compare import answered_alike
from ..run.gate import CHANGE_TITLES, Change, diff_runs
from ..run.runner import Run
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
    type: Literal["history"] = "history"
    harness: HarnessData
    engine: str
    ruleset: RulesetData
    cases: int
    versions: list[VersionData]


class HistoryError(HarnessError):
    """A history cannot tell what it was asked for."""


@dataclass(frozen=True)
class History:
    """The runs of some releases or commits of an engine, the oldest first."""

    snapshots: Sequence[Snapshot]
    cases: Sequence[Case]
    ruleset: Ruleset
    declared: Declarations = field(default_factory=dict[str, str | Declaration])
    jobs: int = 1
    timeout: float | None = None
    manner: Manner = field(default_factory=lambda: Manner(1800))
    store: Path | None = None
    """The folder that keeps the runs."""
    tell: Callable[[Snapshot, str], None] = lambda _snapshot, _text: None
    """Takes what is done next, or what came of it."""

    def versions(self) -> Iterator[VersionData]:
        """Ask each of them all cases, and say what it changed. Raises `OSError` where a run cannot be stored."""
        before: tuple[str, Report] | None = None
        for snapshot in self.snapshots:
            version = VersionData(snapshot.label, snapshot.title)
            try:
                report = self._run(snapshot, self.cases)
            except HarnessError as error:
                yield replace(version, trouble=str(error))
                continue
            version = replace(version, engine=report.engine, summary=dict(report.summary))
            if not report.complete:
                version = replace(version, trouble=report.incomplete_reason)
            else:
                if before is not None:
                    changes = _changes_by_kind(diff_runs(before[1], report))
                    version = replace(version, compared_with=before[0], changes=changes)
                before = snapshot.label, report
            yield version

    def bisect(self, case: Case) -> Bisection:
        """Find the release or commit that changed a case, by halving.

        The verdict counts, or the answer where the first and the last have the same verdict. What cannot be set up or
        asked is passed over. Raises `HistoryError` where the case did not change, and `HarnessError` and `OSError`.
        """
        if len(self.snapshots) < 2:
            raise HistoryError("to find what changed a case, name two versions or commits at least")
        found = {0: self._ask(0, case), len(self.snapshots) - 1: self._ask(len(self.snapshots) - 1, case)}
        first, last = found.values()

        def is_changed(now: CaseData) -> bool:
            return now.verdict != first.verdict or (first.verdict == last.verdict and not answered_alike(first, now))

        if not is_changed(last):
            labels = f"{self.snapshots[0].label} and {self.snapshots[-1].label}"
            raise HistoryError(f"{case.id} is {first.verdict} with the same answer in {labels}")
        low, high = 0, len(self.snapshots) - 1
        broken: set[int] = set()
        while between := [place for place in range(low + 1, high) if place not in broken]:
            _, middle = min((abs(2 * place - low - high), place) for place in between)
            try:
                found[middle] = self._ask(middle, case)
            except HarnessError as error:
                self.tell(self.snapshots[middle], str(error).splitlines()[0])
                broken.add(middle)
                continue
            low, high = (low, middle) if is_changed(found[middle]) else (middle, high)
        return Bisection(self.snapshots[low + 1 : high + 1], found[low], found[high], len(found))

    def _ask(self, place: int, case: Case) -> CaseData:
        snapshot = self.snapshots[place]
        report = self._stored(snapshot, self.cases) or self._run(snapshot, [case], tells=False)  # It is told below.
        found = next((each for each in report.cases if each.key == case.key), None)
        if found is None or found.verdict == "not-run":
            raise HarnessError(f"{snapshot.label} was not asked {case.id}: {report.incomplete_reason or 'no answer'}")
        self.tell(snapshot, found.verdict)
        return found

    def _run(self, snapshot: Snapshot, cases: Sequence[Case], *, tells: bool = True) -> Report:
        if (stored := self._stored(snapshot, cases)) is not None:
            return stored
        if tells:
            self.tell(snapshot, "")
        with snapshot.ready(self.manner) as spec:
            engine = open_engine(spec, spec.limits(self.timeout))
            rules = Rules(self.ruleset, self.declared, spec.notation)
            report = Run(engine, spec, cases, rules, self.jobs).to_the_end()
        file = self._file(snapshot, cases)
        if file is not None and report.complete:
            write_whole(file, render_json(report))
        return report

    def _stored(self, snapshot: Snapshot, cases: Sequence[Case]) -> Report | None:
        file = self._file(snapshot, cases)
        with suppress(OSError, StoredRunError):
            return file and read_run(file.read_bytes())
        return None

    def _file(self, snapshot: Snapshot, cases: Sequence[Case]) -> Path | None:
        """Name the file of a run by all that its verdicts follow from; `None` where it is not kept."""
        if self.store is None or not snapshot.identity:
            return None
        rules = (self.ruleset.name, dict(self.ruleset.choices), self.declared)
        parts = ([*snapshot.identity], [case.key for case in cases], package_version(), *rules, self.timeout)
        digest = hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:12]
        return self.store / f"{re.sub(r'[^A-Za-z0-9._+-]', '_', snapshot.label)[:60]}-{digest}.json"


def version_name(snapshot: Snapshot) -> str:
    """Name a release, or a commit with the first line of its message."""
    return f"{snapshot.label} {snapshot.title}".strip()


def _changes_by_kind(found: Mapping[str, Sequence[Change]]) -> dict[str, list[ChangeData]]:
    return {
        kind: [ChangeData(CaseName.of_key(each.key), each.title, each.before, each.after) for each in found[kind]]
        for kind in KINDS
        if found[kind]
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
    data = contract(
        "bisection",
        case=before.key,
        before=before.verdict,
        after=after.verdict,
        changed_by=[
            {"label": each.label, "title": each.title, "identity": list(each.identity[:1])} for each in found.suspects
        ],
        asked=found.asked,
        of=versions,
    )
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
