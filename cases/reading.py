"""Reads suites from TOML and says all that is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

import msgspec

from ..reference_engine import (
    ISSUES,
    RULESETS,
    Board,
    Move,
    NotationError,
    OrderedUnit,
    Phase,
    Position,
    PositionError,
    Retreat,
    RulesetError,
    Unit,
    check_choice,
    read_location,
    read_order,
    read_unit,
    standard_board,
)
from ..reference_engine.toml import TOMLDecodeError, loads
from .errors import Problem, SuiteError, UnknownSuiteError
from .suite import ORDER_LABELS, Case, CaseOrder, CasePhase, Expectation, OrderLabel, RetreatClaim, Section, Suite
from .tables import CaseFile, CaseTable, ExpectTable, PhaseTable, SuiteFile

_T = TypeVar("_T")
_SUITE_FILE = "suite.toml"
_HERE = Path(__file__).parent
_EXPECTED_OF: Mapping[Phase, frozenset[str]] = {
    "movement": frozenset({"moved", "dislodged", "may_retreat", "may_not_retreat"}),
    "retreat": frozenset({"moved", "disbanded"}),
    "adjustment": frozenset({"built", "removed"}),
}
"""What can happen in each phase."""
_EXPECTED_AT_ALL: frozenset[str] = _EXPECTED_OF["movement"] | _EXPECTED_OF["retreat"] | _EXPECTED_OF["adjustment"]
_NOTHING_EXPECTED = Expectation(
    choices={},
    basis="text",
    no_answer=False,
    moved={},
    dislodged=frozenset(),
    gone=frozenset(),
    built=frozenset(),
    may_retreat=frozenset(),
    may_not_retreat=frozenset(),
    orders={},
)


def suite_names() -> tuple[str, ...]:
    """Name the suites that come with the project."""
    return tuple(sorted(file.parent.name for file in _HERE.glob(f"*/{_SUITE_FILE}")))


@cache
def load_suite(name: str) -> Suite:
    """Load a suite by its name, or the author's own from a folder.

    Raises `UnknownSuiteError` where there is none, and `SuiteError` with all problems where it cannot be used.
    """
    if name in suite_names():
        return read_suite(_HERE / name)
    if Path(name, _SUITE_FILE).is_file():
        return read_suite(Path(name))
    raise UnknownSuiteError(
        f"there is no suite {name!r}: it is {' or '.join(suite_names())}, or a folder with a {_SUITE_FILE}"
    )


def read_suite(folder: Path) -> Suite:
    """Read all TOML files of a folder. Raises `SuiteError` with all that is wrong."""
    problems: list[Problem] = []
    header = _read_file(folder.joinpath(_SUITE_FILE), SuiteFile, problems)
    if header is not None and header.ruleset not in RULESETS:
        problems.append(Problem(_SUITE_FILE, "", "ruleset", f"there is no ruleset {header.ruleset!r}"))
    sections: list[Section] = []
    files: dict[str, str] = {}
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".toml") and file.name != _SUITE_FILE:
            content = _read_file(file, CaseFile, problems)
            if content is not None:
                sections.append(_read_section(content, header.name if header else "", file.name, files, problems))
    if problems or header is None:
        raise SuiteError(tuple(problems))
    return Suite(header.name, header.title, header.author, header.date, header.url, header.ruleset, tuple(sections))


def _read_file(file: Path, kind: type[_T], problems: list[Problem]) -> _T | None:
    try:
        return msgspec.convert(loads(file.read_text(encoding="utf-8")), kind)
    except OSError as error:
        problems.append(Problem(file.name, "", "", f"cannot be read: {error.strerror}"))
    except UnicodeDecodeError as error:
        problems.append(Problem(file.name, "", "", f"is not UTF-8 at byte {error.start}"))
    except TOMLDecodeError as error:
        problems.append(Problem(file.name, "", "", f"is not TOML: {error}"))
    except msgspec.ValidationError as error:
        problems.append(_misfit(file, error))
    return None


def _misfit(file: Path, error: msgspec.ValidationError) -> Problem:
    """Say a validation error with the id of its case: msgspec knows only the index (`$.case[3].expect[0]`)."""
    message, _, path = str(error).partition(" - at `$")
    field = path.rstrip("`").lstrip(".")
    case = ""
    if field.startswith("case["):
        index, _, rest = field.removeprefix("case[").partition("]")
        tables = cast("list[dict[str, object]]", loads(file.read_text(encoding="utf-8"))["case"])
        case, field = str(tables[int(index)].get("id", f"the case number {int(index) + 1}")), rest.lstrip(".")
    return Problem(file.name, case, field, message)


def _read_section(content: CaseFile, suite: str, file: str, files: dict[str, str], problems: list[Problem]) -> Section:
    cases: list[Case] = []
    for table in content.case:
        reader = _CaseReader(table, file)
        if table.id in files:
            reader.problem("id", f"there is a case {table.id} already, in {files[table.id]}")
        _ = files.setdefault(table.id, file)
        case = reader.read(suite, content.section, content.title)
        problems += reader.problems
        cases.append(case)
    return Section(content.section, content.title, tuple(cases))


class _CaseReader:
    """Reads one case and gathers what is wrong with it."""

    def __init__(self, table: CaseTable, file: str) -> None:
        self.problems: list[Problem] = []
        self._table: CaseTable = table
        self._file: str = file
        self._board: Board = standard_board()

    def problem(self, field: str, message: str) -> None:
        """Note something that is wrong."""
        self.problems.append(Problem(self._file, self._table.id, field, message))

    def read(self, suite: str, section: str, section_title: str) -> Case:
        """Read the case; it is of use only if there is no problem."""
        table = self._table
        for issue in table.issues:
            if issue not in ISSUES:
                self.problem("issues", f"there is no issue {issue!r}")
        phases: list[CasePhase] = []
        before: tuple[Unit, ...] | None = None
        dislodged: tuple[Unit, ...] = ()
        for prefix, phase_table in self._phase_tables():
            phase, before, dislodged = self._phase(prefix, phase_table, before, dislodged)
            phases.append(phase)
        return Case(
            table.id,
            suite,
            section,
            section_title,
            table.title,
            tuple(table.issues),
            tuple(table.rests_on),
            table.remark,
            tuple(phases),
        )

    def _phase_tables(self) -> Iterable[tuple[str, PhaseTable]]:
        table = self._table
        if isinstance(table.phase, list):
            if table.orders or table.units or table.centers or table.expect:
                self.problem("phase", "a case of several phases has its orders, units and expectations in them")
            return [(f"phase[{index}].", phase) for index, phase in enumerate(table.phase)]
        only = PhaseTable(
            phase=table.phase,
            season=table.season,
            year=table.year,
            units=table.units,
            centers=table.centers,
            orders=table.orders,
            expect=table.expect,
        )
        return [("", only)]

    def _phase(
        self, prefix: str, table: PhaseTable, before: tuple[Unit, ...] | None, dislodged: tuple[Unit, ...]
    ) -> tuple[CasePhase, tuple[Unit, ...], tuple[Unit, ...]]:
        """Read one phase; give the units that stand, and that are dislodged, after it as it expects by default."""
        orders = self._orders(prefix, table)
        centers = self._centers(prefix, table)
        goes_on = before is not None and not table.units
        units, beside = before or (), dislodged
        if not goes_on:
            if table.phase == "retreat":
                self.problem(f"{prefix}phase", "a retreat phase goes on from a movement phase before it")
            units, beside = self._units(prefix, table, orders), ()
        position = self._position(prefix, table, units, centers)
        reader = _ExpectationReader(self, orders, units, beside, table.phase)
        expectations = tuple(
            reader.read(f"{prefix}expect[{index}].", expect) for index, expect in enumerate(table.expect)
        )
        if not expectations:
            self.problem(f"{prefix}expect", "nothing is expected")
        self._check_unambiguous(prefix, expectations)
        season = table.season or ("winter" if table.phase == "adjustment" else "spring")
        phase = CasePhase(table.phase, season, table.year, None if goes_on else position, centers, orders, expectations)
        after, now_dislodged = units, ()
        if default := phase.expected(RULESETS["datc-3.1"].choices):
            after = tuple(sorted(default.board_after(units, beside, self._board)))
            now_dislodged = tuple(u for u in units if u.location.partition("/")[0] in default.dislodged)
        return phase, after, now_dislodged

    def _orders(self, prefix: str, table: PhaseTable) -> tuple[CaseOrder, ...]:
        orders: list[CaseOrder] = []
        for name, texts in table.orders.items():
            power = self._power(f"{prefix}orders", name)
            for text in texts:
                try:
                    orders.append(CaseOrder(power, text, read_order(text, table.phase).order))
                except NotationError as error:
                    self.problem(f"{prefix}orders.{name}", str(error))
        return tuple(orders)

    def _centers(self, prefix: str, table: PhaseTable) -> Mapping[str, tuple[str, ...]]:
        centers: dict[str, tuple[str, ...]] = {}
        for name, locations in table.centers.items():
            power = self._power(f"{prefix}centers", name)
            owned: list[str] = []
            for text in locations:
                try:
                    owned.append(read_location(text))
                except NotationError as error:
                    self.problem(f"{prefix}centers.{name}", str(error))
            centers[power] = tuple(owned)
        return centers

    def _units(self, prefix: str, table: PhaseTable, orders: Sequence[CaseOrder]) -> tuple[Unit, ...]:
        """Gather the units of the field, and of the orders of a movement phase where the field names none."""
        units: dict[str, Unit] = {}
        for name, texts in table.units.items():
            power = self._power(f"{prefix}units", name)
            for text in texts:
                if ordered := self.unit(f"{prefix}units.{name}", text):
                    self._place(f"{prefix}units.{name}", power, ordered, units, text)
        stated = frozenset(units)
        if table.phase == "movement":
            for order in orders:
                ordered = getattr(order.order, "unit", None)
                if isinstance(ordered, OrderedUnit) and ordered.location.partition("/")[0] not in stated:
                    self._place(f"{prefix}orders.{order.power}", order.power, ordered, units, order.text)
        return tuple(units.values())

    def _place(self, field: str, power: str, ordered: OrderedUnit, units: dict[str, Unit], text: str) -> None:
        province = ordered.location.partition("/")[0]
        if ordered.type is None or not self._board.can_stand(ordered.type, ordered.location):
            self.problem(field, f"{text!r} leaves open what stands there: give type and coast in `units`")
            return
        unit = Unit(power, ordered.type, ordered.location)
        if units.setdefault(province, unit) != unit:
            self.problem(
                field, f"{text!r} and another order or unit disagree on who is in {province}: say so in `units`"
            )

    def _position(
        self, prefix: str, table: PhaseTable, units: Sequence[Unit], centers: Mapping[str, tuple[str, ...]]
    ) -> Position | None:
        try:
            return Position(units, phase=table.phase, centers=centers)
        except PositionError as error:
            self.problem(f"{prefix}units", str(error))
            return None

    def _check_unambiguous(self, prefix: str, expectations: Sequence[Expectation]) -> None:
        for index, one in enumerate(expectations):
            for other in expectations[:index]:
                same_weight = len(one.choices) == len(other.choices)
                if same_weight and _overlap(one, other) and not one.same_outcome(other):
                    self.problem(f"{prefix}expect[{index}].choices", "another expectation holds for the same choices")

    def _power(self, field: str, name: str) -> str:
        for power in self._board.powers.values():
            if power.name == name:
                return power.code
        names = ", ".join(power.name for power in self._board.powers.values())
        self.problem(field, f"there is no power {name!r}: the powers are {names}")
        return name.upper()

    def unit(self, field: str, text: str) -> OrderedUnit | None:
        """Read a unit, or note why it cannot be read."""
        try:
            return read_unit(text)
        except NotationError as error:
            self.problem(field, str(error))
            return None

    def check_issue(self, field: str, issue: str, choices: Sequence[str]) -> None:
        """Note an issue or choice that does not exist, or that the case does not declare."""
        try:
            for choice in choices:
                check_choice(issue, choice)
        except RulesetError as error:
            self.problem(field, str(error))
        if issue not in self._table.issues:
            self.problem(field, f"issue {issue} is not among the case's `issues`")


class _ExpectationReader:
    """Reads the expectations of one phase."""

    def __init__(
        self,
        case: _CaseReader,
        orders: Sequence[CaseOrder],
        units: Sequence[Unit],
        dislodged: Sequence[Unit],
        phase: Phase,
    ) -> None:
        self._case: _CaseReader = case
        self._orders: Sequence[CaseOrder] = orders
        self._phase: Phase = phase
        self._board: Board = standard_board()
        self._standing: Mapping[str, Unit] = {unit.location.partition("/")[0]: unit for unit in units}
        self._dislodged: Mapping[str, Unit] = {unit.location.partition("/")[0]: unit for unit in dislodged}
        self._movers: Mapping[str, Unit] = self._dislodged if phase == "retreat" else self._standing

    def read(self, prefix: str, table: ExpectTable) -> Expectation:
        choices = {
            issue: frozenset([accepted] if isinstance(accepted, str) else accepted)
            for issue, accepted in table.choices.items()
        }
        for issue, accepted in choices.items():
            self._case.check_issue(f"{prefix}choices", issue, sorted(accepted))
        for name in sorted(_EXPECTED_AT_ALL - _EXPECTED_OF[self._phase]):
            if getattr(table, name):
                self._case.problem(f"{prefix}{name}", f"does not happen in a phase of {self._phase}")
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
            if not expectation.same_outcome(replace(_NOTHING_EXPECTED, no_answer=True)):
                self._case.problem(f"{prefix}no_answer", "where there is no answer nothing else is expected")
            return
        for province in sorted(expectation.dislodged & expectation.moved.keys()):
            self._case.problem(f"{prefix}moved", f"the unit in {province} is both moved and dislodged")
        if self._phase == "retreat":
            missing = self._dislodged.keys() - expectation.moved.keys() - expectation.gone
            for province in sorted(missing):
                self._case.problem(
                    f"{prefix}disbanded", f"the unit dislodged from {province} is not in `moved` or here"
                )
        after = expectation.board_after(self._standing.values(), self._dislodged.values(), self._board)
        try:
            _ = Position(after)
        except PositionError as error:
            self._case.problem(f"{prefix}moved", f"the board that follows is none: {error}")

    def _provinces(self, field: str, texts: Sequence[str], there: Mapping[str, Unit]) -> frozenset[str]:
        found = (self._there(field, self._case.unit(field, text), text, there) for text in texts)
        return frozenset(province for province in found if province is not None)

    def _there(self, field: str, ordered: OrderedUnit | None, text: str, there: Mapping[str, Unit]) -> str | None:
        """Find the province of a unit that an expectation names, or note that there is no such unit."""
        if ordered is None:
            return None
        province = ordered.location.partition("/")[0]
        unit = there.get(province)
        if unit is None or ordered.type not in (None, unit.type):
            self._case.problem(field, f"there is no {text!r} that could be expected to")
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
                self._case.problem(field, f"{text!r} leaves open where it lands: write 'F Gascony - Spain(nc)'")
            else:
                moved[province] = landing
        return moved

    def _mover(self, field: str, text: str) -> tuple[OrderedUnit | None, str | None]:
        """Read `"A London"`, or `"F Gascony - Spain(nc)"` with where it lands."""
        if " - " not in text:
            return self._case.unit(field, text), None
        try:
            order = read_order(text).order
        except NotationError as error:
            self._case.problem(field, str(error))
            return None, None
        if not isinstance(order, Move):
            self._case.problem(field, f"{text!r} is no move")
            return None, None
        return order.unit, order.to

    def _destination(self, province: str) -> str | None:
        """Find where the unit of a province is ordered to go, if its orders agree on that."""
        destinations = {
            order.order.to
            for order in self._orders
            if isinstance(order.order, (Move, Retreat)) and order.order.unit.location.partition("/")[0] == province
        }
        return destinations.pop() if len(destinations) == 1 else None

    def _landing(self, unit: Unit, to: str | None) -> str | None:
        if to is None:
            return None
        location = to.partition("/")[0] if unit.type == "A" else to
        return location if self._board.can_stand(unit.type, location) else None

    def _built(self, prefix: str, texts: Sequence[str]) -> frozenset[Unit]:
        built: set[Unit] = set()
        for text in texts:
            ordered = self._case.unit(f"{prefix}built", text)
            if ordered is None:
                continue
            powers = {
                order.power
                for order in self._orders
                if getattr(getattr(order.order, "unit", None), "location", "").partition("/")[0]
                == ordered.location.partition("/")[0]
            }
            if len(powers) != 1 or ordered.type is None or not self._board.can_stand(ordered.type, ordered.location):
                self._case.problem(f"{prefix}built", f"{text!r} is no unit that one power orders to be built")
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
                self._case.problem(field, f"the unit of {text!r} is not dislodged")
            elif to is None or not self._board.can_stand(self._standing[province].type, to):
                self._case.problem(field, f"{text!r} names no location to retreat to")
            else:
                claims.add(RetreatClaim(province, to))
        return frozenset(claims)

    def _order_labels(self, prefix: str, table: ExpectTable) -> Mapping[int, OrderLabel]:
        labels: dict[int, OrderLabel] = {}
        for label in ORDER_LABELS:
            texts: Sequence[str] = getattr(table, label)
            for text in texts:
                indices = self._orders_named(f"{prefix}{label}", text)
                for index in indices:
                    if labels.setdefault(index, label) != label:
                        self._case.problem(f"{prefix}{label}", f"{text!r} is expected to be {labels[index]}, too")
        return labels

    def _orders_named(self, field: str, text: str) -> Sequence[int]:
        """Find the orders with this text, or to this unit."""
        exact = [index for index, order in enumerate(self._orders) if order.text == text]
        if exact:
            return exact
        ordered = self._case.unit(field, text)
        if ordered is None:
            return ()
        indices = [index for index, order in enumerate(self._orders) if getattr(order.order, "unit", None) == ordered]
        if not indices:
            self._case.problem(field, f"no order has the text {text!r} or is to that unit")
        return indices


def _overlap(one: Expectation, other: Expectation) -> bool:
    """Whether both can hold for one ruleset."""
    return all(one.choices[issue] & other.choices[issue] for issue in one.choices.keys() & other.choices.keys())
