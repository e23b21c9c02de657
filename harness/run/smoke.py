"""A smoke test of any engine: what its author must fix before the cases can tell anything, check by check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from ...adapters import Engine, EngineFailure, UnsupportedError
from ...adapters.conversion import Notation, ruleset_message
from ...adapters.protocol import METHOD_NOT_FOUND, InitializeResult
from ...reference_engine import DATC_3_2, Board, RulesetError, Unit, province_code, read_order, standard_board
from ...reference_engine.errors import nearest
from ...reference_engine.game import home_centers
from ...reference_engine.maps import STANDARD, load_board, map_names, own_map_names
from ...reference_engine.orders import PHASES, GivenOrder, Phase
from ...reference_engine.rulesets import check_choice
from ...reports.findings import Line
from ...reports.report import counted
from ...reports.vocabulary import fact_text, unit_text
from ..play.answer import Answer, Failure, PhaseInput
from ..play.differences import ExpectedAnswer, Fact, diff_answers, expect_answer, not_given, same_answer
from ..play.differential import find_facts
from ..play.engine import EngineAdjudicator, request_params
from ..play.positions import order_texts
from ..play.session import Adjudicator, PlayedPhase, ReferenceAdjudicator, play
from ..search.disagreement import find_contradiction
from ..search.relations import UNSTABLE, first_questions
from .map_check import GivenMaps, MapCheck, check_given_maps, check_map

_Form: TypeAlias = Literal["names", "codes", "structured"]
_FORMS: Mapping[_Form, tuple[str, str]] = {
    "names": ("orders as text in names", "text"),
    "codes": ("orders as text in codes", "text"),
    "structured": ("structured orders", "structured"),
}
"""The ways to write an order: the check of each, and what an engine that reads it has in `capabilities.orders`."""
_SHOWN_MOVES = 20
"""How many moves of a kind are shown one by one: of an engine that cannot move at all, each would be."""
_NO_DISLODGED = "the answer has no `dislodged`, from which a retreat phase goes on"
_CONVOY, _VIA, _NATIONALITY = "convoy", "via convoy", "nationality"
_FOREIGN, _OUT_OF_REACH = "order to another power's unit", "support out of reach"

_POSITIONS: Mapping[str, tuple[Phase, str, str]] = {
    "movement phase": (
        "movement",
        "FRANCE A PAR; FRANCE A GAS; GERMANY A BUR; AUSTRIA A VIE; ITALY A VEN; ENGLAND F NTH",
        "FRANCE A PAR - BUR; FRANCE A GAS S A PAR - BUR; GERMANY A BUR H; AUSTRIA A VIE - TYR; ITALY A VEN - TYR;"
        + " ENGLAND F NTH - HOL",
    ),
    "retreat phase": ("retreat", "", "GERMANY A BUR R BEL"),
    "adjustment phase": (
        "adjustment",
        "FRANCE A BRE; FRANCE F MAO; GERMANY A RUH; GERMANY F NTH",
        "FRANCE A PAR B; GERMANY F NTH D",
    ),
    "legal order": ("movement", "FRANCE A PAR", "FRANCE A PAR - BUR"),
    "illegal order": ("movement", "FRANCE A PAR", "FRANCE A PAR - WAR"),
    _FOREIGN: ("movement", "FRANCE A PAR", "GERMANY A PAR - BUR"),
    # The orders of France to two armies stand before and behind those of Germany to the same armies.
    "own and foreign order": (
        "movement",
        "FRANCE A PAR; FRANCE A MAR",
        "GERMANY A MAR - PIE; FRANCE A PAR - BUR; FRANCE A MAR - SPA; GERMANY A PAR - PIC",
    ),
    # Two supports change nothing, since the supporting units could not go there: to hold Munich, and to take Trieste.
    _OUT_OF_REACH: (
        "movement",
        "GERMANY A MUN; ENGLAND F LON; FRANCE A BUR; FRANCE A RUH; AUSTRIA A VIE; TURKEY A SMY; ITALY A TRI",
        "GERMANY A MUN H; ENGLAND F LON S A MUN; FRANCE A BUR - MUN; FRANCE A RUH S A BUR - MUN; AUSTRIA A VIE - TRI;"
        + " TURKEY A SMY S A VIE - TRI; ITALY A TRI H",
    ),
    _CONVOY: ("movement", "ENGLAND A LON; ENGLAND F NTH", "ENGLAND A LON - BEL; ENGLAND F NTH C A LON - BEL"),
    _VIA: (
        "movement",
        "ENGLAND A NWY; FRANCE F SKA; RUSSIA A SWE",
        "ENGLAND A NWY - SWE VIA; FRANCE F SKA C A NWY - SWE; RUSSIA A SWE - NWY",
    ),
    _NATIONALITY: (
        "movement",
        "FRANCE A BEL; GERMANY A RUH; ENGLAND F HOL",
        "FRANCE A BEL - HOL; GERMANY A RUH S ITALIAN A BEL - HOL; ENGLAND F HOL H",
    ),
    "waive first": ("adjustment", "FRANCE A GAS; FRANCE A BUR", "FRANCE WAIVE; FRANCE A PAR B"),
    "waive last": ("adjustment", "FRANCE A GAS; FRANCE A BUR", "FRANCE A PAR B; FRANCE WAIVE"),
}
"""What is asked: a phase, units and orders in codes."""
_IN_THE_WAY = "keeps that from being carried out (case F.order-to-a-foreign-unit)"
_STANDING: Mapping[str, Mapping[tuple[str, str, str], str]] = {
    "own and foreign order": {
        ("FRANCE", "A", "BUR"): f"after its own power's order, it {_IN_THE_WAY}",
        ("FRANCE", "A", "SPA"): f"before its own power's order, it {_IN_THE_WAY}",
    },
    _OUT_OF_REACH: {
        ("FRANCE", "A", "MUN"): "a support to hold counts (case F.hold-support-out-of-reach)",
        ("AUSTRIA", "A", "VIE"): "a support for a move counts (case F.move-support-out-of-reach)",
    },
    _CONVOY: {("ENGLAND", "A", "BEL"): "without the words `via convoy` no army sails: your bridge has to add them"},
    _VIA: {
        ("ENGLAND", "A", "SWE"): "an army that is to sail walks: your bridge drops the words, or the engine plays"
        + " 4.A.3 = 1982-totality"
    },
    _NATIONALITY: {
        ("ENGLAND", "F", "HOL"): "a wrong one counts where it has to be void: your bridge drops it, or the engine plays"
        + " 4.C.6 = valid in any case"
    },
}
"""The units that stand on the board afterwards in some positions, and what is wrong where they do not."""


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One check and what it found: nothing, where all is well."""

    name: str
    failures: list[str] = []
    hints: list[str] = []
    not_asked: str = ""
    map: MapCheck | None = None
    maps: GivenMaps | msgspec.UnsetType = msgspec.UNSET


