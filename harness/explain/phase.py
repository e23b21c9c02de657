"""How a phase is explained, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .adjustments import PowerAdjustment
from .cycles import CycleExplanation
from .movement import OrderExplanation
from .retreats import RetreatExplanation


@dataclass(frozen=True)
class Decision:
    """An order whose outcome became certain."""

    order: str
    succeeds: bool
    cycle: int
    """The number of the cycle that a rule settled with it, or -1."""


@dataclass(frozen=True)
class PhaseExplanation:
    """How the reference engine adjudicates a phase."""

    phase: str
    season: str
    year: int
    orders: Sequence[OrderExplanation] = ()
    decisions: Sequence[Decision] = ()
    cycles: Sequence[CycleExplanation] = ()
    contested: Sequence[str] = ()
    """The provinces left vacant by a standoff."""
    retreats: Sequence[RetreatExplanation] = ()
    """Where each dislodged unit may retreat to, and why not elsewhere."""
    adjustments: Sequence[PowerAdjustment] = ()
    """What was counted for each power that may build, or has to remove units."""
    remark: str = ""
    """Why some of it cannot be explained."""
    summary: str = ""
    """What happened and why, in a paragraph."""
