"""Which mutants the wrong answers of an engine look like, and which cases notice which mutants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ...cases import USUAL_EDITION, Case
from ...reference_engine import EQUATIONS, ISSUES, Procedure, Ruleset
from ...reports import CaseData, CaseName, MutantData, PhaseData, TestedChoices
from ..answers import WORD_KINDS, Failure, diff_answers, expect_answer, same_answer
from ..experiments.variations import position_of_case
from ..inference.infer import constraint_of, is_contradicted
from ..session import Adjudicator, PlayedPhase, ReferenceAdjudicator
from ..verdict import Rules, answered_phases, ask_case, is_wrong, phases_with_answer, play_case
from .mutants import MUTANTS, Mutant
from .testing import MOST_TESTED, Cause, CauseTests, changes_from

Key: TypeAlias = tuple[str, str]
"""The suite of a case and its id."""


class _Answered(NamedTuple):
    """A case, and what was answered to it."""

    case: Case
    data: CaseData
    played: Sequence[PlayedPhase]

    @property
    def key(self) -> Key:
        return self.case.suite, self.case.id


class _Likeness(NamedTuple):
    """How a mutant fares against the answers of an engine."""

    mutant: Mutant
    cases: tuple[CaseData, ...]
    """The wrong answers that it gives, too: those that need a cause, and other deviations."""
    failed: frozenset[Key]
    """Of these, those that need a cause."""
    against: tuple[CaseData, ...]
    """The cases that it would fail and the engine does not."""


class Diagnosis(NamedTuple):
    """What explains the wrong answers of an engine."""

    mutants: list[MutantData]
    choices: list[TestedChoices]


def diagnose_by_experiments(
    found: Sequence[CaseData],
    cases: Sequence[Case],
    ruleset: Ruleset,
    engine: Adjudicator,
    *,
    most: int = MOST_TESTED,
    seed: int = 0,
    left_out: Collection[str] = (),
) -> Diagnosis:
    """Find what explains the wrong answers of an engine, and ask it new questions before that is said.

    Args:
        found: What it answered to the cases.
        cases: These cases.
        ruleset: The rules in force.
        engine: Who answered.
        most: So many statements are tested at most.
        seed: Another one gives other questions.
        left_out: Mutants that are not to be named, to see what is said of a bug that no mutant has.

    Raises `EngineGaveOutError` and `EngineClosedError`.
    """
    answered = _answered([data for data in found if data.verdict in ("failed", "deviated")], cases)
    if not answered:
        return Diagnosis([], [])
    right = [case for case in found if case.verdict in ("passed", "deviated")]
    likely, _ = _likely(found, cases, ruleset)
    names = [each.mutant.name for each in likely if each.mutant.name not in left_out]
    fitting = _Fitting(names, right)
    others = _Fitting([name for name in MUTANTS if name not in names and name not in left_out])
    tests = CauseTests(
        engine,
        ruleset,
        answered,
        fitting.causes,
        lambda one: position_of_case(one.case),
        partial_causes_of=others.causes,
        most=most,
        seed=seed,
    )
    tests.run()
    return _diagnosis(tests)


def _diagnosis(tests: CauseTests[_Answered]) -> Diagnosis:
    """Return what the tests name, and the refuted choices that would explain what is not settled otherwise."""
    settled = [one for each in tests.named if each.evidence.strength != "sometimes" for one in each.explained]
    choices_refuted = (each for each in tests.refuted if not isinstance(each.cause, str))
    refuted = [each for each in choices_refuted if any(one not in settled for one in each.explained)]
    mutants: list[MutantData] = []
    choices: list[TestedChoices] = []
    for each in (*tests.named, *refuted):
        names = _names([one.data for one in each.explained])
        if isinstance(each.cause, str):
            sentence = MUTANTS[each.cause].sentence
            mutants.append(MutantData(name=each.cause, sentence=sentence, cases=names, evidence=each.evidence))
        else:
            choices.append(TestedChoices(choices=dict(each.cause), cases=names, evidence=each.evidence))
    return Diagnosis(mutants, choices)


class _Fitting:
    """What fits wrong answers, before it is tested."""

    def __init__(self, mutants: Collection[str], right: Sequence[CaseData] | None = None) -> None:
        """`right` are the answers that may rule choices out; `None` where only mutants are looked for."""
        self._mutants: Collection[str] = mutants
        self._right: Sequence[CaseData] | None = right
        self._found: dict[tuple[Key, Ruleset], Sequence[Cause]] = {}

    def causes(self, one: _Answered, rules: Ruleset) -> Sequence[Cause]:
        """Find single choices other than those of some rules, and mutants under them, that explain a wrong answer."""
        key = (one.key, rules)
        if key not in self._found:
            self._found[key] = self._find(one, rules) if is_wrong(one.case, one.played, rules) else ()
        return self._found[key]

    def _find(self, one: _Answered, rules: Ruleset) -> Sequence[Cause]:
        mutants = [name for name in self._mutants if _Player(MUTANTS[name], (rules,)).agrees(one)]
        return [*self._choices(one, rules, self._right), *mutants] if self._right is not None else mutants

    def _choices(self, one: _Answered, rules: Ruleset, right: Sequence[CaseData]) -> Sequence[Cause]:
        if not one.case.issues:
            # The case says nothing of other choices: it may be one of a user who plays by a single ruleset.
            every = [{issue: choice} for issue in ISSUES for choice in ISSUES[issue].choices]
            return [
                change
                for change in changes_from(rules, every)
                if _answered_alike(one, _played(EQUATIONS, one.case, rules.with_choices(dict(change))))
            ]
        pairs = [(issue, choice) for issue, choices in one.data.deviations.items() for choice in choices]
        # Other answers may rule choices out already.
        left = [pair for pair in pairs if all(pair[1] in other.choices.get(pair[0], pair) for other in right)]
        return [
            change
            for change in changes_from(rules, [{issue: choice} for issue, choice in left or pairs])
            if not is_wrong(one.case, one.played, rules.with_choices(dict(change)))
        ]


def diagnose(found: Sequence[CaseData], cases: Sequence[Case], ruleset: Ruleset) -> list[MutantData]:
    """Find the mutants whose answers are those that an engine fails with, the likeliest first; nothing is tested.

    Names the fewest mutants that explain what can be explained, and those that explain just as well. `cases` are those
    that were `found`; `ruleset` is in force.
    """
    likely, failed = _likely(found, cases, ruleset)
    return [
        MutantData(
            name=likeness.mutant.name,
            sentence=likeness.mutant.sentence,
            cases=_names(likeness.cases),
            against=_names(likeness.against),
        )
        for likeness in _fewest(likely, set(failed))
    ]


def _likely(
    found: Sequence[CaseData], cases: Sequence[Case], ruleset: Ruleset
) -> tuple[Sequence[_Likeness], Sequence[Key]]:
    """Find the mutants that explain more wrong answers than speak against them; and the answers that need a cause.

    Deviations are to be explained, too, where the choices that they are right under contradict other answers.
    """
    answered = _answered(found, cases)
    wrong = [one for one in answered if one.data.verdict == "failed"]
    wrong += _contradicted(answered)
    failed = [one for one in wrong if not is_wrong(one.case, _played(EQUATIONS, one.case, ruleset), ruleset)]
    if not failed:
        return (), ()
    rulesets = (ruleset, *_as_it_deviates(ruleset, found))
    likely = [_likeness(_Player(mutant, rulesets), answered, failed) for mutant in MUTANTS.values()]
    return [each for each in likely if each is not None], [one.key for one in failed]


def _answered(found: Sequence[CaseData], cases: Sequence[Case]) -> list[_Answered]:
    """Read what was answered to the cases that were found."""
    by_key = {(case.suite, case.id): case for case in cases}
    return [_Answered(case := by_key[_key(data)], data, answered_phases(data, case)) for data in found]


def play(procedure: Procedure, case: Case, ruleset: Ruleset) -> CaseData:
    """Ask the reference engine, or a mutant of it, a case."""
    return ask_case(ReferenceAdjudicator(ruleset, procedure), case, Rules(ruleset))


class _Player:
    """Plays a mutant in single cases, under each of some rulesets."""

    def __init__(self, mutant: Mutant, rulesets: Sequence[Ruleset]) -> None:
        self.mutant: Mutant = mutant
        self._rulesets: Sequence[Ruleset] = rulesets

    def agrees(self, one: _Answered) -> bool:
        """Whether the mutant gives the wrong answer that an engine gave."""
        return any(_answered_alike(one, played) and is_wrong(one.case, played, r) for r, played in self._plays(one))

    def contradicts(self, one: _Answered) -> bool:
        """Whether the mutant gives a wrong answer that an engine did not give."""
        return all(not _answered_alike(one, played) and is_wrong(one.case, played, r) for r, played in self._plays(one))

    def _plays(self, one: _Answered) -> Iterable[tuple[Ruleset, Sequence[PlayedPhase]]]:
        """Play a case with this mutant, under one ruleset after the other."""
        for ruleset in self._rulesets:
            yield ruleset, _played(self.mutant.procedure, one.case, ruleset)


def _played(procedure: Procedure, case: Case, ruleset: Ruleset) -> Sequence[PlayedPhase]:
    return play_case(ReferenceAdjudicator(ruleset, procedure), case, phases_with_answer(case, Rules(ruleset)))


def _likeness(player: _Player, answered: Sequence[_Answered], failed: Sequence[_Answered]) -> _Likeness | None:
    """Compare a mutant with an engine; `None` where as much speaks against it as for it."""
    explained = [one for one in failed if player.agrees(one)]
    against: list[CaseData] = []
    for one in answered:
        if len(against) >= len(explained):
            return None
        if one.data.verdict in ("passed", "deviated") and player.contradicts(one):
            against.append(one.data)
    keys = frozenset(one.key for one in explained)
    also = [one for one in answered if one.data.verdict == "deviated" and one.key not in keys and player.agrees(one)]
    return _Likeness(player.mutant, tuple(one.data for one in (*explained, *also)), keys, tuple(against))


def _fewest(likely: Sequence[_Likeness], failed: set[Key]) -> Iterable[_Likeness]:
    """The likeliest mutant, then the likeliest for what it leaves unexplained; with each those that do as well."""

    def rank(likeness: _Likeness) -> tuple[int, int, int]:
        return len(likeness.failed & left) - len(likeness.against), -len(likeness.against), len(likeness.cases)

    left = set(failed)
    while candidates := [likeness for likeness in likely if rank(likeness)[0] > 0]:
        best = max(candidates, key=rank)
        yield best
        for likeness in candidates:
            if likeness is not best and likeness.failed == best.failed and rank(likeness) == rank(best):
                yield likeness
        left -= best.failed


def _answered_alike(one: _Answered, theirs: Sequence[PlayedPhase]) -> bool:
    """Whether a mutant answered as an engine did, as far as both said it.

    Where the board is wrong, it is what counts: the words for its orders are each engine's own.
    """
    return len(one.played) == len(theirs) > 0 and all(map(_phases_alike, one.data.phases, one.played, theirs))


def _phases_alike(data: PhaseData, mine: PlayedPhase, theirs: PlayedPhase) -> bool:
    if isinstance(mine.answer, Failure) or isinstance(theirs.answer, Failure):
        return False
    if not same_answer(theirs.answer, mine.answer):
        return False
    if any(fact.kind not in WORD_KINDS for fact in data.facts):
        return True
    judged = [index for index, order in enumerate(data.orders) if order.expected]
    facts = diff_answers(expect_answer(theirs.answer, judged), mine.answer)
    return not any(fact.order is not None for fact in facts)


def _contradicted(answered: Sequence[_Answered]) -> Iterable[_Answered]:
    """The deviations that are right under no choices that another answer does not rule out."""
    if not any(one.data.verdict == "deviated" for one in answered):
        return
    right = [one for one in answered if one.data.verdict in ("passed", "deviated")]
    constraints = [constraint_of(one.case, one.played) for one in right]
    others = [constraint for constraint in constraints if constraint is not None]
    for one, constraint in zip(right, constraints, strict=True):
        if one.data.verdict == "deviated" and constraint is not None and is_contradicted(constraint, others):
            yield one


def _as_it_deviates(ruleset: Ruleset, found: Sequence[CaseData]) -> Iterable[Ruleset]:
    """The ruleset with the choices that the deviations of an engine show, where no answer of it speaks against them."""
    deviated: list[CaseData] = [case for case in found if case.verdict == "deviated"]
    right = [case for case in found if case.verdict in ("passed", "deviated")]
    choices: dict[str, str] = {}
    while deviated:
        shown = _choices_shown([issue for issue in ISSUES if issue not in choices], deviated, right)
        if not shown:
            break
        issue, choice = max(shown, key=lambda pair: shown[pair])
        choices[issue] = choice
        deviated = [case for case in deviated if choice not in case.deviations.get(issue, [])]
    if choices:
        yield ruleset.with_choices(choices)


def _choices_shown(
    issues: Sequence[str], deviated: Sequence[CaseData], right: Sequence[CaseData]
) -> Counter[tuple[str, str]]:
    """Count for each issue and choice the deviations that are right under it, if no answer speaks against it."""
    return Counter(
        (issue, choice)
        for case in deviated
        for issue, fitting in case.deviations.items()
        for choice in fitting
        if issue in issues and all(choice in other.choices.get(issue, [choice]) for other in right)
    )


def _key(case: CaseData) -> Key:
    return case.suite, case.id


def _names(cases: Sequence[CaseData]) -> list[CaseName]:
    """Name cases, those of the DATC first: its author has them at hand."""
    known_first = sorted(cases, key=lambda case: case.suite != USUAL_EDITION)
    return [CaseName(suite=case.suite, id=case.id) for case in known_first]


def mutant_coverage(cases: Sequence[Case], ruleset: Ruleset) -> Mapping[str, tuple[Case, ...]]:
    """For each mutant the cases that it fails: those that it answers as no choice of any issue has it."""
    return {name: cases_that_notice(mutant, cases, ruleset) for name, mutant in MUTANTS.items()}


def cases_that_notice(mutant: Mutant, cases: Sequence[Case], ruleset: Ruleset) -> tuple[Case, ...]:
    """The cases that a mutant fails."""
    return tuple(case for case in cases if play(mutant.procedure, case, ruleset).verdict == "failed")
