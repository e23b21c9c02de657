"""What a hunt found as reports: a case for the smallest position of each cause, so that every format shows them."""

from __future__ import annotations

from collections.abc import Sequence

from ...adapters import center_messages
from ...reference_engine.version import package_version
from ...reports import (
    BoardData,
    CaseData,
    EngineData,
    ExpectedData,
    HarnessData,
    OrderData,
    PhaseData,
    Report,
    RulesetData,
    SearchData,
    Verdict,
    summarize,
)
from ..answers import Answer, AnswerOrFailure, Fact, PhaseInput, fact_texts
from ..positions import OrderedPosition
from ..verdict import dislodged_data, fact_data, unit_data
from .causes import CauseKind
from .findings import Finding, finding_facts, read_said, read_stored_position
from .grouping import Group
from .hunt import Hunt
from .texts import cause_text, how_tested, question_lines

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
        incomplete_reason=""
        if complete
        else hunt.trouble or f"{hunt.positions} of {hunt.plan.positions} positions were asked",
        compliant=complete and not cases,
        seconds=round(hunt.seconds, 3),
        summary=summarize(cases),
        cases=cases,
        search=SearchData(
            positions=hunt.positions,
            disagreements=len(hunt.findings),
            against="each other and the reference engine" if len(specs) > 1 else "the reference engine",
        ),
    )


def _case(group: Group, finding: Finding, number: int, whose: str) -> CaseData:
    notes = [
        f"{len(group.findings)} positions with this cause; this is number {finding.number}, {finding.source}",
        *filter(None, ["; ".join(question_lines(finding))]),
        *how_tested(group),
    ]
    return finding_case(group, finding, f"hunt.{number}", whose, notes, "Found by hunting")


def finding_case(
    group: Group, finding: Finding, case_id: str, whose: str, notes: list[str], section_title: str
) -> CaseData:
    """Make a case of the smallest position of a cause; its suite and section are what its id begins with."""
    assert finding.position is not None  # noqa: S101 - the smallest finding of a group has one
    ordered = read_stored_position(finding.position)
    phases = _phases(ordered, finding)
    section = case_id.partition(".")[0]
    title = cause_text(group)
    return CaseData(
        id=case_id,
        suite=section,
        section=section,
        section_title=section_title,
        title=f"{whose}{title}",
        issues=sorted(group.changes),
        verdict=_VERDICTS[group.kind],
        reason=f"{_KINDS[group.kind]}: {title}",
        deviations=group.changes,
        notes=notes,
        phases=phases,
        expected=phases[-1].expected,
        answer=phases[-1].answer,
    )


def _phases(ordered: OrderedPosition, finding: Finding) -> list[PhaseData]:
    """Return the phases of a position, with what was expected and answered, and what is wrong with it."""
    said, expected = (read_said(each, ordered, "names") for each in (finding.said[0], finding.expected))
    number, facts = finding_facts(finding, ordered)
    return [
        _phase(
            asked if index >= len(said) else said[index].asked,
            expected[index].answer if index < len(expected) else None,
            said[index].answer if index < len(said) else None,
            facts if index == number else (),
        )
        for index, asked in enumerate(ordered.phases("names"))
    ]


def _phase(
    asked: PhaseInput, expected: AnswerOrFailure | None, answer: AnswerOrFailure | None, facts: Sequence[Fact]
) -> PhaseData:
    texts = asked.texts or ()
    return PhaseData(
        phase=asked.phase,
        season=asked.season,
        year=asked.year,
        before=BoardData(
            units=unit_data(asked.units),
            dislodged=dislodged_data(asked.dislodged) if asked.phase == "retreat" else None,
        ),
        centers=center_messages(asked.centers),
        orders=[
            OrderData(power=each.power, text=text) for each, text in zip(asked.submission.writings, texts, strict=True)
        ],
        expected=ExpectedData(
            choices={},
            basis="derived",
            units=unit_data(expected.units),
            dislodged=unit_data([entry.unit for entry in expected.dislodged or ()]),
        )
        if isinstance(expected, Answer)
        else None,
        answer=BoardData(units=unit_data(answer.units), dislodged=dislodged_data(answer.dislodged))
        if isinstance(answer, Answer)
        else None,
        facts=list(map(fact_data, facts)),
        differences=fact_texts(facts, texts),
    )
