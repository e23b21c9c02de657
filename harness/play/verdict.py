"""The verdict on the answers to a case, and the choices of rules that they fit."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, NamedTuple, TypeAlias

import msgspec

from ...adapters.conversion import Notation
from ...cases import Case
from ...cases.suite import SUCCESSES, Alternative, CasePhase, Expectation, OrderLabel
from ...reference_engine import EVERY_ISSUE, Board, Move, Ruleset, Unit, province_code, standard_board
from ...reference_engine.rulesets import check_choice
from ...reports import Verdict
from ...reports.vocabulary import change_text, changes_texts, listed, merge_changes, unit_text
from .answer import Answer, Failure, PhaseInput
from .differences import ExpectedAnswer, ExpectedDislodgement, Fact, board_facts, diff_answers
from .session import PlayedPhase

WRONG = "wrong under every rule choice: a bug"
WRONG_WHERE_ANSWERED = "wrong under every rule choice under which the rules have an answer"
IMPOSSIBLE = "the board cannot exist: a bug under every rule choice"
DECLARED_PASSES = "declared as a deviation ("
NO_ANSWER = "the rules in force give no answer to this position"
ACCEPTED_REASONS: Mapping[OrderLabel, frozenset[str]] = {
    "cut": frozenset({"cut", "dislodged", "destroyed"}),
    "void": frozenset({"void"}),
    "illegal": frozenset({"illegal", "ignored"}),
    "invalid": frozenset({"void", "no-path"}),
    "disrupted": frozenset({"disrupted", "dislodged", "destroyed"}),
    "dislodged": frozenset({"dislodged"}),
    "destroyed": frozenset({"dislodged", "destroyed"}),
}
"""The reasons that say the same as a label of a case."""


class Declaration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a case is known not to pass, and the only wrong answer to it that this covers."""

    why: str
    choices: Annotated[dict[str, str], msgspec.Meta(min_length=1)]
    """The choices, other than those in force, under which that answer is right."""

    def __post_init__(self) -> None:
        for issue, choice in self.choices.items():
            check_choice(issue, choice)


Declarations: TypeAlias = Mapping[str, str | Declaration]
"""The cases that are known not to pass, by their ids or by patterns such as `6.H.*`; a text covers any answer."""


class Rules(msgspec.Struct, frozen=True):
    """What an engine is held to."""

    ruleset: Ruleset
    declared: Declarations = {}
    notation: Notation = "document"
    skipped: Mapping[str, str] = {}
    """The cases that the author does not want asked, by their ids or by patterns, and why."""

    def declared_reason(self, case_id: str) -> str | None:
        """Say why a case is known not to pass: as its id says, or else the first pattern; `None` where it is not."""
        found = self.declared.get(naming_key(self.declared, case_id))
        return found.why if isinstance(found, Declaration) else found

    def asking_all(self) -> Rules:
        """Return the same with no case skipped."""
        return msgspec.structs.replace(self, skipped={})

    def skipped_reason(self, case_id: str) -> str | None:
        """Say why a case is not asked, in the same way; `None` where it is asked."""
        return self.skipped.get(naming_key(self.skipped, case_id))


def naming_key(named: Iterable[str], case_id: str) -> str:
    """Return what names a case: its id, or else the first pattern; empty where nothing does."""
    return case_id if case_id in named else next((key for key in named if fnmatchcase(case_id, key)), "")


class Fit(NamedTuple):
    """The choices under which the answers to a case are right."""

    choices: Mapping[str, tuple[str, ...]]
    """For each issue that the case tells apart, the choices that fit."""
    deviations: tuple[Mapping[str, str], ...]
    """The smallest sets of choices, other than those in force, that make the answers right; empty if they are right."""


NOTHING_FITS = Fit({}, ())


class Nearest(NamedTuple):
    """The expectation that wrong answers come nearest to."""

    changes: Mapping[str, str]
    """The choices, other than those in force, under which it is expected; none where it is expected in force."""
    facts: tuple[tuple[Fact, ...], ...]


