"""What is stored of engines in `docs/runs`: a run, the rules, what the bug doctor says, the history of the releases.

Everything is from others. A run counts as far as its verdicts follow from its answers. Of the rules the build checks
that they are of the same engine and go with the answers of the run; the answers to the cases of other suites are not
stored. Of the history it checks that the numbers are possible.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
from mkdocs.exceptions import PluginError

from datc.adapters.bridges import bridge_names, find_bridge
from datc.cases import Case, load_issues, load_ruleset, load_suite, suite_names
from datc.cases.suite import USUAL_EDITION, CaseName, short_key
from datc.harness.history.history import HistoryData
from datc.harness.play.case_verdicts import stored_answers, verify_run
from datc.harness.play.report_data import answered_phases, case_data
from datc.harness.play.verdict import Rules
from datc.harness.rules.compare import inferred_rules
from datc.harness.rules.infer import constraint_of, everything, propagate
from datc.harness.run.runner import read_expected
from datc.reports import CaseData, InferenceReport, Report, StoredRunError, read_run
from datc.reports.statements import MutantData
from datc.reports.text import printable_struct

RUNS = Path(__file__).parents[1] / "runs"
"""Where authors add stored runs of their engines."""
RUN_ENDING, RULES_ENDING, DOCTOR_ENDING, HISTORY_ENDING = ".jsonl", ".infer.json", ".doctor.json", ".history.json"
_RUN = re.compile(r"([a-z0-9][a-z0-9_-]*)\.jsonl?")
_LARGEST = 16_000_000
_StructT = TypeVar("_StructT", bound=msgspec.Struct)


class PlayedRule(NamedTuple):
    """Which choices of an issue the answers of an engine leave."""

    issue: str
    choices: Sequence[str]
    """One where the answers decide."""
    proof: Sequence[str]
    """The cases that rule out the others, by their `short_key`."""
    doubt: str
    """Why the choice may not be that of the engine; empty where nothing speaks against it."""


class PlayedRules(NamedTuple):
    """Which rules the answers of an engine show."""

    rules: Sequence[PlayedRule]
    """For each issue of which they rule out a choice."""
    contradictions: Sequence[Sequence[str]]
    """Sets of cases whose answers fit no ruleset together."""
    bugs: Sequence[str]
    """The cases whose answers fit no ruleset at all."""
    asked: int
    follows_from_run: bool
    """Whether all of it follows from the answers of the stored run."""


class DoctorData(msgspec.Struct, frozen=True, kw_only=True):
    """What the bug doctor says of an engine, as far as the site shows it."""

    engine: str
    looks_like: list[MutantData]
    unexplained: list[str]
    """The failed cases that look like no known bug, as `datc-3.2/6.F.9`."""
    asked_on: str = ""
    """The day on which the engine was asked, as `2026-11-27`; empty where it is not known."""

    @property
    def unexplained_cases(self) -> Sequence[CaseName]:
        """Return the cases that look like no known bug by suite and id."""
        return [CaseName.of_key(key) for key in self.unexplained]


class StoredEngine(NamedTuple):
    """What is stored of an engine."""

    name: str
    run: Report
    cases: Mapping[str, CaseData]
    """What its answers to the usual suite give, by id; the rest of the run does not count."""
    rules: PlayedRules
    doctor: DoctorData | None
    history: HistoryData | None


@cache
def stored_engines() -> Mapping[str, StoredEngine]:
    """Read what is stored of every engine, by name. Raises `PluginError` as `read_stored` does."""
    files = [
        file
        for file in sorted(RUNS.glob("*.json*"))
        if not file.name.endswith((RULES_ENDING, DOCTOR_ENDING, HISTORY_ENDING))
    ]
    found: dict[str, StoredEngine] = {}
    for file in files:
        stored = read_stored(file)
        if stored.name in found:
            raise PluginError(f"{file.name}: there is another run of {stored.name}")
        found[stored.name] = stored
    for file in RUNS.glob("*"):
        if file not in files and file.name.partition(".")[0] not in found:
            raise PluginError(f"{file.name}: there is no run of its engine")
    return found


def read_stored(file: Path) -> StoredEngine:
    """Read what is stored of an engine, beginning with the file of its run.

    Raises `PluginError` where its verdicts do not follow from its answers, or it is not one of all cases under the
    usual ruleset, where its file has a name that is no address, or where the bridge of that name should give others.
    """
    named = _RUN.fullmatch(file.name)
    if named is None:
        raise PluginError(f"{file.name}: its name is not made of small letters, digits, - and _")
    name = named[1]
    if name not in bridge_names():
        return _read_checked(file, name)
    try:
        stored = _read_checked(file, name)
        _compare_with_bridge(file, name, stored.run)
    except PluginError as error:
        raise PluginError(f"{error}: `python docs/generate/renew_runs.py {name}` renews it") from error
    return stored


def _read_checked(file: Path, name: str) -> StoredEngine:
    run = _checked_run(file)
    rules = Rules(load_ruleset(USUAL_EDITION).ruleset())
    cases = {case.id: _from_its_answers(case, data, rules) for case, data in _pairs(run)}
    played = _rules(file.with_name(f"{name}{RULES_ENDING}"), run)
    doctor = _doctor(file.with_name(f"{name}{DOCTOR_ENDING}"), run)
    return StoredEngine(name, run, cases, played, doctor, _history(file, name))


def _checked_run(file: Path) -> Report:
    try:
        run = read_run(_content(file))
    except StoredRunError as error:
        raise PluginError(f"{file.name}: {error}") from error
    for found in verify_run(run):
        raise PluginError(f"{file.name}: {found.case}: {found.reason}")
    run = printable_struct(run)
    if [case.key for case in run.cases] != [case.key for case in load_suite(USUAL_EDITION).cases]:
        raise PluginError(f"{file.name}: it is not a run of all cases of {USUAL_EDITION}")
    if not run.complete or run.summary["not-run"]:
        raise PluginError(f"{file.name}: it did not ask all cases")
    if run.ruleset.choices != load_ruleset(USUAL_EDITION).ruleset().choices or run.summary["declared"]:
        raise PluginError(f"{file.name}: it is not a run under {USUAL_EDITION} without declared deviations")
    return run


def _pairs(run: Report) -> Sequence[tuple[Case, CaseData]]:
    return [*zip(load_suite(USUAL_EDITION).cases, run.cases, strict=True)]


def _from_its_answers(case: Case, data: CaseData, rules: Rules) -> CaseData:
    """Make the report of a case again: the boards and the orders are not those that the file of a run has."""
    played = stored_answers(case, data)
    return msgspec.structs.replace(case_data(case, played, rules), reason=data.reason)


def _compare_with_bridge(file: Path, name: str, run: Report) -> None:
    expected = read_expected(find_bridge(name))
    if run.engine.version != expected.version:
        raise PluginError(f"{file.name}: it is of version {run.engine.version}, the bridge's is another")
    for difference in expected.differences(load_suite(USUAL_EDITION).cases, run.cases):
        raise PluginError(f"{file.name}: {difference} by the expected.toml of the bridge")


def _rules(file: Path, run: Report) -> PlayedRules:
    """Read which rules an engine plays from a stored inference; without that file, infer them from its run."""
    if not file.exists():
        found = inferred_rules(run, _all_cases())
        rules = [
            PlayedRule(issue, each.choices, [short_key(case.key) for case in each.proof], "")
            for issue, each in found.findings.items()
            if each.proof
        ]
        contradictions = [[short_key(case.key) for case in cases] for cases in found.contradictions]
        return PlayedRules(rules, contradictions, [], len(run.cases), follows_from_run=True)
    of_the_run = {name: msgspec.to_builtins(getattr(run, name)) for name in ("harness", "ruleset")}
    inference = _decoded(file, InferenceReport, **of_the_run, every_case=True, cases=[])
    _check_rules(file, inference, run)
    rules = [
        PlayedRule(issue, choices, inference.proof[issue], inference.statement(issue).doubt)
        for issue, choices in inference.choices.items()
        if inference.proof.get(issue) and choices
    ]
    return PlayedRules(rules, inference.contradictions, inference.bugs, inference.asked, follows_from_run=False)


def _check_rules(file: Path, inference: InferenceReport, run: Report) -> None:
    """Raise `PluginError` where an inference is of another engine, or cannot go with the answers of the run."""
    known, issues = {short_key(key) for key in _all_cases()}, load_issues()
    named = [*inference.proof.values(), *inference.contradictions, inference.bugs]
    if not known.issuperset(key for keys in named for key in keys):
        raise PluginError(f"{file.name}: it names a case that there is not")
    if any(
        issue not in issues or not {*choices} <= {choice.key for choice in issues[issue].choice}
        for issue, choices in inference.choices.items()
    ):
        raise PluginError(f"{file.name}: it names a choice that there is not")
    if (inference.engine.name, inference.engine.version) != (run.engine.name, run.engine.version):
        raise PluginError(f"{file.name}: it is of another engine or version than the run")
    if not len(run.cases) <= inference.asked <= len(known):
        raise PluginError(f"{file.name}: it did not ask all cases")
    set_aside = {key for keys in inference.contradictions for key in keys}
    # What a bug explains tells of no choice.
    explained = [name for bug in inference.looks_like for name in bug.cases]
    explained += [name for part in inference.missing_parts for name in part.explained]
    set_aside.update(short_key(name.key) for name in explained)
    counted = {key: case for key, case in _all_cases().items() if short_key(key) not in set_aside}
    if wrong := _contradicted_choice(run, counted, inference.choices):
        case, issue = wrong
        raise PluginError(f"{file.name}: the answer to {case.id} in the run does not go with its choice of {issue}")


def _contradicted_choice(
    report: Report, cases: Mapping[str, Case], choices: Mapping[str, Sequence[str]]
) -> tuple[Case, str] | None:
    """Find an answer that does not go with the `choices` that an engine is said to make, some for each of some issues.

    The answers to `cases` count, by key. Returns the case, and an issue of which its answer rules out a choice; `None`
    where all answers leave all choices.
    """
    candidates = {**everything(), **{issue: tuple(left) for issue, left in choices.items()}}
    known = [(case, data) for data in report.cases if (case := cases.get(data.key))]
    constraints = (constraint_of(case, answered_phases(data, case)) for case, data in known)
    for constraint in filter(lambda each: each.fitting, constraints):
        left = propagate([constraint], candidates)
        for issue in constraint.case.deciding_issues:
            if issue in choices and (left is None or left[issue] != candidates[issue]):
                return constraint.case, issue
    return None


def _doctor(file: Path, run: Report) -> DoctorData | None:
    """Read what the bug doctor says. Raise `PluginError` where it is of another engine, or names an unknown case."""
    if not file.exists():
        return None
    found = _decoded(file, DoctorData)
    if found.engine != run.engine.name:
        raise PluginError(f"{file.name}: it is of another engine than the run")
    if not _all_cases().keys() >= {case.key for case in (*found.unexplained_cases, *_cases_of(found.looks_like))}:
        raise PluginError(f"{file.name}: it names a case that there is not")
    return found


def _cases_of(mutants: Sequence[MutantData]) -> Sequence[CaseName]:
    return [case for mutant in mutants for case in mutant.cases]


def _history(run: Path, name: str) -> HistoryData | None:
    file = run.with_name(f"{name}{HISTORY_ENDING}")
    if not file.exists():
        return None
    history = _decoded(file, HistoryData)
    if history.ruleset.choices != load_ruleset(USUAL_EDITION).ruleset().choices:
        raise PluginError(f"{file.name}: it is not a history under {USUAL_EDITION}")
    if any(sum(version.summary.values()) not in (0, history.cases) for version in history.versions):
        raise PluginError(f"{file.name}: a version has other numbers of cases than the history")
    return history


def _decoded(file: Path, kind: type[_StructT], **more: object) -> _StructT:
    """Read a file, with values for the fields that it does not have or that do not count."""
    try:
        fields = msgspec.json.decode(_content(file), type=dict[str, object])
        return printable_struct(msgspec.convert({**fields, **more}, kind))
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
        raise PluginError(f"{file.name}: {error}") from error


def _content(file: Path) -> bytes:
    if file.stat().st_size > _LARGEST:
        raise PluginError(f"{file.name}: it is larger than {_LARGEST:,} bytes")
    return file.read_bytes()


@cache
def _all_cases() -> Mapping[str, Case]:
    return {case.key: case for name in suite_names() for case in load_suite(name).cases}
