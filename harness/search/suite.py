"""Findings as cases of a suite: with all answers as comments, or with what the reference expects.

A hunt's store is a suite that runs: `datc-check run ENGINE --suite STORE`.
"""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ...cases import SuiteError, load_ruleset, read_suite, ruleset_names
from ...cases.suite import USUAL_EDITION
from ...reference_engine import EVERY_ISSUE, ISSUES, Board, Build, Move, Retreat, Ruleset, Unit, province_code
from ...reference_engine.errors import printable
from ...reference_engine.maps import STANDARD, own_map_names
from ...reference_engine.notation import Style
from ...reference_engine.toml import toml_list, toml_string
from ...reports.files import write_whole
from ..play.answer import Answer, AnswerOrFailure, Failure, PhaseInput
from ..play.differential import Played, ask
from ..play.positions import (
    OrderedPosition,
    center_table,
    order_table,
    order_texts,
    place_text,
    unit_table,
    unit_text,
)
from ..play.session import PlayedPhase, ReferenceAdjudicator
from .findings import read_said
from .groups import Group, with_ids
from .relations import RELATIONS
from .text import cause_text, named_units, question_lines, second_question

CASES_FILE, _SUITE_FILE = "cases.toml", "suite.toml"
_MOST_COMBINATIONS = 128
"""Where the choices that matter have more, only those that explain the finding are distinguished."""

_Fields: TypeAlias = Mapping[str, Sequence[str]]
"""The fields of an expectation that name units or orders."""
_Standing: TypeAlias = tuple[str, str | None, str]
"""A unit of a power and a type in a place."""


def write_suite(
    folder: Path, groups: Sequence[Group], heading: str, ruleset: Ruleset, map_name: str = STANDARD
) -> None:
    """Write the smallest position of each cause as a case of a suite, with what the reference expects of it.

    The map is one of the project, or an author's file, which is copied into the folder.
    The ruleset of the suite is that of the hunt, and one case more is there for a position that was asked in two
    forms. What cannot be expected of a case is left out, and a comment says so. Raises `OSError`.
    """
    # A suite names a ruleset of the project.
    base = load_ruleset(ruleset.name if ruleset.name in ruleset_names() else USUAL_EDITION).ruleset()
    changed = {issue: choice for issue, choice in ruleset.choices.items() if base.choices.get(issue) != choice}
    notes = [heading, "What is expected is what the reference engine answers, under each choice that matters."]
    if changed:
        options = " ".join(f"--choice {issue}={choice}" for issue, choice in changed.items())
        notes.append(f"The hunt was under other choices than the ruleset of the suite: run it with {options}")
    title = toml_string(f"Found by hunting {heading.splitlines()[0]}")
    header = f'name    = "hunt"\ntitle   = {title}\nruleset = {toml_string(base.name)}\n'.encode()
    files = {_SUITE_FILE: header}
    if map_name.endswith(".toml"):
        files[_map_file(Path(map_name).stem)] = Path(map_name).read_bytes()
    cases: list[Sequence[str]] = []
    for case_id, group in with_ids("hunt", groups):
        written: Mapping[str, Sequence[str]] = {}
        wrong: Mapping[str, str] = {}
        for usual_only in (False, True) if group.smallest is not None else ():
            try:
                written = dict(_cases(case_id, group, base, changed, usual_only=usual_only))
                wrong = _wrong_cases(files, written.values())
            except CannotBeExpectedError as error:
                written, wrong = {}, {case_id: str(error)}
            if not wrong:
                break
        cases += [lines for written_id, lines in written.items() if written_id not in wrong]
        notes += [f"{wrong_id} is no case: {why}" for wrong_id, why in wrong.items()]
    printable_notes = [printable(line) for note in notes for line in note.splitlines()]
    write_whole(folder / CASES_FILE, file_of_cases("\n".join(printable_notes), cases).encode())
    _write_files(folder, files)


def _write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        write_whole(folder / name, content)


def _map_file(name: str) -> str:
    """Where a suite has the map of an author."""
    return f"maps/{name}.toml"


