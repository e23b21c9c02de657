"""Asks the cases of each release or commit of an engine, keeps the runs, and finds the one that changed a case."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ...adapters import open_engine
from ...cases import Case
from ...reference_engine import Ruleset
from ...reports import CaseData, Report, StoredRunError, read_run
from ...reports.files import write_whole
from ...reports.json_report import render_json
from ..config.setting_up import Manner
from ..errors import HarnessError
from ..play.verdict import Rules
from ..rules.compare import answered_alike
from ..run.gate import diff_runs
from ..run.runner import Run
from .report import Bisection, VersionData, changes_by_kind
from .snapshots import Snapshot


class HistoryError(HarnessError):
    """A history cannot tell what it was asked for."""


@dataclass(frozen=True)
class History:
    """The runs of some releases or commits of an engine, the oldest first."""

    snapshots: Sequence[Snapshot]
    cases: Sequence[Case]
    ruleset: Ruleset
    harness_version: str
    declared: dict[str, str] = field(default_factory=dict[str, str])
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
                    changes = changes_by_kind(diff_runs(before[1], report))
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
            middle = _nearest(between, (low + high) / 2)
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
        report = self._stored(snapshot, self.cases) or self._run(snapshot, [case])
        found = next((each for each in report.cases if each.key == case.key), None)
        if found is None or found.verdict == "not-run":
            raise HarnessError(f"{snapshot.label} was not asked {case.id}: {report.incomplete_reason or 'no answer'}")
        self.tell(snapshot, found.verdict)
        return found

    def _run(self, snapshot: Snapshot, cases: Sequence[Case]) -> Report:
        """Return its run, stored or new. Raises `HarnessError` where it cannot be set up."""
        if (stored := self._stored(snapshot, cases)) is not None:
            return stored
        self.tell(snapshot, "")
        with snapshot.ready(self.manner) as spec:
            engine = open_engine(spec, spec.limits(self.timeout))
            rules = Rules(self.ruleset, self.declared, spec.notation)
            report = Run(engine, spec, cases, rules, self.harness_version, self.jobs).to_the_end()
        file = self._file(snapshot, cases)
        if file is not None and report.complete:
            write_whole(file, render_json(report))
        return report

    def _stored(self, snapshot: Snapshot, cases: Sequence[Case]) -> Report | None:
        file = self._file(snapshot, cases)
        try:
            return None if file is None else read_run(file.read_bytes())
        except (OSError, StoredRunError):
            return None

    def _file(self, snapshot: Snapshot, cases: Sequence[Case]) -> Path | None:
        """Name the file of a run by all that its verdicts follow from; `None` where it is not kept."""
        if self.store is None or not snapshot.identity:
            return None
        rules = (self.ruleset.name, dict(self.ruleset.choices), self.declared)
        parts = ([*snapshot.identity], [case.key for case in cases], self.harness_version, *rules, self.timeout)
        digest = hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:12]
        return self.store / f"{re.sub(r'[^A-Za-z0-9._+-]', '_', snapshot.label)[:60]}-{digest}.json"


def _nearest(places: Sequence[int], to: float) -> int:
    return min(places, key=lambda place: abs(place - to))
