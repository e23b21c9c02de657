"""What explains a disagreement: choices of the rules, a mutant of the reference engine, or nothing that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from ...reference_engine import (
    Build,
    Convoy,
    Disband,
    Hold,
    Move,
    Order,
    Remove,
    Retreat,
    Ruleset,
    SupportHold,
    SupportMove,
)
from ..answers import Fact, Failure, fact_text
from ..asking import Played, agree, ask, find_facts
from ..diagnosis.mutants import MUTANTS
from ..experiments.changes import Change, find_changes
from ..positions import OrderedPosition
from ..session import ReferenceAdjudicator
from .metamorphic import RESULTS_CONTRADICT_BOARD, own_contradiction
from .patterns import pattern

CauseKind: TypeAlias = Literal["deviation", "bug", "failure"]

Possible: TypeAlias = frozenset[tuple[str, str]]
"""The choices, each with its issue, that an engine may make for all that is known of it."""

_SMALL = 8
_TRIED_OF_SMALL, _TRIED_OF_LARGE = 600, 200
"""How many changes of several choices are tried on a position with so many units, and on a larger one."""
_PATTERNED = 14
"""A position of so many units is written as a pattern: larger ones have none in common."""
_ORDER_NAMES: Mapping[type[Order | None], str] = {
    Hold: "a hold",
    Move: "a move",
    SupportHold: "a support",
    SupportMove: "a support",
    Convoy: "a convoy",
    Retreat: "a retreat",
    Disband: "a disbandment",
    Build: "a build",
    Remove: "a removal",
    type(None): "an order that cannot be read",
}


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """Why an engine's answer is another one."""

    kind: CauseKind
    label: str
    """What findings with the same cause share, where it is no deviation."""
    unexplained: bool = False
    """For a bug: nothing known explains it, and the label is the pattern of its position."""
    mutants: list[str] = msgspec.field(default_factory=list[str], name="faults")
    """For a bug: the mutants of the reference engine that each give the engine's answer, by their names."""
    changes: list[dict[str, str]] = []
    """For a deviation: each of these, alone, gives the engine's answer."""


class Disagreement(NamedTuple):
    """A position, and an engine that answers something else than is expected."""

    ordered: OrderedPosition
    said: Played
    expected: Played
    ruleset: Ruleset
    relation: str = ""
    """Where the engine contradicts itself: in what."""
    possible: Possible | None = None
    """The choices that may explain it; `None` for any."""

    @property
    def contradicts_another_answer(self) -> bool:
        """Whether the engine contradicts what it answered to the same position in another form."""
        return self.relation not in ("", RESULTS_CONTRADICT_BOARD)

    @property
    def impossible(self) -> str:
        """What is impossible with the engine's board, in words without places; empty where it can exist."""
        facts = self.said[-1].impossible
        # Where two units are in one province, another fact may say why.
        return _impossible_label(min(facts, key=lambda fact: fact.kind == "province-twice")) if facts else ""

    @property
    def is_about_words(self) -> bool:
        """Whether the boards are the same, and only the outcome of an order differs."""
        return not self.impossible and not self.relation and agree(self.expected, self.said)


def explain_difference(disagreement: Disagreement) -> Cause:
    """Find what explains a disagreement: a failure, itself, choices of the rules, a mutant, or nothing known."""
    last = disagreement.said[-1].answer
    if isinstance(last, Failure):
        return Cause(kind="failure", label=last.kind)
    if label := disagreement.impossible or disagreement.relation:
        mutants = [] if disagreement.contradicts_another_answer else explaining_mutants(disagreement)
        return Cause(kind="bug", label="" if mutants else label, mutants=mutants)
    if disagreement.is_about_words:
        return Cause(kind="bug", label=min(word_labels(disagreement)))
    changes = explaining_changes(disagreement)
    if changes:
        return Cause(kind="deviation", label="", changes=[dict(each) for each in changes])
    mutants = explaining_mutants(disagreement)
    if mutants:
        return Cause(kind="bug", label="", mutants=mutants)
    return unexplained_cause(disagreement.ordered, disagreement.expected, disagreement.said)


def unexplained_cause(ordered: OrderedPosition, expected: Played, said: Played) -> Cause:
    """Describe a bug that nothing known explains by the pattern of its position, if that is small."""
    label = pattern(ordered, expected, said) if len(ordered.units) <= _PATTERNED else ""
    return Cause(kind="bug", label=label, unexplained=True)


def explaining_changes(disagreement: Disagreement) -> Sequence[Change]:
    """Find changes of choices under which the reference answers as the engine: single ones, or else a few at once."""
    small = len(disagreement.ordered.units) <= _SMALL
    tried = _TRIED_OF_SMALL if small else _TRIED_OF_LARGE
    return find_changes(disagreement.said, disagreement.ruleset, possible=disagreement.possible, most_tried=tried)


def single_explanations(disagreement: Disagreement) -> Sequence[Change]:
    """Find the single changes of choices under which the reference answers as the engine."""
    return find_changes(disagreement.said, disagreement.ruleset, possible=disagreement.possible, most_changes=1)


def explaining_mutants(disagreement: Disagreement) -> list[str]:
    """Find the mutants of the reference engine that answer as the engine, contradicting themselves where it does."""
    ordered, said = disagreement.ordered, disagreement.said
    return [
        name
        for name, mutant in _mutants(disagreement.ruleset)
        if (other := ask(mutant, ordered))
        and agree(other, said)
        and (not disagreement.relation or own_contradiction(ordered, other))
    ]


@lru_cache(maxsize=4)
def _mutants(ruleset: Ruleset) -> Sequence[tuple[str, ReferenceAdjudicator]]:
    return [(mutant.name, ReferenceAdjudicator(ruleset, mutant.procedure, mutant.name)) for mutant in MUTANTS.values()]


def word_labels(disagreement: Disagreement) -> set[str]:
    """Say of which kinds of orders an engine says something else, and what, where its boards are right."""
    number, facts = find_facts(disagreement.expected, disagreement.said)
    orders = (disagreement.ordered.orders, disagreement.ordered.retreats or ())[number]
    return {
        f"the same board, another outcome of {_ORDER_NAMES.get(type(orders[fact.order].order), 'an order')}:"
        + f" {fact.actual} where it should {fact.expected.removesuffix('s')}"
        for fact in facts
        if fact.order is not None
    }


def _impossible_label(fact: Fact) -> str:
    """Say what is impossible without naming a place or a power."""
    others = {"province-twice": "with another one", "unit-twice": "more than once"}
    return fact_text(Fact(fact.kind, actual=others.get(fact.kind, "")), ())