def _cases(
    case_id: str, group: Group, base: Ruleset, changed: Collection[str], *, usual_only: bool
) -> Iterator[tuple[str, Sequence[str]]]:
    """Write the case of a cause and, where the engine contradicts itself, that of the other form, with their ids."""
    finding = group.example
    ordered = finding.ordered()
    issues = {*group.changes, *changed, *(issue for changes in finding.cause.changes for issue in changes)}
    number, facts = finding.wrong if finding.said[0].units is not None else (0, ())
    judged = {number: sorted({fact.order for fact in facts if fact.order is not None})}
    said = [read_said(each, ordered) for each in finding.said[2 if finding.relation else 0 :]]
    expected = Expectations(ordered, base, said, issues, judged, usual_only).expected()
    yield case_id, list(case_lines(case_id, group, expected))
    question = second_question(finding)
    if question is not None:
        other_id = f"{case_id}.{finding.relation}"
        title = f"The same in another form: {RELATIONS[finding.relation].sentence}"
        expected = Expectations(question.ordered, base, (), issues, usual_only=usual_only).expected()
        note = f"# The same as {case_id} in another form ({finding.relation}); the answers contradict each other."
        yield other_id, [note, *lines_of_case(other_id, title, question.ordered, expected, style=question.style)]


def _wrong_cases(files: Mapping[str, bytes], cases: Iterable[Sequence[str]]) -> Mapping[str, str]:
    """Read the suite as it would be written, and return what is wrong with it, by the ids of its cases."""
    with tempfile.TemporaryDirectory() as folder:
        _write_files(Path(folder), files)
        _ = Path(folder, CASES_FILE).write_bytes(file_of_cases("", cases).encode())
        try:
            _ = read_suite(Path(folder))
        except SuiteError as error:
            return {problem.case: f"{problem.field}: {problem.message}" for problem in error.problems}
    return {}


def case_file(groups: Sequence[Group], heading: str) -> str:
    """Write a file of cases, with all answers as comments: who takes away the `#` of one answer makes it a suite's."""
    shown = [(case_id, group) for case_id, group in with_ids("hunt", groups) if group.smallest is not None]
    return file_of_cases(heading, itertools.starmap(case_lines, shown))


class Expected(NamedTuple):
    """What is expected of a case."""

    issues: Collection[str] = ()
    tables: Sequence[Sequence[str]] = ()
    """For each phase the text of its `expect` tables, without their headings."""


def file_of_cases(heading: str, cases: Iterable[Iterable[str]]) -> str:
    """Put cases into the file of a section."""
    lines = [f"# {line}" for line in heading.splitlines()]
    lines += ["", 'section = "hunt"', 'title   = "Found by hunting"']
    written = [line for case in cases for line in ("", "", *case)]
    lines += written or ["case    = []"]
    return "\n".join(lines) + "\n"


def case_lines(case_id: str, group: Group, expected: Expected | None = None) -> Iterable[str]:
    """Write a case for a cause's smallest position, all answers as comments; `expected` stands for the reference's."""
    finding, count = group.example, len(group.findings)
    ordered = finding.ordered()
    yield f"# {group.kind}, {count} position{'s' * (count > 1)}; this is number {finding.number}, {finding.source}"
    if finding.relation and expected is None:
        yield from (f"# {line}" for line in question_lines(finding))
    said = finding.said if expected is None else finding.said[2 if finding.relation else 0 : -1]
    everyone = [(each.party, read_said(each, ordered)) for each in said]
    # A case that is run asks what the hunt asked.
    style: Style = "names" if expected is None else "codes"
    title, expected = cause_text(group)[:100], expected or Expected(group.changes)
    yield from lines_of_case(case_id, title, ordered, expected, everyone, style)


