"""The adjudication algorithm of the DPjudge: ten steps and the procedures that they use.

It is for the movement phase; retreats and adjustments are the engine's own. A convoyed army's order names its route.
Two of its sentences leave something out; it is read as it must be meant:

- Step 8 finds no "victim" where a unit would dislodge a countryman, and then nothing stops the unit: here it bounces.
- No step takes an army that is marked "no convoy" off the combat list of its destination and puts it on that of where
  it stays: here that happens as soon as it is marked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import Enum, auto

from ..choices import BELEAGUERED_DISRUPTS, ILLEGAL_ORDERS
from ..movement import MovementOrders, Outcome, coast_matches
from ..position import BOUNCED, CUT, DISRUPTED, ILLEGAL, NO_PATH, SUCCEEDED, VOID, OrderResult, Position
from ..resolved_order import CONVOY, MOVE, SUPPORT, OrderEffect
from ..routes import set_of
from . import Procedure, procedure_by_document

FIXED: Mapping[str, str] = {
    "4.A.1": "any-route",
    "4.A.2": "1982",
    "4.A.3": "dptg-explicit",
    "4.A.4": "not-cut",
    "4.A.5": "no-retreat-to-origin",
    "4.A.6": "required",
    "4.A.7": "head-to-head-only",
    "v3.2-4.A.4": "starting-position",
    "X.2": "simple-path",
    "X.3": "legal-if-on-any-route",
    "X.4": "per-comparison",
    "X.5": "raw-count",
    "X.6": "matched",
    "X.7": "paradox-rule-wins",
    "X.9": "outnumbered",
    "X.10": "none",
    "X.11": "never",
    "X.12": "no-effect",
    "X.15": "no",
}
"""The issues that the document settles: these choices are played whatever is asked for.

