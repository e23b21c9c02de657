"""The field of battle as the twenty steps change it: attacks, supports and convoys that stand, and what was decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...meanings import MOVE, SUPPORT, Meaning
from ...movement import MovementOrders, Outcome
from ...position import BOUNCED, CUT, SUCCEEDED, OrderResult, Position


class Field:
    """Units by their index in the position, spaces by their number on the board.

    A stopped order is gone from here: its unit counts as holding from then on.
    """

    def __init__(self, orders: MovementOrders) -> None:
        """Begin with all that was ordered legally; step 2 makes the list of convoys."""
        self.orders: MovementOrders = orders
        self.position: Position = orders.position
        self.meanings: Sequence[Meaning] = orders.meanings
        self.attacks: dict[int, int] = {}
        """The space that each unit attacks whose move is neither resolved nor stopped."""
        self.supports: dict[int, int] = {}
        """The unit that each supporter supports, to move or to hold."""
        self.convoys: dict[int, tuple[int, ...]] = {}
        """The list of convoys: for each convoyed army its fleets."""
        self.convoyed: set[int] = set()
        """The armies ordered to move by convoy."""
        self.advanced: set[int] = set()
        self.dislodged: dict[int, int] = {}
        """For each dislodged unit the one that dislodged it."""
        self.standoffs: set[int] = set()
        """The spaces noted as the site of a standoff on the move."""
        self.failures: dict[int, OrderResult] = {}
        for unit, meaning in enumerate(orders.meanings):
            if meaning.kind == MOVE and meaning.target >= 0:
                self.attacks[unit] = meaning.target
            elif meaning.kind == SUPPORT:
                self.supports[unit] = self.position.occupant[meaning.helped]

    def outcome(self) -> Outcome:
        """What was decided."""
        return Outcome(
            advanced=sorted(self.advanced),
            dislodged=self.dislodged,
            standoffs=frozenset(self.standoffs),
            convoyed=frozenset(self.convoyed),
            results=[self.failures.get(unit, SUCCEEDED) for unit in range(len(self.meanings))],
        )

    def attackers(self, space: int) -> list[int]:
        """The units whose attack on a space stands."""
        return [unit for unit, target in self.attacks.items() if target == space]

    def occupant(self, space: int) -> int | None:
        """The unit in a space that has neither advanced from it nor been dislodged."""
        unit = self.position.occupant[space]
        return None if unit < 0 or unit in self.advanced or unit in self.dislodged else unit

    def is_ordered_to_move(self, unit: int) -> bool:
        """Whether a unit can receive no support to hold, even after its move was stopped or if it is illegal."""
        return self.meanings[unit].kind == MOVE

    def supporters(self, unit: int) -> list[int]:
        """Who supports a unit, to move or to hold."""
        return [supporter for supporter, supported in self.supports.items() if supported == unit]

    def are_countrymen(self, one: int, other: int) -> bool:
        """Whether two units belong to the same power."""
        return self.position.power[one] == self.position.power[other]

    def cancel_attack(self, unit: int, why: OrderResult = BOUNCED) -> None:
        """Make a moving unit stay."""
        del self.attacks[unit]
        self.failures[unit] = why

    def cancel_support(self, supporter: int, why: OrderResult = CUT) -> None:
        """Cut or cancel a support."""
        del self.supports[supporter]
        self.failures[supporter] = why

    def advance(self, unit: int) -> None:
        """Let an attacker into its target, and dislodge who stands there: a dislodged unit gives no support."""
        space = self.attacks.pop(unit)
        defender = self.occupant(space)
        self.advanced.add(unit)
        if defender is not None:
            self.dislodged[defender] = unit
            if defender in self.supports:
                self.cancel_support(defender)

    def fleets_by_convoy(self) -> Mapping[int, int]:
        """For each fleet on the list of convoys the army of its convoy."""
        return {fleet: army for army, fleets in self.convoys.items() for fleet in fleets}
