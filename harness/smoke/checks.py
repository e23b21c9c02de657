"""A smoke test of any engine: what its author must fix before the cases can tell anything, check by check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import msgspec

from ...adapters import (
    AdjudicateParams,
    Capabilities,
    Engine,
    EngineFailure,
    InitializeResult,
    Notation,
    UnsupportedError,
    ruleset_message,
    unit_messages,
)
from ...adapters.protocol import METHOD_NOT_FOUND
from ...reference_engine import (
    DATC_3_2,
    PHASES,
    Move,
    OrderedUnit,
    Phase,
    RulesetError,
    Unit,
    check_choice,
    nearest,
)
from ..answers import Answer, PhaseInput
from ..session import Adjudicator, EngineAdjudicator, ReferenceAdjudicator, order_messages, play
from .advice import NO_DISLODGED, Remarks, advise
from .map_check import MapCheck, check_map
from .positions import (
    adjustment_position,
    movement_and_retreat,
    own_and_foreign_order,
    single_order,
    supports_out_of_reach,
)

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
_IN_THE_WAY = "keeps that from being carried out (case F.order-to-a-foreign-unit)"
_SHOWN_MOVES = 20
"""How many moves of a kind are shown one by one: of an engine that cannot move at all, each would be."""


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One check and what it found: nothing, where all is well."""

    name: str
    failures: list[str] = msgspec.field(default_factory=list, name="mend")
    """What its author must fix."""
    hints: list[str] = []
    """What its author should know."""
    not_asked: str = ""
    """Why it was not asked, where it was not."""
    map: MapCheck | None = None
    """What was found of the map, in the check of the map."""


@dataclass
class Smoke:
    """The smoke test of an engine that was started. `checks` yields each check as soon as it is done."""

    engine: Engine
    started: InitializeResult
    notation: Notation = "document"
    jobs: int = 1
    _adjudicator: Adjudicator = field(init=False)
    _illegal_is_answered: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._adjudicator = EngineAdjudicator(self.engine, self.started.capabilities, DATC_3_2, self.notation)

    def checks(self) -> Iterator[Check]:
        """Ask everything, in order. Raises `EngineGaveOutError` and `EngineClosedError`."""
        yield check_handshake(self.started)
        if not _claims(self.started.capabilities.phases, "movement"):
            yield Check(name="all else", not_asked="it needs the movement phase, which capabilities.phases lacks")
            return
        yield from self._check_movement_and_retreat()
        yield self._check_adjustment()
        yield from self._check_order_forms()
        yield self._check_illegal_order()
        yield self._check_foreign_order()
        yield self._check_support_out_of_reach()
        yield self._check_unknown_method()
        yield self._check_map()

    def _check_movement_and_retreat(self) -> Iterator[Check]:
        """Check both; the retreat is asked as it follows from the engine's own answer to the movement."""
        phases = movement_and_retreat()
        remarks = self._remarks(phases)
        failures, hints = next(remarks)
        if NO_DISLODGED in hints and self._claims_phase("retreat"):
            hints.remove(NO_DISLODGED)
            failures.append(NO_DISLODGED)
        yield _check("movement phase", Remarks(failures, hints))
        name = "retreat phase"
        if not self._claims_phase("retreat"):
            yield _not_claimed(name, "phases")
        elif failures:
            yield Check(name=name, not_asked="it follows the movement phase, which must be fixed first")
        else:
            yield _check(name, next(remarks))

    def _check_adjustment(self) -> Check:
        name = "adjustment phase"
        if not self._claims_phase("adjustment"):
            return _not_claimed(name, "phases")
        return _check(name, next(self._remarks([adjustment_position()])))

    def _remarks(self, phases: Sequence[PhaseInput]) -> Iterator[Remarks]:
        """Play phases on the engine and on the reference engine, and say what is wrong with each answer."""
        for played, expected in zip(
            play(self._adjudicator, phases), play(ReferenceAdjudicator(DATC_3_2), phases), strict=False
        ):
            assert isinstance(expected.answer, Answer)  # noqa: S101 - the reference engine has one
            yield advise(played, expected.answer)

    def _check_order_forms(self) -> Iterator[Check]:
        """Ask the same move as text in names, as text in codes, and structured, as far as it claims them."""
        troubles: dict[Form, str | None] = {
            form: self._trouble_with_form(form) if self._claims_form(word) else None for form, word in FORMS.items()
        }
        for form in FORMS:
            yield _form_check(form, troubles, self.notation)

    def _trouble_with_form(self, form: Form) -> str:
        """Ask a move in one form alone, and say why it was not carried out; nothing where it was."""
        asked = single_order("FRANCE", Move(OrderedUnit("PAR", "A"), "BUR"))
        (order,) = order_messages(asked.submission.writings, asked.texts, "codes" if form == "codes" else "names")
        if form == "structured":
            order = msgspec.structs.replace(order, text=_UNREADABLE)
            what = "an order whose text cannot be read, but whose structured form can,"
        else:
            order = msgspec.structs.replace(order, order=None)
            what = f"an order with its text alone, {order.text!r},"
        params = AdjudicateParams(
            phase="movement", ruleset=ruleset_message(DATC_3_2), units=unit_messages(asked.units), orders=[order]
        )
        try:
            places = [unit.location for unit in self.engine.adjudicate(params).units]
        except (EngineFailure, UnsupportedError) as error:
            return f"{what} is not carried out: the engine {str(error).removeprefix('the engine ')}"
        if places != ["BUR"]:
            return f"{what} is not carried out: the unit is in {' and '.join(places) or 'no place'}"
        return ""

    def _check_illegal_order(self) -> Check:
        found = self._remarks([single_order("FRANCE", Move(OrderedUnit("PAR", "A"), "WAR"))])
        check = _check("illegal order", next(found))
        self._illegal_is_answered = not check.failures
        return check

    def _check_foreign_order(self) -> Check:
        """Ask an order of another power alone and, if it is not carried out, beside that of the unit's own power."""
        asked = single_order("GERMANY", Move(OrderedUnit("PAR", "A"), "BUR"))
        (played,) = play(self._adjudicator, [asked])
        failures, hints = advise(played, ReferenceAdjudicator(DATC_3_2).ask(asked))
        if isinstance(played.answer, Answer) and [unit.location for unit in played.answer.units] == ["BUR"]:
            failures, hints = [], ["it is carried out: the engine does not look whose the unit is (case 6.A.6)"]
        found = [*failures, *hints] or self._wrong_in(
            own_and_foreign_order(),
            {
                Unit("FRANCE", "A", "BUR"): f"after its own power's order, it {_IN_THE_WAY}",
                Unit("FRANCE", "A", "SPA"): f"before its own power's order, it {_IN_THE_WAY}",
            },
        )
        return Check(name="order to another power's unit", hints=found)

    def _check_support_out_of_reach(self) -> Check:
        """Ask for supports into provinces that the supporting units could not go to."""
        found = self._wrong_in(
            supports_out_of_reach(),
            {
                Unit("FRANCE", "A", "MUN"): "a support to hold counts (case F.hold-support-out-of-reach)",
                Unit("AUSTRIA", "A", "VIE"): "a support for a move counts (case F.move-support-out-of-reach)",
            },
        )
        return Check(name="support out of reach", hints=found)

    def _wrong_in(self, asked: PhaseInput, wrong: Mapping[Unit, str]) -> list[str]:
        """Ask a position, and say what is wrong where a unit is not where it should be in the end."""
        (played,) = play(self._adjudicator, [asked])
        if not isinstance(played.answer, Answer):
            return advise(played, ReferenceAdjudicator(DATC_3_2).ask(asked)).failures
        return [text for unit, text in wrong.items() if unit not in played.answer.units]

    def _check_unknown_method(self) -> Check:
        try:
            response = self.engine.call(UNKNOWN_METHOD, {})
        except (EngineFailure, UnsupportedError) as error:
            found = str(error)
        else:
            if response.error is msgspec.UNSET:
                found = "answered a result"
            else:
                found = "" if response.error.code == METHOD_NOT_FOUND else f"answered {response.error.code}"
        wanted = f"error {METHOD_NOT_FOUND}, method not found, is the answer to it: the engine"
        return Check(name="unknown method", failures=[f"{wanted} {found}"] if found else [])

    def _check_map(self) -> Check:
        found = check_map(self.engine, self.notation, self.jobs, borders_only=not self._illegal_is_answered)
        failures = _shorten([f"missing: {border}" for border in found.missing])
        failures += _shorten([f"too many: {border}" for border in found.too_many])
        failures += _shorten([f"{move}: the unit is then {place}" for move, place in found.elsewhere.items()])
        failures += _shorten([f"{move}: the engine {trouble}" for move, trouble in found.unanswered.items()])
        unasked = ["pairs without a border were not asked: the answer to an illegal order must be fixed first"]
        hints = [] if found.others else unasked
        return Check(name="map", failures=failures, hints=hints, map=found)

    def _claims_phase(self, phase: Phase) -> bool:
        return _claims(self.started.capabilities.phases, phase)

    def _claims_form(self, form: str) -> bool:
        return _claims(self.started.capabilities.orders, form)


