"""A hunt's store as a suite that runs: `datc-check run ENGINE --suite STORE`."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ...cases import USUAL_EDITION, SuiteError, load_ruleset, read_suite, ruleset_names
from ...reference_engine import Ruleset, printable
from ...reports import write_whole
from ..case_text import toml_string
from .expectations import CannotBeExpectedError, Expectations
from .findings import Finding, finding_facts, read_said, read_stored_position
from .grouping import Group
from .metamorphic import RELATIONS
from .questions import second_question
from .texts import case_lines, file_of_cases, lines_of_case

CASES_FILE, _SUITE_FILE = "cases.toml", "suite.toml"


class _WrittenCase(NamedTuple):
    id: str
    lines: Sequence[str]


def write_suite(folder: Path, groups: Sequence[Group], heading: str, ruleset: Ruleset) -> None:
    """Write the smallest position of each cause as a case of a suite, with what the reference expects of it.

    The ruleset of the suite is that of the hunt, and one case more is there for a position that was asked in two
    forms. What cannot be expected of a case is left out, and a comment says so. Raises `OSError`.
    """
    base = _base(ruleset)
    changed = {issue: choice for issue, choice in ruleset.choices.items() if base.choices[issue] != choice}
    cases: list[_WrittenCase] = []
    notes = [heading, "What is expected is what the reference engine answers, under each choice that matters."]
    if changed:
        options = " ".join(f"--choice {issue}={choice}" for issue, choice in changed.items())
        notes.append(f"The hunt was under other choices than the ruleset of the suite: run it with {options}")
    header = _header(heading, base)
    for number, group in enumerate(groups, 1):
        if group.smallest is not None:
            written, problems = _readable_cases(f"hunt.{number}", group, group.smallest, base, changed, header)
            cases += written
            notes += problems
    write_whole(folder / CASES_FILE, _file(notes, cases))
    write_whole(folder / _SUITE_FILE, header)


def _readable_cases(
    case_id: str, group: Group, finding: Finding, base: Ruleset, changed: Collection[str], header: bytes
) -> tuple[Sequence[_WrittenCase], Sequence[str]]:
    """Write the cases of a finding, if need be without other choices, and say what keeps others from being cases."""
    cases: list[_WrittenCase] = []
    wrong: Mapping[str, str] = {}
    for usual_only in (False, True):
        try:
            cases = list(_cases(case_id, group, finding, base, changed, usual_only=usual_only))
        except CannotBeExpectedError as error:
            cases, wrong = [], {case_id: str(error)}
            continue
        wrong = _wrong_cases(header, cases)
        if not wrong:
            break
    return [case for case in cases if case.id not in wrong], [
        f"{name} is no case: {why}" for name, why in wrong.items()
    ]


def _base(ruleset: Ruleset) -> Ruleset:
    """Return the ruleset of that name as the project has it: a suite names one of these."""
    return load_ruleset(ruleset.name if ruleset.name in ruleset_names() else USUAL_EDITION).ruleset()


def _header(heading: str, base: Ruleset) -> bytes:
    title = f"Found by hunting {heading.splitlines()[0]}"
    return f'name    = "hunt"\ntitle   = {toml_string(title)}\nruleset = {toml_string(base.name)}\n'.encode()


def _file(notes: Sequence[str], cases: Sequence[_WrittenCase]) -> bytes:
    return file_of_cases(printable_lines(notes), [case.lines for case in cases]).encode()


def printable_lines(notes: Sequence[str]) -> str:
    """Join notes, each on lines of their own, without control characters."""
    return "\n".join(printable(line) for note in notes for line in note.splitlines())


def _cases(
    case_id: str, group: Group, finding: Finding, base: Ruleset, changed: Collection[str], *, usual_only: bool
) -> Iterator[_WrittenCase]:
    """Write the case of a finding and, where the engine contradicts itself, that of the other form."""
    assert finding.position is not None  # noqa: S101 - the smallest finding of a group has one
    ordered = read_stored_position(finding.position)
    issues = {*group.changes, *changed, *(issue for changes in finding.cause.changes for issue in changes)}
    number, facts = finding_facts(finding, ordered) if finding.said[0].units is not None else (0, ())
    judged = {number: sorted({fact.order for fact in facts if fact.order is not None})}
    said = [read_said(each, ordered) for each in finding.said[2 if finding.relation else 0 :]]
    expected = Expectations(ordered, base, said, issues, judged, usual_only).expected()
    yield _WrittenCase(case_id, list(case_lines(case_id, group, finding, expected)))
    question = second_question(finding)
    if question is not None:
        other_id, title = f"{case_id}.{finding.relation}", f"The same in another form: {_sentence(finding)}"
        expected = Expectations(question.ordered, base, (), issues, usual_only=usual_only).expected()
        lines = lines_of_case(other_id, title, question.ordered, expected, style=question.style)
        note = f"# The same as {case_id} in another form ({finding.relation}); the answers contradict each other."
        yield _WrittenCase(other_id, [note, *lines])


def _sentence(finding: Finding) -> str:
    return RELATIONS[finding.relation].sentence


def _wrong_cases(header: bytes, cases: Sequence[_WrittenCase]) -> Mapping[str, str]:
    """Read the suite as it would be written, and return what is wrong with it, by the ids of its cases."""
    with tempfile.TemporaryDirectory() as folder:
        _ = Path(folder, _SUITE_FILE).write_bytes(header)
        _ = Path(folder, CASES_FILE).write_bytes(_file((), cases))
        try:
            _ = read_suite(Path(folder))
        except SuiteError as error:
            return {problem.case: f"{problem.field}: {problem.message}" for problem in error.problems}
    return {}
