"""Read what a case expects of one phase, against the units that stand before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..reference_engine import (
    Board,
    Build,
    Move,
    NotationError,
    OrderedUnit,
    Phase,
    Position,
    PositionError,
    Retreat,
    RulesetError,
    Unit,
    province_code,
    read_order,
)
from ..reference_engine.notation import read_unit
from ..reference_engine.rulesets import check_choice
from .errors import Problem
from .suite import STATED_LABELS, CaseOrder, Expectation, OrderLabel, RetreatClaim
from .tables import CaseTable, ExpectTable

_EXPECTED_OF: Mapping[Phase, frozenset[str]] = {
    "movement": frozenset({"moved", "dislodged", "may_retreat", "may_not_retreat", "removed"}),
    "retreat": frozenset({"moved", "disbanded"}),
    "adjustment": frozenset({"built", "removed"}),
}
"""What can happen in each phase."""
_EXPECTED_AT_ALL: frozenset[str] = _EXPECTED_OF["movement"] | _EXPECTED_OF["retreat"] | _EXPECTED_OF["adjustment"]
_NO_ANSWER = Expectation(choices={}, basis="text", no_answer=True)


class Findings:
    """Gathers what is wrong with one case, instead of stopping at the first."""

    def __init__(self, file: str, table: CaseTable, board: Board) -> None:
        self.problems: list[Problem] = []
        self._file: str = file
        self._board: Board = board
        self._table: CaseTable = table

    def problem(self, field: str, message: str) -> None:
        """Note something that is wrong."""
        self.problems.append(Problem(self._file, self._table.id, field, message))

    def unit(self, field: str, text: str) -> OrderedUnit | None:
        """Read a unit, or note why it cannot be read."""
        try:
            return read_unit(text, board=self._board)
        except NotationError as error:
            self.problem(field, str(error))
            return None

    def accepted(self, field: str, choices: Mapping[str, str | list[str]]) -> Mapping[str, frozenset[str]]:
        """Return the choices of each issue under which an expectation holds, and note unknown issues and choices."""
        accepted = {issue: frozenset([one] if isinstance(one, str) else one) for issue, one in choices.items()}
        for issue, allowed in accepted.items():
            self._check_issue(field, issue, sorted(allowed))
        return accepted

    def _check_issue(self, field: str, issue: str, choices: Sequence[str]) -> None:
        """Note an issue or choice that does not exist, or that the case does not declare."""
        try:
            for choice in choices:
                check_choice(issue, choice)
        except RulesetError as error:
            self.problem(field, str(error))
        if issue not in self._table.issues:
            self.problem(field, f"issue {issue} is not among the case's `issues`")


class ExpectationReader:
    """Reads the expectations of one phase."""

    def __init__(
        self,
        findings: Findings,
        orders: Sequence[CaseOrder],
        units: Sequence[Unit],
        dislodged: Sequence[Unit],
        phase: Phase,
        board: Board,
    ) -> None:
        self._findings: Findings = findings
        self._orders: Sequence[CaseOrder] = orders
        self._phase: Phase = phase
        self._board: Board = board
        self._standing: Mapping[str, Unit] = {province_code(unit.location): unit for unit in units}
        self._dislodged: Mapping[str, Unit] = {province_code(unit.location): unit for unit in dislodged}
        self._movers: Mapping[str, Unit] = self._dislodged if phase == "retreat" else self._standing

    def read(self, prefix: str, table: ExpectTable) -> Expectation:
        choices = self._findings.accepted(f"{prefix}choices", table.choices)
        for name in sorted(_EXPECTED_AT_ALL - _EXPECTED_OF[self._phase]):
            if getattr(table, name):
                self._findings.problem(f"{prefix}{name}", f"does not happen in a phase of {self._phase}")
        dislodged = self._provinces(f"{prefix}dislodged", table.dislodged, self._standing)
        expectation = Expectation(
            choices=choices,
            basis=table.basis,
            no_answer=table.no_answer,
            moved=self._moved(f"{prefix}moved", table.moved),
            dislodged=dislodged,
            gone=self._provinces(f"{prefix}disbanded", table.disbanded, self._dislodged)
            | self._provinces(f"{prefix}removed", table.removed, self._standing),
            built=self._built(prefix, table.built),
            may_retreat=self._claims(f"{prefix}may_retreat", table.may_retreat, dislodged),
            may_not_retreat=self._claims(f"{prefix}may_not_retreat", table.may_not_retreat, dislodged),
            orders=self._order_labels(prefix, table),
        )
        self._check_complete(prefix, expectation)
        return expectation

    def _check_complete(self, prefix: str, expectation: Expectation) -> None:
        if expectation.no_answer:
            if not expectation.same_outcome(_NO_ANSWER):
                self._findings.problem(f"{prefix}no_answer", "where there is no answer nothing else is expected")
            return
        for province in sorted(expectation.dislodged & expectation.moved.keys()):
            self._findings.problem(f"{prefix}moved", f"the unit in {province} is both moved and dislodged")
        if self._phase == "retreat":
            missing = self._dislodged.keys() - expectation.moved.keys() - expectation.gone
            for province in sorted(missing):
                self._findings.problem(
                    f"{prefix}disbanded", f"the unit dislodged from {province} is not in `moved` or here"
                )
        after = expectation.board_after(self._standing.values(), self._dislodged.values(), self._phase)
        try:
            _ = Position(after, board=self._board)
        except PositionError as error:
            self._findings.problem(f"{prefix}moved", f"the board that follows is impossible: {error}")

    def _provinces(self, field: str, texts: Sequence[str], there: Mapping[str, Unit]) -> frozenset[str]:
        found = (self._there(field, self._findings.unit(field, text), text, there) for text in texts)
        return frozenset(province for province in found if province is not None)

    def _there(self, field: str, ordered: OrderedUnit | None, text: str, there: Mapping[str, Unit]) -> str | None:
        """Find the province of a unit that an expectation names, or note that there is no such unit."""
        if ordered is None:
            return None
        province = province_code(ordered.location)
        unit = there.get(province)
        if unit is None or ordered.type not in (None, unit.type):
            self._findings.problem(field, f"there is no {text!r} that could be expected to")
            return None
        return province

    def _moved(self, field: str, texts: Sequence[str]) -> Mapping[str, str]:
        moved: dict[str, str] = {}
        for text in texts:
            ordered, to = self._mover(field, text)
            province = self._there(field, ordered, text, self._movers)
            if province is None:
                continue
            landing = self._landing(self._movers[province], to or self._destination(province))
            if landing is None:
                self._findings.problem(field, f"{text!r} leaves open where it lands: write 'F Gascony - Spain(nc)'")
            else:
                moved[province] = landing
        return moved

    def _mover(self, field: str, text: str) -> tuple[OrderedUnit | None, str | None]:
        """Read `"A London"`, or `"F Gascony - Spain(nc)"` with where it lands."""
        if " - " not in text:
            return self._findings.unit(field, text), None
        try:
            order = read_order(text, board=self._board).order
        except NotationError as error:
            self._findings.problem(field, str(error))
            return None, None
        if not isinstance(order, Move):
            self._findings.problem(field, f"{text!r} is no move")
            return None, None
        return order.unit, order.to

    def _destination(self, province: str) -> str | None:
        """Find where the unit of a province is ordered to go, if its orders agree on that."""
        destinations = {
            order.order.to
            for order in self._orders
            if isinstance(order.order, (Move, Retreat)) and province_code(order.order.unit.location) == province
        }
        return destinations.pop() if len(destinations) == 1 else None

    def _landing(self, unit: Unit, to: str | None) -> str | None:
        if to is None:
            return None
        location = province_code(to) if unit.type == "A" else to
        return location if self._board.can_stand(unit.type, location) else None

    def _built(self, prefix: str, texts: Sequence[str]) -> frozenset[Unit]:
        built: set[Unit] = set()
        for text in texts:
            ordered = self._findings.unit(f"{prefix}built", text)
            if ordered is None:
                continue
            powers = {
                order.power
                for order in self._orders
                if isinstance(order.order, Build)
                and province_code(order.order.unit.location) == province_code(ordered.location)
            }
            if len(powers) != 1 or ordered.type is None or not self._board.can_stand(ordered.type, ordered.location):
                self._findings.problem(f"{prefix}built", f"{text!r} is no unit that one power orders to be built")
            else:
                built.add(Unit(powers.pop(), ordered.type, ordered.location))
        return frozenset(built)

    def _claims(self, field: str, texts: Sequence[str], dislodged: frozenset[str]) -> frozenset[RetreatClaim]:
        claims: set[RetreatClaim] = set()
        for text in texts:
            ordered, to = self._mover(field, text)
            province = self._there(field, ordered, text, self._standing)
            if province is None:
                continue
            if province not in dislodged:
                self._findings.problem(field, f"the unit of {text!r} is not dislodged")
            elif to is None or not self._board.can_stand(self._standing[province].type, to):
                self._findings.problem(field, f"{text!r} names no location to retreat to")
            else:
                claims.add(RetreatClaim(province, to))
        return frozenset(claims)

    def _order_labels(self, prefix: str, table: ExpectTable) -> Mapping[int, OrderLabel]:
        labels: dict[int, OrderLabel] = {}
        for label in STATED_LABELS:
            texts: Sequence[str] = getattr(table, label)
            for text in texts:
                indices = self._orders_named(f"{prefix}{label}", text)
                for index in indices:
                    if labels.setdefault(index, label) != label:
                        self._findings.problem(f"{prefix}{label}", f"{text!r} is expected to be {labels[index]}, too")
        return labels

    def _orders_alike(self, text: str) -> Sequence[int]:
        """Find the orders that mean what a text means: an expectation may come from another edition of the case."""
        try:
            wanted = read_order(text, self._phase, board=self._board).order
        except NotationError:
            return ()
        return [index for index, order in enumerate(self._orders) if order.order == wanted]

    def _orders_named(self, field: str, text: str) -> Sequence[int]:
        """Find the orders with this text, or to this unit."""
        exact = [index for index, order in enumerate(self._orders) if order.text == text]
        if exact or (exact := self._orders_alike(text)):
            return exact
        ordered = self._findings.unit(field, text)
        if ordered is None:
            return ()
        indices = [index for index, order in enumerate(self._orders) if getattr(order.order, "unit", None) == ordered]
        if not indices:
            self._findings.problem(field, f"no order has the text {text!r} or is to that unit")
        return indices
