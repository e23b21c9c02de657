"""Decides what is said of an engine: hypotheses are tested by new questions, the likeliest first, before any is said.

`HypothesisTests` finds what explains wrong answers, `confirm_choices` tests the rule choices that other answers fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Generic, TypeAlias, TypeVar

from msgspec.structs import replace

from ...reference_engine import EVERY_ISSUE, ISSUES, Board, Ruleset
from ...reference_engine.procedures import EQUATIONS
from ...reports.statements import UNTESTED, Evidence, Statement, choices_text
from ..play.differential import agree
from ..play.positions import OrderedPosition
from ..play.session import Adjudicator, ReferenceAdjudicator
from ..rules.infer import Finding, LeftChoices
from .changes import HashableChange
from .evidence import CONFIRMED, FEWEST, AskedOnce, ask_until_clear, try_statement, weigh
from .experiment import ENOUGH, AskedPosition, Claim, Experiment, cases_with_positions, find_experiments, key_of
from .learned_condition import find_condition
from .mutants import MUTANTS
from .mutants.missing import MISSING, lacking
from .small import phase_of, small_experiments
from .topics import KNOWN_MUTANTS, needs_of, rules_of_suite

Hypothesis: TypeAlias = "HashableChange | str"
"""What may be true of an engine: that it plays choices, or has the bug of a mutant, by its name."""
T = TypeVar("T")

MOST_TESTED = 50
"""Statements about one engine that are tested at most: some 1,000 questions. A second test does not count."""
_ONE_CONDITION_IN = 12
"""For one of so many hypotheses that are tested, a condition is looked for at most."""
_MOST_OTHERS = 5
_MOST_SEEDS = 8
_ENOUGH_AS_ASKED = 8
"""Fewer experiments where the choice is the one that the engine was asked to play."""
_IN_THE_WAY = 0.2
"""From this share of answers that are neither as predicted nor as the rules have it, other bugs are in the way."""
_ALIKE = 0.8
"""Cases are alike that have so many of their rules in common."""
_MOST_ALTERNATIVES = 4
_MOST_TRIED = 200
"""Positions that are looked at for the experiments of one pair of choices, beside those of the suites."""


@dataclass(frozen=True)
class Verified(Generic[T]):
    """A hypothesis, the wrong answers that it explains, and how it stood its test."""

    hypothesis: Hypothesis
    explained: tuple[T, ...]
    evidence: Evidence

    @property
    def statement(self) -> Statement:
        """Return what is said of the engine."""
        if isinstance(self.hypothesis, str):
            return Statement(KNOWN_MUTANTS[self.hypothesis].sentence, evidence=self.evidence)
        return Statement(choices=dict(self.hypothesis), evidence=self.evidence)


@lru_cache(maxsize=1024)
def system(hypothesis: Hypothesis, rules: Ruleset, missing: tuple[str, ...] = ()) -> ReferenceAdjudicator:
    """Return the reference of which a hypothesis is true, under some rules; with no choices, the rules as they are.

    It is without the parts of the rules that are `missing`.
    """
    if isinstance(hypothesis, str):
        return ReferenceAdjudicator(rules, lacking(missing, KNOWN_MUTANTS[hypothesis].procedure), hypothesis)
    procedure = lacking(missing) if missing else EQUATIONS
    return ReferenceAdjudicator(rules.with_choices(dict(hypothesis)), procedure, choices_text(dict(hypothesis)))


@dataclass
class HypothesisTests(Generic[T]):
    """The tests of one engine, and what they showed so far."""

    engine: AskedOnce
    ruleset: Ruleset
    """What it was asked to play."""
    left: list[T]
    """Its wrong answers that nothing explains yet."""
    explanations_of: Callable[[T, Ruleset], Sequence[Hypothesis]]
    """What explains one under some rules."""
    position_of: Callable[[T], OrderedPosition | None]
    partial_explanations_of: Callable[[T, Ruleset], Sequence[Hypothesis]] = lambda one, rules: ()  # noqa: ARG005 - names of the type
    """What explains one but is contradicted by other answers: it may be true under a condition."""
    answers: Sequence[LeftChoices] = ()
    """What its answers to cases leave possible."""
    likely: dict[str, str] = field(default_factory=dict[str, str])
    """Choices that its answers look like: each is tested beside the others."""
    missing: tuple[str, ...] = ()
    """The parts of the rules that it lacks: all else is tested without them."""
    seed: int = 0
    board: Board | None = None
    """The board of new positions; `None` is the standard one."""
    stop: Callable[[], bool] = lambda: False
    """Whether the engine is to be asked no more."""
    most: int = MOST_TESTED
    named: list[Verified[T]] = field(default_factory=list)
    """What was confirmed, and what shows sometimes or under a condition."""
    refuted: list[Verified[T]] = field(default_factory=list)
    believed: dict[str, str] = field(default_factory=dict[str, str])
    """The confirmed choices: the rules are taken to be these in what follows."""
    _looked_for: int = 0
    """The hypotheses for which a condition was looked for."""

    @property
    def rules(self) -> Ruleset:
        """The rules that the engine is believed to play."""
        return self.ruleset.with_choices(self.believed) if self.believed else self.ruleset

    def run(self) -> None:
        """Test the hypotheses that explain most; then name what shows sometimes, and what is true under a condition.

        Raises `EngineGaveOutError` and `EngineClosedError`.
        """
        sometimes: dict[Hypothesis, Evidence] = {}
        tried: dict[Hypothesis, Evidence] = {}
        tested = set[Hypothesis]()
        while len(tested) < self.most:
            explaining = (each for one in self.left for each in self.explanations_of(one, self.rules))
            votes = Counter(each for each in explaining if each not in tried)
            if not votes or self.stop():
                break
            shown = sum(self.position_of(one) is not None for one in self.left)
            # A missing part that explains most, a choice rather than a bug, and one choice rather than several.
            likeliest = max(
                votes,
                key=lambda each: (
                    (each in MISSING and 2 * votes[each] >= shown, votes[each]),
                    (not isinstance(each, str), -len(each)),
                ),
            )
            mine = self._explained_by(likeliest)
            evidence = self.test(likeliest, mine, [each for each, _ in votes.most_common() if each != likeliest])
            tried[likeliest] = evidence
            tested.add(likeliest)
            self.refuted = [each for each in self.refuted if each.hypothesis != likeliest]
            _ = sometimes.pop(likeliest, None)
            if evidence.strength == "confirmed":
                if not isinstance(likeliest, str):
                    mine = [*self._take_back(likeliest), *mine]
                    self.believed.update(likeliest)
                    # What showed sometimes was tested under other rules.
                    tried = {each: found for each, found in tried.items() if found.strength != "sometimes"}
                self._name(likeliest, mine, evidence)
            elif evidence.strength == "sometimes":
                sometimes[likeliest] = evidence
            else:
                self.refuted.append(Verified(likeliest, tuple(mine), evidence))
                refuted = () if isinstance(likeliest, str) else likeliest
                self.likely = dict(self.likely.items() - set(refuted))
        for hypothesis, evidence in sorted(sometimes.items(), key=lambda pair: -pair[1].agreed):
            mine = self._explained_by(hypothesis)
            # Other bugs may have been in the way that are known by now.
            again = self.test(hypothesis, mine) if mine and not self.stop() else evidence
            last = evidence if again.strength == "untested" else again
            found = last if last.strength == "confirmed" else self._find_condition(hypothesis, mine) or last
            if found.strength == "refuted" or (found.strength == "sometimes" and hypothesis in MISSING):
                self.refuted.append(Verified(hypothesis, tuple(mine), found))
            else:
                self._name(hypothesis, mine, found)
        self._look_for_conditions()
        self._join_conditions()

    def _join_conditions(self) -> None:
        """Make one statement of the bugs that show under the same condition: each has stood its test."""
        joined: dict[Hashable, Verified[T]] = {}
        for number, each in enumerate(self.named):
            name, when = each.hypothesis, each.evidence.only_when
            key = frozenset(when) if when and isinstance(name, str) else number
            first = joined.setdefault(key, each)
            if first is not each and isinstance(name, str):
                alike = (*first.evidence.alike, KNOWN_MUTANTS[name].sentence)
                explained = tuple(dict.fromkeys((*first.explained, *each.explained)))
                joined[key] = Verified(first.hypothesis, explained, replace(first.evidence, alike=alike))
        self.named = [*joined.values()]

    def _look_for_conditions(self) -> None:
        """Name what explains a part of the answers, where a condition says which; what explains most comes first."""
        tried = {each.hypothesis for each in self.refuted}
        for refuted in [each for each in self.refuted if each.evidence.agreed >= FEWEST]:
            if _may_have_condition(refuted.hypothesis) and self._name_under_condition(refuted.hypothesis):
                self.refuted.remove(refuted)
        while not self._enough_conditions:
            partial = (each for one in self.left for each in self.partial_explanations_of(one, self.rules))
            votes = Counter(each for each in partial if _may_have_condition(each) and each not in tried)
            if not votes:
                break
            ((hypothesis, _),) = votes.most_common(1)
            tried.add(hypothesis)
            _ = self._name_under_condition(hypothesis)

    def _name_under_condition(self, hypothesis: Hypothesis) -> bool:
        """Name a hypothesis if a condition says when it is true; return whether one does."""
        mine = [
            one
            for one in self.left
            if hypothesis in (*self.explanations_of(one, self.rules), *self.partial_explanations_of(one, self.rules))
        ]
        evidence = self._find_condition(hypothesis, mine)
        if evidence is not None:
            self._name(hypothesis, mine, evidence)
        return evidence is not None

    @property
    def _enough_conditions(self) -> bool:
        return self._looked_for * _ONE_CONDITION_IN >= self.most or self.stop()

    def _find_condition(self, hypothesis: Hypothesis, mine: Sequence[T]) -> Evidence | None:
        """Find when an engine behaves like a hypothesis that explains only a part of what it is asked."""
        if not _may_have_condition(hypothesis) or not mine or self._enough_conditions:
            return None
        self._looked_for += 1
        return find_condition(self.engine, self._claim(hypothesis), self._seeds(mine), self.seed, self.stop)

    def test(self, hypothesis: Hypothesis, mine: Sequence[T] = (), others: Sequence[Hypothesis] = ()) -> Evidence:
        """Test a hypothesis on positions like those that it explains, if any, apart from others.

        Raises `EngineGaveOutError` and `EngineClosedError`.
        """
        apart = [system(each, self.rules, self.missing) for each in others[:_MOST_OTHERS]]
        claim = self._claim(hypothesis)
        if isinstance(hypothesis, str):
            evidence = try_statement(self.engine, claim, self._seeds(mine), apart, seed=self.seed)
            neither = evidence.asked - evidence.agreed - evidence.as_rules
            if evidence.stands or evidence.agreed < FEWEST or neither < _IN_THE_WAY * evidence.asked:
                return evidence
            phase = phase_of(KNOWN_MUTANTS[hypothesis].procedure)
            small = weigh(self.engine, small_experiments(claim, apart, phase, self.seed), if_confirmed=True)
            return small if small.strength == "confirmed" and small.asked >= ENOUGH // 2 else evidence
        systems, rules = self._systems_beside(hypothesis), self._rules_beside(hypothesis)
        evidence = try_choices(self.engine, hypothesis, claim, systems, rules, self.answers, self.seed)
        explaining = [set(self.explanations_of(one, self.rules)) for one in mine]
        fitting = {name_of(each, hypothesis) for each in set[Hypothesis].intersection(*explaining)} if mine else ()
        return replace(evidence, alike=tuple(name for name in evidence.alike if name in fitting))

    def test_in_force(self, issue: str) -> Evidence:
        """Test whether the engine plays the choice that it was asked for, where others answer otherwise.

        Raises `EngineGaveOutError` and `EngineClosedError`.
        """
        mine: HashableChange = ((issue, self.ruleset.choices[issue]),)
        rules, systems = self._rules_beside(mine), self._systems_beside(mine)
        known = [systems(each) for each in self._bugs]

        def find(turn: int, asked: Sequence[OrderedPosition]) -> Sequence[Experiment]:
            return _experiments(issue, rules, systems, known, self.seed + turn, asked, self.board)

        return ask_until_clear(self.engine, find, neither=None)[1]

    def _seeds(self, mine: Sequence[T]) -> Sequence[OrderedPosition]:
        return [ordered for one in mine if (ordered := self.position_of(one)) is not None][:_MOST_SEEDS]

    def _claim(self, hypothesis: Hypothesis) -> Claim:
        """Return what is tested: the bugs that are named already must not show in the experiments of another one."""
        systems = self._systems_beside(hypothesis)
        others = [systems(bug) for bug in self._bugs if bug != hypothesis]
        return Claim(systems(hypothesis), systems(()), others, self.board)

    @property
    def _bugs(self) -> list[str]:
        """The bugs that are named, but for those that show under a condition only, and the missing parts."""
        named = [each.hypothesis for each in self.named if each.evidence.strength != "only-when"]
        return [*self.missing, *(bug for bug in named if isinstance(bug, str))]

    def _systems_beside(self, hypothesis: Hypothesis) -> Callable[[Hypothesis], ReferenceAdjudicator]:
        """Return what makes systems under the rules under which a hypothesis is tested."""
        rules = self._rules_beside(hypothesis)
        return lambda each: system(each, rules, self.missing)

    def _rules_beside(self, hypothesis: Hypothesis) -> Ruleset:
        """Return the rules under which a hypothesis is tested: of choices, those that it likely plays besides."""
        if isinstance(hypothesis, str):
            return self.rules
        own = dict(hypothesis)
        beside = {issue: choice for issue, choice in self.likely.items() if issue not in own}
        return self.ruleset.with_choices({**beside, **self.believed})

    def _explained_by(self, hypothesis: Hypothesis) -> list[T]:
        return [one for one in self.left if hypothesis in self.explanations_of(one, self.rules)]

    def _take_back(self, choices: HashableChange) -> list[T]:
        """Take back what was said of the same issues, where it could not be distinguished from choices confirmed now.

        An engine plays one choice of an issue. Returns what was explained: these choices explain it, too.
        """
        issues = dict(choices).keys()
        explained: list[T] = []
        for each in list(self.named):
            before: HashableChange = () if isinstance(each.hypothesis, str) else each.hypothesis
            if dict(before).keys() == issues and name_of(choices, before) in each.evidence.alike:
                self.named.remove(each)
                explained += each.explained
        return explained

    def _name(self, hypothesis: Hypothesis, mine: Sequence[T], evidence: Evidence) -> None:
        if mine:
            self.left = [one for one in self.left if one not in mine]
            self.named.append(Verified(hypothesis, tuple(mine), evidence))


def _may_have_condition(hypothesis: Hypothesis) -> bool:
    """Whether a condition is looked for: a choice, or a missing part of the rules, is stated without, or not at all."""
    return isinstance(hypothesis, str) and hypothesis not in MISSING


def changes_from(rules: Ruleset, every: Iterable[Mapping[str, str]]) -> list[HashableChange]:
    """Return what of some choices is another than that of some rules; without those of which nothing is."""
    choices = rules.choices
    found = (tuple(sorted((i, c) for i, c in change.items() if choices.get(i) != c)) for change in every)
    return list(dict.fromkeys(change for change in found if change))


@cache
def single_changes(rules: Ruleset) -> Sequence[HashableChange]:
    """Return each single choice that is another than that of some rules."""
    return changes_from(rules, ({issue: choice} for issue in ISSUES for choice in ISSUES[issue].choices))


def siblings_of(choices: HashableChange, rules: Ruleset) -> list[HashableChange]:
    """Return what differs from some choices in one of them alone, other than the rules."""
    every = [
        {**dict(choices), issue: other}
        for issue, mine in choices
        for other in EVERY_ISSUE[issue].choices
        if other != mine
    ]
    return changes_from(rules, every)


def name_of(rival: Hypothesis, choices: HashableChange) -> str:
    """Name what may be true instead of choices: by its own choice where only this differs."""
    if isinstance(rival, str):
        return rival
    (issue, choice), *rest = rival
    return choice if not rest and [issue] == [each for each, _ in choices] else choices_text(dict(rival))


def try_choices(
    engine: AskedOnce,
    choices: HashableChange,
    claim: Claim,
    system_of: Callable[[Hypothesis], Adjudicator],
    rules: Ruleset,
    answers: Sequence[LeftChoices] = (),
    seed: int = 0,
) -> Evidence:
    """Test choices that are not those of some rules: what this returns is what every command says of them.

    `claim` is what is tested, and `system_of` returns what else may be true. The positions of the cases about the
    issues are not asked for it, as these have an answer already; but too many wrong `answers`, or wrong ones to cases
    like those that show the choices, speak against them. Raises `EngineGaveOutError` and `EngineClosedError`.
    """
    pool = _positions_about(tuple(issue for issue, _ in choices), claim.board)
    if not pool:
        return UNTESTED  # It takes sets of orders, for example, which no position has.
    siblings = {name_of(each, choices): system_of(each) for each in siblings_of(choices, rules)}
    others = [*(each for each in single_changes(rules) if each != choices), *MUTANTS]
    suspects = {name_of(each, choices): system_of(each) for each in others}
    evidence = try_statement(engine, claim, (), (), siblings, seed, pool, suspects, pool)
    told_apart = {
        other
        for issue, choice in choices
        for left in answers
        if choice in left.get(issue, ())
        for other in set(EVERY_ISSUE[issue].choices).difference(left[issue])
    }
    alike = (name for name in evidence.alike if name not in told_apart and name not in MUTANTS)
    evidence = replace(evidence, alike=tuple(alike))
    if evidence.strength == "confirmed" and (
        any(is_ruled_out(answers, issue, choice) for issue, choice in choices) or _is_doubtful(engine, claim, pool)
    ):
        return replace(evidence, strength="sometimes", contradicted=True)
    return evidence


def _is_doubtful(engine: AskedOnce, claim: Claim, pool: Sequence[AskedPosition]) -> bool:
    """Whether an engine is wrong about cases like those of a pool that show choices: then a bug may be what shows.

    Cases are alike that rest on nearly the same rules. Those in which a known bug shows say nothing.
    """
    showing = {key_of(ordered) for ordered in pool if claim.experiment_on(ordered)}
    cases = _suite_cases(claim.board)
    rests_on = [needs for needs, ordered in cases if needs and key_of(ordered) in showing]
    right = [
        agree(ordered.answer(claim.hypothesis), engine.ask(ordered))
        for needs, ordered in cases
        if any(len(needs & each) >= _ALIKE * len(needs | each) for each in rests_on)
        and all(agree(ordered.answer(claim.rules), ordered.answer(bug)) for bug in claim.known)
    ]
    return right.count(False) > (1 - CONFIRMED) * len(right)


@cache
def _suite_cases(board: Board | None) -> Sequence[tuple[frozenset[str], AskedPosition]]:
    """The positions of the project's cases on a board, each with the mutants that it notices."""
    return [(frozenset(needs_of(case, rules_of_suite(case.suite))), each) for case, each in cases_with_positions(board)]


