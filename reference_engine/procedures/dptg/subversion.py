"""Steps 5 to 13: which convoys are disrupted, and which supports a convoyed attack cuts.

A convoy that attacks a supporter on whom the fate of another convoy, or its own, may depend subverts that convoy, which
then waits. What waits for itself is a circle of subversion.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ...position import DISRUPTED
from .battles import Field, step_19_fight_a_battle, winner


class Subversion(NamedTuple):
    """That a convoy is subverted: by which, and through which vulnerable supporter."""

    by: int
    supporter: int


@dataclass
class Found:
    """What step 10 finds of the convoys that are still subverted: each is one of these, or subverted and no more."""

    futile: set[int] = field(default_factory=set[int])
    """Nothing can save them: they cut nothing and subvert nobody, and nobody subverts them."""
    indomitable: set[int] = field(default_factory=set[int])
    """They are in no danger: nobody subverts them."""
    confused: set[int] = field(default_factory=set[int])
    """Only the support's survival can save them."""


def steps_5_to_13(battlefield: Field) -> None:
    """Decide the convoys."""
    found = Found()
    step_9_repeat_steps_5_to_8(battlefield, found)
    step_10_break_circles(battlefield, found)
    step_11_repeat_steps_5_to_9(battlefield, found)
    circles = find_circles(step_5_identify_subversion(battlefield, found))
    for circle in circles:
        if found.confused.isdisjoint(circle):
            step_12_resolve_unconfused_circle(battlefield, circle)
    for circle in circles:
        if not found.confused.isdisjoint(circle):
            step_13_resolve_confused_circle(battlefield, circle)


def step_9_repeat_steps_5_to_8(battlefield: Field, found: Found) -> None:
    """Let the unsubverted convoys act, until no convoy is disrupted and no support cut any more."""
    acted = True
    while acted:
        subverted = step_5_identify_subversion(battlefield, found)
        step_6_disrupt_convoys(battlefield, subverted)
        disrupted = step_7_cancel_disrupted_convoys(battlefield)
        cut = step_8_let_convoyed_attacks_cut_support(battlefield, subverted, found)
        acted = disrupted or cut


def step_5_identify_subversion(battlefield: Field, found: Found) -> dict[int, list[Subversion]]:
    """Note for each convoy, by its army, which convoys subvert it; convoys that nobody subverts are left out."""
    convoy_of = battlefield.fleets_by_convoy()
    subverted: dict[int, list[Subversion]] = {}
    for attacker in battlefield.convoys:
        supporter = threatened_supporter(battlefield, attacker)
        if supporter is None or attacker in found.futile:
            continue
        target = convoy_at_stake(battlefield, supporter, convoy_of)
        if target is not None and target not in found.futile | found.indomitable:
            subverted.setdefault(target, []).append(Subversion(attacker, supporter))
    return subverted


def threatened_supporter(battlefield: Field, army: int) -> int | None:
    """The supporter, of another power, that a convoyed army attacks."""
    supporter = battlefield.occupant(battlefield.attacks[army])
    if supporter is None or supporter not in battlefield.supports or battlefield.are_countrymen(army, supporter):
        return None
    return supporter


def convoy_at_stake(battlefield: Field, supporter: int, convoy_of: Mapping[int, int]) -> int | None:
    """The convoy, by its army, for which a support makes a difference: it helps a fleet or who attacks the fleet."""
    supported = battlefield.supports[supporter]
    if supported in convoy_of:
        return convoy_of[supported]
    attacked = battlefield.occupant(battlefield.attacks.get(supported, battlefield.position.home[supported]))
    return None if attacked is None else convoy_of.get(attacked)


def step_6_disrupt_convoys(battlefield: Field, subverted: Collection[int]) -> None:
    """Resolve the attacks on the fleets of unsubverted convoys."""
    for army, fleets in battlefield.convoys.items():
        if army not in subverted:
            resolve_attacks_on(battlefield, fleets)


