"""Which whole parts of the rules an engine lacks: that is tested first, since most of its wrong answers follow from it.

Positions are drawn at random and made smaller, so that other bugs are not in the way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from random import Random

from ...cases import Case
from ...cases.tables import USUAL_EDITION
from ...reference_engine import ISSUES, OrderedUnit, Phase, Ruleset
from ...reference_engine.orders import PHASES, GivenOrder, Move
from ...reference_engine.procedures import EQUATIONS
from ...reports import CaseData
from ...reports.report import CaseName, MissingPart
from ...reports.statements import Evidence
from ..play.answer import AnswerOrFailure, Failure
from ..play.differential import Played, ask
from ..play.positions import OrderedPosition, helped_unit, ordered_province, ordered_unit
from ..play.session import Adjudicator
from .confirm import system
from .experiment import ENOUGH, AskedOnce, Claim, Experiment, weigh
from .generate import random_adjustments, random_movements, with_retreats
from .mutants import MUTANTS
from .mutants.missing import MISSING
from .shrink import Shrinker, question_key
from .terrain import PROFILES, terrain
from .topics import needs_of, topics

_MOST_DRAWN, _MOST_STEPS = 2000, 60
"""Positions that are looked at for the experiments of a part, and smaller ones of each."""
_OF_A_RIVAL = 8
"""So many experiments tell a missing part from a mutant that may be there instead."""


class _Located(Experiment):
    """An experiment in which those units count alone that the two predictions leave in other places."""

    def is_as(self, expected: Played, said: Played) -> bool:
        if len(said) < len(expected) or any(isinstance(one.answer, Failure) or one.impossible for one in said):
            return False
        telling = [mine ^ theirs for mine, theirs in zip(_boards(self.predicted), _boards(self.by_rules), strict=False)]
        return all(
            wanted & apart == got & apart
            for wanted, got, apart in zip(_boards(expected), _boards(said), telling, strict=False)
        )


def _boards(played: Played) -> Sequence[frozenset[Hashable]]:
    return [_board(one.answer) for one in played]


def _board(answer: AnswerOrFailure) -> frozenset[Hashable]:
    if isinstance(answer, Failure):
        return frozenset()
    return frozenset(answer.standing)


def find_missing(
    engine: AskedOnce,
    found: Iterable[CaseData],
    cases: Iterable[Case],
    ruleset: Ruleset,
    is_explained: Callable[[CaseData, Sequence[str]], bool],
    seed: int = 0,
) -> list[MissingPart]:
    """Find the parts of the rules that an engine lacks, those first on which the others rest.

    A part is tested if most of the cases that rest on it are not passed. `is_explained` says whether the rules without
    some parts give the answer of the engine. Raises `EngineGaveOutError` and `EngineClosedError`.
    """
    by_key = {case.key: case for case in cases}
    answered = [data for data in found if data.verdict in ("passed", "deviated", "failed")]
    needs = {data.key: needs_of(by_key[data.key], ruleset, MISSING) for data in answered}
    missing: list[MissingPart] = []
    for name, part in MISSING.items():
        resting = [data for data in answered if name in needs[data.key]]
        wrong = [data for data in resting if data.verdict != "passed"]
        if not wrong or 2 * len(wrong) < len(resting):
            continue
        before = [each.name for each in missing]
        evidence = _test(engine, name, before, ruleset, seed)
        if evidence.strength == "confirmed":
            (topic,) = (topic.title for topic in topics().values() if topic.has(name))
            missing.append(
                MissingPart(
                    name=name,
                    sentence=part.sentence,
                    topic=topic,
                    cases=names_of(wrong),
                    explained=names_of([data for data in wrong if is_explained(data, [*before, name])]),
                    asked=len(resting),
                    evidence=evidence,
                )
            )
    return missing


def names_of(cases: Iterable[CaseData]) -> list[CaseName]:
    """Name cases, those of the DATC first: its author has them at hand."""
    return [case.name for case in sorted(cases, key=lambda case: case.suite != USUAL_EDITION)]


def _test(engine: AskedOnce, name: str, parts: Sequence[str], ruleset: Ruleset, seed: int) -> Evidence:
    """Ask positions in which a part matters, beside other missing parts, about an engine that seems to lack it.

    In every second one it matters under each choice of the issues of its topic. What else may be true of the engine,
    mutants of the topic that answer mostly as without the part, is told from it, too.
    """
    claim = Claim(system(name, ruleset, parts), system((), ruleset, parts))
    (topic,) = (topic for topic in topics().values() if topic.has(name))
    issues = ((issue, choice) for issue in topic.issues for choice in ISSUES[issue].choices)
    choices = [system((pair,), ruleset, parts) for pair in issues]
    phase: Phase = next(phase for phase in PHASES if MISSING[name].procedure[phase] is not EQUATIONS[phase])
    plain = _experiments(claim, (), phase, ENOUGH // 2, seed)
    experiments = [*plain, *_experiments(claim, choices, phase, ENOUGH - len(plain), seed + 1)]
    evidence = weigh(engine, experiments)
    for mutant in filter(topic.has, MUTANTS) if evidence.strength == "confirmed" else ():
        rival = system(mutant, ruleset, parts)
        if 2 * sum(_is_as_predicted(rival, one) for one in experiments) >= len(experiments):
            apart = weigh(engine, _experiments(claim, [rival], phase, _OF_A_RIVAL, seed + 2))
            if apart.strength not in ("confirmed", "untested"):
                return apart
    return evidence


def _experiments(
    claim: Claim, others: Collection[Adjudicator], phase: Phase, count: int, seed: int
) -> Sequence[_Located]:
    """Find small positions, of a phase or the one before it, on which a claim answers otherwise than the rules.

    What else may be true has another answer, too.
    """

    def experiment_on(ordered: OrderedPosition) -> _Located | None:
        found = claim.experiment_on(ordered) if _is_plain(ordered) else None
        experiment = found and _Located(*found)
        is_alone = experiment and not any(_is_as_predicted(each, experiment) for each in others)
        return experiment if is_alone else None

    rng = Random(f"{seed} {claim.hypothesis.name}")  # noqa: S311 - positions, not secrets
    found: dict[Hashable, _Located] = {}
    for ordered in islice(_positions(rng, phase), _MOST_DRAWN):
        if experiment_on(ordered):
            small = Shrinker(lambda each: experiment_on(each) is not None, _MOST_STEPS).shrink_in_place(ordered)
            if experiment := experiment_on(small):
                found[question_key(small)] = experiment
        if len(found) == count:
            break
    return [*found.values()]


def _is_plain(ordered: OrderedPosition) -> bool:
    """Whether each unit has one order at most, all are well written, and no army that can walk is to go by convoy."""
    if ordered.phase != "movement":
        return True
    owners = {OrderedUnit(unit.location, unit.type): unit.power for unit in ordered.units}
    provinces = {ordered_province(given.order) for given in ordered.orders}

    def is_plain(given: GivenOrder) -> bool:
        order, unit, helped = given.order, ordered_unit(given), helped_unit(given.order)
        is_known = unit is not None and owners.get(unit) == given.power and (helped is None or helped in owners)
        return is_known and not (isinstance(order, Move) and (order.via_convoy or order.path) and _can_walk(order))

    return len(provinces) == len(ordered.orders) and all(map(is_plain, ordered.orders))


def _can_walk(order: Move) -> bool:
    moves = terrain().unit_places["A", order.unit.location].moves if order.unit.type == "A" else ()
    return any(place.location == order.to for place in moves)


def _is_as_predicted(adjudicator: Adjudicator, experiment: _Located) -> bool:
    return experiment.is_as(experiment.predicted, ask(adjudicator, experiment.ordered))


def _positions(rng: Random, phase: Phase) -> Iterator[OrderedPosition]:
    profiles = list(PROFILES.values())
    while True:
        if phase == "adjustment":
            yield random_adjustments(rng)
        elif phase == "retreat":
            yield with_retreats(rng, random_movements(rng, rng.choice(profiles), "dislodgement", 2.0))
        else:
            yield random_movements(rng, rng.choice(profiles))
