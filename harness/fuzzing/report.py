"""What a hunt found as reports: a case for the smallest position of each cause, so that every format shows them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ...adapters import UnitMessage
from ...adapters.builtin import package_version
from ...reference_engine import GivenOrder, province_code
from ...reports import (
    BoardData,
    CaseData,
    DislodgedData,
    EngineData,
    ExpectedData,
    HarnessData,
    OrderData,
    PhaseData,
    Report,
    RulesetData,
    UnitData,
    Verdict,
    summarize,
)
from .causes import CauseKind
from .findings import Finding, SaidData
from .grouping import Group
from .hunt import Hunt
from .situation import Situation, order_text, read_situation
from .texts import cause_text, difference_lines

_VERDICTS: dict[CauseKind, Verdict] = {"bug": "failed", "deviation": "deviated", "failure": "error"}
_KINDS: dict[CauseKind, str] = {
    "bug": "a bug, or a rule that no choice stands for",
    "deviation": "right under another choice",
    "failure": "no answer",
}


def hunt_report(hunt: Hunt) -> Report:
    """Make the report of a hunt: its causes, each with the smallest position that shows it.

    It is one report for all engines, since each has causes of its own.
    """
    specs = [each.spec.text for each in hunt.plan.engines]
    shown = [(number, group, group.smallest) for number, group in enumerate(hunt.groups, 1)]
    cases = [
        _case(group, finding, number, f"{hunt.names[group.engine]}: " if len(specs) > 1 else "")
        for number, group, finding in shown
        if finding is not None
    ]
    complete = hunt.complete and not hunt.interrupted
    return Report(
        harness=HarnessData(name="datc-check", version=package_version()),
        engine=EngineData(spec=" ".join(specs), name=" and ".join(hunt.names)),
        ruleset=RulesetData(name=hunt.plan.ruleset.name, choices=dict(hunt.plan.ruleset.choices)),
        complete=complete,
        incomplete_reason="" if complete else hunt.trouble or f"hunted through {hunt.positions} positions only",
        compliant=complete and not cases,
        seconds=round(hunt.seconds, 3),
        summary=summarize(cases),
        cases=cases,
    )


def _case(group: Group, finding: Finding, number: int, whose: str) -> CaseData:
    assert finding.position is not None  # noqa: S101 - the smallest finding of a group has one
    situation = read_situation(finding.position)
    phases = _phases(situation, finding)
    title = cause_text(group)
    return CaseData(
        id=f"hunt.{number}",
        suite="hunt",
        section="hunt",
        section_title="Found by hunting",
        title=f"{whose}{title}",
        issues=sorted(group.changes),
        verdict=_VERDICTS[group.kind],
        reason=f"{_KINDS[group.kind]}: {title}",
        deviations=group.changes,
        notes=[f"{len(group.findings)} positions with this cause; this is number {finding.number}, {finding.source}"],
        phases=phases,
        expected=phases[-1].expected,
        answer=phases[-1].answer,
    )


def _phases(situation: Situation, finding: Finding) -> list[PhaseData]:
    """The phases of a position, with what was expected and answered."""
    said, expected = finding.said[0], finding.said[1] if finding.relation else finding.said[-1]
    before = [UnitData(power=unit.power, type=unit.type, location=unit.location) for unit in situation.units]
    dislodged = _dislodged(situation, said)
    first = PhaseData(
        phase=situation.position.phase,
        season="winter" if situation.position.phase == "adjustment" else "spring",
        year=1901,
        before=BoardData(units=before),
        centers={power: sorted(owned) for power, owned in situation.position.centers.items()},
        orders=_orders(situation.orders),
        expected=_expected(expected.units, _lost(situation, expected)),
        answer=_board(said.units, dislodged),
        differences=difference_lines(finding),
    )
    if situation.retreats is None:
        return [first]
    moved = msgspec.structs.replace(
        first, expected=_expected(expected.moved, []), answer=_board(said.moved, None), differences=[]
    )
    retreated = msgspec.structs.replace(
        first, phase="retreat", before=_board(said.moved, None) or first.before, orders=_orders(situation.retreats)
    )
    return [moved, retreated]


def _orders(orders: Sequence[GivenOrder]) -> list[OrderData]:
    return [OrderData(power=given.power, text=order_text(given, "names")) for given in orders]


def _expected(units: Sequence[UnitMessage] | None, dislodged: list[UnitData]) -> ExpectedData | None:
    if units is None:
        return None
    return ExpectedData(choices={}, basis="derived", units=_units(units), dislodged=dislodged)


def _board(units: Sequence[UnitMessage] | None, dislodged: list[DislodgedData] | None) -> BoardData | None:
    return None if units is None else BoardData(units=sorted(_units(units)), dislodged=dislodged)


def _dislodged(situation: Situation, said: SaidData) -> list[DislodgedData] | None:
    if said.dislodged is None:
        return None
    return [
        DislodgedData(unit=unit, retreats=said.dislodged[province_code(unit.location)])
        for unit in _lost(situation, said)
    ]


def _lost(situation: Situation, said: SaidData) -> list[UnitData]:
    """The units that are told to be dislodged."""
    return [
        UnitData(power=unit.power, type=unit.type, location=unit.location)
        for unit in situation.units
        if province_code(unit.location) in (said.dislodged or {})
    ]


def _units(units: Sequence[UnitMessage]) -> list[UnitData]:
    return [UnitData(power=unit.power, type=unit.type, location=unit.location) for unit in units]
