"""What `datc-check next` says of an engine, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from ...cases import Case, CasePhase
from ...reference_engine import Move, Order, Retreat, Ruleset, Waive, province_code
from ...reports import CaseData, EngineData, HarnessData, PhaseData, Report, RulesetData, Verdict
from ..diagnosis.topics import needs_of, sentence_of, topics
from ..errors import HarnessError
from ..explain.explain import explain_case
from .stages import Stage

SETTLED: frozenset[Verdict] = frozenset({"passed", "deviated", "declared"})
"""The verdicts that are not in the way: a deviation plays the rules in another way that they allow."""


class StageCaseData(msgspec.Struct, frozen=True, kw_only=True):
    """A case of a stage."""

    suite: str
    id: str
    verdict: Verdict


class StageData(msgspec.Struct, frozen=True, kw_only=True):
    """A stage, and how far the engine is in it."""

    name: str
    title: str
    rule: str
    """The rules of the stage in a sentence or two."""
    rests_on: list[str]
    """The stages that every case of this one needs, too."""
    settled: int
    """How many of its cases passed, deviated or are declared."""
    cases: list[StageCaseData]
    """In the order in which they are to pass."""

    @property
    def is_settled(self) -> bool:
        """Whether no case of it is left."""
        return self.settled == len(self.cases)


class NextCase(msgspec.Struct, frozen=True, kw_only=True):
    """The case to make pass next."""

    case: CaseData
    needs: list[str]
    """The mutants that get it wrong: the rules that they break are those that it needs."""
    mistakes: list[str]
    """The mistakes against the rules of this stage that the case shows, such as `cuts no support`."""
    right_orders: list[str]
    """The orders whose outcome the engine has right, as they are written."""
    explanation: str
    """What happens by the rules, in the first phase that is not right."""


class NextReport(msgspec.Struct, frozen=True, kw_only=True):
    """Which stage an engine has reached, and which case comes next."""

    format: int = 1
    type: Literal["next"] = "next"
    harness: HarnessData
    engine: EngineData
    ruleset: RulesetData
    stage: str | None
    """The name of the first stage with a case left; `None` where every case is settled."""
    stages: list[StageData]
    next: NextCase | None
    """The first case of that stage that is left."""
    partly_answered: int
    """How many cases are settled though their answers leave out what would be compared, such as outcomes of orders."""


def next_report(stages: Sequence[Stage], cases: Mapping[str, Case], found: Report, ruleset: Ruleset) -> NextReport:
    """Say which stage an engine has reached, and which case comes next; `cases` are those of the stages by `key`."""
    verdicts = {case.key: case for case in found.cases}
    data = [_stage_data(stage, verdicts) for stage in stages]
    reached = next((stage.name for stage in data if not stage.is_settled), None)
    left = [case for stage in stages for case in stage.cases if verdicts[case.key].verdict not in SETTLED]
    return NextReport(
        harness=found.harness,
        engine=found.engine,
        ruleset=found.ruleset,
        stage=reached,
        stages=data,
        partly_answered=sum(
            case.verdict in SETTLED and any(phase.not_given for phase in case.phases) for case in found.cases
        ),
        next=_next_case(reached, cases[left[0].key], verdicts[left[0].key], ruleset) if left and reached else None,
    )


def _stage_data(stage: Stage, verdicts: Mapping[str, CaseData]) -> StageData:
    topic = topics()[stage.topic]
    cases = [StageCaseData(suite=case.suite, id=case.id, verdict=verdicts[case.key].verdict) for case in stage.cases]
    return StageData(
        name=stage.topic,
        title=topic.title,
        rule=topic.rule,
        rests_on=[*stage.rests_on],
        settled=sum(case.verdict in SETTLED for case in cases),
        cases=cases,
    )


def _next_case(stage: str, case: Case, found: CaseData, ruleset: Ruleset) -> NextCase:
    pairs = zip(case.phases, found.phases, strict=False)
    needs = needs_of(case, ruleset)
    return NextCase(
        case=found,
        needs=[*needs],
        mistakes=[sentence_of(mutant) for mutant in needs if topics()[stage].has(mutant)],
        right_orders=[text for phase, data in pairs for text in _right_orders(phase, data)],
        explanation=_by_the_rules(case, found, ruleset),
    )


def _by_the_rules(case: Case, found: CaseData, ruleset: Ruleset) -> str:
    """Explain the first phase that is not right; nothing where the rules in force say nothing of it."""
    number = next((n for n, phase in enumerate(found.phases) if phase.facts or phase.answer is None), 0)
    try:
        phases = explain_case(case, ruleset)
    except HarnessError:
        return ""
    return phases[number].summary if number < len(phases) else ""


def _right_orders(phase: CasePhase, data: PhaseData) -> Iterator[str]:
    """Name the orders of a phase of which nothing is wrong, as far as the answer says what came of them."""
    if data.answer is None:
        return
    wrong = {fact.order for fact in data.facts}
    places = {(fact.unit.power, province_code(fact.unit.location)) for fact in data.facts if fact.unit is not None}
    for index, (given, said) in enumerate(zip(phase.orders, data.orders, strict=True)):
        order = given.order
        is_known = said.outcome is not None or isinstance(order, (Move, Retreat))
        if is_known and index not in wrong and places.isdisjoint(_places(given.power, order)):
            yield given.text


def _places(power: str, order: Order | None) -> set[tuple[str, str]]:
    """The provinces in which the unit of an order can be after it."""
    if order is None or isinstance(order, Waive):
        return set()
    to = {order.to} if isinstance(order, (Move, Retreat)) else set[str]()
    return {(power, province_code(location)) for location in {order.unit.location, *to}}
