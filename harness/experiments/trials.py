"""Experiments: what is said of an engine is asked of it first, on fresh positions on which it would show.

A hypothesis is a rule system: the reference engine under some ruleset, or a mutant of it. An experiment is a position
on which it answers otherwise than the rules that the engine is believed to play.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, NamedTuple, TypeAlias, final

import msgspec

from ..answers import AnswerOrFailure, Failure, diff_answers, expect_answer
from ..asking import Played, agree, ask
from ..positions import OrderedPosition
from ..session import Adjudicator
from .variations import drawn_at_random, key_of, positions_of_suites, vary

Strength: TypeAlias = Literal["confirmed", "sometimes", "refuted", "untested"]
"""How well a statement stood its test."""

ENOUGH = 20
"""So many experiments are made before something is said."""
_FEWEST = 4
"""With fewer experiments than these nothing is confirmed, though no more exist."""
_CONFIRMED, _REFUTED = 0.9, 0.1
"""The shares of experiments from which something is confirmed, and to which it is refuted."""
_MOST_TRIED = 1500
"""Positions that are looked at for the experiments of one hypothesis."""
_MOST_FAILURES = 3
"""So many questions without an answer in a row, and an engine is asked no more."""
_ASKED_AGAIN = 5


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What experiments say of a statement."""

    strength: Strength
    asked: int = 0
    """Fresh positions on which the statement predicts another answer than the rules."""
    agreed: int = 0
    """Of these, those that were answered as it predicts."""
    as_rules: int = 0
    """Those that were answered as the rules have it."""
    flaky: bool = False
    """The same question, asked again, was answered otherwise."""


UNTESTED = Evidence(strength="untested")


class Experiment(NamedTuple):
    """A position on which a hypothesis and the rules predict different answers."""

    ordered: OrderedPosition
    predicted: Played
    """What the hypothesis answers."""
    by_rules: Played
    """What the rules answer."""

    @property
    def is_about_words(self) -> bool:
        """Whether both have the same boards, and say something else of an order."""
        return agree(self.by_rules, self.predicted)

    def is_as(self, expected: Played, said: Played) -> bool:
        """Whether an answer is this one, of the two, in what tells them apart."""
        return agree(expected, said) and (not self.is_about_words or self._same_words(expected, said))

    def _same_words(self, expected: Played, said: Played) -> bool:
        """Compare the outcomes of the orders of which the two say something else: other words are the engine's own."""
        for one, other, wanted, got in zip(self.predicted, self.by_rules, expected, said, strict=False):
            if any(isinstance(each.answer, Failure) for each in (one, other, wanted, got)):
                return False
            telling = telling_orders(one.answer, other.answer)
            if any(fact.order is not None for fact in diff_answers(expect_answer(wanted.answer, telling), got.answer)):
                return False
        return True


def telling_orders(one: AnswerOrFailure, other: AnswerOrFailure) -> Sequence[int]:
    """Find the orders of which two answers say that they ended otherwise."""
    if isinstance(one, Failure) or isinstance(other, Failure) or one.outcomes is None or other.outcomes is None:
        return ()
    pairs = enumerate(zip(one.outcomes, other.outcomes, strict=True))
    return [index for index, (mine, theirs) in pairs if mine and theirs and mine.outcome != theirs.outcome]


@final
@dataclass(frozen=True)
class Experimenter:
    """Finds experiments, and asks them of an engine."""

    engine: Adjudicator
    rules: Adjudicator
    """The reference under the rules that the engine is believed to play."""
    seed: int = 0
    count: int = ENOUGH

    def test(
        self, hypothesis: Adjudicator, seeds: Sequence[OrderedPosition] = (), others: Sequence[Adjudicator] = ()
    ) -> Evidence:
        """Ask an engine experiments about a hypothesis.

        Args:
            hypothesis: What may be true of the engine.
            seeds: Positions that showed it; none of them is asked again.
            others: Other hypotheses, which the experiments tell it apart from as far as they can.

        Raises `EngineGaveOutError` and `EngineClosedError`.
        """
        found = find_experiments(hypothesis, self.rules, seeds, others, count=self.count, seed=self.seed)
        return weigh(self.engine, found)


