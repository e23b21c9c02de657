"""Asks an engine the experiments of a statement, and more while they leave it open, and weighs its answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import final

from msgspec.structs import replace

from ...reference_engine import Phase
from ...reports.statements import UNTESTED, Evidence, Strength
from ..play.differential import Played, agree, ask
from ..play.positions import OrderedPosition
from ..play.session import Adjudicator
from .experiment import ENOUGH, AskedPosition, Claim, Experiment, find_experiments, is_failure
from .shrink import question_key

_FIRST = 8
"""So many experiments are asked first."""
FEWEST = 4
"""With fewer experiments than these nothing is confirmed, though no more exist."""
CONFIRMED, _SOMETIMES = 0.9, 0.5
"""The shares of experiments from which something is confirmed, and from which it is so sometimes."""
_MOST_AT_RANDOM, _MOST_TRIED_APART = 400, 200
"""Positions that are looked at at random, and to tell a statement from another one."""
MOST_FAILURES = 3
"""So many questions without an answer in a row, and an engine is asked no more."""
_ASKED_AGAIN = 5
_OF_A_RIVAL = 8
"""So many experiments tell a statement from each other one that may be true instead."""
_CLOSE, _MOST_TURNS = 0.1, 3
"""So near the border between two words more is asked, and so often all in all."""


@final
class AskedOnce:
    """An engine that is asked a position once in a command: its answers are kept for all that is said of it."""

    def __init__(self, engine: Adjudicator) -> None:
        self.engine = engine
        self._answers: dict[Hashable, Played] = {}

    def ask(self, ordered: OrderedPosition) -> Played:
        """Return what the engine answers, or answered. Raises `EngineGaveOutError` and `EngineClosedError`."""
        key = question_key(ordered)
        if key not in self._answers:
            self._answers[key] = ask(self.engine, ordered)
        return self._answers[key]


def try_statement(
    engine: AskedOnce,
    claim: Claim,
    seeds: Sequence[OrderedPosition] = (),
    others: Sequence[Adjudicator] = (),
    rivals: Mapping[str, Adjudicator] | None = None,
    seed: int = 0,
    pool: Sequence[AskedPosition] | None = None,
    suspects: Mapping[str, Adjudicator] | None = None,
    before: Sequence[OrderedPosition] = (),
) -> Evidence:
    """Ask experiments about a claim, and say what the answers show; the arguments are those of `find_experiments`.

    If the first few are all answered by the rules, it is refuted, and no more are asked.
    Where what showed it agrees, others are asked that are not like it, and for choices also some at random. These have
    `rivals`, by their names, that may be true instead: positions of the `pool` and others distinguish each from the
    claim. So are `suspects`, if the engine answers as these do. What was asked `before` shows nothing new.

    Raises `EngineGaveOutError` and `EngineClosedError`.
    """
    few = weigh(engine, find_experiments(claim, seeds, others, count=_FIRST, seed=seed, asked=before))
    if few.as_rules == few.asked >= _FIRST:
        return few
    aimed, evidence = ask_until_clear(
        engine,
        lambda turn, asked: find_experiments(claim, seeds, others, seed=seed + 2 * turn, asked=[*before, *asked]),
    )
    asked = [*seeds, *before, *_positions(aimed)]
    more: list[Experiment] = []
    if evidence.strength == "confirmed":
        phases: set[Phase] = {one.ordered.phase for one in aimed}

        def find_others(turn: int, so_far: Sequence[OrderedPosition]) -> Sequence[Experiment]:
            known, now = [*asked, *so_far], seed + 1 + 2 * turn
            at_random = (
                find_experiments(
                    claim, count=ENOUGH // 2, seed=now, pool=(), asked=known, most_tried=_MOST_AT_RANDOM, phases=phases
                )
                if rivals is not None
                else ()
            )
            known += _positions(at_random)
            return [*at_random, *find_experiments(claim, count=ENOUGH - len(at_random), seed=now, asked=known)]

        more, others_say = ask_until_clear(engine, find_others, neither=0.5)
        evidence = _confirmed_by(evidence, others_say)
    if evidence.strength not in ("confirmed", "sometimes") or not rivals:
        return evidence
    asked = _positions([*aimed, *more])
    likely = {
        name: each for name, each in (suspects or {}).items() if name not in rivals and _is_like(engine, each, asked)
    }
    return _apart(engine, claim, {**rivals, **likely}, evidence, asked, seed, pool)


def _is_like(engine: AskedOnce, other: Adjudicator, asked: Sequence[AskedPosition]) -> bool:
    """Whether an engine answered as another one would, except a few times."""
    misses = (ordered for ordered in asked if not agree(ordered.answer(other), engine.ask(ordered)))
    few = int((1 - CONFIRMED) * len(asked))
    return sum(1 for _ in itertools.islice(misses, few + 1)) <= few


def _positions(experiments: Iterable[Experiment]) -> list[AskedPosition]:
    return [one.ordered for one in experiments]


def ask_until_clear(
    engine: AskedOnce,
    find: Callable[[int, Sequence[OrderedPosition]], Sequence[Experiment]],
    *,
    neither: float | None = 0.0,
) -> tuple[list[Experiment], Evidence]:
    """Ask experiments, and more while a few other answers might give another word for what they show.

    `find` returns those of a turn, given what was asked. An answer that is neither as predicted nor as the rules have
    it counts as so much of one that agrees; `None`: it says nothing. Raises as `weigh` does.
    """
    asked: list[Experiment] = []
    evidence = UNTESTED
    for turn in range(_MOST_TURNS):
        more = find(turn, _positions(asked))
        asked += more
        evidence = weigh(engine, asked, neither=neither) if more else evidence
        if not more or not _is_close(evidence, neither):
            break
    return asked, evidence


def _is_close(evidence: Evidence, neither: float | None) -> bool:
    """Whether a few other answers might give another word, as a single one of many does not."""
    counted, agreed = _counted(evidence, neither)
    if counted < FEWEST or agreed >= counted - (counted >= ENOUGH):
        return False
    return any(abs(agreed / counted - each) <= _CLOSE for each in (CONFIRMED, _SOMETIMES))


def _counted(evidence: Evidence, neither: float | None) -> tuple[int, float]:
    """Count the answers that say something, and those that agree."""
    if neither is None:
        return evidence.agreed + evidence.as_rules, evidence.agreed
    return evidence.asked, evidence.agreed + neither * (evidence.asked - evidence.agreed - evidence.as_rules)


def _confirmed_by(first: Evidence, more: Evidence) -> Evidence:
    """Put together what confirms a statement, and what experiments say that are not aimed at what showed it before."""
    if not more.asked:
        return first
    both = _together(first, more)
    counted, agreed = _counted(more, 0.5)
    stands = agreed >= CONFIRMED * counted
    return replace(both, strength="confirmed" if stands else strength_of(both.asked, both.agreed, most="sometimes"))


def _apart(
    engine: AskedOnce,
    claim: Claim,
    rivals: Mapping[str, Adjudicator],
    first: Evidence,
    asked: Sequence[OrderedPosition],
    seed: int,
    pool: Sequence[AskedPosition] | None,
) -> Evidence:
    """Ask positions on which what may be true instead has another answer than a claim that stood its test until now.

    What has the right answer less often than one of these is refuted, also where it shows sometimes.
    """
    alike: list[str] = []
    for name, rival in rivals.items():
        fresh, evidence = _tell_apart(engine, claim._replace(rules=rival), asked, seed, pool)
        if evidence.strength == "untested":
            alike.append(name)
        elif evidence.agreed < evidence.as_rules:
            return replace(evidence, strength="refuted")
        elif first.strength == "sometimes":
            continue
        elif evidence.strength != "confirmed":
            return evidence
        else:
            first = _together(first, weigh(engine, fresh))
            asked = [*asked, *_positions(fresh)]
    return replace(first, alike=tuple(alike))


def _tell_apart(
    engine: AskedOnce,
    versus: Claim,
    asked: Sequence[OrderedPosition],
    seed: int,
    pool: Sequence[AskedPosition] | None,
) -> tuple[Sequence[Experiment], Evidence]:
    """Ask positions on which two hypotheses differ, those first that were asked already; return what is new, too."""
    known = [each for ordered in asked if (each := versus.experiment_on(ordered)) is not None]

    def find(turn: int, so_far: Sequence[OrderedPosition]) -> Sequence[Experiment]:
        first, before = () if turn else known, [*asked, *so_far]
        if len(first) >= _OF_A_RIVAL:
            return first
        count, most = _OF_A_RIVAL - len(first), _MOST_TRIED_APART
        more = find_experiments(versus, count=count, seed=seed + turn, pool=pool, asked=before, most_tried=most)
        return [*first, *more]

    tried, evidence = ask_until_clear(engine, find, neither=None)
    return tried[len(known) :], evidence


def _together(one: Evidence, other: Evidence) -> Evidence:
    return replace(
        one, asked=one.asked + other.asked, agreed=one.agreed + other.agreed, as_rules=one.as_rules + other.as_rules
    )


def weigh(
    engine: AskedOnce,
    experiments: Iterable[Experiment],
    *,
    neither: float | None = 0.0,
    if_confirmed: bool = False,
) -> Evidence:
    """Ask an engine experiments, and say what its answers show; what is `neither` counts as in `ask_until_clear`.

    With `if_confirmed`, it is asked no more once too few of `ENOUGH` answers can agree. Raises `EngineGaveOutError` and
    `EngineClosedError`.
    """
    answered: list[tuple[Experiment, Played]] = []
    asked = agreed = as_rules = failures = 0
    for experiment in experiments:
        said = engine.ask(experiment.ordered)
        failures = failures + 1 if is_failure(said) else 0
        if failures == MOST_FAILURES:
            return UNTESTED
        if not said:
            continue
        answered.append((experiment, said))
        as_predicted, by_rules = (experiment.is_as(each, said) for each in (experiment.predicted, experiment.by_rules))
        if as_predicted and by_rules:
            continue  # An engine that leaves out what tells the two apart, such as retreats, says nothing.
        asked, agreed, as_rules = asked + 1, agreed + as_predicted, as_rules + by_rules
        if if_confirmed and asked - agreed > ENOUGH - CONFIRMED * ENOUGH:
            break
    found = Evidence(strength="untested", asked=asked, agreed=agreed, as_rules=as_rules)
    strength = strength_of(*_counted(found, neither))
    flaky = (
        strength == "sometimes"
        and not if_confirmed
        and any(not agree(said, ask(engine.engine, experiment.ordered)) for experiment, said in answered[:_ASKED_AGAIN])
    )
    return replace(found, strength=strength, flaky=flaky)


def strength_of(asked: int, agreed: float, most: Strength = "confirmed") -> Strength:
    """Say how strongly a statement is confirmed that agrees with so many answers."""
    if asked < FEWEST:
        return "untested"
    if agreed >= CONFIRMED * asked:
        return most
    return "sometimes" if agreed >= _SOMETIMES * asked else "refuted"