def is_ruled_out(answers: Iterable[LeftChoices], issue: str, choice: str) -> bool:
    """Whether more of the answers to cases that tell of an issue rule a choice out than may be mistakes."""
    left = [each[issue] for each in answers if issue in each]
    return sum(choice not in choices for choices in left) > (1 - CONFIRMED) * len(left)


def confirm_choices(
    tests: HypothesisTests[T], findings: Mapping[str, Finding], known: Mapping[Hypothesis, Evidence]
) -> Mapping[str, Evidence]:
    """Say what new positions say of the choices that an engine was found to make; the `tests` were run before.

    Of each issue with one choice left and a proof, there is what is `known`, or else what is asked now beside the bugs
    that were found: of another choice than the one in force as of each statement, of that one whether it has another
    answer than some other choice. Where several are left without the one in force, each is tested, and there is
    evidence only if none stands: that of the likeliest.

    Raises `EngineGaveOutError` and `EngineClosedError`.
    """
    usual = tests.ruleset.choices
    kept = {
        issue: found.choices
        for issue, found in findings.items()
        if found.proof and issue in usual and (len(found.choices) == 1 or usual[issue] not in found.choices)
    }
    others = {issue: choices[0] for issue, choices in kept.items() if usual[issue] not in choices}
    likely = {i: one for i, one in others.items() if known.get(((i, one),), UNTESTED).strength != "refuted"}
    tests.likely = {**tests.likely, **likely}
    evidence: dict[str, Evidence] = {}
    for issue, choices in kept.items():
        if issue not in others:
            evidence[issue] = tests.test_in_force(issue)
            continue
        changes: list[HashableChange] = [((issue, choice),) for choice in choices]
        tested = [known[each] if each in known else tests.test(each) for each in changes]
        likeliest = max(tested, key=lambda each: (each.stands, each.agreed))
        if len(choices) == 1:
            evidence[issue] = likeliest
        elif not likeliest.stands:
            evidence[issue] = replace(likeliest, alike=choices[1:])
        if likeliest.strength == "refuted":
            _ = tests.likely.pop(issue, None)
    return evidence