def lines_of_case(
    case_id: str,
    title: str,
    ordered: OrderedPosition,
    expected: Expected,
    everyone: Sequence[tuple[str, Played]] = (),
    style: Style = "names",
) -> Iterable[str]:
    """Write a case, with answers to it as comments, and with what is expected."""
    yield "[[case]]"
    yield f'id     = "{case_id}"'
    yield f"title  = {toml_string(title)}"
    yield f"issues = {toml_list(sorted(expected.issues))}"
    board = ordered.position.board
    if board.name != STANDARD:
        yield f"map    = {toml_string(board.name if board.name in own_map_names() else _map_file(board.name))}"
    prefix = "case" if ordered.retreats is None else "case.phase"
    for number, phase in enumerate(ordered.phases()):
        if ordered.retreats is not None:
            yield from ("", "[[case.phase]]", f'phase = "{phase.phase}"')
        elif phase.phase != "movement":
            yield f'phase  = "{phase.phase}"'
        yield from turn_lines(ordered)
        if number:
            yield from order_table(prefix, ordered.retreats or (), style, board)
            yield from (_board_comment(name, played[-1].answer) for name, played in everyone)
        else:
            if phase.phase != "movement" or named_units(ordered) != set(ordered.units):
                yield from unit_table(prefix, ordered.units, board)
            yield from center_table(prefix, ordered.position.centers, board)
            yield from order_table(prefix, ordered.orders, style, board)
            yield from _expectations(prefix, [(name, played[0]) for name, played in everyone])
        for table in itertools.chain.from_iterable(expected.tables[number : number + 1]):
            yield from ("", f"[[{prefix}.expect]]", table)


def turn_lines(ordered: OrderedPosition) -> Iterable[str]:
    """Write when a phase of a position is, as far as a case does not have it anyway."""
    if ordered.autumn:
        yield f'season = "{ordered.season}"'
    if ordered.year != ordered.position.board.first_year:
        yield f"year   = {ordered.year}"


def _expectations(prefix: str, everyone: Sequence[tuple[str, PlayedPhase]]) -> Iterable[str]:
    answers = [played.answer for _, played in everyone]
    for name, (asked, answer, impossible) in everyone:
        fields = None if isinstance(answer, Failure) or impossible else _board_fields(asked, answer, answers)
        if fields is None:
            yield from ("", _board_comment(name, answer))
        else:
            yield from ("", f"# {printable(name)}:", f"# [[{prefix}.expect]]")
            yield from (f"# {field} = {toml_list(texts)}" for field, texts in fields.items() if texts)


def _board_comment(name: str, answer: AnswerOrFailure) -> str:
    if isinstance(answer, Failure):
        return f"# {printable(name)} gives no answer: {printable(answer.reason)}"
    units = ", ".join(printable(f"{unit.power} {unit.type} {unit.location}") for unit in answer.units)
    return f"# {printable(name)} has after it: {units}"


def _board_fields(asked: PhaseInput, answer: Answer, everyone: Sequence[AnswerOrFailure]) -> _Fields | None:
    """Return what happened to the units, with retreats that only others allow; `None` where one comes from nowhere."""
    origins = _origins(asked, answer)
    if origins is None:
        return None
    moves = [(before, after) for after, before in origins.items() if before != after]
    if asked.phase == "retreat":
        moves.sort()
    gone = {"movement": "dislodged", "retreat": "disbanded", "adjustment": "removed  "}[asked.phase]
    allowed: dict[Unit, set[str]] = {}
    for other in everyone:
        for entry in () if isinstance(other, Failure) else other.dislodged or ():
            allowed.setdefault(entry.unit, set()).update(entry.retreats or ())
    told = [(unit, retreats) for unit, _, retreats in answer.dislodged or () if retreats is not None]
    return {
        "moved    ": [_path(before, after.location, asked.board) for before, after in moves],
        gone: [unit_text(unit, asked.board) for unit in _movable(asked) if unit not in origins.values()],
        "built    ": [unit_text(unit, asked.board) for unit in answer.units if unit not in origins],
        "may_retreat    ": [_path(unit, to, asked.board) for unit, retreats in told for to in retreats],
        "may_not_retreat": [
            _path(unit, to, asked.board) for unit, retreats in told for to in sorted(allowed[unit] - {*retreats})
        ],
    }