def step_7_cancel_disrupted_convoys(battlefield: Field) -> bool:
    """Cancel the convoys that have lost a fleet, whatever other fleets they have. Tell if there was any."""
    disrupted = [
        army for army, fleets in battlefield.convoys.items() if not battlefield.dislodged.keys().isdisjoint(fleets)
    ]
    for army in disrupted:
        cancel_convoy(battlefield, army)
    return bool(disrupted)


def resolve_attacks_on(battlefield: Field, fleets: Collection[int]) -> None:
    """Resolve the attacks on convoying fleets."""
    for fleet in fleets:
        step_19_fight_a_battle(battlefield, battlefield.position.home[fleet])


def cancel_convoy(battlefield: Field, army: int) -> None:
    """Cancel a convoyed move and strike its convoy from the list."""
    battlefield.cancel_attack(army, DISRUPTED)
    del battlefield.convoys[army]


def step_8_let_convoyed_attacks_cut_support(battlefield: Field, subverted: Collection[int], found: Found) -> bool:
    """Cut the supports of who is attacked by convoy, but by a countryman, a subverted or a Futile one. Tell if any."""
    cut = False
    for army in battlefield.convoys:
        supporter = threatened_supporter(battlefield, army)
        if supporter is not None and army not in subverted and army not in found.futile:
            battlefield.cancel_support(supporter)
            cut = True
    return cut


def step_10_break_circles(battlefield: Field, found: Found) -> None:
    """Find what the fate of each convoy that is still subverted depends on.

    By now each is subverted once only, and only by a convoy that is subverted itself: all others have acted.
    """
    for army, ((_, supporter),) in step_5_identify_subversion(battlefield, Found()).items():
        if_it_survives = would_be_disrupted(battlefield, army, without=None)
        if_it_is_cut = would_be_disrupted(battlefield, army, without=supporter)
        if if_it_survives and if_it_is_cut:
            found.futile.add(army)
        elif not if_it_survives and not if_it_is_cut:
            found.indomitable.add(army)
        elif if_it_is_cut:
            found.confused.add(army)


def would_be_disrupted(battlefield: Field, army: int, without: int | None) -> bool:
    """Whether a convoy would lose a fleet, were one support cut."""
    return any(
        winner(battlefield, battlefield.position.home[fleet], without) is not None
        for fleet in battlefield.convoys[army]
    )


def step_11_repeat_steps_5_to_9(battlefield: Field, found: Found) -> None:
    """Let the convoys act that a Futile or Indomitable one has freed."""
    if found.futile or found.indomitable:
        step_9_repeat_steps_5_to_8(battlefield, found)


def find_circles(subverted: Mapping[int, list[Subversion]]) -> list[list[int]]:
    """The circles of subversion that nothing has broken, each as its convoys."""
    circles: list[list[int]] = []
    seen: set[int] = set()
    for army in subverted:
        circle: list[int] = []
        current = army
        while current not in seen:
            seen.add(current)
            circle.append(current)
            ((current, _),) = subverted[current]
        if circle:
            circles.append(circle)
    return circles


def step_12_resolve_unconfused_circle(battlefield: Field, circle: Collection[int]) -> None:
    """Let all convoys of the circle be disrupted, and resolve the attacks on their fleets."""
    fleets = [fleet for army in circle for fleet in battlefield.convoys[army]]
    for army in circle:
        cancel_convoy(battlefield, army)
    resolve_attacks_on(battlefield, fleets)


def step_13_resolve_confused_circle(battlefield: Field, circle: Collection[int]) -> None:
    """Let it be a grand standoff: cancel the convoyed moves, and all attacks on the convoying fleets."""
    for army in circle:
        for fleet in battlefield.convoys[army]:
            for attacker in battlefield.attackers(battlefield.position.home[fleet]):
                battlefield.cancel_attack(attacker)
        cancel_convoy(battlefield, army)
