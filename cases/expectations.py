"""Reads what a case expects of one phase: the expectations, and the resolutions that a document gives to its orders.

Expectations are read against the units that stand before the phase. Resolutions are in the terms of DATC 3.2 (4.E.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias, TypeVar

from msgspec import structs

from ..reference_engine import Board, OrderedUnit, Phase, Position, Unit, province_code
from ..reference_engine import orders as kinds
from ..reference_engine.errors import NotationError, PositionError, RulesetError
from ..reference_engine.notation import read_order, read_unit
from ..reference_engine.rulesets import check_choice
from .errors import Problem
from .suite import ORDER_LABELS, STATED_LABELS, SUCCESSES, CaseOrder, Expectation, OrderLabel, RetreatClaim
from .tables import CaseTable, CorrectionTable, ExpectTable, PhaseTable

_OrderT = TypeVar("_OrderT", bound=kinds.Move | kinds.Retreat | kinds.Build)
_Choices: TypeAlias = Mapping[str, str | list[str]]

_EXPECTED_OF: Mapping[Phase, frozenset[str]] = {
    "movement": frozenset({"moved", "dislodged", "may_retreat", "may_not_retreat", "removed"}),
    "retreat": frozenset({"moved", "disbanded"}),
    "adjustment": frozenset({"built", "removed"}),
}
"""What can happen in each phase."""
_EXPECTED_AT_ALL: frozenset[str] = _EXPECTED_OF["movement"] | _EXPECTED_OF["retreat"] | _EXPECTED_OF["adjustment"]
_NO_ANSWER = Expectation(choices={}, basis="text", no_answer=True)
_LOSSES: Mapping[str, OrderLabel] = {"dislodged": "dislodged", "destroyed": "destroyed"}
_TERMS: Mapping[type, frozenset[str]] = {
    kinds.Hold: frozenset({"stands", "dislodged", "destroyed"}),
    kinds.Move: frozenset({"illegal", "invalid", "fails", "succeeds"}),
    **dict.fromkeys((kinds.SupportHold, kinds.SupportMove), frozenset({"illegal", "invalid", "cut", "given"})),
    kinds.Convoy: frozenset({"illegal", "invalid", "disrupted", "available"}),
}
"""The terms for each kind of order; an order of another phase succeeds, fails or is illegal."""
_TERMS_LATER = frozenset({"illegal", "fails", "succeeds"})


@dataclass(frozen=True)
class Findings:
    """Gathers what is wrong with one case, instead of stopping at the first."""

    file: str
    table: CaseTable
    board: Board
    problems: list[Problem] = field(default_factory=list[Problem])
    place: str = ""
    """What stands before the name of a field: `phase[1].expect[0].`."""

    def within(self, place: str) -> Findings:
        """Return the same findings for the fields of a table inside."""
        return replace(self, place=f"{self.place}{place}.")

    def problem(self, field: str, message: str) -> None:
        """Note something that is wrong."""
        self.problems.append(Problem(self.file, self.table.id, self.place + field, message))

    def unit(self, field: str, text: str) -> OrderedUnit | None:
        """Read a unit, or note why it cannot be read."""
        try:
            return read_unit(text, board=self.board)
        except NotationError as error:
            self.problem(field, str(error))
            return None

    def accepted(self, field: str, choices: _Choices) -> Mapping[str, frozenset[str]]:
        """Return the choices of each issue under which an expectation holds.

        It notes issues and choices that do not exist, and issues that the case does not declare.
        """
        accepted = {issue: frozenset([one] if isinstance(one, str) else one) for issue, one in choices.items()}
        for issue, allowed in accepted.items():
            try:
                for choice in sorted(allowed):
                    check_choice(issue, choice)
            except RulesetError as error:
                self.problem(field, str(error))
            if issue not in self.table.issues:
                self.problem(field, f"issue {issue} is not among the case's `issues`")
        return accepted


@dataclass(frozen=True)
class ExpectationReader:
    """Reads an expectation of a phase."""

    findings: Findings
    orders: Sequence[CaseOrder]
    standing: Mapping[str, Unit]
    """The unit in each province."""
    dislodged: Mapping[str, Unit]
    """The unit that was dislodged in each province by the phase before."""
    phase: Phase

    def read(self, table: ExpectTable) -> Expectation:
        """Read an expectation, and note what is wrong with it."""
        choices = self.findings.accepted("choices", table.choices)
        for name in sorted(_EXPECTED_AT_ALL - _EXPECTED_OF[self.phase]):
            if getattr(table, name):
                self.findings.problem(name, f"does not happen in a phase of {self.phase}")
        dislodged = self._provinces("dislodged", table.dislodged, self.standing)
        expectation = Expectation(
            choices=choices,
            basis=table.basis or "text",
            no_answer=table.no_answer,
            moved=self._moved(table.moved),
            dislodged=dislodged,
            gone=self._provinces("disbanded", table.disbanded, self.dislodged)
            | self._provinces("removed", table.removed, self.standing),
            built=frozenset(self._built(table.built)),
            may_retreat=frozenset(self._claims("may_retreat", table.may_retreat, dislodged)),
            may_not_retreat=frozenset(self._claims("may_not_retreat", table.may_not_retreat, dislodged)),
            orders=self._order_labels(table),
        )
        self._check_complete(expectation)
        return expectation

    def _check_complete(self, expectation: Expectation) -> None:
        if expectation.no_answer:
            if not expectation.same_outcome(_NO_ANSWER):
                self.findings.problem("no_answer", "where there is no answer nothing else is expected")
            return
        for province in sorted(expectation.dislodged & expectation.moved.keys()):
            self.findings.problem("moved", f"the unit in {province} is both moved and dislodged")
        if self.phase == "retreat":
            for province in sorted(self.dislodged.keys() - expectation.moved.keys() - expectation.gone):
                self.findings.problem("disbanded", f"the unit dislodged from {province} is not in `moved` or here")
        after = expectation.board_after(self.standing.values(), self.dislodged.values(), self.phase)
        try:
            _ = Position(after, board=self.findings.board)
        except PositionError as error:
            self.findings.problem("moved", f"the board that follows is impossible: {error}")

    def _provinces(self, field: str, texts: Sequence[str], there: Mapping[str, Unit]) -> frozenset[str]:
        found = (self._there(field, self.findings.unit(field, text), text, there) for text in texts)
        return frozenset(province for province in found if province is not None)

    def _there(self, field: str, ordered: OrderedUnit | None, text: str, there: Mapping[str, Unit]) -> str | None:
        if ordered is None:
            return None
        province = province_code(ordered.location)
        unit = there.get(province)
        if unit is None or ordered.type not in (None, unit.type):
            self.findings.problem(field, f"there is no {text!r} that could be expected to")
            return None
        return province

    def _movers(
        self, field: str, texts: Sequence[str], there: Mapping[str, Unit]
    ) -> Iterator[tuple[str, str, str | None]]:
        """Read `"A London"`, or `"F Gascony - Spain(nc)"` with where it lands: the text, the province, the target."""
        for text in texts:
            to = None
            if " - " not in text:
                unit = self.findings.unit(field, text)
            else:
                try:
                    order = read_order(text, board=self.findings.board).order
                except NotationError as error:
                    self.findings.problem(field, str(error))
                    continue
                if not isinstance(order, kinds.Move):
                    self.findings.problem(field, f"{text!r} is no move")
                    continue
                unit, to = order.unit, order.to
            province = self._there(field, unit, text, there)
            if province is not None:
                yield text, province, to

    def _moved(self, texts: Sequence[str]) -> Mapping[str, str]:
        moved: dict[str, str] = {}
        there = self.dislodged if self.phase == "retreat" else self.standing
        for text, province, stated in self._movers("moved", texts, there):
            unit = there[province]
            ordered = {order.to for _, order in self._orders_to(province, kinds.Move, kinds.Retreat)}
            to = stated or (ordered.pop() if len(ordered) == 1 else None)
            landing = province_code(to) if to is not None and unit.type == "A" else to
            if landing is None or not self.findings.board.can_stand(unit.type, landing):
                self.findings.problem("moved", f"{text!r} leaves open where it lands: write 'F Gascony - Spain(nc)'")
            else:
                moved[province] = landing
        return moved

    def _built(self, texts: Sequence[str]) -> Iterator[Unit]:
        for text in texts:
            ordered = self.findings.unit("built", text)
            if ordered is None:
                continue
            powers = {power for power, _ in self._orders_to(province_code(ordered.location), kinds.Build)}
            can_stand = self.findings.board.can_stand
            if len(powers) != 1 or ordered.type is None or not can_stand(ordered.type, ordered.location):
                self.findings.problem("built", f"{text!r} is no unit that one power orders to be built")
            else:
                yield Unit(powers.pop(), ordered.type, ordered.location)

    def _orders_to(self, province: str, *wanted: type[_OrderT]) -> Iterator[tuple[str, _OrderT]]:
        for given in self.orders:
            if isinstance(given.order, wanted) and province_code(given.order.unit.location) == province:
                yield given.power, given.order

    def _claims(self, field: str, texts: Sequence[str], dislodged: frozenset[str]) -> Iterator[RetreatClaim]:
        for text, province, to in self._movers(field, texts, self.standing):
            if province not in dislodged:
                self.findings.problem(field, f"the unit of {text!r} is not dislodged")
            elif to is None or not self.findings.board.can_stand(self.standing[province].type, to):
                self.findings.problem(field, f"{text!r} names no location to retreat to")
            else:
                yield RetreatClaim(province, to)

    def _order_labels(self, table: ExpectTable) -> Mapping[int, OrderLabel]:
        labels: dict[int, OrderLabel] = {}
        for label in STATED_LABELS:
            texts: Sequence[str] = getattr(table, label)
            for text in texts:
                for index in self._orders_named(label, text):
                    if labels.setdefault(index, label) != label:
                        self.findings.problem(label, f"{text!r} is expected to be {labels[index]}, too")
        return labels

    def _orders_named(self, field: str, text: str) -> Sequence[int]:
        """Find the orders with this text, that mean the same as it does in another edition, or to this unit."""
        if same_text := [index for index, order in enumerate(self.orders) if order.text == text]:
            return same_text
        try:
            meant = read_order(text, self.phase, board=self.findings.board).order
            if same_order := [index for index, order in enumerate(self.orders) if order.order == meant]:
                return same_order
        except NotationError:
            pass  # It may be a unit.
        ordered = self.findings.unit(field, text)
        if ordered is None:
            return ()
        indices = [index for index, order in enumerate(self.orders) if getattr(order.order, "unit", None) == ordered]
        if not indices:
            self.findings.problem(field, f"no order has the text {text!r} or is to that unit")
        return indices


class Resolution(NamedTuple):
    """What a document says of an order."""

    labels: tuple[OrderLabel, ...]
    """The terms that are right: one, or several where a correction leaves the result open."""
    loss: OrderLabel | None
    """`"dislodged"` or `"destroyed"`, if its unit is."""

    @property
    def label(self) -> OrderLabel | None:
        """What is expected: `None` where a term for success is as right as one for failure."""
        if len(self.labels) == 1:
            return self.labels[0]
        return None if any(label in SUCCESSES for label in self.labels) else "fails"


def read_resolution(text: str) -> Resolution | None:
    """Read a resolution as the document writes it, such as `"cut, dislodged"`; `None` where it is something else."""
    first, _, second = text.lower().partition(", ")
    labels: list[OrderLabel] = []
    for term in first.split(" or "):
        if term not in ORDER_LABELS:
            return None
        labels.append(term)
    if second and second not in _LOSSES:
        return None
    return Resolution(tuple(labels), _LOSSES.get(second or first))


def correction_remarks(table: PhaseTable) -> Iterable[str]:
    """Say where another resolution is expected than the document's, and why."""
    stated = {
        order: resolution
        for name, orders in table.orders.items()
        for order, resolution in zip(orders, table.resolutions.get(name, []), strict=False)
    }
    for correction in table.corrections:
        if not correction.choices and correction.order in stated:
            document = f"{stated[correction.order]!r} in the document"
            yield f"{correction.order!r} is {document}, here {correction.resolution!r}: {correction.reason}"


