"""The tables of a case file, as TOML holds them, and what they inherit from those of an earlier edition.

The JSON Schema of a case file is made from these types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec

from ..reference_engine import Phase
from ..reference_engine.board import Season
from ..reference_engine.order_sets import Mark
from ..reference_engine.toml import loads
from .errors import InheritanceError
from .suite import SUITE_FILE, USUAL_EDITION, Basis, EditionName

CASE_FORMAT = 1
"""The number of the format of case files: another one where a file that was right would not be any more."""

_CaseId = Annotated[
    str, msgspec.Meta(pattern=r"^[0-9A-Za-z][0-9A-Za-z._-]*$", description="The document's number; never changed.")
]
_IssueId = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^((v[0-9]+\.[0-9]+-)?4\.[A-E]\.[0-9]|X\.[0-9]+|(canal|railway)\.[a-z]+)$",
        description="An issue of DATC chapter 4, with the edition if only a later one has it, of our own, or of a map.",
    ),
]
_MapName = Annotated[
    str, msgspec.Meta(description="A map of the project, or a file in a folder beside: maps/mine.toml")
]
_UnitText = Annotated[str, msgspec.Meta(description="A unit such as 'A London' or 'F Spain(nc)'.")]
_Source = Annotated[
    str,
    msgspec.Meta(pattern=r"^https?://\S+$", description="The page that a case with a source of its own comes from."),
]
_OrderText = Annotated[str, msgspec.Meta(description="An order, letter for letter as the document has it.")]


class ExpectTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[case.expect]]`: what follows under these choices. A unit that the table does not name stays where it is."""

    choices: dict[_IssueId, str | list[str]] = {}
    no_answer: bool = False
    basis: Basis | None = None
    """That of its file when left out."""
    moved: list[_UnitText] = []
    dislodged: list[_UnitText] = []
    may_retreat: list[_OrderText] = []
    may_not_retreat: list[_OrderText] = []
    disbanded: list[_UnitText] = []
    built: list[_UnitText] = []
    removed: list[_UnitText] = []
    succeeds: list[_OrderText] = []
    fails: list[_OrderText] = []
    cut: list[_OrderText] = []
    void: list[_OrderText] = []
    illegal: list[_OrderText] = []
    stands: list[_OrderText] = []
    given: list[_OrderText] = []
    available: list[_OrderText] = []
    invalid: list[_OrderText] = []
    disrupted: list[_OrderText] = []


class OrderSetTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[case.order_sets]]`: one of several sets of orders that a power handed in, in the order in which they came."""

    power: str
    orders: list[_OrderText]
    mark: Mark | None = None
    """Whether the set replaces the earlier sets of its power, or extends them (4.D.1), where it says so."""


class CorrectionTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[case.corrections]]`: another resolution than the document's, because its own rules contradict it.

    With `choices`: because it is another one under these, on the same board.
    """

    order: _OrderText
    resolution: str
    """What is expected instead; `"available or invalid"` where either is right."""
    reason: str
    choices: dict[_IssueId, str | list[str]] = {}


class PhaseFields(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a phase has, be it the only one of a case or one of several."""

    season: Season | None = None
    """Spring, or winter for adjustments, when left out."""
    year: int | None = None
    """The first year of the map when left out: 1901, if it has no other."""
    units: dict[str, list[_UnitText]] = {}
    centers: dict[str, list[str]] = {}
    orders: dict[str, list[_OrderText]] = {}
    order_sets: list[OrderSetTable] = []
    sequence: Literal["known", "unknown"] = "known"
    """Whether it is known in which order the order sets came (4.D.1), or not (4.D.2)."""
    beforehand: dict[str, list[_OrderText]] = {}
    """Perpetual orders of earlier turns (4.E.4), and proxies that were announced (4.E.5)."""
    flying_dutchmen: dict[str, list[_UnitText]] = {}
    """For a power with a unit too many, the units that it could be (4.E.6)."""
    poorly_written: list[_OrderText] = []
    """The orders that cannot be read as one order (4.E.1, 4.E.2): all others can."""
    resolutions: dict[str, list[str]] = {}
    """What the document says of each order under the rules that it prefers, as it stands there (`"cut, dislodged"`)."""
    corrections: list[CorrectionTable] = []
    expect: list[ExpectTable] = []


def season_of(fields: PhaseTable) -> Season:
    """Return the season of a phase."""
    return fields.season or ("winter" if fields.phase == "adjustment" else "spring")


def given_fields(fields: PhaseFields) -> frozenset[str]:
    """Name the fields of a phase that are not left out."""
    nothing = PhaseFields()
    names = PhaseFields.__struct_fields__
    return frozenset(name for name in names if getattr(fields, name) != getattr(nothing, name))


class PhaseTable(PhaseFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[case.phase]]`: one phase of a case of several."""

    phase: Phase = "movement"


class CaseTable(PhaseFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[case]]`: a test case, with its only phase in it or several in `phase`."""

    id: _CaseId
    title: str
    issues: list[_IssueId] = []
    rests_on: list[_IssueId] = []
    inherits: Annotated[str, msgspec.Meta(description="Another suite's case, or a phase of it: datc-3.1/6.J.9#2")] = ""
    """Where what the case leaves out is taken from: its issues, and of each phase all that it does not say itself."""
    map: _MapName = ""
    """The map that it is on; that of its file, or the standard one, when left out."""
    remark: str = ""
    source: _Source = ""
    """Where it was found, if not in the document of its suite."""
    since: EditionName = ""
    """The edition of the suite that added it, or changed what it asks or expects; empty for the first edition."""
    phase: Phase | list[PhaseTable] = "movement"


class CaseFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A section of a document."""

    section: str
    title: str
    map: _MapName = ""
    """The map of the cases that name none."""
    basis: Basis = "text"
    """The basis of the expectations that name none."""
    case: list[CaseTable]


