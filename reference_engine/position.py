# mypyc
"""A position, which is what stands on the board before a phase, and an adjudication, which is the result of a phase."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast, get_args

from .board import Board, OrderedUnit, Place, Standing, Unit, province_code
from .errors import PositionError
from .installation import mypyc_attr
from .maps import standard_board
from .orders import PHASES, Phase
from .routes import set_of


class Dislodged(NamedTuple):
    """A unit that was dislodged and has yet to retreat."""

    unit: Unit
    attacked_from: str | None
    """The province that its attacker came from; `None` where that is not known."""
    retreats: tuple[str, ...] | None
    """The locations that it may retreat to, in alphabetical order; `None` where that is not known.

    An adjudication of this engine has them always, an answer of another engine may leave them out.
    """

    def to_data(self) -> dict[str, Any]:
        """Return the unit as values of JSON, with what is known of its attacker and its retreats."""
        known = {"from": self.attacked_from, "retreats": None if self.retreats is None else list(self.retreats)}
        return {**self.unit._asdict(), **{name: value for name, value in known.items() if value is not None}}


class FlyingDutchman(NamedTuple):
    """A unit too many of a power, by an earlier mistake, and the provinces where it could be: one if it is known."""

    power: str
    candidates: tuple[str, ...]


@mypyc_attr(allow_interpreted_subclasses=True)
class Position:
    """Units, dislodged units and supply centers before a phase: a value that nothing changes; equal ones compare equal.

    Args:
        units: The units on the board.
        phase: The phase that the position is before.
        dislodged: The units that have yet to retreat (retreat phase only).
        centers: The supply centers that each power owns (adjustment phase, where units without them raise an error).
        flying_dutchmen: The units that should not be there and were found out before the phase (4.E.6).
        board: The board; by default the standard one.

    Raises:
        PositionError: This cannot be on a board.
    """

    def __init__(
        self,
        units: Iterable[Unit],
        *,
        phase: Phase = "movement",
        dislodged: Iterable[Dislodged] = (),
        centers: Mapping[str, Iterable[str]] | None = None,
        flying_dutchmen: Iterable[FlyingDutchman] = (),
        board: Board | None = None,
    ) -> None:
        board = board or standard_board()
        standing, power, places, home, is_fleet, named, alike = _columns(board, tuple(units))
        # Each is read by a property of its name, and set nowhere else.
        self._board: Board = board
        self._phase: Phase = phase
        self._dislodged: tuple[Dislodged, ...] = tuple(dislodged)
        self._centers: Mapping[str, frozenset[str]] = _owned(centers) if centers else _NO_CENTERS
        self._flying_dutchmen: tuple[FlyingDutchman, ...] = tuple(flying_dutchmen)
        self._units: tuple[Unit, ...] = standing
        self._power: tuple[str, ...] = power
        self._places: tuple[Place, ...] = places
        self._home: tuple[int, ...] = home
        self._is_fleet: tuple[bool, ...] = is_fleet
        self._alike: tuple[list[Unit], ...] = alike
        self._named: dict[OrderedUnit, int] = dict(zip(named, range(len(named)), strict=True))
        occupant = [-1] * len(board.provinces)
        for index, province in enumerate(home):
            occupant[province] = index
        self._occupant: tuple[int, ...] = tuple(occupant)
        if occupant.count(-1) + len(home) != len(occupant):  # Two units are in one province.
            _check_together(board, standing)
        self._at_sea: int = -1
        """The set of seas with a fleet on them, once it was asked for."""
        if phase not in PHASES:
            raise PositionError(f"there is no phase {phase!r}: the phases are {', '.join(PHASES)}")
        if phase == "adjustment" and standing and centers is None:
            raise PositionError("an adjustment phase needs `centers`, what each power owns: without, no unit stays")
        if self._dislodged:
            self._check_dislodged()
        if self._centers:
            self._check_centers()
        if self._flying_dutchmen:
            self._check_flying_dutchmen()

    @property
    def board(self) -> Board:
        """The board."""
        return self._board

    @property
    def phase(self) -> Phase:
        """The phase that the position is before."""
        return self._phase

    @property
    def units(self) -> tuple[Unit, ...]:
        """The units, each the object that the board has for it."""
        return self._units

    @property
    def dislodged(self) -> tuple[Dislodged, ...]:
        """The units that have yet to retreat."""
        return self._dislodged

    @property
    def centers(self) -> Mapping[str, frozenset[str]]:
        """The supply centers that each power owns."""
        return self._centers

    @property
    def flying_dutchmen(self) -> tuple[FlyingDutchman, ...]:
        """The units that should not be there."""
        return self._flying_dutchmen

    @property
    def power(self) -> tuple[str, ...]:
        """The power of each unit."""
        return self._power

    @property
    def places(self) -> tuple[Place, ...]:
        """Where each unit stands."""
        return self._places

    @property
    def home(self) -> tuple[int, ...]:
        """The province of each unit."""
        return self._home

    @property
    def is_fleet(self) -> tuple[bool, ...]:
        """Whether each unit is a fleet."""
        return self._is_fleet

    @property
    def alike(self) -> tuple[list[Unit], ...]:
        """For each unit the one of its type and power at each location."""
        return self._alike

    @property
    def named(self) -> dict[OrderedUnit, int]:
        """The index in `units` of each unit, as an order names it in full, without nationality."""
        return self._named

    @property
    def occupant(self) -> tuple[int, ...]:
        """The index in `units` of the unit in each province, -1 where a province is empty."""
        return self._occupant

    def __reduce__(self) -> tuple[Callable[..., Position], tuple[object, ...]]:
        """Pickle what the position is made of; its tables are worked out again."""
        names = ("phase", "dislodged", "flying_dutchmen", "board")
        fields = {name: getattr(self, name) for name in names}
        return partial(Position, centers=dict(self._centers), **fields), (self._units,)

    def to_data(self) -> dict[str, Any]:
        """Return the position as values of JSON: the fields of the same names in a request of the engine protocol."""
        dutchmen = [{"power": power, "candidates": list(each)} for power, each in self._flying_dutchmen]
        return {
            "phase": self._phase,
            "units": [unit._asdict() for unit in self._units],
            "centers": {power: sorted(owned) for power, owned in self._centers.items()},
            "dislodged": [each.to_data() for each in self._dislodged],
            **({"flying_dutchmen": dutchmen} if dutchmen else {}),
        }

    @staticmethod
    def from_data(data: object, board: Board | None = None) -> Position:
        """Return the position that `to_data` wrote, or the `params` of a request have. Raises `PositionError`."""
        try:
            fields = cast("dict[str, Any]", data)
            return Position(
                [_unit_of(each) for each in fields["units"]],
                phase=fields["phase"],
                dislodged=[
                    Dislodged(_unit_of(each), each.get("from"), tuple(each["retreats"]))
                    for each in fields.get("dislodged", ())
                ],
                centers=fields.get("centers"),
                flying_dutchmen=[
                    FlyingDutchman(each["power"], tuple(each["candidates"]))
                    for each in fields.get("flying_dutchmen", ())
                ],
                board=board,
            )
        except KeyError as error:
            raise PositionError(f"the data of a position lacks {error}") from error
        except (TypeError, AttributeError, ValueError) as error:
            raise PositionError(f"this is no data of a position: {error}") from error

    def __eq__(self, other: object) -> bool:
        return self._values() == other._values() if isinstance(other, Position) else NotImplemented

    def __hash__(self) -> int:
        return hash((self._phase, frozenset(self._units)))

    def __repr__(self) -> str:
        return f"<Position before the {self._phase} phase: {', '.join(map(_show, self._units)) or 'no units'}>"

    def _values(self) -> tuple[object, ...]:
        sets = frozenset(self._units), frozenset(self._dislodged), frozenset(self._flying_dutchmen)
        return self._board, self._phase, sets, self._centers

    def counted(self, power: str) -> frozenset[str]:
        """The supply centers that a power owns, without those that do not count for it (DATC 2.4, 7.A)."""
        return self._centers.get(power, _NOTHING) - self._board.not_counted.get(power, _NOTHING)

    def fleets(self, powers: Container[str] | None = None) -> int:
        """The set of provinces with a fleet: of these powers, or of any."""
        units = zip(self._home, self._is_fleet, self._power, strict=True)
        return set_of([home for home, is_fleet, power in units if is_fleet and (powers is None or power in powers)])

    def fleets_at_sea(self, powers: Container[str] | None = None) -> int:
        """The set of seas, and of coasts that convoy, with a fleet on them: of these powers, or of any."""
        if powers is None and self._at_sea >= 0:
            return self._at_sea
        found = self.fleets(powers) & self._board.convoying
        if powers is None:
            self._at_sea = found
        return found

    def _check_dislodged(self) -> None:
        if self._phase != "retreat":
            raise PositionError(f"units are dislodged in a retreat phase only, not before the {self._phase} phase")
        for each in cast("tuple[object, ...]", self._dislodged):
            if not isinstance(each, Dislodged):
                raise TypeError(f"{each!r} is no Dislodged(unit, attacked_from, retreats)")
        # At most one unit can be dislodged from a province, so the same check serves.
        _check_together(self._board, [dislodged.unit for dislodged in self._dislodged])
        for unit, attacked_from, retreats in self._dislodged:
            if attacked_from is not None and attacked_from not in self._board.number:
                raise PositionError(f"{attacked_from!r} is no location on the board (of dislodged {_show(unit)})")
            if retreats is None:
                raise PositionError(f"the dislodged unit in {unit.location} comes without its retreats")
            for location in retreats:
                self._check_retreat(unit, location)

    def _check_retreat(self, unit: Unit, location: str) -> None:
        """Raise `PositionError` for a retreat that no unit could make: out of reach, or where another stands."""
        number = self._board.number.get(location)
        if number is None:
            raise PositionError(f"{location!r} is no location on the board (a retreat of {_show(unit)})")
        if not self._board.can_stand(unit.type, location):
            raise PositionError(f"{location!r} is nowhere to retreat to for dislodged {_show(unit)}")
        province = self._board.province_of[number]
        if province_code(location) not in map(province_code, self._board.destinations(unit)):
            raise PositionError(f"dislodged {_show(unit)} cannot retreat to {location}: there is no border")
        if self._occupant[province] >= 0:
            other = _show(self._units[self._occupant[province]])
            raise PositionError(f"dislodged {_show(unit)} cannot retreat to {location}, where {other} stands")

    def _check_flying_dutchmen(self) -> None:
        if self._phase == "retreat":
            raise PositionError("a Flying Dutchman goes before a movement or an adjustment phase, not before a retreat")
        for power, candidates in self._flying_dutchmen:
            if not candidates:
                raise PositionError(f"a Flying Dutchman of {power} is one of its units: name those that it could be")
            for province in candidates:
                number = self._board.number.get(province, -1)
                unit = self._occupant[self._board.province_of[number]] if number >= 0 else -1
                if unit < 0 or self._power[unit] != power:
                    raise PositionError(f"{power} has no unit in {province!r} that could be a Flying Dutchman")

    def _check_centers(self) -> None:
        owner: dict[str, str] = {}
        for power, owned in self._centers.items():
            _check_power(self._board, power, "owns supply centers")
            for center in owned:
                if center not in self._board.supply_centers:
                    raise PositionError(f"{center!r} is no supply center (owned by {power})")
                if center in owner:
                    raise PositionError(f"both {owner[center]} and {power} own {center}")
                owner[center] = power


def _owned(centers: Mapping[str, Iterable[str]]) -> Mapping[str, frozenset[str]]:
    for power, owned in centers.items():
        if isinstance(owned, str):
            raise TypeError(f"the centers of {power} are {owned!r}: give a list, such as [{owned!r}]")
    return MappingProxyType({power: frozenset(owned) for power, owned in centers.items()})


_NOTHING: Final[frozenset[str]] = frozenset()
_NO_CENTERS: Final[Mapping[str, frozenset[str]]] = MappingProxyType({})


def start_position(board: Board | None = None) -> Position:
    """Return the position at the start of the game, spring 1901, by default on the standard board."""
    board = board or standard_board()
    return Position(board.start, board=board)


_Columns: TypeAlias = tuple[
    tuple[Unit, ...],
    tuple[str, ...],
    tuple[Place, ...],
    tuple[int, ...],
    tuple[bool, ...],
    tuple[OrderedUnit, ...],
    tuple[list[Unit], ...],
]


def _columns(board: Board, units: tuple[Any, ...]) -> _Columns:
    """What is known of units that stand on the board, each field for itself. Raises `PositionError`, or `TypeError`."""
    if not units:
        return (), (), (), (), (), (), ()
    standing: dict[Any, Standing] = board.standing
    found = list(map(standing.get, units))
    if None in found:
        _check_together(board, units)
    # A type checker takes the columns of `zip` for tuples of any field.
    return cast("_Columns", tuple(zip(*found, strict=True)))


def _check_power(board: Board, power: str, context: str) -> None:
    if power not in board.powers:
        raise PositionError(f"there is no power {power!r}, which {context}: the powers are {', '.join(board.powers)}")


def _unit_of(data: Mapping[str, Any]) -> Unit:
    return Unit(data["power"], data["type"], data["location"])


def _check_together(board: Board, units: Sequence[Unit]) -> None:
    """Raise `PositionError` for the first unit that cannot be on the board beside those before it."""
    occupants: dict[int, Unit] = {}
    for number, unit in enumerate(cast("Sequence[object]", units), 1):
        if not isinstance(unit, Unit):
            raise TypeError(f"unit {number} is {unit!r}: give a Unit(power, type, location)")
        place = board.places.get((unit.type, unit.location))
        if unit.power not in board.powers or place is None or place.province in occupants:
            raise PositionError(_why_not(board, unit, occupants))
        occupants[place.province] = unit


def _why_not(board: Board, unit: Unit, occupants: Mapping[int, Unit]) -> str:
    """Say why a unit cannot be on the board beside those in these provinces."""
    _check_power(board, unit.power, f"has {_show(unit)}")
    province = board.province(unit.location)
    place = board.places.get((unit.type, unit.location))
    if place is not None:
        code = board.provinces[place.province].code
        return f"two units in {code}: {_show(occupants[place.province])} and {_show(unit)}"
    if unit.type not in ("A", "F"):
        return f"a unit is of type A or F, not {unit.type!r} ({unit.location})"
    if province is None:
        return f"{unit.location!r} is no location on the board ({_show(unit)})"
    if unit.type == "A":
        where = "at sea" if province.terrain == "sea" else "on a coast of a province"
        return f"an army cannot stand {where}: {_show(unit)}"
    if province.terrain == "inland":
        return f"a fleet cannot stand inland: {_show(unit)}"
    if province.coasts:
        coasts = " or ".join(f"{province.code}/{coast}" for coast in province.coasts)
        return f"a fleet in {province.name} is on one of its coasts, {coasts}: {_show(unit)}"
    return f"{province.name} has no such coast: {_show(unit)}"


def _show(unit: Unit) -> str:
    return f"{unit.power} {unit.type} {unit.location}"


Reason: TypeAlias = Literal[
    "bounced", "cut", "dislodged", "destroyed", "disrupted", "no-path", "illegal", "void", "ignored", "disbanded"
]
"""Why an order failed. `"destroyed"` is for a unit dislodged with nowhere to retreat to, which "dislodged" says too."""
REASONS: tuple[Reason, ...] = get_args(Reason)
"""Every `Reason`."""


class OrderResult(NamedTuple):
    """The result of an order: it failed for a reason, or succeeded (`None`)."""

    reason: Reason | None = None

    @property
    def outcome(self) -> Literal["succeeds", "fails"]:
        """The result as a word."""
        return "succeeds" if self.reason is None else "fails"


SUCCEEDED: Final = OrderResult()
BOUNCED: Final = OrderResult("bounced")
CUT: Final = OrderResult("cut")
DISLODGED: Final = OrderResult("dislodged")
DISRUPTED: Final = OrderResult("disrupted")
NO_PATH: Final = OrderResult("no-path")
ILLEGAL: Final = OrderResult("illegal")
VOID: Final = OrderResult("void")
IGNORED: Final = OrderResult("ignored")


class Adjudication(NamedTuple):
    """The result of a phase."""

    units: tuple[Unit, ...]
    """What stands on the board afterwards, without the dislodged units."""
    dislodged: tuple[Dislodged, ...]
    """The units that a movement phase dislodged, with their retreats; a unit without one is listed too."""
    orders: tuple[OrderResult, ...]
    """One result for each order given, in the order given."""
    contested: frozenset[str] = frozenset()
    """The provinces left vacant by a standoff."""
