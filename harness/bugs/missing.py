"""Finds whole parts of the rules that an engine lacks, first of all: most of its wrong answers follow from that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ...cases import Case
from ...cases.suite import USUAL_EDITION, CaseName
from ...reference_engine import ISSUES, Board, Ruleset
from ...reports import CaseData
from ...reports.statements import Evidence, MissingPart
from .confirm import system
from .evidence import AskedOnce, weigh
from .experiment import ENOUGH, Claim
from .mutants import MUTANTS
from .mutants.missing import MISSING, orders_of
from .small import LocatedExperiment, phase_of, small_experiments
from .topics import Topic, needs_of, topics

_OF_A_RIVAL = 8
"""So many experiments tell a missing part from a mutant that may be there instead."""


def find_missing(
    engine: AskedOnce,
    found: Iterable[CaseData],
    cases: Iterable[Case],
    ruleset: Ruleset,
    is_explained: Callable[[CaseData, Sequence[str]], bool],
    seed: int = 0,
    board: Board | None = None,
) -> list[MissingPart]:
    """Find the parts of the rules that an engine lacks, those first on which the others rest.

    A part is tested if most of the cases that rest on it are not passed. `is_explained` says whether the rules without
    some parts give the answer of the engine. New positions are on a `board`, by default the standard one. Raises
    `EngineGaveOutError` and `EngineClosedError`.
    """
    by_key = {case.key: case for case in cases}
    answered = [data for data in found if data.verdict in ("passed", "deviated", "failed")]
    needs = {data.key: needs_of(by_key[data.key], ruleset, MISSING) for data in answered}
    missing: list[MissingPart] = []
    for name, part in MISSING.items():
        resting = [data for data in answered if name in needs[data.key]]
        wrong = [data for data in resting if data.verdict != "passed"]
        if not wrong or 2 * len(wrong) < len(resting):
            continue
        before = tuple(each.name for each in missing)
        (topic,) = (topic for topic in topics().values() if topic.has(name))
        evidence = _test(engine, name, topic, before, ruleset, seed, board)
        if evidence.strength == "confirmed":
            missing.append(
                MissingPart(
                    name=name,
                    sentence=part.sentence,
                    topic=topic.title,
                    cases=names_of(wrong),
                    explained=names_of([data for data in wrong if is_explained(data, [*before, name])]),
                    hollow=names_of(
                        data
                        for data in answered
                        if data.verdict == "passed" and data not in resting and has_orders(by_key[data.key], name)
                    ),
                    asked=len(resting),
                    evidence=evidence,
                )
            )
    return missing


def names_of(cases: Iterable[CaseData]) -> list[CaseName]:
    """Name cases, those of the DATC first: its author has them at hand."""
    return [case.name for case in sorted(cases, key=lambda case: case.suite != USUAL_EDITION)]


def has_orders(case: Case, part: str) -> bool:
    """Whether somebody gives such orders in a case as a part of the rules is about."""
    return any(isinstance(each.order, orders_of(part)) for phase in case.phases for each in phase.orders)


def _test(
    engine: AskedOnce,
    name: str,
    topic: Topic,
    parts: tuple[str, ...],
    ruleset: Ruleset,
    seed: int,
    board: Board | None,
) -> Evidence:
    """Ask positions in which a part matters, beside other missing parts, about an engine that seems to lack it.

    In every second one it matters under each choice of the issues of its topic. What else may be true of the engine,
    mutants of the topic that answer mostly as without the part, must differ from it, too.
    """
    known = [system(part, ruleset, parts) for part in parts]
    claim = Claim(system(name, ruleset, parts), system((), ruleset, parts), known, board)
    issues = ((issue, choice) for issue in topic.issues for choice in ISSUES[issue].choices)
    choices = [system((pair,), ruleset, parts) for pair in issues]
    phase = phase_of(MISSING[name].procedure)
    experiments: list[LocatedExperiment] = []

    def draw() -> Iterator[LocatedExperiment]:
        for own_seed, others, most in (seed, (), ENOUGH // 2), (seed + 1, choices, ENOUGH):
            for each in small_experiments(claim, others, phase, own_seed, most - len(experiments)):
                experiments.append(each)
                yield each

    evidence = weigh(engine, draw(), if_confirmed=True)
    for mutant in filter(topic.has, MUTANTS) if evidence.strength == "confirmed" else ():
        rival = system(mutant, ruleset, parts)
        if 2 * sum(one.is_shown_by(rival) for one in experiments) >= len(experiments):
            apart = weigh(engine, small_experiments(claim, [rival], phase, seed + 2, _OF_A_RIVAL))
            if apart.strength not in ("confirmed", "untested"):
                return apart
    return evidence