def _path(unit: Unit, to: str, board: Board | None) -> str:
    return f"{unit_text(unit, board)} - {place_text(to, board)}"


def _movable(asked: PhaseInput) -> Sequence[Unit]:
    return [entry.unit for entry in asked.dislodged or ()] if asked.phase == "retreat" else asked.units


def _origins(asked: PhaseInput, answer: Answer) -> Mapping[Unit, Unit] | None:
    """Find which unit each one was before, but for those that were built; `None` where one can come from nowhere."""
    origins = {unit: unit for unit in answer.units if unit in asked.units}
    goals, built = _goals(asked)
    moved: set[Unit] = set()
    for unit in answer.units:
        place = None if unit in asked.units else unit
        while place is not None:
            arrived = (*place[:2], province_code(place.location))
            movers = [each for each in _movable(asked) if each not in moved and arrived in goals.get(each, ())]
            if not movers:
                if place in asked.units or place not in built:
                    return None
                break
            # Rather one whose place is empty now: into the place of any other, another unit has come.
            origins[place] = mover = min(movers, key=lambda before: before in answer.units)
            moved.add(mover)
            place = mover if mover in answer.units else None
    return origins


def _goals(asked: PhaseInput) -> tuple[Mapping[Unit, set[_Standing]], set[_Standing]]:
    """Return what each unit is in the provinces that it is ordered to, and the units that are ordered to be built."""
    at = {province_code(unit.location): unit for unit in _movable(asked)}
    goals: dict[Unit, set[_Standing]] = {}
    built: set[_Standing] = set()
    for power, order in asked.submission.as_one_clear_set() or ():
        if isinstance(order, Build):
            built.add((power, order.unit.type, order.unit.location))
        elif isinstance(order, (Move, Retreat)):
            unit = at.get(province_code(order.unit.location))
            if unit is not None:
                goals.setdefault(unit, set()).add((unit.power, unit.type, province_code(order.to)))
    return goals, built


class CannotBeExpectedError(Exception):
    """The outcome of a position is nothing that a case can expect."""


