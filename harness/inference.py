"""Which choices an engine makes: those that all its answers fit."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ..adapters import Capabilities, Engine, EngineFailure, UnsupportedError
from ..cases import Case, Expectation
from ..reference_engine import ISSUES
from .asking import Rules
from .judging import AskedPhase, fitting_choices
from .questions import ask_phase, before

Candidates: TypeAlias = Mapping[str, tuple[str, ...]]
"""For each issue the choices that are still possible."""


class Constraint(NamedTuple):
    """What the answers to one case leave possible."""

    case: Case
    issues: tuple[str, ...]
    fitting: frozenset[tuple[str, ...]]
    """The combinations of choices for these issues that the answers fit."""


@dataclass(frozen=True)
class Finding:
    """What is known of an engine's choice for one issue."""

    choices: tuple[str, ...]
    """Those that belong to some ruleset which all answers fit."""
    proof: tuple[Case, ...]
    """The cases that rule out the others."""
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


def infer(engine: Engine, capabilities: Capabilities, cases: Sequence[Case], rules: Rules) -> Conclusion:
    """Ask an engine the cases that still tell something, and conclude which choices it makes.

    `rules` are what the requests say is in force: an engine that honours choices plays those. Raises
    `EngineGaveOutError` and `EngineClosedError`.
    """
    constraints: list[Constraint] = []
    bugs: list[Case] = []
    unsupported: list[Case] = []
    candidates = everything()
    asked = 0
    for case in sorted(cases, key=_simplest_first):
        if not tells_something(case, candidates):
            continue
        asked += 1
        answers = _ask(engine, capabilities, case, rules)
        if not answers:
            unsupported.append(case)
            continue
        constraint = Constraint(case, case.deciding_issues, frozenset(fitting_choices(case, answers)))
        if not constraint.fitting:
            bugs.append(case)
            continue
        constraints.append(constraint)
        candidates = propagate([constraint], candidates) or candidates
    return conclude(constraints, bugs, unsupported, asked)


def _ask(engine: Engine, capabilities: Capabilities, case: Case, rules: Rules) -> list[AskedPhase]:
    """Ask all phases of a case, or those before one that the engine cannot be asked."""
    asked: list[AskedPhase] = []
    for phase in case.phases:
        standing = before(phase, asked)
        try:
            answer = ask_phase(engine, capabilities, phase, standing, rules.ruleset, rules.notation)
        except (UnsupportedError, EngineFailure):
            break
        asked.append(AskedPhase(phase, standing.units, standing.dislodged_units, answer))
    return asked


def conclude(
    constraints: Sequence[Constraint], bugs: Sequence[Case], unsupported: Sequence[Case], asked: int
) -> Conclusion:
    """Work out for each issue the choices that all answers fit, the contradictory ones set aside."""
    consistent, contradictions = _set_aside_contradictions(constraints)
    candidates = _possible(consistent)
    silent = [*bugs, *unsupported, *itertools.chain.from_iterable(contradictions)]
    return Conclusion(
        findings={
            issue: Finding(
                choices,
                tuple(each.case for each in consistent if issue in each.issues and _rules_out(each, issue, candidates)),
                _why_open(issue, choices, candidates, silent),
            )
            for issue, choices in candidates.items()
        },
        contradictions=contradictions,
        bugs=tuple(bugs),
        asked=asked,
        unsupported=tuple(unsupported),
    )


def everything() -> Candidates:
    """Every choice of every issue."""
    return {issue.id: issue.choices for issue in ISSUES.values()}


def tells_something(case: Case, candidates: Candidates) -> bool:
    """Whether a case has different outcomes under the choices that are still possible."""
    combinations = itertools.product(*(candidates[issue] for issue in case.deciding_issues))
    outcomes = (_expected(case, combination) for combination in combinations)
    first = next(outcomes)
    return any(
        one is not other and (one is None or other is None or not one.same_outcome(other))
        for outcome in outcomes
        for one, other in zip(first, outcome, strict=True)
    )


