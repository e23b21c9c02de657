"""Asks an adjudicator one case, and works the verdicts of a stored run out again, without asking anybody."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence

import msgspec

from ...adapters.engine import ASKED_FOR
from ...cases import Case, load_suite, ruleset_names, suite_names
from ...reference_engine import Ruleset, RulesetError, ruleset
from ...reports import CaseData, Report, Verdict
from ...reports.gate import recounted
from ...reports.statements import Evidence, MissingPart, MutantData, TestedChoices, choices_text
from .answer import Answer, Failure
from .report_data import answered_phases, case_data
from .session import Adjudicator, PlayedPhase, case_inputs, check_answer, play
from .verdict import DECLARED_PASSES, NOT_COVERED, Rules, expected_under, fitting_alternatives


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


def with_tests(
    case: CaseData, bugs: Sequence[MutantData], choices: Sequence[TestedChoices], missing: Sequence[MissingPart] = ()
) -> CaseData:
    """Return a case as `failed` if the engine plays no choice under which it would be right, as tests showed.

    Where a confirmed bug gives the same answer, a choice does not count that it plays sometimes or that no position
    tests; and no choice does where it answers so because it lacks a part of the rules. A case that passes without such
    a part says so.
    """
    if notes := [part.note for part in missing if case.verdict == "passed" and case.name in part.hollow]:
        return msgspec.structs.replace(case, notes=[*case.notes, *notes])
    if case.verdict != "deviated":
        return case
    board = "failed" if case.board_verdict == "deviated" else case.board_verdict
    if part := next((part for part in missing if case.name in part.explained), None):
        reason = f"as of an engine that {part.sentence} ({part.evidence.agreement})"
        return msgspec.structs.replace(case, verdict="failed", board_verdict=board, reason=reason)
    confirmed = (bug for bug in bugs if bug.evidence and bug.evidence.strength == "confirmed")
    bug = next((each for each in confirmed if case.name in each.cases), None)
    tested = [each for each in choices if case.name in each.cases]
    left = {(issue, choice) for issue, named in case.deviations.items() for choice in named}
    left -= {pair for each in tested for pair in each.choices.items()}
    if left or any(not does_not_play(each.evidence, has_bug=bug is not None) for each in tested):
        return case
    texts = [f"{choices_text(each.choices)} ({each.evidence.agreed} of {each.evidence.asked})" for each in tested]
    reason = f"right only under {' or '.join(texts)}, which this engine does not play"
    if bug and bug.evidence and any(each.evidence.strength == "untested" for each in tested):
        reason = f"as of an engine that {bug.sentence} ({bug.evidence.agreement})"
    return msgspec.structs.replace(case, verdict="failed", board_verdict=board, reason=reason)


def does_not_play(evidence: Evidence, *, has_bug: bool) -> bool:
    """Whether tests of choices showed that they do not explain an answer; `has_bug`: a confirmed bug gives it, too."""
    return evidence.strength == "refuted" or (has_bug and evidence.strength in ("sometimes", "untested"))


_FLAKY = r"flaky, asked \d+ times: [\d\w, -]+; "
"""What `run --repeat` puts before a reason."""
_NOTES_OF_RUN = ("flaky: ", DECLARED_PASSES)
"""How the notes begin that follow from the config and the options of a run."""
_NO_ANSWER_BECAUSE = "without the declaration: unsupported, |the next phase has no answer: "
_UNANSWERED: frozenset[Verdict] = frozenset({"unsupported", "error", "not-run", "declared"})
_COUNTS = ("summary", "board_summary", "compliant", "gate")
_NOT_TRUSTED = frozenset({"explanation", "broken_rule"})
"""Sentences of a phase that no verdict rests on: they are not checked, and nothing follows from them."""
_FROM_ANSWERS = ("section", "section_title", "title", "issues", "since", "nearest", "notes", "expected", "answer")


class Contradiction(msgspec.Struct, frozen=True):
    """Something in a stored run that does not follow from its answers."""

    case: str
    """The key of the case; empty for what is said of the whole run."""
    reason: str


def lacks_answer(case: CaseData) -> bool:
    """Whether a case has a verdict that follows from no answer: the engine gave none, as the run says."""
    return case.verdict in _UNANSWERED and not (case.phases and all(phase.answer for phase in case.phases))


def verify_run(report: Report, carried: Sequence[Case] = ()) -> Sequence[Contradiction]:
    """Judge the stored answers of a run again, and return what does not follow.

    `carried` are its cases, where they were carried to other places.
    """
    try:
        rules = ruleset(report.ruleset.name, report.ruleset.choices)
    except RulesetError as error:
        return [Contradiction("", f"its ruleset cannot be played: {error}")]
    counts, again = Counter(case.key for case in report.cases), recounted(report)
    unknown = report.ruleset.name not in ruleset_names()
    found = [Contradiction("", f"there is no ruleset {report.ruleset.name!r}")] if unknown else []
    silent = all(map(lacks_answer, report.cases))
    found += [Contradiction("", "no case has an answer, so nothing follows")] if silent else []
    wrong = [name for name in _COUNTS if getattr(report, name) not in ({}, getattr(again, name))]  # Lines lack some.
    found += [Contradiction("", f"its {name} does not follow from its cases") for name in wrong]
    found += [Contradiction(key, f"it is there {count} times") for key, count in counts.items() if count > 1]
    suites = {case.suite for case in report.cases}.intersection(suite_names())
    known = {case.key: case for case in (*carried, *(case for suite in suites for case in load_suite(suite).cases))}
    suites |= {case.suite for case in carried}
    for data in report.cases:
        case = known.get(data.key)
        if data.suite not in suites:
            why = "it is of a suite that does not come with datc-check, and cannot be checked"
        elif case is None:
            why = "this version of datc-check has no such case"
        else:
            why = _why_not(case, data, rules, report)
        found += [Contradiction(data.key, why)] if why else []
    return found


def _why_not(case: Case, data: CaseData, rules: Ruleset, report: Report) -> str:
    """Say why a verdict does not follow; nothing where it does."""
    answered = answered_phases(data, case)
    kinds, count = [phase.phase for phase in data.phases], sum(phase.answer is not None for phase in data.phases)
    others = kinds != [phase.phase for phase in case.phases[: len(kinds)]]
    if others or len(answered) < count or len(kinds) > count + 1:
        return "an answer belongs to another edition of the case, or no engine can give it"
    if data.skipped and (data.verdict != "not-run" or count):
        return "the run says that it was skipped, and has a verdict or an answer of it"
    declared = Rules(rules, {data.id: data.reason} if data.verdict == "declared" else {})
    found = case_data(case, stored_answers(case, data, answered), declared)
    found = with_tests(found, report.looks_like, report.tested_choices, report.missing_parts)
    if found.verdict != data.verdict:
        because = f": {found.reason}" if found.reason else ""
        return f"the run says {data.verdict}, its answers give {found.verdict}{because}"
    if data.board_verdict not in (None, found.board_verdict):
        return f"the run says that its board {data.board_verdict}, its answers give {found.board_verdict}"
    if (data.choices, data.deviations) != (found.choices, found.deviations):
        return "the choices that its answers fit, or that it deviates by, are others"
    if data.verdict == "not-run":
        left_out = report.complete and not data.skipped and count < phases_with_answer(case, declared)
        return "it was not asked, and the run says that it is complete" if left_out else ""
    if found.reason not in (reason := re.sub(_FLAKY, "", data.reason), re.sub(NOT_COVERED, "", reason)):
        return f"the run says {data.reason!r}, its answers give {found.reason!r}"
    notes = [note for note in data.notes if not note.startswith(_NOTES_OF_RUN)]
    stored = msgspec.structs.replace(data, notes=notes)
    others = [name for name in _FROM_ANSWERS if getattr(stored, name) != getattr(found, name)]
    for number, (mine, own) in enumerate(zip(stored.phases, found.phases, strict=True), start=1):
        fields = [name for name in own.__struct_fields__ if getattr(mine, name) != getattr(own, name)]
        others += [f"{name} of phase {number}" for name in fields if name not in _NOT_TRUSTED]
    return f"its answers and the case give another {others[0]}" if others else ""


def stored_answers(case: Case, data: CaseData, answered: Sequence[PlayedPhase] | None = None) -> Sequence[PlayedPhase]:
    """Return what an engine answered to a case, as far as a stored run has it; all else is that of the case file."""
    played: list[PlayedPhase] = []
    stored = [one.answer for one in answered or answered_phases(data, case)]
    if len(stored) < len(data.phases):  # The next phase was asked, and has no answer.
        because = [note[match.end() :] for note in data.notes if (match := re.match(_NO_ANSWER_BECAUSE, note))]
        stored.append(Failure(because[0] if because else data.reason, unsupported=data.verdict != "error"))
    for phase, answer in zip(case_inputs(case), stored, strict=False):
        before = played[-1].answer if played else None
        asked = phase.after(before) if phase.follows and isinstance(before, Answer) else phase
        played.append(PlayedPhase(asked, answer) if isinstance(answer, Failure) else check_answer(asked, answer))
    return played
