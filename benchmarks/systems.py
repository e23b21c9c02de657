"""What benchmarks of what shows share: mutants and every other choice of each issue, and random positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from datc.adapters import EngineSpec, Limits
from datc.harness.bugs.mutants import MUTANTS
from datc.harness.bugs.terrain import PROFILES
from datc.harness.play.positions import OrderedPosition
from datc.harness.play.session import ReferenceAdjudicator
from datc.harness.search.drawn import draw
from datc.harness.search.plan import Plan, PlannedEngine
from datc.reference_engine import DATC_3_2, ISSUES, Ruleset


def mutants(ruleset: Ruleset) -> Mapping[str, ReferenceAdjudicator]:
    """Return the mutants of the catalogue under a ruleset, by name."""
    return {name: ReferenceAdjudicator(ruleset, mutant.procedure, name) for name, mutant in MUTANTS.items()}


def other_choices(ruleset: Ruleset) -> Iterator[tuple[str, str]]:
    """Yield every issue with each choice that a ruleset does not make."""
    for issue, found in ISSUES.items():
        yield from ((issue, choice) for choice in found.choices if choice != ruleset.choices[issue])


def changed(ruleset: Ruleset) -> Mapping[str, ReferenceAdjudicator]:
    """Return the reference with one choice of a ruleset changed, by that choice."""
    return {
        f"{issue} = {choice}": ReferenceAdjudicator(ruleset.with_choices({issue: choice}), called=f"{issue} = {choice}")
        for issue, choice in other_choices(ruleset)
    }


def drawn_at_random(positions: int, seed: int) -> Iterator[OrderedPosition]:
    """Draw the positions of a hunt of the source `random` in all its profiles."""
    engine = PlannedEngine(EngineSpec("builtin"), Limits())
    plan = Plan((engine,), DATC_3_2, ("random",), tuple(PROFILES), seed=seed, positions=positions)
    return (draw(plan, number)[1] for number in range(positions))
