"""A smoke test of any engine: what its author must fix before the cases can tell anything, check by check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from ...adapters import AdjudicateParams, Engine, EngineFailure, UnsupportedError
from ...adapters.conversion import Notation, ruleset_message, unit_messages
from ...adapters.protocol import METHOD_NOT_FOUND, Capabilities, InitializeResult
from ...reference_engine import (
    DATC_3_2,
    GivenOrder,
    Phase,
    RulesetError,
    Unit,
    province_code,
    read_order,
    standard_board,
)
from ...reference_engine.errors import nearest
from ...reference_engine.orders import PHASES
from ...reference_engine.rulesets import check_choice
from ...reports.findings import Line
from ...reports.vocabulary import fact_text, unit_text
from ..play.answer import Answer, PhaseInput
from ..play.differences import ExpectedAnswer, Fact, diff_answers, expect_answer, not_given
from ..play.engine import EngineAdjudicator, order_messages
from ..play.positions import order_texts
from ..play.session import Adjudicator, PlayedPhase, ReferenceAdjudicator, play
from .map_check import MapCheck, check_map

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
    failures: list[str] = []
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
        phase = single_order("FRANCE", "BUR")
        (order,) = order_messages(phase.submission.writings, phase.texts, "codes" if form == "codes" else "names")
        if form == "structured":
            order = msgspec.structs.replace(order, text=_UNREADABLE)
            what = "an order whose text cannot be read, but whose structured form can,"
        else:
            order = msgspec.structs.replace(order, order=None)
            what = f"an order with its text alone, {order.text!r},"
        params = AdjudicateParams(
            phase="movement", ruleset=ruleset_message(DATC_3_2), units=unit_messages(phase.units), orders=[order]
        )
        try:
            places = [unit.location for unit in self.engine.adjudicate(params).units]
        except (EngineFailure, UnsupportedError) as error:
            return f"{what} is not carried out: the engine {str(error).removeprefix('the engine ')}"
        if places != ["BUR"]:
            return f"{what} is not carried out: the unit is in {' and '.join(places) or 'no place'}"
        return ""

    def _check_illegal_order(self) -> Check:
        found = self._remarks([single_order("FRANCE", "WAR")])
        check = _check("illegal order", next(found))
        self._illegal_is_answered = not check.failures
        return check

    def _check_foreign_order(self) -> Check:
        """Ask an order of another power alone and, if it is not carried out, beside that of the unit's own power."""
        phase = single_order("GERMANY", "BUR")
        (played,) = play(self._adjudicator, [phase])
        failures, hints = advise(played, ReferenceAdjudicator(DATC_3_2).ask(phase))
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

    def _wrong_in(self, phase: PhaseInput, wrong: Mapping[Unit, str]) -> list[str]:
        """Ask a position, and say what is wrong where a unit is not where it should be in the end."""
        (played,) = play(self._adjudicator, [phase])
        if not isinstance(played.answer, Answer):
            return advise(played, ReferenceAdjudicator(DATC_3_2).ask(phase)).failures
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


def asked(phase: Phase, units: str, orders: str) -> PhaseInput:
    """Ask for orders to units, both as `"FRANCE A PAR - BUR; GERMANY A BUR H"`, in codes."""
    given = [line.strip().split(maxsplit=1) for line in orders.split(";")]
    read = [GivenOrder(power, read_order(text, phase).order) for power, text in given]
    standing = [line.split() for line in units.split(";") if line]
    return PhaseInput(
        phase,
        read,
        tuple(Unit(power, "A" if kind == "A" else "F", place) for power, kind, place in standing),
        texts=order_texts(read, "names"),
    )


def movement_and_retreat() -> Sequence[PhaseInput]:
    """Ask for a dislodgement, a bounce and a fleet that moves, and then for the retreat."""
    units = "FRANCE A PAR; FRANCE A GAS; GERMANY A BUR; AUSTRIA A VIE; ITALY A VEN; ENGLAND F NTH"
    orders = (
        "FRANCE A PAR - BUR; FRANCE A GAS S A PAR - BUR; GERMANY A BUR H; AUSTRIA A VIE - TYR; ITALY A VEN - TYR;"
        + " ENGLAND F NTH - HOL"
    )
    return asked("movement", units, orders), asked("retreat", "", "GERMANY A BUR R BEL")._replace(follows=True)


def adjustment_position() -> PhaseInput:
    """Ask for a build and a removal."""
    units = "FRANCE A BRE; FRANCE F MAO; GERMANY A RUH; GERMANY F NTH"
    centers = {"FRANCE": ("BRE", "MAR", "PAR"), "GERMANY": ("MUN",)}
    orders = "FRANCE A PAR B; GERMANY F NTH D"
    return asked("adjustment", units, orders)._replace(season="winter", centers=centers)


def single_order(power: str, to: str) -> PhaseInput:
    """Ask for one order to a French army in Paris, to move."""
    return asked("movement", "FRANCE A PAR", f"{power} A PAR - {to}")


def supports_out_of_reach() -> PhaseInput:
    """Ask for two supports out of reach, which change nothing: to hold Munich, and for a move to Trieste."""
    return asked(
        "movement",
        "GERMANY A MUN; ENGLAND F LON; FRANCE A BUR; FRANCE A RUH; AUSTRIA A VIE; TURKEY A SMY; ITALY A TRI",
        "GERMANY A MUN H; ENGLAND F LON S A MUN; FRANCE A BUR - MUN; FRANCE A RUH S A BUR - MUN; AUSTRIA A VIE - TRI;"
        + " TURKEY A SMY S A VIE - TRI; ITALY A TRI H",
    )