def smoke_checks(
    engine: Engine, started: InitializeResult, notation: Notation = "document", jobs: int = 1
) -> Iterator[Check]:
    """Ask a started engine everything, check by check. Raises `EngineGaveOutError` and `EngineClosedError`."""
    can = started.capabilities
    yield check_handshake(started)
    if not _claims(can.phases, "movement"):
        yield Check(name="all else", not_asked="it needs the movement phase, which capabilities.phases lacks")
        return
    adjudicator = EngineAdjudicator(engine, can, DATC_3_2, notation)
    yield check_relations(adjudicator)
    # The retreat is asked as it follows from the engine's own answer to the movement.
    checks = _ask(adjudicator, "movement phase", "retreat phase")
    played, movement = next(checks)
    if _NO_DISLODGED in movement.hints and _claims(can.phases, "retreat"):
        hints = [hint for hint in movement.hints if hint != _NO_DISLODGED]
        movement = msgspec.structs.replace(movement, failures=[*movement.failures, _NO_DISLODGED], hints=hints)
    yield movement
    if not _claims(can.phases, "retreat"):
        yield Check(name="retreat phase", not_asked="not in capabilities.phases")
    elif not _may_go_on(played):
        yield Check(name="retreat phase", not_asked="it follows the movement phase, which must be fixed first")
    else:
        yield next(checks)[1]
    if _claims(can.phases, "adjustment"):
        yield _check_adjustment(adjudicator)
    else:
        yield Check(name="adjustment phase", not_asked="not in capabilities.phases")
    troubles: dict[_Form, str | None] = {
        form: _trouble_with_form(engine, form) if _claims(can.orders, word) else None
        for form, (_, word) in _FORMS.items()
    }
    yield from (_check_form(form, troubles, notation) for form in _FORMS)
    _, illegal = next(_ask(adjudicator, "illegal order"))
    yield illegal
    yield _check_foreign_order(adjudicator)
    yield Check(name=_OUT_OF_REACH, hints=_not_standing(adjudicator, _OUT_OF_REACH))
    voiding = EngineAdjudicator(engine, can, DATC_3_2.with_choices({"4.C.6": "invalid"}), notation)
    if isinstance(played.answer, Answer):
        yield _check_bridge(adjudicator, voiding, can.phases)
    try:
        response = engine.call("datc-check/no-such-method", {})
        code = "a result" if response.error is msgspec.UNSET else response.error.code
        answered = "" if code == METHOD_NOT_FOUND else f"answered {code}"
    except (EngineFailure, UnsupportedError) as error:
        answered = str(error)
    wanted = f"error {METHOD_NOT_FOUND}, method not found, is the answer to it: the engine"
    yield Check(name="unknown method", failures=[f"{wanted} {answered}"] if answered else [])
    given = None
    if not answered:  # The answer to any other method that an engine does not know would mean nothing.
        given = check_given_maps(engine, can.maps or [STANDARD])
        yield from [_check_given_maps(given)] if given else []
    known = {STANDARD, *(given.given if given else ())}
    for name in (STANDARD, *(each for each in can.maps or () if each in own_map_names() and each not in known)):
        yield _check_map(engine, load_board(name), notation, jobs, borders_only=bool(illegal.failures))


