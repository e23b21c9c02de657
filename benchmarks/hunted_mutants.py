"""Measures what random positions reach: which mutants and which rule choices show, and how late.

    python benchmarks/hunted_mutants.py [POSITIONS] [SEED]...

Asks so many (3,000) positions of the source `random` for each seed (1, 2 and 3):

- each mutant of the doctor, under the rules of the usual edition;
- the reference under each choice that these rules do not make;
- the reference under every two choices of an issue, which must answer differently.

What shows on no board counts where it shows in the outcomes of orders (`hunt --words`). Lists what does not show; the
exit code is then 1, but not for what is known to be too rare. How often rare things are drawn: `rare.py`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from systems import drawn_at_random, mutants

from datc.cases import load_ruleset
from datc.cases.suite import USUAL_EDITION
from datc.harness.play.differential import Played, agree, ask
from datc.harness.play.session import ReferenceAdjudicator
from datc.reference_engine import ISSUES, Ruleset

SEEDS = (1, 2, 3)
NEVER_ASKED = frozenset({"4.D.1", "4.D.2", "4.E.2", "4.E.4", "4.E.5", "4.E.6"})
"""Issues that no single set of clear orders shows: sets of orders, unclear texts, proxies, a Flying Dutchman."""
NEVER_DRAWN = ("4.E.1 = any-writing", "4.E.1 = any-board-space")
"""They differ on orders to places that are not on the map, which the source does not draw."""
TOO_RARE = frozenset({"hopeless-attack-disrupts-convoy", "two-supports-at-most"})
"""Mutants that 3,000 positions need not show: cases of the suites do, with a battle of three supports, for example."""
BESIDE: Mapping[str, Mapping[str, str]] = {
    "X.2": {"4.A.1": "any-route"},
    "X.6": {"4.A.2": "1982"},
    "X.7": {"4.A.2": "1982"},
    "X.22": {"4.A.2": "2000"},
}
"""Issues that show only beside other choices than those of the rules."""


class Rivals(NamedTuple):
    """Rule systems of which each two should answer differently: the first one is the rules."""

    kind: str
    systems: Mapping[str, ReferenceAdjudicator]
    pairs: Sequence[tuple[str, str]]


def main() -> int:
    """Print what does not show, for each seed."""
    positions = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    seeds = [int(seed) for seed in sys.argv[2:]] or SEEDS
    ruleset = load_ruleset(USUAL_EDITION).ruleset()
    every = [_mutants(ruleset), *_choices(ruleset)]
    missed = 0
    for seed in seeds:
        began = time.perf_counter()
        found = _hunt(positions, seed, every)
        for kind in dict.fromkeys(rivals.kind for rivals in every):
            missed += _tell(kind, found, [rivals for rivals in every if rivals.kind == kind], f"seed {seed}")
        print(f"seed {seed}: {time.perf_counter() - began:.0f} s", flush=True)
    return 1 if missed else 0


def _mutants(ruleset: Ruleset) -> Rivals:
    systems = mutants(ruleset)
    return Rivals("mutants", {"": ReferenceAdjudicator(ruleset), **systems}, [("", name) for name in systems])


def _choices(ruleset: Ruleset) -> Iterator[Rivals]:
    """For each issue that can show: its other choices against that of the rules, and its other pairs of choices."""
    for issue, found in ISSUES.items():
        if issue in NEVER_ASKED:
            continue
        rules = ruleset.with_choices(BESIDE.get(issue, {}))
        usual = rules.choices[issue]
        systems = {
            f"{issue} = {choice}": ReferenceAdjudicator(rules.with_choices({issue: choice})) for choice in found.choices
        }
        pairs = [pair for pair in combinations(systems, 2) if pair != NEVER_DRAWN]
        of_rules = [pair for pair in pairs if f"{issue} = {usual}" in pair]
        yield Rivals("choices against those of the rules", systems, of_rules)
        yield Rivals("pairs of other choices", systems, [pair for pair in pairs if pair not in of_rules])


class Found(NamedTuple):
    """Where two systems answered differently first, and whether on the board."""

    number: int
    on_board: bool


def _hunt(positions: int, seed: int, every: Sequence[Rivals]) -> Mapping[tuple[str, str], Found]:
    """Find the first position on which the two of each pair answer differently."""
    found: dict[tuple[str, str], Found] = {}
    left = [(rivals, set(rivals.pairs)) for rivals in every]
    for number, ordered in enumerate(drawn_at_random(positions, seed)):
        for rivals, pairs in left:
            said: dict[str, Played] = {}
            for pair in [*pairs]:
                mine, theirs = (
                    said.get(name) or said.setdefault(name, ask(rivals.systems[name], ordered)) for name in pair
                )
                if not agree(mine, theirs):
                    found[pair] = Found(number, on_board=True)
                    pairs.remove(pair)
                elif pair not in found and not agree(mine, theirs, words=True):
                    found[pair] = Found(number, on_board=False)
    return found


def _tell(kind: str, found: Mapping[tuple[str, str], Found], every: Sequence[Rivals], when: str) -> int:
    """Print how many pairs answered differently, and which did not; return their number."""
    pairs = [pair for rivals in every for pair in rivals.pairs]
    on_board = [found[pair].number for pair in pairs if pair in found and found[pair].on_board]
    in_words = [pair for pair in pairs if pair in found and not found[pair].on_board]
    missed = [pair for pair in pairs if pair not in found]
    print(
        f"{when}: {len(pairs)} {kind}: {len(on_board)} show on a board, the last in position {max(on_board) + 1};"
        + f" {len(in_words)} in the outcomes of orders alone"
    )
    rare = [pair for pair in missed if pair[1] in TOO_RARE]
    missed = [pair for pair in missed if pair not in rare]
    for word, few in (("in the outcomes alone", in_words), ("too rare", rare), ("not found", missed)):
        for pair in few:
            print(f"  {word}: {' / '.join(filter(None, pair))}")
    return len(missed)


if __name__ == "__main__":
    sys.exit(main())
