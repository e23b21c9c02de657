"""What changed between two stored runs of an engine, as text and as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ...cases.suite import short_key
from ...reports import Report
from ...reports.findings import Findings, Line, Part, terminal_text
from ..run.gate import CHANGE_TITLES, WORSE, Change, RunDiff, diff_runs
from .command import EXIT_NOT_PASSED, EXIT_PASSED
from .reporting import show


def show_changes(before: Report, after: Report, *, as_json: bool, quiet: bool = False, err: bool = False) -> int:
    """Print what changed from one run to another, or only what is worse; return the exit code."""
    found = diff_runs(before, after)
    show(change_findings(found), quiet=quiet, as_json=as_json, err=err)
    return EXIT_NOT_PASSED if found.is_worse else EXIT_PASSED


def change_findings(found: RunDiff) -> Findings[dict[str, object]]:
    """Say what changed between two runs."""
    lines = {
        "newly_failing": _changes("newly_failing", found.newly_failing),
        "not_run": _keys("not_run", [change.key for change in found.not_run], found.unfinished),
        "newly_passing": _changes("newly_passing", found.newly_passing),
        "other_verdict": _changes("other_verdict", found.other_verdict),
        "other_answer": _changes("other_answer", found.other_answer),
        "only_before": _keys("only_before", found.only_before),
        "only_after": _keys("only_after", found.only_after),
    }
    worse = [Part([line for kind in WORSE for line in lines[kind]])]
    shown = [line for several in lines.values() for line in several] or ["Nothing changed."]
    fields = {field.name: _plain(getattr(found, field.name)) for field in dataclasses.fields(found)}
    return Findings({"worse": found.is_worse, **fields}, [Part(shown)], terminal_text(worse))


def _plain(value: Sequence[Change] | Sequence[str] | str) -> object:
    if isinstance(value, str):
        return value
    return [item if isinstance(item, str) else item._asdict() for item in value]


def _changes(kind: str, changes: Sequence[Change]) -> list[str | Line]:
    if not changes:
        return []
    lines: list[str | Line] = [f"{CHANGE_TITLES[kind]}: {len(changes)}"]
    for change in changes:
        verdicts = change.after if change.before == change.after else f"{change.before} → {change.after}"
        lines.append(Line(f"{short_key(change.key)} {change.title}: {verdicts}", 2, 6))
    return lines


def _keys(kind: str, keys: Sequence[str], why: str = "") -> list[str | Line]:
    if not keys:
        return []
    head = f"{CHANGE_TITLES[kind]}: {len(keys)}" + (f" ({why})" if why else "")
    return [head, Line(", ".join(map(short_key, keys)), 2, 6)]
