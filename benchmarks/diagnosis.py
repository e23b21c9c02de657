"""Measures whether what the doctor, and a hunt, say of engines with a known bug is true.

    python benchmarks/diagnosis.py [MODE]... [--every N] [--jobs N]

Each engine is asked all suites through the protocol, and then the experiments of `diagnose_by_experiments`:

- `alone`: each mutant of the catalogue;
- `left-out`: the same, the mutant being taken out of the catalogue first, so that its true name cannot be said;
- `pairs`: two mutants at once;
- `rules`: a mutant under another ruleset than the one that is asked for;
- `source`: 40 mutations each, as Cosmic Ray makes them, of the sources of three other procedures (`mutated_source.py`);
- `choices`: each choice that is not preferred, alone;
- `one-case`: the same, asked one case alone that shows it;
- `faultless`: every ruleset and 200 random ones, without a bug: nothing is to be called one;
- `own-suite`: the same, asked a suite of a user which names no issues;
- `black-box`: the reference with bugs around it that no mutant has (`black_boxes.py`).

A statement that was confirmed counts as true if on fresh positions, on which it predicts another answer than the rules,
the engine answers as predicted in 90 %; as half true from 40 %. A choice has to be so, too, on fresh positions that
tell it from each other choice of its issue, of the answers that are one of the two. With a condition it has to be so
where that holds, and not elsewhere. What is said to be so sometimes is true from 40 %, and half true from 10 %. That
something changes an answer is true where one fresh position shows it. That an engine does not play a choice counts as
wrong where it is made to play it, and else as true. `--every N` takes each N-th engine.

- `hunts`: mutants of the catalogue and mutations of the sources, each hunted twice (`hunted_bugs.py`);
- `black-box-hunts`: the same of the reference with bugs around it;
- `held-out-hunts`: the same of those that no way to group findings was tried on before it was measured.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple, cast, final

import black_boxes
import hunted_bugs
from mutated_source import LIMITS, Mutation, sample
from truth import RULES, Said, counted, other_choices, print_goals, truth_of_choices, truth_of_either

from datc.adapters import AdapterError, open_engine
from datc.adapters.builtin import BuiltinEngine, Reference
from datc.cases import Case, SuiteError, load_ruleset, load_suite, ruleset_names, suite_names
from datc.cases.suite import USUAL_EDITION
from datc.harness.bugs.diagnosis import Diagnosis, diagnose_by_experiments
from datc.harness.bugs.experiment import Claim, find_experiments, positions_of_suites
from datc.harness.bugs.mutants import MUTANTS, Mutant
from datc.harness.bugs.mutants.mutant import MutantReference
from datc.harness.bugs.topics import KNOWN_MUTANTS
from datc.harness.play.answer import Answer, PhaseInput
from datc.harness.play.case_verdicts import ask_case
from datc.harness.play.differential import agree, ask
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.session import Adjudicator, ReferenceAdjudicator
from datc.harness.play.verdict import Rules
from datc.harness.search.suite import CannotBeExpectedError, Expectations, Expected, file_of_cases, lines_of_case
from datc.reference_engine import ISSUES, Procedure, Ruleset
from datc.reference_engine.orders import PHASES
from datc.reference_engine.procedures import EQUATIONS

MODES = (
    *("alone", "left-out", "pairs", "rules", "source", "choices", "one-case", "faultless", "own-suite", "black-box"),
    *("hunts", "black-box-hunts", "held-out-hunts"),
)
_RANDOM_RULESETS = 200


class Job(NamedTuple):
    """An engine to diagnose."""

    mode: str
    mutants: tuple[str, ...] = ()
    ruleset: str = USUAL_EDITION
    changes: tuple[tuple[str, str], ...] = ()
    mutation: Mutation | None = None
    black_box: str = ""

    @property
    def row(self) -> str:
        """The row of the table that it counts in."""
        return f"{self.mode} {self.mutation.procedure}" if self.mutation else self.mode

    @property
    def plays(self) -> Ruleset:
        """The rules that it plays, whatever its bug."""
        if self.mutation:
            return RULES.with_choices(hunted_bugs.OWN_RULES.get(self.mutation.procedure, {}))
        return load_ruleset(self.ruleset).ruleset().with_choices(dict(self.changes))

    @property
    def counts_names(self) -> bool:
        """Whether it is known which mutants are to be named, or that none is."""
        return self.mode not in ("left-out", "source", "black-box")

    @property
    def engine(self) -> str:
        """What the engine is."""
        if self.mutation:
            return self.mutation.line
        return self.black_box or " ".join(
            (*self.mutants, self.ruleset, *(f"{issue}={choice}" for issue, choice in self.changes))
        )


class Outcome(NamedTuple):
    """What was said of an engine, and whether it is so."""

    job: Job
    named: tuple[str, ...]
    """The mutants that it was said to be like, with how sure that was."""
    statements: tuple[Said, ...]
    found: bool
    """Whether every mutant of the engine is named, or one that answers as it does; no mutant where it has none."""
    questions: int
    is_noticed: bool = False
    """Whether it does not pass some case."""
    trouble: str = ""
    """Why it could not be asked to the end."""


def main() -> int:
    """Print what was said of each engine as it comes, and a table of all."""
    parser = argparse.ArgumentParser()
    _ = parser.add_argument("modes", nargs="*", choices=[[], *MODES], default=[])
    _ = parser.add_argument("--every", type=int, default=1)
    _ = parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    modes = cast("list[str]", arguments.modes) or MODES
    every, jobs = cast("int", arguments.every), cast("int", arguments.jobs)
    said: list[Said] = []
    of_doctor = [job for mode in modes if "hunts" not in mode for job in _jobs(mode, every)]
    if of_doctor:
        began = time.perf_counter()
        outcomes: list[Outcome] = []
        # All modes share the processes, which remember the positions that statements are held to.
        with ProcessPoolExecutor(jobs) as pool:
            for outcome in pool.map(diagnosed, of_doctor):
                print(*_lines_of(outcome), sep="\n", flush=True)
                outcomes.append(outcome)
        print("| engines | | noticed | causes named | statements | true | half | wrong | questions an engine |")
        print("|:--|--:|--:|--:|--:|--:|--:|--:|--:|")
        for row in dict.fromkeys(outcome.job.row for outcome in outcomes):
            said += _print_row(row, [outcome for outcome in outcomes if outcome.job.row == row])
        print(f"  {time.perf_counter() - began:.0f} s", flush=True)
    hunts = [mode for mode in modes if "hunts" in mode]
    said += hunted_bugs.print_hunts(hunts, every, jobs) if hunts else []
    print_goals(said)
    return 1 if any(each.truth == "wrong" for each in said) else 0


def _lines_of(outcome: Outcome) -> Iterator[str]:
    """Yield how much was said of an engine, and what was not right of it."""
    job = outcome.job
    yield f"{job.row}: {job.engine}: {counted(outcome.statements)}; {outcome.questions} questions"
    for each in outcome.statements:
        if each.truth != "true":
            yield f"  {each.truth}: {each.statement} ({each.strength})"
    if job.counts_names and not outcome.found:
        yield f"  {'not named' if job.mutants else 'named'}: {outcome.named}"
    if job.black_box and not outcome.is_noticed:
        yield "  passes every case"
    if outcome.trouble:
        yield f"  not asked to the end: {outcome.trouble}"


def _print_row(row: str, outcomes: Sequence[Outcome]) -> list[Said]:
    """Print a row of the table; return the statements."""
    said = [each for outcome in outcomes for each in outcome.statements]
    truth = Counter(each.truth for each in said)
    found = str(sum(outcome.found for outcome in outcomes)) if outcomes[0].job.counts_names else ""
    noticed = sum(outcome.is_noticed for outcome in outcomes)
    asked = sum(outcome.questions for outcome in outcomes) / len(outcomes)
    print(
        f"| {row} | {len(outcomes)} | {noticed} | {found} | {sum(truth.values())} | {truth['true']} | {truth['half']} "
        + f"| {truth['wrong']} | {asked:.0f} |"
    )
    return said


def _jobs(mode: str, every: int) -> Iterable[Job]:
    if mode == "source":
        return (Job(mode, mutation=one) for one in sample(every))  # Those that are left out need not be tried.
    return islice(_all_jobs(mode), 0, None, every)


def _all_jobs(mode: str) -> Iterator[Job]:
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
    elif mode == "black-box":
        yield from (Job(mode, black_box=name) for name in black_boxes.NAMES)
    elif mode in ("choices", "one-case"):
        yield from (Job(mode, changes=(change,)) for change in other_choices())
    else:
        yield from (Job(mode, (), name) for name in ruleset_names())
        for _ in range(_RANDOM_RULESETS):
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
    try:
        with _opened(job) as engine:
            return _diagnosed(job, engine)
    except AdapterError as error:
        return Outcome(job, (), (), found=False, questions=0, trouble=str(error))


@contextmanager
def _opened(job: Job) -> Generator[Adjudicator]:
    """Start an engine. Raises `AdapterError`."""
    if job.mutation:
        with open_engine(job.mutation.spec, LIMITS) as engine:
            yield EngineAdjudicator(engine, engine.start().capabilities, RULES)
        return
    if job.black_box:
        yield black_boxes.open_black_box(job.black_box)
        return
    procedure: Procedure = EQUATIONS
    for name in job.mutants:
        mutant = MUTANTS[name].procedure
        procedure = {
            phase: mutant[phase] if mutant[phase] is not EQUATIONS[phase] else procedure[phase] for phase in PHASES
        }
    fixed = job.mode in ("rules", "choices", "one-case", "faultless", "own-suite")
    reference = (
        MutantReference(job.plays, fixed, mutant=Mutant("tested", "is tested", procedure))
        if job.mutants
        else Reference(job.plays, fixed)
    )
    builtin = BuiltinEngine(reference)
    yield EngineAdjudicator(builtin, builtin.start().capabilities, RULES)


def _diagnosed(job: Job, engine: Adjudicator) -> Outcome:
    asked = _Counting(engine)
    cases = own_cases() if job.mode == "own-suite" else cases_of_suites()
    found = [ask_case(asked, case, Rules(RULES)) for case in cases]
    if job.mode == "one-case" and (shown := [one for one in found if one.verdict == "deviated"]):
        found = [Random(job.engine).choice(shown)]
        cases = [case for case in cases if case.key == found[0].key]
    asked.questions = 0
    left_out = job.mutants if job.mode == "left-out" else ()
    diagnosis = diagnose_by_experiments(found, cases, RULES, asked, left_out=left_out)
    questions = asked.questions
    confirmed = [one.name for one in diagnosis.mutants if one.evidence and one.evidence.strength == "confirmed"]
    return Outcome(
        job,
        tuple(f"{one.name} ({one.evidence.strength if one.evidence else 'untested'})" for one in diagnosis.mutants),
        tuple(_statements(diagnosis, asked, job.plays)),
        all(_is_named(name, confirmed) for name in job.mutants) if job.mutants else not diagnosis.mutants,
        questions,
        any(one.verdict in ("failed", "deviated") for one in found),
    )


@cache
def cases_of_suites() -> Sequence[Case]:
    """All cases of the project."""
    return [case for name in suite_names() for case in load_suite(name).cases]


@cache
def own_cases() -> Sequence[Case]:
    """The positions of the project's cases as in a suite of a user, with one outcome each and no issues."""
    written: dict[str, Sequence[str]] = {}
    for number, ordered in enumerate(positions_of_suites()):
        try:
            expected = Expected(tables=Expectations(ordered, RULES, usual_only=True).expected().tables)
        except CannotBeExpectedError:
            continue
        name = f"own.{number}"
        written[name] = list(lines_of_case(name, "A position", ordered, expected))
    try:
        return _read(written)
    except SuiteError as error:
        # Some orders are to places that there are not.
        wrong = {problem.case for problem in error.problems}
        return _read({name: lines for name, lines in written.items() if name not in wrong})


