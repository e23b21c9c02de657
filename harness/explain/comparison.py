"""How the answer of an engine to a phase is compared with the reference engine, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...reports import FactData
from ..answers import IMPOSSIBLE_KINDS
from ..experiments.changes import Change
from .phase import PhaseExplanation


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
class ComparedPhase(PhaseExplanation):
    """How the reference engine adjudicates a phase, and what an engine makes of it."""

    engine: EngineComparison | None = None
