"""Which rule an answer breaks: the equation of the DATC that does not hold when all else is as the answer has it."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from ...reference_engine import Retreat, Ruleset, Unit, province_code
from ...reference_engine.blame import Broken, find_broken
from ...reference_engine.orders import Move
from ...reports.vocabulary import Names, listed
from ..play.answer import Answer
from ..play.differences import Fact, board_facts, diff_answers, expect_answer
from ..play.differential import Played, first_difference
from ..play.positions import OrderedPosition, order_texts, ordered_province
from ..play.session import PlayedPhase


class _Rule(NamedTuple):
    """What an answer that breaks a rule does."""

    sentence: str
    """`"The engine …"`, in any position."""
    example: str
    """In one, where its differences do not say so."""
    section: str
    """Where the DATC has the rule."""


_RULES: Mapping[str, _Rule] = {
    "support+": _Rule("counts a support that is cut", "counts {order}, though {others} attacks it", "5.B.2"),
    "support-": _Rule("does not count a support that nothing cuts", "does not count {order}", "5.B.2"),
    "match+": _Rule("counts a support that matches no order", "counts {order}, which matches no order", "5.A"),
    "convoy+": _Rule("lets a dislodged fleet convoy", "lets {order} succeed, though {others} dislodges it", "5.B.3"),
    "convoy-": _Rule("disrupts the convoy of a fleet that is not dislodged", "disrupts {order}", "5.B.3"),
    "path+": _Rule("lets a unit arrive that has no way there", "lets {order} succeed, which has no path", "5.B.4"),
    "path-": _Rule("stops a move that has a way, and that nothing opposes", "lets {order} fail", "5.B.1"),
    "own+": _Rule("lets a power dislodge its own unit", "lets {order} succeed against {others}", "5.B.8"),
    "order+": _Rule("follows an order that is not legal, or that another one replaces", "follows {order}", "6.A"),
    "order-": _Rule("does not follow a legal order", "does not follow {order}", "6.A"),
    "circle-": _Rule("settles a circle of orders in another way", "settles {others} in another way", "5.B.9"),
    "paradox-": _Rule("settles a paradox in another way", "settles {others} in another way", "4.A.2"),
    "coast": _Rule("lets a fleet arrive on another coast", "", "6.B"),
    "unit-missing": _Rule("takes a unit off the board that nothing dislodged", "", "6.A"),
    "unit-unexpected": _Rule("puts a unit on the board that cannot come there", "", "6.A"),
    "dislodgement-missing": _Rule("does not say that a unit is dislodged", "", "5.A"),
    "dislodgement-unexpected": _Rule("says of a unit that it is dislodged, though nothing dislodges it", "", "5.A"),
    "retreat-missing": _Rule("closes a place to a retreat that is open", "", "6.H"),
    "retreat-occupied": _Rule("lets a unit retreat to a province that is occupied", "", "6.H"),
    "retreat-origin": _Rule("lets a unit retreat to where its attacker came from", "", "4.A.5"),
    "retreat-border": _Rule("lets a unit retreat over a border that it cannot cross", "", "6.H"),
    "retreat-standoff": _Rule("lets a unit retreat to where a standoff was", "", "6.H"),
    "retreats-": _Rule("disbands a unit that retreats", "", "6.H"),
    "retreats-collide": _Rule("lets a unit retreat to where another one retreats", "", "6.H"),
    "retreats-unordered": _Rule("lets a unit retreat that has no legal order to", "", "6.H"),
    "build+": _Rule("builds a unit that may not be built", "", "6.I"),
    "build-": _Rule("does not build a unit that may be built", "", "6.I"),
    "removal+": _Rule("removes a unit that stays", "", "6.J"),
    "removal-": _Rule("lets a unit stay that is removed", "", "6.J"),
    **{
        f"{barrier}{sign}": _Rule(
            f"lets a move {verb} that is {is_stronger} than {against}",
            f"lets {{order}} {verb} with strength {{attack}} against {{barrier}} of {{others}}",
            section,
        )
        for barrier, against, section in (
            ("hold", "what holds there", "5.B.5"),
            ("defend", "the one that it meets head to head", "5.B.7"),
            ("prevent", "another one to the same province", "5.B.6"),
        )
        for sign, verb, is_stronger in (("+", "succeed", "not stronger"), ("-", "fail", "stronger"))
    },
}
"""The rules by keys: of an equation, with a sign for whether something succeeds that should not, or the other way."""
_RANK = {key: rank for rank, key in enumerate(_RULES)}


def blame_text(keys: Iterable[str]) -> str:
    """Say what breaks the rules of one of these keys: `"counts a support that is cut (DATC 5.B.2)"`."""
    return ", or ".join(
        listed(f"{_RULES[each].sentence} (DATC {_RULES[each].section})" for each in key.split()) for key in keys
    )


class Blame(msgspec.Struct, frozen=True, omit_defaults=True):
    """A rule that an answer to a position breaks, or several that it breaks only together."""

    key: str
    """The same for the same rules, whatever the position."""
    sentence: str = ""
    """What it does in this one, where its differences do not say so."""
    against: int = 0
    """How many outcomes of orders, as the engine says them, speak against it."""

    def breaks(self, key: str) -> bool:
        """Whether the rules of a key are among those that it breaks."""
        return set(key.split()) <= set(self.key.split())


def likeliest(found: Sequence[Sequence[Blame]]) -> tuple[str, ...]:
    """Return the key that explains the most answers, of the blames of each; and those that explain the same as well."""
    ranks: dict[str, tuple[int, ...]] = {}
    for blame in itertools.chain.from_iterable(found):
        times, *_, against = ranks.get(blame.key, (0, 0))
        # That a move is not followed says no more than that it fails.
        says_less = -blame.key.count(" ") - (2 if "order-" in blame.key else 0)
        ranks[blame.key] = times + 1, says_less, against - blame.against
    in_order = sorted(ranks, key=lambda key: (_RANK.get(key, len(_RANK)), key))
    best = max(in_order, key=ranks.__getitem__)
    mine = [keys for blames in found if best in (keys := {blame.key for blame in blames})]
    return (
        best,
        *(key for key in in_order if key != best and ranks[key] == ranks[best] and key in mine[0].intersection(*mine)),
    )


def find_blame(ordered: OrderedPosition, said: Played, expected: Played, ruleset: Ruleset) -> list[Blame]:
    """Find which rules an answer breaks: each is possible where several are; none where nothing can be said."""
    difference = first_difference(expected, said)
    if difference is None:
        return []
    right, wrong = difference
    if not isinstance(right.answer, Answer) or not isinstance(wrong.answer, Answer):
        return []
    if right.asked.phase == "movement":
        found = _broken_moves(ordered, wrong.answer, ruleset)
        if found or wrong.impossible:
            return found
    facts = board_facts(diff_answers(expect_answer(right.answer, ()), wrong.answer))
    keys = {_key_of(fact, facts, right, wrong.answer) for fact in facts}
    return [Blame(" ".join(sorted(keys)))] if keys else []


def _broken_moves(ordered: OrderedPosition, answer: Answer, ruleset: Ruleset) -> list[Blame]:
    """Find the equations of movement that an answer breaks."""
    provinces = [province_code(unit.location) for unit in ordered.units]
    if (arrived := _arrived(ordered, answer)) is None:
        return []
    of_orders = zip(ordered.orders, answer.outcomes or (), strict=False)
    outcomes = {ordered_province(given.order): each.outcome == "succeeds" for given, each in of_orders if each}
    succeeded = {unit: outcomes[at] for unit, at in enumerate(provinces) if at in outcomes}
    texts = dict(zip(provinces, map(Names(ordered.position.board).unit, ordered.units), strict=True))
    texts |= {ordered_province(given.order): order_texts([given], "names")[0] for given in ordered.orders}

    def text(units: Sequence[int]) -> str:
        return listed(f"{texts[provinces[unit]]!r}" for unit in units)

    def sentence(broken: Broken) -> str:
        words = _RULES[_key(broken)].example.format(
            order=text([broken.unit]),
            others=text(broken.others),
            attack=broken.strengths[0],
            barrier=broken.strengths[1],
        )
        return f"{words}{', by convoy' if broken.by_convoy else ''}"

    found: dict[str, Blame] = {}
    sets = find_broken(ordered.position, ordered.orders, ruleset, arrived, succeeded)
    for several, against in sorted(sets.items(), key=lambda each: each[1]):
        by_key = {_key(each): sentence(each) for each in several}
        key = " ".join(sorted(by_key))
        _ = found.setdefault(key, Blame(key, f"it {listed(by_key.values())}", against))
    return [*found.values()]


def _arrived(ordered: OrderedPosition, answer: Answer) -> Collection[int] | None:
    """Find which units moved; `None` if one is gone that nothing dislodged.

    Units with the fewest possible ends are placed first: others of their kind may stand at both ends of a move.
    """
    left, dislodged = list(answer.units), {each.unit for each in answer.dislodged or ()}
    targets: dict[str, set[str]] = {}
    for _, order in ordered.orders:
        if isinstance(order, Move):
            targets.setdefault(ordered_province(order), set()).add(province_code(order.to))
    open_, ends = dict(enumerate(ordered.units)), dict[int, Unit | None]()
    for most in (1, 1, 1, 2, 3):
        for number, unit in list(open_.items()):
            to = targets.get(province_code(unit.location), ())
            alike = [] if unit in dislodged else [each for each in left if each[:2] == unit[:2]]
            possible = [each for each in alike if each == unit or province_code(each.location) in to]
            if len(possible) <= most:
                end = ends[number] = unit if unit in possible else next(iter(possible), None)
                del open_[number]
                left.remove(end) if end else None
    entered = {province_code(end.location) for number, end in ends.items() if end and end != ordered.units[number]}
    gone = [province_code(ordered.units[number].location) for number, end in ends.items() if end is None]
    if not entered.issuperset(gone):
        return None
    return [number for number, end in ends.items() if end and end != ordered.units[number]]


def _key(broken: Broken) -> str:
    return f"{broken.equation}{'+' if broken.succeeds else '-'}"


def _key_of(fact: Fact, facts: Sequence[Fact], right: PlayedPhase, said: Answer) -> str:
    """Return the key of the rule that a difference of boards breaks, where the moves are right."""
    asked, unit, kind = right.asked, fact.unit, fact.kind
    assert unit is not None  # noqa: S101 - a fact about a board has one
    at = province_code(unit.location)
    if not kind.startswith(("retreat", "dislodgement")):
        is_there = kind != "unit-missing"
        if asked.phase == "movement":
            others = [each.unit for each in facts if each.unit and each.kind != kind]
            on_coast = any((*each[:2], province_code(each.location)) == (*unit[:2], at) for each in others)
            return "coast" if on_coast else f"unit-{'unexpected' if is_there else 'missing'}"
        if asked.phase == "adjustment":
            return f"removal{'-' if is_there else '+'}" if unit in asked.units else f"build{'+' if is_there else '-'}"
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
