"""What changed between two stored runs of an engine, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..wording import wrapped
from .command import echo_json, say
from .ending import EXIT_NOT_PASSED, EXIT_PASSED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...reports import Report
    from ..gate import Change, RunDiff


def show_changes(before: Report, after: Report, *, as_json: bool, quiet: bool = False, err: bool = False) -> int:
    """Print what changed from one run to another, or only what is worse; return the exit code."""
    from ..gate import WORSE, diff_runs

    found = diff_runs(before, after)
    if as_json:
        echo_json(_data(found), err=err)
    else:
        parts = _parts(found)
        lines = [line for part in parts.values() for line in part] or ["Nothing changed."]
        say("\n".join(lines), "\n".join(line for kind in WORSE for line in parts[kind]), quiet=quiet, err=err)
    return EXIT_NOT_PASSED if found.is_worse else EXIT_PASSED


def _data(found: RunDiff) -> dict[str, object]:
    import dataclasses

    def data(value: Sequence[Change] | Sequence[str] | str) -> list[object] | str:
        if isinstance(value, str):
            return value
        return [item if isinstance(item, str) else item._asdict() for item in value]

    fields = {field.name: data(getattr(found, field.name)) for field in dataclasses.fields(found)}
    return {"worse": found.is_worse, **fields}


def _parts(found: RunDiff) -> dict[str, list[str]]:
    """Return the lines of each kind of change, by the field of `RunDiff`."""
    return {
        "newly_failing": _changes("newly_failing", found.newly_failing),
        "not_run": _keys("not_run", [change.key for change in found.not_run], found.unfinished),
        "newly_passing": _changes("newly_passing", found.newly_passing),
        "other_verdict": _changes("other_verdict", found.other_verdict),
        "other_answer": _changes("other_answer", found.other_answer),
        "only_before": _keys("only_before", found.only_before),
        "only_after": _keys("only_after", found.only_after),
    }


def _changes(kind: str, changes: Sequence[Change]) -> list[str]:
    from ...cases import short_key
    from ...reference_engine import printable
    from ..gate import CHANGE_TITLES

    if not changes:
        return []
    lines = [f"{CHANGE_TITLES[kind]}: {len(changes)}"]
    for change in changes:
        verdicts = change.after if change.before == change.after else f"{change.before} → {change.after}"
        lines += wrapped(printable(f"{short_key(change.key)} {change.title}: {verdicts}"), indent=2, hanging=6)
    return lines


def _keys(kind: str, keys: Sequence[str], why: str = "") -> list[str]:
    from ...cases import short_key
    from ...reference_engine import printable
    from ..gate import CHANGE_TITLES

    if not keys:
        return []
    head = f"{CHANGE_TITLES[kind]}: {len(keys)}" + (f" ({why})" if why else "")
    return [
        *wrapped(printable(head), hanging=2),
        *wrapped(printable(", ".join(map(short_key, keys))), indent=2, hanging=6),
    ]
