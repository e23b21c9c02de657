"""Asks an engine the phases of a case and gives the case its verdict."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from ..adapters import (
    AdjudicateParams,
    AdjudicateResult,
    Capabilities,
    DislodgedMessage,
    Engine,
    EngineFailure,
    Extra,
    Notation,
    UnitMessage,
    UnsupportedError,
    center_messages,
    flying_dutchman_messages,
    given_order_message,
    order_set_messages,
    ruleset_message,
    unit_messages,
)
from ..cases import Case, CasePhase, Expectation
from ..reference_engine import ISSUES, Proxy, Ruleset, Unclear, Unit
from ..reports import (
    BoardData,
    CaseData,
    DislodgedData,
    ExpectedData,
    OrderData,
    PhaseData,
    UnitData,
    Verdict,
)
from .judging import AskedPhase, Fit, Judgement, expected_dislodged, fit, judge


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
        before = _before(phase, asked)
        if expectation is None or expectation.no_answer:
            verdict, reason = "not-run", "the rules in force give no answer to this position"
            break
        try:
            answer = _ask_phase(engine, capabilities, phase, before, rules)
        except UnsupportedError as error:
            verdict, reason = "unsupported", str(error)
            phases.append(_phase_data(phase, before, expectation, None, Judgement()))
            break
        except EngineFailure as error:
            verdict, reason = "error", str(error)
            phases.append(_phase_data(phase, before, expectation, None, Judgement()))
            break
        asked.append(AskedPhase(phase, before.units, before.dislodged_units, answer))
        judgement = judge(asked[-1], expectation)
        notes += judgement.notes
        phases.append(_phase_data(phase, before, expectation, answer, judgement))
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
    )


@dataclass(frozen=True)
class _Before:
    """What stands before a phase, and what the engine wants back with it."""

    units: tuple[Unit, ...]
    unit_messages: Sequence[UnitMessage]
    dislodged: Sequence[DislodgedMessage] | None
    state: msgspec.Raw | msgspec.UnsetType

    @property
    def dislodged_units(self) -> tuple[Unit, ...]:
        return tuple(Unit(entry.power, entry.type, entry.location) for entry in self.dislodged or ())


def _before(phase: CasePhase, asked: Sequence[AskedPhase]) -> _Before:
    if phase.position is not None or not asked:
        units = phase.position.units if phase.position is not None else ()
        return _Before(units, unit_messages(units), (), msgspec.UNSET)
    answer = asked[-1].answer
    units = tuple(Unit(unit.power, unit.type, unit.location) for unit in answer.units)
    return _Before(units, answer.units, answer.dislodged, answer.state)


def _ask_phase(
    engine: Engine, capabilities: Capabilities, phase: CasePhase, before: _Before, rules: Rules
) -> AdjudicateResult:
    if capabilities.phases is not None and phase.phase not in capabilities.phases:
        raise UnsupportedError(f"the engine has no {phase.phase} phase")
    if before.dislodged is None:
        raise UnsupportedError("the engine does not say which units are dislodged, so it cannot be asked to retreat")
    dutchmen = phase.position.flying_dutchmen if phase.position is not None else ()
    lacking = [extra for extra in _extras(phase) if extra not in capabilities.extras]
    if lacking:
        raise UnsupportedError(f"the engine does not say that it can do {' and '.join(lacking)} (capabilities.extras)")
    if capabilities.orders is not None and "text" not in capabilities.orders and _needs_text(phase):
        raise UnsupportedError("the engine reads no text, and only a reader of text can tell what is meant here")
    return engine.adjudicate(
        AdjudicateParams(
            phase=phase.phase,
            season=phase.season,
            year=phase.year,
            ruleset=ruleset_message(rules.ruleset),
            units=list(before.unit_messages),
            centers=center_messages(phase.centers),
            dislodged=list(before.dislodged) if phase.phase == "retreat" else [],
            orders=[given_order_message(order.submitted, order.text, rules.notation) for order in phase.orders],
            order_sets=order_set_messages(phase.marks),
            sets_in_sequence=phase.in_sequence,
            flying_dutchmen=flying_dutchman_messages(dutchmen),
            state=before.state,
        )
    )


def _extras(phase: CasePhase) -> Iterable[Extra]:
    """What an engine needs for a phase beyond one set of orders a power."""
    submitted = [order.submitted for order in phase.orders]
    if any(one.order_set > 1 for one in submitted):
        yield "order-sets"
    if any(isinstance(one.writing, Proxy) for one in submitted):
        yield "proxies"
    if any(one.beforehand and not isinstance(one.writing, Proxy) for one in submitted):
        yield "perpetual-orders"
    if phase.position is not None and phase.position.flying_dutchmen:
        yield "flying-dutchmen"


def _needs_text(phase: CasePhase) -> bool:
    return any(isinstance(order.submitted.writing, Unclear) for order in phase.orders)


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


def _phase_data(
    phase: CasePhase,
    before: _Before,
    expectation: Expectation,
    answer: AdjudicateResult | None,
    judgement: Judgement,
) -> PhaseData:
    orders = answer.orders if answer is not None else None
    return PhaseData(
        phase=phase.phase,
        season=phase.season,
        year=phase.year,
        before=BoardData(
            units=_unit_data(before.units),
            dislodged=_dislodged_data(before.dislodged) if phase.phase == "retreat" else None,
        ),
        centers=center_messages(phase.centers),
        orders=[
            OrderData(
                power=order.power,
                text=order.text,
                place=phase.place_of(order),
                expected=expectation.orders.get(index),
                outcome=result.outcome if (result := orders[index] if orders else None) else None,
                reason=result.reason if result else None,
            )
            for index, order in enumerate(phase.orders)
        ],
        expected=_expected_data(phase, before, expectation),
        answer=None
        if answer is None
        else BoardData(
            units=sorted(UnitData(power=u.power, type=u.type, location=u.location) for u in answer.units),
            dislodged=_dislodged_data(answer.dislodged),
        ),
        differences=judgement.differences,
        not_given=judgement.not_given,
    )


def _expected_data(phase: CasePhase, before: _Before, expectation: Expectation) -> ExpectedData:
    asked = AskedPhase(phase, before.units, before.dislodged_units, AdjudicateResult(units=[]))
    return ExpectedData(
        choices={issue: sorted(choices) for issue, choices in expectation.choices.items()},
        basis=expectation.basis,
        units=_unit_data(sorted(expectation.board_after(before.units, before.dislodged_units, phase.phase))),
        dislodged=_unit_data(expected_dislodged(asked, expectation)),
        may_retreat=[f"{claim.province} - {claim.to}" for claim in sorted(expectation.may_retreat)],
        may_not_retreat=[f"{claim.province} - {claim.to}" for claim in sorted(expectation.may_not_retreat)],
    )


def _unit_data(units: Sequence[Unit]) -> list[UnitData]:
    return [UnitData(power=unit.power, type=unit.type, location=unit.location) for unit in units]


def _dislodged_data(entries: Sequence[DislodgedMessage] | None) -> list[DislodgedData] | None:
    if entries is None:
        return None
    return [
        DislodgedData(
            unit=UnitData(power=entry.power, type=entry.type, location=entry.location),
            attacked_from=entry.from_,
            retreats=entry.retreats,
        )
        for entry in entries
    ]
