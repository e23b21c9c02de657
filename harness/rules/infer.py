"""What answers tell of rules: asks an engine what tells rules apart, and concludes which it plays."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import msgspec

from ...adapters import Engine
from ...adapters.protocol import Capabilities
from ...cases import Case
from ...cases.suite import USUAL_EDITION, CaseName, short_key
from ...reference_engine import EVERY_ISSUE
from ...reference_engine.rulesets import MAP_ISSUES
from ...reports import CaseData, EngineData, InferenceReport
from ...reports.report import WRONG, CarriedData, RestartData
from ...reports.statements import Evidence, MissingPart, MutantData
from ...reports.text import listed
from ..play.answer import Answer
from ..play.case_verdicts import phases_with_answer, play_case
from ..play.engine import EngineAdjudicator
from ..play.report_data import case_data, harness_data, ruleset_data
from ..play.session import PlayedPhase
from ..play.verdict import Rules, fitting_alternatives

Candidates: TypeAlias = Mapping[str, tuple[str, ...]]
"""For each issue the choices that are still possible."""


LeftChoices: TypeAlias = Mapping[str, Sequence[str]]
"""For each issue the choices that an answer leaves possible, where it leaves not all."""


class Constraint(NamedTuple):
    """What the answers to one case leave possible."""

    case: Case
    fitting: tuple[Candidates, ...]
    """The choices for its deciding issues that the answers fit: those of any of these, combined at will.

    Empty where an answer is wrong under every choice or impossible, and where nothing was answered.
    """
    is_answered: bool = True


@dataclass(frozen=True)
class Finding:
    """What is known of an engine's choice for one issue."""

    choices: tuple[str, ...]
    """Those that belong to some ruleset which all answers fit."""
    proof: tuple[Case, ...]
    why_open: str
    """Why several are left; empty where one is."""


@dataclass(frozen=True)
class Conclusion:
    """What the answers of an engine say of its rules."""

    findings: Mapping[str, Finding]
    contradictions: tuple[tuple[Case, ...], ...]
    """The smallest sets of cases whose answers fit no ruleset together; they count for no finding."""
    bugs: tuple[Case, ...]
    """The cases whose answers fit no ruleset at all."""
    asked: int
    unsupported: tuple[Case, ...]
    """The cases that the engine could not be asked, or did not answer."""

    def without_doubted(self, evidence: Mapping[str, Evidence]) -> Conclusion:
        """Take away the choices that did not stand their test: any choice of these issues may be the engine's."""
        doubted = [issue for issue, found in evidence.items() if not found.stands]
        opened = {
            issue: Finding(EVERY_ISSUE[issue].choices, (), "its choice did not stand its test") for issue in doubted
        }
        return replace(self, findings={**self.findings, **opened})


def constraint_of(case: Case, played: Sequence[PlayedPhase]) -> Constraint:
    """Return what answers leave possible, if there are any."""
    fitting = fitting_alternatives(case, played) if played else ()
    return Constraint(case, tuple(alternative.choices for alternative in fitting), bool(played))


def left_choices(constraint: Constraint) -> dict[str, list[str]]:
    """Say for each issue which choices an answer leaves possible, where it leaves not all."""
    kept = {
        issue: [
            choice for choice in EVERY_ISSUE[issue].choices if any(choice in one[issue] for one in constraint.fitting)
        ]
        for issue in constraint.case.deciding_issues
    }
    return {issue: choices for issue, choices in kept.items() if 0 < len(choices) < len(EVERY_ISSUE[issue].choices)}


def is_contradicted(constraint: Constraint, others: Sequence[Constraint]) -> bool:
    """Whether each of the choices that a case leaves possible is ruled out by one of the others alone."""

    def is_allowed(choices: Candidates, other: Constraint) -> bool:
        return any(
            all(not set(group).isdisjoint(theirs.get(issue, group)) for issue, group in choices.items())
            for theirs in other.fitting
        )

    return all(any(not is_allowed(choices, other) for other in others) for choices in constraint.fitting)


