"""Experiments: before a statement about an engine is made, the engine is asked new positions that would show it.

A hypothesis is a rule system: the reference engine under some ruleset, or a mutant of it. An experiment is a position
on which its answer differs from that of the rules that the engine is believed to play. It is like one that is known, in
other places, with other powers, with a unit more or less; or drawn at random.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from random import Random
from typing import NamedTuple, final

from msgspec.structs import replace

from ...cases import Case, load_suite, suite_names
from ...reference_engine import GivenOrder, Phase, PositionError, province_code, standard_board
from ...reference_engine.game import home_centers
from ...reference_engine.orders import PHASES
from ...reports.statements import UNTESTED, Evidence, Strength
from ..play.answer import AnswerOrFailure, Failure
from ..play.differences import diff_answers, expect_answer
from ..play.differential import Played, agree, ask
from ..play.positions import OrderedPosition, Orders, without_units
from ..play.session import Adjudicator
from .generate import perhaps_via, random_adjustments, random_paradox, random_position, with_others
from .shrink import question_key
from .terrain import PROFILES, elsewhere, locations_of, province_kind, with_names

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
_MOST_AT_RANDOM, _MOST_TRIED_APART = 400, 200
"""Positions that are looked at at random, and to tell a statement from another one."""
_MOST_COLLECTED = 5
MOST_FAILURES = 3
"""So many questions without an answer in a row, and an engine is asked no more."""
_ASKED_AGAIN = 5
_OF_A_RIVAL = 8
"""So many experiments tell a statement from each other one that may be true instead."""
_CLOSE, _MOST_TURNS = 0.1, 3
"""So near the border between two words more is asked, and so often all in all."""
_MOST_STEPS = 400
"""Of a search for other places."""


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


class Claim(NamedTuple):
    """What may be true of an engine, and what it has to differ from."""

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
    phases: Collection[Phase] = PHASES,
) -> Sequence[Experiment]:
    """Find so many fresh positions, or fewer, that would show a claim and tell it as far as they can from others.

    They are the same for a seed. It shows perhaps in the positions of the `pool`, which are those of all suites if it
    is `None`, and did in the `seeds`; these are not asked again, nor what was `asked`. So many random positions and
    variations are looked at besides. Without seeds and a pool all are drawn at random, of these `phases`.
    """
    before = {key_of(ordered) for ordered in (*seeds, *asked)}
    rng = Random(f"{seed} {claim.hypothesis.name}")  # noqa: S311 - positions, not secrets
    for words in (False, True):  # What shows on no board may show in the words for orders.
        if words and _showing(claim, positions_of_suites(), words=False):
            break
        drawn = draw_experiments(rng, claim, seeds, before, most_tried, pool, phases, words=words)
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
    phases: Collection[Phase] = PHASES,
    *,
    words: bool = False,
) -> Iterator[tuple[Experiment, Hashable]]:
    """Draw experiments as they come, each with what it is a variation of.

    The arguments are those of `find_experiments`; `before` has the keys of positions that are not to be asked. An
    experiment is left out if its outcome follows from what is known of an engine.
    """
    showing = _showing(claim, positions_of_suites() if pool is None else pool, words=words)
    asked = set(before)
    for ordered, family in _aimed(rng, seeds, showing, most_tried, phases):
        key = key_of(ordered)
        experiment = None if key in asked else claim.experiment_on(ordered, words=words)
        asked.add(key)
        if experiment is not None:
            by_known = (ask(each, ordered) for each in claim.known)
            if not any(said and experiment.is_as(experiment.predicted, said) for said in by_known):
                yield experiment, family


def _showing(claim: Claim, pool: tuple[OrderedPosition, ...], *, words: bool) -> Sequence[OrderedPosition]:
    """Find the positions of a pool on which a claim shows."""
    answered = zip(pool, _answers(claim.hypothesis, pool), _answers(claim.rules, pool), strict=True)
    return [ordered for ordered, mine, theirs in answered if _experiment(ordered, mine, theirs, words) is not None]


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
    rng: Random,
    seeds: Sequence[OrderedPosition],
    of_suites: Sequence[OrderedPosition],
    most_tried: int,
    phases: Collection[Phase],
) -> Iterator[tuple[OrderedPosition, Hashable]]:
    """Variations of what showed it already, by turns with those of cases that show it, and random positions."""
    seen = {key_of(ordered) for ordered in seeds}
    families = ["seeds" if key_of(ordered) in seen else number for number, ordered in enumerate(of_suites)]
    yield from zip(of_suites, families, strict=True)
    at_random = drawn_at_random(rng, phases)
    for tried in range(most_tried):
        turn, number = tried % 3, tried // 3
        if seeds and turn == 0:
            yield vary(rng, seeds[number % len(seeds)]), "seeds"
        elif of_suites and turn == 1:
            place = number % len(of_suites)
            yield vary(rng, of_suites[place]), families[place]
        else:
            yield next(at_random), f"random {tried}"


def try_statement(
    engine: AskedOnce,
    claim: Claim,
    seeds: Sequence[OrderedPosition] = (),
    others: Sequence[Adjudicator] = (),
    rivals: Mapping[str, Adjudicator] | None = None,
    seed: int = 0,
    pool: tuple[OrderedPosition, ...] | None = None,
    suspects: Mapping[str, Adjudicator] | None = None,
    before: Sequence[OrderedPosition] = (),
) -> Evidence:
    """Ask experiments about a claim, and say what the answers show; the arguments are those of `find_experiments`.

    Where what showed it agrees, others are asked that are not like it, and for choices also some at random. These have
    `rivals`, by their names, that may be true instead: positions of the `pool` and others distinguish each from the
    claim. So are `suspects`, if the engine answers as these do. What was asked `before` shows nothing new.

    Raises `EngineGaveOutError` and `EngineClosedError`.
    """
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


def _is_like(engine: AskedOnce, other: Adjudicator, asked: Sequence[OrderedPosition]) -> bool:
    """Whether an engine answered as another one would, except a few times."""
    misses = (ordered for ordered in asked if not agree(ask(other, ordered), engine.ask(ordered)))
    few = int((1 - CONFIRMED) * len(asked))
    return sum(1 for _ in itertools.islice(misses, few + 1)) <= few


def _positions(experiments: Iterable[Experiment]) -> list[OrderedPosition]:
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
    pool: tuple[OrderedPosition, ...] | None,
) -> Evidence:
    """Ask positions on which what may be true instead has another answer than a claim that stood its test until now.

    What has the right answer less often than one of these is refuted, also where it shows sometimes.
    """
    alike: list[str] = []
    for name, rival in rivals.items():
        fresh, evidence = _tell_apart(engine, Claim(claim.hypothesis, rival, claim.known), asked, seed, pool)
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
    pool: tuple[OrderedPosition, ...] | None,
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


def weigh(engine: AskedOnce, experiments: Iterable[Experiment], *, neither: float | None = 0.0) -> Evidence:
    """Ask an engine experiments, and say what its answers show; what is `neither` counts as in `ask_until_clear`.

    Raises `EngineGaveOutError` and `EngineClosedError`.
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
    found = Evidence(strength="untested", asked=len(answered), agreed=agreed, as_rules=sum(by_rules))
    strength = strength_of(*_counted(found, neither))
    flaky = strength == "sometimes" and any(
        not agree(said, ask(engine.engine, experiment.ordered)) for experiment, said in answered[:_ASKED_AGAIN]
    )
    return replace(found, strength=strength, flaky=flaky)


