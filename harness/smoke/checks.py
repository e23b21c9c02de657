"""A smoke test of any engine: what its author must mend before the cases can tell anything, check by check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import msgspec

from ...adapters import (
    AdjudicateParams,
    AdjudicateResult,
    Capabilities,
    Engine,
    EngineFailure,
    InitializeResult,
    Notation,
    UnsupportedError,
)
from ...adapters.builtin import Reference
from ...adapters.protocol import METHOD_NOT_FOUND
from ...reference_engine import (
    PHASES,
    Move,
    OrderedUnit,
    Phase,
    RulesetError,
    check_choice,
    nearest,
)
from .answer_check import NO_DISLODGED, Remarks, check_answer
from .map_check import MapCheck, check_map
from .positions import adjustment_position, movement_position, retreat_position, single_order

MAPS = ("standard",)
ORDER_FORMS = ("text", "structured")
Form: TypeAlias = Literal["names", "codes", "structured"]
FORMS: Mapping[Form, str] = {"names": "text", "codes": "text", "structured": "structured"}
"""The ways to write an order, and what an engine that reads one has in `capabilities.orders`."""
_FORM_NAMES: Mapping[Form, str] = {
    "names": "orders as text in names",
    "codes": "orders as text in codes",
    "structured": "structured orders",
}
_UNREADABLE = "(as structured)"
UNKNOWN_METHOD = "datc-check/no-such-method"
_SHOWN_MOVES = 20
"""How many moves of a kind are shown one by one: of an engine that cannot move at all, each would be."""


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One check and what it found: nothing, where all is well."""

    name: str
    mend: list[str] = []
    """What its author must mend."""
    hints: list[str] = []
    """What its author should know."""
    not_asked: str = ""
    """Why it was not asked, where it was not."""
    map: MapCheck | None = None
    """What was found of the map, in the check of the map."""


@dataclass
class Smoke:
    """The smoke test of an engine that was started. `checks` asks; each check is told as soon as it is done."""

    engine: Engine
    started: InitializeResult
    notation: Notation = "document"
    jobs: int = 1
    _movement: AdjudicateResult | None = field(default=None, init=False)
    """The answer to the movement phase, where nothing is wrong with it."""
    _illegal_is_answered: bool = field(default=False, init=False)

    def checks(self) -> Iterator[Check]:
        """Ask everything, in order. Raises `EngineGaveOutError` and `EngineClosedError`."""
        yield check_handshake(self.started)
        if not _claims(self.started.capabilities.phases, "movement"):
            yield Check(name="all else", not_asked="it needs the movement phase, which capabilities.phases lacks")
            return
        yield self._check_movement()
        yield self._check_retreat()
        yield self._check_adjustment()
        yield from self._check_order_forms()
        yield self._check_illegal_order()
        yield self._check_foreign_order()
        yield self._check_unknown_method()
        yield self._check_map()

    def _check_movement(self) -> Check:
        params, expected = movement_position(self.notation)
        remarks, answer = self._compare(params, expected)
        if answer is not None and answer.dislodged is None and self._claims_phase("retreat"):
            remarks.hints.remove(NO_DISLODGED)
            remarks.mend.append(NO_DISLODGED)
        elif not remarks.mend:
            self._movement = answer
        return _check("movement phase", remarks)

    def _check_retreat(self) -> Check:
        name = "retreat phase"
        if not self._claims_phase("retreat"):
            return _not_claimed(name, "phases")
        if self._movement is None:
            return Check(name=name, not_asked="it goes on from the movement phase, which must be mended first")
        params, expected = retreat_position(self._movement, self.notation)
        return _check(name, self._compare(params, expected)[0])

    def _check_adjustment(self) -> Check:
        name = "adjustment phase"
        if not self._claims_phase("adjustment"):
            return _not_claimed(name, "phases")
        params = adjustment_position(self.notation)
        return _check(name, self._compare(params, Reference().adjudicate(params))[0])

    def _check_order_forms(self) -> Iterator[Check]:
        """Ask the same move as text in names, as text in codes, and structured, as far as it claims them."""
        troubles: dict[Form, str | None] = {
            form: self._trouble_with_form(form) if self._claims_form(word) else None for form, word in FORMS.items()
        }
        for form in FORMS:
            yield _form_check(form, troubles, self.notation)

    def _trouble_with_form(self, form: Form) -> str:
        """Ask a move in one form alone, and say why it was not carried out; nothing where it was."""
        params = single_order("FRANCE", Move(OrderedUnit("PAR", "A"), "BUR"), "codes" if form == "codes" else "names")
        (order,) = params.orders
        if form == "structured":
            order = msgspec.structs.replace(order, text=_UNREADABLE)
            what = "an order whose text cannot be read, but whose structured form can,"
        else:
            order = msgspec.structs.replace(order, order=None)
            what = f"an order with its text alone, {order.text!r},"
        answer = self._ask(msgspec.structs.replace(params, orders=[order]))
        if isinstance(answer, str):
            return f"{what} is not carried out: the engine {answer}"
        if _locations(answer) != ["BUR"]:
            return f"{what} is not carried out: the unit is in {' and '.join(_locations(answer)) or 'no place'}"
        return ""

    def _check_illegal_order(self) -> Check:
        params = single_order("FRANCE", Move(OrderedUnit("PAR", "A"), "WAR"), self.notation)
        remarks, _ = self._compare(params, Reference().adjudicate(params))
        self._illegal_is_answered = not remarks.mend
        return _check("illegal order", remarks)

    def _check_foreign_order(self) -> Check:
        params = single_order("GERMANY", Move(OrderedUnit("PAR", "A"), "BUR"), self.notation)
        remarks, answer = self._compare(params, Reference().adjudicate(params))
        hints = [*remarks.mend, *remarks.hints]
        if answer is not None and _locations(answer) == ["BUR"]:
            hints = ["it is carried out: the engine does not look whose the unit is (case 6.A.6)"]
        return Check(name="order to another power's unit", hints=hints)

    def _check_unknown_method(self) -> Check:
        name = "unknown method"
        wanted = f"error {METHOD_NOT_FOUND}, method not found"
        try:
            response = self.engine.call(UNKNOWN_METHOD, {})
        except (EngineFailure, UnsupportedError) as error:
            return Check(name=name, mend=[f"{wanted}, is the answer to it: the engine {error}"])
        if response.error is msgspec.UNSET:
            return Check(name=name, mend=[f"{wanted}, is the answer to it: the engine answered a result"])
        if response.error.code != METHOD_NOT_FOUND:
            return Check(name=name, mend=[f"{wanted}, is the answer to it: the engine answered {response.error.code}"])
        return Check(name=name)

    def _check_map(self) -> Check:
        found = check_map(self.engine, self.notation, self.jobs, borders_only=not self._illegal_is_answered)
        mend = _shorten([f"missing: {border}" for border in found.missing])
        mend += _shorten([f"too many: {border}" for border in found.too_many])
        mend += _shorten([f"{move}: the unit is then {place}" for move, place in found.elsewhere.items()])
        mend += _shorten([f"{move}: the engine {trouble}" for move, trouble in found.unanswered.items()])
        hints = (
            []
            if found.others
            else ["pairs without a border were not asked: the answer to an illegal order must be mended first"]
        )
        return Check(name="map", mend=mend, hints=hints, map=found)

    def _compare(self, params: AdjudicateParams, expected: AdjudicateResult) -> tuple[Remarks, AdjudicateResult | None]:
        answer = self._ask(params)
        if isinstance(answer, str):
            return Remarks(mend=[f"the engine {answer}"]), None
        return check_answer(params, expected, answer), answer

    def _ask(self, params: AdjudicateParams) -> AdjudicateResult | str:
        """Ask a position; a text says what was wrong with the answer."""
        try:
            return self.engine.adjudicate(params)
        except EngineFailure as error:
            return str(error)
        except UnsupportedError as error:
            return str(error).removeprefix("the engine ")

    def _claims_phase(self, phase: Phase) -> bool:
        return _claims(self.started.capabilities.phases, phase)

    def _claims_form(self, form: str) -> bool:
        return _claims(self.started.capabilities.orders, form)


