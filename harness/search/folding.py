"""Folds groups into that of a relation which an engine breaks, where the relation explains what is wrong with them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import TypeAlias

from ...reference_engine import GivenOrder, Move, Waive, province_code
from ...reports.statements import Strength
from ..bugs.evidence import CONFIRMED, FEWEST
from ..bugs.shrink import question_key
from ..bugs.terrain import elsewhere, locations_of, with_named_units
from ..paste.reader import read_position_text
from ..play.answer import Failure
from ..play.differential import Played, agree, ask, find_facts
from ..play.positions import OrderedPosition, helped_unit
from ..play.session import Adjudicator, ReferenceAdjudicator
from .disagreement import Disagreement, find_contradiction, find_disagreement
from .drawn import draw
from .findings import Finding
from .groups import Group, by_number, sort_groups
from .plan import Plan
from .relations import RELATIONS, UNSTABLE
from .text import cause_text
from .workers import open_adjudicators

_MOST_FOLDED = 20
"""Groups of an engine that are asked about; for each an engine that is unstable is started again."""
_MOST_JOINED = 8
"""The largest groups that no relation explains, of which pairs are compared."""
_TIMES_LARGER: Mapping[Strength, int] = {"confirmed": 20, "only-when": 1, "sometimes": 1}
"""So many times as large has to be a group whose rule a bug breaks as well."""
_FORMS = 12
_PLACES_OF_EACH, _MOST_STEPS = 12, 400
"""So many other places are looked for of a position, with so many steps each."""
_VIA = "`via convoy`"
_ASKED_OF_EACH, _MOST_LEFT = 5, 1
"""So many positions of a group are asked, and so many of them need no explanation: their forms are drawn by chance."""

_Elsewhere: TypeAlias = Sequence[tuple[frozenset[str], bool]]
"""The provinces of positions of a group in other places, each with whether its answer is wrong."""


def fold(plan: Plan, adjudicator: Adjudicator, groups: Sequence[Group], stop: Callable[[], bool]) -> Sequence[Group]:
    """Ask positions of each group in the other forms of the relations that the engine breaks, and in other places.

    A group whose answers are right in some form goes into the group of that relation. Of an engine that is unstable,
    one that was just started is asked. Groups that are wrong in one province only are one. Raises `EngineStartError`,
    and as `ask` does.
    """
    groups = [each._replace(dropped=_dropped(plan, adjudicator, each)) for each in groups]
    members: dict[int, list[Group]] = {number: [] for number, group in enumerate(groups) if group.relation}
    left = dict(enumerate(groups))
    for number, group in enumerate(groups[:_MOST_FOLDED]):
        # Of two relations the one that is asked first is the home of the other one.
        homes = (each for each in members if each != number and each in left and not (group.relation and each > number))
        home = next((each for each in homes if not stop() and _explains(plan, adjudicator, left[each], group)), None)
        if home is not None:
            members[home] += [left.pop(number), *members.pop(number, ())]
    for number, mine in members.items():
        left[number] = _with(left[number], mine)
    by_rule = _joined_by_rule(plan, [*left.values()])
    return sort_groups(_joined_where_wrong(plan, adjudicator, by_rule, stop))


def _with(group: Group, others: Sequence[Group]) -> Group:
    findings = by_number([*group.findings, *(one for each in others for one in each.findings)])
    return group._replace(findings=findings, folded=(*group.folded, *map(cause_text, others)))


def _joined_by_rule(plan: Plan, groups: list[Group]) -> list[Group]:
    """Join a bug with a larger group whose rule all of it breaks, too: it may be what one bug looks like in places.

    One that was confirmed is joined with a much larger group only.
    """
    left = list(groups)
    for group in groups:
        times = _TIMES_LARGER.get(group.evidence.strength)
        if times is None or group.relation or (times > 1 and group.kind != "bug"):
            continue
        small = [each for each in group.findings if each.position is not None]
        blames = [Disagreement(*each.played(), plan.ruleset).blame for each in small]
        homes = [
            each
            for each in left
            if blames and each.rules and len(each.findings) >= times * len(group.findings)
            if all(any(blame.breaks(each.rules[0]) for blame in several) for several in blames)
        ]
        if homes:
            home = max(homes, key=lambda each: len(each.findings))
            left[left.index(home)] = _with(home, [group])
            left.remove(group)
    return left


def _joined_where_wrong(
    plan: Plan, adjudicator: Adjudicator, groups: list[Group], stop: Callable[[], bool]
) -> Sequence[Group]:
    """Join groups that are wrong in one province alone, or where one relation is broken, as in one season.

    Which rule is broken there depends on who acts, so that one bug looks like several.
    """
    open_ = [
        number
        for number, group in enumerate(groups)
        if group.kind == "bug" and not group.relation and group.evidence.strength != "confirmed"
    ][:_MOST_JOINED]
    places = {number: frozenset[str]() for number in open_}
    for number in open_:
        if mine := [_provinces(each) for each in _small_movements(groups[number])]:
            places[number] = mine[0].intersection(*mine)
    left = dict(enumerate(groups))

    @cache
    def moved(number: int) -> _Elsewhere:
        return _wrong_elsewhere(plan, adjudicator, groups[number], stop)

    @cache
    def is_by(relation: str, number: int) -> bool:
        return not stop() and _is_explained(plan, adjudicator, relation, groups[number])

    in_order = sorted(open_, key=lambda each: -len(groups[each].findings))
    for home, other in itertools.combinations(in_order, 2):
        if home not in left or other not in left:
            continue
        common = places[home] & places[other]
        # A smaller group may fit nowhere else: then the larger one speaks for it.
        only = {p for p in common if _is_right_without(p, moved(home)) and _is_right_without(p, moved(other), 0)}
        if only or any(is_by(each, other) and is_by(each, home) for each in RELATIONS if each not in UNSTABLE):
            left[home], places[home] = _with(left[home], [left.pop(other)]), frozenset(only)
    return [*left.values()]


def _small_movements(group: Group) -> Sequence[OrderedPosition]:
    small = [each.ordered() for each in group.findings if each.position is not None]
    return [each for each in small if each.phase == "movement"]


def _provinces(ordered: OrderedPosition) -> frozenset[str]:
    return frozenset(map(province_code, locations_of(ordered)))


def _wrong_elsewhere(plan: Plan, adjudicator: Adjudicator, group: Group, stop: Callable[[], bool]) -> _Elsewhere:
    """Ask the small positions of a group in other places."""
    rng, reference = Random(f"elsewhere {plan.seed}"), ReferenceAdjudicator(plan.ruleset)  # noqa: S311 - no secrets
    moved: dict[Hashable, OrderedPosition] = {}
    for ordered in _small_movements(group)[:_ASKED_OF_EACH]:
        others = (elsewhere(rng, ordered, _MOST_STEPS) for _ in range(_PLACES_OF_EACH))
        moved |= {question_key(each): each for each in others}
    every = itertools.takewhile(lambda _: not stop(), moved.values())
    return [(_provinces(each), bool(_what_is_wrong(ask(reference, each), ask(adjudicator, each)))) for each in every]


def _is_right_without(place: str, moved: _Elsewhere, fewest: int = FEWEST) -> bool:
    """Whether nothing is wrong with positions, so many at least, in which a province is not named."""
    wrong = [is_wrong for provinces, is_wrong in moved if place not in provinces]
    return len(wrong) >= fewest and wrong.count(True) <= (1 - CONFIRMED) * len(wrong)


def _dropped(plan: Plan, adjudicator: Adjudicator, group: Group) -> str:
    """Name what a bridge may drop from orders, where an answer is right without it, and none tells that it counts."""
    finding = group.smallest
    if finding is None or finding.relation or group.kind == "failure":
        return ""
    ordered, said, _ = finding.played()
    for what, without in _MAY_BE_DROPPED.items():
        orders = tuple(each for each in map(without, ordered.orders) if each is not None)
        plain = ordered._replace(orders=orders)
        if orders != ordered.orders and agree(ask(ReferenceAdjudicator(plan.ruleset), plain), said):
            return "" if what == _VIA and _tells_via(adjudicator) else what
    return ""


def _tells_via(adjudicator: Adjudicator) -> bool:
    """Whether the words `via convoy` make a difference to an engine where a foreign fleet can carry the army."""
    ordered = read_position_text(
        "England: A Nwy - Swe via convoy\nFrance: F Ska C A Nwy - Swe\nRussia: A Swe - Nwy", ""
    )[0]
    plain = ordered._replace(orders=tuple(map(_without_via, ordered.orders)))
    return not agree(ask(adjudicator, ordered), ask(adjudicator, plain))


def _without_nationality(given: GivenOrder) -> GivenOrder:
    helped = helped_unit(given.order)
    order = with_named_units(given.order, lambda unit: unit._replace(power=None) if unit is helped else unit)
    return given._replace(order=order)


def _without_via(given: GivenOrder) -> GivenOrder:
    return given._replace(order=replace(given.order, via_convoy=False)) if isinstance(given.order, Move) else given


_MAY_BE_DROPPED: Mapping[str, Callable[[GivenOrder], GivenOrder | None]] = {
    "`waive`": lambda given: None if isinstance(given.order, Waive) else given,
    _VIA: _without_via,
    "a nationality": _without_nationality,
}


def _explains(plan: Plan, adjudicator: Adjudicator, broken: Group, group: Group) -> bool:
    """Whether a relation explains a group: nothing that is wrong in one form of a position is wrong in all of them."""
    if broken.relation in UNSTABLE and group.relation in UNSTABLE:
        return True  # Of answers that change nothing else can be told.
    if broken.relation not in UNSTABLE:
        return _is_explained(plan, adjudicator, broken.relation, group)
    asked = _positions(plan, group)
    engine = plan.engines[broken.engine]
    if engine.is_builtin or engine.spec.url is not None:  # It cannot be started anew.
        return False
    anew = replace(plan, engines=(engine,))
    with open_adjudicators(anew) as (fresh,):
        wrong = [each for each in asked if _is_wrong(plan, fresh, *each)]
    # What it was asked just before may be the reason.
    return not any(_is_wrong_at_first(anew, *each) for each in wrong)


def _is_explained(plan: Plan, adjudicator: Adjudicator, relation: str, group: Group) -> bool:
    asked = _positions(plan, group)
    left = (not _depends_on(plan, adjudicator, relation, *each) for each in asked)
    return len([*itertools.islice(filter(None, left), _MOST_LEFT + 1)]) <= min(_MOST_LEFT, len(asked) // 3)


def _positions(plan: Plan, group: Group) -> Sequence[tuple[Finding, OrderedPosition]]:
    small = group.smallest
    some = [small, *(each for each in group.findings if each is not small)] if small else group.findings
    return [
        (each, draw(plan, each.number)[1] if each.position is None else each.ordered())
        for each in some[:_ASKED_OF_EACH]
    ]


def _is_wrong_at_first(anew: Plan, finding: Finding, ordered: OrderedPosition) -> bool:
    with open_adjudicators(anew) as (fresh,):
        return _is_wrong(anew, fresh, finding, ordered)


def _is_wrong(plan: Plan, fresh: Adjudicator, finding: Finding, ordered: OrderedPosition) -> bool:
    if finding.relation:
        return find_contradiction(fresh, ordered, plan.ruleset, finding.relation, finding.salt) is not None
    return find_disagreement(fresh, ReferenceAdjudicator(plan.ruleset), ordered, words=plan.words) is not None


def _depends_on(
    plan: Plan, adjudicator: Adjudicator, relation: str, finding: Finding, ordered: OrderedPosition
) -> bool:
    """Whether a relation explains what is wrong with a position."""
    if finding.relation == relation:
        return True
    reference = ReferenceAdjudicator(plan.ruleset)
    forms = filter(None, (RELATIONS[relation].put_otherwise(ordered, salt) for salt in range(_FORMS)))
    if finding.relation:  # It is another relation, which is kept in some form.
        return any(
            find_contradiction(adjudicator, each.ordered, plan.ruleset, finding.relation, finding.salt) is None
            for each in forms
        )
    wrong = _what_is_wrong(ask(reference, ordered), ask(adjudicator, ordered))
    if not wrong:
        return False
    for form in forms:
        said = RELATIONS[relation].ask(adjudicator, form)
        wrong &= _what_is_wrong(ask(reference, form.ordered), said) if said else wrong
        if not wrong:
            return True
    return False


def _what_is_wrong(expected: Played, said: Played) -> set[Hashable]:
    """Return what is wrong with an answer, and where; what is said of orders does not count.

    A unit that moves, or does not, is named by where it was: another one may arrive at its destination.
    """
    number, facts = find_facts(expected, said)
    if said and isinstance(said[-1].answer, Failure):
        return {said[-1].answer.kind}
    facts = [each for each in facts if each.order is None]
    moved = [each for each in facts if each.kind != "unit-unexpected"] or facts
    return {(number, each.kind, each.unit and each.unit.location, each.actual) for each in moved}