_HasExpectations = TypeVar("_HasExpectations", CaseTable, PhaseTable)


def case_files(folder: Path) -> list[Path]:
    """List the files of cases in the folder of a suite, by name. Raises `OSError`."""
    files = sorted(folder.iterdir(), key=lambda entry: entry.name)
    return [file for file in files if file.name.endswith(".toml") and file.name != SUITE_FILE]


class SuiteFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`suite.toml`: the document that the cases of a folder come from."""

    name: str
    title: str
    author: str = ""
    date: str = ""
    url: str = ""
    ruleset: str = USUAL_EDITION
    edition: EditionName = ""
    """The state of its cases: a later one where some were added or changed."""


def json_schema(of: object, name: str, number: int, what: str = "") -> dict[str, object]:
    """Make the JSON Schema of a contract of this name and number; its title says what it is, or the name."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:datc-check:schema:{name}:{number}",
        "title": f"datc-check {what or name} {number}",
        **msgspec.json.schema(of),
    }


def case_file_schema() -> dict[str, object]:
    """Make the JSON Schema of a case file, for editors."""
    return json_schema(CaseFile, "case", CASE_FORMAT, "case file")


_HERE = Path(__file__).parent
_FIELDS = PhaseFields.__struct_fields__
_POSITION = frozenset({"units", "centers"})


def with_inherited(table: CaseTable) -> CaseTable:
    """Fill a case with what it inherits: its issues, its remark, and of each phase what it leaves out.

    Raises `InheritanceError` where there is no such case, or it has more phases than the one that inherits.
    """
    if not table.inherits:
        return table
    name, _, number = table.inherits.partition("#")
    suite, _, case = name.partition("/")
    found = _tables(suite).get(case)
    if found is None:
        raise InheritanceError(f"there is no case {name!r}: it is named like 'datc-3.1/6.F.9'")
    base = with_inherited(found)
    own, others = phase_tables(table), phase_tables(base)
    if number:
        others = others[int(number) - 1 : int(number)] if number.isdecimal() else ()
        if not others:
            raise InheritanceError(f"{name} has no phase {number!r}: they are counted from 1")
    if len(others) > len(own):
        raise InheritanceError(f"{table.inherits} has {len(others)} phases, this case {len(own)}")
    phases = [one if other is None else _filled(one, other) for one, other in zip_longest(own, others)]
    table = msgspec.structs.replace(
        table,
        remark=table.remark or base.remark,
        issues=list(dict.fromkeys([*base.issues, *table.issues])),
        rests_on=list(dict.fromkeys([*base.rests_on, *table.rests_on])),
    )
    if isinstance(table.phase, list):
        return msgspec.structs.replace(table, phase=phases)
    return msgspec.structs.replace(table, **{name: getattr(phases[0], name) for name in _FIELDS})


def table_of(place: str, case: str) -> CaseTable:
    """Read the table of a case from its file again, with what it inherits. Raises `OSError`."""
    file = _HERE.parent / place  # An absolute path stays as it is.
    if not file.is_relative_to(_HERE):
        file = Path(place)
    content = msgspec.convert(loads(file.read_text(encoding="utf-8")), CaseFile)
    return with_inherited(of_file(next(table for table in content.case if table.id == case), content))


def of_file(table: CaseTable, content: CaseFile) -> CaseTable:
    """Return a case on the map of its file, if it names none, and its expectations with the basis of the file."""
    return msgspec.structs.replace(_based(table, content.basis), map=table.map or content.map)


def _based(table: _HasExpectations, basis: Basis) -> _HasExpectations:
    expect = [msgspec.structs.replace(one, basis=one.basis or basis) for one in table.expect]
    if isinstance(table, CaseTable) and isinstance(table.phase, list):
        return msgspec.structs.replace(table, phase=[_based(phase, basis) for phase in table.phase])
    return msgspec.structs.replace(table, expect=expect)


def phase_tables(table: CaseTable) -> Sequence[PhaseTable]:
    """Return the phases of a case; its fields are those of the only one where it has no list of them."""
    if isinstance(table.phase, list):
        return table.phase
    return [PhaseTable(phase=table.phase, **{name: getattr(table, name) for name in _FIELDS})]


def _filled(own: PhaseTable, base: PhaseTable) -> PhaseTable:
    # Units and centers are one position: one that is given is given whole.
    given = given_fields(own)
    stays = given | _POSITION if given & _POSITION else given
    return msgspec.structs.replace(own, **{name: getattr(base, name) for name in _FIELDS if name not in stays})


@cache
def _tables(suite: str) -> Mapping[str, CaseTable]:
    """Read the cases of a suite of the project by id, as they are written; an unknown suite has no cases."""
    if all(file.parent.name != suite for file in _HERE.glob(f"*/{SUITE_FILE}")):
        return {}
    texts = [file.read_text(encoding="utf-8") for file in case_files(_HERE / suite)]
    contents = [msgspec.convert(loads(text), CaseFile) for text in texts]
    return {case.id: _based(case, content.basis) for content in contents for case in content.case}