class Judgement(msgspec.Struct, frozen=True):
    """The verdict on the answers to a case."""

    verdict: Verdict
    reason: str = ""
    board_verdict: Verdict = "passed"
    """The verdict by the boards alone, whatever is said of orders."""
    fit: Fit = NOTHING_FITS
    nearest: Nearest | None = None
    notes: tuple[str, ...] = ()


class _Comparer:
    """Compares the answers to a case with its expectations, each pair once."""

    def __init__(self, case: Case, played: Sequence[PlayedPhase]) -> None:
        self.case: Case = case
        self.answers: list[Answer] = [one.answer for one in played if isinstance(one.answer, Answer)]
        self.is_impossible: bool = any(one.impossible for one in played)
        self.other_words: Mapping[int, frozenset[int]] = {}
        """Where only words differ from the document's resolutions: by phase the orders that have another word."""
        self._played: Sequence[PlayedPhase] = played
        self._facts: dict[tuple[int, int], tuple[Fact, ...]] = {}

    def facts(self, index: int, expectation: Expectation) -> tuple[Fact, ...]:
        """Return what differs from an expectation of a phase."""
        played, key = self._played[index], (index, id(expectation))
        if played.impossible:
            return played.impossible
        if key not in self._facts:
            expected = expected_answer(self.case.phases[index], expectation, played.asked)
            self._facts[key] = diff_answers(expected, self.answers[index])
        return self._facts[key]

    def silent(self, index: int, expectation: Expectation) -> int:
        """Count the orders with another word than the document's where the expectation is silent: it is not right."""
        return len(self.other_words.get(index, frozenset()) - expectation.orders.keys() - expectation.either)

    def is_right(self, index: int, expectation: Expectation) -> bool:
        if (index, id(expectation)) not in self._facts:
            # Most expectations that are not met are ruled out by where the units stand alone.
            after = _board_after(self.case.phases[index], expectation, self._played[index].asked)
            if after != frozenset(self.answers[index].units):
                return False
        return not self.silent(index, expectation) and not self.facts(index, expectation)

    def facts_from(self, alternative: Alternative) -> list[tuple[Fact, ...]]:
        pairs = enumerate(alternative.expected[: len(self.answers)])
        return [() if one is None else self.facts(index, one) for index, one in pairs]


def expected_under(phase: CasePhase, ruleset: Ruleset) -> Expectation | None:
    """Return what is expected of a phase under a ruleset; `None` where its rules give no answer."""
    expectation = phase.expected(ruleset.choices)
    return None if expectation is None or expectation.no_answer else expectation


def is_wrong(case: Case, played: Sequence[PlayedPhase], ruleset: Ruleset) -> bool:
    """Whether an answer to a case differs from what is expected under a ruleset, or is impossible."""
    comparer = _Comparer(case, played)
    expected = [expected_under(phase, ruleset) for phase in case.phases[: len(comparer.answers)]]
    return comparer.is_impossible or any(one and comparer.facts(index, one) for index, one in enumerate(expected))


def fitting_alternatives(case: Case, played: Sequence[PlayedPhase]) -> Iterator[Alternative]:
    """Find the choices for a case's deciding issues that its answers rule out by nothing.

    An impossible answer rules out all. Where the rules, so chosen, give no answer, any possible one fits. Resolutions
    of orders rule out nothing: engines have words of their own for orders, whichever rules they play.
    """
    comparer = _Comparer(case, played)
    return _fitting(
        comparer, lambda index, one: not comparer.facts(index, one.without_resolutions or one), no_answer_fits=True
    )


def _fitting(
    comparer: _Comparer, is_right: Callable[[int, Expectation], bool], *, no_answer_fits: bool = False
) -> Iterator[Alternative]:
    if comparer.is_impossible:
        return
    known: dict[tuple[int, int], bool] = {}

    def fits(index: int, expectation: Expectation | None) -> bool:
        if expectation is None or expectation.no_answer:
            return no_answer_fits
        key = index, id(expectation)
        if key not in known:
            known[key] = is_right(index, expectation)
        return known[key]

    for alternative in comparer.case.alternatives:
        if all(fits(index, one) for index, one in enumerate(alternative.expected[: len(comparer.answers)])):
            yield alternative


