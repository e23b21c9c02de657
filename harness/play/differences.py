# mypyc
"""The comparison of answers."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

from ...reference_engine import Dislodged, Unit, province_code
from .answer import Answer, AnswerOrFailure, Failure

Outcome: TypeAlias = Literal["succeeds", "fails"]


class ExpectedDislodgement(NamedTuple):
    """What is expected of a dislodged unit."""

    may_retreat: frozenset[str] = frozenset()
    may_not_retreat: frozenset[str] | None = frozenset()
    """`None`: nowhere else than `may_retreat` says."""
    is_lost: bool = False
    """It has no retreat: an engine may as well take it off the board at once."""
    attacked_from: str | None = None
    """The province that its attacker came from; `None` where nothing is expected."""


class ExpectedAnswer(NamedTuple):
    """What is expected of an answer: the whole board, and of the rest what is known."""

    units: frozenset[Unit]
    dislodged: Mapping[Unit, ExpectedDislodgement] | None = None
    """All dislodged units; `None` where nothing is expected of them."""
    outcomes: Mapping[int, Outcome] = {}
    """What should become of orders, by their index."""
    lists_lost_units: bool = True
    """Whether `dislodged` has the units without a retreat, too."""


def expect_answer(
    answer: Answer, outcomes: Collection[int] | None = None, *, attackers: bool = False
) -> ExpectedAnswer:
    """Expect what an answer says: an expectation from which it differs in nothing.

    `outcomes` are the indices of the orders whose outcomes are expected, `None` for all; with `attackers` it is
    expected, too, where the attackers of dislodged units came from.
    """
    said = answer.outcomes or ()
    judged = range(len(said)) if outcomes is None else outcomes
    dislodged: dict[Unit, ExpectedDislodgement] | None = None
    if answer.dislodged is not None:
        dislodged = {}
        for unit, attacked_from, retreats in answer.dislodged:
            elsewhere: frozenset[str] | None = frozenset() if retreats is None else None
            origin = attacked_from if attackers else None
            dislodged[unit] = ExpectedDislodgement(frozenset(retreats or ()), elsewhere, not retreats, origin)
    return ExpectedAnswer(
        frozenset(answer.units),
        dislodged,
        {index: outcome.outcome for index in judged if said and (outcome := said[index]) is not None},
        answer.lists_lost_units,
    )


def diff_answers(expected: ExpectedAnswer, actual: Answer) -> tuple[Fact, ...]:
    """Compare an answer with what is expected. What the answer leaves out is not different: see `not_given`.

    The answer is possible (see `find_impossible`), and has an outcome for each order if it has any. The facts that
    differ are those of units, then of dislodged units with their retreats, then of orders; none if it is as expected.
    """
    actual_units = set(actual.units)
    facts = [Fact("unit-missing", unit, "on the board", "not") for unit in sorted(expected.units - actual_units)]
    facts += [Fact("unit-unexpected", unit, "not", "on the board") for unit in sorted(actual_units - expected.units)]
    if expected.dislodged is not None and actual.dislodged is not None:
        facts += _diff_dislodged(expected, expected.dislodged, {entry.unit: entry for entry in actual.dislodged})
    for index, outcome in sorted(expected.outcomes.items()):
        said = actual.outcomes[index] if actual.outcomes is not None else None
        if said is not None and said.outcome != outcome:
            facts.append(Fact("outcome", None, outcome, said.outcome, index))
    return tuple(facts)


def _diff_dislodged(
    expected: ExpectedAnswer, dislodged: Mapping[Unit, ExpectedDislodgement], actual: Mapping[Unit, Dislodged]
) -> Iterable[Fact]:
    for unit in sorted(dislodged.keys() - actual.keys()):
        if not dislodged[unit].is_lost:
            yield Fact("dislodgement-missing", unit, "dislodged", "not")
    for unit in sorted(actual.keys() - dislodged.keys()):
        may_be_lost = not expected.lists_lost_units and unit not in expected.units and not actual[unit].retreats
        if not may_be_lost:
            yield Fact("dislodgement-unexpected", unit, "not", "dislodged")
    for unit in sorted(dislodged.keys() & actual.keys()):
        wanted, said = dislodged[unit], actual[unit]
        if wanted.attacked_from is not None and said.attacked_from is not None:
            came_from = province_code(said.attacked_from)
            if came_from != wanted.attacked_from:
                yield Fact("attacked-from", unit, wanted.attacked_from, came_from)
        if said.retreats is not None:
            retreats = frozenset(said.retreats)
            forbidden = retreats - wanted.may_retreat if wanted.may_not_retreat is None else wanted.may_not_retreat
            yield from (Fact("retreat-missing", unit, to) for to in sorted(wanted.may_retreat - retreats))
            yield from (Fact("retreat-unexpected", unit, "", to) for to in sorted(retreats & forbidden))


def not_given(expected: ExpectedAnswer, actual: Answer) -> tuple[Fact, ...]:
    """Return what an answer leaves out of what is expected, as facts whose `actual` is empty."""
    facts: list[Fact] = []
    dislodged = expected.dislodged or {}
    if actual.dislodged is None:
        facts += [Fact("dislodgement-missing", unit, "dislodged") for unit in sorted(dislodged)]
    for unit, attacked_from, retreats in actual.dislodged or ():
        if (wanted := dislodged.get(unit)) is None:
            continue
        if retreats is None:
            facts += [Fact("retreat-missing", unit, to) for to in sorted(wanted.may_retreat)]
            facts += [Fact("retreat-unexpected", unit)] if wanted.may_not_retreat and not wanted.may_retreat else []
        if attacked_from is None and wanted.attacked_from is not None:
            facts.append(Fact("attacked-from", unit, wanted.attacked_from))
    for index, outcome in sorted(expected.outcomes.items()):
        if actual.outcomes is None or actual.outcomes[index] is None:
            facts.append(Fact("outcome", None, outcome, order=index))
    return tuple(facts)


def same_answer(expected: AnswerOrFailure, actual: AnswerOrFailure) -> bool:
    """Whether two answers have the same board, as far as both say it. Two failures of one kind are the same."""
    if isinstance(expected, Failure) or isinstance(actual, Failure):
        return isinstance(expected, Failure) and isinstance(actual, Failure) and expected.kind == actual.kind
    if not expected.has_units(actual.standing):
        return False
    if expected.dislodged == actual.dislodged:
        return True
    if not (expected.is_possible and actual.is_possible):
        return False
    if expected.dislodged is None or actual.dislodged is None or _look_alike(expected.dislodged, actual.dislodged):
        return True
    return not board_facts(diff_answers(expect_answer(expected, ()), actual))


def _look_alike(expected: Sequence[Dislodged], actual: Sequence[Dislodged]) -> bool:
    """Whether dislodged units and their retreats are the same value by value: a fast check of the usual case."""
    if len(expected) != len(actual):
        return False
    for one, other in zip(expected, actual, strict=True):
        if one.unit != other.unit or (other.retreats is not None and one.retreats != other.retreats):
            return False
    return True


def same_words(expected: Answer, actual: Answer) -> bool:
    """Whether two answers have the same outcome for each order, as far as both say it."""
    if expected.outcomes is None or actual.outcomes is None or expected.outcomes == actual.outcomes:
        return True
    pairs = zip(expected.outcomes, actual.outcomes, strict=True)
    return all(one is None or other is None or one.outcome == other.outcome for one, other in pairs)


def group_alike(answers: Sequence[Sequence[Answer] | None]) -> tuple[tuple[int, ...], ...]:
    """Group adjudicators by their answers to the phases of a case; `None` is in no group.

    One that leaves something out is put into the first group in which it is the same as all others. Returns the indices
    of the adjudicators in each group, the largest group first.
    """

    def is_alike(one: Sequence[Answer] | None, other: Sequence[Answer]) -> bool:
        return one is not None and len(one) == len(other) and all(map(same_answer, one, other))

    groups: list[list[int]] = []
    for place, mine in enumerate(answers):
        if mine is None:
            continue
        home = next((group for group in groups if all(is_alike(answers[other], mine) for other in group)), None)
        if home is None:
            groups.append([place])
        else:
            home.append(place)
    return tuple(sorted(map(tuple, groups), key=lambda group: (-len(group), group)))


BoardKind: TypeAlias = Literal[
    "unit-missing",
    "unit-unexpected",
    "dislodgement-missing",
    "dislodgement-unexpected",
    "retreat-missing",
    "retreat-unexpected",
]
"""The board differs: units, dislodgements, or where a dislodged unit may retreat to."""
WordKind: TypeAlias = Literal["outcome", "attacked-from"]
ImpossibleKind: TypeAlias = Literal[
    "impossible-place",
    "unit-twice",
    "province-twice",
    "standing-and-dislodged",
    "dislodged-from-nowhere",
    "unit-from-nowhere",
]
FactKind: TypeAlias = BoardKind | WordKind | ImpossibleKind

WORD_KINDS: frozenset[str] = frozenset(get_args(WordKind))
"""The board is the same; the engine says something else of an order or of a dislodgement."""
IMPOSSIBLE_KINDS: frozenset[str] = frozenset(get_args(ImpossibleKind))
"""The board cannot exist. Nothing else is compared then."""


class Fact(NamedTuple):
    """One difference between an expected answer and an actual one."""

    kind: FactKind
    unit: Unit | None = None
    """The unit that it is about; for an order's outcome `None`."""
    expected: str = ""
    """The location of a retreat, the outcome of an order, the province of an attacker; else a word for it."""
    actual: str = ""
    order: int | None = None
    """For an outcome: the index of the order."""

    @property
    def on_board(self) -> bool:
        """Whether the board differs, and not only what the engine says of an order."""
        return self.kind not in WORD_KINDS


def board_facts(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """Keep the facts about the board."""
    return tuple(fact for fact in facts if fact.on_board)


Fate: TypeAlias = Literal["moves", "stays", "is dislodged"]


def fate_of(unit: Unit, destinations: Container[str], answer: Answer) -> Fate:
    """Return what happened to a unit in a movement phase; `destinations` are the provinces that it is ordered to."""
    alike = [other.location for other in answer.units if other[:2] == unit[:2]]
    if unit.location in alike:
        return "stays"
    return "moves" if any(province_code(location) in destinations for location in alike) else "is dislodged"
