"""Cases that take from an earlier edition what they do not say themselves, so that no expectation stands twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path

import msgspec

from ..reference_engine.toml import loads
from .errors import InheritanceError
from .suite import Case
from .tables import SUITE_FILE, CaseFile, CaseTable, PhaseFields, PhaseTable, case_files, given_fields

_HERE = Path(__file__).parent
_FIELDS = PhaseFields.__struct_fields__
_POSITION = frozenset({"units", "centers"})


def with_inherited(table: CaseTable) -> CaseTable:
    """Fill a case with what it inherits: its issues, its remark, and of each phase what it leaves out.

    Raises:
        InheritanceError: There is no such case, or it has more phases than the one that inherits.
    """
    if not table.inherits:
        return table
    name, _, number = table.inherits.partition("#")
    base = with_inherited(_find(name))
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


def with_ancestors(name: str) -> Sequence[str]:
    """Name a suite of the project and those that its cases inherit from. Raises what reading its files raises."""
    found = [name]
    for suite in found:
        parents = {case.inherits.partition("/")[0] for case in _tables(suite).values() if case.inherits}
        found += sorted(parents.difference(found))
    return found


def table_of(case: Case) -> CaseTable:
    """Read the table that a case was made from, again, with what it inherits. Raises `OSError`."""
    file = _HERE.parent / case.place.file  # A path that is absolute stays it.
    if not file.is_relative_to(_HERE):
        file = Path(case.place.file)
    tables = msgspec.convert(loads(file.read_text(encoding="utf-8")), CaseFile).case
    return with_inherited(next(table for table in tables if table.id == case.id))


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


def _find(name: str) -> CaseTable:
    suite, _, case = name.partition("/")
    found = _tables(suite).get(case)
    if found is None:
        raise InheritanceError(f"there is no case {name!r}: it is named like 'datc-3.1/6.F.9'")
    return found


@cache
def _tables(suite: str) -> Mapping[str, CaseTable]:
    """The cases of a suite of the project as they are written; none where there is no such suite."""
    folder = _HERE / suite
    if "/" in suite or not (folder / SUITE_FILE).is_file():
        return {}
    texts = [file.read_text(encoding="utf-8") for file in case_files(folder)]
    contents = [msgspec.convert(loads(text), CaseFile) for text in texts]
    return {case.id: case for content in contents for case in content.case}