def own_and_foreign_order() -> PhaseInput:
    """Ask for the orders of France to two armies, before and behind those of Germany to the same armies."""
    return asked(
        "movement",
        "FRANCE A PAR; FRANCE A MAR",
        "GERMANY A MAR - PIE; FRANCE A PAR - BUR; FRANCE A MAR - SPA; GERMANY A PAR - PIC",
    )


NO_DISLODGED = "the answer has no `dislodged`, from which a retreat phase goes on"
_NO_ORDERS = "the answer has no `orders`: the outcomes of single orders are not judged"


def check_lines(check: Check) -> Iterator[Line]:
    """Say in lines what was found."""
    word = "fail" if check.failures else "-" if check.not_asked else "hint" if check.hints else "ok"
    yield Line(f"{word:6}{check.name}{_addition(check)}", hanging=8)
    yield from (Line(text, 8) for text in check.failures)
    yield from (Line(f"{'hint: ' if check.failures else ''}{text}", 8) for text in check.hints)


def _addition(check: Check) -> str:
    if check.not_asked:
        return f": not asked, {check.not_asked}"
    if check.map is None:
        return ""
    found = check.map
    others = f" and {found.others} pairs without one" if found.others else ""
    return f": {found.borders} borders{others}, {found.requests} requests in {found.seconds:.1f} s"


class Remarks(NamedTuple):
    """What is to be said of an answer."""

    failures: list[str]
    """What is wrong."""
    hints: list[str]
    """What could be better, or has to be known."""


def advise(played: PlayedPhase, reference: Answer) -> Remarks:
    """Hold what was answered to the answer of the reference engine."""
    asked, answer = played.asked, played.answer
    if not isinstance(answer, Answer):
        return Remarks([f"the engine {answer.reason.removeprefix('the engine ')}"], [])
    expected = expect_answer(reference, None if asked.phase == "movement" else (), attackers=True)
    facts = played.impossible or diff_answers(expected, answer)
    # An unknown name leads to further facts, which say nothing new.
    facts = [fact for fact in facts if fact.kind == "impossible-place"] or facts
    orders = asked.texts or ()
    failures = dict.fromkeys(_failure(fact, expected, orders) for fact in facts)
    hints = dict.fromkeys(_hint(fact, answer) for fact in not_given(expected, answer))
    return Remarks([*failures], [*filter(None, hints), *_other_reasons(reference, answer, orders)])


def _failure(fact: Fact, expected: ExpectedAnswer, orders: Sequence[str]) -> str:
    board = standard_board()
    if fact.kind == "impossible-place" and fact.unit is not None:
        return _impossible_place(fact.unit)
    if fact.kind in ("attacked-from", "retreat-unexpected") and board.province(fact.actual) is None:
        return _unknown("location", fact.actual, board.locations)
    if fact.unit is None or fact.unit not in (expected.dislodged or {}):
        return fact_text(fact, orders)
    if fact.kind in ("standing-and-dislodged", "unit-unexpected"):
        unit = unit_text(fact.unit)
        return f"`units` has {unit}, which is dislodged: it stands in `dislodged` alone until it has retreated"
    return fact_text(fact, orders)


def _impossible_place(unit: Unit) -> str:
    board = standard_board()
    if unit.power not in board.powers:
        return _unknown("power", unit.power, tuple(board.powers))
    if unit.location not in board.number:
        return _unknown("location", unit.location, board.locations)
    coasts = [place for place in board.locations if place.startswith(f"{unit.location}/")]
    if unit.type == "F" and coasts:
        return f"a fleet in {unit.location} is on one of its coasts: {' or '.join(coasts)}"
    if unit.type == "A" and "/" in unit.location:
        return f"an army is on no coast: {province_code(unit.location)} instead of {unit.location}"
    return fact_text(Fact("impossible-place", unit), ())


def _unknown(kind: str, word: str, known: Sequence[str]) -> str:
    """Say that the protocol has no such word (docs/protocol.md), and which is meant."""
    return f"{kind} {word!r} is unknown{nearest(word, known)}"


def _hint(fact: Fact, answer: Answer) -> str:
    """Say what is left out; nothing of a single order."""
    if fact.kind == "outcome":
        return "" if answer.outcomes else _NO_ORDERS
    if fact.kind == "dislodgement-missing" or fact.unit is None:
        return NO_DISLODGED
    unit = unit_text(fact.unit)
    if fact.kind == "attacked-from":
        return f"`from` of {unit} is not given: the province that its attacker came from"
    return f"`retreats` of {unit} are not given: where it may retreat to is not judged"


def _other_reasons(reference: Answer, answer: Answer, orders: Sequence[str]) -> Iterator[str]:
    """Name the orders that fail for another reason than the answer says."""
    for text, wanted, said in zip(orders, reference.outcomes or (), answer.outcomes or (), strict=False):
        if wanted is None or said is None or wanted.outcome != said.outcome:
            continue
        if said.reason not in (None, wanted.reason):
            yield f"{text!r} fails as {wanted.reason}; `orders` says {said.reason}"
