"""Explains one phase that the reference engine adjudicated: its orders, its circles of orders, and a summary.

A circle is of orders that depend on each other; each rule for paradoxes settles one in its way.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias, final

from ...reference_engine import (
    ISSUES,
    Board,
    Convoy,
    GivenOrder,
    Move,
    Retreat,
    Ruleset,
    SupportMove,
    Unit,
    province_code,
)
from ...reference_engine.board import Railway
from ...reference_engine.errors import UnplayedChoiceError
from ...reference_engine.explanation import Cycle, MovementExplanation, explain_movement
from ...reference_engine.maps import STANDARD, load_board
from ...reference_engine.orders import Proxy, Unclear
from ...reference_engine.paradoxes import PARADOX_RULES
from ...reference_engine.resolved_order import SUPPORT
from ...reports.vocabulary import Names, listed
from ..bugs.changes import is_one_clear_set
from ..errors import HarnessError
from ..play.answer import Answer, Failure, PhaseInput
from ..play.differences import fate_of
from ..play.positions import helped_unit
from ..play.session import PlayedPhase
from .adjustments import AdjustmentSentences, PowerAdjustment
from .movement import OrderExplanation, as_written, explain_orders
from .sentences import RetreatExplanation, RetreatSentences, Sentences

PARADOX = "4.A.2"
MOST_SENTENCES = 8
"""A paragraph with more is no summary; what is left out is in the details."""


_SHOWS_ALL = "szykman"
"""The rule under which the equations meet every paradox: others settle some before that."""


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
    attack: tuple[str, str] | None = None
    """In a paradox, an army that its fleets convoy, and the unit that it attacks, whose support is in the cycle."""
    may_be_cut: Sequence[bool] = ()
    """Whether it cuts the support in the resolutions that satisfy the equations: both, one of these, or neither."""


@dataclass(frozen=True)
class Decision:
    """An order whose outcome became certain."""

    order: str
    succeeds: bool
    cycle: int
    """The number of the cycle that a rule settled with it, or -1."""


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

    @property
    def turn(self) -> str:
        """Name its season and year as the map does: `spring 1901`."""
        return load_board(self.map).turn_name(self.season, self.year)


class Disputed(NamedTuple):
    """The units of a phase in which rulesets differ."""

    units: Collection[str] = ()
    """Those to which something else happens."""
    retreats: Collection[str] = ()
    """Where the same happens to all units: those that may retreat elsewhere."""


NOTHING_DISPUTED = Disputed()


def movement_of(asked: PhaseInput, ruleset: Ruleset) -> MovementExplanation | None:
    """Return the reasoning behind a movement phase; `None` for other phases and for orders that are not clear."""
    if asked.phase != "movement" or not is_one_clear_set(asked):
        return None
    return explain_movement(asked.position(), asked.submission.as_one_clear_set() or [], ruleset)


def explain_phases(
    played: Iterable[PlayedPhase], ruleset: Ruleset, disputed: Sequence[Disputed] = ()
) -> Iterator[PhaseExplanation]:
    """Explain phases that the reference engine played; `disputed` are the units in which rulesets differ, by phase.

    Raises `HarnessError` for rules that it does not play.
    """
    retreats: Sequence[RetreatExplanation] = ()
    nothing = itertools.repeat(NOTHING_DISPUTED)
    for (asked, answer, _), differing in zip(played, itertools.chain(disputed, nothing), strict=False):
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
        summary = Summary(position, ruleset).of(explained, outcomes_of(asked, answer), differing)
        yield replace(explained, summary=summary)


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
    attack = next(_attacks_on_supports(cycle), None) if cycle.is_paradox else None
    explained = CycleExplanation(written, cycle.is_paradox, resolutions, found is not None)
    if attack is None:
        return explained
    supporter, attacker = (Names(met.position.board).unit(met.position.units[unit]) for unit in attack)
    may_be_cut = sorted({trial.is_cut_by(*attack, optimistic=True) for trial in found or ()})
    return replace(explained, attack=(attacker, supporter), may_be_cut=may_be_cut)


def _attacks_on_supports(cycle: Cycle) -> Iterator[tuple[int, int]]:
    """Give each unit whose support is in a cycle with each army that fleets of the cycle convoy against it."""
    equations = cycle.equations
    for supporter in sorted(cycle.units):
        if equations.kind[supporter] == SUPPORT:
            for army in equations.attackers[equations.home[supporter]]:
                if not {*itertools.chain(*(equations.routes[army] or ()))}.isdisjoint(cycle.units):
                    yield supporter, army


def _under(explained: MovementExplanation, choice: str) -> MovementExplanation | None:
    """Explain the position under another rule for paradoxes; `None` where it cannot be played with the others."""
    try:
        return explain_movement(explained.position, explained.orders, explained.ruleset.with_choices({PARADOX: choice}))
    except UnplayedChoiceError:
        return None


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
        to, unit = None, ""
        if isinstance(given.order, Retreat):
            to, unit = given.order.to, of_retreats.dislodged(given)
        said = (given.power, text, result.outcome, result.reason)
        lines.append(OrderExplanation(*said, sentences=reasons, why=reasons, unit=unit, goes_to=to))
    adjustments = of_adjustments.balances(followed) if asked.phase == "adjustment" else ()
    for each in adjustments:
        what = f"may build {each.builds}" if each.builds > 0 else f"has to remove {-each.builds}"
        counts = f"supply centers: {len(each.centers)}, units: {len(each.units)}"
        lines.append(OrderExplanation(each.power, counts, what, sentences=each.sentences))
    unclear = "" if is_one_clear_set(asked) else "The orders are not one clear set: only outcomes are shown."
    return replace(explained, orders=lines, adjustments=adjustments, remark=unclear)


Outcome: TypeAlias = tuple[Unit, str]
"""A unit, as it was before the phase or was built, and what happened to it: `"moves to Burgundy"`."""


def outcomes_of(asked: PhaseInput, answer: Answer) -> Sequence[Outcome]:
    """Say what happened to the units that did not stay where they stood."""
    board = asked.position().board
    place = board.describe
    if asked.phase == "adjustment":
        built = [(unit, "is built") for unit in answer.units if unit not in asked.units]
        return [*built, *((unit, "is removed") for unit in asked.units if unit not in answer.units)]
    destinations: dict[str, list[str]] = {}
    halted: dict[str, list[str]] = {}
    """The provinces before its destination in which a unit can stop that uses a railway."""
    succeeded: dict[tuple[str, str], str] = {}
    writings = asked.submission.writings
    for (power, order, *_), outcome in zip(writings, answer.outcomes or [None] * len(writings), strict=True):
        if isinstance(order, (Move, Retreat, SupportMove, Convoy)):
            province = province_code((helped_unit(order) or order.unit).location)
            destinations.setdefault(province, []).append(order.to)
            if isinstance(order, Move) and board.railway is not None and board.railway.name in order.path:
                halted.setdefault(province, []).extend(_stations_before(order, board.railway, board))
            if isinstance(order, Move) and outcome is not None and outcome.outcome == "succeeds":
                _ = succeeded.setdefault((power, province), order.to)
    if asked.phase == "retreat":
        arrived = [unit for unit in answer.units if unit not in asked.units]
        retreating = [entry.unit for entry in asked.dislodged or ()]
        places = [_landing(unit, destinations.get(province_code(unit.location), ()), arrived) for unit in retreating]
        words = ["is disbanded" if to is None else f"retreats to {place(to)}" for to in places]
        return [*zip(retreating, words, strict=True)]
    found: list[Outcome] = []
    lost = {entry.unit for entry in answer.dislodged or () if entry.retreats == ()}
    for unit in asked.units:
        province = province_code(unit.location)
        targets, by_order = destinations.get(province, ()), succeeded.get((unit.power, province))
        to = _landing(unit, [by_order], answer.units) if by_order else None
        fate = fate_of(unit, {*map(province_code, targets)}, answer) if to is None else "moves"
        if fate == "moves":
            to = to or _landing(unit, targets, answer.units)
        elif fate == "is dislodged" and unit not in {entry.unit for entry in answer.dislodged or ()}:
            came = [other for other in answer.units if other not in asked.units] or answer.units
            to = _landing(unit, halted.get(province, ()), came)
        if to:
            found.append((unit, f"moves to {place(to)}"))
        elif fate == "is dislodged":
            found.append((unit, f"is dislodged{' without a retreat' if unit in lost else ''}"))
    return found


def _stations_before(order: Move, railway: Railway, board: Board) -> Iterable[str]:
    home, target = (board.number.get(province_code(each), -1) for each in (order.unit.location, order.to))
    return (board.locations[station] for station in railway.way(home, target)[:-1])


def _landing(unit: Unit, destinations: Iterable[str], units: Iterable[Unit]) -> str | None:
    """Return where a unit of this kind stands after the phase, among these destinations."""
    provinces = {*map(province_code, destinations)}
    alike = [other.location for other in units if other[:2] == unit[:2]]
    return next((location for location in alike if province_code(location) in provinces), None)


class Question(NamedTuple):
    """What the disputed orders of a phase ask."""

    text: str
    about: Literal["support", "order", "retreats", "removals"]
    subject: tuple[str, ...]
    """The attacking and the supporting unit, the power and the order, the dislodged unit, or the power."""


@final
class Summary(Sentences):
    """Says what people ask of a position in one paragraph in plain words, before any detail."""

    def of(self, phase: PhaseExplanation, outcomes: Sequence[Outcome], disputed: Disputed) -> str:
        """Answer the question of a phase, then say what happened, and why what failed did.

        `"Does France's A Paris take Burgundy? No: ..."`; there may be no question.
        """
        question = self.question(phase, disputed)
        asks_of = question.subject if question else ()
        failed = [order for order in phase.orders if order.why and (order.power, order.order) != asks_of]
        failed.sort(key=lambda order: order.goes_to is None)  # A move first, since that is what people ask.
        sentences = [f"{question.text} {self.answer(question, phase)}"] if question else []
        sentences += map(self.failure, failed)
        for each in phase.adjustments:
            what, count = "may build" if each.builds > 0 else "has to remove", abs(each.builds)
            sentences.append(f"{self.board.power_name(each.power)} {what} {count} {'unit' if count == 1 else 'units'}.")
            if _is_by_rule(each) and (each.power,) != asks_of:
                sentences.append(self._removals(each))
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

    def question(self, phase: PhaseExplanation, disputed: Disputed) -> Question | None:
        """Return the question of a phase: about a paradox, `disputed` units, or else what was fought over."""
        for cycle in phase.cycles:
            if cycle.attack:
                attacker, supporter = map(self._owned_name, cycle.attack)
                return Question(f"Does {attacker} cut the support of {supporter}?", "support", cycle.attack)
        for name in disputed.retreats:
            return Question(f"Where may {self._owned_name(name)} retreat?", "retreats", (name,))
        if order := self._contested(phase, disputed.units):
            asks = f"{'retreat to' if phase.phase == 'retreat' else 'take'} {self.place(order.goes_to or '')}"
            return Question(f"Does {self.owner(order)} {asks}?", "order", (order.power, order.order))
        for each in phase.adjustments:
            if _is_by_rule(each):
                which = "Which unit does" if each.builds == -1 else "Which units does"
                return Question(f"{which} {self.board.power_name(each.power)} lose?", "removals", (each.power,))
        for order in phase.orders:
            if order.why:
                return Question(f"Does {self.owner(order)} {_verb(order)}?", "order", (order.power, order.order))
        return None

    def _contested(self, phase: PhaseExplanation, disputed: Collection[str]) -> OrderExplanation | None:
        """Return the move that failed or dislodged a unit, and that most units support; first one of disputed units."""
        lost = {province_code(each.location): each.unit for each in phase.retreats}
        standing = {province_code(unit.location): self.unit(unit) for unit in self.position.units}

        def rank(order: OrderExplanation) -> tuple[bool, bool, int, bool]:
            about = {order.unit, standing.get(province_code(order.goes_to or ""))}
            succeeds = order.outcome == "succeeds"
            return about.isdisjoint(disputed), not order.sentences, -len(order.supported_by), succeeds

        moves = [
            order
            for order in phase.orders
            if order.unit and order.goes_to is not None
            if order.why
            or order.unit in disputed
            or (phase.phase == "movement" and province_code(order.goes_to) in lost)
        ]
        return min(moves, key=rank, default=None)

    def answer(self, question: Question, phase: PhaseExplanation) -> str:
        """Answer the question of a phase by what its explanation under some ruleset says."""
        match question.about:
            case "support":
                return self._of_paradox(phase, *question.subject)
            case "order":
                order = next((each for each in phase.orders if (each.power, each.order) == question.subject), None)
                if order is None:
                    return ""
                yes, why = ("No", order.why) if order.outcome == "fails" else ("Yes", order.sentences)
                return f"{yes}: {_joined(why)}." if why else f"{yes}."
            case "retreats":
                found = next((each for each in phase.retreats if (each.unit,) == question.subject), None)
                said = "; ".join(self.retreat_texts(found)) if found else ""
                return f"{said[:1].upper()}{said[1:]}."
            case "removals":
                losing = next((each for each in phase.adjustments if (each.power,) == question.subject), None)
                return self._removals(losing) if losing else "None."

    def _of_paradox(self, phase: PhaseExplanation, attacker: str, supporter: str) -> str:
        is_cut = any(attacker in order.cut_by for order in phase.orders if order.unit == supporter)
        does = "does" if is_cut else "does not"
        cycles = enumerate(phase.cycles)
        number, cycle = next((each for each in cycles if each[1].attack == (attacker, supporter)), (-1, None))
        if cycle is None:
            stopped = (each for each in phase.orders if each.unit == attacker and each.reason in _WITHOUT_PATH)
            why = "; ".join(next((order.why for order in stopped), ()))
            return f"It {does}{why and f': {why}'}."
        answers = {0: "neither answer", 2: "both answers"}.get(len(cycle.may_be_cut), "")
        allowed = f": the other rules allow {answers}" if answers and cycle.complete else ""
        rule = self.choice(PARADOX)
        is_settled = any(decision.cycle == number for decision in phase.decisions)
        if is_settled and PARADOX_RULES[self.ruleset.choices[PARADOX]].settle is None:
            rule = f"{self.choice('X.22')} ({rule} has no answer)"
        return f"It is a paradox of convoys{allowed}. Under {rule} it {does}."

    def _removals(self, each: PowerAdjustment) -> str:
        """Name the units that the rule for civil disorder removes, and say why these."""
        names = [removal.unit for removal in each.removals if removal.removed == "by rule"]
        named = [f"{listed(names)}."] if len(names) > 1 or not each.compared else []
        return " ".join([*named, *(f"{sentence}." for sentence in each.compared)])

    def _owned_name(self, name: str) -> str:
        """Name a unit on the board, of which the name is known, as its power's."""
        return next((self.owned(unit) for unit in self.position.units if self.unit(unit) == name), name)

    def failure(self, order: OrderExplanation) -> str:
        """Say of an order that failed why: `"France's A Paris does not reach Burgundy: ..."`."""
        verb = _verb(order) if not order.unit or order.goes_to is None else f"reach {self.place(order.goes_to)}"
        return f"{self.owner(order)} does not {verb}: {_joined(order.why)}."

    def owner(self, order: OrderExplanation) -> str:
        """Name the unit of an order, or the order where no unit is, with its power."""
        return f"{self.board.power_name(order.power)}'s {order.unit or f'order {order.order!r}'}"


def _joined(why: Sequence[str]) -> str:
    return "; ".join(each.removeprefix("void: ") for each in why)


def _verb(order: OrderExplanation) -> str:
    """Say what an order that failed does not do."""
    return _FAILED.get(order.reason or "", "do what it is ordered to") if order.unit else "succeed"


def _is_by_rule(each: PowerAdjustment) -> bool:
    """Whether the rule for civil disorder removes units of a power."""
    return any(removal.removed == "by rule" for removal in each.removals)


_WITHOUT_PATH = frozenset({"no-path", "disrupted"})
_FAILED: Mapping[str, str] = {
    "cut": "give its support",
    "void": "help anybody",
    "disrupted": "convoy",
}
