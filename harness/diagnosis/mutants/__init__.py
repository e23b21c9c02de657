"""Deliberate faults of the reference engine: mistakes that authors of engines make, each as an engine that makes it."""

from __future__ import annotations

from collections.abc import Mapping

from ....reference_engine import nearest
from ...errors import UnknownFaultError
from . import adjustments, boards, convoys, moves, orders, retreats, supports
from .fault import Fault

FAULTS: Mapping[str, Fault] = {
    fault.name: fault
    for module in (supports, moves, convoys, retreats, adjustments, orders, boards)
    for fault in module.FAULTS
}
"""All faults by their names."""


def find_fault(name: str) -> Fault:
    """Look up a fault by its name. Raises `UnknownFaultError`."""
    if name not in FAULTS:
        raise UnknownFaultError(f"there is no fault {name!r}{nearest(name, tuple(FAULTS))}")
    return FAULTS[name]


__all__ = ["FAULTS", "Fault", "find_fault"]
