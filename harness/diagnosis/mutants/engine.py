"""A mutant as an engine under test."""

from __future__ import annotations

from dataclasses import dataclass, field

from ....adapters.builtin import Reference
from ....reference_engine import Procedure
from .mutant import Mutant


@dataclass(frozen=True)
class MutantReference(Reference):
    """Answers as a mutant."""

    mutant: Mutant = field(kw_only=True)

    def plays(self) -> Procedure:
        return self.mutant.procedure

    def called(self) -> str:
        return f"datc-check reference engine, mutant {self.mutant.name}"
