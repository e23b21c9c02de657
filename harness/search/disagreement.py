"""A disagreement, and what explains it: choices of the rules, a mutant of the reference engine, or nothing known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from ...reference_engine import Disband, Order, Remove, Ruleset
from ...reports.vocabulary import fact_text
from ..bugs.blame import Blame, find_blame
from ..bugs.changes import MOST_CHANGES, Change, find_changes
from ..bugs.confirm import system
from ..bugs.experiment import AskedPosition
from ..bugs.mutants import MUTANTS
from ..play.answer import Answer, Failure
from ..play.differences import Fact
from ..play.differential import Played, agree, ask, find_facts, first_difference
from ..play.positions import ORDER_TYPES, OrderedPosition
from ..play.session import Adjudicator, ReferenceAdjudicator
from .patterns import Shape, pattern, shape
from .relations import RELATIONS, RESULTS_CONTRADICT_BOARD, UNSTABLE, find_change, own_contradiction

CauseKind: TypeAlias = Literal["deviation", "bug", "failure"]

Possible: TypeAlias = frozenset[tuple[str, str]]
"""The choices, each with its issue, that an engine may make for all that is known of it."""

_SMALL = 8
_TRIED_OF_SMALL, _TRIED_OF_LARGE = 600, 200
"""How many changes of several choices are tried on a position with so many units, and on a larger one."""
_PATTERNED = 14
"""A position of so many units is written as a pattern: larger ones have none in common."""
_ORDERS: Mapping[type[Order | None], str] = {
    **ORDER_TYPES,
    Disband: "disbandment",
    Remove: "removal",
    type(None): "unreadable",
}


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """Why an engine's answer is another one."""

    kind: CauseKind
    label: str
    """What findings with the same cause share, where it is no deviation."""
    unexplained: bool = False
    """For a bug: nothing known explains it, and the label is the pattern of its position."""
    mutants: list[str] = []
    """For a bug: the mutants of the reference engine that each give the engine's answer, by their names."""
    changes: list[dict[str, str]] = []
    """For a deviation: each of these, alone, gives the engine's answer."""
    blame: list[Blame] = []
    """For a bug without a name: the rules that the answer breaks, each of which it may be."""

    @property
    def is_known(self) -> bool:
        """Whether choices or mutants explain the answer."""
        return bool(self.changes or self.mutants)


UNEXPLAINED = Cause(kind="bug", label="", unexplained=True)
"""A bug of which no smaller position was looked for."""


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
    def failure(self) -> Failure | None:
        """Return why the engine gave no answer; `None` where it gave one."""
        last = self.said[-1].answer
        return last if isinstance(last, Failure) else None

    @property
    def contradicts_another_answer(self) -> bool:
        """Whether the engine contradicts what it answered to the same position in another form."""
        return self.relation not in ("", RESULTS_CONTRADICT_BOARD)

    @property
    def impossible(self) -> str:
        """What is impossible with the engine's board, without places and powers; empty where it can exist."""
        if not (facts := self.said[-1].impossible):
            return ""
        # Where two units are in one province, another fact may say why.
        kind = min(facts, key=lambda fact: fact.kind == "province-twice").kind
        others = {"province-twice": "with another one", "unit-twice": "more than once"}
        return fact_text(Fact(kind, actual=others.get(kind, "")), ())

    @property
    def contradiction(self) -> str:
        """What is wrong with the answer alone: two that contradict each other, before a board that cannot exist."""
        return self.relation if self.contradicts_another_answer else self.impossible or self.relation

    @property
    def shape(self) -> Shape:
        """What it looks like, in any place."""
        return shape(self.ordered, self.expected, self.said)

    @property
    def blame(self) -> list[Blame]:
        """The rules that the answer breaks, each of which may be the bug."""
        own = self.expected is self.said  # It contradicts itself in an answer that was compared with no other.
        expected = ask(ReferenceAdjudicator(self.ruleset), self.ordered) if own else self.expected
        difference = first_difference(expected, self.said)
        return find_blame(*difference, self.ruleset) if difference else []

    @property
    def is_about_words(self) -> bool:
        """Whether the boards are the same, and only the outcome of an order differs."""
        return not self.impossible and not self.relation and agree(self.expected, self.said)

    @property
    def what_differs(self) -> str:
        """Say what is wrong: the board of a phase, where units may retreat to, or that an engine contradicts itself."""
        if contradiction := self.contradiction:
            return contradiction
        difference = first_difference(self.expected, self.said)
        if difference is None:
            return "words"
        mine, theirs = difference
        if isinstance(mine.answer, Answer) and isinstance(theirs.answer, Answer):
            return f"{mine.asked.phase} {'board' if mine.answer.units != theirs.answer.units else 'retreats'}"
        return mine.asked.phase

    @property
    def order_kinds(self) -> frozenset[str]:
        """Return the kinds of the orders in the last phase that was asked."""
        orders = self.ordered.orders if len(self.said) == 1 else self.ordered.retreats or ()
        return frozenset(_ORDERS[type(given.order)] for given in orders)


def find_disagreement(
    adjudicator: Adjudicator, reference: ReferenceAdjudicator, ordered: OrderedPosition, *, words: bool = True
) -> Disagreement | None:
    """Compare an answer with that of the reference. Raises as `ask` does."""
    said = ask(adjudicator, ordered)
    expected = said and ask(reference, ordered)
    if not expected or agree(expected, said, words=words):
        return None
    return Disagreement(ordered, said, expected, reference.ruleset, own_contradiction(ordered, said))


