"""Reads suites from TOML and says all that is wrong with them."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

import msgspec

from ..reference_engine import (
    ISSUES,
    Board,
    NotationError,
    OrderedUnit,
    Position,
    PositionError,
    Submitted,
    Unit,
    province_code,
    read_order,
    standard_board,
)
from ..reference_engine.notation import Reading, read_location, read_writing
from ..reference_engine.order_sets import Mark
from ..reference_engine.orders import Proxy
from ..reference_engine.position import FlyingDutchman
from ..reference_engine.toml import TOMLDecodeError, loads
from .errors import InheritanceError, Problem, SuiteError
from .expectations import ExpectationReader, Findings
from .resolutions import ResolutionReader, correction_remarks
from .rulesets import load_ruleset, ruleset_names
from .suite import Case, CaseOrder, CasePhase, CasePlace, Expectation, Section, Suite, in_force
from .tables import (
    SUITE_FILE,
    USUAL_EDITION,
    CaseFile,
    CaseTable,
    PhaseTable,
    SuiteFile,
    case_files,
    given_fields,
    phase_tables,
    with_inherited,
)

_T = TypeVar("_T")
_HERE = Path(__file__).parent
_ID_LINE = re.compile(r"""\s*id\s*=\s*["'](?P<id>[^"']*)["']""")


def read_suite(folder: Path, board: Board | None = None) -> Suite:
    """Read all TOML files of a folder.

    Args:
        folder: The folder of the suite.
        board: The board that it is played on; by default the standard one.

    Raises:
        SuiteError: Something is wrong; the error has all problems.
    """
    problems: list[Problem] = []
    header = _read_file(folder.joinpath(SUITE_FILE), SuiteFile, problems)
    if header is not None and header.ruleset not in ruleset_names():
        problems.append(Problem(SUITE_FILE, "", "ruleset", f"there is no ruleset {header.ruleset!r}"))
    sections: list[Section] = []
    files: dict[str, str] = {}
    for file in case_files(folder):
        content = _read_file(file, CaseFile, problems)
        if content is not None:
            sections.append(_read_section(content, header, file, files, problems, board or standard_board()))
    if problems or header is None:
        raise SuiteError(tuple(problems))
    return Suite(header.name, header.title, header.author, header.date, header.url, header.ruleset, tuple(sections))


def read_loose_cases(text: str, name: str, board: Board | None = None) -> tuple[Case, ...]:
    """Read cases outside a suite, which may leave out id, title and `expect`.

    Args:
        text: TOML with `[[case]]` tables, or with the fields of one.
        name: What is read, for titles and messages.
        board: The board; by default the standard one.

    Raises:
        SuiteError: Something is wrong; the error has all problems.
    """
    problems: list[Problem] = []
    cases: list[Case] = []
    preferred = _preferred_choices(USUAL_EDITION)
    try:
        content = loads(text)
        tables = msgspec.convert(content.get("case", [content]), list[dict[str, object]])
        for number, fields in enumerate(tables, start=1):
            title = f"{name}, number {number}" if len(tables) > 1 else name
            table = msgspec.convert({"id": "position", "title": title, **fields}, CaseTable)
            reader = _CaseReader(
                table, name, preferred=preferred, board=board or standard_board(), may_expect_nothing=True
            )
            cases.append(reader.read("", "", "", CasePlace(name, 1)))
            problems += reader.findings.problems
    except TOMLDecodeError as error:
        problems.append(Problem(name, "", "", f"is not TOML: {error}"))
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        problems.append(Problem(name, "", path.rstrip("`").lstrip("."), message))
    if problems:
        raise SuiteError(tuple(problems))
    return tuple(cases)


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


def _read_section(
    content: CaseFile,
    header: SuiteFile | None,
    file: Path,
    files: dict[str, str],
    problems: list[Problem],
    board: Board,
) -> Section:
    cases: list[Case] = []
    lines = _case_lines(file)
    suite = header.name if header else ""
    preferred = _preferred_choices(header.ruleset if header else USUAL_EDITION)
    for written in content.case:
        try:
            table = with_inherited(written)
        except InheritanceError as error:
            problems.append(Problem(file.name, written.id, "inherits", str(error)))
            continue
        reader = _CaseReader(table, file.name, preferred=preferred, board=board)
        if table.id in files:
            reader.findings.problem("id", f"there is a case {table.id} already, in {files[table.id]}")
        _ = files.setdefault(table.id, file.name)
        place = CasePlace(_file_name(file), lines.get(table.id, 1))
        case = reader.read(suite, content.section, content.title, place)
        problems += reader.findings.problems
        cases.append(case)
    return Section(content.section, content.title, tuple(cases))


@cache
def _preferred_choices(ruleset: str) -> Mapping[str, str]:
    """The choices of the ruleset that a suite's document prefers; those of the usual one where it is unknown."""
    return load_ruleset(ruleset if ruleset in ruleset_names() else USUAL_EDITION).ruleset().choices


