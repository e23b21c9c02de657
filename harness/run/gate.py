"""What changed between two runs of an engine, and what fails a run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, get_args

import msgspec

from ...reference_engine.errors import nearest, printable
from ...reports import CaseData, GateData, Report, Verdict
from ...reports.gate import (
    FAILING,
    Baseline,
    Failing,
    failing_cases,
    gate_sentence,
    gate_sentences,
    is_new,
    silence_sentences,
)
from ...reports.report import ACCEPTED, FailingData
from ...reports.text import listed
from ..errors import HarnessError
from ..play.case_verdicts import Contradiction
from ..play.verdict import DECLARED_PASSES, Declarations, naming_key


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
_HIDDEN = "declared only by a pattern without choices"
_NOT_OUTDATED: frozenset[Verdict] = frozenset({"declared", "error", "not-run"})
"""The verdicts that do not show that a declaration is out of date."""


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


class Gate(msgspec.Struct, frozen=True, dict=True):
    """What makes a run fail."""

    fail_on: frozenset[Failing] = frozenset(FAILING)
    strict: bool = False
    """Whether a declaration that is out of date, or a pattern without choices, fails the run."""
    baseline: Baseline | None = None
    """What was so in an earlier run: only what is worse than there, or is not in it, fails this one."""
    baseline_name: str = ""
    pins: Mapping[str, str] = {}
    """The editions that the config pins suites to: what a later one added or changed fails no run."""
    max_fail: int = 0
    """After so many failing cases the run is ended; 0: it is not."""

    @cached_property
    def editions(self) -> Mapping[str, str]:
        """The editions that suites are pinned to, by the config or by the baseline: the later one."""
        known = {each.suite: each.edition for each in self.baseline.suites if each.edition} if self.baseline else {}
        return {suite: max(self.pins.get(suite, ""), known.get(suite, "")) for suite in (*known, *self.pins)}

    def is_new(self, case: CaseData) -> bool:
        """Whether a later edition than the pinned one added or changed a case: then it fails no run."""
        return is_new(case, self.editions)

    def why_failing(self, case: CaseData, declared: Declarations) -> str | None:
        """Say why a case fails the run; `None` where it does not. `declared` says why some do not pass."""
        if case.skipped or self.is_new(case):
            return None
        if fails(case, self.fail_on) and (self.baseline is None or self.baseline.is_worse(case)):
            return case.verdict
        if self.strict and _is_hidden(case, declared):
            return _HIDDEN
        if self.strict and case.id in declared and case.verdict not in _NOT_OUTDATED:
            return f"declared as a deviation, but {'passes' if case.verdict == 'passed' else case.verdict}"
        return None

    def applied(self, report: Report, declared: Declarations, *, stopped: bool = False) -> Report:
        """Return a run with what fails it, so that every format says the same as the exit code.

        `stopped`: it was ended after `max_fail` failing cases, and that the others were not asked fails nothing.
        """
        asked = [case for case in report.cases if not (stopped and case.verdict == "not-run")]
        failing = {case.key: why for case in asked if (why := self.why_failing(case, declared))}
        for pattern in declared if self.strict else ():
            named = [case for case in report.cases if naming_key(declared, case.id) == pattern != case.id]
            if named and not any(case.verdict in _NOT_OUTDATED for case in named):
                _ = failing.setdefault(named[0].key, f'"{pattern}" of [deviations] covers no case any more')
        hidden = {case.key: case for case in report.cases if _is_hidden(case, declared)}
        shows = any(counts(case, declared) and not self.is_new(case) for case in report.cases)
        base, mine = self.baseline, (report.engine.name, report.ruleset, report.suites)
        warnings = [] if base is None else [*base.misfits(*mine)]
        new = [self.is_new(case) for case in report.cases if not case.skipped]
        warnings += [ONLY_NEW] if new and all(new) else []
        warnings += _pattern_warnings([*hidden.values()]) if hidden else []
        if not shows and any(case.is_answered for case in hidden.values()):
            warnings.append(ONLY_BY_PATTERN)
            failing |= {key: _HIDDEN for key, case in hidden.items() if not self.is_new(case)}
        gate = GateData(
            fail_on=[verdict for verdict in get_args(Failing) if verdict in self.fail_on],
            strict=self.strict,
            baseline=self.baseline_name,
            editions={each.suite: pin for each in report.suites if (pin := self.editions.get(each.suite))},
            warnings=warnings,
            stopped_after=self.max_fail if stopped else 0,
            failing=[FailingData(case=case.name, why=failing[case.key]) for case in asked if case.key in failing],
            passed=report.complete and shows and not failing,
        )
        return msgspec.structs.replace(report, gate=gate)


ONLY_BY_PATTERN = "Only a pattern of [deviations] lets these cases pass: that passes no run."


ONLY_NEW = "Only cases are asked that the pinned edition does not have: that passes no run."


def counts(case: CaseData, declared: Declarations) -> bool:
    """Whether a case has an answer that counts: any but one that only a pattern without choices declares."""
    return case.is_answered and not _is_hidden(case, declared)


def _is_hidden(case: CaseData, declared: Declarations) -> bool:
    """Whether a case is declared only by a pattern without choices, which covers any answer."""
    is_named = case.verdict != "declared" or case.id in declared
    return not is_named and isinstance(declared.get(naming_key(declared, case.id)), str)


def _pattern_warnings(hidden: Sequence[CaseData]) -> Iterator[str]:
    """Name the cases that only patterns without choices declare, and what to write for one of them."""
    ids = listed([case.name.label for case in hidden], 8)
    yield f"A pattern of [deviations] without choices covers {ids}, whatever the answer is. Write instead, for each:"
    case = next((case for case in hidden if len(case.deviations) == 1), hidden[0])
    known = [f'"{issue}" = "{choices[0]}"' for issue, choices in case.deviations.items()]
    yield f'"{case.id}" = ' + (f'{{ why = "…", choices = {{ {known[0]} }} }}' if len(known) == 1 else '"…"')


def gate_contradictions(report: Report) -> Iterator[Contradiction]:
    """Say which cases a stored gate leaves out or should not have, as far as the run shows what is declared."""
    gate = report.gate
    if gate is None:
        return
    declared = {case.id: "" for case in report.cases if any(note.startswith(DECLARED_PASSES) for note in case.notes)}
    fail_on = frozenset(verdict for verdict in get_args(Failing) if verdict in gate.fail_on)
    worked_out = (
        Gate(fail_on, gate.strict, pins=gate.editions).applied(report, declared, stopped=gate.stopped_after > 0).gate
    )
    failing = [] if worked_out is None else worked_out.failing
    for each in (*gate.failing, *failing):
        is_unfounded = each not in failing and each.why in FAILING
        if is_unfounded or (each not in gate.failing and not gate.baseline):
            yield Contradiction(each.case.key, f"that it fails the run ({each.why}) is not what the gate says of it")


def fails(case: CaseData, fail_on: Collection[Failing]) -> bool:
    """Whether a case fails a run. Where the verdict by the board is not known, the verdict counts."""
    if case.verdict in fail_on:
        return True
    board = case.board_verdict or case.verdict
    return case.verdict in ("failed", "deviated") and f"{board}-board" in fail_on


def read_config_baseline(name: str) -> Baseline | None:
    """Read the baseline that `[run] baseline` names, if it does. Raises `HarnessError` and `StoredRunError`."""
    if not name:
        return None
    from ...reports.json_report import read_stored_baseline  # Here, since it takes long to import.

    try:
        with Path(name).open("rb") as file:
            return read_stored_baseline(file)
    except OSError as error:
        why = f"{error.strerror}: `datc-check baseline update` writes it"
        raise HarnessError(f"[run] baseline {name}: {why}") from error


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
    if not sentences:
        return
    from ...reports.findings import wrapped  # Here, since a run that passes needs nothing of it.

    for sentence in sentences:
        yield from wrapped(printable(sentence), hanging=2)
    failing = failing_cases(report)
    for case in report.cases:
        if case.key in failing:
            yield from wrapped(printable(f"{case.id} {case.title}: {failing[case.key]}"), indent=2, hanging=6)
