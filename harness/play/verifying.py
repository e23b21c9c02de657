"""Checks a stored run: whether its verdicts follow from the answers that it holds. No engine is asked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ...cases import Case, load_suite, suite_names
from ...reference_engine import Ruleset, RulesetError, ruleset
from ...reports import CaseData, Report, Verdict
from .answer import Answer, Failure
from .report_data import answered_phases
from .session import PlayedPhase, case_inputs, check_answer
from .verdict import Judgement, Rules, judge, merge_changes

_FLAKY = re.compile(r"flaky, asked \d+ times: [\d\w, -]+; ")
"""What `run --repeat` puts before a reason."""
WITHOUT_ANSWER: frozenset[Verdict] = frozenset({"unsupported", "error", "not-run"})


@dataclass(frozen=True)
class Contradiction:
    """Something in a stored run that does not follow from its answers."""

    case: str
    """The key of the case; empty for what is said of the whole run."""
    reason: str


def verify_run(report: Report) -> Sequence[Contradiction]:
    """Judge the stored answers of a run again.

    Args:
        report: The run.

    Returns:
        What does not follow: none where all verdicts do. The counts of a run are made from its cases when it is read.
    """
    try:
        rules = ruleset(report.ruleset.name, report.ruleset.choices)
    except RulesetError as error:
        return [Contradiction("", f"its ruleset cannot be played: {error}")]
    return [*_duplicates(report), *_of_the_cases(report, rules)]


def _duplicates(report: Report) -> Iterator[Contradiction]:
    for key, count in Counter(case.key for case in report.cases).items():
        if count > 1:
            yield Contradiction(key, f"it is there {count} times")


def _of_the_cases(report: Report, rules: Ruleset) -> Iterator[Contradiction]:
    for data in report.cases:
        case = _known_cases(data.suite).get(data.id)
        if data.suite not in suite_names():
            yield Contradiction(data.key, "it is of a suite that does not come with datc-check, and cannot be checked")
        elif case is None:
            yield Contradiction(data.key, "this version of datc-check has no such case")
        elif reason := _why_not(case, data, rules):
            yield Contradiction(data.key, reason)


@cache
def _known_cases(suite: str) -> Mapping[str, Case]:
    return {case.id: case for case in load_suite(suite).cases} if suite in suite_names() else {}


def _why_not(case: Case, data: CaseData, rules: Ruleset) -> str:
    """Say why a verdict does not follow; nothing where it does."""
    answered = answered_phases(data, case)
    kinds, count = [phase.phase for phase in data.phases], sum(phase.answer is not None for phase in data.phases)
    if len(answered) < count or kinds != [phase.phase for phase in case.phases[: len(kinds)]]:
        return "an answer belongs to another edition of the case, or no engine can give it"
    if data.verdict == "declared" and not answered:
        return ""
    declared = {data.id: data.reason} if data.verdict == "declared" else {}
    found = judge(case, _played(case, answered, data), Rules(rules, declared))
    return _difference(data, found)


def stored_answers(case: Case, data: CaseData) -> Sequence[PlayedPhase]:
    """Return what an engine answered to the phases of a case, as far as a stored run has it.

    Of the run, only the answers count: the positions and the orders are those of the case file.
    """
    return _played(case, answered_phases(data, case), data)


def _played(case: Case, answered: Sequence[PlayedPhase], data: CaseData) -> Sequence[PlayedPhase]:
    """Put stored answers to the phases of a case, each of which goes on from the answer before it."""
    played: list[PlayedPhase] = []
    before: Answer | None = None
    for phase, stored in zip(case_inputs(case), answered, strict=False):
        answer = stored.answer
        if isinstance(answer, Failure):
            break
        asked = phase.after(before) if phase.follows and before is not None else phase
        played.append(check_answer(asked, answer))
        before = answer
    if data.verdict in ("unsupported", "error") and len(played) < len(case.phases):
        asked = case_inputs(case)[len(played)]
        played.append(PlayedPhase(asked, Failure(data.reason, unsupported=data.verdict == "unsupported")))
    return played


def _difference(data: CaseData, found: Judgement) -> str:
    if found.verdict != data.verdict:
        because = f": {found.reason}" if found.reason else ""
        return f"the run says {data.verdict}, its answers give {found.verdict}{because}"
    if data.verdict in WITHOUT_ANSWER:
        return ""
    if data.board_verdict is not None and data.board_verdict != found.board_verdict:
        return f"the run says that its board {data.board_verdict}, its answers give {found.board_verdict}"
    if data.choices != {issue: list(choices) for issue, choices in found.fit.choices.items()}:
        return "the choices that its answers fit are others"
    if data.deviations != merge_changes(found.fit.deviations):
        return "the choices that it deviates by are others"
    if _FLAKY.sub("", data.reason) != found.reason:
        return f"the run says {data.reason!r}, its answers give {found.reason!r}"
    return ""
