"""Measures whether a hunt says truly which rule a bug breaks that no mutant names, and of one bug one cause.

    python benchmarks/broken_rules.py [--left-out] [--every N] [--positions N] [--jobs N]

An engine with each mutant is hunted, and no mutant and no choice has a name to give. With `--left-out` only the mutant
is taken out of the catalogue, and whatever choices and other mutants may explain it are tested, which takes long.
The rule of its largest cause is held to `tests/harness/bugs/blamed.toml`, where the rule that each mutant changes was
written down by its sentence. A mutant that no position shows, or only the outcomes of orders, counts for nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from truth import RULES

from datc.adapters import EngineSpec, Limits
from datc.harness.bugs.mutants import MUTANTS
from datc.harness.play.session import ReferenceAdjudicator
from datc.harness.search import disagreement
from datc.harness.search.drawn import make_plan
from datc.harness.search.hunt import Hunt
from datc.harness.search.text import cause_text
from datc.reference_engine.toml import loads

_TABLE = Path(__file__).parents[1] / "tests" / "harness" / "bugs" / "blamed.toml"
TRUE_KEYS: Mapping[str, Sequence[str]] = loads(_TABLE.read_text("utf-8"))


class Hunted(NamedTuple):
    """What a hunt said of an engine with a bug."""

    name: str
    causes: Sequence[str]
    """Each cause with its findings, the largest first."""
    rules: Sequence[str]
    """The keys of the rules of the largest cause; none where it has a name, which the bug has not."""

    @property
    def is_wrong(self) -> bool:
        """Whether these are other rules than the one that the bug breaks."""
        return bool(self.rules) and set(TRUE_KEYS[self.name]).isdisjoint(self.rules)


def hunted(name: str, positions: int, *, left_out: bool) -> Hunted:
    """Hunt an engine with a mutant that the catalogue does not have."""
    others = {other: mutant for other, mutant in MUTANTS.items() if left_out and other != name}
    with ExitStack() as stack:
        _ = stack.enter_context(patch.object(disagreement, "MUTANTS", others))
        if not left_out:
            _ = stack.enter_context(patch.object(disagreement, "explaining_changes", return_value=()))
        plan = make_plan([(EngineSpec("exec:engine", ("engine",)), Limits())], RULES, (), (), positions=positions)
        engine = ReferenceAdjudicator(RULES, MUTANTS[name].procedure, name)
        engine.is_trusted = False
        hunt = Hunt(plan, [name])
        for _ in hunt.go_on([engine], 1, None, None):
            pass
        hunt.test_causes([engine])
    groups = sorted(hunt.groups, key=lambda group: -len(group.findings))
    causes = [f"{len(group.findings)} {cause_text(group)} ({group.evidence.strength})" for group in groups]
    return Hunted(name, causes, groups[0].rules if groups else ())


def main() -> int:
    """Print the causes of each bug as they come, and the shares."""
    parser = argparse.ArgumentParser()
    _ = parser.add_argument("--left-out", action="store_true")
    _ = parser.add_argument("--every", type=int, default=1)
    _ = parser.add_argument("--positions", type=int, default=300)
    _ = parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    names = list(islice(TRUE_KEYS, 0, None, options.every))
    every: list[Hunted] = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for one in pool.map(partial(hunted, positions=options.positions, left_out=options.left_out), names):
            print(f"{one.name}{' (another rule)' * one.is_wrong}: {'; '.join(one.causes) or 'not shown'}", flush=True)
            every.append(one)
    shown = [one for one in every if one.causes]
    unnamed = [one for one in shown if one.rules]
    wrong = [one for one in unnamed if one.is_wrong]
    several = [one for one in shown if len(one.causes) > 1]
    print(f"{len(every)} bugs, {len(shown)} show; {len(unnamed)} without a name, {len(unnamed) - len(wrong)} truly")
    print(f"{len(several)} of {len(shown)} have several causes")
    return int(len(wrong) > len(unnamed) / 5 or len(several) > len(shown) / 5)


if __name__ == "__main__":
    sys.exit(main())
