"""Why what a case expects is right, for cases that an engine answers otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from ...cases import Case
from ...reference_engine import Ruleset, province_code, read_unit
from ...reports import CaseData, FactData
from ..errors import HarnessError
from ..session import ReferenceAdjudicator, case_inputs, play
from ..verdict import is_wrong

if TYPE_CHECKING:
    from .movement import OrderExplanation
    from .phase import PhaseExplanation

MOST_SENTENCES = 5
"""A reader wants the reason, not the whole phase: `datc-check explain` has that."""


def with_explanation(found: CaseData, case: Case, ruleset: Ruleset) -> CaseData:
    """Put into a verdict why what is expected is right, in the first phase whose answer differs.

    Nothing is put there where the reference engine does not play these rules, or gives another answer than expected.
    """
    number = next((number for number, phase in enumerate(found.phases) if phase.facts and phase.expected), -1)
    if number < 0:
        return found
    from .explain import explain_case  # Most runs have no case that fails.

    try:
        phases = explain_case(case, ruleset)
    except HarnessError:
        return found
    if number >= len(phases) or is_wrong(case, [*play(ReferenceAdjudicator(ruleset), case_inputs(case))], ruleset):
        return found
    wrong = found.phases[number]
    told = msgspec.structs.replace(wrong, explanation=why_right(phases[number], wrong.facts))
    return msgspec.structs.replace(found, phases=[*found.phases[:number], told, *found.phases[number + 1 :]])


def why_right(explained: PhaseExplanation, facts: Sequence[FactData]) -> str:
    """Say why a phase has its result, in a few sentences about the units and orders of which some facts are."""
    sentences = [*_sentences(explained, facts)] if explained.phase == "movement" else []
    return " ".join(sentences[:MOST_SENTENCES]) or explained.summary


def _sentences(explained: PhaseExplanation, facts: Sequence[FactData]) -> Iterable[str]:
    """Explain the orders that facts are about; then the moves, since other orders matter by what they do to moves."""
    from .summary import failure_sentence, owner
    from .words import place

    provinces = {province_code(fact.unit.location) for fact in facts if fact.unit is not None}
    orders = {fact.order for fact in facts}
    is_about_retreats = any(fact.kind.startswith("retreat") for fact in facts)
    concerned = [
        (index not in orders, order.goes_to is None, order)
        for index, order in enumerate(explained.orders)
        if index in orders or provinces & _provinces(order)
    ]
    for is_beside, _, order in sorted(concerned, key=lambda one: one[:2]):
        if order.why:
            yield failure_sentence(order)
        elif order.goes_to is not None:
            why = f": {'; '.join(order.sentences)}" if order.sentences else ""
            yield f"{owner(order)} moves to {place(province_code(order.goes_to))}{why}."
        elif order.sentences:
            told = [each for each in order.sentences if is_about_retreats or not each.startswith("it may not retreat")]
            yield f"{owner(order)}: {'; '.join(told)}."
        elif not is_beside:
            yield f"{owner(order)} succeeds: the order is legal, and nothing stops it."


def _provinces(order: OrderExplanation) -> set[str]:
    """Return where a unit stands, and where it is to go."""
    at = {province_code(read_unit(order.unit).location)} if order.unit else set[str]()
    return at if order.goes_to is None else {*at, province_code(order.goes_to)}