def check_relations(adjudicator: Adjudicator) -> Check:
    """Ask in other forms what should make no difference, and say what does: the most doubtful first."""
    name, failures = "same answer in any form", dict[str, str]()
    for relation, ordered, salt in first_questions():
        if relation in failures:
            continue
        found = find_contradiction(adjudicator, ordered, DATC_3_2, relation, salt)
        if found is None:
            continue
        if found.failure is not None:
            return Check(name=name, failures=[*failures.values()], not_asked="a question had no answer, see below")
        if found.contradicts_another_answer:
            _, (fact, *_) = find_facts(found.expected, found.said)
            failures[relation] = f"{found.relation}: {fact_text(fact, order_texts(ordered.orders, 'names'))}"
            if relation in UNSTABLE:
                break
    return Check(name=name, failures=[*failures.values()])


def _may_go_on(played: PlayedPhase) -> bool:
    """Whether a retreat can follow an answer: its board is right, whatever it says of orders."""
    answer = played.answer
    if not isinstance(answer, Answer) or answer.dislodged is None or played.impossible:
        return False
    return same_answer(ReferenceAdjudicator(DATC_3_2).ask(played.asked), answer)


def _check_adjustment(adjudicator: Adjudicator) -> Check:
    ((played, check),) = _ask(adjudicator, "adjustment phase")
    if isinstance(played.answer, Answer):
        return check
    ((again, *_),) = play(adjudicator, [played.asked._replace(centers=home_centers(standard_board()))])
    if not isinstance(again, Failure):
        why = "it answers if each power owns its home centers: it has to bear others, which nobody owns"
        check = msgspec.structs.replace(check, failures=[*check.failures, why])
    return check


