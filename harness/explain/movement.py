"""The outcome of each order of a movement phase, and its reasons."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

from ...reference_engine import GivenOrder, Move, OrderedUnit, Unit, province_code
from ...reference_engine.explanation import Attacker, Barrier, MovementExplanation
from ...reference_engine.meanings import CONVOY, HOLD, MOVE, SUPPORT
from ..wording import listed
from .convoys import ConvoySentences, settling_rule
from .illegal import why_illegal
from .reading import how_read
from .retreats import RetreatExplanation
from .words import owned, place, retreat_words, unit_words


@dataclass(frozen=True)
class OrderExplanation:
    """An order, or a unit without one, with its outcome and the reasons."""

    power: str
    order: str
    """As it was written; the unit where it has no order."""
    outcome: str
    """`succeeds` or `fails`; `holds` for a unit without an order."""
    reason: str | None = None
    strengths: Mapping[str, int] = field(default_factory=dict[str, int])
    """`attack`, `prevent`, `defend` of a move; `hold` of a unit that stays."""
    sentences: Sequence[str] = ()
    why: Sequence[str] = ()
    """Why it failed; nothing for an order that succeeded."""
    unit: str = ""
    """The unit that it is for, if it is on the board."""
    goes_to: str | None = None
    """Where a move or a retreat leads."""


def explain_orders(
    explained: MovementExplanation, texts: Sequence[str], retreats: Sequence[RetreatExplanation] = ()
) -> Sequence[OrderExplanation]:
    """Explain each order, in the order in which they were written, then the units that have none."""
    writer = _Sentences(explained, retreats)
    orders = [writer.order(index, text) for index, text in enumerate(texts)]
    return [*orders, *writer.units_without_order()]


@final
class _Sentences:
    """Writes sentences about orders; about each unit once."""

    def __init__(self, explained: MovementExplanation, retreats: Sequence[RetreatExplanation]) -> None:
        self._explained = explained
        self._equations = explained.equations
        self._choices = explained.ruleset.choices
        self._units: Sequence[Unit] = explained.position.units
        self._dislodged = {entry.unit: entry for entry in explained.adjudication.dislodged}
        self._closed = {retreat.location: retreat.closed for retreat in retreats}
        self._convoys = ConvoySentences(explained)
        self._done: set[int] = set()

    def order(self, index: int, text: str) -> OrderExplanation:
        """Explain one order."""
        power, order = self._explained.orders[index]
        result = self._explained.adjudication.orders[index]
        given = self._explained.given[index]
        unit = given[0] if given is not None else -1
        sentences: list[str] = []
        why: list[str] = []
        strengths: Mapping[str, int] = {}
        if result.reason == "illegal":
            sentences.append(why_illegal(self._explained.position, power, order, self._explained.ruleset))
            unit = unit if unit >= 0 else self._named_badly(self._explained.orders[index])
        elif result.reason == "ignored":
            sentences.append(self._why_ignored(unit))
        why += sentences
        if unit >= 0 and unit not in self._done and result.reason != "ignored":
            self._done.add(unit)
            strengths = self._strengths(unit)
            if given is not None and result.reason != "illegal":
                sentences += how_read(order, self._units[unit], self._landing(unit), self._choices)
            sentences += self._of_unit(unit)
            why += self._why(unit)
        return OrderExplanation(
            power,
            text,
            result.outcome,
            result.reason,
            strengths,
            tuple(sentences),
            tuple(why),
            self._name(unit) if unit >= 0 else "",
            order.to if isinstance(order, Move) else None,
        )

    def _landing(self, unit: int) -> str:
        """Return where the move of a unit leads; empty where it has none, or cannot be carried out."""
        meaning = self._explained.meanings[unit]
        is_move = meaning.kind == MOVE and meaning.landing >= 0
        return self._explained.position.board.locations[meaning.landing] if is_move else ""

    def _named_badly(self, given: GivenOrder) -> int:
        """Return the unit that an illegal order names in full, if no other order to it is legal; -1 for none."""
        named = getattr(given.order, "unit", None)
        unit = self._explained.position.unit_named(named) if isinstance(named, OrderedUnit) else -1
        is_own = unit >= 0 and self._units[unit].power == given.power
        return unit if is_own and unit not in self._explained.followed else -1

    def _why_ignored(self, unit: int) -> str:
        if unit < 0:
            return "another order to the same unit names its units correctly and replaces this one (4.C)"
        choice = f"4.D.3 = {self._choices['4.D.3']}"
        if self._has_several_orders_and_follows_none(unit):
            return f"there are several orders to the same unit, so it follows none ({choice})"
        return f"the unit follows another of its orders ({choice})"

    def _has_several_orders_and_follows_none(self, unit: int) -> bool:
        meanings = [given[1] for given in self._explained.given if given is not None and given[0] == unit]
        return bool(meanings) and self._explained.meanings[unit] not in meanings

    def units_without_order(self) -> Iterable[OrderExplanation]:
        """Explain the units without a legal order that no order has been about."""
        ordered = {
            (power, province_code(unit.location))
            for power, order in self._explained.orders
            if isinstance(unit := getattr(order, "unit", None), OrderedUnit)
        }
        for unit, standing in enumerate(self._units):
            if unit not in self._done:
                is_dislodged = standing in self._dislodged
                has_order = (standing.power, province_code(standing.location)) in ordered
                yield OrderExplanation(
                    standing.power,
                    f"{unit_words(standing)}, without {'an order that it follows' if has_order else 'an order'}",
                    "fails" if is_dislodged else "holds",
                    "dislodged" if is_dislodged else None,
                    self._strengths(unit),
                    tuple(self._of_unit(unit)),
                    tuple(self._why(unit)),
                    self._name(unit),
                )

    def _strengths(self, unit: int) -> Mapping[str, int]:
        equations = self._equations
        found: dict[str, int] = {}
        if equations.kind[unit] == MOVE and equations.target[unit] >= 0:
            found = {
                "attack": equations.attack_strength(unit, optimistic=True),
                "prevent": equations.prevent_strength(unit, optimistic=True),
                "defend": equations.defend_strength(unit, optimistic=True),
            }
        if equations.kind[unit] != MOVE or not equations.resolution[unit]:
            found["hold"] = equations.hold_strength(equations.home[unit], optimistic=True)
        return found

    def _of_unit(self, unit: int) -> Iterable[str]:
        kind = self._explained.meanings[unit].kind
        if self._equations.kind[unit] == MOVE and self._equations.target[unit] >= 0:
            yield from self._convoys.path(unit)
            yield from self._battle(unit)
        elif kind == MOVE:
            yield self._why_no_move(unit)
        elif kind == SUPPORT:
            yield from self._support(unit)
        elif kind == CONVOY:
            yield from self._convoys.convoy(unit)
        yield from self._supported(unit)
        if entry := self._dislodged.get(self._units[unit]):
            by = entry.attacked_from
            attacker = self._explained.position.occupant[self._explained.position.board.number[by]] if by else -1
            yield f"dislodged by {owned(self._units[attacker]) if attacker >= 0 else by}; {retreat_words(entry)}"
            if closed := self._closed.get(entry.unit.location):
                yield f"it may not retreat to {closed}"

    def _why(self, unit: int) -> Iterable[str]:
        """Say why the order of a unit failed; nothing of one that succeeded."""
        equations, kind = self._equations, self._explained.meanings[unit].kind
        if kind == MOVE and not equations.resolution[unit]:
            if equations.kind[unit] != MOVE or equations.target[unit] < 0:
                yield self._why_no_move(unit)
            elif not equations.path(unit, optimistic=True):
                yield from self._convoys.path(unit)
            else:
                yield from self._why_bounced(unit)
        elif kind == SUPPORT and not equations.resolution[unit]:
            yield from itertools.islice(self._support(unit), 1)
        elif kind == CONVOY and not equations.resolution[unit]:
            yield from self._convoys.convoy(unit)

    def _why_bounced(self, unit: int) -> Iterable[str]:
        """Name the first thing that a move does not overcome, and the supports that did not help."""
        reasons = [text for text in self._battle(unit) if "does not beat" in text or not text.startswith("strength")]
        yield from reasons[:1]
        attacks = self._equations.attack_strength(unit, optimistic=True) > 0
        for account in self._explained.supports(unit):
            if account.cut_by:
                yield f"the support of {self._name(account.unit)} is cut"
            elif account.does_not_attack and attacks:
                victim = self._name(self._equations.occupant[self._equations.target[unit]])
                yield f"the support of {self._name(account.unit)} does not count against {victim}, its own power's"

    def _why_no_move(self, unit: int) -> str:
        """Say how a move counts that cannot be carried out whatever the others do."""
        if self._equations.kind[unit] == HOLD:
            return f"stays as a unit that holds: no fleet is ordered to convoy it ({self._stays_unconvoyed})"
        return f"counts as an order to move, so the unit cannot be supported to hold (4.E.1 = {self._choices['4.E.1']})"

    @property
    def _stays_unconvoyed(self) -> str:
        issue = "X.15" if self._choices["X.15"] == "yes" else "4.E.1"
        return f"{issue} = {self._choices[issue]}"

    def _battle(self, unit: int) -> Iterable[str]:
        """Name the strengths that a move has to overcome."""
        equations = self._equations
        if not equations.path(unit, optimistic=True):
            return
        defender = equations.occupant[equations.target[unit]]
        if equations.attack_strength(unit, optimistic=True) == 0 and defender >= 0:
            yield f"no attack: {self._name(defender)} is of the same power and does not leave"
            return
        if not equations.resolution[unit] and self._explained.is_settled_by_rule(unit):
            yield f"fails by {settling_rule(self._explained.ruleset)}"
        for barrier in self._explained.barriers(unit):
            if barrier.strength or not barrier.overcome:
                yield self._barrier(barrier)

    def _barrier(self, barrier: Barrier) -> str:
        against = {
            "hold": f"the hold strength {barrier.strength} of {self._name(barrier.unit)}",
            "defend": f"the defend strength {barrier.strength} of {self._name(barrier.unit)}, head to head",
            "prevent": f"the prevent strength {barrier.strength} of {self._move_name(barrier.unit)}",
        }[barrier.kind]
        return f"strength {barrier.against} {'beats' if barrier.overcome else 'does not beat'} {against}"

    def _supported(self, unit: int) -> Iterable[str]:
        """The supports that match the unit's order."""
        equations = self._equations
        for account in self._explained.supports(unit):
            supporter = self._name(account.unit)
            if account.cut_by:
                yield f"the support of {supporter} is cut by {listed(map(self._move_name, account.cut_by))}"
            elif account.does_not_attack:
                victim = self._name(equations.occupant[equations.target[unit]])
                yield f"supported by {supporter}, which does not count against {victim}, its own power's"
            else:
                yield f"supported by {supporter}"

    def _support(self, unit: int) -> Iterable[str]:
        if self._explained.is_support_without_match(unit):
            yield f"void: {self._why_void(unit)}"
            return
        if cut_by := self._explained.cutters(unit):
            yield f"cut by {listed(self._cutter(unit, attacker) for attacker in cut_by)}"
        for attacker in self._explained.harmless(unit):
            yield f"{self._move_name(attacker.unit)}: {self._why_harmless(attacker)}"

    def _cutter(self, supporter: int, attacker: int) -> str:
        name = self._move_name(attacker)
        if self._equations.home[attacker] == self._equations.target[supporter] and self._equations.resolution[attacker]:
            return f"{name} (coming from where the support is directed, by dislodging)"
        return name

    def _why_harmless(self, attacker: Attacker) -> str:
        by_convoy = self._equations.routes[attacker.unit] is not None
        match attacker.why:
            case "countryman":
                return "a move of the same power cuts nothing"
            case "no-path":
                return "it has no path, so it cuts nothing"
            case "from-where-directed":
                issue = f" (4.A.4 = {self._choices['4.A.4']})" if by_convoy else ""
                return f"coming from where the support is directed, cuts it only by dislodging{issue}"
            case "from-last-fleet":
                return "coming from a last fleet under attack, cuts it only by dislodging (v3.2-4.A.4)"
            case "spared":
                return f"the rule for paradoxes spares the support from it (4.A.2 = {self._choices['4.A.2']})"

    def _why_void(self, unit: int) -> str:
        meaning = self._explained.meanings[unit]
        other = self._equations.occupant[meaning.helped]
        name, supported = self._name(other), self._explained.meanings[other]
        if meaning.target == meaning.helped:
            return self._why_void_hold(name, is_move=supported.kind == MOVE, is_possible=supported.target >= 0)
        if supported.kind == MOVE and supported.target == meaning.target:
            if self._equations.kind[other] == HOLD:
                return f"{name} stays: no fleet is ordered to convoy it ({self._stays_unconvoyed})"
            return f"the coast is not the one that {name} goes to (4.B.4 = {self._choices['4.B.4']})"
        if supported.kind == MOVE and supported.target >= 0:
            return f"{name} is ordered to {place(self._explained.position.board.provinces[supported.target].code)}"
        if supported.kind == MOVE:
            return f"{name} is ordered to where it cannot go"
        return self._why_no_such_move(other)

    def _why_void_hold(self, name: str, *, is_move: bool, is_possible: bool) -> str:
        if is_move and is_possible:
            return f"{name} is ordered to move, and a move is not supported to hold"
        if is_move:
            choice = f"4.E.1 = {self._choices['4.E.1']}"
            return f"{name} is ordered to move where it cannot go, and that is not supported to hold ({choice})"
        return f"{name} is in civil disorder (4.D.9 = {self._choices['4.D.9']})"

    def _why_no_such_move(self, unit: int) -> str:
        name = self._name(unit)
        if self._has_several_orders_and_follows_none(unit):
            return f"{name} follows none of its several orders (4.D.3 = {self._choices['4.D.3']})"
        if unit in self._explained.followed:
            return f"{name} is not ordered to move"
        return f"{name} has no legal order"

    def _name(self, unit: int) -> str:
        return unit_words(self._units[unit]) if unit >= 0 else "nobody"

    def _move_name(self, unit: int) -> str:
        """Name a unit with where it goes."""
        board = self._explained.position.board
        target = self._equations.target[unit]
        return f"{self._name(unit)} - {place(board.provinces[target].code)}"