def strength_of(asked: int, agreed: float, most: Strength = "confirmed") -> Strength:
    """Say how strongly a statement is confirmed that agrees with so many answers."""
    if asked < FEWEST:
        return "untested"
    if agreed >= CONFIRMED * asked:
        return most
    return "sometimes" if agreed >= _SOMETIMES * asked else "refuted"


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
    homes = home_centers(ordered.position.board)
    powers = list(homes)
    names = dict(zip(powers, rng.sample(powers, len(powers)), strict=True))
    places: dict[str, str] = {}
    for power, other in names.items():
        left = rng.sample(homes[other], len(homes[other]))
        for home in homes[power]:
            alike = next((each for each in left if province_kind(each) == province_kind(home)), None)
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
    drawn = random_adjustments(rng)
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


def drawn_at_random(rng: Random, phases: Collection[Phase] = PHASES) -> Iterator[OrderedPosition]:
    """Draw positions of all kinds, or of some phases, without end."""
    profiles = list(PROFILES.values())
    while True:
        if set(phases) == {"adjustment"}:
            yield random_adjustments(rng)
        else:
            yield random_paradox(rng) if rng.random() < 0.15 else random_position(rng, rng.choice(profiles))


@cache
def positions_of_suites() -> tuple[OrderedPosition, ...]:
    """The positions of the cases, each once."""
    return tuple({key_of(ordered): ordered for _, ordered in cases_with_positions()}.values())


@cache
def cases_with_positions() -> Sequence[tuple[Case, OrderedPosition]]:
    """The cases whose orders are all clear, written once, by powers, as orders; each with its position."""
    cases = (case for name in suite_names() for case in load_suite(name).cases)
    return [(case, ordered) for case in cases if (ordered := position_of_case(case)) is not None]


def position_of_case(case: Case) -> OrderedPosition | None:
    """Return a case as a position, with the retreats after it; `None` where it is not one with clear orders."""
    first, *later = case.phases
    if first.board is not standard_board():
        return None  # Experiments are on the standard map.
    orders = _orders(case, 0)
    if first.position is None or orders is None or first.position.phase == "retreat" or first.position.flying_dutchmen:
        return None
    if later and later[0].phase == "retreat" and later[0].position is None:
        return OrderedPosition(first.position, orders, _orders(case, 1))
    return OrderedPosition(first.position, orders)


def _orders(case: Case, phase: int) -> Orders | None:
    """The orders of a phase; `None` where some are of another set, or no orders."""
    written = case.phases[phase].orders
    plain = all(one.order and one.submitted.order_set == 1 and not one.submitted.beforehand for one in written)
    return tuple(GivenOrder(one.power, one.order) for one in written) if plain else None


def key_of(ordered: OrderedPosition) -> Hashable:
    """What two positions share that are the same question, in whichever order the orders were given."""
    phase, units, centers, orders, retreats = question_key(ordered)
    return phase, frozenset(units), centers, frozenset(orders), None if retreats is None else frozenset(retreats)
