"""JSON: a phase a line, a request to an engine a line, or saved games of the Python package `diplomacy`."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TypeAlias, TypeVar, final

import msgspec

from ....adapters import AdjudicateParams
from ....adapters.conversion import read_position
from ....adapters.engine import UNREADABLE
from ....adapters.protocol import OutcomeWord
from ....reference_engine import Dislodged, Phase, Unit, UnitType, province_code
from ....reference_engine.errors import nearest
from ....reference_engine.maps import map_names
from ...play.answer import Answer, OrderOutcome
from ...play.engine import read_orders
from ...play.positions import order_text, ordered_province
from .records import ArchiveError, ArchiveFormat, RecordedPhase, cut, outcome_of

_PHASES: Mapping[str, Phase] = {"M": "movement", "R": "retreat", "A": "adjustment"}


class _DislodgedEntry(msgspec.Struct, frozen=True):
    """A dislodged unit on a phase's line; its location is the key."""

    power: str
    type: UnitType
    retreats: tuple[str, ...] | None = None


_Dislodged: TypeAlias = dict[str, _DislodgedEntry]


class _PhaseLine(msgspec.Struct, frozen=True):
    id: str
    phase: Phase
    units: tuple[Unit, ...]
    orders: tuple[tuple[str, str], ...]
    centers: dict[str, list[str]] = {}
    dislodged: _Dislodged = {}
    after_units: tuple[Unit, ...] | None = None
    after_dislodged: _Dislodged | None = None
    outcomes: list[OutcomeWord | None] | None = None


class _Asked(msgspec.Struct, frozen=True):
    """What an engine was asked, in a request or in the store of a shadow."""

    params: AdjudicateParams
    number: int = 0


class _State(msgspec.Struct, frozen=True):
    units: dict[str, list[str]]
    centers: dict[str, list[str]] = {}
    retreats: dict[str, dict[str, list[str]]] = {}


_Orders: TypeAlias = dict[str, list[str] | None]
_Results: TypeAlias = dict[str, list[str]]


class _SavedPhase(msgspec.Struct, frozen=True):
    name: str
    state: _State
    orders: _Orders = {}
    results: _Results = {}


class _SavedGame(msgspec.Struct, frozen=True):
    """A game as `to_saved_game_format` of the package `diplomacy` writes it."""

    phases: list[msgspec.Raw]
    id: str = ""
    map: str = "standard"


class _GameHistory(msgspec.Struct, frozen=True):
    """A game as `Game.to_dict` of the package `diplomacy` writes it."""

    state_history: dict[str, msgspec.Raw]
    order_history: dict[str, msgspec.Raw] = {}
    result_history: dict[str, msgspec.Raw] = {}
    game_id: str = ""
    map_name: str = "standard"


class _Head(msgspec.Struct, frozen=True):
    """What tells the objects apart, without reading them."""

    id: str = ""
    params: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    phases: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    state_history: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_T = TypeVar("_T")

_read_line = msgspec.json.Decoder(_PhaseLine).decode
_read_head = msgspec.json.Decoder(_Head).decode


