"""One paragraph in plain words that answers what people ask of a position, before any detail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...reference_engine import standard_board
from ..wording import listed
from .movement import OrderExplanation
from .outcomes import Outcome
from .phase import PhaseExplanation
from .words import place, unit_words

MOST_SENTENCES = 8
"""A paragraph with more is no summary; what is left out is in the details."""


def summarize(phase: PhaseExplanation, outcomes: Sequence[Outcome]) -> str:
    """Say what happened in a phase, and why what failed did: `"A Rome does not reach Naples: ..."`."""
    sentences = [*_failures(phase), *_balances(phase), *_successes(outcomes)]
    if len(sentences) > MOST_SENTENCES:
        more = len(sentences) - MOST_SENTENCES
        sentences = [*sentences[:MOST_SENTENCES], f"{more} more things happen, which are explained below."]
    return " ".join(sentences) or "Nothing moves."


def _successes(outcomes: Sequence[Outcome]) -> Iterable[str]:
    """Say who moved, was dislodged, retreated, was built or removed."""
    done: dict[str, list[str]] = {}
    for each in outcomes:
        done.setdefault(each.words, []).append(f"{_power(each.unit.power)}'s {unit_words(each.unit)}")
    for words, units in done.items():
        plural = words.replace("is ", "are ", 1) if len(units) > 1 and words.startswith("is ") else words
        yield f"{listed(units)} {plural}."


def _failures(phase: PhaseExplanation) -> Iterable[str]:
    """Say of each order that failed why; a move first, since that is what people ask."""
    failed = [order for order in phase.orders if order.why]
    yield from map(failure_sentence, sorted(failed, key=lambda order: order.goes_to is None))


def failure_sentence(order: OrderExplanation) -> str:
    """Say of an order that failed why: `"France's A Paris does not reach Burgundy: ..."`."""
    what = _what_fails(order) if order.unit else "fails"
    return f"{owner(order)} {what}: {'; '.join(order.why)}."


def owner(order: OrderExplanation) -> str:
    """Name the unit of an order, or the order where no unit is, with its power."""
    return f"{_power(order.power)}'s {order.unit or f'order {order.order!r}'}"


def _what_fails(order: OrderExplanation) -> str:
    if order.goes_to is not None:
        return f"does not reach {place(order.goes_to)}"
    return _FAILED.get(order.reason or "", "does not do what it is ordered to")


_FAILED: Mapping[str, str] = {
    "cut": "does not give its support",
    "void": "helps nobody",
    "disrupted": "does not convoy",
}


def _balances(phase: PhaseExplanation) -> Iterable[str]:
    for each in phase.adjustments:
        count = abs(each.builds)
        units = "unit" if count == 1 else "units"
        yield f"{_power(each.power)} {'may build' if each.builds > 0 else 'has to remove'} {count} {units}."
        if each.builds < 0 and any(removal.removed == "by rule" for removal in each.removals):
            yield from (f"{sentence}." for sentence in each.sentences[-1:])


def _power(code: str) -> str:
    return standard_board().power_name(code)
