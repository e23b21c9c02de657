"""The field of battle as the twenty steps change it; steps 14 to 20: who advances, and who is dislodged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...movement import MovementOrders, Outcome
from ...position import BOUNCED, CUT, SUCCEEDED, OrderResult, Position
from ...resolved_order import MOVE, SUPPORT, OrderEffect


class Field:
    """Units by their index in the position, spaces by their number on the board.

    A stopped order is gone from here: its unit counts as holding from then on.
    """

    def __init__(self, orders: MovementOrders) -> None:
        """Begin with all that was ordered legally; step 2 makes the list of convoys."""
        self.orders: MovementOrders = orders
        self.position: Position = orders.position
        self.effects: Sequence[OrderEffect] = orders.effects
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
        for unit, effect in enumerate(orders.effects):
            if effect.kind == MOVE and effect.target >= 0:
                self.attacks[unit] = effect.target
            elif effect.kind == SUPPORT:
                self.supports[unit] = self.position.occupant[effect.helped]

    def outcome(self) -> Outcome:
        """What was decided."""
        return Outcome(
            advanced=sorted(self.advanced),
            dislodged=self.dislodged,
            standoffs=frozenset(self.standoffs),
            convoyed=frozenset(self.convoyed),
            results=[self.failures.get(unit, SUCCEEDED) for unit in range(len(self.effects))],
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
        return self.effects[unit].kind == MOVE

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


# Step 19


def strength(field: Field, unit: int, without: int | None = None) -> int:
    """One, and the supports to move: here those of the defender's countrymen count, too."""
    return 1 + sum(supporter != without for supporter in field.supporters(unit))


def single_strongest(field: Field, space: int, without: int | None = None) -> int | None:
    """The strongest attack on a space; `None` where several tie, or nobody attacks."""
    strengths = {unit: strength(field, unit, without) for unit in field.attackers(space)}
    most = max(strengths.values(), default=0)
    strongest = [unit for unit, number in strengths.items() if number == most]
    return strongest[0] if len(strongest) == 1 else None


def beats_defense(field: Field, attacker: int, defender: int, without: int | None = None) -> bool:
    """Whether an attack is stronger than the defense: not against a countryman, nor by what his countrymen support."""
    if field.are_countrymen(attacker, defender):
        return False
    attack = 1 + sum(
        supporter != without and not field.are_countrymen(supporter, defender)
        for supporter in field.supporters(attacker)
    )
    defense = 1 if field.is_ordered_to_move(defender) else strength(field, defender, without)
    return attack > defense


def winner(field: Field, space: int, without: int | None = None) -> int | None:
    """The attacker who would advance into a space, were the support of `without` cut."""
    strongest = single_strongest(field, space, without)
    defender = field.occupant(space)
    if strongest is None or defender is None or beats_defense(field, strongest, defender, without):
        return strongest
    return None


def step_19_fight_a_battle(field: Field, space: int, *, barred: int | None = None) -> None:
    """Resolve the attacks on a space: one may advance, all others are stopped; `barred` advances in no case."""
    attackers = field.attackers(space)
    victor = winner(field, space)
    if single_strongest(field, space) is None and attackers and field.occupant(space) is None:
        field.standoffs.add(space)
    for attacker in attackers:
        if attacker == victor and attacker != barred:
            field.advance(attacker)
        else:
            field.cancel_attack(attacker)


# The other steps, in their order


def steps_14_to_20(field: Field) -> None:
    """Fight all battles."""
    for ring in find_rings(field):
        step_14_let_ring_advance(field, ring)
    battles = step_15_identify_head_to_head_battles(field)
    for battle in battles:
        if not battle.is_balanced:
            step_16_resolve_unbalanced_battle(field, battle)
    for battle in battles:
        if battle.is_balanced:
            step_17_resolve_balanced_battle(field, battle)
    step_20_repeat_steps_18_and_19(field)


def find_rings(field: Field) -> list[list[int]]:
    """The rings of attack: three units or more, each attacking the next, or two if one attacks by convoy."""
    rings: list[list[int]] = []
    seen: set[int] = set()
    for unit in field.attacks:
        chain: list[int] = []
        link: int | None = unit
        while link is not None and link in field.attacks and link not in seen:
            seen.add(link)
            chain.append(link)
            link = field.occupant(field.attacks[link])
        ring = chain[chain.index(link) :] if link in chain else []
        if len(ring) > 2 or (len(ring) == 2 and not field.convoyed.isdisjoint(ring)):
            rings.append(ring)
    return rings


def step_14_let_ring_advance(field: Field, ring: list[int]) -> None:
    """Let a ring advance, unless an attack from outside is stronger than one of its own, or as strong."""
    for space in [field.attacks[unit] for unit in ring]:
        attackers = field.attackers(space)
        strongest = single_strongest(field, space)
        if strongest is None:
            field.standoffs.add(space)
        for attacker in attackers:
            if attacker != strongest:
                field.cancel_attack(attacker)
    if all(unit in field.attacks for unit in ring):
        # All have left before any arrives: nobody is dislodged.
        field.advanced.update(ring)
        for unit in ring:
            del field.attacks[unit]


class HeadToHead(NamedTuple):
    """Two units that attack each other directly."""

    one: int
    """In an unbalanced battle the stronger."""
    other: int
    is_balanced: bool


def step_15_identify_head_to_head_battles(field: Field) -> list[HeadToHead]:
    """List the head-to-head battles, and which of them are balanced."""
    battles: list[HeadToHead] = []
    for one, space in field.attacks.items():
        other = field.occupant(space)
        if other is None or other < one or field.attacks.get(other) != field.position.home[one]:
            continue
        if one in field.convoyed or other in field.convoyed:
            continue
        if is_stronger(field, other, one):
            battles.append(HeadToHead(other, one, is_balanced=False))
        else:
            battles.append(HeadToHead(one, other, is_balanced=not is_stronger(field, one, other)))
    return battles


def is_stronger(field: Field, unit: int, weaker: int) -> bool:
    """Whether a unit unbalances a battle: not with the support of the weaker one's countrymen, nor against its own."""
    helpers = [helper for helper in field.supporters(unit) if not field.are_countrymen(helper, weaker)]
    return not field.are_countrymen(unit, weaker) and 1 + len(helpers) > strength(field, weaker)


def step_16_resolve_unbalanced_battle(field: Field, battle: HeadToHead) -> None:
    """The stronger unit advances unless others keep it out; if they do, the weaker's attack counts, but never wins."""
    stronger, weaker, _ = battle
    step_19_fight_a_battle(field, field.position.home[weaker])
    if stronger in field.advanced:
        field.cancel_attack(weaker)
    else:
        step_19_fight_a_battle(field, field.position.home[stronger], barred=weaker)


def step_17_resolve_balanced_battle(field: Field, battle: HeadToHead) -> None:
    """Each half is fought by itself, and neither unit advances; both attacks count, even of who is dislodged."""
    one, other, _ = battle
    step_19_fight_a_battle(field, field.position.home[other], barred=one)
    step_19_fight_a_battle(field, field.position.home[one], barred=other)


def step_18_list_targets(field: Field) -> list[int]:
    """The spaces under attack from which nobody may still move away."""
    spaces = dict.fromkeys(field.attacks.values())
    return [space for space in spaces if field.occupant(space) not in field.attacks]


def step_20_repeat_steps_18_and_19(field: Field) -> None:
    """Fight ordinary battles until no attack is left: rings and head-to-head battles are resolved by now."""
    while spaces := step_18_list_targets(field):
        for space in spaces:
            step_19_fight_a_battle(field, space)
