"""What changed between two runs of an engine, and what fails a run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args

import msgspec

from ...reference_engine.errors import nearest, printable
from ...reports import CaseData, GateData, Report, Verdict
from ...reports.findings import wrapped
from ...reports.gate import FAILING, Baseline, Failing, failing_cases, gate_sentence, gate_sentences, silence_sentences
from ...reports.report import ACCEPTED, CaseName, FailingData
from ...reports.text import listed
from ..errors import HarnessError
from ..play.case_verdicts import Contradiction
from ..play.verdict import DECLARED_PASSES


class Change(NamedTuple):
    """A case of which two runs say something else."""

    key: str
    title: str
    before: Verdict
    """`not-run`, too, where a run does not have it."""
    after: Verdict


CHANGE_TITLES: Mapping[str, str] = {
    "newly_failing": "Newly failing",
    "not_run": "Not run now",
    "newly_passing": "Newly passing",
    "other_verdict": "Another verdict",
    "other_answer": "Another answer",
    "only_before": "Not asked any more",
    "only_after": "Asked for the first time",
}
"""The ways to change. A case fails newly if it passed or was declared; it has another verdict if that is neither better
nor worse, and another answer if it has the same verdict."""
WORSE = ("newly_failing", "not_run", "only_before")
"""Something does not pass any more, or is not asked any more."""


def diff_runs(before: Report, after: Report) -> Mapping[str, Sequence[Change]]:
    """Say what changed from one run to another: each case by a key of `CHANGE_TITLES`, in the order of the runs."""
    old, new = ({case.key: case for case in run.cases} for run in (before, after))
    changes: dict[str, list[Change]] = {kind: [] for kind in CHANGE_TITLES}
    for key in dict.fromkeys((*new, *old)):
        if kind := _kind_of_change(old.get(key), new.get(key)):
            verdict_before: Verdict = old[key].verdict if key in old else "not-run"
            verdict_after: Verdict = new[key].verdict if key in new else "not-run"
            title = (new.get(key) or old[key]).title
            changes[kind].append(Change(key, title, verdict_before, verdict_after))
    return changes


def _kind_of_change(before: CaseData | None, after: CaseData | None) -> str | None:
    """Say how a case differs from one run to another; `None` where it does not."""
    if before is None or after is None:
        return "only_after" if before is None else "only_before"
    if after.verdict == "not-run" != before.verdict:
        return "not_run"
    passes = after.verdict in ACCEPTED
    if passes != (before.verdict in ACCEPTED):
        return "newly_passing" if passes else "newly_failing"
    if before.verdict != after.verdict:
        return "other_verdict"

    from ..rules.compare import answered_alike  # Here, since a gate needs none of what it imports.

    return None if answered_alike(before, after) else "other_answer"


@dataclass(frozen=True)
class Gate:
    """What makes a run fail."""

    fail_on: frozenset[Failing] = frozenset(FAILING)
    strict: bool = False
    """Whether a declared deviation that passes fails the run."""
    baseline: Baseline | None = None
    """What was so in an earlier run: only what is worse than there, or is not in it, fails this one."""
    baseline_name: str = ""
    max_fail: int = 0
    """After so many failing cases the run is ended; 0: it is not."""

    def why_failing(self, case: CaseData, declared: Mapping[str, str]) -> str | None:
        """Say why a case fails the run; `None` where it does not. `declared` says why some do not pass."""
        if case.skipped:
            return None
        if fails(case, self.fail_on) and (self.baseline is None or self.baseline.is_worse(case)):
            return case.verdict
        is_outdated = self.strict and case.verdict == "passed" and case.id in declared
        return "declared as a deviation, but passes" if is_outdated else None

    def applied(self, report: Report, declared: Mapping[str, str], *, stopped: bool = False) -> Report:
        """Return a run with what fails it, so that every format says the same as the exit code.

        `stopped`: it was ended after `max_fail` failing cases, and that the others were not asked fails nothing.
        """
        failing = [
            FailingData(case=CaseName(suite=case.suite, id=case.id), why=why)
            for case in report.cases
            if (why := self.why_failing(case, declared)) and not (stopped and case.verdict == "not-run")
        ]
        shows = any(_shows_something(case, declared) for case in report.cases)
        warnings = [] if self.baseline is None else [*self.baseline.misfits(report)]
        if not shows and any(case.is_answered for case in report.cases):
            warnings.append("Only a pattern of [deviations] lets these cases pass: that passes no run.")
        gate = GateData(
            fail_on=[verdict for verdict in get_args(Failing) if verdict in self.fail_on],
            strict=self.strict,
            baseline=self.baseline_name,
            warnings=warnings,
            stopped_after=self.max_fail if stopped else 0,
            failing=failing,
            passed=report.complete and shows and not failing,
        )
        return msgspec.structs.replace(report, gate=gate)


def gate_contradictions(report: Report) -> Iterator[Contradiction]:
    """Say which cases a stored gate leaves out or should not have, as far as the run shows what is declared."""
    gate = report.gate
    if gate is None:
        return
    declared = {case.id: "" for case in report.cases if any(note.startswith(DECLARED_PASSES) for note in case.notes)}
    fail_on = frozenset(verdict for verdict in get_args(Failing) if verdict in gate.fail_on)
    worked_out = Gate(fail_on, gate.strict).applied(report, declared, stopped=gate.stopped_after > 0).gate
    failing = [] if worked_out is None else worked_out.failing
    for each in (*gate.failing, *failing):
        if each not in failing or (each not in gate.failing and not gate.baseline):
            yield Contradiction(each.case.key, f"that it fails the run ({each.why}) is not what the gate says of it")


def _shows_something(case: CaseData, declared: Mapping[str, str]) -> bool:
    """Whether a case has an answer that counts: of those that are declared, one that is declared by its own id."""
    return case.is_answered and (case.verdict != "declared" or case.id in declared)


def fails(case: CaseData, fail_on: Collection[Failing]) -> bool:
    """Whether a case fails a run. Where the verdict by the board is not known, the verdict counts."""
    if case.verdict in fail_on:
        return True
    board = case.board_verdict or case.verdict
    return case.verdict in ("failed", "deviated") and f"{board}-board" in fail_on


def split_verdicts(texts: Sequence[str]) -> frozenset[Failing]:
    """Read verdicts as the option `--fail-on` has them, with commas or one each. Raises `HarnessError`."""
    names = [name.strip() for text in texts for name in text.split(",")]
    known: Mapping[str, Failing] = {verdict: verdict for verdict in get_args(Failing)}
    for name in names:
        if name not in known:
            raise HarnessError(f"--fail-on {name}: there is no such verdict to fail on{nearest(name, tuple(known))}")
    return frozenset(known[name] for name in names)


def quiet_lines(report: Report) -> Iterator[str]:
    """Say in a line why a run does not pass, nothing where it does; and the warnings of its gate."""
    if not report.complete:
        yield printable(f"Not finished: {report.incomplete_reason}")
    elif report.gate is not None:
        yield from map(printable, [*silence_sentences(report), *report.gate.warnings])
        if failing := [each.case.label for each in report.gate.failing]:
            yield printable(f"{gate_sentence(report.gate)}: {listed(failing, 8)}")


def gate_lines(report: Report) -> Iterator[str]:
    """Say what fails a run, and which cases do, in lines for a terminal; nothing where that is not being compliant."""
    sentences = gate_sentences(report) if report.complete else []
    for sentence in sentences:
        yield from wrapped(printable(sentence), hanging=2)
    failing = failing_cases(report)
    for case in report.cases if sentences else ():
        if case.key in failing:
            yield from wrapped(printable(f"{case.id} {case.title}: {failing[case.key]}"), indent=2, hanging=6)