def propagate(constraints: Sequence[Constraint], candidates: Candidates) -> Candidates | None:
    """Leave out the choices that no fitting combination of some case has; `None` where none is left for an issue."""
    left = dict(candidates)
    changed = True
    while changed:
        changed = False
        for _, issues, fitting in constraints:
            possible = [
                combination
                for combination in fitting
                if all(choice in left[issue] for issue, choice in zip(issues, combination, strict=True))
            ]
            for place, issue in enumerate(issues):
                seen = {combination[place] for combination in possible}
                kept = tuple(choice for choice in left[issue] if choice in seen)
                if not kept:
                    return None
                changed = changed or len(kept) < len(left[issue])
                left[issue] = kept
    return left


def _expected(case: Case, combination: Iterable[str]) -> list[Expectation | None]:
    choices = {issue.id: issue.choices[0] for issue in ISSUES.values()}
    choices.update(zip(case.deciding_issues, combination, strict=True))
    return [phase.expected(choices) for phase in case.phases]


def _set_aside_contradictions(
    constraints: Sequence[Constraint],
) -> tuple[Sequence[Constraint], tuple[tuple[Case, ...], ...]]:
    """Take out sets of cases that contradict each other, each as small as leaving out one by one makes it."""
    consistent = list(constraints)
    contradictions: list[tuple[Case, ...]] = []
    while not _solvable(consistent, everything()):
        core = consistent
        for constraint in consistent:
            without = [other for other in core if other is not constraint]
            if not _solvable(without, everything()):
                core = without
        contradictions.append(tuple(constraint.case for constraint in core))
        consistent = [constraint for constraint in consistent if constraint not in core]
    return consistent, tuple(contradictions)


def _possible(constraints: Sequence[Constraint]) -> Candidates:
    """For each issue the choices of all rulesets that fit these constraints."""
    candidates = propagate(constraints, everything()) or everything()
    return {
        issue: tuple(
            choice
            for choice in choices
            if len(choices) == 1 or _solvable(constraints, {**candidates, issue: (choice,)})
        )
        for issue, choices in candidates.items()
    }


def _solvable(constraints: Sequence[Constraint], candidates: Candidates) -> bool:
    """Whether some choices, one for each issue, fit all constraints."""
    left = propagate(constraints, candidates)
    if left is None:
        return False
    constrained = {issue for constraint in constraints for issue in constraint.issues}
    several = [issue for issue in constrained if len(left[issue]) > 1]
    if not several:
        return True
    issue = min(several, key=lambda name: (len(left[name]), name))
    return any(_solvable(constraints, {**left, issue: (choice,)}) for choice in left[issue])


def _rules_out(constraint: Constraint, issue: str, found: Candidates) -> bool:
    """Whether a case, given what was found of its other issues, fits less than all choices of this one."""
    place = constraint.issues.index(issue)
    left = {
        combination[place]
        for combination in constraint.fitting
        if all(
            other == issue or choice in found[other]
            for other, choice in zip(constraint.issues, combination, strict=True)
        )
    }
    return len(left) < len(ISSUES[issue].choices)


def _why_open(issue: str, choices: Sequence[str], found: Candidates, silent: Sequence[Case]) -> str:
    if len(choices) == 1:
        return ""
    asked_in_vain = [case.id for case in silent if issue in case.deciding_issues and tells_something(case, found)]
    if asked_in_vain:
        return f"the answers to {', '.join(dict.fromkeys(asked_in_vain))} would tell, but do not"
    return "with the other choices as found, no case has another outcome"


def _simplest_first(case: Case) -> tuple[int, bool]:
    """Cases that turn on little prove more, and those of the DATC are better known."""
    return _combinations(case.deciding_issues), case.suite != "datc-3.1"


def _combinations(issues: Iterable[str]) -> int:
    count = 1
    for issue in issues:
        count *= len(ISSUES[issue].choices)
    return count