def judge(case: Case, played: Sequence[PlayedPhase], rules: Rules) -> Judgement:
    """Give the verdict on what was answered to the phases of a case, in the order in which they were asked.

    A difference decides, in whichever phase it is; then a phase that was not answered; then one that was not asked. The
    judgement has the verdict by the board alone, too, and the choices under which the answers are right.
    """
    comparer = _Comparer(case, played)
    board = case.phases[0].board
    if board.choices:
        rules = msgspec.structs.replace(
            rules, ruleset=rules.ruleset.with_choices(board.in_force(rules.ruleset.choices))
        )
    expected = [expected_under(phase, rules.ruleset) for phase in case.phases]
    known = [(index, one) for index, one in enumerate(expected[: len(comparer.answers)]) if one is not None]
    facts = [comparer.facts(index, one) for index, one in known]
    notes = [note for index, one in known for note in _notes(case.phases[index], played[index], one)]
    failure = next((one.answer for one in played if isinstance(one.answer, Failure)), None)
    board_differs = any(map(board_facts, facts))
    if not board_differs:
        comparer.other_words = {
            index: frozenset(fact.order for fact in comparer.facts(index, one) if fact.order is not None)
            for index, one in known
            if one.without_resolutions is not None
        }
    fit = _fit(comparer, rules.ruleset.choices) if comparer.answers else NOTHING_FITS
    if any(facts) or comparer.is_impossible:
        found = _judge_difference(comparer, fit, rules.ruleset, board_differs=board_differs)
        notes += [f"the next phase has no answer: {failure.reason}"] if failure is not None else []
    elif failure is not None:
        kind: Verdict = "unsupported" if failure.unsupported else "error"
        found = Judgement(kind, failure.reason, kind, fit)
    elif len(known) == len(case.phases):
        found = Judgement("passed", fit=fit)
    else:
        found = Judgement("not-run", NO_ANSWER, "not-run", fit)
    # The author's declarations excuse what was answered, not a crash.
    declared = rules.declared_reason(case.id)
    verdict, reason = found.verdict, found.reason
    if declared is not None and verdict in ("deviated", "failed", "unsupported"):
        if doubt := _why_not_covered(comparer, rules, is_answered=failure is None):
            reason = doubt + reason
        else:
            notes.append(f"without the declaration: {verdict}, {reason}")
            verdict, reason = "declared", declared
    elif case.id in rules.declared and verdict == "passed":  # A pattern does not say that each of its cases fails.
        notes.append(f"{DECLARED_PASSES}{declared}), but passes")
    return msgspec.structs.replace(found, verdict=verdict, reason=reason, notes=tuple(notes))


NOT_COVERED = r"^declared as [^,]+, but (not every phase was answered: )?"
"""What is put before the reason of a case that its declaration does not cover."""


def _why_not_covered(comparer: _Comparer, rules: Rules, *, is_answered: bool) -> str:
    """Say that a case is not right under the choices that are declared for it; nothing where it is, or none are."""
    declared = rules.declared.get(naming_key(rules.declared, comparer.case.id))
    if not isinstance(declared, Declaration):
        return ""
    choices = {**rules.ruleset.choices, **declared.choices}
    is_right = any(not one.changes(choices) for one in _fitting(comparer, comparer.is_right))
    if is_right and is_answered:
        return ""
    return f"declared as {change_text(declared.choices)}, but {'not every phase was answered: ' * is_right}"


