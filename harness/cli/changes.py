"""What changed between two stored runs of an engine, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..wording import wrapped
from .command import EXIT_NOT_PASSED, EXIT_PASSED, echo_json, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...reports import Report
    from ..gate import Change, RunDiff


def show_changes(before: Report, after: Report, *, as_json: bool, quiet: bool = False, err: bool = False) -> int:
    """Print what changed from one run to another, or only what is worse; return the exit code."""
    from ..gate import diff_runs

    found = diff_runs(before, after)
    if as_json:
        echo_json(_data(found), err=err)
    else:
        worse = [
            *_changes("Newly failing", found.newly_failing),
            *_keys("Not run now", [change.key for change in found.not_run], found.unfinished),
            *_keys("Not asked any more", found.only_before),
        ]
        say("\n".join(_lines(found)), "\n".join(worse), quiet=quiet, err=err)
    return EXIT_NOT_PASSED if found.is_worse else EXIT_PASSED


def _data(found: RunDiff) -> dict[str, object]:
    import dataclasses

    def data(value: Sequence[Change] | Sequence[str] | str) -> list[object] | str:
        if isinstance(value, str):
            return value
        return [item if isinstance(item, str) else item._asdict() for item in value]

    fields = {field.name: data(getattr(found, field.name)) for field in dataclasses.fields(found)}
    return {"worse": found.is_worse, **fields}


def _lines(found: RunDiff) -> list[str]:
    lines = [
        *_changes("Newly failing", found.newly_failing),
        *_keys("Not run now", [change.key for change in found.not_run], found.unfinished),
        *_changes("Newly passing", found.newly_passing),
        *_changes("Another verdict", found.other_verdict),
        *_changes("Another answer", found.other_answer),
        *_keys("Not asked any more", found.only_before),
        *_keys("Asked for the first time", found.only_after),
    ]
    return lines or ["Nothing changed."]


def _changes(title: str, changes: Sequence[Change]) -> list[str]:
    from ...cases import short_key
    from ...reference_engine import printable

    if not changes:
        return []
    lines = [f"{title}: {len(changes)}"]
    for change in changes:
        verdicts = change.after if change.before == change.after else f"{change.before} → {change.after}"
        lines += wrapped(printable(f"{short_key(change.key)} {change.title}: {verdicts}"), indent=2, hanging=6)
    return lines


def _keys(title: str, keys: Sequence[str], why: str = "") -> list[str]:
    from ...cases import short_key
    from ...reference_engine import printable

    if not keys:
        return []
    head = f"{title}: {len(keys)}" + (f" ({why})" if why else "")
    return [
        *wrapped(printable(head), hanging=2),
        *wrapped(printable(", ".join(map(short_key, keys))), indent=2, hanging=6),
    ]