def check_handshake(started: InitializeResult) -> Check:
    """Look through what an engine says of itself."""
    can = started.capabilities
    remarks = Remarks()
    known: Mapping[str, tuple[list[str] | None, tuple[str, ...]]] = {
        "phases": (can.phases, PHASES),
        "orders": (can.orders, ORDER_FORMS),
    }
    for name, (claimed, words) in known.items():
        for word in claimed or ():
            if word not in words:
                remarks.mend.append(f"capabilities.{name} has {word!r}{nearest(word, words)}")
        if claimed is not None and not set(claimed) & set(words):
            remarks.mend.append(f"capabilities.{name} names none of {', '.join(words)}: nothing can be asked")
    for word in can.maps or ():
        if word not in MAPS:
            remarks.hints.append(f"capabilities.maps has {word!r}: nothing is asked on it, only on {MAPS[0]!r}")
    if not _claims(can.maps, MAPS[0]):
        remarks.mend.append(f"capabilities.maps lacks {MAPS[0]!r}, the map of every case")
    remarks.mend += _wrong_choices(can)
    if not started.engine.version:
        remarks.hints.append("engine.version is not given: a report cannot say what it is about")
    return _check("handshake", remarks)


def _wrong_choices(capabilities: Capabilities) -> Iterable[str]:
    for issue, choices in (capabilities.choices or {}).items():
        for choice in choices:
            try:
                check_choice(issue, choice)
            except RulesetError as error:
                yield f"capabilities.choices: {error}"


def _form_check(form: Form, troubles: Mapping[Form, str | None], notation: Notation) -> Check:
    """Judge one way of writing orders; `troubles` has `None` for one that is not claimed.

    The way that the cases are sent in has to be understood. Text always comes with them, but the structured form only
    where the order is clear.
    """
    name = _FORM_NAMES[form]
    trouble = troubles[form]
    if trouble is None:
        return _not_claimed(name, "orders")
    if not trouble:
        return Check(name=name)
    sent: Form = "codes" if notation == "codes" else "names"
    other: Form = "names" if sent == "codes" else "codes"
    if form == other:
        return Check(name=name, hints=[trouble])
    if form == "structured":
        if troubles[sent] == "":
            return Check(name=name, hints=[f'{trouble}; leave "structured" out of capabilities.orders'])
        return Check(name=name, mend=[trouble])
    if troubles[other] == "":
        trouble += f'; it reads {other}: say notation = "{other}" in datc.toml'
    elif troubles["structured"] == "":
        trouble += '; leave "text" out of capabilities.orders, or read it'
    return Check(name=name, mend=[trouble])


def _check(name: str, remarks: Remarks) -> Check:
    return Check(name=name, mend=remarks.mend, hints=remarks.hints)


def _not_claimed(name: str, capability: str) -> Check:
    return Check(name=name, not_asked=f"not in capabilities.{capability}")


def _claims(claimed: list[str] | None, word: str) -> bool:
    return claimed is None or word in claimed


def _locations(answer: AdjudicateResult) -> list[str]:
    return [unit.location for unit in answer.units]


def _shorten(lines: list[str]) -> list[str]:
    rest = len(lines) - _SHOWN_MOVES
    return lines if rest <= 0 else [*lines[:_SHOWN_MOVES], f"and {rest} more like that"]
