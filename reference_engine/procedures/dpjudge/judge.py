"""What the DPjudge notes while it judges: marks, support counts and combat lists; and the procedures its steps use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from enum import Enum, auto

from ...choices import BELEAGUERED_DISRUPTS
from ...meanings import CONVOY, MOVE, SUPPORT, Meaning
from ...movement import MovementOrders, Outcome
from ...position import BOUNCED, CUT, DISRUPTED, ILLEGAL, NO_PATH, SUCCEEDED, VOID, OrderResult, Position


class Mark(Enum):
    """What a unit is marked with; whether it is dislodged is noted apart."""

    VOID = auto()
    CUT = auto()
    NO_CONVOY = auto()
    ENDANGERED = auto()
    UNDER_ATTACK = auto()
    BOUNCE = auto()


class Judge:
    """Units by their index in the position, spaces by their number on the board."""

    def __init__(self, orders: MovementOrders) -> None:
        """Begin with orders of which nothing is judged yet."""
        units = range(len(orders.meanings))
        self.orders: MovementOrders = orders
        self.position: Position = orders.position
        self.meanings: Sequence[Meaning] = orders.meanings
        self.moves: dict[int, int] = {unit: orders.meanings[unit].target for unit in units if self._is_a(unit, MOVE)}
        """Where each moving unit goes; nowhere (-1) if that is impossible, and yet an order to move (4.E.1)."""
        self.convoyed: frozenset[int] = frozenset(orders.armies_by_convoy())
        """The armies that move by convoy."""
        self.convoy_path: dict[int, tuple[int, ...]] = {}
        """The "convoying armies list", with the fleets of each."""
        self.held: set[int] = set()
        """The armies whose order was changed to a hold."""
        self.marks: dict[int, Mark] = {}
        self.support_count: list[int] = [0 for _ in units]
        self.no_help: list[set[int]] = [set() for _ in units]
        """For each unit the supporters that do not help it to dislodge their countryman."""
        self.combat: defaultdict[int, set[int]] = defaultdict(set)
        """The combat lists."""
        self.convoy_succeeded: set[int] = set()
        self.overwhelmed: set[int] = set()
        """The fleets that endanger a convoy."""
        self.advanced: set[int] = set()
        self.dislodged: dict[int, int] = {}
        """For each dislodged unit the one that dislodged it."""

    def outcome(self) -> Outcome:
        """What was decided."""
        failures: dict[int, OrderResult] = dict.fromkeys(self.overwhelmed - self.dislodged.keys(), DISRUPTED)
        failures.update(dict.fromkeys(self.held, ILLEGAL))
        why = {Mark.VOID: VOID, Mark.CUT: CUT, Mark.BOUNCE: BOUNCED}
        for unit, mark in self.marks.items():
            failures[unit] = why.get(mark, DISRUPTED if unit in self.convoy_path else NO_PATH)
        return Outcome(
            advanced=sorted(self.advanced),
            dislodged=self.dislodged,
            standoffs=frozenset(space for space, units in self.combat.items() if units),
            convoyed=self.convoyed,
            results=[failures.get(unit, SUCCEEDED) for unit in range(len(self.meanings))],
        )

    def is_to_convoy(self, fleet: int, army: int, target: int) -> bool:
        """Whether a fleet is ordered to convoy an army to a space."""
        meaning = self.meanings[fleet]
        home = self.position.home[army]
        return meaning.kind == CONVOY and meaning.helped == home and meaning.target == target

    def occupant(self, space: int) -> int | None:
        """The unit that began the turn in a space."""
        unit = self.position.occupant[space] if space >= 0 else -1
        return None if unit < 0 else unit

    def are_countrymen(self, one: int, other: int) -> bool:
        """Whether two units belong to the same power."""
        return self.position.power[one] == self.position.power[other]

    def unmarked_movers(self) -> list[int]:
        """The moving units without a mark, as they are now."""
        return [unit for unit in self.moves if unit not in self.marks]

    def stays(self, unit: int) -> bool:
        """Whether a unit does not move, or is marked as it tries to."""
        return unit not in self.moves or unit in self.marks

    def count(self, unit: int, space: int) -> int:
        """The support count of a unit in a combat list: 0 where it bounced back to."""
        bounced_back = unit in self.moves and space == self.position.home[unit]
        return 0 if bounced_back else self.support_count[unit]

    def most_of_others(self, unit: int, space: int) -> int:
        """The greatest support count of all other units in a combat list, or -1 where a province is empty."""
        return max((self.count(other, space) for other in self.combat[space] if other != unit), default=-1)

    def strongest(self, space: int) -> list[int]:
        """The units with the greatest support count in a combat list: several where they are tied."""
        counts = {unit: self.count(unit, space) for unit in self.combat[space]}
        most = max(counts.values(), default=0)
        return [unit for unit, number in counts.items() if number == most]

    def remain(self, unit: int) -> None:
        """Put a unit that cannot move on the combat list of where it stays."""
        self.combat[self.position.home[unit]].add(unit)

    # The procedures that the steps use

    def cut_support(self, mover: int, *, dislodging: bool = False) -> bool:
        """Cut the support of who is attacked, by the four criteria; `dislodging` in step 9. Tell if it is cut."""
        supporter = self.occupant(self.moves[mover])
        if supporter is None or not self._is_a(supporter, SUPPORT) or supporter in self.marks:
            return False
        if self.are_countrymen(mover, supporter):
            return False
        if mover in self.convoyed and self._concerns_a_convoying_fleet(supporter):
            return False
        supported = self.position.occupant[self.meanings[supporter].helped]
        if self.meanings[supporter].target == self.position.home[mover] and not dislodging:
            return False
        self.marks[supporter] = Mark.CUT
        self.support_count[supported] -= 1
        self.no_help[supported].discard(supporter)
        return True

    def _concerns_a_convoying_fleet(self, supporter: int) -> bool:
        fleet = self.occupant(self.meanings[supporter].target)
        return fleet is not None and self._is_a(fleet, CONVOY) and fleet not in self.marks

    def check_disruptions(self, army: int) -> None:
        """Mark a convoying army as endangered where the combat list of a fleet on its path says so."""
        beleaguered_disrupts = BELEAGUERED_DISRUPTS[self.orders.ruleset.choices["X.8"]]
        for fleet in self.convoy_path[army]:
            strongest = self.strongest(self.position.home[fleet])
            foreign = any(not self.are_countrymen(unit, fleet) for unit in strongest)
            if foreign and (len(strongest) == 1 or (beleaguered_disrupts and fleet not in strongest)):
                self.marks[army] = Mark.ENDANGERED
                self.overwhelmed.add(fleet)

    def bounce(self, unit: int) -> None:
        """Mark a moving unit, which stays where it was, without support."""
        self.marks[unit] = Mark.BOUNCE
        self.remain(unit)

    def unbounce(self, space: int) -> None:
        """Let the one strongest of those that bounced into a space, once it is vacated, and so on behind it."""
        strongest = self.strongest(space)
        if len(strongest) != 1 or self.marks.get(strongest[0]) is not Mark.BOUNCE:
            return
        unit = strongest[0]
        del self.marks[unit]
        if unit in self.dislodged:
            del self.dislodged[unit]
        else:
            home = self.position.home[unit]
            self.combat[home].discard(unit)
            self.unbounce(home)

    def _is_a(self, unit: int, kind: int) -> bool:
        return self.meanings[unit].kind == kind
