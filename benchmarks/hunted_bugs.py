"""Hunts engines with one known bug each, twice, and holds what is said of the bug to fresh positions.

The engines are the mutants of the catalogue, which play the usual procedure, mutations of the sources of others
(`mutated_source.py`), those that play one choice that they are not asked to play, and the reference with bugs around it
(`black_boxes.py`). Each is hunted as `datc-check
hunt` does it, under the rules that it plays, with two seeds. A bug is one cause: all that is found stands in one group,
whatever the seed. The mutants are hunted a second time without a name to give: no mutant and no choice explains
anything, and the groups are those of the rules that the answers break.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import black_boxes
from mutated_source import LIMITS, Mutation, sample
from truth import RULES, Said, counted, other_choices, truth_of_choices, truth_of_either, truth_of_relation

from datc.adapters import AdapterError, EngineSpec
from datc.harness.bugs.mutants import MUTANTS, Mutant
from datc.harness.bugs.topics import KNOWN_MUTANTS
from datc.harness.play.session import Adjudicator
from datc.harness.search import disagreement
from datc.harness.search.drawn import make_plan
from datc.harness.search.groups import Group
from datc.harness.search.hunt import Hunt
from datc.harness.search.plan import with_inferred_rules
from datc.harness.search.text import cause_text
from datc.harness.search.workers import open_adjudicators
from datc.reference_engine import Ruleset
from datc.reference_engine.procedures import dptg

SEEDS = (1, 2)
POSITIONS = 1500
_OF_A_BLACK_BOX = 500
"""Positions: these show much that has to be shrunk."""
OWN_RULES: Mapping[str, Mapping[str, str]] = {"dptg": dptg.FIXED}
"""The choices that a procedure makes whatever it is asked for."""


class Job(NamedTuple):
    """An engine to hunt."""

    row: str
    engine: str
    spec: EngineSpec
    choices: Mapping[str, str]
    """What it plays otherwise than it is asked to."""
    has_names: bool = True
    """Whether mutants and choices may explain what it does."""


class Named(NamedTuple):
    """A group of what was found."""

    cause: str
    strength: str
    findings: int

    def __str__(self) -> str:
        return f"{self.findings} {self.cause} ({self.strength})"


class Found(NamedTuple):
    """What a hunt said of an engine."""

    findings: int
    causes: tuple[Named, ...]
    statements: tuple[Said, ...]
    trouble: str = ""


class Outcome(NamedTuple):
    """What the hunts with each seed said of an engine."""

    job: Job
    found: tuple[Found, ...]

    @property
    def is_noticed(self) -> bool:
        """Whether each hunt found something."""
        return all(each.findings for each in self.found)

    @property
    def is_one_cause(self) -> bool:
        """Whether each hunt has all that it found in one group."""
        return all(len(each.causes) == 1 for each in self.found)

    @property
    def is_mostly_one(self) -> bool:
        """Whether the largest group of each hunt has nine tenths of what it found."""
        return all(
            max(named.findings for named in each.causes) >= 0.9 * sum(named.findings for named in each.causes)
            for each in self.found
        )

    @property
    def has_same_causes(self) -> bool:
        """Whether all hunts name the same causes."""
        return len({frozenset(named.cause for named in each.causes) for each in self.found}) == 1


def print_hunts(modes: Sequence[str], every: int, jobs: int) -> list[Said]:
    """Print what was said of each engine as it comes, and a table; return the statements."""
    began = time.perf_counter()
    outcomes: list[Outcome] = []
    with ProcessPoolExecutor(jobs) as pool:
        for outcome in pool.map(hunted, _jobs(modes, every)):
            print(*_lines_of(outcome), sep="\n", flush=True)
            outcomes.append(outcome)
    print("| hunted | | noticed | causes named | confirmed | true | half | wrong | one cause | 90 % | the same twice |")
    print("|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    said: list[Said] = []
    for row in dict.fromkeys(outcome.job.row for outcome in outcomes):
        said += _print_row(row, [outcome for outcome in outcomes if outcome.job.row == row])
    print(f"  {time.perf_counter() - began:.0f} s", flush=True)
    return said


def _lines_of(outcome: Outcome) -> Iterator[str]:
    """Yield the causes that each hunt found, and the statements that are not true."""
    causes = ("one cause" if outcome.is_one_cause else "several") if outcome.is_noticed else "not noticed"
    twice = "" if outcome.has_same_causes else ", not the same twice"
    yield f"{outcome.job.row}: {outcome.job.engine}: {causes}{twice}"
    for seed, found in zip(SEEDS, outcome.found, strict=True):
        yield f"  seed {seed}: {found.findings}: {', '.join(map(str, found.causes))}; {counted(found.statements)}"
        for each in found.statements:
            if each.truth != "true":
                yield f"    {each.truth}: {each.statement} ({each.strength})"
        if found.trouble:
            yield f"    not finished: {found.trouble}"


def _print_row(row: str, outcomes: Sequence[Outcome]) -> list[Said]:
    noticed = [outcome for outcome in outcomes if outcome.is_noticed]
    said = [each for outcome in outcomes for found in outcome.found for each in found.statements]
    truth = Counter(each.truth for each in said)
    counts = (
        len(outcomes),
        len(noticed),
        sum(len(each.causes) for outcome in outcomes for each in outcome.found),
        sum(truth.values()),
        *(truth[verdict] for verdict in ("true", "half", "wrong")),
        sum(outcome.is_one_cause for outcome in noticed),
        sum(outcome.is_mostly_one for outcome in noticed),
        sum(outcome.has_same_causes for outcome in noticed),
    )
    print(f"| {row} | {' | '.join(map(str, counts))} |")
    return said


def _jobs(modes: Sequence[str], every: int) -> Iterator[Job]:
    if "black-box-hunts" in modes:
        yield from map(job_of_black_box, islice(black_boxes.NAMES, 0, None, every))
    if "held-out-hunts" in modes:
        yield from map(job_of_black_box, islice(black_boxes.HELD_OUT, 0, None, every))
    if "hunts" not in modes:
        return
    mutants = [*map(job_of_mutant, islice(MUTANTS, 0, None, every))]
    yield from mutants
    yield from (job._replace(row="without names", has_names=False) for job in mutants)
    yield from map(job_of_mutation, sample(every))
    yield from islice(map(job_of_choice, other_choices()), 0, None, every)


def job_of_mutant(name: str) -> Job:
    """Make the engine of a mutant of the catalogue."""
    command = (str(Path(sys.executable).with_name("datc-check")), "engine", "--mutant", name)
    return Job("catalogue", name, EngineSpec(f"exec:{name}", command), {})


def job_of_black_box(bug: str) -> Job:
    """Make the engine of a bug around the reference."""
    row = "black-box" if bug in black_boxes.NAMES else "held out"
    return Job(row, bug, black_boxes.spec_of(bug), {})


def _is_black_box(job: Job) -> bool:
    return job.engine in (*black_boxes.NAMES, *black_boxes.HELD_OUT)


def job_of_choice(change: tuple[str, str]) -> Job:
    """Make an engine that plays a choice that it is not asked to play."""
    name = "=".join(change)
    command = (str(Path(sys.executable).with_name("datc-check")), "engine", "--choice", name, "--fixed")
    return Job("choice", name, EngineSpec(f"exec:{name}", command), {})


def job_of_mutation(mutation: Mutation) -> Job:
    """Make the engine of a mutated source, and find the rules that it plays."""
    choices = OWN_RULES.get(mutation.procedure, {})
    return Job(f"source {mutation.procedure}", mutation.line, mutation.spec, choices)


def hunted(job: Job) -> Outcome:
    """Hunt an engine with each seed."""
    with ExitStack() as stack:
        if not job.has_names:
            no_mutants: dict[str, Mutant] = {}
            _ = stack.enter_context(patch.object(disagreement, "MUTANTS", no_mutants))
            _ = stack.enter_context(patch.object(disagreement, "explaining_changes", return_value=()))
        return Outcome(job, tuple(_hunted(job, seed) for seed in SEEDS))


def _hunted(job: Job, seed: int) -> Found:
    rules = RULES.with_choices(job.choices)
    positions = min(POSITIONS, _OF_A_BLACK_BOX) if _is_black_box(job) else POSITIONS
    plan = make_plan([(job.spec, LIMITS)], rules, (), (), seed=seed, positions=positions)
    try:
        plan = with_inferred_rules(plan, by_inferred_rules=False)
        with open_adjudicators(plan) as adjudicators:
            hunt = Hunt(plan, [each.name for each in adjudicators])
            for _ in hunt.go_on(adjudicators, 1, None, None):
                pass
            hunt.test_causes(adjudicators)
            statements = tuple(_statements(job, hunt.groups, adjudicators[0], rules))
    except AdapterError as error:
        return Found(0, (), (), str(error))
    causes = (Named(cause_text(group), group.evidence.strength, len(group.findings)) for group in hunt.groups)
    return Found(len(hunt.findings), tuple(causes), statements, hunt.trouble)


def _statements(job: Job, groups: Sequence[Group], engine: Adjudicator, asked: Ruleset) -> Iterator[Said]:
    """Hold each cause that was confirmed, or is so sometimes, to fresh positions."""
    said = [group for group in groups if group.evidence.strength in ("confirmed", "only-when", "sometimes")]
    confirmed = [group for group in said if group.evidence.strength == "confirmed"]
    choices = {issue: choice for group in confirmed for issue, (choice, *_) in group.changes.items()}
    for group in groups:
        if group.relation:
            start = partial(black_boxes.open_black_box, job.engine) if _is_black_box(job) else lambda: engine
            yield Said("relation", cause_text(group), truth_of_relation(start, group.relation))
    for group in said:
        strength, when = group.evidence.strength, group.evidence.only_when
        sometimes = strength == "sometimes"
        if group.changes:
            rules = asked.with_choices({issue: choices[issue] for issue in choices if issue not in group.changes})
            mine = {issue: choice for issue, (choice, *_) in group.changes.items()}
            yield Said(strength, cause_text(group), truth_of_choices(engine, rules, mine, sometimes=sometimes))
        elif mine := [
            name for name, known in KNOWN_MUTANTS.items() if f", or {known.sentence}," in f", or {group.label},"
        ]:
            truth = truth_of_either(engine, mine, asked.with_choices(choices), when, sometimes=sometimes)
            yield Said(strength, cause_text(group), truth)