def check_handshake(started: InitializeResult) -> Check:
    """Look through what an engine says of itself."""
    can = started.capabilities
    remarks = Remarks([], [])
    known: Mapping[str, tuple[list[str] | None, tuple[str, ...]]] = {
        "phases": (can.phases, PHASES),
        "orders": (can.orders, ORDER_FORMS),
    }
    for name, (claimed, words) in known.items():
        for word in claimed or ():
            if word not in words:
                remarks.failures.append(f"capabilities.{name} has {word!r}{nearest(word, words)}")
        if claimed is not None and not set(claimed) & set(words):
            remarks.failures.append(f"capabilities.{name} names none of {', '.join(words)}: nothing can be asked")
    for word in can.maps or ():
        if word not in MAPS:
            remarks.hints.append(f"capabilities.maps has {word!r}: nothing is asked on it, only on {MAPS[0]!r}")
    if not _claims(can.maps, MAPS[0]):
        remarks.failures.append(f"capabilities.maps lacks {MAPS[0]!r}, the map of every case")
    remarks.failures.extend(_wrong_choices(can))
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
        return Check(name=name, failures=[trouble])
    if troubles[other] == "":
        trouble += f'; it reads {other}: say notation = "{other}" in datc.toml'
    elif troubles["structured"] == "":
        trouble += '; leave "text" out of capabilities.orders, or read it'
    return Check(name=name, failures=[trouble])


def _check(name: str, remarks: Remarks) -> Check:
    return Check(name=name, failures=remarks.failures, hints=remarks.hints)


def _not_claimed(name: str, capability: str) -> Check:
    return Check(name=name, not_asked=f"not in capabilities.{capability}")


def _claims(claimed: list[str] | None, word: str) -> bool:
    return claimed is None or word in claimed


def _shorten(lines: list[str]) -> list[str]:
    rest = len(lines) - _SHOWN_MOVES
    return lines if rest <= 0 else [*lines[:_SHOWN_MOVES], f"and {rest} more like that"]
