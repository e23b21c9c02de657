"""Runs again and again, as an engine is worked on: what failed is asked first, and shown best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...cases.suite import short_key
from ...reference_engine import DatcCheckError
from ...reference_engine.errors import printable
from ...reports import VERDICTS, CaseData, CaseFinished, Report, RunFinished, Verdict
from ...reports.findings import wrapped
from ...reports.report import ACCEPTED, counted
from ...reports.terminal import case_text
from ...reports.text import id_ranges
from ...reports.wording import restart_lines, shared_reasons
from ..run.runner import Run

_WIDTH = 80
_IN_FULL = 3
"""How many of the cases that do not pass are shown with their boards."""
_FILES = 3
_SHARED: Sequence[Verdict] = ("unsupported",)
"""The verdicts of which cases share a line at the end, unless they had another verdict before."""


@dataclass
class Watch:
    """A run for each change."""

    prepare: Callable[[], Run]
    """Reads the config and opens the engine again. Raises the same errors as the commands."""
    show: Callable[[str], None]
    """Takes a line, or several."""
    _found: dict[str, CaseData] = field(default_factory=dict)
    """What the last run said of each case."""

    def follow(self, run: Run, changes: Iterable[Iterable[Path]]) -> None:
        """Play a run, and another one for each set of files that changed."""
        self.play(run)
        for files in changes:
            names = sorted({file.name for file in files})
            more = f" and {len(names) - _FILES} more" if len(names) > _FILES else ""
            self.show("\n" + _wrapped(f"Changed: {', '.join(names[:_FILES])}{more}"))
            try:
                again = self.prepare()
            except DatcCheckError as error:
                self.show(_wrapped(*str(error).splitlines()))
            else:
                self.play(again)

    def play(self, run: Run) -> None:
        """Run once, what did not pass the last time first, and end the engine whatever happens."""
        good = {key for key, case in self._found.items() if case.verdict in ACCEPTED}
        run.cases = sorted(run.cases, key=lambda case: case.key not in self._found or case.key in good)
        in_full, as_before = 0, list[str]()
        try:
            for event in run.events():
                if isinstance(event, CaseFinished):
                    case, before = event.case, self._found.get(event.case.key)
                    self._found[case.key] = case
                    fails = case.verdict not in (*ACCEPTED, *_SHARED)
                    if before is not None and _said(before) == _said(case):
                        as_before += [short_key(case.key)] * fails
                    else:
                        in_full += fails
                        self._show_case(case, before, in_full=fails and in_full <= _IN_FULL)
                elif isinstance(event, RunFinished):
                    if as_before:
                        self.show(_wrapped(f"Not passed, as before: {id_ranges(as_before)}"))
                    self.show(_summary(event.report))
        except KeyboardInterrupt:
            if not (report := run.interrupted()).complete:
                self.show(_summary(report))
            raise
        finally:
            run.engine.close()

    def _show_case(self, case: CaseData, before: CaseData | None, *, in_full: bool) -> None:
        """Say that a case does not pass, or has another verdict than before."""
        was = "" if before is None or before.verdict == case.verdict else f"{before.verdict} → "
        if case.verdict == "not-run":
            return
        if in_full:
            self.show(case_text(case, _WIDTH, was) + "\n")
        elif was or case.verdict not in (*ACCEPTED, *_SHARED):
            self.show("\n".join(wrapped(printable(f"{case.id} {case.title}: {was}{case.verdict}"), hanging=6)))


def _said(case: CaseData) -> tuple[object, ...]:
    return case.verdict, case.reason, [phase.facts for phase in case.phases]


def _summary(report: Report) -> str:
    said = ", ".join(f"{report.summary[verdict]} {verdict}" for verdict in VERDICTS if report.summary[verdict])
    lines = [] if report.complete else [f"Not finished: {report.incomplete_reason}"]
    lines += restart_lines(report.restarts)
    shared = shared_reasons(case for case in report.cases if case.verdict in _SHARED)
    lines += [f"{verdict}: {reason}" for verdict, reason in shared]
    return _wrapped(*lines, f"{counted(len(report.cases), 'case')}: {said} ({report.seconds:.1f} s)")


def _wrapped(*lines: str) -> str:
    return "\n".join(part for line in lines for part in wrapped(printable(line), hanging=2))