def conclude(
    answers: Sequence[Constraint],
    *,
    is_interrupted: bool = False,
    explained: Collection[CaseName] = (),
    not_carried: Sequence[Case] = (),
) -> Conclusion:
    """Work out for each issue the choices that all answers fit, the contradictory ones set aside.

    So are those that are `explained` by a bug. Cases that were `not_carried` to the map in force could not be asked.
    """
    bugs = tuple(each.case for each in answers if each.is_answered and not each.fitting)
    unsupported = tuple(each.case for each in answers if not each.is_answered)
    buggy = [each.case for each in answers if each.fitting and CaseName.of_key(each.case.key) in explained]
    telling = (each for each in answers if each.fitting and each.case not in buggy)
    simple_first = sorted(telling, key=lambda constraint: simplest_first(constraint.case))
    consistent, contradictions = _set_aside_contradictions(simple_first)
    candidates = _possible(consistent)
    silent = [*bugs, *buggy, *unsupported, *itertools.chain.from_iterable(contradictions)]
    findings: dict[str, Finding] = {}
    asked = {issue for each in answers for issue in each.case.deciding_issues}
    for issue, choices in candidates.items():
        if issue in MAP_ISSUES and issue not in asked:
            continue
        proof = tuple(each.case for each in consistent if _rules_out(each, issue, candidates))
        why_open = ""
        if len(choices) > 1:
            in_vain = [case for case in silent if _decides(case, issue, candidates)]
            names = list(dict.fromkeys(case.id for case in in_vain))
            alike = "with the other choices as found, no case has another outcome"
            why_open = "not every case was asked" if is_interrupted else alike
            if not all(case in unsupported for case in in_vain):
                why_open = f"{', '.join(names)} should decide this, but the answers do not"
            elif names:
                why_open = f"the engine does not support what would decide this: {listed(names, 3)}"
            elif absent := [each.id for each in not_carried if _decides(each, issue, candidates)]:
                why_open = f"the map does not hold what would decide this: {listed(absent, 3)}"
        findings[issue] = Finding(choices, proof, why_open)
    return Conclusion(findings, contradictions, bugs, len(answers), unsupported)


def everything() -> Candidates:
    """Every choice of every issue."""
    return {issue.id: issue.choices for issue in EVERY_ISSUE.values()}


def tells_something(case: Case, candidates: Candidates) -> bool:
    """Whether a case has different outcomes under the choices that are still possible."""
    outcomes = {each.outcome for each in case.alternatives if _meet(each.choices, candidates)}
    return len(outcomes) > 1


def _decides(case: Case, issue: str, candidates: Candidates) -> bool:
    """Whether a case could tell choices of an issue apart that are still possible."""
    return issue in case.deciding_issues and tells_something(case, candidates)


def propagate(
    constraints: Sequence[Constraint], candidates: Candidates, narrowed: set[str] | None = None
) -> Candidates | None:
    """Leave out the choices that no fitting combination of some case has; `None` where none is left for an issue.

    Where this was done before, `narrowed` are the issues of which choices were left out since.
    """
    left = dict(candidates)
    while narrowed is None or narrowed:
        before, narrowed = narrowed, set[str]()
        for case, fitting, _ in constraints:
            issues = case.deciding_issues
            if not issues or (before is not None and before.isdisjoint(issues)):
                continue
            possible = [choices for choices in fitting if _meet(choices, left)]
            for issue in issues:
                fit = {choice for choices in possible for choice in choices[issue]}
                kept = tuple([choice for choice in left[issue] if choice in fit])
                if not kept:
                    return None
                if len(kept) < len(left[issue]):
                    narrowed.add(issue)
                    left[issue] = kept
    return left


def _meet(choices: Candidates, candidates: Candidates) -> bool:
    """Whether some of these choices are possible, for every issue."""
    for issue, group in choices.items():  # `any` in `all` takes three times as long.
        for choice in group:
            if choice in candidates[issue]:
                break
        else:
            return False
    return True


