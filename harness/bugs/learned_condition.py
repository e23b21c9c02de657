"""Finds under which condition an engine answers as a hypothesis that explains only a part of what it is asked."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from random import Random
from typing import TypeAlias, final

from ...reports.statements import Evidence
from ..play.answer import Answer
from ..play.positions import OrderedPosition
from .experiment import (
    CONFIRMED,
    ENOUGH,
    FEWEST,
    MOST_FAILURES,
    AskedOnce,
    Claim,
    Experiment,
    draw_experiments,
    is_failure,
    key_of,
)
from .position_features import LITERALS, PositionFeatures, is_so
from .shrink import Shrinker

_FIRST = 40
"""So many answers are looked at before a condition is guessed."""
_ROUNDS = 2
"""So often a condition is guessed and tested."""
_MOST_TRIED = 1500
"""Positions that are looked at for experiments."""
_MOST_UNITS = 8
"""Larger positions are shrunk: in them everything happens somewhere."""
_MOST_QUESTIONS = 150
"""Of the reference, to shrink one position."""
_MOST_LITERALS = 2
_SLIPS_OF_A_LITERAL = 2
"""A further literal is worth it if more slips than these are avoided."""
_MOST_OF_ONE = 4
"""Experiments that are variations of one position."""
_SLIPS = 0.1
"""The share of answers that a guess may have against it."""


Clause: TypeAlias = tuple[str, ...]
"""Conditions, or opposites of them, that are all to hold."""


def holds(clause: Clause, experiment: Experiment) -> bool:
    """Whether an experiment is a case of a clause. Raises `KeyError` for an unknown condition."""
    seen = _features(experiment)
    return seen is not None and all(is_so(literal, seen) for literal in clause)


def _features(experiment: Experiment) -> PositionFeatures | None:
    answer = experiment.by_rules[0].answer
    return PositionFeatures(experiment.ordered, answer) if isinstance(answer, Answer) else None


def find_condition(engine: AskedOnce, claim: Claim, seeds: Sequence[OrderedPosition], seed: int = 0) -> Evidence | None:
    """Find a condition under which an engine answers as a hypothesis, and otherwise by the rules, and test it.

    The hypothesis explains a part of the answers; `seeds` are positions that showed it. Another `seed` gives other
    positions. It asks some 120 questions at most.

    Returns how the statement with its condition stood its test; `None` where no condition does. Raises
    `EngineGaveOutError` and `EngineClosedError`.
    """
    rng = Random(f"condition {seed} {claim.hypothesis.name}")  # noqa: S311 - positions, not secrets
    drawn, answers = set[Hashable](map(key_of, seeds)), _Answers(engine)
    for experiment in itertools.islice(draw_small(rng, claim, seeds, drawn), _FIRST):
        _ = answers.ask(experiment)
    for _ in range(_ROUNDS):
        clause = _learn_clause(answers.seen)
        if clause is None or answers.failures >= MOST_FAILURES:
            return None
        fresh = draw_small(rng, claim, (), drawn, most_tried=2 * _MOST_TRIED)
        evidence = _test(clause, answers, (fresh, draw_small(rng, claim, seeds, drawn)))
        if evidence.strength == "only-when":
            return evidence
    return None


@final
class _Answers:
    """What an engine answered to experiments."""

    def __init__(self, engine: AskedOnce) -> None:
        self._engine = engine
        self.failures = 0
        self.seen: list[tuple[Experiment, bool]] = []
        """Experiments that were answered as the hypothesis predicts, or as the rules have it."""

    def ask(self, experiment: Experiment) -> bool | None:
        """Return whether an answer is as predicted, or by the rules; `None` where it is neither."""
        said = self._engine.ask(experiment.ordered)
        self.failures = self.failures + 1 if is_failure(said) else 0
        as_predicted = bool(said) and experiment.is_as(experiment.predicted, said)
        if not said or as_predicted == experiment.is_as(experiment.by_rules, said):
            return None
        self.seen.append((experiment, as_predicted))
        return as_predicted


def _test(clause: Clause, answers: _Answers, draws: Iterable[Iterable[Experiment]]) -> Evidence:
    """Ask fresh positions on which the condition holds, and others.

    Those that are like nothing seen come first, and count on their own, too: what varies one position may all
    have one cause.
    """
    elsewhere: list[bool | None] = []
    inside: list[bool | None] = []
    stands = True
    for drawn in draws:
        for experiment in drawn:
            if min(len(inside), len(elsewhere)) >= ENOUGH or answers.failures >= MOST_FAILURES:
                break
            if max(inside.count(False), elsewhere.count(True)) > _SLIPS * ENOUGH:
                break
            found = inside if holds(clause, experiment) else elsewhere
            if len(found) < ENOUGH:
                found.append(answers.ask(experiment))
        # An answer that is neither as predicted nor by the rules may show another bug: it counts half.
        agreed = inside.count(True) + inside.count(None) / 2
        stands = stands and len(inside) >= FEWEST and agreed >= CONFIRMED * len(inside)
    stands = stands and len(elsewhere) >= FEWEST and elsewhere.count(True) <= (1 - CONFIRMED) * len(elsewhere)
    return Evidence(
        strength="only-when" if stands else "refuted",
        asked=len(inside),
        agreed=inside.count(True),
        as_rules=inside.count(False),
        only_when=clause,
        elsewhere_asked=len(elsewhere),
        elsewhere_agreed=elsewhere.count(True),
    )


def draw_small(
    rng: Random,
    claim: Claim,
    seeds: Sequence[OrderedPosition] = (),
    drawn: set[Hashable] | None = None,
    *,
    most_tried: int = _MOST_TRIED,
) -> Iterator[Experiment]:
    """Draw fresh experiments with few units, so that little is so in them by chance.

    `drawn` holds the keys of positions that are not to be asked; those that are drawn are added. The other arguments
    are those of `find_experiments`.
    """
    drawn = set() if drawn is None else drawn
    families = Counter[Hashable]()
    for experiment, family in draw_experiments(rng, claim, seeds, drawn, most_tried):
        if family != "seeds" and families[family] >= _MOST_OF_ONE:
            continue
        small = experiment
        if len(experiment.ordered.units) > _MOST_UNITS:
            shrinker = Shrinker(lambda ordered: claim.experiment_on(ordered) is not None, _MOST_QUESTIONS)
            small = claim.experiment_on(shrinker.shrink_in_place(experiment.ordered)) or experiment
        key = key_of(small.ordered)
        if key not in drawn:
            families[family] += 1
            drawn.add(key)
            yield small


def _learn_clause(answered: Sequence[tuple[Experiment, bool]]) -> Clause | None:
    """Find what tells positions answered as predicted from the others: the shortest clause, the first of such."""
    features = [seen for experiment, _ in answered if (seen := _features(experiment)) is not None]
    count, predicted = len(answered), _bits(as_predicted for _, as_predicted in answered)
    every, positives = (1 << count) - 1, predicted.bit_count()
    if len(features) < count or min(positives, count - positives) < FEWEST:
        return None
    covering = {literal: _bits(is_so(literal, seen) for seen in features) for literal in LITERALS}
    literals = [(literal, bits) for literal, bits in covering.items() if 0 < bits < every]
    best: tuple[int, Clause] | None = None
    for size in range(1, _MOST_LITERALS + 1):
        for chosen in itertools.combinations(literals, size):
            covered = every
            for _, bits in chosen:
                covered &= bits
            slips = (covered ^ predicted).bit_count()
            enough = min(covered.bit_count(), count - covered.bit_count()) >= FEWEST
            rank = slips + _SLIPS_OF_A_LITERAL * size
            if enough and slips <= _SLIPS * count and (best is None or rank < best[0]):
                best = rank, tuple(literal for literal, _ in chosen)
    return best and best[1]


def _bits(values: Iterable[bool]) -> int:
    return sum(1 << index for index, value in enumerate(values) if value)