def find_contradiction(
    adjudicator: Adjudicator, ordered: OrderedPosition, ruleset: Ruleset, relation: str, salt: int, again: int = 1
) -> Disagreement | None:
    """Find where an engine contradicts its answer in another form; or there itself, or where it gave none.

    Both forms are asked `again` so often: an engine that answers at random may contradict itself in neither, by chance.
    Raises as `ask` does.
    """
    said = ask(adjudicator, ordered)
    first = Disagreement(ordered, said, said, ruleset, own_contradiction(ordered, said)) if said else None
    if first is None or first.failure is not None or first.impossible:
        return first
    if relation == "later":
        change = find_change(adjudicator, ordered)
        return change and Disagreement(change.ordered, change.now, change.before, ruleset, change.sentence)
    question, mine = RELATIONS[relation].put_otherwise(ordered, salt), first if first.relation else None
    if question is None:
        return mine
    expected = tuple(one._replace(answer=question.expected(one.answer)) for one in said)
    said = RELATIONS[relation].ask(adjudicator, question)
    if not said or agree(expected, said):
        return mine
    found = first._replace(said=said, expected=expected, relation=RELATIONS[relation].sentence)
    for turn in range(0 if relation in UNSTABLE else 2 * again):
        form, before = (question.ordered, said) if turn % 2 else (ordered, first.said)
        now = RELATIONS[relation].ask(adjudicator, question) if turn % 2 else ask(adjudicator, ordered)
        if now and not agree(before, now):
            return first._replace(ordered=form, said=now, expected=before, relation=RELATIONS["again"].sentence)
    return found


def explain_difference(found: Disagreement, *, only_single: bool = False) -> Cause:
    """Find what explains a disagreement; with `only_single`, no two choices at once: trying these takes long."""
    if found.failure is not None:
        return Cause(kind="failure", label=found.failure.kind)
    if label := found.contradiction:
        mutants = [] if found.contradicts_another_answer else explaining_mutants(found)
        blame = found.blame if found.impossible and not mutants and not found.contradicts_another_answer else []
        return Cause(kind="bug", label="" if mutants else label, mutants=mutants, blame=blame)
    if found.is_about_words:
        return Cause(kind="bug", label=min(word_labels(found)))
    if changes := explaining_changes(found, only_single=only_single):
        return Cause(kind="deviation", label="", changes=[dict(each) for each in changes])
    if mutants := explaining_mutants(found):
        return Cause(kind="bug", label="", mutants=mutants)
    return unexplained_cause(found)


def unexplained_cause(found: Disagreement) -> Cause:
    """Describe a bug that nothing known explains by the pattern of its position, if that is small."""
    is_small = len(found.ordered.units) <= _PATTERNED
    label = pattern(found.ordered, found.expected, found.said) if is_small else ""
    return Cause(kind="bug", label=label, unexplained=True, blame=found.blame)


def explaining_changes(found: Disagreement, *, only_single: bool = False) -> Sequence[Change]:
    """Find changes of choices under which the reference answers as the engine: single ones, or else a few at once."""
    most = 1 if only_single else MOST_CHANGES
    tried = _TRIED_OF_SMALL if len(found.ordered.units) <= _SMALL else _TRIED_OF_LARGE
    return find_changes(found.said, found.ruleset, possible=found.possible, most_changes=most, most_tried=tried).changes


def explaining_mutants(found: Disagreement, others: Iterable[str] = ()) -> list[str]:
    """Find the mutants, and others, that answer as the engine does, and contradict themselves where it does."""
    return [*_explaining(found, (*MUTANTS, *others))]


def _explaining(found: Disagreement, names: Iterable[str]) -> Iterator[str]:
    ordered = AskedPosition.of(found.ordered)
    for name in names:
        other = ordered.answer(system(name, found.ruleset))
        if other and agree(other, found.said) and (not found.relation or own_contradiction(ordered, other)):
            yield name


def word_labels(found: Disagreement) -> set[str]:
    """Say of which kinds of orders an engine says something else, and what, where its boards are right."""
    number, facts = find_facts(found.expected, found.said)
    orders = (found.ordered.orders, found.ordered.retreats or ())[number]
    labels: set[str] = set()
    for fact in facts:
        if fact.order is not None:
            name = _ORDERS[type(orders[fact.order].order)]
            order = "an order that cannot be read" if name == "unreadable" else f"a {name}"
            should = fact.expected.removesuffix("s")
            labels.add(f"the same board, another outcome of {order}: {fact.actual} where it should {should}")
    return labels


def same_kind(cause: Cause | None, first: Disagreement) -> Callable[[Disagreement], bool]:
    """Return what tells whether another disagreement is of the same kind: by what explains it, or by what differs."""
    differs, phase = first.what_differs, (first.ordered.phase, len(first.said))

    def keeps(found: Disagreement) -> bool:
        if cause is None:
            return found.what_differs == differs
        if cause.kind == "failure":
            is_alike = found.failure is not None and found.failure.kind == cause.label
            return is_alike and (found.ordered.phase, len(found.said)) == phase
        if found.failure is not None or found.what_differs != differs:
            return False
        if found.impossible or found.relation:
            return True
        if found.is_about_words:
            return cause.label in word_labels(found)
        if cause.mutants and not any(_explaining(found, cause.mutants)):
            return False
        singles = explaining_changes(found, only_single=True)
        if cause.kind == "bug":
            return not singles
        return any(changes.items() <= wanted.items() for changes in singles for wanted in cause.changes)

    return keeps