def _check_bridge(adjudicator: Adjudicator, voiding: Adjudicator, phases: list[str] | None) -> Check:
    """Ask what bridges drop; `voiding` is asked to play that a wrong nationality makes an order void."""
    asked = {_CONVOY: adjudicator, _VIA: adjudicator, _NATIONALITY: voiding}
    hints = [f"{name}: {text}" for name, who in asked.items() for text in _not_standing(who, name)]
    if _claims(phases, "adjustment"):
        answers = [next(_ask(adjudicator, name))[0].answer for name in ("waive first", "waive last")]
        boards = [each.units for each in answers if isinstance(each, Answer)]
        hints += [f"waive: {_of_engine(each.reason)}" for each in answers if isinstance(each, Failure)]
        if len(boards) == 2 and all(("FRANCE", "A", "PAR") in units for units in boards):
            hints.append("waive: your bridge drops it, or the engine lets no build be waived (4.D.7)")
    return Check(name="what the bridge passes on", hints=hints)


def _ask(adjudicator: Adjudicator, *positions: str) -> Iterator[tuple[PlayedPhase, Check]]:
    """Play positions on the engine and on the reference engine, and say what is wrong with each answer."""
    phases = [_asked(name) for name in positions]
    both = zip(play(adjudicator, phases), play(ReferenceAdjudicator(DATC_3_2), phases), strict=False)
    for name, (played, expected) in zip(positions, both, strict=False):
        assert isinstance(expected.answer, Answer)  # noqa: S101 - the reference engine has one
        yield played, _advise(name, played, expected.answer)


def _asked(position: str) -> PhaseInput:
    phase, units, orders = _POSITIONS[position]
    given = [line.strip().split(maxsplit=1) for line in orders.split(";")]
    read = [GivenOrder(power, read_order(text, phase).order) for power, text in given]
    standing = [line.split() for line in units.split(";") if line]
    return PhaseInput(
        phase,
        read,
        tuple(Unit(power, "A" if kind == "A" else "F", place) for power, kind, place in standing),
        texts=order_texts(read, "names"),
        season="winter" if phase == "adjustment" else "spring",
        centers={"FRANCE": ("BRE", "MAR", "PAR"), "GERMANY": ("MUN",)} if phase == "adjustment" else {},
        follows=phase == "retreat",
    )


def check_handshake(started: InitializeResult) -> Check:
    """Look through what an engine says of itself."""
    can = started.capabilities
    failures: list[str] = []
    for name, claimed, words in (("phases", can.phases, PHASES), ("orders", can.orders, ("text", "structured"))):
        unknown = [word for word in claimed or () if word not in words]
        failures += [f"capabilities.{name} has {word!r}{nearest(word, words)}" for word in unknown]
        if claimed is not None and not set(claimed) & set(words):
            failures.append(f"capabilities.{name} names none of {', '.join(words)}: nothing can be asked")
    others = [word for word in can.maps or () if word not in map_names()]
    hints = [f"capabilities.maps has {word!r}, which is no map of ours: ask with `run --map FILE`" for word in others]
    if not _claims(can.maps, STANDARD):
        failures.append("capabilities.maps lacks 'standard', the map of nearly every case")
    for issue, choices in (can.choices or {}).items():
        for choice in choices:
            try:
                check_choice(issue, choice)
            except RulesetError as error:
                failures.append(f"capabilities.choices: {error}")
    if not started.engine.version:
        hints.append("engine.version is not given: a report cannot say what it is about")
    return Check(name="handshake", failures=failures, hints=hints)


def _trouble_with_form(engine: Engine, form: _Form) -> str:
    """Ask a move in one form alone, and say why it was not carried out; nothing where it was."""
    notation: Notation = "codes" if form == "codes" else "names"
    params = request_params(_asked("legal order"), ruleset_message(DATC_3_2), notation)
    (order,) = params.orders
    if form == "structured":
        order = msgspec.structs.replace(order, text="(as structured)")
        what = "an order whose text cannot be read, but whose structured form can,"
    else:
        order = msgspec.structs.replace(order, order=None)
        what = f"an order with its text alone, {order.text!r},"
    try:
        answer = engine.adjudicate(msgspec.structs.replace(params, orders=[order]))
    except (EngineFailure, UnsupportedError) as error:
        return f"{what} is not carried out: {_of_engine(str(error))}"
    places = [unit.location for unit in answer.units]
    if places != ["BUR"]:
        return f"{what} is not carried out: the unit is in {' and '.join(places) or 'no place'}"
    return ""


