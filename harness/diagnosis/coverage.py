"""Which cases notice which known faults: a suite that lets one pass would let an engine with it pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...cases import Case
from ...reference_engine import Ruleset
from .diagnosis import play
from .mutants import FAULTS, Fault


def fault_coverage(cases: Sequence[Case], ruleset: Ruleset) -> Mapping[str, tuple[Case, ...]]:
    """For each fault the cases that it fails: those that it answers as no choice of any issue has it."""
    return {name: cases_that_notice(fault, cases, ruleset) for name, fault in FAULTS.items()}


def cases_that_notice(fault: Fault, cases: Sequence[Case], ruleset: Ruleset) -> tuple[Case, ...]:
    """The cases that a fault fails."""
    return tuple(case for case in cases if play(fault.procedure, case, ruleset).verdict == "failed")
