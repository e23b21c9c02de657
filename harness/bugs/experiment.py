"""Finds experiments: new positions that would show a statement about an engine, which it is asked before that is said.

A hypothesis is a rule system: the reference engine under some ruleset, or a mutant of it. An experiment is a position
on which its answer differs from that of the rules that the engine is believed to play. It is like one that is known, in
other places, with other powers, with a unit more or less; or drawn at random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from functools import cache, cached_property, lru_cache
from itertools import tee
from random import Random
from typing import NamedTuple, TypeAlias

from ...cases import Case, load_suite, suite_names
from ...cases.carrying import carry_over
from ...reference_engine import Board, GivenOrder, Phase, PositionError, Ruleset, province_code, standard_board
from ...reference_engine.game import home_centers
from ...reference_engine.maps import load_board
from ...reference_engine.notation import Style
from ...reference_engine.orders import PHASES
from ...reference_engine.procedures import EQUATIONS
from ..play.answer import AnswerOrFailure, Failure, PhaseInput
from ..play.differences import diff_answers, expect_answer
from ..play.differential import Played, agree, ask
from ..play.positions import OrderedPosition, Orders, in_first_year, ordered_province, without_units
from ..play.session import Adjudicator, ReferenceAdjudicator
from .changes import unraised_issues
from .generate import perhaps_via, random_adjustments, random_paradox, random_position, with_others
from .mutants.mutant import OnAnotherBoard
from .shrink import question_key
from .terrain import PROFILES, elsewhere, locations_of, province_kind, with_names

ENOUGH = 20
"""So many experiments are made before something is said."""
_MOST_TRIED = 1500
"""Positions that are looked at for the experiments of one hypothesis."""
_OF_ONE, _IN_ONE_PROVINCE = 4, ENOUGH // 2
"""So many variations of one position, and positions that show it in one province, unless there are no others."""
_IN_VAIN = 2
"""No more are looked at after so many times the wanted number in a row, if none of these is clearer or apart."""
_MOST_STEPS = 400
"""Of a search for other places."""


_Homes: TypeAlias = "tuple[Hashable, frozenset[str]]"
"""What an experiment is a variation of, and the provinces that it concerns."""


class AskedPosition(OrderedPosition):
    """A position that keeps what the reference and its mutants answered to it."""

    @classmethod
    def of(cls, ordered: OrderedPosition) -> AskedPosition:
        """Return a position as one that keeps answers; one that does already as it is."""
        return ordered if isinstance(ordered, cls) else cls(*ordered)

    def phases(self, style: Style = "codes") -> list[PhaseInput]:
        return self._inputs if style == "codes" else super().phases(style)

    @cached_property
    def _inputs(self) -> list[PhaseInput]:
        return super().phases()

    @cached_property
    def unraised(self) -> frozenset[str]:
        """Issues of which all choices have the same answer of the reference."""
        return unraised_issues(self.phases())

    @cached_property
    def _answers(self) -> dict[Hashable, Played]:
        return {}

    @cached_property
    def _phases(self) -> Sequence[Phase]:
        return (self.phase,) if self.retreats is None else (self.phase, "retreat")

    def decided_by(self, adjudicator: Adjudicator) -> Hashable:
        """Return what the answer of the reference or a mutant follows from: two that share it give the same one."""
        if not isinstance(adjudicator, ReferenceAdjudicator):
            return adjudicator
        if not adjudicator.is_trusted:
            for phase in self._phases:
                adjudicate = adjudicator.procedure[phase]
                if isinstance(adjudicate, OnAnotherBoard):
                    if not adjudicate.is_as_by_rules(self.position.board, self._provinces):
                        return adjudicator
                elif adjudicate is not EQUATIONS[phase]:
                    return adjudicator
        return _deciding_choices(adjudicator.ruleset, self.unraised)

    @cached_property
    def _provinces(self) -> frozenset[str]:
        """The provinces that the position names."""
        dislodged = [entry.unit.location for entry in self.position.dislodged]
        return frozenset(map(province_code, (*locations_of(self), *dislodged)))

    def answer(self, adjudicator: Adjudicator, decided_by: Hashable = None) -> Played:
        """Return what the reference or a mutant answers; who has asked the method `decided_by` hands its result on."""
        key = decided_by or self.decided_by(adjudicator)
        if key not in self._answers:
            self._answers[key] = ask(adjudicator, self)
        return self._answers[key]


@lru_cache(maxsize=4096)
def _deciding_choices(ruleset: Ruleset, unraised: frozenset[str]) -> Hashable:
    return ruleset.coasts, frozenset(pair for pair in ruleset.settled if pair[0] not in unraised)


_Drawn: TypeAlias = "tuple[AskedPosition, Hashable, Hashable]"
"""A position that was drawn, its key, and what it is a variation of."""


class Claim(NamedTuple):
    """What may be true of an engine, and what it has to differ from."""

    hypothesis: Adjudicator
    """The rules or the mutant that it may answer as."""
    rules: Adjudicator
    """The reference under the rules that it is believed to play."""
    known: Sequence[Adjudicator] = ()
    """What is true of it besides: where one of these shows, an experiment shows nothing of the claim."""
    board: Board | None = None
    """The board of its experiments; `None` is the standard one."""

    def experiment_on(self, ordered: OrderedPosition, *, words: bool = False) -> Experiment | None:
        """Return the experiment that a position is; `None` where both answers are alike, or one is missing."""
        asked = AskedPosition.of(ordered)
        mine, by = asked.decided_by(self.hypothesis), asked.decided_by(self.rules)
        if mine == by:
            return None
        predicted, by_rules = asked.answer(self.hypothesis, mine), asked.answer(self.rules, by)
        if not predicted or not by_rules or agree(by_rules, predicted, words=words) or is_failure(by_rules):
            return None
        return Experiment(asked, predicted, by_rules)


class Experiment(NamedTuple):
    """A position on which a hypothesis and the rules predict different answers."""

    ordered: AskedPosition
    predicted: Played
    """What the hypothesis answers."""
    by_rules: Played

    @property
    def concerned(self) -> frozenset[str]:
        """The provinces of the units of which the two answers say something else."""
        orders = (self.ordered.orders, self.ordered.retreats or ())
        for given, mine, theirs in zip(orders, self.predicted, self.by_rules, strict=False):
            if found := _differing(mine.answer, theirs.answer, given):
                return found
        return frozenset()

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


def _differing(one: AnswerOrFailure, other: AnswerOrFailure, orders: Sequence[GivenOrder]) -> frozenset[str]:
    if isinstance(one, Failure) or isinstance(other, Failure):
        return frozenset()
    pairs = zip(orders, one.outcomes or (), other.outcomes or (), strict=False)
    given = [order for order, mine, theirs in pairs if mine != theirs]
    dislodged = {entry.unit for entry in {*(one.dislodged or ())} ^ {*(other.dislodged or ())}}
    places = {ordered_province(each.order) for each in given} | {province_code(unit.location) for unit in dislodged}
    return frozenset(places - {""})


def find_experiments(
    claim: Claim,
    seeds: Sequence[OrderedPosition] = (),
    others: Sequence[Adjudicator] = (),
    *,
    count: int = ENOUGH,
    seed: int = 0,
    pool: Sequence[AskedPosition] | None = None,
    asked: Iterable[OrderedPosition] = (),
    most_tried: int = _MOST_TRIED,
    phases: Collection[Phase] = PHASES,
) -> Sequence[Experiment]:
    """Find so many fresh positions, or fewer, that would show a claim and tell it as far as they can from others.

    They are the same for a seed. It shows perhaps in the positions of the `pool`, which are those of all suites if it
    is `None`, and did in the `seeds`; these are not asked again, nor what was `asked`. So many random positions and
    variations are looked at besides. Without seeds and a pool all are drawn at random, of these `phases`.
    """
    before = {key_of(ordered) for ordered in (*seeds, *asked)}
    of_suites, others = positions_of_suites(claim.board), (*claim.known, *others)
    # What shows on no board may show in the words for orders.
    known = (*of_suites, *seeds)
    words = not any(_showing(claim, known)) and any(_showing(claim, known, words=True))
    if pool is None:
        showing = _showing_in_suites(claim._replace(known=()), words=words)
    else:
        showing = tuple(_showing(claim, pool, words=words))
    search = _Search(tuple(seeds), showing, most_tried, frozenset(phases), claim.board)
    drawn = copy(_kept_draws(seed, claim.hypothesis.name, search))
    return _clearest(_experiments(drawn, claim, before, words=words), others, count)


class _Search(NamedTuple):
    """How positions are drawn, and what they are variations of."""

    seeds: tuple[OrderedPosition, ...]
    showing: tuple[OrderedPosition, ...]
    most_tried: int
    phases: frozenset[Phase]
    board: Board | None

    def draw(self, rng: Random, at_random: Iterator[OrderedPosition]) -> Iterator[_Drawn]:
        """Draw positions as they come."""
        for ordered, family in _aimed(rng, self.seeds, self.showing, self.most_tried, at_random):
            yield AskedPosition.of(ordered), key_of(ordered), family


@lru_cache(maxsize=128)
def _kept_draws(seed: int, name: str, search: _Search) -> Iterator[_Drawn]:
    """Draw positions to be looked at again when the same is tested under other rules: copy the iterator."""
    rng = Random(f"{seed} {name}")  # noqa: S311 - positions, not secrets
    return tee(search.draw(rng, copy(_kept_at_random(seed, search.phases, search.board))), 1)[0]


@lru_cache(maxsize=32)
def _kept_at_random(seed: int, phases: frozenset[Phase], board: Board | None) -> Iterator[AskedPosition]:
    """Draw what all hypotheses are tested on, so that the rules and an engine answer it once: copy the iterator."""
    drawn = drawn_at_random(Random(seed), phases, board)  # noqa: S311 - positions, not secrets
    return tee(map(AskedPosition.of, drawn), 1)[0]


def draw_experiments(rng: Random, claim: Claim, before: Collection[Hashable], most_tried: int) -> Iterator[Experiment]:
    """Draw experiments as they come, of all phases; `before` has the keys of positions that are not to be asked."""
    showing = _showing_in_suites(claim._replace(known=()), words=False)
    search = _Search((), showing, most_tried, frozenset(PHASES), claim.board)
    drawn = search.draw(rng, drawn_at_random(rng, search.phases, claim.board))
    return (experiment for experiment, _ in _experiments(drawn, claim, before))


def _experiments(
    drawn: Iterable[_Drawn], claim: Claim, before: Collection[Hashable], *, words: bool = False
) -> Iterator[tuple[Experiment, Hashable]]:
    """Find the experiments in what was drawn, each with what it is a variation of.

    `before` has the keys of positions that are not to be asked. An experiment is left out if something known of an
    engine shows in it.
    """
    asked = set(before)
    for ordered, key, family in drawn:
        experiment = None if key in asked else claim.experiment_on(ordered, words=words)
        asked.add(key)
        if experiment is not None:
            by_known = map(ordered.answer, claim.known)
            if all(not said or experiment.is_as(experiment.by_rules, said) for said in by_known):
                yield experiment, family


def _showing(claim: Claim, pool: Iterable[OrderedPosition], *, words: bool = False) -> Iterator[OrderedPosition]:
    """Find the positions of a pool on which a claim shows."""
    return (ordered for ordered in pool if claim.experiment_on(ordered, words=words) is not None)


@lru_cache(maxsize=64)
def _showing_in_suites(claim: Claim, *, words: bool) -> tuple[OrderedPosition, ...]:
    """Find the positions of the cases on which a claim shows, whatever else is known."""
    return tuple(_showing(claim, positions_of_suites(claim.board), words=words))


def _clearest(
    experiments: Iterable[tuple[Experiment, Hashable]], others: Sequence[Adjudicator], count: int
) -> Sequence[Experiment]:
    """Take those to which no other hypothesis has an answer of its own, or else at least another answer.

    Few are variations of the same position, or in the same province: what is the cause there may be another one.
    """
    collected: list[tuple[int, _Homes, Experiment]] = []
    clear, apart, in_vain = Counter[Hashable](), 0, 0
    for experiment, family in experiments:
        confusion, homes = _confusion(experiment, others), (family, experiment.concerned)
        collected.append((confusion, homes, experiment))
        if confusion or _crowding(clear, homes):
            in_vain += 1
        else:
            _count(clear, homes)
            apart, in_vain = apart + 1, 0
        if apart >= count or in_vain >= _IN_VAIN * count:
            break
    taken, used = list[Experiment](), Counter[Hashable]()
    while collected and len(taken) < count:
        ranks = [(_crowding(used, homes), confusion) for confusion, homes, _ in collected]
        _, homes, experiment = collected.pop(ranks.index(min(ranks)))
        _count(used, homes)
        taken.append(experiment)
    return taken


def _count(used: Counter[Hashable], homes: _Homes) -> None:
    family, provinces = homes
    used.update([("family", family), *provinces])


def _crowding(used: Counter[Hashable], homes: _Homes) -> int:
    """Return how often the place of an experiment was full before: 0 where there is room for it."""
    family, provinces = homes
    return max(used["family", family] // _OF_ONE, *(used[each] // _IN_ONE_PROVINCE for each in provinces), 0)


def _confusion(experiment: Experiment, others: Sequence[Adjudicator]) -> int:
    """Return 2 where another hypothesis gives the same answer, 1 where one gives an answer of its own, 0 otherwise."""
    confusion = 0
    for other in others:
        said = experiment.ordered.answer(other)
        if said and not experiment.is_as(experiment.by_rules, said):
            if experiment.is_as(experiment.predicted, said):
                return 2
            confusion = 1
    return confusion


def is_failure(said: Played) -> bool:
    """Whether an answer ends with a failure."""
    return bool(said) and isinstance(said[-1].answer, Failure)


def _aimed(
    rng: Random,
    seeds: Sequence[OrderedPosition],
    of_suites: Sequence[OrderedPosition],
    most_tried: int,
    at_random: Iterator[OrderedPosition],
) -> Iterator[tuple[OrderedPosition, Hashable]]:
    """Variations of what showed it already, by turns with those of cases that show it, and random positions."""
    seen = {key_of(ordered) for ordered in seeds}
    families = ["seeds" if key_of(ordered) in seen else number for number, ordered in enumerate(of_suites)]
    yield from zip(of_suites, families, strict=True)
    for tried in range(most_tried):
        turn, number = tried % 3, tried // 3
        if seeds and turn == 0:
            yield vary(rng, seeds[number % len(seeds)]), "seeds"
        elif of_suites and turn == 1:
            place = number % len(of_suites)
            yield vary(rng, of_suites[place]), families[place]
        else:
            yield next(at_random), f"random {tried}"


def vary(rng: Random, ordered: OrderedPosition) -> OrderedPosition:
    """Change a position so that what it shows may still show: rarely nothing of it stays.

    A retreat phase that stands alone is given back as it is.
    """
    if ordered.phase != "retreat":
        with suppress(PositionError):  # A fleet cannot stand inland, for example.
            return _varied(rng, ordered)
    return ordered


def _varied(rng: Random, ordered: OrderedPosition) -> OrderedPosition:
    if ordered.phase == "adjustment":
        return _with_others_adjusting(rng, _of_another_power(rng, ordered))
    if rng.random() < 0.7:
        ordered = elsewhere(rng, ordered, _MOST_STEPS)
    if rng.random() < 0.7:
        powers = list(ordered.position.board.powers)
        ordered = with_names(ordered, dict(zip(powers, rng.sample(powers, len(powers)), strict=True)))
    if rng.random() < 0.5:
        ordered = with_others(rng, ordered, rng.randint(1, 3))
    if rng.random() < 0.15:
        ordered = ordered._replace(orders=tuple(perhaps_via(rng, given) for given in ordered.orders))
    if len(ordered.units) > 2 and rng.random() < 0.2:
        ordered = without_units(ordered, {province_code(rng.choice(ordered.units).location)})
    if rng.random() < 0.5:
        orders = list(ordered.orders)
        rng.shuffle(orders)
        ordered = ordered._replace(orders=tuple(orders))
    return ordered


def _of_another_power(rng: Random, ordered: OrderedPosition) -> OrderedPosition:
    """Let other powers adjust: the home centers of each become those of the power that takes its place."""
    board = ordered.position.board
    homes = home_centers(board)
    powers = list(homes)
    names = dict(zip(powers, rng.sample(powers, len(powers)), strict=True))
    places: dict[str, str] = {}
    for power, other in names.items():
        left = rng.sample(homes[other], len(homes[other]))
        for home in homes[power]:
            alike = next((each for each in left if province_kind(each, board) == province_kind(home, board)), None)
            if alike is None or power == other:
                return ordered
            left.remove(alike)
            places[home] = alike
    centers = {
        names[power]: tuple(places.get(center, center) for center in owned)
        for power, owned in ordered.position.centers.items()
    }
    moved = with_names(ordered, names, places)
    return moved.with_units(moved.units, centers)


def _with_others_adjusting(rng: Random, ordered: OrderedPosition) -> OrderedPosition:
    """Add what other powers have, own and order, where nothing of it is in the way."""
    if rng.random() < 0.3:
        return ordered
    drawn = random_adjustments(rng, ordered.position.board)
    mine, taken = ordered.position.centers, {province_code(place) for place in locations_of(ordered)}
    powers = {*mine, *(unit.power for unit in ordered.units), *(given.power for given in ordered.orders)}
    taken.update(*mine.values())
    units = [u for u in drawn.units if u.power not in powers and province_code(u.location) not in taken]
    centers = {
        power: tuple(center for center in owned if center not in taken)
        for power, owned in drawn.position.centers.items()
        if power not in powers
    }
    orders = [given for given in drawn.orders if given.power not in powers]
    found = ordered.with_units((*ordered.units, *units), {**mine, **centers})
    return found._replace(orders=(*ordered.orders, *orders))


def drawn_at_random(
    rng: Random, phases: Collection[Phase] = PHASES, board: Board | None = None
) -> Iterator[OrderedPosition]:
    """Draw positions of all kinds, or of some phases, on the standard board or another one, without end."""
    profiles = list(PROFILES.values())
    while True:
        if set(phases) == {"adjustment"}:
            yield random_adjustments(rng, board)
        elif rng.random() < 0.15:
            yield random_paradox(rng, board)
        else:
            yield random_position(rng, rng.choice(profiles), board)


@cache
def positions_of_suites(board: Board | None = None) -> Sequence[AskedPosition]:
    """The positions of the cases, each once; on another board than the standard one where they can be carried to it."""
    return tuple({key_of(ordered): ordered for _, ordered in cases_with_positions(board)}.values())


def cases_with_positions(board: Board | None = None) -> Sequence[tuple[Case, AskedPosition]]:
    """The cases whose orders are all clear, written once, by powers, as orders; each with its position on a board."""
    return _cases_with_positions(board or standard_board())


@cache
def _cases_with_positions(board: Board) -> Sequence[tuple[Case, AskedPosition]]:
    cases = {case.key: case for name in suite_names() for case in load_suite(name).cases}
    there = [*cases.values()]
    if board is not standard_board():  # Only their positions count: nobody has to agree with what is expected there.
        there = carry_over(there, board, 1, 0, lambda _: True).cases
    pairs = ((cases[case.document_key], position_of_case(case, board)) for case in there)
    return [(case, AskedPosition.of(ordered)) for case, ordered in pairs if ordered is not None]


def board_of(cases: Iterable[Case]) -> Board:
    """Return the board that cases are on; the standard one where they are on several."""
    maps = {phase.board.name for case in cases for phase in case.phases}
    return load_board(maps.pop()) if len(maps) == 1 else standard_board()


def position_of_case(case: Case, board: Board) -> OrderedPosition | None:
    """Return a case as a position, with the retreats after it; `None` where it is not one with clear orders there."""
    first, *later = case.phases
    if first.board is not board:
        return None
    orders = _orders(case, 0)
    if first.position is None or orders is None or first.position.phase == "retreat" or first.position.flying_dutchmen:
        return None
    if later and later[0].phase == "retreat" and later[0].position is None:
        return in_first_year(first.position, orders, _orders(case, 1))
    return in_first_year(first.position, orders)


def _orders(case: Case, phase: int) -> Orders | None:
    """The orders of a phase; `None` where some are of another set, or no orders."""
    written = case.phases[phase].orders
    plain = all(one.order and one.submitted.order_set == 1 and not one.submitted.beforehand for one in written)
    return tuple(GivenOrder(one.power, one.order) for one in written) if plain else None


def key_of(ordered: OrderedPosition) -> Hashable:
    """What two positions share that are the same question, in whichever order the orders were given."""
    phase, units, centers, orders, retreats = question_key(ordered)
    return phase, frozenset(units), centers, frozenset(orders), None if retreats is None else frozenset(retreats)