Of its two options BELEAGUERED_DISRUPTS is X.8. The other, that an order which needs a unit that does not exist becomes
a hold, is 4.E.1 (`missing_fleet_holds`).
"""


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
        units = range(len(orders.effects))
        self.orders: MovementOrders = orders
        self.position: Position = orders.position
        self.effects: Sequence[OrderEffect] = orders.effects
        self.moves: dict[int, int] = {unit: orders.effects[unit].target for unit in units if self._is_a(unit, MOVE)}
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
            results=[failures.get(unit, SUCCEEDED) for unit in range(len(self.effects))],
        )

    def is_to_convoy(self, fleet: int, army: int, target: int) -> bool:
        """Whether a fleet is ordered to convoy an army to a space."""
        effect = self.effects[fleet]
        home = self.position.home[army]
        return effect.kind == CONVOY and effect.helped == home and effect.target == target

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
        supported = self.position.occupant[self.effects[supporter].helped]
        if self.effects[supporter].target == self.position.home[mover] and not dislodging:
            return False
        self.marks[supporter] = Mark.CUT
        self.support_count[supported] -= 1
        self.no_help[supported].discard(supporter)
        return True

    def _concerns_a_convoying_fleet(self, supporter: int) -> bool:
        fleet = self.occupant(self.effects[supporter].target)
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
        """Let the strongest unit that bounced move into a vacated space, then the units that bounced off this one."""
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
        return self.effects[unit].kind == kind


def resolve(orders: MovementOrders) -> Outcome:
    """Take the ten steps."""
    judge = Judge(orders)
    step_1_mark_invalid_convoy_orders(judge)
    step_2_mark_invalid_support_orders(judge)
    step_3_cut_supports_by_non_convoyed_attacks(judge)
    # Until no further convoy succeeds.
    while step_4_find_endangered_convoys(judge) or step_5_mark_convoy_disruptions(judge):
        pass
    # Whatever step marks something sends the judge back to step 6.
    while (
        step_6_mark_bounces_of_swaps(judge)
        or step_7_mark_bounces_of_understrength_attackers(judge)
        or step_8_mark_bounces_of_self_dislodgement(judge)
        or step_9_mark_supports_cut_by_dislodgements(judge)
    ):
        pass
    step_10_make_all_successful_moves(judge)
    return judge.outcome()


def step_1_mark_invalid_convoy_orders(judge: Judge) -> None:
    """Find the path of each convoyed army; mark the armies that have none and the fleets of no use."""
    for army in judge.convoyed:
        _follow_path(judge, army)
    for unit, target in judge.moves.items():
        if target < 0:
            judge.marks[unit] = Mark.NO_CONVOY
    for fleet, effect in enumerate(judge.effects):
        army = judge.position.occupant[effect.helped]
        if effect.kind == CONVOY and not _is_named_by(judge, fleet, army, effect.target):
            judge.marks[fleet] = Mark.VOID


def _follow_path(judge: Judge, army: int) -> None:
    """Put an army on the list if every fleet on its path exists and is ordered to convoy it."""
    position, target = judge.position, judge.moves[army]
    seas = judge.effects[army].path
    fleets = {sea: fleet for fleet, sea in enumerate(position.home) if position.is_fleet[fleet] and seas >> sea & 1}
    if set_of(fleets) != seas and ILLEGAL_ORDERS[judge.orders.ruleset.choices["4.E.1"]].missing_fleet_holds:
        judge.held.add(army)
        del judge.moves[army]
        return
    matching = {sea: fleet for sea, fleet in fleets.items() if judge.is_to_convoy(fleet, army, target)}
    if seas in position.board.routes.simple_paths(position.home[army], target, set_of(matching)):
        judge.convoy_path[army] = tuple(matching.values())
    else:
        judge.marks[army] = Mark.NO_CONVOY


def _is_named_by(judge: Judge, fleet: int, army: int, target: int) -> bool:
    """Whether the order of an army names a fleet that is ordered to convoy it there."""
    named = judge.effects[army].path >> judge.position.home[fleet] & 1
    return bool(named) and army in judge.convoyed and judge.moves.get(army) == target


def step_2_mark_invalid_support_orders(judge: Judge) -> None:
    """Mark the supports of what is not ordered; count the others, and note who would help against a countryman."""
    position, ruleset = judge.position, judge.orders.ruleset
    for supporter, effect in enumerate(judge.effects):
        if effect.kind != SUPPORT:
            continue
        into, supported = effect.target, position.occupant[effect.helped]
        is_hold = into == effect.helped
        if is_hold:
            matches = supported not in judge.moves and position.power[supported] not in judge.orders.disordered
        else:
            matches = judge.moves.get(supported) == into and coast_matches(
                position, supporter, effect, judge.effects[supported], ruleset
            )
        if not matches:
            judge.marks[supporter] = Mark.VOID
            continue
        judge.support_count[supported] += 1
        victim = judge.occupant(into)
        if not is_hold and victim is not None and judge.are_countrymen(victim, supporter):
            judge.no_help[supported].add(supporter)


def step_3_cut_supports_by_non_convoyed_attacks(judge: Judge) -> None:
    """Let all attacks over land and by fleets cut supports, and make the combat lists."""
    for unit in judge.unmarked_movers():
        if unit not in judge.convoyed:
            _ = judge.cut_support(unit)
    for unit in range(len(judge.effects)):
        if judge.stays(unit):
            judge.remain(unit)
        else:
            judge.combat[judge.moves[unit]].add(unit)


def step_4_find_endangered_convoys(judge: Judge) -> bool:
    """Let the convoys succeed that are in no danger, and cut supports. Tell if there are more of them now."""
    before = len(judge.convoy_succeeded)
    for army in judge.convoy_path:
        if judge.marks.get(army) is Mark.NO_CONVOY:
            continue
        judge.check_disruptions(army)
        if army not in judge.marks:
            _succeed(judge, army)
        elif judge.marks[army] is Mark.ENDANGERED:
            judge.marks[army] = Mark.UNDER_ATTACK
    return len(judge.convoy_succeeded) > before


def step_5_mark_convoy_disruptions(judge: Judge) -> bool:
    """Let the convoys fail that are in danger still, and the others succeed. Tell if there are more of these now."""
    before = len(judge.convoy_succeeded)
    for army in judge.convoy_path:
        if judge.marks.get(army) is Mark.NO_CONVOY:
            continue
        judge.check_disruptions(army)
        if judge.marks.get(army) is Mark.ENDANGERED:
            judge.marks[army] = Mark.NO_CONVOY
            judge.combat[judge.moves[army]].discard(army)
            judge.remain(army)
        elif judge.marks.get(army) is Mark.UNDER_ATTACK:
            del judge.marks[army]
            _succeed(judge, army)
    return len(judge.convoy_succeeded) > before


def _succeed(judge: Judge, army: int) -> None:
    _ = judge.cut_support(army)
    judge.convoy_succeeded.add(army)


def step_6_mark_bounces_of_swaps(judge: Judge) -> bool:
    """Bounce the units that cannot swap places: the weaker one, or both."""
    bounced = False
    for unit in judge.unmarked_movers():
        swapper = judge.occupant(judge.moves[unit])
        if unit in judge.marks or unit in judge.convoyed or swapper is None:
            continue
        if judge.stays(swapper) or swapper in judge.convoyed or judge.moves[swapper] != judge.position.home[unit]:
            continue
        count, other_count = judge.support_count[unit], judge.support_count[swapper]
        if count <= other_count:
            judge.bounce(unit)
        if other_count <= count:
            judge.bounce(swapper)
        bounced = True
    return bounced


def step_7_mark_bounces_of_understrength_attackers(judge: Judge) -> bool:
    """Bounce who is not stronger than every other unit on the combat list."""
    weak = [
        unit
        for unit in judge.unmarked_movers()
        if judge.support_count[unit] <= judge.most_of_others(unit, judge.moves[unit])
    ]
    for unit in weak:
        judge.bounce(unit)
    return bool(weak)


def step_8_mark_bounces_of_self_dislodgement(judge: Judge) -> bool:
    """Bounce who is stronger than all others, but not by what may dislodge the victim."""
    bounced = False
    for unit in judge.unmarked_movers():
        space = judge.moves[unit]
        victim = judge.occupant(space)
        if judge.strongest(space) != [unit] or victim is None or not judge.stays(victim):
            continue
        count = judge.support_count[unit] - len(judge.no_help[unit])
        if judge.are_countrymen(unit, victim) or count <= judge.most_of_others(unit, space):
            judge.bounce(unit)
            bounced = True
    return bounced


def step_9_mark_supports_cut_by_dislodgements(judge: Judge) -> bool:
    """Let the units that succeed cut the supports of whom they dislodge."""
    cut = False
    for unit in judge.unmarked_movers():
        cut = judge.cut_support(unit, dislodging=True) or cut
    return cut


def step_10_make_all_successful_moves(judge: Judge) -> None:
    """Move the units that did not bounce, then the units that bounced only because others were not gone yet.

    The places to retreat to follow from the combat lists when all have moved: those lists change until then.
    """
    while movers := [unit for unit in judge.unmarked_movers() if unit not in judge.advanced]:
        for unit in movers:
            _move(judge, unit)


def _move(judge: Judge, unit: int) -> None:
    home, space = judge.position.home[unit], judge.moves[unit]
    victim = judge.occupant(space)
    if victim is not None and judge.stays(victim):
        judge.dislodged[victim] = unit
        if judge.moves.get(victim) == home and judge.convoyed.isdisjoint((unit, victim)):
            judge.combat[home].discard(victim)
    judge.unbounce(home)
    judge.advanced.add(unit)


PROCEDURE: Procedure = procedure_by_document(resolve, FIXED)
