"""Reads suites from TOML, and says all that is wrong with them."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from ..reference_engine import EVERY_ISSUE, NotationError, OrderedUnit, Position, PositionError, Submitted, Unit
from ..reference_engine.board import province_code
from ..reference_engine.maps import STANDARD
from ..reference_engine.notation import Reading, read_location, read_order, read_writing
from ..reference_engine.order_sets import Mark
from ..reference_engine.orders import Proxy
from ..reference_engine.position import FlyingDutchman
from ..reference_engine.toml import TOMLDecodeError, loads
from .errors import InheritanceError, Problem, SuiteError
from .expectations import ExpectationReader, Findings, ResolutionReader, correction_remarks
from .maps import find_map
from .rulesets import load_ruleset, ruleset_names
from .suite import SUITE_FILE, USUAL_EDITION, Case, CaseOrder, CasePhase, Edition, Expectation, Section, Suite, in_force
from .tables import (
    CaseFile,
    CaseTable,
    PhaseTable,
    SuiteFile,
    case_files,
    given_fields,
    of_file,
    phase_tables,
    season_of,
    with_inherited,
)

_T = TypeVar("_T")
_HERE = Path(__file__).parent
_ID_LINE = re.compile(r"""\s*id\s*=\s*["'](?P<id>[^"']*)["']""")


def read_suite(folder: Path) -> Suite:
    """Read all TOML files of a folder.

    Raises `SuiteError` with all problems.
    """
    problems: list[Problem] = []
    header = _read_file(folder.joinpath(SUITE_FILE), SuiteFile, problems)
    if header is not None and header.ruleset not in ruleset_names():
        problems.append(Problem(SUITE_FILE, "", "ruleset", f"there is no ruleset {header.ruleset!r}"))
    preferred = _preferred_choices(header.ruleset if header else USUAL_EDITION)
    sections: list[Section] = []
    files: dict[str, str] = {}
    tables: list[CaseTable] = []
    for file in case_files(folder):
        content = _read_file(file, CaseFile, problems)
        if content is None:
            continue
        section = Section(content.section, content.title, ())
        place = (file.relative_to(_HERE.parent) if file.is_relative_to(_HERE) else file).as_posix()
        texts = enumerate(file.read_text(encoding="utf-8").split("\n"), start=1)
        ids = [(match["id"], number) for number, line in texts if (match := _ID_LINE.match(line))]
        lines = dict(reversed(ids))  # The first line with each id.
        cases: list[Case] = []
        for written in content.case:
            try:
                table = with_inherited(of_file(written, content))
                board = find_map(table.map or STANDARD, folder)
            except InheritanceError as error:
                problems.append(Problem(file.name, written.id, "inherits", str(error)))
                continue
            except (SuiteError, PositionError) as error:
                problems.append(Problem(file.name, written.id, "map", str(error)))
                continue
            findings = Findings(file.name, table, board, problems)
            if table.id in files:
                findings.problem("id", f"there is a case {table.id} already, in {files[table.id]}")
            if header is not None and table.since > header.edition:
                findings.problem("since", f"it is later than the edition {header.edition!r} of {SUITE_FILE}")
            _ = files.setdefault(table.id, file.name)
            tables.append(table)
            case = _read_case(findings, preferred, header.name if header else "", section)
            cases.append(replace(case, file=place, line=lines.get(table.id, 1)))
        sections.append(msgspec.structs.replace(section, cases=tuple(cases)))
    if problems or header is None:
        raise SuiteError(tuple(problems))
    edition = Edition(header.name, header.edition, digest_of(tables), len(tables))
    of_edition = [
        msgspec.structs.replace(section, cases=tuple(replace(case, edition=edition) for case in section.cases))
        for section in sections
    ]
    return Suite(header.name, header.title, header.author, header.date, header.url, header.ruleset, tuple(of_edition))


def digest_of(tables: Iterable[CaseTable]) -> str:
    """Return the `Edition.digest` of cases with what they inherit: neither words on them nor their order count."""
    asked = [
        msgspec.structs.replace(table, title="", remark="", source="", since="", inherits="", issues=[], rests_on=[])
        for table in sorted(tables, key=lambda table: table.id)
    ]
    return hashlib.sha256(msgspec.json.encode(_given(msgspec.to_builtins(asked)))).hexdigest()[:16]


def _given(written: object) -> object:
    """Leave out what is empty, so that a field that a later format adds changes no digest; no year counts as 1901."""
    if isinstance(written, dict):
        table = cast("dict[str, object]", written)
        table |= {"year": table["year"] or 1901} if "year" in table else {}
        return {name: _given(value) for name, value in table.items() if value}
    return [*map(_given, cast("list[object]", written))] if isinstance(written, list) else written


def read_loose_cases(text: str, name: str) -> tuple[Case, ...]:
    """Read cases outside a suite, which may leave out id, title and `expect`: TOML with `[[case]]` tables, or one case.

    `name` says in titles and messages what is read. Raises `SuiteError` with all problems.
    """
    problems: list[Problem] = []
    cases: list[Case] = []
    preferred = _preferred_choices(USUAL_EDITION)
    try:
        content = loads(text)
        written = msgspec.convert(content.get("case", [content]), list[dict[str, object]])
        for number, fields in enumerate(written, start=1):
            title = f"{name}, number {number}" if len(written) > 1 else name
            table = msgspec.convert({"id": "position", "title": title, **fields}, CaseTable)
            findings = Findings(name, table, find_map(table.map or STANDARD, Path()), problems)
            cases.append(replace(_read_case(findings, preferred), file=name))
    except PositionError as error:
        problems.append(Problem(name, "", "map", str(error)))
    except (TOMLDecodeError, msgspec.ValidationError) as error:
        problems.append(_unreadable(name, error, {}))
    if problems:
        raise SuiteError(tuple(problems))
    return tuple(cases)


def _read_file(file: Path, kind: type[_T], problems: list[Problem]) -> _T | None:
    content: dict[str, Any] = {}
    try:
        content = loads(file.read_text(encoding="utf-8"))
        return msgspec.convert(content, kind)
    except (OSError, UnicodeDecodeError, TOMLDecodeError, msgspec.ValidationError) as error:
        problems.append(_unreadable(file.name, error, content))
        return None


def _unreadable(name: str, error: Exception, content: Mapping[str, Any]) -> Problem:
    """Say why a file cannot be read. An error of msgspec has only the index of a case (`$.case[3].expect[0]`)."""
    case = field = ""
    match error:
        case OSError():
            message = f"cannot be read: {error.strerror}"
        case UnicodeDecodeError():
            message = f"is not UTF-8 at byte {error.start}"
        case TOMLDecodeError():
            message = f"is not TOML: {error}"
        case _:
            message, _, path = str(error).partition(" - at `$")
            field = path.rstrip("`").lstrip(".")
            if found := re.match(r"case\[(\d+)\]\.?", field):
                number, field = int(found[1]), field[found.end() :]
                table: object = content["case"][number]
                has_id = isinstance(table, dict) and "id" in table
                case = str(content["case"][number]["id"]) if has_id else f"the case number {number + 1}"
    return Problem(name, case, field, message)


@cache
def _preferred_choices(ruleset: str) -> Mapping[str, str]:
    """The choices of the ruleset that a suite's document prefers; those of the usual one where it is unknown."""
    return load_ruleset(ruleset if ruleset in ruleset_names() else USUAL_EDITION).ruleset().choices