def _check_form(form: _Form, troubles: Mapping[_Form, str | None], notation: Notation) -> Check:
    """Judge one way of writing orders: that of the cases is needed. `troubles` has `None` for an unclaimed one."""
    (name, _), trouble = _FORMS[form], troubles[form]
    if not trouble:
        return Check(name=name, not_asked="not in capabilities.orders" if trouble is None else "")
    sent: _Form = "codes" if notation == "codes" else "names"
    other: _Form = "names" if sent == "codes" else "codes"
    if form == other:
        return Check(name=name, hints=[trouble])
    # Text always comes with an order, but the structured form only where the order is clear.
    if form == "structured" and troubles[sent] == "":
        return Check(name=name, hints=[f'{trouble}; leave "structured" out of capabilities.orders'])
    if form == sent and troubles[other] == "":
        trouble += f'; it reads {other}: say notation = "{other}" in datc.toml'
    elif form == sent and troubles["structured"] == "":
        trouble += '; leave "text" out of capabilities.orders, or read it'
    return Check(name=name, failures=[trouble])


def _check_foreign_order(adjudicator: Adjudicator) -> Check:
    """Ask an order of another power alone and, if it is not carried out, beside that of the unit's own power."""
    ((played, check),) = _ask(adjudicator, _FOREIGN)
    found = [*check.failures, *check.hints]
    if isinstance(played.answer, Answer) and [unit.location for unit in played.answer.units] == ["BUR"]:
        found = ["it is carried out: the engine does not look whose the unit is (case 6.A.6)"]
    return Check(name=_FOREIGN, hints=found or _not_standing(adjudicator, "own and foreign order"))


def _not_standing(adjudicator: Adjudicator, position: str) -> list[str]:
    """Ask a position, and say what is wrong where a unit is not where it should be in the end."""
    ((played, check),) = _ask(adjudicator, position)
    if not isinstance(played.answer, Answer):
        return check.failures
    return [text for unit, text in _STANDING[position].items() if unit not in played.answer.units]


def _check_map(engine: Engine, board: Board, notation: Notation, jobs: int, *, borders_only: bool) -> Check:
    found = check_map(engine, board, notation, jobs, borders_only=borders_only)
    failures: list[str] = []
    silent = Counter(found.unanswered.values())
    firsts = {why: move for move, why in reversed(found.unanswered.items())}
    more = {why: f" and {counted(count - 1, 'other move')}" if count > 1 else "" for why, count in silent.items()}
    for lines in (
        [f"missing: {border}" for border in found.missing],
        [f"too many: {border}" for border in found.too_many],
        [f"{move}: the unit is then {place}" for move, place in found.elsewhere.items()],
        [f"{firsts[why]}{others}: {_of_engine(why)}" for why, others in more.items()],
    ):
        rest = len(lines) - _SHOWN_MOVES
        failures += [*lines[:_SHOWN_MOVES], f"and {rest} more like that"] if rest > 0 else lines
    unasked = ["pairs without a border were not asked: the answer to an illegal order must be fixed first"]
    name = "map" if board.name == STANDARD else f"map {board.name}"
    return Check(name=name, failures=failures, hints=unasked if borders_only else [], map=found)


def _check_given_maps(given: GivenMaps) -> Check:
    """Say where the maps that an engine gives as data differ from ours."""
    failures = [f"{name}: {text}" for name, texts in given.problems.items() for text in texts[:_SHOWN_MOVES]]
    hints: list[str] = []
    for name, found in given.differences.items():
        texts = found.texts("our map", "the engine's", names=False)
        failures += [f"{name}: {text}" for text in texts[:_SHOWN_MOVES]]
        failures += [f"{name}: and {rest} more" for rest in [len(texts) - _SHOWN_MOVES] if rest > 0]
        called = ", ".join(each.what for each in found.differences if each.aspect == "names")
        hints += [f"{name}: other names than ours: {called}"] if called else []
    return Check(name="maps as data", failures=failures, hints=hints, maps=given)


