"""What is wrong with the answer to a plain position, in words that its author can act on."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from ...adapters import AdjudicateParams, AdjudicateResult, DislodgedMessage, UnitMessage, unit_of
from ...reference_engine import Unit, province_code, standard_board

NO_DISLODGED = "the answer has no `dislodged`, from which a retreat phase goes on"


class Remarks(msgspec.Struct):
    """What is to be said of an answer."""

    mend: list[str] = []
    """What is wrong."""
    hints: list[str] = []
    """What could be better, or has to be known."""


def check_answer(params: AdjudicateParams, expected: AdjudicateResult, got: AdjudicateResult) -> Remarks:
    """Compare an answer with the one expected: first its words, then the board, then what is said of orders."""
    remarks = Remarks()
    remarks.mend += _unknown_words(got)
    if remarks.mend:
        return remarks
    _compare_units(params, expected, got, remarks)
    if params.phase == "movement":
        _compare_dislodged(expected.dislodged or [], got.dislodged, remarks)
        _compare_orders(params, expected, got, remarks)
    return remarks


def _unknown_words(got: AdjudicateResult) -> Iterable[str]:
    """Find locations and powers that are none, each once."""
    problems: dict[str, None] = {}
    for unit in (*got.units, *(got.dislodged or ())):
        for problem in (_power_problem(unit.power), _place_problem(unit)):
            if problem:
                problems[problem] = None
    for entry in got.dislodged or ():
        for location in (*(entry.retreats or ()), *([entry.from_] if entry.from_ else ())):
            if location not in standard_board().number:
                problems[_unknown("location", location, standard_board().locations)] = None
    return problems


def _power_problem(power: str) -> str:
    powers = tuple(standard_board().powers)
    return "" if power in powers else _unknown("power", power, powers)


def _place_problem(unit: UnitMessage | DislodgedMessage) -> str:
    board = standard_board()
    if unit.location not in board.number:
        return _unknown("location", unit.location, board.locations)
    if board.can_stand(unit.type, unit.location):
        return ""
    coasts = [place for place in board.locations if place.startswith(f"{unit.location}/")]
    if unit.type == "F" and coasts:
        return f"a fleet in {unit.location} is on one of its coasts: {' or '.join(coasts)}"
    if unit.type == "A" and "/" in unit.location:
        return f"an army is on no coast: {province_code(unit.location)} instead of {unit.location}"
    return f"{unit.type} {unit.location} cannot be: {'a fleet' if unit.type == 'F' else 'an army'} has no place there"


def _unknown(kind: str, word: str, known: Sequence[str]) -> str:
    """Say that a word is none of the protocol's, and which is meant."""
    close = difflib.get_close_matches(word.upper(), known, n=1)
    meant = f": {close[0]}?" if close else f"; they are written {known[0]}, {known[1]} … (docs/protocol.md)"
    return f"{kind} {word!r} is unknown{meant}"


def _compare_units(
    params: AdjudicateParams, expected: AdjudicateResult, got: AdjudicateResult, remarks: Remarks
) -> None:
    wanted = [unit_of(unit) for unit in expected.units]
    counted = Counter(unit_of(unit) for unit in got.units)
    dislodged = {unit_of(unit) for unit in expected.dislodged or ()}
    for unit in sorted(set(wanted) - counted.keys()):
        remarks.mend.append(f"`units` lacks {_show(unit)}")
    for unit in sorted(counted.keys() - set(wanted)):
        if unit in dislodged:
            remarks.mend.append(
                f"`units` has {_show(unit)}, which is dislodged: it stands in `dislodged` alone until it has retreated"
            )
        else:
            was_there = unit in {unit_of(before) for before in params.units}
            remarks.mend.append(f"`units` has {_show(unit)}, which {'is no longer' if was_there else 'is not'} there")
    for unit, count in sorted(counted.items()):
        if count > 1:
            remarks.mend.append(f"`units` has {_show(unit)} {count} times")


def _compare_dislodged(
    expected: Sequence[DislodgedMessage], got: Sequence[DislodgedMessage] | None, remarks: Remarks
) -> None:
    if got is None:
        if expected:
            remarks.hints.append(NO_DISLODGED)
        return
    answered = {unit_of(entry): entry for entry in got}
    wanted = {unit_of(entry): entry for entry in expected}
    for unit, entry in wanted.items():
        if unit in answered:
            _compare_dislodged_unit(entry, answered[unit], remarks)
        else:
            remarks.mend.append(f"`dislodged` lacks {_show(unit)}")
    for unit in sorted(answered.keys() - wanted.keys()):
        remarks.mend.append(f"`dislodged` has {_show(unit)}, which is not dislodged")


def _compare_dislodged_unit(expected: DislodgedMessage, got: DislodgedMessage, remarks: Remarks) -> None:
    unit = _show(unit_of(expected))
    if got.from_ is None:
        remarks.hints.append(f"`from` of {unit} is not given: the province that its attacker came from")
    elif province_code(got.from_) != expected.from_:
        remarks.mend.append(f"`from` of {unit} is {got.from_}: its attacker came from {expected.from_}")
    if got.retreats is None:
        remarks.hints.append(f"`retreats` of {unit} are not given: where it may retreat to is not judged")
        return
    for location in sorted({*(expected.retreats or ())} - {*got.retreats}):
        remarks.mend.append(f"`retreats` of {unit} lacks {location}")
    for location in sorted({*got.retreats} - {*(expected.retreats or ())}):
        remarks.mend.append(f"`retreats` of {unit} has {location}, where it may not retreat to")


def _compare_orders(
    params: AdjudicateParams, expected: AdjudicateResult, got: AdjudicateResult, remarks: Remarks
) -> None:
    if got.orders is None:
        remarks.hints.append("the answer has no `orders`: the outcomes of single orders are not judged")
        return
    for order, wanted, given in zip(params.orders, expected.orders or (), got.orders, strict=True):
        if wanted is None or given is None:
            continue
        if given.outcome != wanted.outcome:
            remarks.mend.append(f"{order.text!r} {wanted.outcome}; `orders` says that it {given.outcome}")
        elif given.reason is not None and given.reason != wanted.reason:
            remarks.hints.append(f"{order.text!r} fails as {wanted.reason}; `orders` says {given.reason}")


def _show(unit: Unit) -> str:
    return f"{unit.power} {unit.type} {unit.location}"