def _read_case(
    findings: Findings, preferred: Mapping[str, str], suite: str = "", section: Section | None = None
) -> Case:
    """Read a case, of a suite or a loose one, which may expect nothing; it is of use only without a problem."""
    table = findings.table
    for issue in table.issues:
        if issue not in EVERY_ISSUE:
            findings.problem("issues", f"there is no issue {issue!r}")
    several = isinstance(table.phase, list)
    if several and given_fields(table):
        findings.problem("phase", "a case of several phases has its orders, units and expectations in them")
    phases: list[CasePhase] = []
    remarks = [table.remark]
    before: tuple[Unit, ...] | None = None
    dislodged: tuple[Unit, ...] = ()
    for index, phase_table in enumerate(phase_tables(table)):
        seasonal = replace(findings, board=findings.board.in_season(season_of(phase_table)))
        inside = seasonal.within(f"phase[{index}]") if several else seasonal
        reader = _PhaseReader(inside, phase_table, preferred, may_expect_nothing=section is None)
        phase, before, dislodged = reader.read(before, dislodged)
        phases.append(phase)
        remarks += correction_remarks(phase_table)
    heading = (section.id, section.title) if section else ("", "")
    issues, rests_on, remark = tuple(table.issues), tuple(table.rests_on), " ".join(filter(None, remarks))
    found = Case(table.id, suite, *heading, table.title, issues, rests_on, remark, tuple(phases), source=table.source)
    return replace(found, since=table.since)


