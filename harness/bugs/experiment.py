"""Experiments: before a statement about an engine is made, the engine is asked new positions that would show it.

A hypothesis is a rule system: the reference engine under some ruleset, or a mutant of it. An experiment is a position
on which its answer differs from that of the rules that the engine is believed to play.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple, final

from ...reports.statements import UNTESTED, Evidence, Strength
from ..play.answer import AnswerOrFailure, Failure
from ..play.differences import diff_answers, expect_answer
from ..play.differential import Played, agree, ask
from ..play.positions import OrderedPosition
from ..play.session import Adjudicator
from .variations import drawn_at_random, key_of, positions_of_suites, vary

ENOUGH = 20
"""So many experiments are made before something is said."""
FEWEST = 4
"""With fewer experiments than these nothing is confirmed, though no more exist."""
CONFIRMED, _SOMETIMES = 0.9, 0.5
"""The shares of experiments from which something is confirmed, and from which it is so sometimes."""
_MOST_TRIED = 1500
"""Positions that are looked at for the experiments of one hypothesis."""
_OF_ONE = 4
"""So many variations of one position are experiments, unless there are no others."""
_MOST_COLLECTED = 5
MOST_FAILURES = 3
"""So many questions without an answer in a row, and an engine is asked no more."""
_ASKED_AGAIN = 5


@final
class AskedOnce:
    """An engine that is asked a position once in a command: its answers are kept for all that is said of it."""

    def __init__(self, engine: Adjudicator) -> None:
        self.engine = engine
        self._answers: dict[Hashable, Played] = {}

    def ask(self, ordered: OrderedPosition) -> Played:
        """Return what the engine answers, or answered. Raises `EngineGaveOutError` and `EngineClosedError`."""
        position = ordered.position
        centers = tuple(sorted((power, tuple(sorted(owned))) for power, owned in position.centers.items()))
        key = position.phase, position.units, centers, ordered.orders, ordered.retreats
        if key not in self._answers:
            self._answers[key] = ask(self.engine, ordered)
        return self._answers[key]


class Claim(NamedTuple):
    """What may be true of an engine, and what it is told apart from."""

    hypothesis: Adjudicator
    """The rules or the mutant that it may answer as."""
    rules: Adjudicator
    """The reference under the rules that it is believed to play."""
    known: Sequence[Adjudicator] = ()
    """What is true of it besides: where one of these gives the same answer, an experiment shows nothing."""

    def experiment_on(self, ordered: OrderedPosition, *, words: bool = False) -> Experiment | None:
        """Return the experiment that a position is; `None` where both answers are alike, or one is missing."""
        return _experiment(ordered, ask(self.hypothesis, ordered), ask(self.rules, ordered), words)


class Experiment(NamedTuple):
    """A position on which a hypothesis and the rules predict different answers."""

    ordered: OrderedPosition
    predicted: Played
    """What the hypothesis answers."""
    by_rules: Played

    @property
    def is_about_words(self) -> bool:
        """Whether both have the same boards, and say something else of an order."""
        return agree(self.by_rules, self.predicted)

    def is_as(self, expected: Played, said: Played) -> bool:
        """Whether an answer is this one, of the two, in what tells them apart."""
        if not agree(expected, said):
            return False
        if not self.is_about_words:
            return True
        # Only the outcomes of the orders count of which the two say something else: other words are the engine's own.
        for one, other, wanted, got in zip(self.predicted, self.by_rules, expected, said, strict=False):
            if isinstance(wanted.answer, Failure) or isinstance(got.answer, Failure):
                return False
            facts = diff_answers(expect_answer(wanted.answer, _telling_orders(one.answer, other.answer)), got.answer)
            if any(fact.order is not None for fact in facts):
                return False
        return True


def _telling_orders(one: AnswerOrFailure, other: AnswerOrFailure) -> Sequence[int]:
    """Find the orders of which two answers say that they ended otherwise."""
    if isinstance(one, Failure) or isinstance(other, Failure):
        return ()
    pairs = enumerate(zip(one.outcomes or (), other.outcomes or (), strict=False))
    return [index for index, (mine, theirs) in pairs if mine and theirs and mine.outcome != theirs.outcome]


def find_experiments(
    claim: Claim,
    seeds: Sequence[OrderedPosition] = (),
    others: Sequence[Adjudicator] = (),
    *,
    count: int = ENOUGH,
    seed: int = 0,
    pool: tuple[OrderedPosition, ...] | None = None,
    asked: Iterable[OrderedPosition] = (),
    most_tried: int = _MOST_TRIED,
) -> Sequence[Experiment]:
    """Find so many fresh positions, or fewer, that would show a claim and tell it as far as they can from others.

    They are the same for a seed. It shows perhaps in the positions of the `pool`, which are those of all suites if it
    is `None`, and did in the `seeds`; these are not asked again, nor what was `asked`. So many random positions and
    variations are looked at besides.
    """
    before = {key_of(ordered) for ordered in (*seeds, *asked)}
    rng = Random(f"{seed} {claim.hypothesis.name}")  # noqa: S311 - positions, not secrets
    for words in (False, True):  # What shows on no board may show in the words for orders.
        drawn = draw_experiments(rng, claim, seeds, before, most_tried, pool, words=words)
        if found := _clearest(drawn, (*claim.known, *others), count):
            return found
    return []


def draw_experiments(
    rng: Random,
    claim: Claim,
    seeds: Sequence[OrderedPosition],
    before: Collection[Hashable],
    most_tried: int,
    pool: tuple[OrderedPosition, ...] | None = None,
    *,
    words: bool = False,
) -> Iterator[tuple[Experiment, Hashable]]:
    """Draw experiments as they come, each with what it is a variation of.

    The arguments are those of `find_experiments`; `before` has the keys of positions that are not to be asked. An
    experiment is left out if its outcome follows from what is known of an engine.
    """
    pool = pool or positions_of_suites()
    answered = zip(pool, _answers(claim.hypothesis, pool), _answers(claim.rules, pool), strict=True)
    showing = [ordered for ordered, mine, theirs in answered if _experiment(ordered, mine, theirs, words) is not None]
    asked = set(before)
    for ordered, family in _aimed(rng, seeds, showing, most_tried):
        key = key_of(ordered)
        experiment = None if key in asked else claim.experiment_on(ordered, words=words)
        asked.add(key)
        if experiment is not None:
            by_known = (ask(each, ordered) for each in claim.known)
            if not any(said and experiment.is_as(experiment.predicted, said) for said in by_known):
                yield experiment, family


def _clearest(
    experiments: Iterable[tuple[Experiment, Hashable]], others: Sequence[Adjudicator], count: int
) -> Sequence[Experiment]:
    """Take those to which no other hypothesis has an answer of its own, or else at least another answer.

    Few are variations of the same position: what is the cause there may be another one.
    """
    collected: list[tuple[int, Hashable, Experiment]] = []
    clear = Counter[Hashable]()
    for experiment, family in experiments:
        confusion = _confusion(experiment, others)
        collected.append((confusion, family, experiment))
        clear[family] += not confusion
        if len(collected) >= _MOST_COLLECTED * count or sum(min(each, _OF_ONE) for each in clear.values()) >= count:
            break
    collected.sort(key=lambda each: each[0])
    # By turns: the first few of each family, then the next few.
    families: dict[Hashable, Iterator[int]] = defaultdict(itertools.count)
    ranked = [(next(families[family]) // _OF_ONE, experiment) for _, family, experiment in collected]
    ranked.sort(key=lambda each: each[0])
    return [experiment for _, experiment in ranked[:count]]


def _confusion(experiment: Experiment, others: Sequence[Adjudicator]) -> int:
    """Return 2 where another hypothesis gives the same answer, 1 where one gives an answer of its own, 0 otherwise."""
    confusion = 0
    for other in others:
        said = ask(other, experiment.ordered)
        if said and not experiment.is_as(experiment.by_rules, said):
            if experiment.is_as(experiment.predicted, said):
                return 2
            confusion = 1
    return confusion


def _experiment(ordered: OrderedPosition, predicted: Played, by_rules: Played, words: bool) -> Experiment | None:
    if not predicted or not by_rules or agree(by_rules, predicted, words=words) or is_failure(by_rules):
        return None
    return Experiment(ordered, predicted, by_rules)


@lru_cache(maxsize=32)
def _answers(adjudicator: Adjudicator, pool: tuple[OrderedPosition, ...]) -> Sequence[Played]:
    """Ask the reference or a mutant of it the positions of a pool, which are the same for many experiments."""
    return [ask(adjudicator, ordered) for ordered in pool]


def is_failure(said: Played) -> bool:
    """Whether an answer ends with a failure."""
    return bool(said) and isinstance(said[-1].answer, Failure)


def _aimed(
    rng: Random, seeds: Sequence[OrderedPosition], of_suites: Sequence[OrderedPosition], most_tried: int
) -> Iterator[tuple[OrderedPosition, Hashable]]:
    """Variations of what showed it already, by turns with those of cases that show it, and random positions."""
    seen = {key_of(ordered) for ordered in seeds}
    families = ["seeds" if key_of(ordered) in seen else number for number, ordered in enumerate(of_suites)]
    yield from zip(of_suites, families, strict=True)
    at_random = drawn_at_random(rng)
    for tried in range(most_tried):
        turn, number = tried % 3, tried // 3
        if seeds and turn == 0:
            yield vary(rng, seeds[number % len(seeds)]), "seeds"
        elif of_suites and turn == 1:
            place = number % len(of_suites)
            yield vary(rng, of_suites[place]), families[place]
        else:
            yield next(at_random), f"random {tried}"


def confirm(engine: AskedOnce, first: Evidence, experiments: Sequence[Experiment]) -> Evidence:
    """Ask more experiments, not aimed at what showed a statement before, about one that seems confirmed.

    Other bugs may show in them, too: an answer that is neither as predicted nor as the rules have it counts half.
    """
    more = weigh(engine, experiments)
    if not more.asked:
        return first
    neither = more.asked - more.agreed - more.as_rules
    stands = more.agreed + neither / 2 >= CONFIRMED * more.asked
    asked, agreed = first.asked + more.asked, first.agreed + more.agreed
    strength = "confirmed" if stands else strength_of(asked, agreed, most="sometimes")
    return Evidence(strength=strength, asked=asked, agreed=agreed, as_rules=first.as_rules + more.as_rules)


def weigh(engine: AskedOnce, experiments: Iterable[Experiment], *, either: bool = False) -> Evidence:
    """Ask an engine experiments, and say what its answers show. Raises `EngineGaveOutError` and `EngineClosedError`.

    `either` is for a hypothesis that is true of it or else the rules: an answer which is neither says nothing.
    """
    answered: list[tuple[Experiment, Played]] = []
    failures = 0
    for experiment in experiments:
        said = engine.ask(experiment.ordered)
        failures = failures + 1 if is_failure(said) else 0
        if failures == MOST_FAILURES:
            return UNTESTED
        if said:
            answered.append((experiment, said))
    # An engine that leaves out what tells the two apart says nothing.
    by_rules = [experiment.is_as(experiment.by_rules, said) for experiment, said in answered]
    as_predicted = [experiment.is_as(experiment.predicted, said) for experiment, said in answered]
    agreed = sum(mine and not theirs for mine, theirs in zip(as_predicted, by_rules, strict=True))
    strength = strength_of(agreed + sum(by_rules) if either else len(answered), agreed)
    flaky = strength == "sometimes" and any(
        not agree(said, ask(engine.engine, experiment.ordered)) for experiment, said in answered[:_ASKED_AGAIN]
    )
    return Evidence(strength=strength, asked=len(answered), agreed=agreed, as_rules=sum(by_rules), flaky=flaky)


def strength_of(asked: int, agreed: int, most: Strength = "confirmed") -> Strength:
    """Say how strongly a statement is confirmed that agrees with so many answers."""
    if asked < FEWEST:
        return "untested"
    if agreed >= CONFIRMED * asked:
        return most
    return "sometimes" if agreed >= _SOMETIMES * asked else "refuted"