def _experiments(
    issue: str,
    rules: Ruleset,
    system_of: Callable[[Hypothesis], Adjudicator],
    known: Sequence[Adjudicator],
    seed: int,
    asked: Sequence[OrderedPosition],
    board: Board | None,
) -> Sequence[Experiment]:
    """Find experiments that tell the choice of some rules from the other choices of an issue, each as often."""
    pool = _positions_about((issue,), board)
    others = [choice for choice in EVERY_ISSUE[issue].choices if choice != rules.choices[issue]][:_MOST_ALTERNATIVES]
    each = -(-_ENOUGH_AS_ASKED // len(others))
    distinct: list[Experiment] = []
    for other in others if pool else ():  # It takes sets of orders, for example, which no position has.
        claim = Claim(system_of(((issue, other),)), system_of(()), known, board)
        before = [*pool, *asked, *(one.ordered for one in distinct)]
        found = find_experiments(claim, count=each, pool=pool, seed=seed, most_tried=_MOST_TRIED, asked=before)
        distinct += (one._replace(predicted=one.by_rules, by_rules=one.predicted) for one in found)
    return distinct[:_ENOUGH_AS_ASKED]


@cache
def _positions_about(issues: tuple[str, ...], board: Board | None) -> Sequence[AskedPosition]:
    return tuple(ordered for case, ordered in cases_with_positions(board) if {*issues} & {*case.deciding_issues})