@final
class JsonGames(ArchiveFormat):
    """JSON Lines of phases, of requests, or of saved games; or one saved game over many lines."""

    def recognises(self, start: bytes) -> bool:
        return start.lstrip().startswith((b"{", b"["))

    def blocks(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        """Take each line, or each item of an array, as a block; a file whose first line is no whole object is one."""
        several = ((number, line) for number, line in lines if line.strip())
        first = next(several, None)
        if first is None:
            return
        every = itertools.chain([first], several)
        if first[1].lstrip().startswith(b"[") or first[1].rstrip().endswith((b"{", b",")):
            ((number, whole),) = cut(every, lambda _: False, "the file has to be read whole, and")
            every = [(number, whole)]
            with suppress(*UNREADABLE):  # It may be an array.
                every = [(number, bytes(item)) for item in msgspec.json.decode(whole, type=list[msgspec.Raw])]
        yield from every

    def game_of(self, content: bytes) -> str:
        try:
            return _read_head(content).id.rpartition("/")[0]
        except UNREADABLE:
            return ""

    def phases(self, content: bytes) -> Iterable[RecordedPhase]:
        try:
            return [_recorded(_read_line(content))]
        except UNREADABLE as error:
            why_no_phase = error
        head = _read_head(content)
        if head.params is not msgspec.UNSET:
            asked = msgspec.json.decode(content, type=_Asked)
            params, position = asked.params, read_position(asked.params)
            texts = [(given.power, given.text or order_text(read_orders([given])[0])) for given in params.orders]
            name, units = f"{asked.number}{params.phase[0].upper()}", position.units
            phase = RecordedPhase(
                "asked", name, params.phase, units, tuple(texts), params.centers, position.dislodged, map=params.map
            )
            return [phase]
        if head.phases is not msgspec.UNSET:
            saved = msgspec.json.decode(content, type=_SavedGame)
            named = enumerate(saved.phases, 1)
            return _saved_phases(saved.id, saved.map, (_part(f"phase {at}", raw, _SavedPhase) for at, raw in named))
        if head.state_history is not msgspec.UNSET:
            game = msgspec.json.decode(content, type=_GameHistory)
            return _saved_phases(game.game_id, game.map_name, _phases_of(game))
        raise ArchiveError(f"neither a phase, nor a request, nor a saved game: {why_no_phase}") from why_no_phase


def _recorded(line: _PhaseLine) -> RecordedPhase:
    game, _, name = line.id.rpartition("/")
    answer = None
    if line.after_units is not None:
        dislodged, outcomes = line.after_dislodged, line.outcomes
        if outcomes is not None and len(outcomes) != len(line.orders):
            raise msgspec.ValidationError(f"{len(outcomes)} outcomes for {len(line.orders)} orders")
        answer = Answer(
            line.after_units,
            None if dislodged is None or line.phase != "movement" else _dislodged(dislodged),
            None if outcomes is None else tuple([each and OrderOutcome(each) for each in outcomes]),
        )
    before = _dislodged(line.dislodged) if line.phase == "retreat" else ()
    return RecordedPhase(game, name, line.phase, line.units, line.orders, line.centers, before, answer)


def _dislodged(entries: _Dislodged) -> tuple[Dislodged, ...]:
    dislodged = [
        Dislodged(Unit(each.power, each.type, where), None, each.retreats and tuple(sorted(each.retreats)))
        for where, each in entries.items()
    ]
    return tuple(sorted(dislodged))


_MAPS = {"ancmed": "ancient-mediterranean"}
"""The names of maps that are others in the package `diplomacy`."""


def _part(name: str, content: msgspec.Raw, kind: type[_T]) -> _T:
    """Read a part of a game, which may have so many that all of them at once fill the memory."""
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.ValidationError as error:
        raise msgspec.ValidationError(f"{name}: {error}") from error


def _phases_of(game: _GameHistory) -> Iterator[_SavedPhase]:
    for name, state in game.state_history.items():
        orders, results = game.order_history.get(name), game.result_history.get(name)
        yield _SavedPhase(
            name,
            _part(name, state, _State),
            {} if orders is None else _part(name, orders, _Orders),
            {} if results is None else _part(name, results, _Results),
        )


def _saved_phases(game: str, board: str, phases: Iterable[_SavedPhase]) -> Iterator[RecordedPhase]:
    name = _MAPS.get(board, board)
    if name not in map_names():
        raise ArchiveError(f"the game is played on the map {board!r}, which is not known{nearest(name, map_names())}")
    for saved, following in itertools.pairwise(itertools.chain(phases, [None])):
        phase = None if saved is None else _PHASES.get(saved.name[-1:])
        if saved is None or phase is None or not saved.name[1:-1].isdecimal():
            continue
        recorded = RecordedPhase(
            game,
            saved.name,
            phase,
            _units(saved.state),
            tuple((power, text) for power, texts in saved.orders.items() for text in texts or ()),
            saved.state.centers,
            _retreating(saved.state) if phase == "retreat" else (),
            map=name,
        )
        if following is None:
            yield recorded
            continue
        after, forced_out, outcomes = following.state, None, None
        if phase == "movement":
            # Units that were lost at once are nowhere in a saved game.
            forced_out = _retreating(after)
            outcomes = tuple(_outcomes(recorded, saved.results)) if saved.results else None
        yield recorded._replace(answer=Answer(_units(after), forced_out, outcomes))


def _outcomes(recorded: RecordedPhase, results: _Results) -> Iterator[OrderOutcome | None]:
    by_province = {province_code(unit[2:]): words for unit, words in results.items()}
    provinces = [ordered_province(given.order) for given in recorded.given_orders]
    for given, province in zip(recorded.given_orders, provinces, strict=True):
        words = by_province.get(province)
        if words is None or provinces.count(province) > 1:
            yield None
        else:
            yield outcome_of([said for word in words if (said := word.rpartition(":")[2])], given.order)


def _units(state: _State) -> tuple[Unit, ...]:
    return tuple(_unit(power, text) for power, texts in state.units.items() for text in texts if text[:1] != "*")


def _retreating(state: _State) -> tuple[Dislodged, ...]:
    """The dislodged units of a state: those with a list of retreats, and those that are only marked."""
    known: dict[Unit, tuple[str, ...] | None] = {}
    for power, several in state.retreats.items():
        known |= {_unit(power, text.removeprefix("*")): tuple(sorted(to)) for text, to in several.items()}
    for power, texts in state.units.items():
        for text in texts:
            if text[:1] == "*":
                _ = known.setdefault(_unit(power, text[1:]))
    return tuple(sorted(Dislodged(unit, None, retreats) for unit, retreats in known.items()))


def _unit(power: str, text: str) -> Unit:
    if text[:2] not in ("A ", "F "):
        raise ArchiveError(f"{text!r} is no unit such as 'A PAR'")
    return Unit(power, "A" if text[0] == "A" else "F", text[2:])
