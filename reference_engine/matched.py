"""The matching orders of a movement phase: what every way to solve it begins with, and what it has to tell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from .choices import CONVOY_CUTS_SUPPORT_ON_ITSELF
from .legality import HOLD, MOVE, Meaning
from .position import Position

NOBODY: tuple[int, ...] = ()


class MatchedOrders(ABC):
    """One movement phase: legal, matching orders as integers, and their resolutions once `solve` has run.

    A unit is its index in the position, a province its number on the board. All lists have an entry a unit. `kind` is
    `HOLD` for supports and convoys without a match, too. `target` is where a move goes, a support is given, a convoy
    leads. `routes` is `None` for a move over land, and for a convoyed one the fleets of each route that was ordered
    whole. `opponent` is the other unit of a head-to-head battle, or -1. `supporters` are the matching supports for the
    unit's move, or for its hold where it does not move.
    """

    __slots__: tuple[str, ...] = (
        "attackers",
        "choices",
        "convoy_cuts_support_on_itself",
        "home",
        "kind",
        "occupant",
        "opponent",
        "power",
        "resolution",
        "routes",
        "supporters",
        "target",
    )

    def __init__(self, position: Position, kind: list[int], target: Sequence[int], choices: Mapping[str, str]) -> None:
        """Begin with all moves over land, without supports; the caller fills in `routes`, `opponent`, `supporters`."""
        count = len(kind)
        self.power: Sequence[str] = position.power
        self.home: Sequence[int] = position.home
        self.occupant: Sequence[int] = position.occupant
        self.kind: list[int] = kind
        self.target: Sequence[int] = target
        self.choices: Mapping[str, str] = choices
        self.convoy_cuts_support_on_itself: bool = CONVOY_CUTS_SUPPORT_ON_ITSELF[choices["4.A.4"]]
        self.routes: list[tuple[tuple[int, ...], ...] | None] = [None] * count
        self.opponent: list[int] = [-1] * count
        self.supporters: list[Sequence[int]] = [NOBODY] * count
        self.resolution: list[bool | None] = [None] * count
        """Whether the move, support or convoy of each unit succeeds."""
        self.attackers: dict[int, list[int]] = {}
        """The units ordered to move to each province."""
        attackers = self.attackers
        for unit in range(count):
            if kind[unit] == MOVE:
                if (province := target[unit]) in attackers:
                    attackers[province].append(unit)
                else:
                    attackers[province] = [unit]

    def stay(self, unit: int) -> None:
        """Take a move for a hold, which has no effect elsewhere and can be supported."""
        self.kind[unit] = HOLD
        self.routes[unit] = ()
        self.attackers[self.target[unit]].remove(unit)

    def walkers(self, position: Position) -> list[int]:
        """The armies that go by convoy to a neighbouring province, and so could walk (4.A.3)."""
        borders = position.board.army_borders
        return [
            unit
            for unit, routes in enumerate(self.routes)
            if routes is not None and self.target[unit] >= 0 and borders[self.home[unit]] >> self.target[unit] & 1
        ]

    def prepare(self, position: Position, meanings: Sequence[Meaning]) -> None:
        """Work out before `solve` what else it needs of the orders, now that all that match are known."""
        del position, meanings  # Most need nothing more.

    @abstractmethod
    def solve(self) -> None:
        """Resolve every order."""

    @abstractmethod
    def has_path(self, unit: int) -> bool:
        """Whether a move, once all is solved, could come to its destination if nobody were there."""

    @abstractmethod
    def prevents(self, unit: int) -> bool:
        """Whether a move, once all is solved, could keep another out of its destination."""

    def is_dislodged(self, unit: int) -> bool:
        """Whether a unit that stays is attacked successfully, once all is solved (5.A)."""
        return any(self.resolution[attacker] for attacker in self.attackers.get(self.home[unit], NOBODY))
