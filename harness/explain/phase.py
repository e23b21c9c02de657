"""Explains one phase that the reference engine adjudicated: its orders, its circles of orders, and a summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

from ...reference_engine import ISSUES, GivenOrder, Retreat, Ruleset
from ...reference_engine.errors import UnplayedChoiceError
from ...reference_engine.explanation import Cycle, MovementExplanation, explain_movement
from ...reference_engine.maps import STANDARD
from ...reference_engine.orders import Proxy, Unclear
from ...reports.vocabulary import listed
from ..bugs.changes import is_one_clear_set
from ..errors import HarnessError
from ..play.answer import Answer, Failure, PhaseInput
from ..play.session import PlayedPhase
from .adjustments import AdjustmentSentences, PowerAdjustment
from .movement import OrderExplanation, as_written, explain_orders
from .outcomes import Outcome, outcomes_of
from .sentences import RetreatExplanation, RetreatSentences, Sentences

MOST_SENTENCES = 8
"""A paragraph with more is no summary; what is left out is in the details."""
PARADOX = "4.A.2"
_SHOWS_ALL = "szykman"
"""The rule under which the equations meet every paradox: others settle some before that."""


@dataclass(frozen=True)
class Decision:
    """An order whose outcome became certain."""

    order: str
    succeeds: bool
    cycle: int
    """The number of the cycle that a rule settled with it, or -1."""


@dataclass(frozen=True)
class Resolution:
    """One possible set of outcomes of the orders in a cycle."""

    outcomes: Mapping[str, bool]
    consistent: bool
    picked_by: Sequence[str]
    """The choices of 4.A.2 that pick it."""


@dataclass(frozen=True)
class CycleExplanation:
    """A cycle, and its resolutions."""

    orders: Sequence[str]
    paradox: bool
    """Whether convoys are in it; otherwise it is a circular movement."""
    resolutions: Sequence[Resolution]
    complete: bool
    """Whether all resolutions were tried: not of a very large cycle."""


@dataclass(frozen=True)
class PhaseExplanation:
    """How the reference engine adjudicates a phase."""

    phase: str
    season: str
    year: int
    orders: Sequence[OrderExplanation] = ()
    decisions: Sequence[Decision] = ()
    cycles: Sequence[CycleExplanation] = ()
    contested: Sequence[str] = ()
    """The provinces left vacant by a standoff."""
    retreats: Sequence[RetreatExplanation] = ()
    """Where each dislodged unit may retreat to, and why not elsewhere."""
    adjustments: Sequence[PowerAdjustment] = ()
    """What was counted for each power that may build, or has to remove units."""
    remark: str = ""
    """Why some of it cannot be explained."""
    summary: str = ""
    map: str = STANDARD


def movement_of(asked: PhaseInput, ruleset: Ruleset) -> MovementExplanation | None:
    """Return the reasoning behind a movement phase; `None` for other phases and for orders that are not clear."""
    if asked.phase != "movement" or not is_one_clear_set(asked):
        return None
    return explain_movement(asked.position(), asked.submission.as_one_clear_set() or [], ruleset)


def explain_phases(played: Iterable[PlayedPhase], ruleset: Ruleset) -> Iterator[PhaseExplanation]:
    """Explain phases that the reference engine played. Raises `HarnessError` for rules that it does not play."""
    retreats: Sequence[RetreatExplanation] = ()
    for asked, answer, _ in played:
        if isinstance(answer, Failure):
            raise HarnessError(answer.reason)
        movement, position = movement_of(asked, ruleset), asked.position()
        of_retreats = RetreatSentences(position, ruleset, movement)
        if asked.phase != "retreat" or not retreats:  # Those before a retreat phase say why a province is contested.
            after = asked if asked.phase == "retreat" else answer
            retreats = of_retreats.explain(after.dislodged or (), after.units)
        explained = PhaseExplanation(asked.phase, asked.season, asked.year, retreats=retreats, map=position.board.name)
        if movement is None:
            explained = _explain_later(explained, asked, answer, of_retreats)
        else:
            cycles, numbers = explain_cycles(movement)
            orders = explain_orders(movement, asked.texts or (), retreats)
            decisions = [
                Decision(
                    as_written(movement, unit),
                    succeeds and not movement.is_halted(unit),
                    numbers[cycle] if cycle >= 0 else -1,
                )
                for unit, succeeds, cycle in movement.equations.steps
            ]
            contested = sorted(movement.adjudication.contested)
            explained = replace(explained, orders=orders, decisions=decisions, cycles=cycles, contested=contested)
        yield replace(explained, summary=Summary(position, ruleset).of(explained, outcomes_of(asked, answer)))


_WHY: Mapping[str, str] = {
    "ignored": "it is not one of the orders that its unit follows",
    "void": "no order matches it",
    "cut": "an attack cuts it",
}
"""Why an order of a movement phase failed whose orders are not one clear set, as far as its reason says it."""


def _explain_later(
    explained: PhaseExplanation, asked: PhaseInput, answer: Answer, of_retreats: RetreatSentences
) -> PhaseExplanation:
    """Explain the orders of a retreat or adjustment phase, and those that are not one clear set."""
    writings = [(power, writing) for power, writing, *_ in asked.submission.writings]
    orders = [GivenOrder(power, None if isinstance(each, (Proxy, Unclear)) else each) for power, each in writings]
    of_adjustments = AdjustmentSentences(of_retreats.position, answer.units, orders, of_retreats.ruleset)
    lines: list[OrderExplanation] = []
    followed: list[GivenOrder] = []
    for given, text, result in zip(orders, asked.texts or (), answer.outcomes or (), strict=True):
        if result is None:
            continue
        reasons: tuple[str, ...] = ()
        if result.reason is None:
            followed.append(given)
        elif asked.phase == "retreat":
            reasons = tuple(of_retreats.why_failed(explained.retreats, given, result.reason))
        elif asked.phase == "adjustment":
            reasons = (of_adjustments.why_failed(given, result.reason),)
        elif result.reason in _WHY:
            reasons = (_WHY[result.reason],)
        to = given.order.to if isinstance(given.order, Retreat) else None
        said = (given.power, text, result.outcome, result.reason)
        lines.append(OrderExplanation(*said, sentences=reasons, why=reasons, goes_to=to))
    adjustments = of_adjustments.balances(followed) if asked.phase == "adjustment" else ()
    for each in adjustments:
        what = f"may build {each.builds}" if each.builds > 0 else f"has to remove {-each.builds}"
        counts = f"supply centers: {len(each.centers)}, units: {len(each.units)}"
        lines.append(OrderExplanation(each.power, counts, what, sentences=each.sentences))
    unclear = "" if is_one_clear_set(asked) else "The orders are not one clear set: only outcomes are shown."
    return replace(explained, orders=lines, adjustments=adjustments, remark=unclear)


def explain_cycles(explained: MovementExplanation) -> tuple[Sequence[CycleExplanation], Sequence[int]]:
    """Find the cycles of a position, and how each rule for paradoxes settles them, the other rules being in force.

    Also returns, for each cycle that the rules in force met, which of the found ones it is: they meet fewer, or others.
    """
    plain = _under(explained, _SHOWS_ALL) or explained
    found = [(plain, cycle) for cycle in plain.equations.cycles]
    numbers: list[int] = []
    for cycle in explained.equations.cycles:
        same = [number for number, (_, other) in enumerate(found) if not {*cycle.units}.isdisjoint(other.units)]
        numbers.append(same[0] if same else len(found))
        if not same:
            found.append((explained, cycle))
    return [_explain_cycle(*each) for each in found], numbers


def _explain_cycle(met: MovementExplanation, cycle: Cycle) -> CycleExplanation:
    units, found = sorted(cycle.units), cycle.resolutions()
    written = tuple(as_written(met, unit) for unit in units)
    picked: dict[tuple[bool, ...], list[str]] = {
        tuple(bool(trial.resolution[unit]) for unit in units): [] for trial in found or ()
    }
    consistent = set(picked)
    for choice in ISSUES[PARADOX].choices if cycle.is_paradox else ():
        if judged := _under(met, choice):
            picked.setdefault(tuple(bool(judged.equations.resolution[unit]) for unit in units), []).append(choice)
    resolutions = [
        Resolution(dict(zip(written, outcome, strict=True)), outcome in consistent, tuple(choices))
        for outcome, choices in picked.items()
    ]
    return CycleExplanation(written, cycle.is_paradox, resolutions, found is not None)


def _under(explained: MovementExplanation, choice: str) -> MovementExplanation | None:
    """Explain the position under another rule for paradoxes; `None` where it cannot be played with the others."""
    try:
        return explain_movement(explained.position, explained.orders, explained.ruleset.with_choices({PARADOX: choice}))
    except UnplayedChoiceError:
        return None


@final
class Summary(Sentences):
    """Says what people ask of a position in one paragraph in plain words, before any detail."""

    def of(self, phase: PhaseExplanation, outcomes: Sequence[Outcome]) -> str:
        """Say what happened in a phase, and why what failed did: `"A Rome does not reach Naples: ..."`."""
        failed = [order for order in phase.orders if order.why]
        failed.sort(key=lambda order: order.goes_to is None)  # A move first, since that is what people ask.
        sentences = [
            f"It is a paradox of convoys: {listed(cycle.orders)} depend on each other. "
            + f"The rule in force for it is {self.choice(PARADOX)}."
            for cycle in phase.cycles
            if cycle.paradox
        ]
        sentences += [self.failure(order) for order in failed]
        for each in phase.adjustments:
            what, count = "may build" if each.builds > 0 else "has to remove", abs(each.builds)
            sentences.append(f"{self.board.power_name(each.power)} {what} {count} {'unit' if count == 1 else 'units'}.")
            if any(removal.removed == "by rule" for removal in each.removals):
                sentences.append(f"{each.sentences[-1]}.")
        units: dict[str, list[str]] = {}
        for unit, words in outcomes:
            units.setdefault(words, []).append(self.owned(unit))
        for words, names in units.items():
            are = f"are {words.removeprefix('is ')}" if len(names) > 1 and words.startswith("is ") else words
            sentences.append(f"{listed(names)} {are}.")
        if len(sentences) > MOST_SENTENCES:
            more = len(sentences) - MOST_SENTENCES
            sentences = [*sentences[:MOST_SENTENCES], f"The details below explain {more} more outcomes."]
        return " ".join(sentences) or "Nothing moves."

    def failure(self, order: OrderExplanation) -> str:
        """Say of an order that failed why: `"France's A Paris does not reach Burgundy: ..."`."""
        what = _FAILED.get(order.reason or "", "does not do what it is ordered to") if order.unit else "fails"
        if order.unit and order.goes_to is not None:
            what = f"does not reach {self.place(order.goes_to)}"
        return f"{self.owner(order)} {what}: {'; '.join(each.removeprefix('void: ') for each in order.why)}."

    def owner(self, order: OrderExplanation) -> str:
        """Name the unit of an order, or the order where no unit is, with its power."""
        return f"{self.board.power_name(order.power)}'s {order.unit or f'order {order.order!r}'}"


_FAILED: Mapping[str, str] = {
    "cut": "does not give its support",
    "void": "helps nobody",
    "disrupted": "does not convoy",
}