def _case_lines(file: Path) -> Mapping[str, int]:
    """Find the line that has the id of each case."""
    text = file.read_text(encoding="utf-8").split("\n")
    found = ((match["id"], number) for number, line in enumerate(text, start=1) if (match := _ID_LINE.match(line)))
    return dict(reversed([*found]))


def _file_name(file: Path) -> str:
    return (file.relative_to(_HERE.parent) if file.is_relative_to(_HERE) else file).as_posix()


class _CaseReader:
    """Reads one case and gathers what is wrong with it."""

    def __init__(
        self,
        table: CaseTable,
        file: str,
        *,
        preferred: Mapping[str, str],
        board: Board,
        may_expect_nothing: bool = False,
    ) -> None:
        self.findings: Findings = Findings(file, table, board)
        self._preferred: Mapping[str, str] = preferred
        self._may_expect_nothing: bool = may_expect_nothing
        self._table: CaseTable = table
        self._board: Board = board

    def read(self, suite: str, section: str, section_title: str, place: CasePlace) -> Case:
        """Read the case; it is of use only if there is no problem."""
        table = self._table
        for issue in table.issues:
            if issue not in ISSUES:
                self.findings.problem("issues", f"there is no issue {issue!r}")
        phases: list[CasePhase] = []
        remarks: list[str] = []
        before: tuple[Unit, ...] | None = None
        dislodged: tuple[Unit, ...] = ()
        for prefix, phase_table in self._phase_tables():
            phase, before, dislodged = self._phase(prefix, phase_table, before, dislodged)
            phases.append(phase)
            remarks += correction_remarks(phase_table)
        return Case(
            table.id,
            suite,
            section,
            section_title,
            table.title,
            tuple(table.issues),
            tuple(table.rests_on),
            " ".join(filter(None, (table.remark, *remarks))),
            tuple(phases),
            place,
            table.source,
        )

    def _phase_tables(self) -> Iterable[tuple[str, PhaseTable]]:
        table = self._table
        if isinstance(table.phase, list):
            if given_fields(table):
                self.findings.problem(
                    "phase", "a case of several phases has its orders, units and expectations in them"
                )
            return [(f"phase[{index}].", phase) for index, phase in enumerate(table.phase)]
        return [("", phase) for phase in phase_tables(table)]

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
                self.findings.problem(f"{prefix}phase", "a retreat phase goes on from a movement phase before it")
            units, beside = self._units(prefix, table, orders), ()
        position = self._position(prefix, table, units, centers)
        reader = ExpectationReader(self.findings, orders, units, beside, table.phase, self._board)
        expectations = tuple(
            reader.read(f"{prefix}expect[{index}].", expect) for index, expect in enumerate(table.expect)
        )
        if not expectations and not self._may_expect_nothing:
            self.findings.problem(f"{prefix}expect", "nothing is expected")
        if table.resolutions or table.corrections:
            resolved = ResolutionReader(self.findings, prefix, table, orders)
            preferred = in_force(expectations, self._preferred)
            if preferred is not None:
                others = [one for one in expectations if one is not preferred]
                expectations = (*resolved.read(preferred), *others)
        self._check_unambiguous(prefix, expectations)
        season = table.season or ("winter" if table.phase == "adjustment" else "spring")
        phase = CasePhase(
            phase=table.phase,
            season=season,
            year=table.year,
            position=None if goes_on else position,
            centers=centers,
            orders=orders,
            marks=self._marks(table),
            in_sequence=table.sequence == "known",
            expectations=expectations,
            preferred=self._preferred,
        )
        after, now_dislodged = units, ()
        if default := phase.expected(self._preferred):
            after = tuple(sorted(default.board_after(units, beside, table.phase)))
            now_dislodged = tuple(u for u in units if province_code(u.location) in default.dislodged)
        return phase, after, now_dislodged

    def _orders(self, prefix: str, table: PhaseTable) -> tuple[CaseOrder, ...]:
        orders: list[CaseOrder] = []
        for name, texts in table.orders.items():
            power = self._power(f"{prefix}orders", name)
            orders += self._set(f"{prefix}orders.{name}", power, texts, table)
        sets = Counter[str]()
        for index, order_set in enumerate(table.order_sets):
            field = f"{prefix}order_sets[{index}]"
            if order_set.power in table.orders:
                self.findings.problem(field, f"the orders of {order_set.power} are in `orders` or in sets, not in both")
            power = self._power(f"{field}.power", order_set.power)
            sets[power] += 1
            orders += self._set(f"{field}.orders", power, order_set.orders, table, order_set=sets[power])
        for name, texts in table.beforehand.items():
            power = self._power(f"{prefix}beforehand", name)
            orders += self._set(f"{prefix}beforehand.{name}", power, texts, table, beforehand=True)
        written = {order.text for order in orders}
        for text in table.poorly_written:
            if text not in written:
                self.findings.problem(f"{prefix}poorly_written", f"there is no order {text!r}")
        return tuple(orders)

    def _set(
        self,
        field: str,
        power: str,
        texts: Sequence[str],
        table: PhaseTable,
        *,
        order_set: int = 1,
        beforehand: bool = False,
    ) -> Iterable[CaseOrder]:
        """Read the orders of one set; what cannot be read as one order has to be said to be so."""
        for text in texts:
            try:
                read = read_writing if text in table.poorly_written else read_order
                writing = read(text, table.phase, board=self._board)
            except NotationError as error:
                writing = read_writing(text, table.phase, board=self._board)
                if not isinstance(writing, Proxy):
                    self.findings.problem(field, str(error))
                    continue
            order = writing.order if isinstance(writing, Reading) else writing
            yield CaseOrder(Submitted(power, order, order_set, beforehand), text)

    def _marks(self, table: PhaseTable) -> Mapping[tuple[str, int], Mark]:
        marks: dict[tuple[str, int], Mark] = {}
        sets = Counter[str]()
        for order_set in table.order_sets:
            power = order_set.power.upper()
            sets[power] += 1
            if order_set.mark is not None:
                marks[power, sets[power]] = order_set.mark
        return marks

    def _flying_dutchmen(self, prefix: str, table: PhaseTable) -> Iterable[FlyingDutchman]:
        for name, texts in table.flying_dutchmen.items():
            field = f"{prefix}flying_dutchmen.{name}"
            units = [unit for text in texts if (unit := self.findings.unit(field, text))]
            yield FlyingDutchman(self._power(field, name), tuple(province_code(unit.location) for unit in units))

    def _centers(self, prefix: str, table: PhaseTable) -> Mapping[str, tuple[str, ...]]:
        centers: dict[str, tuple[str, ...]] = {}
        for name, locations in table.centers.items():
            power = self._power(f"{prefix}centers", name)
            owned: list[str] = []
            for text in locations:
                try:
                    owned.append(read_location(text, board=self._board))
                except NotationError as error:
                    self.findings.problem(f"{prefix}centers.{name}", str(error))
            centers[power] = tuple(owned)
        return centers

    def _units(self, prefix: str, table: PhaseTable, orders: Sequence[CaseOrder]) -> tuple[Unit, ...]:
        """Gather the units of the field, and of the orders of a movement phase where the field names none."""
        units: dict[str, Unit] = {}
        for name, texts in table.units.items():
            power = self._power(f"{prefix}units", name)
            for text in texts:
                if ordered := self.findings.unit(f"{prefix}units.{name}", text):
                    self._place(f"{prefix}units.{name}", power, ordered, units, text)
        stated = frozenset(units)
        if table.phase == "movement":
            for order in orders:
                ordered = getattr(order.order, "unit", None)
                if isinstance(ordered, OrderedUnit) and province_code(ordered.location) not in stated:
                    self._place(f"{prefix}orders.{order.power}", order.power, ordered, units, order.text)
        return tuple(units.values())

    def _place(self, field: str, power: str, ordered: OrderedUnit, units: dict[str, Unit], text: str) -> None:
        province = province_code(ordered.location)
        if ordered.type is None or not self._board.can_stand(ordered.type, ordered.location):
            self.findings.problem(field, f"{text!r} leaves open what stands there: give type and coast in `units`")
            return
        unit = Unit(power, ordered.type, ordered.location)
        if units.setdefault(province, unit) != unit:
            self.findings.problem(
                field, f"{text!r} and another order or unit disagree on who is in {province}: say so in `units`"
            )

    def _position(
        self, prefix: str, table: PhaseTable, units: Sequence[Unit], centers: Mapping[str, tuple[str, ...]]
    ) -> Position | None:
        try:
            dutchmen = self._flying_dutchmen(prefix, table)
            return Position(units, phase=table.phase, centers=centers, flying_dutchmen=dutchmen, board=self._board)
        except PositionError as error:
            self.findings.problem(f"{prefix}units", str(error))
            return None

    def _check_unambiguous(self, prefix: str, expectations: Sequence[Expectation]) -> None:
        for (_, other), (index, one) in itertools.combinations(enumerate(expectations), 2):
            same_weight = len(one.choices) == len(other.choices)
            if same_weight and _overlap(one, other) and not one.same_outcome(other):
                self.findings.problem(
                    f"{prefix}expect[{index}].choices", "another expectation holds for the same choices"
                )

    def _power(self, field: str, name: str) -> str:
        for power in self._board.powers.values():
            if power.name == name:
                return power.code
        names = ", ".join(power.name for power in self._board.powers.values())
        self.findings.problem(field, f"there is no power {name!r}: the powers are {names}")
        return name.upper()


def _overlap(one: Expectation, other: Expectation) -> bool:
    """Whether both can hold for one ruleset."""
    return all(one.choices[issue] & other.choices[issue] for issue in one.choices.keys() & other.choices.keys())
