"""What was found of a case as a report has it, and back: the border between what is compared and what is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ...adapters.conversion import center_messages
from ...adapters.protocol import OrderResultMessage, RulesetMessage
from ...cases import Case
from ...cases.suite import CaseOrder, CasePhase, Edition, Expectation
from ...reference_engine import Dislodged, GivenOrder, Phase, Ruleset, Unit
from ...reference_engine.installation import package_version
from ...reference_engine.maps import STANDARD
from ...reference_engine.orders import PHASES
from ...reports import BoardData, CaseData, DislodgedData, FactData, OrderData, PhaseData, RulesetData, UnitData
from ...reports.report import ExpectedData, HarnessData, NearestData, OrderSetData
from ...reports.text import LOG_LINES, shortened
from ...reports.vocabulary import fact_texts, merge_changes
from .answer import Answer, AnswerOrFailure, Failure, OrderOutcome, PhaseInput
from .differences import Fact, FactKind, diff_answers, not_given
from .session import PlayedPhase, check_answer
from .verdict import Rules, expected_answer, expected_under, judge

_PHASES: Mapping[str, Phase] = {phase: phase for phase in PHASES}


def harness_data() -> HarnessData:
    """Put this program into a report."""
    return HarnessData(name="datc-check", version=package_version())


def ruleset_data(ruleset: Ruleset | RulesetMessage) -> RulesetData:
    """Put the rules in force into a report."""
    return RulesetData(name=ruleset.name, choices=dict(ruleset.choices))


def edition_data(cases: Iterable[Case]) -> list[Edition]:
    """Put the editions that some cases are from into a report."""
    return [each for each in dict.fromkeys(case.edition for case in cases) if each]


def case_data(case: Case, played: Sequence[PlayedPhase], rules: Rules) -> CaseData:
    """Put a case that was played into a report, with its verdict."""
    found, pairs = judge(case, played, rules), zip(case.phases, played, strict=False)
    phases = [phase_data(phase, one, expected_under(phase, rules.ruleset)) for phase, one in pairs]
    failure = next((one.answer for one in played if isinstance(one.answer, Failure)), None)
    decided = next((phase for phase in phases if phase.facts), phases[-1] if phases else None)
    nearest = None
    if found.nearest is not None:
        facts = [fact_data(fact) for facts in found.nearest.facts for fact in facts]
        nearest = NearestData(choices=dict(found.nearest.changes), facts=facts)
    return msgspec.structs.replace(
        unasked(case, found.reason),
        verdict=found.verdict,
        board_verdict=found.board_verdict,
        choices={issue: list(choices) for issue, choices in found.fit.choices.items()},
        deviations=merge_changes(found.fit.deviations),
        nearest=nearest,
        notes=list(found.notes),
        log=shortened(failure.log if failure is not None else (), LOG_LINES),
        phases=phases,
        expected=decided and decided.expected,
        answer=decided and decided.answer,
    )


def unasked(case: Case, reason: str) -> CaseData:
    """Put a case that was not asked into a report."""
    copied = ("id", "suite", "section", "section_title", "title", "remark", "source", "file", "line", "since")
    same = {name: getattr(case, name) for name in copied}
    placement = case.placement or msgspec.UNSET
    return CaseData(**same, issues=list(case.issues), verdict="not-run", reason=reason, placement=placement)


def phase_data(phase: CasePhase, played: PlayedPhase, expectation: Expectation | None) -> PhaseData:
    """Put a phase into a report: what stood, what was ordered, expected and answered, and what differs."""
    asked, answer, facts = played
    if isinstance(answer, Failure):
        answer = None
    expected = None if expectation is None else expected_answer(phase, expectation, asked)
    texts = [order.text for order in phase.orders]
    omitted: tuple[Fact, ...] = ()
    if expected is not None and answer is not None and not facts:
        facts, omitted = diff_answers(expected, answer), not_given(expected, answer)
    outcomes = (answer and answer.outcomes) or [None] * len(texts)
    orders = [
        OrderData(
            power=order.power,
            text=order.text,
            place=phase.place_of(order),
            order_set=order_set_data(phase, order),
            expected=expectation and expectation.orders.get(index),
            outcome=said and said.outcome,
            reason=said and said.reason,
        )
        for index, (order, said) in enumerate(zip(phase.orders, outcomes, strict=True))
    ]
    expected_data = None
    if expectation is not None and expected is not None:
        expected_data = ExpectedData(
            choices={issue: sorted(choices) for issue, choices in expectation.choices.items()},
            basis=expectation.basis,
            units=unit_data(sorted(expected.units)),
            dislodged=unit_data(sorted(expected.dislodged or ())),
            may_retreat=[f"{claim.province} - {claim.to}" for claim in sorted(expectation.may_retreat)],
            may_not_retreat=[f"{claim.province} - {claim.to}" for claim in sorted(expectation.may_not_retreat)],
        )
    data = answered_data(asked, answer, orders, expected_data, facts)
    omitted_texts = dict.fromkeys(_omitted_text(fact, texts) for fact in omitted)
    return msgspec.structs.replace(data, not_given=list(omitted_texts))


def answered_data(
    asked: PhaseInput,
    answer: AnswerOrFailure | None,
    orders: list[OrderData],
    expected: ExpectedData | None,
    facts: Sequence[Fact],
) -> PhaseData:
    """Put a phase that was asked into a report: what stood, what was answered, and the facts that differ."""
    board, dislodged = None, asked.dislodged if asked.phase == "retreat" else None
    if isinstance(answer, Answer):
        board = BoardData(units=unit_data(answer.units), dislodged=dislodged_data(answer.dislodged))
    return PhaseData(
        phase=asked.phase,
        season=asked.season,
        year=asked.year,
        before=BoardData(units=unit_data(asked.units), dislodged=dislodged_data(dislodged)),
        centers=center_messages(asked.centers),
        orders=orders,
        expected=expected,
        answer=board,
        facts=list(map(fact_data, facts)),
        differences=fact_texts(facts, [order.text for order in orders], board=asked.board),
        map=asked.map_name if asked.map_name != STANDARD else msgspec.UNSET,
    )


def order_set_data(phase: CasePhase, order: CaseOrder) -> OrderSetData | msgspec.UnsetType:
    """Put the order set of an order into a report, where there are several or the order was known before."""
    if not phase.place_of(order):
        return msgspec.UNSET
    number = order.submitted.order_set
    mark = phase.marks.get((order.power, number), "")
    return OrderSetData(number=number, mark=mark, in_sequence=phase.in_sequence, beforehand=order.submitted.beforehand)


def _omitted_text(fact: Fact, texts: Sequence[str]) -> str:
    if fact.order is not None:
        return f"outcome of {texts[fact.order]!r}"
    if fact.kind == "dislodgement-missing" or fact.unit is None:
        return "dislodged"
    return f"retreats of {fact.unit.power} {fact.unit.type} {fact.unit.location}"


def unit_data(units: Iterable[Unit]) -> list[UnitData]:
    """Put units into a report."""
    return [UnitData(**unit._asdict()) for unit in units]


def dislodged_data(entries: Sequence[Dislodged] | None) -> list[DislodgedData] | None:
    """Put dislodged units into a report."""
    if entries is None:
        return None
    return [
        DislodgedData(unit=UnitData(**unit._asdict()), attacked_from=origin, retreats=None if to is None else list(to))
        for unit, origin, to in entries
    ]


def fact_data(fact: Fact) -> FactData:
    """Put a fact into a report."""
    unit = None if fact.unit is None else UnitData(**fact.unit._asdict())
    return FactData(kind=fact.kind, unit=unit, expected=fact.expected, actual=fact.actual, order=fact.order)


def read_fact(data: FactData) -> Fact:
    """Take a fact from a report. Raises `msgspec.ValidationError` for a kind that there is not."""
    unit = None if data.unit is None else _unit(data.unit)
    return Fact(msgspec.convert(data.kind, FactKind), unit, data.expected, data.actual, data.order)


def answered_phases(data: CaseData, case: Case | None = None) -> list[PlayedPhase]:
    """Return what was asked and answered, as far as a report has it; with `case`, of this edition of the case."""
    played: list[PlayedPhase] = []
    phases_of_case = data.phases if case is None else case.phases
    for phase, own in zip(data.phases, phases_of_case, strict=False):
        texts, answer = [order.text for order in phase.orders], _answer(phase)
        if answer is None or [order.text for order in own.orders] != texts:
            break
        asked = PhaseInput(
            _PHASES.get(phase.phase, "movement"),
            [GivenOrder(order.power, None) for order in phase.orders],
            tuple(map(_unit, phase.before.units)),
            tuple(map(_dislodged, phase.before.dislodged or ())),
            texts,
            board=own.board,
        )
        played.append(check_answer(asked, answer))
    return played


def _answer(phase: PhaseData) -> Answer | None:
    """Take what an engine answered from a report; `None` where it has no answer, or one that no engine can give."""
    if phase.answer is None or any(unit.type not in ("A", "F") for unit in phase.answer.units):
        return None
    said = [{"outcome": order.outcome, "reason": order.reason} if order.outcome else None for order in phase.orders]
    try:
        messages = msgspec.convert(said, list[OrderResultMessage | None])
    except msgspec.ValidationError:
        return None
    entries = phase.answer.dislodged if phase.phase == "movement" else None
    dislodged = None if entries is None else tuple(sorted(map(_dislodged, entries), key=lambda entry: entry.unit))
    outcomes = tuple(each and OrderOutcome(each.outcome, each.reason) for each in messages)
    return Answer(tuple(map(_unit, phase.answer.units)), dislodged, outcomes)


def _unit(unit: UnitData) -> Unit:
    return Unit(unit.power, "A" if unit.type == "A" else "F", unit.location)


def _dislodged(entry: DislodgedData) -> Dislodged:
    return Dislodged(_unit(entry.unit), entry.attacked_from, None if entry.retreats is None else tuple(entry.retreats))
