"""Which cases notice which mutants: a suite that lets one pass would let an engine with it pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...cases import Case
from ...reference_engine import Ruleset
from .diagnosis import play
from .mutants import MUTANTS, Mutant


def mutant_coverage(cases: Sequence[Case], ruleset: Ruleset) -> Mapping[str, tuple[Case, ...]]:
    """For each mutant the cases that it fails: those that it answers as no choice of any issue has it."""
    return {name: cases_that_notice(mutant, cases, ruleset) for name, mutant in MUTANTS.items()}


def cases_that_notice(mutant: Mutant, cases: Sequence[Case], ruleset: Ruleset) -> tuple[Case, ...]:
    """The cases that a mutant fails."""
    return tuple(case for case in cases if play(mutant.procedure, case, ruleset).verdict == "failed")
