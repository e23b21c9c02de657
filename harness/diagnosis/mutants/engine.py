"""The reference engine with a fault, as an engine under test."""

from __future__ import annotations

from dataclasses import dataclass, field

from ....adapters.builtin import Reference
from ....reference_engine import Procedure
from .fault import Fault


@dataclass(frozen=True)
class FaultyReference(Reference):
    """The reference engine, but for one fault."""

    fault: Fault = field(kw_only=True)

    def plays(self) -> Procedure:
        return self.fault.procedure

    def called(self) -> str:
        return f"datc-check reference engine, fault {self.fault.name}"
