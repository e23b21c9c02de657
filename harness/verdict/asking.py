"""Asks an engine the phases of a case and gives the case its verdict."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from ...adapters import Capabilities, Engine, EngineFailure, Notation, UnsupportedError
from ...cases import Case
from ...reference_engine import ISSUES, Ruleset
from ...reports import CaseData, PhaseData, Verdict
from ..session.questions import ask_phase, before
from .judging import AskedPhase, Fit, Judgement, fit, judge
from .phase_data import phase_data


@dataclass(frozen=True)
class Rules:
    """What an engine is held to."""

    ruleset: Ruleset
    declared: Mapping[str, str]
    """The cases that the author knows not to pass, and why."""
    notation: Notation = "document"
    """How the texts of orders are written for the engine."""


def ask_case(engine: Engine, capabilities: Capabilities, case: Case, rules: Rules) -> CaseData:
    """Ask the phases of a case in turn, until one decides.

    Raises `EngineGaveOutError` and `EngineClosedError`: then there is no verdict on the case.
    """
    began = time.perf_counter()
    asked: list[AskedPhase] = []
    phases: list[PhaseData] = []
    notes: list[str] = []
    verdict: Verdict = "passed"
    reason = ""
    for phase in case.phases:
        expectation = phase.expected(rules.ruleset.choices)
        standing = before(phase, asked)
        if expectation is None or expectation.no_answer:
            verdict, reason = "not-run", "the rules in force give no answer to this position"
            break
        try:
            answer = ask_phase(engine, capabilities, phase, standing, rules.ruleset, rules.notation)
        except UnsupportedError as error:
            verdict, reason = "unsupported", str(error)
            phases.append(phase_data(phase, standing, expectation, None, Judgement()))
            break
        except EngineFailure as error:
            verdict, reason = "error", str(error)
            phases.append(phase_data(phase, standing, expectation, None, Judgement()))
            break
        asked.append(AskedPhase(phase, standing.units, standing.dislodged_units, answer))
        judgement = judge(asked[-1], expectation)
        notes += judgement.notes
        phases.append(phase_data(phase, standing, expectation, answer, judgement))
        if judgement.differences:
            verdict, reason = "failed", "right under no choice of any issue"
            break
    found = fit(case, asked, rules.ruleset.choices) if asked else Fit({}, ())
    if verdict == "failed" and found.deviations:
        verdict, reason = "deviated", _deviation_text(found, rules.ruleset)
    verdict, reason, notes = _declare(case, verdict, reason, notes, rules)
    return msgspec.structs.replace(
        unasked(case, reason),
        verdict=verdict,
        choices={issue: list(choices) for issue, choices in found.choices.items()},
        deviations=_merge(found.deviations),
        notes=notes,
        seconds=round(time.perf_counter() - began, 6),
        phases=phases,
        expected=phases[-1].expected if phases else None,
        answer=phases[-1].answer if phases else None,
    )


def unasked(case: Case, reason: str) -> CaseData:
    """Give the verdict on a case that was not asked."""
    return CaseData(
        id=case.id,
        suite=case.suite,
        section=case.section,
        section_title=case.section_title,
        title=case.title,
        issues=list(case.issues),
        verdict="not-run",
        reason=reason,
        remark=case.remark,
        source=case.source,
        file=case.place.file,
        line=case.place.line,
    )


def _declare(
    case: Case, verdict: Verdict, reason: str, notes: list[str], rules: Rules
) -> tuple[Verdict, str, list[str]]:
    """Apply the author's declarations: they excuse what was answered, not a crash."""
    declared = rules.declared.get(case.id)
    if declared is None:
        return verdict, reason, notes
    if verdict in ("deviated", "failed", "unsupported"):
        return "declared", declared, [*notes, f"without the declaration: {verdict}, {reason}"]
    if verdict == "passed":
        return verdict, reason, [*notes, f"declared as a deviation ({declared}), but passes"]
    return verdict, reason, notes


def _deviation_text(found: Fit, ruleset: Ruleset) -> str:
    merged = _merge(found.deviations)
    if len(found.deviations[0]) == 1:
        alternatives = " or ".join(f"{issue} = {' or '.join(choices)}" for issue, choices in merged.items())
    else:
        alternatives = " or ".join(
            " with ".join(f"{issue} = {choice}" for issue, choice in change.items()) for change in found.deviations
        )
    in_force = ", ".join(f"{issue} = {ruleset.choices[issue]}" for issue in merged)
    titles = ", ".join(ISSUES[issue].title.lower() for issue in merged)
    return f"right under {alternatives}; in force is {in_force} ({titles})"


def _merge(deviations: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    merged: dict[str, list[str]] = {}
    for change in deviations:
        for issue, choice in change.items():
            if choice not in merged.setdefault(issue, []):
                merged[issue].append(choice)
    return merged