def _set_aside_contradictions(
    constraints: Sequence[Constraint],
) -> tuple[Sequence[Constraint], tuple[tuple[Case, ...], ...]]:
    """Take out sets of cases that contradict each other, each as small as leaving out one by one makes it."""
    consistent = list(constraints)
    contradictions: list[tuple[Case, ...]] = []
    while not _solution(consistent, everything()):
        core, left, size = consistent, consistent, len(consistent)
        # Those that turn on much go first, so that the cases that are left are simple ones. So many go together as can.
        while left:
            some = set(map(id, left[-size:]))
            without = [other for other in core if id(other) not in some]
            if not _solution(without, everything()):
                core, left, size = without, left[:-size], 2 * size
            elif size > 1:
                size //= 2
            else:
                left = left[:-1]
        contradictions.append(tuple(constraint.case for constraint in core))
        consistent = [constraint for constraint in consistent if constraint not in core]
    return consistent, tuple(contradictions)


def _possible(constraints: Sequence[Constraint]) -> Candidates:
    """For each issue the choices of all rulesets that fit these constraints."""
    candidates = propagate(constraints, everything()) or everything()
    belongs = {issue: set[str]() for issue in candidates}
    for issue, choices in candidates.items():
        for choice in choices:
            # A ruleset that fits shows a choice of every issue, so most need not be looked for.
            if choice not in belongs[issue]:
                found = _solution(constraints, {**candidates, issue: (choice,)}, {issue}) or {}
                for other, fitting in found.items():
                    belongs[other].update(fitting)
    return {issue: tuple(c for c in choices if c in belongs[issue]) for issue, choices in candidates.items()}


def _solution(
    constraints: Sequence[Constraint], candidates: Candidates, narrowed: set[str] | None = None
) -> Candidates | None:
    """Find choices, one for each constrained issue, that fit all constraints; `narrowed` as `propagate` takes it."""
    left = propagate(constraints, candidates, narrowed)
    if left is None:
        return None
    constrained = {issue for constraint in constraints for issue in constraint.case.deciding_issues}
    several = [issue for issue in constrained if len(left[issue]) > 1]
    if not several:
        return left
    issue = min(several, key=lambda name: (len(left[name]), name))
    tries = (_solution(constraints, {**left, issue: (choice,)}, {issue}) for choice in left[issue])
    return next((found for found in tries if found is not None), None)


def _rules_out(constraint: Constraint, issue: str, found: Candidates) -> bool:
    """Whether a case, given what was found of its other issues, fits less than all choices of this one."""
    if issue not in constraint.case.deciding_issues:
        return False
    elsewhere = {**found, issue: EVERY_ISSUE[issue].choices}
    left = {choice for choices in constraint.fitting if _meet(choices, elsewhere) for choice in choices[issue]}
    return len(left) < len(EVERY_ISSUE[issue].choices)


def simplest_first(case: Case) -> tuple[int, bool]:
    """The key to sort by: cases that turn on little prove more, and those of the DATC are better known."""
    return math.prod(len(EVERY_ISSUE[issue].choices) for issue in case.deciding_issues), case.suite != USUAL_EDITION


class Inferred(NamedTuple):
    """What was concluded, and the cases from which, in the order in which they were asked."""

    conclusion: Conclusion
    cases: list[CaseData]
    evidence: Mapping[str, Evidence] = MappingProxyType({})
    """For each settled issue what new positions say of its choice, if it was tested."""
    is_interrupted: bool = False
    """A Ctrl-C ended it: the conclusion is from what was asked until then."""
    is_every_case: bool = False
    """Every case was asked, also those that told nothing more."""
    constraints: Sequence[Constraint] = ()
    """What the answer to each case leaves possible."""
    bugs: Sequence[MutantData] = ()
    """The confirmed bugs, if they were looked for."""
    missing: Sequence[MissingPart] = ()
    """The parts of the rules that the engine lacks."""
    not_carried: Sequence[Case] = ()
    """The cases that the map in force does not hold."""


