"""What fails a run: its gate, and the baseline, the stored verdicts of an earlier run, that later runs are held to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from ..cases import suite_names
from ..cases.suite import Edition
from .errors import StoredRunError
from .inference import InferenceReport
from .report import (
    ACCEPTED,
    VERDICTS,
    CaseData,
    GateData,
    HarnessData,
    Report,
    RulesetData,
    Verdict,
    counted,
    counted_verdicts,
    is_compliant,
    summarize,
    unanswered_sentences,
)
from .text import id_ranges

Failing: TypeAlias = Literal["deviated", "failed", "unsupported", "error", "not-run", "failed-board", "deviated-board"]
"""What a run can fail on: verdicts and, for the last two, the verdict by the board alone."""
FAILING: tuple[Failing, ...] = ("deviated", "failed", "unsupported", "error", "not-run")
"""What a run fails on by default."""
SEVERITIES: Mapping[Verdict, Literal["error", "warning"]] = {
    "failed": "error",
    "error": "error",
    "deviated": "warning",
    "passed": "warning",
    "declared": "warning",
}
"""How CI services show a case that fails a run, the worst first; the others are shown together. Of one that passed, the
declaration is out of date; of one that is declared, it says no choices."""


def failing_cases(report: Report) -> Mapping[str, str]:
    """Return the keys of the cases that fail a run, and why, in its order.

    Without a gate, every case fails it that did not pass and is not declared or skipped.
    """
    if report.gate is not None:
        return {each.case.key: each.why for each in report.gate.failing}
    return {case.key: case.verdict for case in report.cases if case.verdict not in ACCEPTED and not case.skipped}


def is_success(report: Report) -> bool:
    """Whether a run exits with 0: everything was asked, and nothing fails it."""
    return report.compliant if report.gate is None else report.gate.passed


def recounted(report: Report) -> Report:
    """Return a run with the counts and success that follow from its cases; a gate passes only if it says so, too."""
    gate, cases = report.gate, report.cases
    if gate is not None:
        answered = any(case.is_answered for case in cases)
        gate = msgspec.structs.replace(gate, passed=gate.passed and report.complete and answered and not gate.failing)
    return msgspec.structs.replace(
        report,
        gate=gate,
        summary=summarize(cases),
        board_summary=summarize(cases, by_board=True),
        compliant=is_compliant(cases, complete=report.complete),
    )


def is_new(case: CaseData, editions: Mapping[str, str]) -> bool:
    """Whether a later edition added or changed a case than the one that its suite is pinned to."""
    return case.suite in editions and case.since > editions[case.suite]


def new_case_sentences(report: Report) -> Iterator[str]:
    """Name the cases that are newer than the editions that their suites are pinned to, and count their verdicts."""
    pinned = report.gate.editions if report.gate else {}
    for suite in report.suites:
        if new := [case for case in report.cases if case.suite == suite.suite and is_new(case, pinned)]:
            counts = ", ".join(f"{count} {verdict}{note}" for verdict, count, note in counted_verdicts(new))
            pin = f"{suite.suite} {suite.edition}, pinned to {pinned[suite.suite]}"
            yield f"New in this edition, not gated ({pin}; {counts}): {id_ranges([case.id for case in new])}"


def gate_sentence(gate: GateData) -> str:
    """Say what was to fail a run, and how much of that there is: `"What fails the run (failed): 2 cases"`."""
    terms = [", ".join(gate.fail_on)]
    terms += ["only where worse than the baseline"] if gate.baseline else []
    terms += ["a declared pattern without choices", "a declared deviation that passes"] if gate.strict else []
    found = counted(len(gate.failing), "case") if gate.failing else "nothing"
    return f"What fails the run ({'; '.join(terms)}): {found}"


_SHOWN_IDS = 40
"""Of cases that are not carried, so many are named in a sentence."""


def not_carried_sentences(report: Report | InferenceReport) -> list[str]:
    """Name the cases that were not carried to another map, if there are any."""
    if not report.carried or not report.carried.not_carried:
        return []
    count = len(report.carried.not_carried)
    ids = list(dict.fromkeys(each.case.id for each in report.carried.not_carried))
    named = id_ranges(ids[:_SHOWN_IDS]) + f" and {len(ids) - _SHOWN_IDS} more" * (len(ids) > _SHOWN_IDS)
    return [f"{count} {'case is' if count == 1 else 'cases are'} not carried to the map {report.carried.map}: {named}"]


def silence_sentences(report: Report) -> list[str]:
    """Say that not one case was answered, and how many the config skips, so that no run passes in silence."""
    skipped = [case for case in report.cases if case.skipped]
    asked = [case for case in report.cases if not case.skipped]
    sentences = unanswered_sentences(len(asked), sum(case.is_answered for case in asked))
    sentences = sentences if report.cases or report.carried else []
    sentences += not_carried_sentences(report)
    if skipped:
        what = "case was" if len(skipped) == 1 else "cases were"
        ids = id_ranges([case.id for case in skipped])
        sentences.append(f"{len(skipped)} {what} skipped by the config, and not asked: {ids}")
    return sentences


def gate_sentences(report: Report, quote: Callable[[str], str] = str) -> list[str]:
    """Say what the gate of a run makes of it, where that is another thing than being compliant, and its warnings."""
    gate = report.gate
    if gate is None:
        return []
    is_usual = not gate.baseline and not gate.strict and {*gate.fail_on} == {*VERDICTS} - ACCEPTED
    others = [*silence_sentences(report), *new_case_sentences(report), *gate.warnings]
    return [*([] if is_usual else [gate_sentence(gate)]), *map(quote, others)]


def place_of(report: Report, case: CaseData) -> tuple[str, int] | None:
    """Return the file and the line that the author can look at: the case file of an own suite, or the config."""
    if case.file and case.suite not in suite_names():
        return case.file, case.line
    return (report.config, 1) if report.config else None


_BADNESS: Sequence[Verdict] = ("not-run", "unsupported", "deviated", "failed", "error")
"""Of two verdicts that do not pass, the later one is the worse."""
_BOARD_BADNESS: Sequence[Verdict] = ("passed", "deviated", "failed")


class Baseline(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict of each case in an earlier run. Cases go by their `key`."""

    format: int = 1
    type: Literal["baseline"] = "baseline"
    harness: HarnessData
    engine: str
    engine_version: str = ""
    ruleset: RulesetData
    cases: dict[str, Verdict]
    boards: dict[str, Verdict] = {}
    """The verdict by the board alone, where it is another one."""
    suites: list[Edition] = []
    """The editions that the cases are from: what a later one adds or changes fails no run."""

    @staticmethod
    def of_run(report: Report) -> Baseline:
        """Keep of a run what a baseline needs."""
        return Baseline(
            harness=report.harness,
            engine=report.engine.name,
            engine_version=report.engine.version,
            ruleset=report.ruleset,
            cases={case.key: case.verdict for case in report.cases if not case.skipped},
            boards={
                case.key: case.board_verdict
                for case in report.cases
                if case.board_verdict is not None and case.board_verdict != case.verdict
            },
            suites=report.suites,
        )

    def updated(self, report: Report) -> Baseline:
        """Take over the verdicts of a run; cases that it did not ask keep theirs, unless it is not comparable.

        So does an edition of which it did not ask all cases.
        """
        new = Baseline.of_run(report)
        if [*self.misfits(new.engine, new.ruleset)]:
            return new
        kept = {key: verdict for key, verdict in self.boards.items() if key not in new.cases}
        asked = Counter(case.suite for case in report.cases)
        suites = {each.suite: each for each in new.suites}
        suites |= {each.suite: each for each in self.suites if asked[each.suite] < suites.get(each.suite, each).cases}
        both = {"cases": {**self.cases, **new.cases}, "boards": {**kept, **new.boards}}
        return msgspec.structs.replace(new, **both, suites=[*suites.values()])

    def misfits(self, engine: str, theirs: RulesetData, suites: Iterable[Edition] = ()) -> Iterator[str]:
        """Say why a run cannot be held to it: it is of another engine, of other rules, or of other cases."""
        if self.engine != engine:
            yield f"The baseline is of the engine {self.engine}, but this run is of {engine}."
        ours = self.ruleset
        if ours.name != theirs.name:
            yield f"The baseline is of the ruleset {ours.name}, but this run is of {theirs.name}."
        elif issues := [issue for issue, old in ours.choices.items() if theirs.choices.get(issue, old) != old]:
            yield f"The baseline is of other choices than this run: {', '.join(issues)}."
        before = {(each.suite, each.edition): each.digest for each in self.suites if each.edition}
        for suite in suites:
            if before.get((suite.suite, suite.edition), suite.digest) != suite.digest:
                yield f"The cases of {suite.suite} {suite.edition} are not those of the baseline."

    def is_worse(self, case: CaseData) -> bool:
        """Whether a case has a worse verdict or a worse board than in the baseline, or is not in it."""
        before = self.cases.get(case.key)
        is_lost = case.verdict == "unsupported" and before in ("deviated", "failed")  # It was answered then.
        if before is None or is_lost or _badness(case.verdict) > _badness(before):
            return True
        board = self.boards.get(case.key, before)
        after = case.board_verdict
        known = board in _BOARD_BADNESS and after in _BOARD_BADNESS
        return known and _BOARD_BADNESS.index(after) > _BOARD_BADNESS.index(board)


def _badness(verdict: Verdict) -> int:
    return -1 if verdict in ACCEPTED else _BADNESS.index(verdict)


class _Kind(msgspec.Struct):
    type: str = ""


def read_baseline(content: bytes) -> Baseline | None:
    """Read a baseline, or return `None` for something else. Raises `StoredRunError` where a baseline cannot be read."""
    try:
        if msgspec.json.decode(content, type=_Kind).type != "baseline":
            return None
        return msgspec.json.decode(content, type=Baseline)
    except msgspec.ValidationError as error:
        raise StoredRunError(f"it holds no baseline: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