def find_experiments(
    hypothesis: Adjudicator,
    rules: Adjudicator,
    seeds: Sequence[OrderedPosition] = (),
    others: Sequence[Adjudicator] = (),
    *,
    count: int = ENOUGH,
    seed: int = 0,
) -> Sequence[Experiment]:
    """Find fresh positions on which a hypothesis answers otherwise than the rules, the same ones for a seed.

    Those come first on which no other hypothesis answers as this one does. Fewer are found where few exist.
    """
    rng = Random(f"{seed} {hypothesis.name}")  # noqa: S311 - positions, not secrets
    found = _clearest(_experiments(rng, hypothesis, rules, seeds), others, count)
    # What shows on no board may show in the words for orders.
    return found or _clearest(_experiments(rng, hypothesis, rules, seeds, words=True), others, count)


def _clearest(experiments: Iterable[Experiment], others: Sequence[Adjudicator], count: int) -> Sequence[Experiment]:
    """Take those to which no other hypothesis has an answer of its own, or else at least another answer."""
    ranked: tuple[list[Experiment], ...] = ([], [], [])
    for experiment in experiments:
        ranked[_confusion(experiment, others)].append(experiment)
        if len(ranked[0]) == count or len(ranked[1]) == 2 * count or len(ranked[2]) == 4 * count:
            break
    return tuple(itertools.chain.from_iterable(ranked))[:count]


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


def _experiments(
    rng: Random, hypothesis: Adjudicator, rules: Adjudicator, seeds: Sequence[OrderedPosition], *, words: bool = False
) -> Iterator[Experiment]:
    asked = {key_of(ordered) for ordered in seeds}
    for ordered in _aimed(rng, hypothesis, rules, seeds, words=words):
        key = key_of(ordered)
        if key in asked:
            continue
        asked.add(key)
        if (found := experiment_on(ordered, hypothesis, rules, words=words)) is not None:
            yield found


def experiment_on(
    ordered: OrderedPosition, hypothesis: Adjudicator, rules: Adjudicator, *, words: bool = False
) -> Experiment | None:
    """Return the experiment that a position is; `None` where both answer alike, or one has no answer."""
    predicted, by_rules = ask(hypothesis, ordered), ask(rules, ordered)
    if not predicted or not by_rules or agree(by_rules, predicted, words=words):
        return None
    return None if isinstance(by_rules[-1].answer, Failure) else Experiment(ordered, predicted, by_rules)


def _aimed(
    rng: Random, hypothesis: Adjudicator, rules: Adjudicator, seeds: Sequence[OrderedPosition], *, words: bool
) -> Iterator[OrderedPosition]:
    """Variations of what showed it already, by turns with those of cases that show it, and random positions."""
    of_suites = [one for one in positions_of_suites() if experiment_on(one, hypothesis, rules, words=words) is not None]
    yield from of_suites
    known = [*seeds, *of_suites]
    at_random = drawn_at_random(rng)
    for tried in range(_MOST_TRIED):
        yield vary(rng, known[tried % len(known)]) if known and tried % 4 < 3 else next(at_random)


def weigh(engine: Adjudicator, experiments: Iterable[Experiment]) -> Evidence:
    """Ask an engine experiments, and say what its answers show. Raises `EngineGaveOutError`, `EngineClosedError`."""
    answered: list[tuple[Experiment, Played]] = []
    failures = 0
    for experiment in experiments:
        said = ask(engine, experiment.ordered)
        failures = failures + 1 if said and isinstance(said[-1].answer, Failure) else 0
        if failures == _MOST_FAILURES:
            return UNTESTED
        if said:
            answered.append((experiment, said))
    agreed = [experiment.is_as(experiment.predicted, said) for experiment, said in answered]
    strength = _strength(len(agreed), sum(agreed))
    return Evidence(
        strength=strength,
        asked=len(agreed),
        agreed=sum(agreed),
        as_rules=sum(experiment.is_as(experiment.by_rules, said) for experiment, said in answered),
        flaky=strength == "sometimes" and _is_flaky(engine, answered),
    )


def _is_flaky(engine: Adjudicator, answered: Sequence[tuple[Experiment, Played]]) -> bool:
    """Whether an engine answers some question otherwise when it is asked again."""
    return any(not agree(said, ask(engine, experiment.ordered)) for experiment, said in answered[:_ASKED_AGAIN])


def _strength(asked: int, agreed: int) -> Strength:
    if asked < _FEWEST:
        return "untested"
    if agreed >= _CONFIRMED * asked:
        return "confirmed"
    return "refuted" if agreed <= _REFUTED * asked else "sometimes"
