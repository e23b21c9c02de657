"""The cases of a run at other places, on another map or on their own; the reference engine can refuse a placement."""

from __future__ import annotations

from collections.abc import Sequence

from ...cases import Case, load_ruleset, ruleset_names
from ...cases.carrying import CarriedOver, carry_over
from ...reference_engine import Board, Ruleset
from ..play.case_verdicts import phases_with_answer, play_case
from ..play.session import ReferenceAdjudicator
from ..play.verdict import Rules, is_wrong


def carried_cases(cases: Sequence[Case], board: Board, copies: int, seed: int, ruleset: Ruleset) -> CarriedOver:
    """Carry cases to a board where the reference engine agrees with what is expected under all choices.

    That is under a ruleset, under those of the project, and under every combination of choices that a case tells apart.
    """
    every = [ruleset, *(load_ruleset(name).ruleset() for name in ruleset_names())]
    return carry_over(cases, board, copies, seed, lambda case: _agrees(case, every))


def _agrees(case: Case, rulesets: Sequence[Ruleset]) -> bool:
    first = rulesets[0]
    changed = (first.with_choices(each.changes(first.choices)) for each in case.alternatives)
    return all(_passes(case, ruleset) for ruleset in (*rulesets, *changed))


def _passes(case: Case, ruleset: Ruleset) -> bool:
    """Whether the reference engine answers what is expected, as far as the ruleset has an answer."""
    phases = phases_with_answer(case, Rules(ruleset))
    played = play_case(ReferenceAdjudicator(ruleset), case, phases)
    return len(played) == phases and not is_wrong(case, played, ruleset)
