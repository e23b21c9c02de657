"""The rules of the DATC that an answer can break: what an engine does that breaks each, and where to read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ...reference_engine import standard_board
from ...reports.vocabulary import Names, listed


class Rule(NamedTuple):
    """What an answer that breaks a rule does."""

    sentence: str
    """`"The engine …"`, in any position."""
    example: str
    """In one."""
    section: str
    """Where the DATC has the rule."""


_RULES: Mapping[str, Rule] = {
    "support+": Rule("counts a support that is cut", "counts {order}, though {others} attacks it", "5.B.2"),
    "support-": Rule("does not count a support that nothing cuts", "does not count {order}", "5.B.2"),
    "match+": Rule("counts a support that matches no order", "counts {order}, which matches no order", "5.A"),
    "convoy+": Rule("lets a dislodged fleet convoy", "lets {order} succeed, though {others} dislodges it", "5.B.3"),
    "convoy-": Rule("disrupts the convoy of a fleet that is not dislodged", "disrupts {order}", "5.B.3"),
    "path+": Rule("lets a unit arrive that has no way there", "lets {order} succeed, which has no path", "5.B.4"),
    "path-": Rule("stops a move that has a way, and that nothing opposes", "lets {order} fail", "5.B.1"),
    "own+": Rule("lets a power dislodge its own unit", "lets {order} succeed against {others}", "5.B.8"),
    "own-support+": Rule(
        "counts supports against a unit of their own power",
        "lets {order} succeed against {others}, by supports against their own power",
        "5.B.8",
    ),
    "swap+": Rule("lets two units change places without a convoy", "lets {order} and {others} change places", "5.B.7"),
    "convoyed-swap-": Rule(
        "takes two units that change places for a head-to-head battle, though one comes by convoy",
        "lets {order} fail against {others}, though one of them comes by convoy",
        "5.B.1",
    ),
    "order+": Rule("follows an order that is not legal", "follows {order}", "6.A"),
    "order-": Rule("does not follow a legal order", "does not follow {order}", "6.A"),
    "foreign+": Rule("follows an order of another power than the unit's", "follows {order}, of another power", "6.A.6"),
    "border+": Rule("lets a unit go where no border leads", "lets {order} go where no border leads", "6.A.1"),
    "no-border-": Rule("does not know that {places} are adjacent", "", "6.A.1"),
    "several": Rule(
        "follows another one of several orders to a unit than the rules", "takes the wrong one of {others}", "4.D.3"
    ),
    "circle-": Rule(
        "settles a circle of orders in another way", "settles the circle of {others} in another way", "5.B.9"
    ),
    "paradox-": Rule("settles a paradox in another way", "settles the paradox of {others} in another way", "4.A.2"),
    "coast+": Rule("lets a fleet arrive on another coast", "has {unit} on another coast", "6.B"),
    "unit-missing": Rule("takes a unit off the board that nothing dislodged", "takes {unit} off the board", "5.A"),
    "unit-unexpected": Rule("puts a unit where none can come", "has {unit}, which cannot come there", "5.A"),
    "dislodgement-missing": Rule(
        "does not say that a unit is dislodged", "does not say that {unit} is dislodged", "5.A"
    ),
    "dislodgement-unexpected": Rule(
        "says of a unit that it is dislodged, though nothing dislodges it", "says that {unit} is dislodged", "5.A"
    ),
    "retreat-missing": Rule("closes a place to a retreat that is open", "closes {place} to {unit}", "6.H"),
    "retreat-occupied": Rule(
        "lets a unit retreat to a province that is occupied", "lets {unit} retreat to {place}, which is occupied", "6.H"
    ),
    "retreat-origin": Rule(
        "lets a unit retreat to where its attacker came from",
        "lets {unit} retreat to {place}, where its attacker came from",
        "6.H.5",
    ),
    "retreat-standoff": Rule(
        "lets a unit retreat to where a standoff was", "lets {unit} retreat to {place}, where a standoff was", "6.H.6"
    ),
    "retreat-border": Rule(
        "lets a unit retreat over a border that it cannot cross",
        "lets {unit} retreat to {place}, where no border leads",
        "6.H",
    ),
    "retreats-": Rule("disbands a unit that retreats", "disbands what retreats to {place}", "6.H"),
    "retreats-collide": Rule(
        "lets a unit retreat to where another one retreats", "has {unit}, where several retreat", "6.H.7"
    ),
    "retreats-unordered": Rule(
        "lets a unit retreat that has no legal order to", "has {unit}, which no legal order takes there", "6.H"
    ),
    "build-occupied": Rule("builds in a province that is occupied", "builds {unit} beside another one", "6.I.3"),
    "build-twice": Rule("builds two units in one province", "builds {unit} beside another one", "6.I.7"),
    "build-abroad": Rule("builds outside the home centers", "builds {unit}, which is at no home center", "6.I.6"),
    "build-lost": Rule("builds in a home center that is not owned", "builds {unit}, in a center not owned", "6.I.5"),
    "build-terrain": Rule("builds a unit that cannot stand there", "builds {unit}, which cannot stand there", "6.I.2"),
    "build-many": Rule("builds more units than there are centers for", "builds {unit}, which is one too many", "6.I.1"),
    "build+": Rule("builds a unit that is not to be built", "builds {unit}", "6.I"),
    "build-": Rule("does not build a unit that may be built", "does not build {unit}", "6.I"),
    "removal+": Rule("removes more units than have to go", "removes {unit}", "6.J.1"),
    "removal-": Rule("removes fewer units than have to go", "lets {unit} stay", "6.J"),
    "removal": Rule("removes another unit than the rules do", "does otherwise with {unit}", "6.J"),
    **{
        f"{barrier}{sign}": Rule(
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
_SPECIAL = frozenset({"own-support+", "convoyed-swap-", "swap+", "several", "foreign+", "border+"})


def rule_of(key: str) -> Rule:
    """Return a rule by its key, behind whose colon the provinces may be that it is about."""
    name, _, places = key.partition(":")
    rule = _RULES[name]
    names = Names(standard_board()).places(places.split("/"))
    return rule._replace(sentence=rule.sentence.format(places=names)) if places else rule


def with_sections(texts: Iterable[tuple[str, Iterable[str]]]) -> str:
    """Put where the DATC has its rules behind each sentence, which breaks those of some keys."""
    return ", or ".join(
        f"{text} (DATC {listed(dict.fromkeys(rule_of(key).section for key in keys))})" for text, keys in texts
    )


def blame_text(keys: Iterable[str]) -> str:
    """Say what breaks the rules of one of these keys: `"counts a support that is cut (DATC 5.B.2)"`."""
    sets = [each.split() for each in keys]
    return with_sections((listed(rule_of(key).sentence for key in each), each) for each in sets)


def rank_of(key: str) -> tuple[int, ...]:
    """Return the place of the rules of a key among all, for an order that is always the same."""
    return tuple(_RANK[each.partition(":")[0]] for each in key.split())


def how_special(key: str) -> int:
    """Say how much the rules of a key are to be preferred to others that explain as much.

    That an order is not followed says no more than that it fails; a border that an engine does not know is seen where
    several other rules would have to be broken.
    """
    names = {each.partition(":")[0] for each in key.split()}
    special = int(not names.isdisjoint(_SPECIAL)) + ("foreign+" in names) - ("no-border-" in names)
    return special - (len(names) - 1) - 2 * ("order-" in names)
