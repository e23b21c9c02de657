"""Steps 14 to 20: who advances, and who is dislodged."""

from __future__ import annotations

from typing import NamedTuple

from .field import Field

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