@dataclass(frozen=True)
class _PhaseReader:
    findings: Findings
    table: PhaseTable
    preferred: Mapping[str, str]
    may_expect_nothing: bool

    def read(
        self, before: tuple[Unit, ...] | None, dislodged: tuple[Unit, ...]
    ) -> tuple[CasePhase, tuple[Unit, ...], tuple[Unit, ...]]:
        """Read the phase; give the units that stand, and that are dislodged, after it as it expects by default."""
        table = self.table
        orders, marks = self._orders()
        centers = self._centers()
        goes_on = before is not None and not table.units
        units, beside = before or (), dislodged
        if not goes_on:
            if table.phase == "retreat":
                self.findings.problem("phase", "a retreat phase goes on from a movement phase before it")
            units, beside = self._units(orders), ()
        position = self._position(units, centers)
        expectations = self._expectations(orders, units, beside)
        phase = CasePhase(
            phase=table.phase,
            season=season_of(table),
            year=self.findings.board.first_year if table.year is None else table.year,
            board=self.findings.board,
            position=None if goes_on else position,
            centers=centers,
            orders=orders,
            marks=marks,
            in_sequence=table.sequence == "known",
            expectations=expectations,
            preferred=self.preferred,
        )
        default = phase.expected(self.preferred)
        if default is None:
            return phase, units, ()
        after = tuple(sorted(default.board_after(units, beside, table.phase)))
        return phase, after, tuple(unit for unit in units if province_code(unit.location) in default.dislodged)

    def _expectations(
        self, orders: Sequence[CaseOrder], units: Iterable[Unit], beside: Iterable[Unit]
    ) -> tuple[Expectation, ...]:
        """Read what is expected of the units that stand and are dislodged, with the resolutions of the orders."""
        standing, dislodged = ({province_code(unit.location): unit for unit in each} for each in (units, beside))
        expectations = tuple(
            ExpectationReader(
                self.findings.within(f"expect[{index}]"), orders, standing, dislodged, self.table.phase
            ).read(expect)
            for index, expect in enumerate(self.table.expect)
        )
        if not expectations and not self.may_expect_nothing:
            self.findings.problem("expect", "nothing is expected")
        if self.table.resolutions or self.table.corrections:
            resolved = ResolutionReader(self.findings, self.table, orders)
            preferred = in_force(expectations, self.findings.board.in_force(self.preferred))
            if preferred is not None:
                others = [one for one in expectations if one is not preferred]
                expectations = (*resolved.read(preferred), *others)
        for (_, other), (index, one) in itertools.combinations(enumerate(expectations), 2):
            issues = one.choices.keys() & other.choices.keys()
            overlap = all(one.choices[issue] & other.choices[issue] for issue in issues)
            if len(one.choices) == len(other.choices) and overlap and not one.same_outcome(other):
                self.findings.problem(f"expect[{index}].choices", "another expectation holds for the same choices")
        return expectations

    def _orders(self) -> tuple[tuple[CaseOrder, ...], Mapping[tuple[str, int], Mark]]:
        """Read all orders; return them, and what is said of the order sets, by power and number."""
        table = self.table
        orders: list[CaseOrder] = []
        marks: dict[tuple[str, int], Mark] = {}
        for name, texts in table.orders.items():
            orders += self._set(f"orders.{name}", self._power("orders", name), texts)
        sets = Counter[str]()
        for index, order_set in enumerate(table.order_sets):
            field = f"order_sets[{index}]"
            if order_set.power in table.orders:
                self.findings.problem(field, f"the orders of {order_set.power} are in `orders` or in sets, not in both")
            power = self._power(f"{field}.power", order_set.power)
            sets[power] += 1
            orders += self._set(f"{field}.orders", power, order_set.orders, order_set=sets[power])
            if order_set.mark is not None:
                marks[power, sets[power]] = order_set.mark
        for name, texts in table.beforehand.items():
            orders += self._set(f"beforehand.{name}", self._power("beforehand", name), texts, beforehand=True)
        written = {order.text for order in orders}
        for text in table.poorly_written:
            if text not in written:
                self.findings.problem("poorly_written", f"there is no order {text!r}")
        return tuple(orders), marks

    def _set(
        self, field: str, power: str, texts: Sequence[str], *, order_set: int = 1, beforehand: bool = False
    ) -> Iterable[CaseOrder]:
        """Read the orders of one set; what cannot be read as one order has to be said to be so."""
        phase, board = self.table.phase, self.findings.board
        for text in texts:
            try:
                read = read_writing if text in self.table.poorly_written else read_order
                writing = read(text, phase, board=board)
            except NotationError as error:
                writing = read_writing(text, phase, board=board)
                if not isinstance(writing, Proxy):
                    self.findings.problem(field, str(error))
                    continue
            order = writing.order if isinstance(writing, Reading) else writing
            yield CaseOrder(Submitted(power, order, order_set, beforehand), text)

    def _centers(self) -> Mapping[str, tuple[str, ...]]:
        centers: dict[str, tuple[str, ...]] = {}
        for name, locations in self.table.centers.items():
            power = self._power("centers", name)
            owned: list[str] = []
            for text in locations:
                try:
                    owned.append(read_location(text, board=self.findings.board))
                except NotationError as error:
                    self.findings.problem(f"centers.{name}", str(error))
            centers[power] = tuple(owned)
        return centers

    def _units(self, orders: Sequence[CaseOrder]) -> tuple[Unit, ...]:
        """Gather the units of the field, and of the orders of a movement phase where the field names none."""
        units: dict[str, Unit] = {}
        for name, texts in self.table.units.items():
            power = self._power("units", name)
            for text in texts:
                if ordered := self.findings.unit(f"units.{name}", text):
                    self._place(f"units.{name}", power, ordered, units, text)
        stated = frozenset(units)
        for order in orders if self.table.phase == "movement" else ():
            ordered = getattr(order.order, "unit", None)
            if isinstance(ordered, OrderedUnit) and province_code(ordered.location) not in stated:
                self._place(f"orders.{order.power}", order.power, ordered, units, order.text)
        return tuple(units.values())

    def _place(self, field: str, power: str, ordered: OrderedUnit, units: dict[str, Unit], text: str) -> None:
        if ordered.type is None or not self.findings.board.can_stand(ordered.type, ordered.location):
            self.findings.problem(field, f"{text!r} leaves open what stands there: give type and coast in `units`")
            return
        province, unit = province_code(ordered.location), Unit(power, ordered.type, ordered.location)
        if units.setdefault(province, unit) != unit:
            message = f"{text!r} and another order or unit disagree on who is in {province}: say so in `units`"
            self.findings.problem(field, message)

    def _position(self, units: Sequence[Unit], centers: Mapping[str, tuple[str, ...]]) -> Position | None:
        dutchmen: list[FlyingDutchman] = []
        for name, texts in self.table.flying_dutchmen.items():
            field = f"flying_dutchmen.{name}"
            candidates = [unit for text in texts if (unit := self.findings.unit(field, text))]
            provinces = tuple(province_code(unit.location) for unit in candidates)
            dutchmen.append(FlyingDutchman(self._power(field, name), provinces))
        phase, board = self.table.phase, self.findings.board
        try:
            return Position(units, phase=phase, centers=centers, flying_dutchmen=dutchmen, board=board)
        except PositionError as error:
            self.findings.problem("units", str(error))
            return None

    def _power(self, field: str, name: str) -> str:
        powers = {power.name: power.code for power in self.findings.board.powers.values()}
        if name not in powers:
            self.findings.problem(field, f"there is no power {name!r}: the powers are {', '.join(powers)}")
        return powers.get(name, name.upper())