def infer(
    engine: Engine,
    capabilities: Capabilities,
    cases: Sequence[Case],
    rules: Rules,
    *,
    every_case: bool = False,
    every_if_wrong: bool = False,
    until_interrupted: bool = False,
    not_carried: Sequence[Case] = (),
) -> Inferred:
    """Ask an engine the cases that can still add something, or every case, and conclude which choices it makes.

    `every_if_wrong`: every case is asked if it is wrong about one of those by the `rules`, which the requests say are
    in force: an engine that honours choices plays those. With `until_interrupted` a Ctrl-C ends the asking alone.
    `not_carried` are cases that the map in force does not hold.
    Raises `EngineGaveOutError` and `EngineClosedError`.
    """
    constraints: list[Constraint] = []
    found: list[CaseData] = []
    candidates, is_interrupted = everything(), False
    adjudicator = EngineAdjudicator(engine, capabilities, rules.ruleset, rules.notation)

    def in_turn() -> Iterator[Case]:
        superfluous: list[Case] = []
        for case in sorted(cases, key=simplest_first):
            if every_case or tells_something(case, candidates):
                yield case
            else:
                superfluous.append(case)
        if every_if_wrong and any(data.verdict in WRONG for data in found):
            yield from superfluous

    for case in in_turn():
        try:
            played = play_case(adjudicator, case, len(case.phases))
        except KeyboardInterrupt:
            if not until_interrupted:
                raise
            is_interrupted = True
            break
        constraint = constraint_of(case, [one for one in played if isinstance(one.answer, Answer)])
        data = case_data(case, played[: max(1, phases_with_answer(case, rules))], rules)
        found.append(msgspec.structs.replace(data, choices=left_choices(constraint)))
        constraints.append(constraint)
        if constraint.fitting:
            candidates = propagate([constraint], candidates) or candidates
    conclusion = conclude(constraints, is_interrupted=is_interrupted, not_carried=not_carried)
    is_every_case = len(found) == len(cases)
    return Inferred(conclusion, found, {}, is_interrupted, is_every_case, constraints, not_carried=not_carried)


def inference_report(
    inferred: Inferred,
    engine: EngineData,
    rules: Rules,
    restarts: Sequence[RestartData] = (),
    *,
    carried: CarriedData | msgspec.UnsetType = msgspec.UNSET,
) -> InferenceReport:
    """Put into a report what was inferred of an engine, how often its process broke down, and where its cases are."""
    conclusion = inferred.conclusion
    return InferenceReport(
        harness=harness_data(),
        engine=engine,
        interrupted=inferred.is_interrupted,
        ruleset=ruleset_data(rules.ruleset),
        every_case=inferred.is_every_case,
        asked=conclusion.asked,
        choices={issue: list(found.choices) for issue, found in conclusion.findings.items()},
        proof={issue: _keys(found.proof) for issue, found in conclusion.findings.items()},
        open={
            issue: why
            for issue, found in conclusion.findings.items()
            if (why := found.why_open if issue not in inferred.evidence else _why_untested(inferred.evidence[issue]))
        },
        evidence=dict(inferred.evidence),
        looks_like=list(inferred.bugs),
        left={issue: list(others) for issue in inferred.evidence if (others := conclusion.findings[issue].choices[1:])},
        missing_parts=list(inferred.missing),
        contradictions=[_keys(cases) for cases in conclusion.contradictions],
        bugs=_keys(conclusion.bugs),
        unsupported=_keys(conclusion.unsupported),
        restarts=list(restarts),
        carried=carried,
        cases=inferred.cases,
    )


def _why_untested(evidence: Evidence) -> str:
    if evidence.strength != "untested":
        return ""
    why = "its answers change when it is asked again" if evidence.flaky else "no new position could test it"
    return f"the cases leave no other, and {why}"


def _keys(cases: Iterable[Case]) -> list[str]:
    return [short_key(case.key) for case in cases]