def _of_engine(trouble: str) -> str:
    return f"the engine {trouble.removeprefix('the engine ')}"


def _claims(claimed: list[str] | None, word: str) -> bool:
    return claimed is None or word in claimed


def check_lines(check: Check) -> Iterator[Line]:
    """Say in lines what was found."""
    word = "fail" if check.failures else "-" if check.not_asked else "hint" if check.hints else "ok"
    addition = f": not asked, {check.not_asked}" if check.not_asked else ""
    if found := check.map:
        others = f" and {found.others} pairs without one" if found.others else ""
        addition = f": {found.borders} borders{others}, {found.requests} requests in {found.seconds:.1f} s"
    yield Line(f"{word:6}{check.name}{addition}", hanging=8)
    yield from (Line(text, 8) for text in check.failures)
    yield from (Line(f"{'hint: ' if check.failures else ''}{text}", 8) for text in check.hints)


def _advise(name: str, played: PlayedPhase, reference: Answer) -> Check:
    """Hold what was answered to the answer of the reference engine."""
    phase, answer = played.asked, played.answer
    if not isinstance(answer, Answer):
        return Check(name=name, failures=[_of_engine(answer.reason)])
    expected = expect_answer(reference, None if phase.phase == "movement" else (), attackers=True)
    facts = played.impossible or diff_answers(expected, answer)
    # An unknown name leads to further facts, which say nothing new.
    facts = [fact for fact in facts if fact.kind == "impossible-place"] or facts
    orders = phase.texts or ()
    failures = dict.fromkeys(_failure(fact, expected, orders) for fact in facts)
    hints = [*filter(None, dict.fromkeys(_hint(fact, answer) for fact in not_given(expected, answer)))]
    for text, wanted, said in zip(orders, reference.outcomes or (), answer.outcomes or (), strict=False):
        if wanted is None or said is None or wanted.outcome != said.outcome:
            continue
        if said.reason not in (None, wanted.reason):
            hints.append(f"{text!r} fails as {wanted.reason}; `orders` says {said.reason}")
    return Check(name=name, failures=[*failures], hints=hints)


def _failure(fact: Fact, expected: ExpectedAnswer, orders: Sequence[str]) -> str:
    """Say what is wrong, with the words of the protocol where it has no such word (docs/protocol.md)."""
    board, unit = standard_board(), fact.unit
    if fact.kind in ("attacked-from", "retreat-unexpected") and board.province(fact.actual) is None:
        return f"location {fact.actual!r} is unknown{nearest(fact.actual, board.locations)}"
    if unit is None:
        return fact_text(fact, orders)
    if fact.kind in ("standing-and-dislodged", "unit-unexpected") and unit in (expected.dislodged or {}):
        stands = "it stands in `dislodged` alone until it has retreated"
        return f"`units` has {unit_text(unit)}, which is dislodged: {stands}"
    if fact.kind == "impossible-place":
        coasts = [place for place in board.locations if place.startswith(f"{unit.location}/")]
        if unit.power not in board.powers:
            return f"power {unit.power!r} is unknown{nearest(unit.power, tuple(board.powers))}"
        if unit.location not in board.number:
            return f"location {unit.location!r} is unknown{nearest(unit.location, board.locations)}"
        if unit.type == "F" and coasts:
            return f"a fleet in {unit.location} is on one of its coasts: {' or '.join(coasts)}"
        if unit.type == "A" and "/" in unit.location:
            return f"an army is on no coast: {province_code(unit.location)} instead of {unit.location}"
    return fact_text(fact, orders)


def _hint(fact: Fact, answer: Answer) -> str:
    """Say what is left out; nothing of a single order."""
    if fact.kind == "outcome":
        return "" if answer.outcomes else "the answer has no `orders`: the outcomes of single orders are not judged"
    if fact.kind == "dislodgement-missing" or fact.unit is None:
        return _NO_DISLODGED
    unit = unit_text(fact.unit)
    if fact.kind == "attacked-from":
        return f"`from` of {unit} is not given: the province that its attacker came from"
    return f"`retreats` of {unit} are not given: where it may retreat to is not judged"
