"""Finds under which condition an engine answers as a hypothesis that explains only a part of what it is asked.

A condition is about the orders that matter to what differs. It is learned near the positions that showed the
hypothesis, then tested on fresh ones, in which all else is random: places, powers, other units, season, year, writing.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, TypeAlias, final

from ...reference_engine import PositionError, province_code
from ...reference_engine.notation import Style
from ...reports.statements import Evidence
from ..play.answer import Answer
from ..play.differential import ask
from ..play.positions import OrderedPosition, ordered_province
from ..play.session import Adjudicator
from .evidence import CONFIRMED, FEWEST, AskedOnce
from .experiment import ENOUGH, Claim, Experiment, draw_experiments, is_failure, key_of
from .generate import random_position, with_others
from .position_features import features
from .shrink import Shrinker
from .terrain import PROFILES, can_be_elsewhere, elsewhere, other_powers, with_names

_FIRST = 60
"""So many answers are looked at before a condition is guessed: to positions like the seeds, and to others."""
_ROUNDS = 3
"""So often a condition is guessed and tested."""
_MOST_TRIED = 500
"""Positions that are looked at for what others are made of."""
_MOST_CORES = 60
_MOST_DRAWN, _MOST_IN_VAIN = 1500, 300
"""Trials that are drawn for one test, as few are in one province; and in a row without one to ask."""
_MOST_UNITS = 5
"""Larger positions are shrunk: in them everything happens somewhere."""
_MOST_QUESTIONS = 150
"""Of the reference, to shrink one position."""
_MOST_LITERALS = 2
_SLIPS_OF_A_LITERAL = 2
"""A further literal is worth it if more slips than these are avoided."""
_MOST_OF_ONE = 4
"""Positions that have the places of another one, as they cannot be elsewhere."""
_MOST_STEPS = 400
"""Of a search for other places."""
_SLIPS = 0.1
"""The share of answers that a guess may have against it."""
_COMMON = 0.8
"""The share of what shows the hypothesis in which a condition is so."""

Clause: TypeAlias = tuple[str, ...]
"""Conditions that are all to hold, as `features` says them."""


@dataclass(eq=False)
class _Core:
    """A position that trials are made of."""

    ordered: OrderedPosition
    left_in_place: int = _MOST_OF_ONE
    """So many trials more may have its own places."""


class Trial(NamedTuple):
    """An experiment, and how its orders are written."""

    experiment: Experiment
    style: Style = "codes"

    @property
    def features(self) -> frozenset[str]:
        """Say all that is so of the orders of which the hypothesis and the rules say something else."""
        ordered, answer = self.experiment.ordered, self.experiment.by_rules[0].answer
        if not isinstance(answer, Answer):
            return frozenset()
        return features(ordered, answer, self.experiment.concerned, self.style)

    def answer_of(self, engine: Adjudicator) -> bool | None:
        """Return whether an engine answers as predicted, or by the rules; `None` where it does neither.

        Raises `EngineGaveOutError` and `EngineClosedError`.
        """
        said = ask(engine, self.experiment.ordered, self.style)
        if not said or is_failure(said):
            return None
        as_predicted = self.experiment.is_as(self.experiment.predicted, said)
        return None if as_predicted == self.experiment.is_as(self.experiment.by_rules, said) else as_predicted


def find_condition(
    engine: AskedOnce,
    claim: Claim,
    seeds: Sequence[OrderedPosition],
    seed: int = 0,
    stop: Callable[[], bool] = lambda: False,
) -> Evidence | None:
    """Find a condition under which an engine answers as a hypothesis, and otherwise by the rules, and test it.

    The hypothesis explains a part of the answers; `seeds` are positions that showed it. Another `seed` gives other
    positions. It asks some 300 questions at most, until it has to stop.

    Returns how the statement with its condition stood its test; `None` where no condition does, and where the
    hypothesis showed on no board. Raises `EngineGaveOutError` and `EngineClosedError`.
    """
    shown = [experiment for each in seeds if (experiment := claim.experiment_on(each))]
    # What one power adjusts wrongly shows beside what another one does: a condition found was wrong.
    if not shown or any(each.phase == "adjustment" for each in seeds):
        return None
    rng = Random(f"condition {seed} {claim.hypothesis.name}")  # noqa: S311 - positions, not secrets
    drawn, answers = set[Hashable](map(key_of, seeds)), _Answers(engine.engine, stop)
    for trial in itertools.islice(_near(rng, claim, shown, drawn), _FIRST):
        _ = answers.ask(trial)
    seen = [as_predicted for _, as_predicted in answers.seen]
    # Where nothing tells apart what is near the seeds, with all slips there, no fresh positions are looked for.
    has_both = min(map(seen.count, (True, False))) >= FEWEST
    if not any(seen) or (has_both and _learn_clause(answers.seen, (), _SLIPS * 2 * _FIRST) is None):
        return None
    for trial in itertools.islice(draw_trials(rng, claim, drawn), _FIRST):
        _ = answers.ask(trial)
    tried = set[Clause]()
    fresh = draw_trials(rng, claim, drawn)
    for _ in range(_ROUNDS):
        clause = _learn_clause(answers.seen, tried, _SLIPS * len(answers.seen))
        if clause is None or answers.is_over():
            return None
        tried.add(clause)
        # The best of several guesses passes one test by chance: that of another 20 decides.
        tests = (_test(clause, answers, itertools.islice(fresh, _MOST_DRAWN)) for _ in range(2))
        passed = list(itertools.takewhile(lambda evidence: evidence.strength == "only-when", tests))
        if len(passed) > 1:
            return passed[-1]
    return None


@final
class _Answers:
    """What an engine answered to trials."""

    def __init__(self, engine: Adjudicator, stop: Callable[[], bool]) -> None:
        self._engine, self.is_over = engine, stop
        self.seen: list[tuple[frozenset[str], bool]] = []
        """What was so in each, and whether it was answered as the hypothesis predicts."""

    def ask(self, trial: Trial) -> bool | None:
        """Return whether an answer is as predicted, or by the rules; `None` where it is neither."""
        if self.is_over():
            return None
        found = trial.answer_of(self._engine)
        self.seen.append((trial.features, found is True))
        return found


def _test(clause: Clause, answers: _Answers, fresh: Iterable[Trial]) -> Evidence:
    """Ask fresh positions on which the condition holds, and others, of both the same number."""
    found: dict[bool, list[bool | None]] = {True: [], False: []}
    inside, elsewhere = found[True], found[False]
    most_slips, in_vain = (1 - CONFIRMED) * ENOUGH, 0
    for trial in fresh:
        slips = max(len(inside) - inside.count(True), elsewhere.count(True))
        is_enough = min(len(inside), len(elsewhere)) >= ENOUGH
        if slips > most_slips or is_enough or in_vain == _MOST_IN_VAIN or answers.is_over():
            break
        here, in_vain = found[trial.features.issuperset(clause)], in_vain + 1
        if len(here) < ENOUGH:
            here.append(answers.ask(trial))
            in_vain = 0
    is_enough = min(len(inside), len(elsewhere)) >= ENOUGH
    stands = inside.count(True) >= CONFIRMED * len(inside) and elsewhere.count(True) <= most_slips
    return Evidence(
        strength="only-when" if is_enough and stands else "refuted",
        asked=len(inside),
        agreed=inside.count(True),
        as_rules=inside.count(False),
        only_when=clause,
        elsewhere_asked=len(elsewhere),
        elsewhere_agreed=elsewhere.count(True),
    )


def _near(rng: Random, claim: Claim, shown: Sequence[Experiment], drawn: set[Hashable]) -> Iterator[Trial]:
    """Draw variations of what showed the hypothesis that keep the places, the powers, or both, and themselves."""
    yield from map(Trial, shown)
    small = [_small(claim, experiment.ordered) for experiment in shown]
    for number in range(_MOST_TRIED):
        ordered = small[number % len(small)]
        kept = rng.choice(("places", "powers", "both", "neither"))
        if kept in ("powers", "neither"):
            ordered = elsewhere(rng, ordered, _MOST_STEPS)
        yield from _trial(rng, claim, ordered, drawn, keeps_powers=kept in ("powers", "both"))


def draw_trials(rng: Random, claim: Claim, drawn: set[Hashable]) -> Iterator[Trial]:
    """Draw fresh trials: all that can be varied is drawn at random, and few are variations of the same places.

    None is of adjustments. `drawn` holds the keys of positions that are not to be asked; those that are drawn are
    added. There is an end where the board has no others.
    """
    cores: list[_Core] = []
    in_vain = 0
    experiments = draw_experiments(rng, claim, drawn, _MOST_TRIED)
    made = (_Core(_small(claim, one.ordered)) for one in experiments if one.ordered.phase != "adjustment")
    new = itertools.islice(made, _MOST_CORES)
    while in_vain < _MOST_TRIED:
        core = next(new, None)
        if core is not None:
            cores.append(core)
        elif cores:
            core = rng.choice(cores)
        else:
            return
        moved = elsewhere(rng, core.ordered, _MOST_STEPS)
        trials = [] if moved is core.ordered else list(_trial(rng, claim, moved, drawn))
        if not trials and core.left_in_place:
            trials = list(_trial(rng, claim, core.ordered, drawn))
            core.left_in_place -= len(trials)
        if not core.left_in_place and not can_be_elsewhere(core.ordered):
            cores.remove(core)
        in_vain = 0 if trials else in_vain + 1
        yield from trials


def _small(claim: Claim, ordered: OrderedPosition) -> OrderedPosition:
    """Make a position small that shows a claim, if it is large."""
    if len(ordered.units) <= _MOST_UNITS:
        return ordered
    return Shrinker(lambda each: claim.experiment_on(each) is not None, _MOST_QUESTIONS).shrink_in_place(ordered)


def _trial(
    rng: Random, claim: Claim, ordered: OrderedPosition, drawn: set[Hashable], *, keeps_powers: bool = False
) -> Iterator[Trial]:
    """Give a position as a trial, with all else at random, if it is an experiment then and is fresh."""
    try:
        if not keeps_powers:
            ordered = with_names(ordered, other_powers(rng, claim.board))
        alone = claim.experiment_on(ordered)
        if alone is None:
            return
        if ordered.phase == "movement":
            if rng.random() < 0.5:
                ordered = with_others(rng, ordered, rng.randint(1, 3))
            if rng.random() < 0.5:
                ordered = _with_bystanders(rng, claim, ordered)
    except PositionError:  # A fleet cannot stand inland, for example.
        return
    orders = list(ordered.orders)
    rng.shuffle(orders)
    ordered = ordered._replace(orders=tuple(orders))
    experiment, key = claim.experiment_on(ordered), key_of(ordered)
    if experiment is None or key in drawn:
        return
    drawn.add(key)
    if experiment.concerned != alone.concerned:
        return  # What is added would show it once more: one of the two may not be wrong.
    first = ordered.position.board.first_year
    ordered = ordered._replace(autumn=rng.choice((False, True)), year=rng.randint(first, first + 24))
    style: Style = rng.choice(("codes", "codes", "names"))
    yield Trial(experiment._replace(ordered=ordered), style)


def _with_bystanders(rng: Random, claim: Claim, ordered: OrderedPosition) -> OrderedPosition:
    """Add units from another position that do not show the hypothesis themselves."""
    other = random_position(rng, rng.choice(list(PROFILES.values())), claim.board)
    if other.phase != "movement" or claim.experiment_on(other) is not None:
        return ordered
    taken = {province_code(unit.location) for unit in ordered.units}
    units = [unit for unit in other.units if province_code(unit.location) not in taken]
    units = units[: rng.randint(1, max(1, len(units)))]
    added = {province_code(unit.location) for unit in units}
    orders = [given for given in other.orders if ordered_province(given.order) in added]
    return ordered.with_units((*ordered.units, *units))._replace(orders=(*ordered.orders, *orders))


def _learn_clause(
    answered: Sequence[tuple[frozenset[str], bool]], tried: Collection[Clause], most_slips: float
) -> Clause | None:
    """Find what tells positions answered as predicted from the others: the shortest clause that was not tried."""
    count, predicted = len(answered), _bits(as_predicted for _, as_predicted in answered)
    every, positives = (1 << count) - 1, predicted.bit_count()
    if min(positives, count - positives) < FEWEST:
        return None
    texts = Counter(itertools.chain.from_iterable(so for so, as_predicted in answered if as_predicted))
    common = [text for text, times in texts.items() if times >= _COMMON * positives]
    covering = ((text, _bits(text in so for so, _ in answered)) for text in sorted(common))
    literals = [(text, bits) for text, bits in covering if bits < every]
    best: tuple[int, Clause] | None = None
    for size in range(1, _MOST_LITERALS + 1):
        for chosen in itertools.combinations(literals, size):
            clause, covered = tuple(text for text, _ in chosen), every
            for _, bits in chosen:
                covered &= bits
            slips = (covered ^ predicted).bit_count()
            enough = min(covered.bit_count(), count - covered.bit_count()) >= FEWEST
            rank = slips + _SLIPS_OF_A_LITERAL * size
            if enough and slips <= most_slips and clause not in tried and (best is None or rank < best[0]):
                best = rank, clause
    return best and best[1]


def _bits(values: Iterable[bool]) -> int:
    return sum(1 << index for index, value in enumerate(values) if value)
