"""Small experiments: positions drawn at random and made smaller, so that other bugs of an engine are not in the way."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from random import Random

from ...reference_engine import Board, OrderedUnit, Phase, Procedure
from ...reference_engine.orders import PHASES, GivenOrder, Move
from ...reference_engine.procedures import EQUATIONS
from ..play.answer import Failure
from ..play.differential import Played
from ..play.positions import OrderedPosition, helped_unit, ordered_province, ordered_unit
from ..play.session import Adjudicator
from .experiment import ENOUGH, Claim, Experiment
from .generate import random_adjustments, random_movements, with_retreats
from .shrink import Shrinker, question_key
from .terrain import PROFILES, terrain

_MOST_IN_VAIN, _MOST_STEPS = 500, 60
"""Positions that are looked at in a row without a new experiment, and smaller ones of each."""


class LocatedExperiment(Experiment):
    """An experiment in which those units count alone that the two predictions leave in other places."""

    def is_as(self, expected: Played, said: Played) -> bool:
        if len(said) < len(expected) or any(isinstance(one.answer, Failure) for one in said):
            return False
        if any(set(got.impossible) - set(wanted.impossible) for wanted, got in zip(expected, said, strict=False)):
            return False
        telling = [mine ^ theirs for mine, theirs in zip(_boards(self.predicted), _boards(self.by_rules), strict=False)]
        return all(
            wanted & apart == got & apart
            for wanted, got, apart in zip(_boards(expected), _boards(said), telling, strict=False)
        )

    def is_shown_by(self, adjudicator: Adjudicator) -> bool:
        """Whether the reference, or a mutant of it, answers as predicted."""
        return self.is_as(self.predicted, self.ordered.answer(adjudicator))


def _boards(played: Played) -> Sequence[frozenset[Hashable]]:
    answers = [one.answer for one in played]
    return [frozenset() if isinstance(answer, Failure) else frozenset(answer.standing) for answer in answers]


def small_experiments(
    claim: Claim, others: Collection[Adjudicator], phase: Phase, seed: int, count: int = ENOUGH
) -> Iterator[LocatedExperiment]:
    """Find small positions, of a phase or the one before it, on which a claim does not answer as the rules.

    What else may be true has another answer, too. They come as they are found, so many or fewer.
    """

    def experiment_on(ordered: OrderedPosition) -> LocatedExperiment | None:
        found = claim.experiment_on(ordered) if _is_plain(ordered) else None
        experiment = LocatedExperiment(*found) if found else None
        if experiment is None or _boards(experiment.predicted) == _boards(experiment.by_rules):
            return None
        return None if any(map(experiment.is_shown_by, (*claim.known, *others))) else experiment

    rng = Random(f"{seed} {claim.hypothesis.name}")  # noqa: S311 - positions, not secrets
    found, in_vain = set[Hashable](), 0
    for ordered in _positions(rng, phase, claim.board):
        in_vain += 1
        if experiment_on(ordered):
            small = Shrinker(lambda each: experiment_on(each) is not None, _MOST_STEPS).shrink_in_place(ordered)
            experiment, key = experiment_on(small), question_key(small)
            if experiment and key not in found:
                found.add(key)
                in_vain = 0
                yield experiment
        if len(found) == count or in_vain == _MOST_IN_VAIN:
            break


def phase_of(procedure: Procedure) -> Phase:
    """Return the first phase that a mutant does not play by the rules."""
    return next(phase for phase in PHASES if procedure[phase] is not EQUATIONS[phase])


def _is_plain(ordered: OrderedPosition) -> bool:
    """Whether each unit has one order at most, all are well written, and no army that can walk is to go by convoy."""
    if ordered.phase != "movement":
        return True
    owners = {OrderedUnit(unit.location, unit.type): unit.power for unit in ordered.units}
    board = ordered.position.board
    provinces = {ordered_province(given.order) for given in ordered.orders}

    def is_plain(given: GivenOrder) -> bool:
        order, unit, helped = given.order, ordered_unit(given), helped_unit(given.order)
        is_known = unit is not None and owners.get(unit) == given.power and (helped is None or helped in owners)
        return is_known and not (
            isinstance(order, Move) and (order.via_convoy or order.path) and _can_walk(order, board)
        )

    return len(provinces) == len(ordered.orders) and all(map(is_plain, ordered.orders))


def _can_walk(order: Move, board: Board) -> bool:
    moves = terrain(board).unit_places["A", order.unit.location].moves if order.unit.type == "A" else ()
    return any(place.location == order.to for place in moves)


def _positions(rng: Random, phase: Phase, board: Board | None) -> Iterator[OrderedPosition]:
    profiles = list(PROFILES.values())
    while True:
        if phase == "adjustment":
            yield random_adjustments(rng, board)
        elif phase == "retreat":
            yield with_retreats(rng, random_movements(rng, rng.choice(profiles), "dislodgement", 2.0, board))
        else:
            yield random_movements(rng, rng.choice(profiles), board=board)
