"""What is expected of a case under each ruleset and choice: alike expectations together, each with its explanation.

The expectations are those of the case file. The reference engine explains them, and the build fails where its answer is
another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple, TypeAlias

from mkdocs.exceptions import PluginError

from datc.cases import Case, load_ruleset, load_suite, ruleset_names
from datc.cases.suite import USUAL_EDITION, Alternative, Expectation
from datc.harness.explain.case import explain_case
from datc.harness.explain.outcomes import count_outcomes, expected_outcomes
from datc.harness.explain.phase import PhaseExplanation
from datc.harness.play.answer import Failure
from datc.harness.play.case_verdicts import phases_with_answer
from datc.harness.play.report_data import phase_data
from datc.harness.play.session import PlayedPhase, ReferenceAdjudicator, case_inputs, play
from datc.harness.play.verdict import Rules, expected_under, is_wrong
from datc.reference_engine import Ruleset, province_code, ruleset
from datc.reports import PhaseData

_NO_ANSWER = "no answer"
_NOTHING = "nothing changes"
Fates: TypeAlias = Mapping[tuple[int, str], str]
"""What happens to units, by the number of the phase and the unit; without a unit: that the phase has no answer."""


class OutcomePhase(NamedTuple):
    """A phase with what is expected of it."""

    data: PhaseData
    conditions: Sequence[Mapping[str, Sequence[str]]]
    """The choices that the case file names for it, for each issue; empty for all that no other expectation names."""
    explanation: PhaseExplanation


class Outcome(NamedTuple):
    """What is expected of a case under some rulesets and choices."""

    alternatives: Sequence[Alternative]
    rulesets: Sequence[str]
    changes: Mapping[str, str]
    """Where no ruleset gives it: what has to be changed in the ruleset of the suite."""
    phases: Sequence[OutcomePhase]
    """As far as the rules give an answer."""
    has_answer: bool
    """Whether they give one to every phase."""

    @property
    def boards(self) -> tuple[object, ...]:
        """The boards after its phases. Outcomes with equal ones differ in words only."""
        return self.alternatives[0].boards


def outcomes_of(case: Case) -> Sequence[Outcome]:
    """Return every outcome that is expected of a case under some choices, that of its suite's ruleset first.

    Raises `PluginError` where the reference engine answers otherwise.
    """
    return [_outcome(case, *found) for found in expected_outcomes(case, _rulesets(case), case.alternatives)]


def outcome_count(case: Case) -> str:
    """Say how many outcomes the rulesets give, as `explain` does."""
    return count_outcomes(expected_outcomes(case, _rulesets(case)))


def in_short(case: Case, choices: Mapping[str, str], phases: int | None = None) -> str:
    """Say in short what is expected under these choices, phase by phase: `F WAL to ENG, F ENG dislodged`."""
    fates = _fates(case, [phase.expected(choices) for phase in case.phases[:phases]])
    if _NO_ANSWER in fates.values():
        return _NO_ANSWER
    said = [
        ", ".join(f"{unit} {fate}" for (of_phase, unit), fate in fates.items() if of_phase == number)
        for number in range(len(case.phases[:phases]))
    ]
    return "; then ".join(each or _NOTHING for each in said)


def told_apart(case: Case, outcomes: Sequence[Outcome]) -> Sequence[str]:
    """Name each outcome by what units do in it and not in the others, in the first phase that differs: `F WAL to ENG`.

    A name is empty where only retreats tell the outcome from another.
    """
    fates = [_fates(case, outcome.alternatives[0].expected) for outcome in outcomes]
    return [_told_apart(each, fates) for each in fates]


def _told_apart(told: Fates, others: Sequence[Fates]) -> str:
    """Name one outcome apart from those that it is among; empty where only retreats tell them apart."""
    if len(others) == 1:
        return ""
    places = dict.fromkeys(place for other in others for place in other)
    split = {place: parts for place in places if (parts := len({_fate(place, each, others) for each in others})) > 1}
    if not split:
        return ""
    first = min(phase for phase, _ in split)
    place = max((place for place in split if place[0] == first), key=lambda place: (place[1] != "", split[place]))
    fate = _fate(place, told, others)
    said = fate if fate in (_NO_ANSWER, _NOTHING) else f"{place[1]} {fate}"
    left = [each for each in others if _fate(place, each, others) == fate]
    rest = _told_apart(told, left)
    return said if len(left) == 1 else rest and f"{said}, {rest}"


def _fate(place: tuple[int, str], told: Fates, others: Sequence[Fates]) -> str:
    """Say what happens to a unit in one outcome, which may name only what happens to it in others."""
    if not place[1]:
        return told.get(place, _NOTHING)
    kept = "not built" if any(other.get(place) == "built" for other in others) else "stays"
    return told.get((place[0], ""), told.get(place, kept))


def _fates(case: Case, expected: Iterable[Expectation | None]) -> Fates:
    """Say what is expected to happen to each unit that does not stay, and where there is no answer."""
    position = case.phases[0].position
    units = {
        province_code(unit.location): f"{unit.type} {unit.location}" for unit in (position.units if position else ())
    }
    away: dict[str, str] = {}
    fates: dict[tuple[int, str], str] = {}
    for number, (phase, each) in enumerate(zip(case.phases, expected, strict=False)):
        if each is None or each.no_answer:
            fates[number, ""] = _NO_ANSWER
            break
        of_phase = {**units, **away} if phase.phase == "retreat" else units
        words = [(province, f"to {to}") for province, to in each.moved.items()]
        words += [(province, "dislodged") for province in sorted(each.dislodged)]
        words += [(province, "disbanded" if phase.phase == "retreat" else "removed") for province in sorted(each.gone)]
        fates |= {(number, of_phase.get(province, province)): fate for province, fate in words}
        fates |= {(number, f"{unit.type} {unit.location}"): "built" for unit in sorted(each.built)}
        away = {province: units[province] for province in each.dislodged if province in units}
        arrived = {to: f"{of_phase.get(province, province)[0]} {to}" for province, to in each.moved.items()}
        left = {province: unit for province, unit in units.items() if province not in {*each.moved, *away}}
        units = left | {province_code(to): unit for to, unit in arrived.items()}
    return fates


def _rulesets(case: Case) -> Mapping[str, Ruleset]:
    """Return every ruleset by name: that of the suite first, then the usual one."""
    names = dict.fromkeys([load_suite(case.suite).ruleset, USUAL_EDITION, *ruleset_names()])
    return {name: _ruleset(name) for name in names}


@cache
def _ruleset(name: str) -> Ruleset:
    return load_ruleset(name).ruleset()


def _outcome(case: Case, alternatives: Sequence[Alternative], names: Sequence[str]) -> Outcome:
    own = _ruleset(load_suite(case.suite).ruleset)
    changes = {} if names else min((each.changes(own.choices) for each in alternatives), key=len)
    played_under = _ruleset(names[0]) if names else ruleset("changed", {**own.choices, **changes}, own.default_coasts)
    count = phases_with_answer(case, Rules(played_under))
    played = _play(case, played_under, count)
    for name in names[1:]:
        _ = _play(case, _ruleset(name), count)
    known = replace(case, phases=case.phases[:count])
    explained = explain_case(known, played_under)
    phases = [
        OutcomePhase(
            phase_data(phase, one, expected_under(phase, played_under)),
            _conditions([alternative.expected[index] for alternative in alternatives]),
            explanation,
        )
        for index, (phase, one, explanation) in enumerate(zip(known.phases, played, explained, strict=True))
    ]
    return Outcome(alternatives, names, changes, phases, count == len(case.phases))


def _play(case: Case, rules: Ruleset, count: int) -> Sequence[PlayedPhase]:
    """Play a case on the reference engine, and hold its answers to what is expected."""
    played = list(play(ReferenceAdjudicator(rules), case_inputs(case)[:count]))
    if is_wrong(case, played, rules) or any(isinstance(one.answer, Failure) for one in played):
        raise PluginError(f"{case.key}: the reference engine's answer under {rules.name} is not the one expected")
    return played


def _conditions(expectations: Sequence[Expectation | None]) -> Sequence[Mapping[str, Sequence[str]]]:
    """Return the choices under which some expectations hold, each set once."""
    found = [
        {issue: sorted(choices) for issue, choices in each.choices.items()} for each in expectations if each is not None
    ]
    return [each for number, each in enumerate(found) if each not in found[:number]]