def _read(cases: Mapping[str, Sequence[str]]) -> Sequence[Case]:
    """Read cases from a folder. Raises `SuiteError`."""
    with tempfile.TemporaryDirectory() as folder:
        header = f'name = "own"\ntitle = "Own cases"\nruleset = "{USUAL_EDITION}"\n'
        _ = Path(folder, "suite.toml").write_text(header, encoding="utf-8")
        _ = Path(folder, "cases.toml").write_text(file_of_cases("", cases.values()), encoding="utf-8")
        return load_suite(folder).cases


def _statements(diagnosis: Diagnosis, engine: Adjudicator, plays: Ruleset) -> Iterator[Said]:
    choices: dict[str, str] = {}
    for one in diagnosis.choices:
        if one.evidence.strength == "confirmed":
            choices.update(one.choices)
    for one in diagnosis.choices:
        strength = one.evidence.strength
        rules = RULES.with_choices({issue: choice for issue, choice in choices.items() if issue not in one.choices})
        if strength == "refuted":
            plays_them = one.choices.items() <= plays.choices.items()
            yield Said(strength, f"not {one.choices}", "wrong" if plays_them else "true")
        elif strength != "untested":
            truth = truth_of_choices(engine, rules, one.choices, sometimes=strength == "sometimes")
            yield Said(strength, str(one.choices), truth)
    rules = RULES.with_choices(choices)
    for mutant in diagnosis.mutants:
        if mutant.evidence is not None and mutant.evidence.strength not in ("refuted", "untested"):
            strength, when = mutant.evidence.strength, mutant.evidence.only_when
            names = [
                mutant.name,
                *(name for name, known in KNOWN_MUTANTS.items() if known.sentence in mutant.evidence.alike),
            ]
            truth = truth_of_either(engine, names, rules, when, sometimes=strength == "sometimes")
            yield Said(strength, f"{' or '.join(names)}{f' when {when}' if when else ''}", truth)


def _is_named(name: str, confirmed: Sequence[str]) -> bool:
    """Whether a mutant is named, or one that answers as it does wherever it shows."""
    if name in confirmed:
        return True
    mine = ReferenceAdjudicator(RULES, MUTANTS[name].procedure, name)
    shown = find_experiments(Claim(mine, ReferenceAdjudicator(RULES)), seed=98)
    others = [ReferenceAdjudicator(RULES, MUTANTS[other].procedure, other) for other in confirmed]
    return any(all(agree(one.predicted, ask(other, one.ordered)) for one in shown) for other in others)


if __name__ == "__main__":
    sys.exit(main())
