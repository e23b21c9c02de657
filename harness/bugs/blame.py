"""Which rule an answer breaks: the equation of the DATC that does not hold when all else is as the answer has it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import msgspec

from ...reference_engine import (
    Convoy,
    GivenOrder,
    Order,
    Position,
    Retreat,
    Ruleset,
    SupportHold,
    SupportMove,
    Unit,
    province_code,
)
from ...reference_engine.blame import Broken, find_broken
from ...reference_engine.orders import Move
from ...reports.vocabulary import Names, listed
from ..play.answer import Answer
from ..play.differences import Fact, board_facts, diff_answers, expect_answer
from ..play.positions import order_texts, ordered_province
from ..play.session import PlayedPhase
from .blamed_rules import how_special, rank_of, rule_of, with_sections

_MANY = 8
"""What fewer answers have in common may be so by chance."""


class Blame(msgspec.Struct, frozen=True, omit_defaults=True):
    """A rule that an answer to a position breaks, or several that it breaks only together."""

    key: str
    """The same for the same rules, whatever the position."""
    sentence: str = ""
    """What it does in this one; empty where it may, and no order shows it."""
    against: int = 0
    """How much speaks against it: outcomes of orders, as the engine says them, or a circle that explains as much."""

    features: list[str] = []
    """What can be said of the order that shows it: what all answers have in common distinguishes the bug."""

    def breaks(self, key: str) -> bool:
        """Whether the rules of a key are among those that it breaks."""
        return set(key.split()) <= set(self.key.split())


def likeliest(found: Sequence[Sequence[Blame]]) -> tuple[str, ...]:
    """Return the key that explains the most answers, of the blames of each; and those that explain the same as well."""
    ranks: dict[str, tuple[int, ...]] = {}
    for key in {blame.key for blames in found for blame in blames}:
        times = sum(any(blame.breaks(key) for blame in blames) for blames in found)
        exact = [blame.against for blames in found for blame in blames if blame.key == key]
        ranks[key] = times, how_special(key), len(exact), -sum(exact)
    in_order = sorted(ranks, key=rank_of)
    best = max(in_order, key=lambda key: ranks[key])
    mine = [{blame.key for blame in blames} for blames in found if any(blame.key == best for blame in blames)]
    return (
        best,
        *(key for key in in_order if key != best and ranks[key] == ranks[best] and key in mine[0].intersection(*mine)),
    )


def broken_rule(blames: Sequence[Blame], keys: Collection[str] = ()) -> str:
    """Say what an answer does that breaks a rule, and where the DATC has that; empty where nothing can be said.

    With `keys` it is one of these; else the likeliest.
    """
    keys = keys or (likeliest([blames]) if blames else ())
    told = {each.sentence: each.key.split() for each in blames if each.sentence and each.key in keys}
    return f"it {with_sections(told.items())}" if told else ""


def in_common(found: Sequence[Sequence[Blame]], keys: Collection[str]) -> Sequence[str]:
    """Return what can be said of each order that shows the rules of some keys; nothing where these are few."""
    features = [blame.features for blames in found for blame in blames if blame.key in keys and blame.sentence]
    return (
        [each for each in features[0] if all(each in others for others in features)] if len(features) >= _MANY else ()
    )


def find_blame(right: PlayedPhase, wrong: PlayedPhase, ruleset: Ruleset) -> list[Blame]:
    """Find which rules an answer to a phase breaks: each is possible where several are; none if nothing can be said."""
    if not isinstance(right.answer, Answer) or not isinstance(wrong.answer, Answer):
        return []
    if right.asked.phase == "movement":
        orders = right.asked.submission.as_one_clear_set()
        found = [] if orders is None else _broken_moves(right.asked.position(), orders, wrong.answer, ruleset)
        if found or wrong.impossible or orders is None:
            return found
    facts = board_facts(diff_answers(expect_answer(right.answer, ()), wrong.answer))
    names = Names(right.asked.position().board)
    keys: dict[str, str] = {}
    closed: set[str] = set()
    for fact in facts:
        assert fact.unit is not None  # noqa: S101 - a fact about a board has one
        key, at = _key_of(fact, facts, right, wrong.answer), province_code(fact.unit.location)
        place = fact.expected or fact.actual if fact.kind.startswith("retreat") else fact.unit.location
        words = rule_of(key).example.format(unit=names.owned(fact.unit), place=names.place(place))
        _ = keys.setdefault(key, words)
        closed |= {_border(at, place)} if key == "retreat-missing" else set()
    if not keys:
        return []
    sentence = listed(keys.values())
    others = closed if len(closed) == 1 else ["border+"] if "retreat-border" in keys else []
    return [Blame(key, sentence) for key in (" ".join(sorted(keys)), *(others if len(keys) == 1 else ()))]


def _border(one: str, other: str) -> str:
    return f"no-border-:{'/'.join(sorted(map(province_code, (one, other))))}"


def _broken_moves(position: Position, orders: Sequence[GivenOrder], answer: Answer, ruleset: Ruleset) -> list[Blame]:
    """Find the equations of movement that an answer breaks."""
    provinces = [province_code(unit.location) for unit in position.units]
    if (arrived := _arrived(position, orders, answer)) is None:
        return []
    of_orders = zip(orders, answer.outcomes or (), strict=False)
    outcomes = {ordered_province(given.order): each.outcome == "succeeds" for given, each in of_orders if each}
    succeeded = {unit: outcomes[at] for unit, at in enumerate(provinces) if at in outcomes}
    texts = dict(zip(provinces, map(Names(position.board).unit, position.units), strict=True))
    written = order_texts(orders, "names", position.board)
    texts |= {ordered_province(given.order): each for given, each in zip(orders, written, strict=True)}
    given_at = {ordered_province(given.order): given.order for given in orders}

    def text(units: Sequence[int]) -> str:
        return listed(f"{texts[provinces[unit]]!r}" for unit in units)

    def sentence(key: str, broken: Broken) -> str:
        at = provinces[broken.unit]
        several = [f"{one!r}" for one, each in zip(written, orders, strict=True) if ordered_province(each.order) == at]
        words = rule_of(key).example.format(
            order=text([broken.unit]),
            others=listed(several) if key == "several" else text(broken.others),
            attack=broken.strengths[0],
            barrier=broken.strengths[1],
        )
        return f"{words}{', by convoy' if broken.by_convoy else ''}"

    def special(broken: Broken) -> str:
        if not broken.succeeds and broken.equation in ("support", "convoy", "path"):
            of_unit = [each for each in orders if ordered_province(each.order) == provinces[broken.unit]]
            return "several" if len(of_unit) > 1 else _key(broken)
        return f"{broken.special}{'+' if broken.succeeds else '-'}" if broken.special else _key(broken)

    def ignored(broken: Broken) -> str:
        """Of several orders to a unit, too, one may not be followed for another reason."""
        return "order-" if broken.equation == "several" and not broken.succeeds else _key(broken)

    found: dict[str, Blame] = {}
    sets = find_broken(position, orders, ruleset, arrived, succeeded)
    for several, against in sorted(sets.items(), key=lambda each: each[1]):
        is_shown = any(each.strengths != (0, 0) or not each.others for each in several) or not against
        for key_of in (_key, special, ignored):
            by_key = {key_of(each): each for each in several}
            key, told = " ".join(sorted(by_key)), listed(sentence(*each) for each in by_key.items())
            features = _features(position, given_at.get(provinces[several[0].unit]), several[0])
            _ = found.setdefault(key, Blame(key, told if is_shown else "", against, features))
        if len(several) == 1 and not several[0].succeeds:
            order, told = given_at.get(provinces[several[0].unit]), sentence(_key(several[0]), several[0])
            for key in _borders(position, order, orders):
                _ = found.setdefault(key, Blame(key, told, against))
    return [*found.values()]


def _features(position: Position, order: Order | None, broken: Broken) -> list[str]:
    """Say what distinguishes an order that shows a broken rule from others that do not."""
    power = position.units[broken.unit].power
    found = ["a unit comes by convoy"] if broken.by_convoy else []
    if isinstance(order, (SupportHold, SupportMove)):
        found.append("a support to hold" if isinstance(order, SupportHold) else "a support for a move")
        at = position.board.number.get(province_code(order.supported.location), -1)
        helped = position.occupant[at] if at >= 0 else -1
        found += ["for a unit of another power"] if helped >= 0 and position.units[helped].power != power else []
    if (
        broken.others
        and broken.equation != "own"
        and all(position.units[each].power == power for each in broken.others)
    ):
        found.append("both units are of one power")
    return found


def _borders(position: Position, order: Order | None, orders: Sequence[GivenOrder]) -> Iterator[str]:
    """Give the keys of the borders on which an order depends."""
    at = ordered_province(order)
    if isinstance(order, Move):
        fleets = [
            each for _, each in orders if isinstance(each, Convoy) and province_code(each.convoyed.location) == at
        ]
        pairs = [(at, order.to), *(pair for each in fleets for pair in _ends(each))]
    elif isinstance(order, Convoy):
        pairs = [*_ends(order)]
    elif isinstance(order, (SupportHold, SupportMove)):
        pairs = [(at, order.to if isinstance(order, SupportMove) else order.supported.location)]
    else:
        return
    board = position.board
    for one, other in pairs:
        start, end = (board.number.get(province_code(each), -1) for each in (one, other))
        if min(start, end) >= 0 and board.borders_of_any_unit(start) >> end & 1:
            yield _border(one, other)


def _ends(convoy: Convoy) -> Sequence[tuple[str, str]]:
    """Return from where to where an army goes that a fleet takes alone."""
    fleet = convoy.unit.location
    return (convoy.convoyed.location, fleet), (fleet, convoy.to)


def _arrived(position: Position, orders: Sequence[GivenOrder], answer: Answer) -> Collection[int] | None:
    """Find which units moved; `None` if one is gone that nothing dislodged.

    Units with the fewest possible ends are placed first: others of their kind may stand at both ends of a move.
    """
    left, dislodged = list(answer.units), {each.unit for each in answer.dislodged or ()}
    targets: dict[str, set[str]] = {}
    for _, order in orders:
        if isinstance(order, Move):
            targets.setdefault(ordered_province(order), set()).add(province_code(order.to))
    open_, ends = dict(enumerate(position.units)), dict[int, Unit | None]()
    for most in (1, 1, 1, 2, 3):
        for number, unit in list(open_.items()):
            to = targets.get(province_code(unit.location), ())
            alike = [] if unit in dislodged else [each for each in left if each[:2] == unit[:2]]
            possible = [each for each in alike if each == unit or province_code(each.location) in to]
            if len(possible) <= most:
                end = ends[number] = unit if unit in possible else next(iter(possible), None)
                del open_[number]
                left.remove(end) if end else None
    entered = {province_code(end.location) for number, end in ends.items() if end and end != position.units[number]}
    gone = [province_code(position.units[number].location) for number, end in ends.items() if end is None]
    if not entered.issuperset(gone):
        return None
    return [number for number, end in ends.items() if end and end != position.units[number]]


def _key(broken: Broken) -> str:
    return "several" if broken.equation == "several" else f"{broken.equation}{'+' if broken.succeeds else '-'}"


def _key_of(fact: Fact, facts: Sequence[Fact], right: PlayedPhase, said: Answer) -> str:
    """Return the key of the rule that a difference of boards breaks, where the moves are right."""
    asked, unit, kind = right.asked, fact.unit, fact.kind
    assert unit is not None  # noqa: S101 - a fact about a board has one
    at = province_code(unit.location)
    if asked.phase == "adjustment":
        return _key_of_adjustment(fact, unit, right, said)
    if not kind.startswith(("retreat", "dislodgement")):
        is_there = kind != "unit-missing"
        if asked.phase == "movement":
            others = [each.unit for each in facts if each.unit and each.kind != kind]
            on_coast = any((*each[:2], province_code(each.location)) == (*unit[:2], at) for each in others)
            return "coast+" if on_coast else kind
        coming = [each for _, each, *_ in asked.submission.writings if isinstance(each, Retreat)]
        collide = sum(province_code(each.to) == at for each in coming) > 1
        return "retreats-" if not is_there else "retreats-collide" if collide else "retreats-unordered"
    if kind != "retreat-unexpected":
        return kind
    place = province_code(fact.actual)
    entries = right.answer.dislodged if isinstance(right.answer, Answer) else None
    if any(province_code(each.location) == place for each in said.units):
        return "retreat-occupied"
    if any(each.unit == unit and each.attacked_from == place for each in entries or ()):
        return "retreat-origin"
    crosses = fact.actual in asked.position().board.destinations(unit)
    return "retreat-standoff" if crosses else "retreat-border"


def _key_of_adjustment(fact: Fact, unit: Unit, right: PlayedPhase, said: Answer) -> str:
    """Return the key of the rule that decides whether a unit is built, or stays."""
    before, at = right.asked.position(), province_code(unit.location)
    stood, stand = (sum(each.power == unit.power for each in units) for units in (before.units, said.units))
    owned = before.centers.get(unit.power, ())
    due, too_many = len(owned) - stood, stand - len(owned)
    if unit in before.units:
        if due < 0 and too_many == 0:
            return "removal"
        return "removal-" if due < 0 < too_many else "removal+"
    if fact.kind == "unit-missing":
        return "build-"
    if any(province_code(each.location) == at for each in before.units):
        return "build-occupied"
    if unit.power not in before.board.powers or at not in before.board.powers[unit.power].home_centers:
        return "build-abroad"
    if at not in owned:
        return "build-lost"
    if not before.board.can_stand(unit.type, unit.location):
        return "build-terrain"
    if too_many > 0:
        return "build-many"
    return "build-twice" if sum(province_code(each.location) == at for each in said.standing) > 1 else "build+"
