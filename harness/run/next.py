"""`datc-check next`: in which stages an engine is built, which one it has reached, and which case comes next."""

from __future__ import annotations

import contextlib
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from ...cases import Case
from ...cases.suite import CasePhase, short_key
from ...reference_engine import Move, Retreat, Ruleset, Waive, province_code
from ...reference_engine.errors import printable
from ...reports import VERDICTS, CaseData, EngineData, PhaseData, Report, RulesetData, Verdict
from ...reports.findings import Block, Findings, Line, Part, Table, terminal_width
from ...reports.report import ACCEPTED, HarnessData, counted, engine_name
from ...reports.terminal import case_text
from ..bugs.topics import KNOWN_MUTANTS, needs_of, rules_of, topics, topics_of
from ..errors import HarnessError
from ..explain.case import explain_case


class Stage(NamedTuple):
    """A topic, and the cases that need it and nothing of a later one."""

    topic: str
    cases: tuple[Case, ...]
    """In the order in which they are to pass."""
    rests_on: tuple[str, ...]
    """The topics that all cases of this one need, too."""


def stages_of(cases: Sequence[Case], ruleset: Ruleset) -> Sequence[Stage]:
    """Sort cases into stages; a stage without a case is left out.

    A case that needs a part of what another one needs comes before it: in an earlier stage, or earlier in the same.
    A case that no mutant gets wrong is of the first stage.
    """
    rules = {case.key: rules_of(case, ruleset) for case in cases}
    needed = {key: topics_of(named) for key, named in rules.items()}
    cases_with = {name: frozenset(key for key, names in needed.items() if name in names) for name in topics()}
    rests_on = {
        name: tuple(other for other, theirs in cases_with.items() if own and own < theirs)
        for name, own in cases_with.items()
    }
    order: list[str] = []  # Each topic behind those that it rests on, otherwise as they are listed.
    while len(order) < len(rests_on):
        order.append(next(name for name in rests_on if name not in order and {*order}.issuperset(rests_on[name])))
    stage = {key: max(map(order.index, names), default=0) for key, names in needed.items()}
    sections = Counter((stage[case.key], case.section) for case in cases)

    def plainness(case: Case) -> tuple[int, int, int]:
        orders = sum(len(phase.orders) for phase in case.phases)
        return len(rules[case.key]), -sections[stage[case.key], case.section], orders

    plain = sorted(cases, key=plainness)
    own = {name: tuple(case for case in plain if stage[case.key] == n) for n, name in enumerate(order)}
    return [Stage(name, found, rests_on[name]) for name, found in own.items() if found]


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
    """How many of its cases passed or are declared."""
    cases: list[StageCaseData]
    """In the order in which they are to pass."""


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
    data: list[StageData] = []
    for name, own, rests_on in stages:
        of_stage = [StageCaseData(suite=case.suite, id=case.id, verdict=verdicts[case.key].verdict) for case in own]
        settled, topic = sum(case.verdict in ACCEPTED for case in of_stage), topics()[name]
        data.append(
            StageData(
                name=name, title=topic.title, rule=topic.rule, rests_on=[*rests_on], settled=settled, cases=of_stage
            )
        )
    every = ((stage.topic, case.key) for stage in stages for case in stage.cases)
    stage, key = next(((name, key) for name, key in every if verdicts[key].verdict not in ACCEPTED), (None, ""))
    settled_phases = [case.phases for case in found.cases if case.verdict in ACCEPTED]
    return NextReport(
        harness=found.harness,
        engine=found.engine,
        ruleset=found.ruleset,
        stage=stage,
        stages=data,
        partly_answered=sum(any(phase.not_given for phase in phases) for phases in settled_phases),
        next=_next_case(stage, cases[key], verdicts[key], ruleset) if stage is not None else None,
    )


def _next_case(stage: str, case: Case, found: CaseData, ruleset: Ruleset) -> NextCase:
    """Say what a case needs, what is right already, and what happens by the rules in the first phase that is not."""
    needs, explanation = needs_of(case, ruleset), ""
    number = next((n for n, phase in enumerate(found.phases) if phase.facts or phase.answer is None), 0)
    with contextlib.suppress(HarnessError):  # Where the rules in force say nothing of it.
        explanation = "".join(phase.summary for phase in explain_case(case, ruleset)[number : number + 1])
    return NextCase(
        case=found,
        needs=[*needs],
        mistakes=[KNOWN_MUTANTS[mutant].sentence for mutant in needs if topics()[stage].has(mutant)],
        right_orders=[text for pair in zip(case.phases, found.phases, strict=False) for text in _right_orders(*pair)],
        explanation=explanation,
    )


