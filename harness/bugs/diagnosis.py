"""Which mutants the wrong answers of an engine look like, and which rule choices it plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple, final

from ...cases import Case
from ...cases.suite import CaseName
from ...reference_engine import Procedure, Ruleset
from ...reference_engine.procedures import EQUATIONS
from ...reports import CaseData, PhaseData
from ...reports.report import WRONG
from ...reports.statements import UNSTABLE, UNTESTED, Evidence, MissingPart, MutantData, TestedChoices
from ..play.answer import Failure
from ..play.case_verdicts import ask_case, does_not_play, phases_with_answer, play_case
from ..play.differences import WORD_KINDS, diff_answers, expect_answer, same_answer
from ..play.report_data import answered_phases
from ..play.session import Adjudicator, PlayedPhase, ReferenceAdjudicator, case_inputs
from ..play.verdict import Rules, changes_to_be_right, is_wrong
from ..rules.infer import Finding, Inferred, LeftChoices, conclude, constraint_of, is_contradicted, left_choices
from .changes import HashableChange, unraised_issues
from .confirm import (
    Hypothesis,
    HypothesisTests,
    Verified,
    changes_from,
    confirm_choices,
    is_ruled_out,
    single_changes,
    system,
)
from .evidence import AskedOnce
from .experiment import board_of, position_of_case
from .missing import find_missing, names_of
from .mutants import MUTANTS, Mutant
from .mutants.missing import MISSING, lacking
from .topics import is_known_right

_MOST_CHANGED = 3
"""So many choices may be changed at once to make a deviation right."""
_FIRST_AGAIN, _ONE_AGAIN_IN = 30, 20
"""So many of the first cases, and one in so many of the others, are asked again before anything is confirmed."""


@dataclass(frozen=True, eq=False)
class _Answered:
    """A case, and what was answered to it."""

    case: Case
    data: CaseData
    played: Sequence[PlayedPhase]

    @property
    def is_right(self) -> bool:
        """Whether the answer is right under some choices."""
        return self.data.verdict in ("passed", "deviated")


class Diagnosis(NamedTuple):
    """What explains the wrong answers of an engine."""

    mutants: list[MutantData]
    choices: list[TestedChoices]
    missing: Sequence[MissingPart] = ()


def diagnose_by_experiments(
    found: Sequence[CaseData],
    cases: Sequence[Case],
    ruleset: Ruleset,
    engine: Adjudicator,
    *,
    seed: int = 0,
    left_out: Collection[str] = (),
) -> Diagnosis:
    """Find what explains the wrong answers of an engine, and ask it new questions before that is said.

    It gave the answers that were `found` to these cases. The questions are on their map, or on the standard one where
    they have several. Another seed gives other questions; mutants that are left out
    are not named, to see what is said of a bug that no mutant has.

    Raises `EngineGaveOutError` and `EngineClosedError`.
    """
    return _examine(found, cases, ruleset, AskedOnce(engine), seed, left_out)[0]


def _examine(
    found: Sequence[CaseData],
    cases: Sequence[Case],
    ruleset: Ruleset,
    engine: AskedOnce,
    seed: int,
    left_out: Collection[str] = (),
) -> tuple[Diagnosis, HypothesisTests[_Answered]]:
    """Return a diagnosis, and the tests that led to it."""
    answered = _answered(found, cases)
    wrong = [one for one in answered if one.data.verdict in WRONG]
    board = board_of(cases)

    def is_explained(data: CaseData, parts: Sequence[str]) -> bool:
        one = by_key[data.key]
        procedure = lacking(parts, MISSING[parts[-1]].procedure)
        return _is_mistaken(one, ruleset) and _errs_alike(one, _played(procedure, one.case, ruleset), ruleset)

    def is_off(one: _Answered) -> bool:
        return is_wrong(one.case, _played(lacking(parts), one.case, ruleset), ruleset)

    by_key = {one.case.key: one for one in answered}
    missing = find_missing(engine, found, cases, ruleset, is_explained, seed, board)
    explained = {by_key[name.key] for part in missing for name in part.explained}
    parts = tuple(part.name for part in missing)
    wrong = [one for one in wrong if one not in explained]
    # What it answers right though it should not without these parts, speaks against no other bug.
    left = [one for one in answered if one not in explained and not (parts and one.is_right and is_off(one))]
    fitting = _Fitting(left, ruleset, parts)
    likely = [name for name in fitting.likely if name not in left_out]
    others = [name for name in MUTANTS if name not in likely and name not in left_out]
    tests = HypothesisTests(
        engine,
        ruleset,
        wrong,
        lambda one, rules: [*fitting.choices(one, rules), *fitting.mutants(likely, one, rules)],
        lambda one: position_of_case(one.case, board),
        lambda one, rules: fitting.mutants(others, one, rules),
        fitting.answers,
        dict(fitting.likely_choices),
        parts,
        seed,
        board,
    )
    tests.run()
    settled = [one for each in tests.named if each.evidence.strength != "sometimes" for one in each.explained]
    choices = [each for each in tests.refuted if not isinstance(each.hypothesis, str)]
    refuted = [each for each in choices if any(one not in settled for one in each.explained)]
    every = [*tests.named, *refuted, *_test_deviations(tests, [one for one in answered if one not in explained])]
    diagnosis = Diagnosis([], [], missing)
    for name, evidence in {each.hypothesis: each.evidence for each in every}.items():
        mine = dict.fromkeys(one for each in every if each.hypothesis == name for one in each.explained)
        said = names_of([one.data for one in mine])
        if isinstance(name, str):
            sentence = MUTANTS[name].sentence
            diagnosis.mutants.append(MutantData(name=name, sentence=sentence, cases=said, evidence=evidence))
        else:
            diagnosis.choices.append(TestedChoices(choices=dict(name), cases=said, evidence=evidence))
    return diagnosis, tests


def infer_by_experiments(
    inferred: Inferred, cases: Sequence[Case], rules: Rules, engine: Adjudicator, seed: int = 0
) -> Inferred:
    """Conclude again which choices an engine makes: find its bugs first, as `doctor` does, and ask about each choice.

    It gave the answers that were `inferred` to some of the cases. Those that a confirmed bug explains tell of no
    choice, and a choice that is confirmed is that of the engine. Raises as `diagnose_by_experiments` does.
    """
    by_key = {data.key: data for data in inferred.cases}
    asked = [case for case in cases if case.key in by_key]
    found = [by_key[case.key] for case in asked]
    if answers_change(engine, found, asked, rules):
        findings = inferred.conclusion.findings.items()
        return inferred._replace(evidence={issue: UNSTABLE for issue, each in findings if len(each.choices) == 1})
    diagnosis, tests = _examine(found, asked, rules.ruleset, AskedOnce(engine), seed)
    bugs = [each for each in diagnosis.mutants if each.evidence and each.evidence.strength == "confirmed"]
    choices = [each for each in diagnosis.choices if each.evidence.strength == "confirmed"]
    explained = {name for bug in bugs for name in bug.cases} - {name for each in choices for name in each.cases}
    explained.update(name for part in diagnosis.missing for name in part.explained)
    conclusion = conclude(inferred.constraints, explained=explained, not_carried=inferred.not_carried)
    known: dict[Hypothesis, Evidence] = {}
    for each in diagnosis.choices:
        known[tuple(each.choices.items())] = each.evidence
    for each in choices:
        proof = tuple(case for case in asked if CaseName.of_key(case.key) in each.cases)
        for issue, choice in each.choices.items():
            _ = known.setdefault(((issue, choice),), each.evidence)
            if conclusion.findings[issue].choices != (choice,):
                findings = {**conclusion.findings, issue: Finding((choice,), proof, "")}
                conclusion = replace(conclusion, findings=findings)
    evidence = confirm_choices(tests, conclusion.findings, known)
    return inferred._replace(conclusion=conclusion, evidence=evidence, bugs=bugs, missing=diagnosis.missing)


def answers_change(engine: Adjudicator, found: Sequence[CaseData], cases: Sequence[Case], rules: Rules) -> bool:
    """Whether one of the first cases, or of some later ones, has another verdict when it is asked again."""
    before = {case.key: case.verdict for case in found if not case.skipped}
    again = [*cases[:_FIRST_AGAIN], *cases[_FIRST_AGAIN::_ONE_AGAIN_IN]]
    return any(ask_case(engine, case, rules).verdict != before[case.key] for case in again if case.key in before)


def _test_deviations(tests: HypothesisTests[_Answered], answered: Sequence[_Answered]) -> Sequence[Verified[_Answered]]:
    """Test what would make deviations right and was not tested yet; return what is not so, of those it leaves wrong.

    Several choices are tested together where none is so alone; if they are, they are returned, too. A confirmed bug may
    explain a deviation: then nothing was asked about the choices under which it would be right.
    """
    known = {each.hypothesis: each.evidence for each in (*tests.named, *tests.refuted)}
    bugs = [each for each in tests.named if isinstance(each.hypothesis, str) and each.evidence.strength == "confirmed"]
    explained = {one for bug in bugs for one in bug.explained}
    ways = [(one, _ways(one, tests.ruleset)) for one in answered if one.data.verdict == "deviated"]

    def is_out(one: _Answered, change: HashableChange) -> bool:
        return change in known and does_not_play(known[change], has_bug=one in explained)

    def is_possible(change: HashableChange) -> bool:
        return all(
            tests.believed.get(issue, choice) == choice and not is_ruled_out(tests.answers, issue, choice)
            for issue, choice in change
        )

    found: list[Verified[_Answered]] = []
    for one, changes in ways:
        played = [each for each in known if not isinstance(each, str) and set(each) <= tests.believed.items()]
        if any(set(change) <= tests.believed.items() for change in changes):
            found += [
                Verified(each, (one,), known[each]) for each in played if any(set(each) <= set(c) for c in changes)
            ]
            continue
        tried = [each for each in changes if len(each) == len(changes[0]) or is_possible(each)]
        for change in tried:
            is_open = all(is_out(one, each) for each in tried if each in known)
            if is_open and change not in known and len(known) < tests.most and not tests.stop():
                known[change] = tests.test(change)
        if all(is_out(one, each) for each in tried):
            found += [Verified(each, (one,), known[each]) for each in tried]
        else:
            stands = (each for each in tried if len(each) > 1 and each in known and not is_out(one, each))
            found += [Verified(each, (one,), known[each]) for each in stands]
    return found


def _ways(one: _Answered, ruleset: Ruleset) -> Sequence[HashableChange]:
    """Find the changes of the rules in force, at most three together, that make a deviation right, the fewest first.

    What is right with fewer of the same changes is left out.
    """
    every = changes_to_be_right(one.case, one.played, ruleset.choices, _MOST_CHANGED)
    ways: list[HashableChange] = []
    for change in changes_from(ruleset, every):
        if not any(set(fewer) <= set(change) for fewer in ways):
            ways.append(change)
    return ways


def diagnose(found: Sequence[CaseData], cases: Sequence[Case], ruleset: Ruleset) -> list[MutantData]:
    """Find the mutants whose answers are those that an engine fails with, the likeliest first; nothing is tested.

    Names the fewest mutants that explain what can be explained, and those that explain just as well. `cases` are those
    that were `found`; `ruleset` is in force.
    """
    return list(_Fitting(_answered(found, cases), ruleset).fewest())


def fitted_choices(found: Sequence[CaseData], cases: Sequence[Case], ruleset: Ruleset) -> list[TestedChoices]:
    """Find the fewest choices under which the deviations of an engine are right; nothing is tested."""
    by_change: dict[HashableChange, list[CaseData]] = {}
    for one in _answered([case for case in found if case.verdict == "deviated"], cases):
        ways = _ways(one, ruleset)
        for change in [each for each in ways if len(each) == len(ways[0])]:
            by_change.setdefault(change, []).append(one.data)
    left = {case.key for explained in by_change.values() for case in explained}
    fitted: list[TestedChoices] = []
    while left:
        best = max(by_change, key=lambda each: sum(case.key in left for case in by_change[each]))
        fitted.append(TestedChoices(choices=dict(best), cases=names_of(by_change[best]), evidence=UNTESTED))
        left -= {case.key for case in by_change[best]}
    return fitted


def _answered(found: Sequence[CaseData], cases: Sequence[Case]) -> list[_Answered]:
    by_key = {case.key: case for case in cases}
    return [_Answered(case := by_key[data.key], data, answered_phases(data, case)) for data in found]


@final
class _Fitting:
    """What fits the wrong answers of an engine, before it is tested."""

    def __init__(self, answered: Sequence[_Answered], ruleset: Ruleset, missing: Sequence[str] = ()) -> None:
        """Fit the answers of an engine that lacks some parts of the rules."""
        self._answered, self._missing = answered, missing
        self.right = [one.data for one in answered if one.is_right]
        self._agrees, self.choices = cache(self._does_agree), cache(self._find_choices)
        self._is_mistaken = cache(_is_mistaken)
        wrong = [*(one for one in answered if one.data.verdict == "failed"), *_contradicted(answered)]
        self._failed = [one for one in wrong if not is_wrong(one.case, _played(EQUATIONS, one.case, ruleset), ruleset)]
        """The answers that need an explanation: also deviations right under choices that contradict other answers."""
        deviates = any(one.data.verdict == "deviated" for one in answered)
        self.answers = (
            [left_choices(constraint_of(one.case, one.played)) for one in answered if one.is_right] if deviates else []
        )
        self.likely_choices = _likely_choices(answered, self.answers)
        """The choices that its deviations look like."""
        rulesets = list(dict.fromkeys((ruleset, ruleset.with_choices(self.likely_choices)))) if self._failed else []
        likely = ((name, self._likeness(mutant, rulesets)) for name, mutant in MUTANTS.items() if rulesets)
        self.likely: Mapping[str, tuple[MutantData, frozenset[str]]] = {name: each for name, each in likely if each}
        """The mutants that explain more wrong answers than speak against them; and the keys of the wrong answers that
        each gives, too, and that need an explanation: not of other deviations."""

    def mutants(self, names: Iterable[str], one: _Answered, rules: Ruleset) -> list[str]:
        """Find the mutants that give the wrong answer that the engine gave, under some rules."""
        return [name for name in names if self._agrees(name, one, rules)]

    def _find_choices(self, one: _Answered, rules: Ruleset) -> Sequence[Hypothesis]:
        """Find single choices other than those of some rules under which the answer of the engine is right."""
        if not self._is_mistaken(one, rules):
            return ()
        if self._missing or not one.case.issues:
            # The case says nothing of other choices: it may be one of a user who plays by a single ruleset.
            procedure = self._without(EQUATIONS)
            if _answered_alike(one, _played(procedure, one.case, rules)):
                return ()
            unraised = frozenset[str]() if self._missing else unraised_issues(case_inputs(one.case))
            changes = (each for each in single_changes(rules) if not unraised.issuperset(dict(each)))
            others = ((each, system(each, rules).ruleset) for each in changes)
            return [each for each, other in others if _answered_alike(one, _played(procedure, one.case, other))]
        pairs = [(issue, choice) for issue, choices in one.data.deviations.items() for choice in choices]
        # Other answers may rule choices out already.
        left = [pair for pair in pairs if all(pair[1] in other.choices.get(pair[0], pair) for other in self.right)]
        changes = changes_from(rules, [{issue: choice} for issue, choice in left or pairs])
        return [each for each in changes if not is_wrong(one.case, one.played, rules.with_choices(dict(each)))]

    def _does_agree(self, mutant: str, one: _Answered, rules: Ruleset) -> bool:
        """Whether the mutant gives the wrong answer that the engine gave, under some rules."""
        if self._is_known_right(mutant, one, rules) or not self._is_mistaken(one, rules):
            return False
        return _errs_alike(one, _played(self._without(MUTANTS[mutant].procedure), one.case, rules), rules)

    def _is_known_right(self, mutant: str, one: _Answered, rules: Ruleset) -> bool:
        return not self._missing and is_known_right(mutant, one.case, rules)

    def _without(self, procedure: Procedure) -> Procedure:
        return lacking(self._missing, procedure) if self._missing else procedure

    def _likeness(self, mutant: Mutant, rulesets: Sequence[Ruleset]) -> tuple[MutantData, frozenset[str]] | None:
        """Compare a mutant with the engine; `None` where as much speaks against it as for it."""

        def agrees(one: _Answered) -> bool:
            return any(self._agrees(mutant.name, one, rules) for rules in rulesets)

        def contradicts(one: _Answered, rules: Ruleset) -> bool:
            if self._is_known_right(mutant.name, one, rules):
                return False
            played = _played(self._without(mutant.procedure), one.case, rules)
            return not _answered_alike(one, played) and is_wrong(one.case, played, rules)

        explained = list(filter(agrees, self._failed))
        against: list[CaseData] = []
        for one in self._answered:
            if len(against) >= len(explained):
                return None
            if one.is_right and all(contradicts(one, rules) for rules in rulesets):
                against.append(one.data)
        keys = frozenset(one.case.key for one in explained)
        deviated = [one for one in self._answered if one.data.verdict == "deviated" and one.case.key not in keys]
        cases = names_of([one.data for one in (*explained, *filter(agrees, deviated))])
        return MutantData(name=mutant.name, sentence=mutant.sentence, cases=cases, against=names_of(against)), keys

    def fewest(self) -> Iterable[MutantData]:
        """The likeliest mutant, then the likeliest for what it leaves unexplained; with each those that do as well."""

        def rank(likely: tuple[MutantData, frozenset[str]]) -> tuple[int, int, int]:
            (data, failed), against = likely, len(likely[0].against)
            return len(failed & left) - against, -against, len(data.cases)

        left = {one.case.key for one in self._failed}
        while candidates := [each for each in self.likely.values() if rank(each)[0] > 0]:
            best = max(candidates, key=rank)
            yield best[0]
            yield from (
                each[0] for each in candidates if each is not best and (each[1], rank(each)) == (best[1], rank(best))
            )
            left -= best[1]


def _played(procedure: Procedure, case: Case, ruleset: Ruleset) -> Sequence[PlayedPhase]:
    return play_case(ReferenceAdjudicator(ruleset, procedure), case, phases_with_answer(case, Rules(ruleset)))


def _answered_alike(one: _Answered, theirs: Sequence[PlayedPhase]) -> bool:
    """Whether a mutant answered as an engine did, as far as both said it.

    Where the board is wrong, it is what counts: the words for its orders are each engine's own.
    """
    return len(one.played) == len(theirs) > 0 and all(map(_phases_alike, one.data.phases, one.played, theirs))


def _is_mistaken(one: _Answered, rules: Ruleset) -> bool:
    """Whether the answer of an engine is wrong under some rules."""
    return is_wrong(one.case, one.played, rules)


def _errs_alike(one: _Answered, theirs: Sequence[PlayedPhase], rules: Ruleset) -> bool:
    """Whether others answered as an engine did, and are wrong under some rules."""
    return _answered_alike(one, theirs) and is_wrong(one.case, theirs, rules)


def _phases_alike(data: PhaseData, mine: PlayedPhase, theirs: PlayedPhase) -> bool:
    if isinstance(mine.answer, Failure) or isinstance(theirs.answer, Failure):
        return False
    is_same = same_answer(theirs.answer, mine.answer)
    if not is_same or any(fact.kind not in WORD_KINDS for fact in data.facts):
        return is_same
    judged = [index for index, order in enumerate(data.orders) if order.expected]
    facts = diff_answers(expect_answer(theirs.answer, judged), mine.answer)
    return not any(fact.order is not None for fact in facts)


def _contradicted(answered: Sequence[_Answered]) -> Iterable[_Answered]:
    """The deviations that are right under no choices that another answer does not rule out."""
    if not any(one.data.verdict == "deviated" for one in answered):
        return
    constraints = [(one, constraint_of(one.case, one.played)) for one in answered if one.is_right]
    others = [constraint for _, constraint in constraints if constraint.fitting]
    for one, constraint in constraints:
        if one.data.verdict == "deviated" and constraint.fitting and is_contradicted(constraint, others):
            yield one


def _likely_choices(answered: Sequence[_Answered], answers: Sequence[LeftChoices]) -> Mapping[str, str]:
    """Find the choices that the deviations of an engine show, where no answers of it speak against them."""
    deviated = [one.data.deviations for one in answered if one.data.verdict == "deviated"]
    choices: dict[str, str] = {}
    while shown := Counter(
        (issue, choice)
        for deviations in deviated
        for issue, fitting in deviations.items()
        for choice in fitting
        if issue not in choices and not is_ruled_out(answers, issue, choice)
    ):
        issue, choice = max(shown, key=lambda pair: shown[pair])
        choices[issue] = choice
        deviated = [each for each in deviated if choice not in each.get(issue, [])]
    return choices
