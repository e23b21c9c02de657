"""The two questions whose answers contradict each other."""

from __future__ import annotations

from .findings import Finding, read_stored_position
from .metamorphic import RELATIONS, Question


def second_question(finding: Finding) -> Question | None:
    """Return the other form of a position that an engine contradicts itself on; `None` where it does not."""
    if not finding.relation or finding.position is None or finding.relation not in RELATIONS:
        return None
    return RELATIONS[finding.relation].put_otherwise(read_stored_position(finding.position), finding.salt)
