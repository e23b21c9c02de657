"""Finds under which condition an engine answers as a hypothesis that explains only a part of what it is asked."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from random import Random
from typing import NamedTuple, final

from ...reports import Evidence
from ..answers import Answer, Failure
from ..asking import ask
from ..generating.shrink import Shrinker
from ..positions import OrderedPosition
from ..session import Adjudicator
from .scene import CONDITIONS, Condition, Scene
from .trials import CONFIRMED, ENOUGH, FEWEST, Experiment, draw_experiments, experiment_on
from .variations import key_of, positions_of_suites

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
_MOST_FAILURES = 3
"""After so many failures in a row nothing more is asked."""
_SLIPS = 0.1
"""The share of answers that a guess may have against it."""


class Clause(NamedTuple):
    """Conditions, or opposites of them, that are all to hold."""

    literals: tuple[tuple[Condition, bool], ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """What comes after "only when"."""
        return tuple(condition.text if wanted else condition.opposite for condition, wanted in self.literals)

    def holds(self, experiment: Experiment) -> bool:
        """Whether an experiment is a case of it."""
        scene = _scene(experiment)
        return scene is not None and all(condition.holds(scene) is wanted for condition, wanted in self.literals)


def clause_of(texts: Iterable[str]) -> Clause:
    """Return the clause with these texts. Raises `KeyError`."""
    literals = {one.text: (one, True) for one in CONDITIONS} | {one.opposite: (one, False) for one in CONDITIONS}
    return Clause(tuple(literals[text] for text in texts))


class _Seen(NamedTuple):
    """An experiment that was answered as the hypothesis predicts, or as the rules have it."""

    experiment: Experiment
    as_predicted: bool


def find_condition(
    engine: Adjudicator,
    hypothesis: Adjudicator,
    rules: Adjudicator,
    seeds: Sequence[OrderedPosition],
    known: Sequence[Adjudicator] = (),
    *,
    seed: int = 0,
) -> Evidence | None:
    """Find a condition under which an engine answers as a hypothesis, and otherwise by the rules; test it.

    Some 120 questions are asked at most.

    Args:
        engine: The engine.
        hypothesis: What explains a part of its answers.
        rules: The reference under the rules that the engine is believed to play.
        seeds: Positions that showed it.
        known: What else is true of the engine.
        seed: Another one gives other positions.

    Returns:
        How the statement with its condition stood its test; `None` where no condition does.

    Raises `EngineGaveOutError` and `EngineClosedError`.
    """
    return _Search(engine, hypothesis, rules, known, seed).run(seeds)


@final
class _Search:
    """What was seen of an engine, while a condition is looked for."""

    def __init__(
        self, engine: Adjudicator, hypothesis: Adjudicator, rules: Adjudicator, known: Sequence[Adjudicator], seed: int
    ) -> None:
        self._engine = engine
        self._hypothesis = hypothesis
        self._rules = rules
        self._known = known
        self._rng = Random(f"condition {seed} {hypothesis.name}")  # noqa: S311 - positions, not secrets
        self._asked: set[Hashable] = set()
        self._seen: list[_Seen] = []
        self._failures = 0

    def run(self, seeds: Sequence[OrderedPosition]) -> Evidence | None:
        self._asked.update(map(key_of, seeds))
        for experiment in itertools.islice(self._draw(seeds), _FIRST):
            _ = self._ask(experiment)
        for _ in range(_ROUNDS):
            clause = _learn_clause(self._seen)
            if clause is None or self._failures >= _MOST_FAILURES:
                return None
            evidence = self._test(clause, seeds)
            if evidence.strength == "only-when":
                return evidence
        return None

    def _test(self, clause: Clause, seeds: Sequence[OrderedPosition]) -> Evidence:
        """Ask fresh positions on which the condition holds, and others.

        Those that are like nothing seen come first, and count on their own, too: what varies one position may all
        have one cause.
        """
        elsewhere: list[bool | None] = []
        inside: list[bool | None] = []
        stands = True
        for drawn in (self._draw((), 2 * _MOST_TRIED), self._draw(seeds)):
            for experiment in drawn:
                if min(len(inside), len(elsewhere)) >= ENOUGH or self._failures >= _MOST_FAILURES:
                    break
                if max(inside.count(False), elsewhere.count(True)) > _SLIPS * ENOUGH:
                    break
                answers = inside if clause.holds(experiment) else elsewhere
                if len(answers) < ENOUGH:
                    answers.append(self._ask(experiment))
            stands = stands and len(inside) >= FEWEST and _count(inside) >= CONFIRMED * len(inside)
        stands = stands and len(elsewhere) >= FEWEST and elsewhere.count(True) <= (1 - CONFIRMED) * len(elsewhere)
        return Evidence(
            strength="only-when" if stands else "refuted",
            asked=len(inside),
            agreed=inside.count(True),
            as_rules=inside.count(False),
            only_when=clause.texts,
            elsewhere_asked=len(elsewhere),
            elsewhere_agreed=elsewhere.count(True),
        )

    def _ask(self, experiment: Experiment) -> bool | None:
        """Return whether an answer is as predicted, or by the rules; `None` where it is neither."""
        said = ask(self._engine, experiment.ordered)
        self._failures = self._failures + 1 if said and isinstance(said[-1].answer, Failure) else 0
        as_predicted = bool(said) and experiment.is_as(experiment.predicted, said)
        if not said or as_predicted == experiment.is_as(experiment.by_rules, said):
            return None
        self._seen.append(_Seen(experiment, as_predicted))
        return as_predicted

    def _draw(self, seeds: Sequence[OrderedPosition], most_tried: int = _MOST_TRIED) -> Iterator[Experiment]:
        return draw_small(
            self._rng, self._hypothesis, self._rules, seeds, self._known, self._asked, most_tried=most_tried
        )


def draw_small(
    rng: Random,
    hypothesis: Adjudicator,
    rules: Adjudicator,
    seeds: Sequence[OrderedPosition] = (),
    known: Sequence[Adjudicator] = (),
    asked: set[Hashable] | None = None,
    *,
    most_tried: int = _MOST_TRIED,
) -> Iterator[Experiment]:
    """Draw fresh experiments with few units, so that little is so in them by chance.

    `asked` holds the keys of positions that are not to be asked; those that are drawn are added. The other arguments
    are those of `find_experiments`.
    """
    asked = set() if asked is None else asked
    families = Counter[Hashable]()
    pool = positions_of_suites()
    for experiment, family in draw_experiments(rng, hypothesis, rules, seeds, pool, asked, most_tried, known):
        if family != "seeds" and families[family] >= _MOST_OF_ONE:
            continue
        small = _shrunk(experiment, hypothesis, rules)
        key = key_of(small.ordered)
        if key not in asked:
            families[family] += 1
            asked.add(key)
            yield small


def _shrunk(experiment: Experiment, hypothesis: Adjudicator, rules: Adjudicator) -> Experiment:
    if len(experiment.ordered.units) <= _MOST_UNITS:
        return experiment

    def keeps(ordered: OrderedPosition) -> bool:
        return experiment_on(ordered, hypothesis, rules) is not None

    small = Shrinker(keeps, _MOST_QUESTIONS).shrink_in_place(experiment.ordered)
    return experiment_on(small, hypothesis, rules) or experiment


def _learn_clause(seen: Sequence[_Seen]) -> Clause | None:
    """Find what tells the positions that are answered as predicted from the others; `None` where nothing does.

    Of several that do about equally well it is the shortest, and of these the first of the vocabulary.
    """
    scenes = [scene for one in seen if (scene := _scene(one.experiment)) is not None]
    predicted = _bits(one.as_predicted for one in seen)
    every = (1 << len(seen)) - 1
    positives = predicted.bit_count()
    if len(scenes) < len(seen) or min(positives, len(seen) - positives) < FEWEST:
        return None
    literals: list[tuple[tuple[Condition, bool], int]] = []
    for condition in CONDITIONS:
        bits = _bits(condition.holds(scene) for scene in scenes)
        if bits not in (0, every):
            literals += [((condition, True), bits), ((condition, False), every ^ bits)]
    best: tuple[int, Clause] | None = None
    for size in range(1, _MOST_LITERALS + 1):
        for chosen in itertools.combinations(literals, size):
            covered = every
            for _, bits in chosen:
                covered &= bits
            slips = (covered ^ predicted).bit_count()
            enough = min(covered.bit_count(), len(seen) - covered.bit_count()) >= FEWEST
            rank = slips + _SLIPS_OF_A_LITERAL * size
            if enough and slips <= _SLIPS * len(seen) and (best is None or rank < best[0]):
                best = rank, Clause(tuple(literal for literal, _ in chosen))
    return best and best[1]


def _count(answers: Sequence[bool | None]) -> float:
    """Count what is as predicted; half what is neither so nor by the rules, which may be another bug."""
    return answers.count(True) + answers.count(None) / 2


def _bits(values: Iterable[bool]) -> int:
    return sum(1 << index for index, value in enumerate(values) if value)


def _scene(experiment: Experiment) -> Scene | None:
    answer = experiment.by_rules[0].answer
    return Scene(experiment.ordered, answer) if isinstance(answer, Answer) else None