def _right_orders(phase: CasePhase, data: PhaseData) -> Iterator[str]:
    """Name the orders of a phase of which nothing is wrong, as far as the answer says what came of them."""
    if data.answer is None:
        return
    wrong = {fact.order for fact in data.facts}
    places = {(fact.unit.power, province_code(fact.unit.location)) for fact in data.facts if fact.unit}
    for index, (given, said) in enumerate(zip(phase.orders, data.orders, strict=True)):
        order = given.order
        to = [order.to] if isinstance(order, (Move, Retreat)) else []
        locations = [] if order is None or isinstance(order, Waive) else [order.unit.location, *to]
        is_known = said.outcome is not None or to
        if is_known and index not in wrong and places.isdisjoint((given.power, province_code(at)) for at in locations):
            yield given.text


def next_findings(report: NextReport, engine: str) -> Findings[NextReport]:
    """Say which stage an engine has reached and which case comes next; `engine` is how its author names it."""
    name, spec = engine_name(report.engine), shlex.quote(printable(engine))
    reached = next((number for number, stage in enumerate(report.stages, 1) if stage.name == report.stage), None)
    if reached is None or report.next is None:
        stages = f"all {len(report.stages)} stages" if len(report.stages) > 1 else "the one stage"
        counts = Counter(case.verdict for stage in report.stages for case in stage.cases)
        verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
        after = [f"datc-check {words}" for words in (f"run {spec} --suite all", f"hunt {spec}", f"infer {spec}")]
        parts = [
            Part([f"{name}: {stages} done, {verdicts}"]),
            Part([*_stages(report)]),
            Part(["Then come more cases, random positions, and the rules that it plays:"]),
            Part([Line(command, 2, unbroken=True) for command in after]),
        ]
        return Findings(report, parts)
    stage, case = report.stages[reached - 1], report.next.case
    shown = case_text(case, terminal_width()).splitlines()
    key = shlex.quote(short_key(case.key))
    commands: list[Block] = [
        "Every decision in order, and the first that differs:",
        Line(f"datc-check explain {key} {spec}", 2, unbroken=True),
        "Ask it again whenever a file is saved:",
        Line(f"datc-check watch {spec} --select {key}", 2, unbroken=True),
    ]
    parts = [
        Part([f"{name}: stage {reached} of {len(report.stages)}, {stage.title}"]),
        Part([*_stages(report)]),
        Part([f"{stage.title[0].upper()}{stage.title[1:]}: {stage.rule}"]),
        Part(["Next:", *(Line(row, unbroken=True) for row in shown)]),
        Part([*_remarks(report.next)]),
        Part(commands),
    ]
    return Findings(report, parts, f"Next: {case.id} {case.title}")


def _stages(report: NextReport) -> Iterator[Block]:
    """Give the stages as a table; behind each, which of its settled cases did not pass."""
    rows: list[Sequence[str]] = []
    for number, stage in enumerate(report.stages, 1):
        counts = Counter(case.verdict for case in stage.cases)
        mark, declared = ">" if stage.name == report.stage else " ", counts["declared"]
        settled = f"{stage.settled:3} of {len(stage.cases):3}"
        rows.append((f"{mark}{number:3}", stage.title, settled, f"({declared} declared)" if declared else ""))
    settled, cases = sum(stage.settled for stage in report.stages), sum(len(stage.cases) for stage in report.stages)
    yield Table([*rows, ("", "all cases", f"{settled:3} of {cases:3}", "")])
    if count := report.partly_answered:
        sentence = f"In {counted(count, 'case')} of these the answers leave out the outcomes of orders, or retreats."
        yield Line(f"{sentence} If they had them, the stages would be more exact.", 6, 6)


def _remarks(found: NextCase) -> Iterator[Block]:
    """Say what is right already, what happens by the rules, and which mistakes the case shows."""
    phases = found.case.phases
    if found.case.verdict == "deviated":
        yield "If the engine is to play that choice, put it into datc.toml, or declare the deviation there."
    if found.right_orders:
        yield "Already right:"
        yield from (Line(text, 2, 6) for text in found.right_orders)
    elif any(phase.answer is not None for phase in phases):
        yield "None of its orders is right yet."
    if found.explanation and not any(phase.explanation for phase in phases):
        yield "By the rules:"
        yield Line(found.explanation, 2, 2)
    if found.mistakes:
        yield "Mistakes that this case shows:"
        yield from (Line(f"an engine that {mistake}", 2, 6) for mistake in found.mistakes[:5])
