"""A hunt's store as a suite that runs: `datc-check run ENGINE --suite STORE`, with what the reference expects."""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias, final

from ...cases import SuiteError, load_ruleset, read_suite, ruleset_names
from ...cases.tables import USUAL_EDITION
from ...reference_engine import ISSUES, Retreat, Ruleset, Unit, province_code
from ...reference_engine.errors import printable
from ...reports.files import write_whole
from ..play.answer import Answer, Failure
from ..play.differential import Played, ask
from ..play.positions import OrderedPosition, order_texts, toml_list, toml_string, unit_text
from ..play.session import PlayedPhase, ReferenceAdjudicator
from .findings import Finding, read_said
from .groups import Group
from .relations import RELATIONS
from .text import (
    Expected,
    case_lines,
    file_of_cases,
    lines_of_case,
    movements,
    origins_of,
    retreat_claims,
    second_question,
)

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
    ordered = finding.ordered()
    issues = {*group.changes, *changed, *(issue for changes in finding.cause.changes for issue in changes)}
    number, facts = finding.wrong if finding.said[0].units is not None else (0, ())
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


_MOST_COMBINATIONS = 128
"""Where the choices that matter have more, only those that explain the finding are distinguished."""

_Fields: TypeAlias = Mapping[str, Sequence[str]]
"""The fields of an expectation that name units or orders."""


class CannotBeExpectedError(Exception):
    """The outcome of a position is nothing that a case can expect."""


class _Alternative(NamedTuple):
    """Some choices, and what the reference answers under them."""

    choices: Mapping[str, Sequence[str]]
    played: Played


@final
@dataclass(frozen=True)
class Expectations:
    """What the reference expects of a position."""

    ordered: OrderedPosition
    ruleset: Ruleset
    """The rules of the suite."""
    said: Sequence[Played] = ()
    """What others answered: retreats that only they allow are expected not to be allowed."""
    changes: Collection[str] = ()
    """The issues whose choices explain what was found."""
    judged: Mapping[int, Collection[int]] = field(default_factory=dict[int, Collection[int]])
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
        everyone = [*self.said, usual, *(other.played for other in others)]
        phases = range(len(self.ordered.phases()))
        issues = {issue for other in others for issue in other.choices}
        return Expected(issues, [list(self._of_phase(number, usual, others, everyone)) for number in phases])

    def _of_phase(
        self, number: int, usual: Played, others: Sequence[_Alternative], everyone: Sequence[Played]
    ) -> Iterator[str]:
        expected = self._fields(number, usual, everyone)
        yield _table({}, expected)
        for choices, played in others:
            if number and _dislodged(usual) != _dislodged(played):
                continue  # Under these choices other units retreat than in the case.
            fields = self._fields(number, played, everyone)
            if fields != expected:
                yield _table(choices, fields)

    def _fields(self, number: int, played: Played, everyone: Sequence[Played]) -> _Fields | None:
        """Return what is expected of a phase; `None` where the rules give no answer."""
        if number >= len(played):
            return None
        asked, answer, _ = played[number]
        if isinstance(answer, Failure):
            return None
        if asked.phase == "retreat":
            return {**_retreats(played[number]), **self._outcomes(number, answer)}
        origins = origins_of(asked, answer)
        if origins is None:
            raise CannotBeExpectedError("a unit comes from nowhere")
        claims = retreat_claims(answer, [other[number].answer for other in everyone if number < len(other)])
        fields = {**movements(asked, answer, origins), **claims, **self._outcomes(number, answer)}
        return {name.strip(): texts for name, texts in fields.items()}

    def _outcomes(self, number: int, answer: Answer) -> dict[str, list[str]]:
        """Return the outcomes of the orders that count."""
        texts = order_texts((self.ordered.orders, self.ordered.retreats or ())[number], "names")
        found: dict[str, list[str]] = {"succeeds": [], "fails": []}
        for index in self.judged.get(number, ()):
            outcome = answer.outcomes[index] if answer.outcomes else None
            if outcome is not None and texts[index] and texts[index] not in found[outcome.outcome]:
                found[outcome.outcome].append(texts[index])
        return found

    def _alternatives(self, usual: Played) -> Iterator[_Alternative]:
        """Ask under all combinations of the choices that matter; give those under which something else comes out."""
        issues = self._deciding_issues(usual)
        asked = {
            choices: self._ask(dict(zip(issues, choices, strict=True)))
            for choices in itertools.product(*(ISSUES[issue].choices for issue in issues))
        }
        outcomes = {choices: self._outcome(played) for choices, played in asked.items()}
        groups = [_alike(index, outcomes) for index in range(len(issues))]
        for group in itertools.product(*groups):
            first = tuple(choices[0] for choices in group)
            if outcomes[first] != self._outcome(usual):
                yield _Alternative(dict(zip(issues, group, strict=True)), asked[first])

    def _deciding_issues(self, usual: Played) -> Sequence[str]:
        """Return the issues whose other choices change the outcome, and those that explain the finding."""
        issues = [issue for issue in ISSUES if issue in self.changes or self._decides(issue, usual)]
        for some in (issues, [issue for issue in issues if issue in self.changes]):
            if math.prod(len(ISSUES[issue].choices) for issue in some) <= _MOST_COMBINATIONS:
                return some
        return ()

    def _decides(self, issue: str, usual: Played) -> bool:
        others = (choice for choice in ISSUES[issue].choices if choice != self.ruleset.choices[issue])
        return any(self._outcome(self._ask({issue: choice})) != self._outcome(usual) for choice in others)

    def _ask(self, choices: Mapping[str, str]) -> Played:
        return ask(ReferenceAdjudicator(self.ruleset.with_choices(choices)), self.ordered, "names")

    def _outcome(self, played: Played) -> object:
        """Return what makes two answers the same one for a case."""
        return tuple(
            None
            if isinstance(answer, Failure)
            else (
                answer.units,
                tuple((unit, retreats) for unit, _, retreats in answer.dislodged or ()),
                self._outcomes(number, answer),
            )
            for number, (_, answer, _) in enumerate(played)
        )