def _judge_difference(comparer: _Comparer, fit: Fit, ruleset: Ruleset, *, board_differs: bool) -> Judgement:
    board: Verdict = "passed"
    if board_differs or comparer.is_impossible:
        by_board = _fitting(comparer, lambda index, one: not board_facts(comparer.facts(index, one)))
        board = "deviated" if any(by_board) else "failed"
    if fit.deviations:
        merged = merge_changes(fit.deviations)
        alternatives = " or ".join(changes_texts(fit.deviations))
        in_force = ", ".join(f"{issue} = {ruleset.choices[issue]}" for issue in merged)
        titles = ", ".join(EVERY_ISSUE[issue].title.lower() for issue in merged)
        return Judgement("deviated", f"right under {alternatives}; in force is {in_force} ({titles})", board, fit)
    if comparer.is_impossible:
        return Judgement("failed", IMPOSSIBLE, board, fit)
    nearest = _nearest(comparer, ruleset.choices)
    if board != "failed" and nearest is not None:
        return Judgement("failed", _wrong_words(comparer.case, nearest, ruleset), board, fit, nearest)
    # No choice makes the answers right; under some, the rules have no answer to compare with.
    fitting = _fitting(comparer, comparer.is_right, no_answer_fits=True)
    unanswered = sorted((each.changes(ruleset.choices) for each in fitting), key=len)
    reason = f"{WRONG_WHERE_ANSWERED}; they have none under {change_text(unanswered[0])}" if unanswered else WRONG
    return Judgement("failed", reason, board, fit, nearest)


def _fit(comparer: _Comparer, in_force: Mapping[str, str]) -> Fit:
    """Find the choices under which all answers are right, with the fewest changes to those in force."""
    fitting = {
        tuple(alternative.choices.values()): len(alternative.changes(in_force))
        for alternative in _fitting(comparer, comparer.is_right)
    }
    fewest = min(fitting.values(), default=0)
    issues = comparer.case.deciding_issues
    own = tuple(in_force[issue] for issue in issues)
    nearest = {
        combination
        for groups, changes in fitting.items()
        if changes <= max(fewest, 1)
        for combination in _with_fewest_changes(own, groups, is_right=changes == 0)
    }
    found = [dict(zip(issues, combination, strict=True)) for combination in nearest]
    found.sort(key=lambda one: [EVERY_ISSUE[issue].choices.index(choice) for issue, choice in one.items()])
    deviations = [{issue: choice for issue, choice in one.items() if in_force[issue] != choice} for one in found]
    choices = {
        issue: tuple(choice for choice in EVERY_ISSUE[issue].choices if any(one[issue] == choice for one in found))
        for issue in issues
    }
    return Fit(choices, tuple(deviations) if fewest else ())


def changes_to_be_right(
    case: Case, played: Sequence[PlayedPhase], in_force: Mapping[str, str], most: int
) -> list[Mapping[str, str]]:
    """Find at most so many changes to the choices in force that make all answers right, the fewest first."""
    comparer, issues = _Comparer(case, played), case.deciding_issues
    in_force = case.phases[0].board.in_force(in_force)
    own = tuple(in_force[issue] for issue in issues)
    found = (
        {issue: choice for issue, choice in zip(issues, combination, strict=True) if choice != in_force[issue]}
        for alternative in _fitting(comparer, comparer.is_right)
        if 0 < len(alternative.changes(in_force)) <= most
        for combination in _with_fewest_changes(own, tuple(alternative.choices.values()), is_right=False)
    )
    return sorted(found, key=len)


def _with_fewest_changes(
    own: tuple[str, ...], groups: Sequence[tuple[str, ...]], *, is_right: bool
) -> Iterator[tuple[str, ...]]:
    """Combine the choices of an alternative that are nearest to one's own: where those are right, also one change."""
    kept = [(choice,) if choice in group else group for choice, group in zip(own, groups, strict=True)]
    yield from itertools.product(*kept)
    if is_right:
        for index, group in enumerate(groups):
            yield from ((*own[:index], choice, *own[index + 1 :]) for choice in group)


