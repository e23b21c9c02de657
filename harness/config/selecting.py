"""From what a person writes of suites and cases to the cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...cases import Case, load_suite, select_cases, suite_names
from ...cases.errors import UnknownCaseError
from ...cases.tables import USUAL_EDITION
from ...reference_engine.errors import nearest
from ...reports.vocabulary import listed

ALL = "all"
"""The name that stands for every suite of the project."""


def suites_named(suites: Sequence[str], usual: Sequence[str] = (USUAL_EDITION,)) -> Sequence[str]:
    """Return the suites that `--suite` names, or the usual ones where it names none."""
    return suite_names() if ALL in suites else suites or usual


def find_cases(suites: Sequence[str], selections: Sequence[str]) -> Sequence[Case]:
    """Find the cases of some suites (the usual edition if none is named) that are selected.

    A selection is an id, a section or an issue, in capitals or not, or several with commas; `SUITE/ID` is a case of any
    suite. Where no suite is named, what the usual edition does not have is looked for in the others.

    Raises `CasesError` for an unknown suite, and for a selection that names nothing.
    """
    chosen = [case for name in suites_named(suites) for case in load_suite(name).cases]
    if not selections:
        return chosen
    found = {case.key: case for one in _split(selections) for case in _selected(one, chosen, suites)}
    own = [case for case in chosen if case.key in found]
    return [*own, *(case for case in found.values() if case not in own)]


def _split(selections: Sequence[str]) -> Iterator[str]:
    for text in selections:
        parts = [part.strip() for part in text.split(",") if part.strip()]
        if not parts:
            raise UnknownCaseError(f"--select {text!r} names no case: write an id, a section or an issue, such as 6.F")
        yield from parts


def _selected(selection: str, chosen: Sequence[Case], suites: Sequence[str]) -> Sequence[Case]:
    suite, _, name = selection.rpartition("/")
    if suite:
        own = [case for case in chosen if case.suite == suite]
        if found := select_cases(own or (load_suite(suite).cases if suite in suite_names() else ()), [name]):
            return found
    elif found := select_cases(chosen, [selection]):
        return found
    others = _suites_with(name, [suite] if suite else suites_named(suites))
    if len(others) == 1 and not suites and not suite:
        return next(iter(others.values()))
    message = f"--select {selection}: there is no such case, section or issue in {suite or 'the suite'}"
    if others:
        keys = [f"{other}/{name}" for other in others]
        raise UnknownCaseError(f"{message}; there is {listed(keys)}")
    known = dict.fromkeys(word for case in chosen for word in (case.id, case.section, *case.issues))
    raise UnknownCaseError(f"{message}{nearest(name, tuple(known))}")


def _suites_with(name: str, but: Sequence[str]) -> Mapping[str, Sequence[Case]]:
    """Return the cases that a selection names in each suite of the project but some."""
    return {
        other: found
        for other in suite_names()
        if other not in but and (found := select_cases(load_suite(other).cases, [name]))
    }


def find_case(key: str, suite_name: str | None) -> Case | None:
    """Find a case that is named by its id, or as `extended/X.2-a-case`; `None` where no suite has it.

    Where no suite is named it is looked for in the usual edition, then in the others. Raises `UnknownCaseError` for an
    id that several of these have.
    """
    suite, separator, case_id = key.partition("/")
    if separator and suite in suite_names():
        return _by_id(case_id, suite)
    if suite_name is not None and suite_name != ALL:
        return _by_id(key, suite_name)
    if (usual := _by_id(key, USUAL_EDITION)) is not None:
        return usual
    found = [case for name in suite_names() if (case := _by_id(key, name)) is not None]
    if len(found) > 1:
        raise UnknownCaseError(f"several suites have a case {key!r}: write {listed(case.key for case in found)}")
    return found[0] if found else None


def _by_id(case_id: str, suite_name: str) -> Case | None:
    cases = load_suite(suite_name).cases
    return next((case for case in cases if case.id.casefold() == case_id.casefold()), None)


def no_case(key: str, suite_name: str | None) -> str:
    """Say that there is no such case, and which one is near: the end of a message."""
    suite, separator, case_id = key.partition("/")
    if separator and suite in suite_names():
        suite_name, key = suite, case_id
    one_suite = suite_name is not None and suite_name != ALL
    ids = [case.id for case in load_suite(suite_name if one_suite else USUAL_EDITION).cases]
    return f"no case in {suite_name if one_suite else 'any suite'}{nearest(key, ids)}"