def _alike(index: int, outcomes: Mapping[tuple[str, ...], object]) -> list[list[str]]:
    """Group the choices of an issue between which there is no difference, whatever the other choices are."""
    by_choice: dict[str, list[object]] = {}
    for choices, outcome in outcomes.items():
        by_choice.setdefault(choices[index], []).append(outcome)
    groups: list[list[str]] = []
    for choice, these in by_choice.items():
        home = next((group for group in groups if by_choice[group[0]] == these), None)
        if home is None:
            groups.append([choice])
        else:
            home.append(choice)
    return groups


def _table(choices: Mapping[str, Sequence[str]], fields: _Fields | None) -> str:
    """Write a table; without fields the rules give no answer."""
    named = ", ".join(f'"{issue}" = {toml_list(some)}' for issue, some in choices.items())
    lines = [f"choices = {{ {named} }}"] if choices else []
    lines.append('basis = "derived"')
    if fields is None:
        return "\n".join([*lines, "no_answer = true"])
    return "\n".join([*lines, *(f"{name} = {toml_list(texts)}" for name, texts in fields.items() if texts)])


def _dislodged(played: Played) -> set[Unit] | None:
    answer = played[0].answer
    return None if isinstance(answer, Failure) else {entry.unit for entry in answer.dislodged or ()}


def _retreats(played: PlayedPhase) -> _Fields:
    """Return which of the dislodged units retreated, and which did not survive."""
    asked, answer, _ = played
    assert isinstance(answer, Answer)  # noqa: S101 - the caller looked
    goals: dict[str, set[str]] = {}
    for _, order in asked.submission.as_one_clear_set() or ():
        if isinstance(order, Retreat):
            goals.setdefault(province_code(order.unit.location), set()).add(province_code(order.to))
    arrived = set(answer.units).difference(asked.units)
    moved: list[str] = []
    disbanded: list[str] = []
    for unit, _, _ in asked.dislodged or ():
        places = goals.get(province_code(unit.location), set())
        after = min(
            (one for one in arrived if one[:2] == unit[:2] and province_code(one.location) in places), default=None
        )
        if after is None:
            disbanded.append(unit_text(unit))
        else:
            arrived.discard(after)
            moved.append(f"{unit_text(unit)} - {unit_text(after).partition(' ')[2]}")
    if arrived:
        raise CannotBeExpectedError("a unit comes from nowhere")
    return {"moved": moved, "disbanded": disbanded}