@dataclass(frozen=True)
class ResolutionReader:
    """Reads the resolutions of one phase, and checks each against the board that is expected."""

    findings: Findings
    table: PhaseTable
    orders: Sequence[CaseOrder]

    def read(self, expectation: Expectation) -> Sequence[Expectation]:
        """Add the resolutions to the expectation under the rules that the document prefers.

        Return that expectation, and one more for each set of choices under which only a resolution is another.
        """
        if len(self.orders) < sum(map(len, self.table.orders.values())):
            return [expectation]  # An order cannot be read, which is said already.
        stated = self._stated()
        corrections = [found for correction in self.table.corrections for found in self._corrected(correction)]
        resolutions = {**stated, **{index: other for choices, index, other in corrections if not choices}}
        found = [self._resolved(expectation, resolutions)]
        changed = [choices for choices, _, _ in corrections if choices]
        for choices in (each for index, each in enumerate(changed) if each not in changed[:index]):
            others = {index: other for where, index, other in corrections if where == choices}
            accepted = self.findings.accepted("corrections", choices)
            one = structs.replace(expectation, choices={**expectation.choices, **accepted}, basis="derived")
            found.append(self._resolved(one, {**resolutions, **others}))
        return found

    def _resolved(self, expectation: Expectation, resolutions: Mapping[int, Resolution | None]) -> Expectation:
        labels: dict[int, OrderLabel] = dict(expectation.orders)
        either: set[int] = set()
        for index, resolution in resolutions.items():
            if resolution is None:
                continue
            order = self.orders[index]
            if problem := _contradiction(order, resolution, expectation):
                self.findings.problem("resolutions", f"{order.text!r}: {problem}")
            expected, label = labels.pop(index, None), resolution.label
            if label is None:
                either.add(index)
                continue
            if expected is not None and (expected in SUCCESSES) != (label in SUCCESSES):
                self.findings.problem("resolutions", f"{order.text!r} is expected to be {expected}, too")
            labels[index] = label
        return structs.replace(expectation, orders=labels, either=frozenset(either), without_resolutions=expectation)

    def _stated(self) -> Mapping[int, Resolution | None]:
        stated: dict[int, Resolution | None] = {}
        for name in sorted(self.table.resolutions.keys() - self.table.orders.keys()):
            self.findings.problem("resolutions", f"{name} has no orders")
        for name, orders in self.table.orders.items():
            texts = self.table.resolutions.get(name, [])
            if len(texts) != len(orders):
                found = f"there are {len(orders)} orders and {len(texts)} resolutions"
                self.findings.problem(f"resolutions.{name}", found)
                break
            for text in texts:
                stated[len(stated)] = self._read("resolutions", len(stated), text)
        return stated

    def _corrected(self, correction: CorrectionTable) -> Iterable[tuple[_Choices, int, Resolution | None]]:
        """Find each order that has the text of a correction; return its choices, the index and the resolution."""
        indices = [index for index, order in enumerate(self.orders) if order.text == correction.order]
        if not indices:
            self.findings.problem("corrections", f"there is no order {correction.order!r}")
        for index in indices:
            yield correction.choices, index, self._read("corrections", index, correction.resolution)

    def _read(self, field: str, index: int, text: str) -> Resolution | None:
        order = self.orders[index]
        terms = _TERMS.get(type(order.order), _TERMS_LATER)
        resolution = read_resolution(text)
        if resolution is None or not terms.issuperset(resolution.labels):
            self.findings.problem(field, f"{order.text!r} is {' or '.join(sorted(terms))}, not {text!r}")
            return None
        return resolution


def _contradiction(order: CaseOrder, resolution: Resolution, expectation: Expectation) -> str:
    """Say how a resolution contradicts the board that is expected; empty where it does not."""
    unit = None if isinstance(order.order, (kinds.Waive, type(None))) else order.order.unit
    province, succeeds = "" if unit is None else province_code(unit.location), resolution.label in SUCCESSES
    if isinstance(order.order, (kinds.Move, kinds.Retreat)) and succeeds != (province in expectation.moved):
        return "`moved` says otherwise"
    built = {province_code(unit.location) for unit in expectation.built}
    if isinstance(order.order, kinds.Build) and succeeds and province not in built:
        return "`built` says otherwise"
    if isinstance(order.order, (kinds.Disband, kinds.Remove)) and succeeds and province not in expectation.gone:
        return "`disbanded` or `removed` says otherwise"
    if (resolution.loss is not None) != (province in expectation.dislodged):
        return "`dislodged` says otherwise"
    return ""
