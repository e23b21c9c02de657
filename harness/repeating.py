"""A case that is asked several times, for engines whose answers change: one that is flaky is as bad as at its worst."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from ..reports import CaseData, Verdict

_BADNESS: Sequence[Verdict] = ("passed", "declared", "unsupported", "deviated", "failed", "error", "not-run")
"""Of two verdicts, the later one is the worse."""


def worst_of(found: Sequence[CaseData]) -> CaseData:
    """Return the worst of what was found of a case each time, which says if the others are not like it."""
    if len(found) == 1:
        return found[0]
    worst = max(found, key=lambda case: _BADNESS.index(case.verdict))
    counts = Counter(case.verdict for case in found)
    seconds = round(sum(case.seconds for case in found), 6)
    if len(counts) > 1:
        said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in _BADNESS if counts[verdict])
        return msgspec.structs.replace(
            worst, reason=f"flaky, asked {len(found)} times: {said}; {worst.reason}", seconds=seconds
        )
    notes = worst.notes
    if len({msgspec.json.encode((case.phases, case.reason)) for case in found}) > 1:
        notes = [*notes, f"flaky: asked {len(found)} times, it gives different answers, all {worst.verdict}"]
    return msgspec.structs.replace(worst, notes=notes, seconds=seconds)
