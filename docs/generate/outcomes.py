"""What is expected of a case under each ruleset and choice: alike expectations together, each with its explanation.

The expectations are those of the case file. The reference engine explains them, and the build fails where its answer is
another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from mkdocs.exceptions import PluginError

from datc.cases import Case, load_ruleset, load_suite, ruleset_names
from datc.cases.suite import Alternative, Expectation
from datc.cases.tables import USUAL_EDITION
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
    position = case.phases[0].position
    units = {
        province_code(unit.location): f"{unit.type} {unit.location}" for unit in (position.units if position else ())
    }
    away: dict[str, str] = {}
    said: list[str] = []
    for phase in case.phases[:phases]:
        expected = phase.expected(choices)
        if expected is None or expected.no_answer:
            return "no answer"
        of_phase = {**units, **away} if phase.phase == "retreat" else units
        verb = "disbanded" if phase.phase == "retreat" else "removed"
        words = [f"{of_phase.get(province, province)} to {to}" for province, to in expected.moved.items()]
        words += [f"{of_phase.get(province, province)} dislodged" for province in sorted(expected.dislodged)]
        words += [f"{of_phase.get(province, province)} {verb}" for province in sorted(expected.gone)]
        words += [f"{unit.type} {unit.location} built" for unit in sorted(expected.built)]
        said.append(", ".join(words) or "nothing")
        away = {province: units[province] for province in expected.dislodged if province in units}
        arrived = {to: f"{of_phase.get(province, province)[0]} {to}" for province, to in expected.moved.items()}
        left = {province: unit for province, unit in units.items() if province not in {*expected.moved, *away}}
        units = left | {province_code(to): unit for to, unit in arrived.items()}
    return "; then ".join(said)


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
