"""The resolution that a document gives to every order of a case, in the terms of DATC 3.2 (4.E.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from ..reference_engine import (
    Build,
    Convoy,
    Disband,
    Hold,
    Move,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    Waive,
    province_code,
)
from .expectations import Findings
from .suite import ORDER_LABELS, SUCCESSES, CaseOrder, Expectation, OrderLabel
from .tables import CorrectionTable, PhaseTable

_LOSSES: Mapping[str, OrderLabel] = {"dislodged": "dislodged", "destroyed": "destroyed"}
_TERMS: Mapping[type, frozenset[str]] = {
    Hold: frozenset({"stands", "dislodged", "destroyed"}),
    Move: frozenset({"illegal", "invalid", "fails", "succeeds"}),
    **dict.fromkeys((SupportHold, SupportMove), frozenset({"illegal", "invalid", "cut", "given"})),
    Convoy: frozenset({"illegal", "invalid", "disrupted", "available"}),
}
"""The terms for each kind of order; an order of another phase succeeds, fails or is illegal."""
_TERMS_LATER = frozenset({"illegal", "fails", "succeeds"})
_Choices: TypeAlias = Mapping[str, str | list[str]]


class Resolution(NamedTuple):
    """What a document says of an order."""

    labels: tuple[OrderLabel, ...]
    """The terms that are right: one, or several where a correction leaves the result open."""
    loss: OrderLabel | None
    """`"dislodged"` or `"destroyed"`, if its unit is."""

    @property
    def label(self) -> OrderLabel | None:
        """What is expected: `None` where a term for success is as right as one for failure."""
        if len(self.labels) == 1:
            return self.labels[0]
        return None if any(label in SUCCESSES for label in self.labels) else "fails"


def read_resolution(text: str) -> Resolution | None:
    """Read a resolution as the document writes it, such as `"cut, dislodged"`; `None` where it is something else."""
    first, _, second = text.lower().partition(", ")
    labels: list[OrderLabel] = []
    for term in first.split(" or "):
        if term not in ORDER_LABELS:
            return None
        labels.append(term)
    if second and second not in _LOSSES:
        return None
    return Resolution(tuple(labels), _LOSSES.get(second or first))


def correction_remarks(table: PhaseTable) -> Iterable[str]:
    """Say where another resolution is expected than the document's, and why."""
    stated = {
        order: resolution
        for name, orders in table.orders.items()
        for order, resolution in zip(orders, table.resolutions.get(name, []), strict=False)
    }
    for correction in table.corrections:
        if not correction.choices and correction.order in stated:
            document = f"{stated[correction.order]!r} in the document"
            yield f"{correction.order!r} is {document}, here {correction.resolution!r}: {correction.reason}"


@dataclass(frozen=True)
class ResolutionReader:
    """Reads the resolutions of one phase, and checks each against the board that is expected."""

    findings: Findings
    table: PhaseTable
    orders: Sequence[CaseOrder]

    def read(self, expectation: Expectation) -> Sequence[Expectation]:
        """Add the resolutions to the expectation under the rules that the document prefers.

        Returns:
            That expectation, and one more for each set of choices under which only a resolution is another.
        """
        if len(self.orders) < sum(map(len, self.table.orders.values())):
            return [expectation]  # An order cannot be read, which is said already.
        stated = self._stated()
        corrections = [found for correction in self.table.corrections for found in self._corrected(correction)]
        resolutions = {**stated, **{index: other for choices, index, other in corrections if not choices}}
        found = [self._resolved(expectation, resolutions)]
        changed = [choices for choices, _, _ in corrections if choices]
        for choices in (each for index, each in enumerate(changed) if each not in changed[:index]):
            others = {index: other for where, index, other in corrections if where == choices}
            accepted = self.findings.accepted("corrections", choices)
            one = replace(expectation, choices={**expectation.choices, **accepted}, basis="derived")
            found.append(self._resolved(one, {**resolutions, **others}))
        return found

    def _resolved(self, expectation: Expectation, resolutions: Mapping[int, Resolution | None]) -> Expectation:
        labels: dict[int, OrderLabel] = dict(expectation.orders)
        either: set[int] = set()
        for index, resolution in resolutions.items():
            if resolution is None:
                continue
            order = self.orders[index]
            if problem := _contradiction(order, resolution, expectation):
                self.findings.problem("resolutions", f"{order.text!r}: {problem}")
            expected, label = labels.pop(index, None), resolution.label
            if label is None:
                either.add(index)
                continue
            if expected is not None and (expected in SUCCESSES) != (label in SUCCESSES):
                self.findings.problem("resolutions", f"{order.text!r} is expected to be {expected}, too")
            labels[index] = label
        return replace(expectation, orders=labels, either=frozenset(either), without_resolutions=expectation)

    def _stated(self) -> Mapping[int, Resolution | None]:
        """What the document says of each order, by its index."""
        stated: dict[int, Resolution | None] = {}
        for name in sorted(self.table.resolutions.keys() - self.table.orders.keys()):
            self.findings.problem("resolutions", f"{name} has no orders")
        for name, orders in self.table.orders.items():
            texts = self.table.resolutions.get(name, [])
            if len(texts) != len(orders):
                found = f"there are {len(orders)} orders and {len(texts)} resolutions"
                self.findings.problem(f"resolutions.{name}", found)
                break
            for text in texts:
                stated[len(stated)] = self._read("resolutions", len(stated), text)
        return stated

    def _corrected(self, correction: CorrectionTable) -> Iterable[tuple[_Choices, int, Resolution | None]]:
        """Find each order that has the text of a correction; return its choices, the index and the resolution."""
        indices = [index for index, order in enumerate(self.orders) if order.text == correction.order]
        if not indices:
            self.findings.problem("corrections", f"there is no order {correction.order!r}")
        for index in indices:
            yield correction.choices, index, self._read("corrections", index, correction.resolution)

    def _read(self, field: str, index: int, text: str) -> Resolution | None:
        order = self.orders[index]
        terms = _TERMS.get(type(order.order), _TERMS_LATER)
        resolution = read_resolution(text)
        if resolution is None or not terms.issuperset(resolution.labels):
            self.findings.problem(field, f"{order.text!r} is {' or '.join(sorted(terms))}, not {text!r}")
            return None
        return resolution


def _contradiction(order: CaseOrder, resolution: Resolution, expectation: Expectation) -> str:
    """Say how a resolution contradicts the board that is expected; empty where it does not."""
    unit = None if isinstance(order.order, (Waive, type(None))) else order.order.unit
    province, succeeds = "" if unit is None else province_code(unit.location), resolution.label in SUCCESSES
    if isinstance(order.order, (Move, Retreat)) and succeeds != (province in expectation.moved):
        return "`moved` says otherwise"
    if isinstance(order.order, Build) and succeeds and province not in {u.location[:3] for u in expectation.built}:
        return "`built` says otherwise"
    if isinstance(order.order, (Disband, Remove)) and succeeds and province not in expectation.gone:
        return "`disbanded` or `removed` says otherwise"
    if (resolution.loss is not None) != (province in expectation.dislodged):
        return "`dislodged` says otherwise"
    return ""