def _nearest(comparer: _Comparer, in_force: Mapping[str, str]) -> Nearest | None:
    """Find the expectation with the fewest differences, those of the board first, then with the fewest changes."""

    def distance(alternative: Alternative) -> tuple[int, int, int]:
        every = list(itertools.chain.from_iterable(comparer.facts_from(alternative)))
        silent = sum(comparer.silent(index, one) for index in answered if (one := alternative.expected[index]))
        return len(board_facts(every)), len(every) + silent, len(alternative.changes(in_force))

    answered = range(len(comparer.answers))
    with_answer = [
        each
        for each in comparer.case.alternatives
        if all((one := each.expected[index]) is not None and not one.no_answer for index in answered)
    ]
    if not with_answer:
        return None
    best = min(with_answer, key=distance)
    return Nearest(best.changes(in_force), tuple(comparer.facts_from(best)))


def _wrong_words(case: Case, nearest: Nearest, ruleset: Ruleset) -> str:
    texts = [
        repr(phase.orders[fact.order].text)
        for phase, facts in zip(case.phases, nearest.facts, strict=False)
        for fact in facts
        if fact.order is not None
    ]
    only = f"only the outcome of {listed(texts)} differs"
    if not nearest.changes:
        return f"the board is right; {only}"
    changes = change_text(nearest.changes)
    in_force = ", ".join(f"{issue} = {ruleset.choices[issue]}" for issue in nearest.changes)
    return f"the board is right under {changes}; {only}; in force is {in_force}"


def _notes(phase: CasePhase, played: PlayedPhase, expectation: Expectation) -> Iterator[str]:
    """Say what an answer says in other words, without being wrong."""
    answer = played.answer
    if played.impossible or isinstance(answer, Failure):
        return
    expected = expected_answer(phase, expectation, played.asked)
    if answer.dislodged is not None:
        told = {entry.unit for entry in answer.dislodged}
        for unit, wanted in sorted((expected.dislodged or {}).items()):
            if wanted.is_lost and unit not in told:
                yield f"{unit_text(unit, played.asked.board)} is off the board at once, having nowhere to retreat to"
    for order, label in sorted(expectation.orders.items()):
        said = answer.outcomes[order] if answer.outcomes is not None else None
        if said is None or said.reason is None or said.outcome != expected.outcomes[order]:
            continue
        if said.reason not in ACCEPTED_REASONS.get(label, {said.reason}):
            yield f"{phase.orders[order].text!r} is {label} in the document's words, {said.reason} in the engine's"


def _board_after(phase: CasePhase, expectation: Expectation, asked: PhaseInput) -> frozenset[Unit]:
    return expectation.board_after(asked.units, [entry.unit for entry in asked.dislodged or ()], phase.phase)


def expected_answer(phase: CasePhase, expectation: Expectation, asked: PhaseInput) -> ExpectedAnswer:
    """Return what an expectation means for the position that a phase was asked with."""
    after = _board_after(phase, expectation, asked)
    dislodged: dict[Unit, ExpectedDislodgement] | None = None
    if phase.phase == "movement" and not expectation.dislodged:
        dislodged = {}
    elif phase.phase == "movement":
        # No unit can retreat to provinces that are occupied, and to those that a move failed to enter.
        moves = (order.order for order in phase.orders if isinstance(order.order, Move))
        failed = (move.to for move in moves if province_code(move.unit.location) not in expectation.moved)
        closed = frozenset(map(province_code, (*(unit.location for unit in after), *failed)))
        dislodged = {
            unit: ExpectedDislodgement(
                frozenset(to for where, to in expectation.may_retreat if where == province),
                frozenset(to for where, to in expectation.may_not_retreat if where == province),
                _is_lost(expectation, unit, closed, asked.board or standard_board()),
            )
            for unit in asked.units
            if (province := province_code(unit.location)) in expectation.dislodged
        }
    return ExpectedAnswer(
        after,
        dislodged,
        {index: "succeeds" if label in SUCCESSES else "fails" for index, label in expectation.orders.items()},
    )


def _is_lost(expectation: Expectation, unit: Unit, closed: frozenset[str], board: Board) -> bool:
    """Whether a dislodged unit has nowhere to go; beside `closed` it cannot go where its attacker came from."""
    province = province_code(unit.location)
    return all(
        to in closed or (to in expectation.moved and province_code(expectation.moved[to]) == province)
        for to in map(province_code, board.destinations(unit))
    )
