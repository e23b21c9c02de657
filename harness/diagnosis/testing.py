"""Tests by new questions what explains an engine's wrong answers, the likeliest cause first, before any is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from ...reference_engine import Ruleset
from ...reports import Evidence
from ..experiments.changes import HashableChange
from ..experiments.conditions import find_condition
from ..experiments.trials import FEWEST, confirm, find_experiments, weigh
from ..positions import OrderedPosition
from ..session import Adjudicator, ReferenceAdjudicator
from .mutants import MUTANTS

Cause: TypeAlias = "HashableChange | str"
"""Choices, or the name of a mutant."""
T = TypeVar("T")

MOST_TESTED = 15
"""Statements about one engine that are tested at most: some 300 questions."""
MOST_TESTED_BY_DOCTOR = 50
"""So many where it is asked for the causes of all that it answers wrong."""
_ONE_CONDITION_IN = 5
"""For one of so many causes that are tested, a condition is looked for at most."""
_MOST_OTHERS = 5
_MOST_SEEDS = 8


@dataclass(frozen=True)
class Tested(Generic[T]):
    """A cause, the wrong answers that it explains, and how it stood its test."""

    cause: Cause
    explained: tuple[T, ...]
    evidence: Evidence


@dataclass
class CauseTests(Generic[T]):
    """The tests of one engine, and what they showed so far."""

    engine: Adjudicator
    ruleset: Ruleset
    """What it was asked to play."""
    left: list[T]
    """Its wrong answers that have no cause yet."""
    causes_of: Callable[[T, Ruleset], Sequence[Cause]]
    """What explains one under some rules."""
    position_of: Callable[[T], OrderedPosition | None]
    partial_causes_of: Callable[[T, Ruleset], Sequence[Cause]] = lambda one, rules: ()  # noqa: ARG005 - names of the type
    """What explains one but is contradicted by other answers: it may be true under a condition."""
    seed: int = 0
    stop: Callable[[], bool] = lambda: False
    """Whether the engine is to be asked no more."""
    most: int = MOST_TESTED
    named: list[Tested[T]] = field(default_factory=list)
    """What was confirmed, and what shows sometimes."""
    refuted: list[Tested[T]] = field(default_factory=list)
    believed: dict[str, str] = field(default_factory=dict[str, str])
    """The confirmed choices: the rules are taken to be these in what follows."""
    _looked_for: int = 0
    """The causes for which a condition was looked for."""

    @property
    def rules(self) -> Ruleset:
        """The rules that the engine is believed to play."""
        return self.ruleset.with_choices(self.believed) if self.believed else self.ruleset

    def run(self) -> None:
        """Test the causes that explain most; then name what shows sometimes.

        Raises `EngineGaveOutError` and `EngineClosedError`.
        """
        sometimes: dict[Cause, Evidence] = {}
        tried: dict[Cause, Evidence] = {}
        for _ in range(self.most):
            votes = Counter(cause for one in self.left for cause in self._causes_of(one) if cause not in tried)
            if not votes or self.stop():
                break
            # A choice of the rules rather than a bug, and one choice rather than several.
            cause = max(votes, key=lambda each: (votes[each], not isinstance(each, str), -len(each)))
            mine = [one for one in self.left if cause in self._causes_of(one)]
            evidence = self.test(cause, mine, [each for each, _ in votes.most_common() if each != cause])
            tried[cause] = evidence
            self.refuted = [each for each in self.refuted if each.cause != cause]
            _ = sometimes.pop(cause, None)
            if evidence.strength == "confirmed":
                self._name(cause, mine, evidence)
                if not isinstance(cause, str):
                    self.believed.update(cause)
                    # What showed sometimes was tested under other rules.
                    tried = {each: found for each, found in tried.items() if found.strength != "sometimes"}
            elif evidence.strength == "sometimes":
                sometimes[cause] = evidence
            else:
                self.refuted.append(Tested(cause, tuple(mine), evidence))
        for cause, evidence in sorted(sometimes.items(), key=lambda pair: -pair[1].agreed):
            mine = [one for one in self.left if cause in self._causes_of(one)]
            # Other bugs may have been in the way that are known by now.
            again = self.test(cause, mine, ()) if mine and not self.stop() else evidence
            best = max(evidence, again, key=lambda each: each.agreed)
            self._name(cause, mine, (best.strength != "confirmed" and self._find_condition(cause, mine)) or best)
        self._look_for_conditions()

    def _look_for_conditions(self) -> None:
        """Name what explains a part of the answers, where a condition says which; what explains most comes first."""
        tried = {each.cause for each in self.refuted}
        for refuted in [each for each in self.refuted if each.evidence.agreed >= FEWEST]:
            if self._name_under_condition(refuted.cause):
                self.refuted = [each for each in self.refuted if each is not refuted]
        while not self._enough_conditions:
            votes = Counter(each for one in self.left for each in self._partial_causes_of(one) if each not in tried)
            if not votes:
                break
            ((cause, _),) = votes.most_common(1)
            tried.add(cause)
            _ = self._name_under_condition(cause)

    def _name_under_condition(self, cause: Cause) -> bool:
        """Name a cause if a condition says when it is true; return whether one does."""
        mine = [one for one in self.left if cause in (*self._causes_of(one), *self._partial_causes_of(one))]
        evidence = self._find_condition(cause, mine)
        if evidence is not None:
            self._name(cause, mine, evidence)
        return evidence is not None

    @property
    def _enough_conditions(self) -> bool:
        return self._looked_for * _ONE_CONDITION_IN >= self.most or self.stop()

    def _find_condition(self, cause: Cause, mine: Sequence[T]) -> Evidence | None:
        """Find when an engine behaves like a cause that explains only a part of what it is asked."""
        if not mine or self._enough_conditions:
            return None
        self._looked_for += 1
        system, reference = self.system(cause), ReferenceAdjudicator(self.rules)
        return find_condition(self.engine, system, reference, self._seeds(mine), self._known(cause), seed=self.seed)

    def test(self, cause: Cause, mine: Sequence[T], others: Sequence[Cause]) -> Evidence:
        """Test a cause on positions like those that it explains, apart from other causes."""
        seeds, known = self._seeds(mine), self._known(cause)
        apart = [self.system(each) for each in others[:_MOST_OTHERS]]
        system, reference = self.system(cause), ReferenceAdjudicator(self.rules)
        aimed = find_experiments(system, reference, seeds, apart, known, seed=self.seed)
        evidence = weigh(self.engine, aimed)
        if evidence.strength != "confirmed":
            return evidence
        asked = [*seeds, *(one.ordered for one in aimed)]
        more = find_experiments(system, reference, known=known, seed=self.seed + 1, asked=asked)
        return confirm(self.engine, evidence, more)

    def _seeds(self, mine: Sequence[T]) -> Sequence[OrderedPosition]:
        return [ordered for one in mine if (ordered := self.position_of(one)) is not None][:_MOST_SEEDS]

    def _known(self, cause: Cause) -> Sequence[Adjudicator]:
        """What is named already, which must not show in the experiments of another cause."""
        return [
            self.system(each.cause)
            for each in self.named
            if isinstance(each.cause, str) and each.cause != cause and each.evidence.strength != "only-when"
        ]

    def system(self, cause: Cause) -> ReferenceAdjudicator:
        """The reference with a cause, under the rules believed."""
        if isinstance(cause, str):
            return ReferenceAdjudicator(self.rules, MUTANTS[cause].procedure, cause)
        return ReferenceAdjudicator(self.rules.with_choices(dict(cause)), called=text_of(cause))

    def _causes_of(self, one: T) -> Sequence[Cause]:
        return self.causes_of(one, self.rules)

    def _partial_causes_of(self, one: T) -> Sequence[Cause]:
        return self.partial_causes_of(one, self.rules)

    def _name(self, cause: Cause, mine: Iterable[T], evidence: Evidence) -> None:
        explained = tuple(mine)
        if explained:
            self.left = [one for one in self.left if one not in explained]
            self.named.append(Tested(cause, explained, evidence))


def text_of(change: HashableChange) -> str:
    """Write choices: `"4.A.2 = 1982 and X.4 = grand-winner"`."""
    return " and ".join(f"{issue} = {choice}" for issue, choice in change)


def changes_from(rules: Ruleset, every: Iterable[Mapping[str, str]]) -> list[HashableChange]:
    """Return what of some choices is another than that of some rules; without those of which nothing is."""
    choices = rules.choices
    found = (tuple(sorted((i, c) for i, c in change.items() if choices[i] != c)) for change in every)
    return list(dict.fromkeys(change for change in found if change))


def refuted_text(cause: Cause) -> str:
    """Say what looked like the cause of an answer, and is not."""
    if isinstance(cause, str):
        return f"like an engine that {MUTANTS[cause].sentence}, which it does not do"
    return f"right under {text_of(cause)}, which it does not play"