class Expectations(NamedTuple):
    """What the reference expects of a position."""

    ordered: OrderedPosition
    ruleset: Ruleset
    said: Sequence[Played] = ()
    """What others answered: retreats that only they allow are expected not to be allowed."""
    changes: Collection[str] = ()
    """The issues whose choices explain what was found."""
    judged: Mapping[int, Collection[int]] = {}
    """For each phase, by its number, the orders whose outcome counts."""
    usual_only: bool = False
    """Whether other choices are left out, since what comes out under one of them is nothing that a case can expect."""

    def expected(self) -> Expected:
        """Write what is expected of each phase.

        The first table of a phase is for the ruleset. All others are for choices under which something else comes out,
        so that an engine that makes these deviates, and is not wrong. Raises `CannotBeExpectedError`.
        """
        usual = self._ask({})
        others = [] if self.usual_only else list(self._alternatives(usual))
        everyone = [*self.said, usual, *(played for _, played in others)]
        tables: list[list[str]] = []
        for number in range(len(self.ordered.phases())):
            expected = self._of_phase(number, usual, everyone)
            tables.append([_table({}, expected)])
            for choices, played in others:
                if number and _dislodged(usual) != _dislodged(played):
                    continue  # Under these choices other units retreat than in the case.
                fields = self._of_phase(number, played, everyone)
                if fields != expected:
                    tables[number].append(_table(choices, fields))
        return Expected({issue for choices, _ in others for issue in choices}, tables)

    def _of_phase(self, number: int, played: Played, everyone: Sequence[Played]) -> _Fields | None:
        if number >= len(played):
            return None
        asked, answer, _ = played[number]
        if isinstance(answer, Failure):
            return None
        answers = [other[number].answer for other in everyone if number < len(other)]
        fields = _board_fields(asked, answer, answers)
        if fields is None:
            raise CannotBeExpectedError("a unit comes from nowhere")
        return {name.strip(): texts for name, texts in {**fields, **self._outcomes(number, answer)}.items()}

    def _outcomes(self, number: int, answer: Answer) -> dict[str, list[str]]:
        orders = (self.ordered.orders, self.ordered.retreats or ())[number]
        texts = order_texts(orders, "names", self.ordered.position.board)
        found: dict[str, list[str]] = {"succeeds": [], "fails": []}
        for index in self.judged.get(number, ()):
            outcome = answer.outcomes[index] if answer.outcomes else None
            if outcome is not None and texts[index] and texts[index] not in found[outcome.outcome]:
                found[outcome.outcome].append(texts[index])
        return found

    def _alternatives(self, usual: Played) -> Iterator[tuple[Mapping[str, Sequence[str]], Played]]:
        """Give all choices under which something else comes out, each with the answers of the reference."""
        outcome = self._outcome(usual)
        issues = self._deciding_issues(outcome)
        asked = {
            choices: self._ask(dict(zip(issues, choices, strict=True)))
            for choices in itertools.product(*(EVERY_ISSUE[issue].choices for issue in issues))
        }
        outcomes = {choices: self._outcome(played) for choices, played in asked.items()}
        for group in itertools.product(*(_alike(index, outcomes) for index in range(len(issues)))):
            first = tuple(choices[0] for choices in group)
            if outcomes[first] != outcome:
                yield dict(zip(issues, group, strict=True)), asked[first]

    def _deciding_issues(self, usual: object) -> Sequence[str]:
        """Return the issues whose other choices change the outcome, and those that explain the finding."""

        def decides(issue: str) -> bool:
            others = (choice for choice in EVERY_ISSUE[issue].choices if choice != self.ruleset.choices.get(issue))
            return any(self._outcome(self._ask({issue: choice})) != usual for choice in others)

        issues = [
            issue
            for issue in (*ISSUES, *self.ordered.position.board.choices)
            if issue in self.changes or decides(issue)
        ]
        for some in (issues, [issue for issue in issues if issue in self.changes]):
            if math.prod(len(EVERY_ISSUE[issue].choices) for issue in some) <= _MOST_COMBINATIONS:
                return some
        return ()

    def _ask(self, choices: Mapping[str, str]) -> Played:
        return ask(ReferenceAdjudicator(self.ruleset.with_choices(choices)), self.ordered, "names")

    def _outcome(self, played: Played) -> object:
        outcome: list[object] = []
        for number, (_, answer, _) in enumerate(played):
            if isinstance(answer, Failure):
                outcome.append(None)
            else:
                retreats = [(unit, retreats) for unit, _, retreats in answer.dislodged or ()]
                outcome.append((answer.units, retreats, self._outcomes(number, answer)))
        return outcome


def _alike(index: int, outcomes: Mapping[tuple[str, ...], object]) -> list[list[str]]:
    """Group the choices of an issue between which there is no difference, whatever the other choices are."""
    by_choice: dict[str, list[object]] = {}
    for choices, outcome in outcomes.items():
        by_choice.setdefault(choices[index], []).append(outcome)
    groups: dict[str, list[str]] = {}
    for choice, these in by_choice.items():
        first = next(other for other, those in by_choice.items() if those == these)
        groups.setdefault(first, []).append(choice)
    return list(groups.values())


def _table(choices: Mapping[str, Sequence[str]], fields: _Fields | None) -> str:
    """Write a table; without fields the rules give no answer."""
    named = ", ".join(f'"{issue}" = {toml_list(some)}' for issue, some in choices.items())
    lines = [f"choices = {{ {named} }}"] if choices else []
    lines.append('basis = "derived"')
    lines += ["no_answer = true"] if fields is None else []
    lines += [f"{name} = {toml_list(texts)}" for name, texts in (fields or {}).items() if texts]
    return "\n".join(lines)


def _dislodged(played: Played) -> set[Unit] | None:
    answer = played[0].answer
    return None if isinstance(answer, Failure) else {entry.unit for entry in answer.dislodged or ()}
