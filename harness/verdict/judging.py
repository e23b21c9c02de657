"""What is wrong with an answer, and under which choices it would be right."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...adapters import AdjudicateResult, unit_of
from ...cases import Alternative, Case, CasePhase, Expectation, OrderLabel
from ...reference_engine import ISSUES, Move, Unit, province_code, standard_board

ACCEPTED_REASONS: Mapping[OrderLabel, frozenset[str]] = {
    "cut": frozenset({"cut", "dislodged"}),
    "void": frozenset({"void"}),
    "illegal": frozenset({"illegal"}),
}
"""The reasons that say the same as a label of a case."""


@dataclass(frozen=True)
class AskedPhase:
    """A phase as it was asked, and what was answered."""

    phase: CasePhase
    units: tuple[Unit, ...]
    dislodged: tuple[Unit, ...]
    answer: AdjudicateResult

    def board_after(self, expectation: Expectation) -> frozenset[Unit]:
        """The board that is expected after it."""
        return expectation.board_after(self.units, self.dislodged, self.phase.phase)


@dataclass
class Judgement:
    """How an answer compares with one expectation."""

    differences: list[str] = field(default_factory=list)
    """What is wrong with it, a sentence each."""
    notes: list[str] = field(default_factory=list)
    """What is said in other words, without making it wrong."""
    not_given: list[str] = field(default_factory=list)
    """What the answer leaves out."""


class Fit(NamedTuple):
    """The choices under which answers are right."""

    choices: Mapping[str, tuple[str, ...]]
    """For each issue that the case tells apart, the choices that fit."""
    deviations: tuple[Mapping[str, str], ...]
    """The smallest sets of choices, other than those in force, that make the answers right; none where they are."""


def judge(asked: AskedPhase, expectation: Expectation) -> Judgement:
    """Compare an answer with an expectation: the board decides, and what is said of retreats and orders."""
    judgement = Judgement()
    expected = asked.board_after(expectation)
    _compare_units("on the board", expected, [unit_of(unit) for unit in asked.answer.units], judgement)
    if asked.phase.phase == "movement":
        _judge_dislodged(asked, expectation, judgement)
    _judge_orders(asked, expectation, judgement)
    return judgement


def expected_dislodged(asked: AskedPhase, expectation: Expectation) -> list[Unit]:
    """Name the units that an expectation has dislodged."""
    return sorted(unit for unit in asked.units if province_code(unit.location) in expectation.dislodged)


def fit(case: Case, asked: Sequence[AskedPhase], in_force: Mapping[str, str]) -> Fit:
    """Find the choices under which all answers to a case are right, with the fewest changes to those in force."""
    issues = case.deciding_issues
    own = tuple(in_force[issue] for issue in issues)
    fitting = {
        tuple(alternative.choices.values()): _changes(alternative, in_force)
        for alternative in fitting_alternatives(case, asked)
    }
    fewest = min(fitting.values(), default=0)
    nearest: set[tuple[str, ...]] = set()
    for groups, changes in fitting.items():
        if changes <= max(fewest, 1):
            kept = [(choice,) if choice in group else group for choice, group in zip(own, groups, strict=True)]
            nearest.update(itertools.product(*kept))
        if changes == 0:
            nearest.update(
                (*own[:index], choice, *own[index + 1 :]) for index, group in enumerate(groups) for choice in group
            )
    found = [dict(zip(issues, combination, strict=True)) for combination in nearest]
    found.sort(key=lambda one: [ISSUES[issue].choices.index(choice) for issue, choice in one.items()])
    deviations = [{issue: choice for issue, choice in one.items() if in_force[issue] != choice} for one in found]
    return Fit(_collect(issues, found), tuple(deviations) if fewest else ())


def _changes(alternative: Alternative, in_force: Mapping[str, str]) -> int:
    return sum(in_force[issue] not in group for issue, group in alternative.choices.items())


def fitting_alternatives(
    case: Case, asked: Sequence[AskedPhase], *, no_answer_fits: bool = False
) -> Iterator[Alternative]:
    """Find the choices for a case's deciding issues under which all its answers are right.

    Where the rules, so chosen, give no answer, none is right, or any one if `no_answer_fits`.
    """
    right: dict[tuple[int, int], bool] = {}

    def is_right(index: int, expectation: Expectation | None) -> bool:
        if expectation is None or expectation.no_answer:
            return no_answer_fits
        key = (index, id(expectation))
        if key not in right:
            right[key] = not judge(asked[index], expectation).differences
        return right[key]

    for alternative in case.alternatives:
        if all(is_right(index, alternative.expected[index]) for index in range(len(asked))):
            yield alternative


def _collect(issues: Sequence[str], combinations: Sequence[Mapping[str, str]]) -> Mapping[str, tuple[str, ...]]:
    return {
        issue: tuple(choice for choice in ISSUES[issue].choices if any(one[issue] == choice for one in combinations))
        for issue in issues
    }


def _judge_dislodged(asked: AskedPhase, expectation: Expectation, judgement: Judgement) -> None:
    expected = expected_dislodged(asked, expectation)
    answered = asked.answer.dislodged
    if answered is None:
        if expected:
            judgement.not_given.append("dislodged")
        return
    units = [unit_of(unit) for unit in answered]
    lost = [unit for unit in expected if unit not in units and _has_nowhere_to_go(asked, expectation, unit)]
    judgement.notes += [f"{_show(unit)} is off the board at once, having nowhere to retreat to" for unit in lost]
    _compare_units("dislodged", [unit for unit in expected if unit not in lost], units, judgement)
    retreats = {province_code(unit.location): unit.retreats for unit in answered}
    for claims, allowed in ((expectation.may_retreat, True), (expectation.may_not_retreat, False)):
        for province, to in sorted(claims):
            given = retreats.get(province)
            if given is None:
                judgement.not_given.append(f"retreats of the unit in {_describe(province)}")
            elif (to in given) != allowed:
                may = "may" if allowed else "may not"
                judgement.differences.append(
                    f"the unit dislodged from {_describe(province)} {may} retreat to {_describe(to)}"
                )


def _has_nowhere_to_go(asked: AskedPhase, expectation: Expectation, unit: Unit) -> bool:
    """Whether a dislodged unit is lost: engines take it off the board at once, or list it without a retreat.

    Closed to it are occupied provinces, the one its attacker came from, and those that a move failed to enter.
    """
    province = province_code(unit.location)
    closed = {province_code(other.location) for other in asked.board_after(expectation)}
    closed |= {origin for origin, to in expectation.moved.items() if province_code(to) == province}
    for order in asked.phase.orders:
        if isinstance(order.order, Move) and province_code(order.order.unit.location) not in expectation.moved:
            closed.add(province_code(order.order.to))
    return closed.issuperset(map(province_code, standard_board().destinations(unit)))


def _judge_orders(asked: AskedPhase, expectation: Expectation, judgement: Judgement) -> None:
    for index, label in sorted(expectation.orders.items()):
        text = asked.phase.orders[index].text
        given = asked.answer.orders[index] if asked.answer.orders is not None else None
        if given is None:
            judgement.not_given.append(f"outcome of {text!r}")
            continue
        outcome = "succeeds" if label == "succeeds" else "fails"
        if given.outcome != outcome:
            judgement.differences.append(f"{text!r} {outcome}, but the engine says that it {given.outcome}")
        elif given.reason is not None and given.reason not in ACCEPTED_REASONS.get(label, {given.reason}):
            judgement.notes.append(f"{text!r} is {label} in the document's words, {given.reason} in the engine's")


def _compare_units(where: str, expected: Sequence[Unit] | frozenset[Unit], got: Sequence[Unit], to: Judgement) -> None:
    counted = Counter(got)
    for unit in sorted(set(expected) - counted.keys()):
        to.differences.append(f"{_show(unit)} should be {where}, but is not")
    for unit in sorted(counted.keys() - set(expected)):
        to.differences.append(f"{_show(unit)} should not be {where}, but is")
    for unit in sorted(unit for unit, count in counted.items() if count > 1):
        to.differences.append(f"{_show(unit)} is {where} {counted[unit]} times")


def _describe(location: str) -> str:
    return standard_board().describe(location)


def _show(unit: Unit) -> str:
    return f"{standard_board().power_name(unit.power)} {unit.type} {_describe(unit.location)}"
