"""Asks an adjudicator one case, and works the verdicts of a stored run out again, without asking anybody."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from ...adapters.engine import ASKED_FOR
from ...cases import Case, load_suite, suite_names
from ...reference_engine import Ruleset, RulesetError, ruleset
from ...reports import CaseData, Report, Verdict
from ...reports.vocabulary import merge_changes
from .answer import Answer, Failure
from .report_data import answered_phases, case_data
from .session import Adjudicator, PlayedPhase, case_inputs, check_answer, play
from .verdict import NOT_COVERED, Rules, expected_under, fitting_alternatives, judge


def ask_case(adjudicator: Adjudicator, case: Case, rules: Rules) -> CaseData:
    """Ask a case and give it its verdict. Raises `EngineGaveOutError` and `EngineClosedError` instead of a verdict."""
    began = time.perf_counter()
    found = case_data(case, play_case(adjudicator, case, phases_with_answer(case, rules)), rules)
    return msgspec.structs.replace(found, seconds=round(time.perf_counter() - began, 6))


def phases_with_answer(case: Case, rules: Rules) -> int:
    """Return how many phases there are before the first to which the rules in force give no answer."""
    expected = [expected_under(phase, rules.ruleset) for phase in case.phases]
    return expected.index(None) if None in expected else len(expected)


def play_case(adjudicator: Adjudicator, case: Case, phases: int) -> list[PlayedPhase]:
    """Ask so many phases of a case, as long as the answers are right under some choices. Raises as `ask_case` does."""
    played: list[PlayedPhase] = []
    token = ASKED_FOR.set(case.key)
    try:
        for one in play(adjudicator, case_inputs(case)[:phases]):
            played.append(one)
            if len(played) < phases and not any(fitting_alternatives(case, played)):
                break
    finally:
        ASKED_FOR.reset(token)
    return played


_BADNESS: Sequence[Verdict] = ("passed", "declared", "unsupported", "deviated", "failed", "error", "not-run")
"""Of two verdicts, the later one is the worse."""


def worst_of(found: Sequence[CaseData]) -> CaseData:
    """Return the worst of what was found of a case each time, which says if the others are not like it."""
    if len(found) == 1:
        return found[0]
    worst = max(found, key=lambda case: _BADNESS.index(case.verdict))
    counts = Counter(case.verdict for case in found)
    seconds = round(sum(case.seconds for case in found), 6)
    if len(counts) > 1:
        said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in _BADNESS if counts[verdict])
        reason = f"flaky, asked {len(found)} times: {said}; {worst.reason}"
        return msgspec.structs.replace(worst, reason=reason, seconds=seconds)
    notes = worst.notes
    if len({msgspec.json.encode((case.phases, case.reason)) for case in found}) > 1:
        notes = [*notes, f"flaky: asked {len(found)} times, it gives different answers, all {worst.verdict}"]
    return msgspec.structs.replace(worst, notes=notes, seconds=seconds)


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
    """Judge the stored answers of a run again, and return what does not follow; its counts follow when it is read."""
    try:
        rules = ruleset(report.ruleset.name, report.ruleset.choices)
    except RulesetError as error:
        return [Contradiction("", f"its ruleset cannot be played: {error}")]
    counts = Counter(case.key for case in report.cases)
    found = [Contradiction(key, f"it is there {count} times") for key, count in counts.items() if count > 1]
    suites = {case.suite for case in report.cases}.intersection(suite_names())
    known = {case.key: case for suite in suites for case in load_suite(suite).cases}
    for data in report.cases:
        case = known.get(data.key)
        if data.suite not in suites:
            why = "it is of a suite that does not come with datc-check, and cannot be checked"
        elif case is None:
            why = "this version of datc-check has no such case"
        else:
            why = _why_not(case, data, rules)
        found += [Contradiction(data.key, why)] if why else []
    return found


def _why_not(case: Case, data: CaseData, rules: Ruleset) -> str:
    """Say why a verdict does not follow; nothing where it does."""
    answered = answered_phases(data, case)
    kinds, count = [phase.phase for phase in data.phases], sum(phase.answer is not None for phase in data.phases)
    if len(answered) < count or kinds != [phase.phase for phase in case.phases[: len(kinds)]]:
        return "an answer belongs to another edition of the case, or no engine can give it"
    if data.verdict == "declared" and not answered:
        return ""
    declared = {data.id: data.reason} if data.verdict == "declared" else {}
    found = judge(case, stored_answers(case, data, answered), Rules(rules, declared))
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
    if found.reason not in (reason := _FLAKY.sub("", data.reason), NOT_COVERED.sub("", reason)):
        return f"the run says {data.reason!r}, its answers give {found.reason!r}"
    return ""


def stored_answers(case: Case, data: CaseData, answered: Sequence[PlayedPhase] | None = None) -> Sequence[PlayedPhase]:
    """Return what an engine answered to a case, as far as a stored run has it; all else is that of the case file."""
    played: list[PlayedPhase] = []
    inputs = case_inputs(case)
    for phase, (_, answer, _) in zip(inputs, answered or answered_phases(data, case), strict=False):
        if isinstance(answer, Failure):
            break
        before = played[-1].answer if played else None
        asked = phase.after(before) if phase.follows and isinstance(before, Answer) else phase
        played.append(check_answer(asked, answer))
    if data.verdict in ("unsupported", "error") and len(played) < len(inputs):
        failure = Failure(data.reason, unsupported=data.verdict == "unsupported")
        played.append(PlayedPhase(inputs[len(played)], failure))
    return played
