"""Measures whether what the doctor says of engines with a known bug is true.

    python benchmarks/diagnosis.py [alone|left-out|pairs|rules|faultless]... [--every N] [--jobs N]

Each engine is asked all suites through the protocol, and then the experiments of `diagnose_by_experiments`:

- `alone`: each mutant of the catalogue;
- `left-out`: the same, the mutant being taken out of the catalogue first, so that its true name cannot be said;
- `pairs`: two mutants at once;
- `rules`: a mutant under another ruleset than the one that is asked for;
- `faultless`: every ruleset and random ones, without a bug: nothing is to be called one.

A statement that was confirmed counts as true if on fresh positions, on which it predicts another answer than the rules,
the engine answers as predicted in 90 %; as half true from 40 %. `--every N` takes each N-th engine.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from random import Random
from typing import NamedTuple, cast, final

from datc.adapters.builtin import BuiltinEngine, Reference
from datc.cases import USUAL_EDITION, load_ruleset, load_suite, ruleset_names, suite_names
from datc.harness.answers import Answer, PhaseInput
from datc.harness.asking import agree, ask
from datc.harness.diagnosis.diagnosis import Diagnosis, diagnose_by_experiments
from datc.harness.diagnosis.mutants import MUTANTS, Mutant
from datc.harness.diagnosis.mutants.mutant import MutantReference
from datc.harness.experiments.trials import find_experiments
from datc.harness.session import Adjudicator, EngineAdjudicator, ReferenceAdjudicator
from datc.harness.verdict import Rules, ask_case
from datc.reference_engine import EQUATIONS, ISSUES, PHASES, Procedure, Ruleset

RULES = load_ruleset(USUAL_EDITION).ruleset()
FRESH = 100
MODES = ("alone", "left-out", "pairs", "rules", "faultless")


class Job(NamedTuple):
    """An engine to diagnose."""

    mode: str
    mutants: tuple[str, ...]
    ruleset: str = USUAL_EDITION
    changes: tuple[tuple[str, str], ...] = ()


class Outcome(NamedTuple):
    """What was said of an engine, and whether it is so."""

    job: Job
    named: tuple[str, ...]
    """The mutants that were confirmed."""
    statements: tuple[tuple[str, str], ...]
    """Each that was confirmed, with `true`, `half` or `wrong`."""
    found: bool
    """Whether every mutant of the engine is named, or one that answers as it does; no mutant where it has none."""
    questions: int


def main() -> int:
    """Print a table of what was said, and every statement that is not true."""
    parser = argparse.ArgumentParser()
    _ = parser.add_argument("modes", nargs="*", default=[])
    _ = parser.add_argument("--every", type=int, default=1)
    _ = parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    modes = cast("list[str]", arguments.modes) or MODES
    wrong = 0
    print("| engines | | causes named | statements | true | half | wrong | questions an engine |")
    print("|:--|--:|--:|--:|--:|--:|--:|--:|")
    for mode in modes:
        began = time.perf_counter()
        jobs = [*_jobs(mode)][:: cast("int", arguments.every)]
        with ProcessPoolExecutor(cast("int", arguments.jobs)) as pool:
            outcomes = list(pool.map(diagnosed, jobs))
        truth = Counter(verdict for outcome in outcomes for _, verdict in outcome.statements)
        found = sum(outcome.found for outcome in outcomes)
        asked = sum(outcome.questions for outcome in outcomes) / max(1, len(outcomes))
        print(
            f"| {mode} | {len(outcomes)} | {found} | {truth.total()} | {truth['true']} | {truth['half']} "
            + f"| {truth['wrong']} | {asked:.0f} |  {time.perf_counter() - began:.0f} s",
            flush=True,
        )
        for outcome in outcomes:
            for statement, verdict in outcome.statements:
                if verdict != "true":
                    print(f"  {verdict}: {outcome.job.mutants} {outcome.job.ruleset}: {statement}")
            if mode != "left-out" and not outcome.found:
                print(f"  not named: {outcome.job.mutants} {outcome.job.ruleset}: {outcome.named}")
        wrong += truth["wrong"]
    return 1 if wrong else 0


def _jobs(mode: str) -> Iterator[Job]:
    rng = Random(1)
    names = list(MUTANTS)
    if mode in ("alone", "left-out"):
        yield from (Job(mode, (name,)) for name in names)
    elif mode == "pairs":
        movement = [name for name in names if MUTANTS[name].procedure["movement"] is EQUATIONS["movement"]]
        others = [name for name in names if name not in movement]
        # Two are put together where they are of different phases.
        yield from (Job(mode, (name, movement[number % len(movement)])) for number, name in enumerate(others))
    elif mode == "rules":
        rulesets = [name for name in ruleset_names() if name != USUAL_EDITION]
        yield from (Job(mode, (name,), rng.choice(rulesets)) for name in names)
    else:
        yield from (Job(mode, (), name) for name in ruleset_names())
        for _ in range(40):
            issues = rng.sample([issue for issue in ISSUES if issue[:4] not in ("4.D.", "4.E.")], 6)
            yield Job(mode, (), changes=tuple((issue, rng.choice(ISSUES[issue].choices)) for issue in issues))


@final
class _Counting(Adjudicator):
    """Counts what is asked of an engine."""

    def __init__(self, engine: Adjudicator) -> None:
        self._engine = engine
        self.name = engine.name
        self.questions: int = 0

    def ask(self, asked: PhaseInput) -> Answer:
        self.questions += 1
        return self._engine.ask(asked)


def diagnosed(job: Job) -> Outcome:
    """Diagnose an engine, and hold what was said of it to fresh positions."""
    procedure: Procedure = EQUATIONS
    for name in job.mutants:
        mutant = MUTANTS[name].procedure
        procedure = {
            phase: mutant[phase] if mutant[phase] is not EQUATIONS[phase] else procedure[phase] for phase in PHASES
        }
    ruleset = load_ruleset(job.ruleset).ruleset().with_choices(dict(job.changes))
    fixed = job.mode in ("rules", "faultless")
    reference = (
        MutantReference(ruleset, fixed, mutant=Mutant("tested", "is tested", procedure))
        if job.mutants
        else Reference(ruleset, fixed)
    )
    engine = BuiltinEngine(reference)
    asked = _Counting(EngineAdjudicator(engine, engine.start().capabilities, RULES))
    cases = [case for name in suite_names() for case in load_suite(name).cases]
    found = [ask_case(asked, case, Rules(RULES)) for case in cases]
    asked.questions = 0
    left_out = job.mutants if job.mode == "left-out" else ()
    diagnosis = diagnose_by_experiments(found, cases, RULES, asked, left_out=left_out)
    questions = asked.questions
    confirmed = [one.name for one in diagnosis.mutants if one.evidence and one.evidence.strength == "confirmed"]
    return Outcome(
        job,
        tuple(confirmed),
        tuple(_statements(diagnosis, asked)),
        all(_is_named(name, confirmed) for name in job.mutants) if job.mutants else not confirmed,
        questions,
    )


def _statements(diagnosis: Diagnosis, engine: Adjudicator) -> Iterator[tuple[str, str]]:
    choices: dict[str, str] = {}
    for one in diagnosis.choices:
        if one.evidence.strength == "confirmed":
            choices.update(one.choices)
    for one in diagnosis.choices:
        if one.evidence.strength == "confirmed":
            without = {issue: choice for issue, choice in choices.items() if issue not in one.choices}
            rules = RULES.with_choices(without)
            yield str(one.choices), _truth(engine, rules.with_choices(one.choices), EQUATIONS, rules)
    rules = RULES.with_choices(choices)
    for mutant in diagnosis.mutants:
        if mutant.evidence is not None and mutant.evidence.strength == "confirmed":
            yield mutant.name, _truth(engine, rules, MUTANTS[mutant.name].procedure, rules)


def _truth(engine: Adjudicator, ruleset: Ruleset, procedure: Procedure, rules: Ruleset) -> str:
    """Hold a statement to fresh positions, others than those of its test."""
    said = ReferenceAdjudicator(ruleset, procedure, "said")
    fresh = find_experiments(said, ReferenceAdjudicator(rules), count=FRESH, seed=99)
    right = [experiment.is_as(experiment.predicted, ask(engine, experiment.ordered)) for experiment in fresh]
    share = sum(right) / len(right) if right else 1.0
    return "true" if share >= 0.9 else "half" if share >= 0.4 else "wrong"


def _is_named(name: str, confirmed: Sequence[str]) -> bool:
    """Whether a mutant is named, or one that answers as it does wherever it shows."""
    if name in confirmed:
        return True
    mine = ReferenceAdjudicator(RULES, MUTANTS[name].procedure, name)
    shown = find_experiments(mine, ReferenceAdjudicator(RULES), seed=98)
    others = [ReferenceAdjudicator(RULES, MUTANTS[other].procedure, other) for other in confirmed]
    return any(all(agree(one.predicted, ask(other, one.ordered)) for one in shown) for other in others)


if __name__ == "__main__":
    sys.exit(main())
