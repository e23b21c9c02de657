"""How a phase is explained, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...reports import FactData
from ..answers import IMPOSSIBLE_KINDS
from ..experiments.changes import Change
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
class EngineComparison:
    """What an engine answered to a phase, compared with the reference engine."""

    error: str = ""
    """Why it gave no answer."""
    differences: Sequence[str] = ()
    """The facts in words."""
    facts: Sequence[FactData] = ()
    first: str = ""
    """The first order, in the sequence of the decisions, that has another outcome."""
    choices: Sequence[Change] = ()
    """The fewest changes to the rules in force under which the answer is right; empty where none was found."""
    tried: int = 0
    """How many changes were tried to find them."""

    @property
    def is_impossible(self) -> bool:
        """Whether the engine answered with a board that cannot exist."""
        return any(fact.kind in IMPOSSIBLE_KINDS for fact in self.facts)


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
    engine: EngineComparison | None = None
