# mypyc
"""What the choices of each issue do, as data: one table an issue, with one entry for each choice.

Where the phases ask more than one question about an issue, the entry is a record with an answer to each. No field of a
record has a default, so one that is left out is an error.

The tables that need the types of a phase are in its modules: `solver` (4.A.1, X.1, X.2), `paradoxes` (4.A.2, X.6,
X.22), `adjustments` (4.C.3, 4.D.4 to 4.D.6), `civil_disorder` (4.D.8, 4.E.6, X.17) and `order_sets` (4.D.1, 4.D.2,
4.E.2 to 4.E.5).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from .errors import UnplayedChoiceError
from .routes import ConvoyRoutes
from .rulesets import Ruleset

ChoiceTables: TypeAlias = Mapping[str, Mapping[str, object]]
"""For each issue its table: an entry for each choice."""

SupportedChoices: TypeAlias = Mapping[str, Collection[str]]
"""For each issue the choices that are played."""


def choices_of(tables: ChoiceTables) -> SupportedChoices:
    """The choices that tables have entries for; one that is added to a table later is among them."""
    return {issue: table.keys() for issue, table in tables.items()}


def check_supported(ruleset: Ruleset, supported: SupportedChoices) -> None:
    """Raise `UnplayedChoiceError` for a choice of the ruleset that is not played."""
    for issue, choices in supported.items():
        if ruleset.choices[issue] not in choices:
            raise UnplayedChoiceError(
                f"the reference engine does not play {ruleset.choices[issue]!r} for issue {issue} yet,"
                + f" only {', '.join(sorted(choices))}"
            )


# 4.A: convoys


class AdjacentMove(NamedTuple):
    """What decides whether an army goes to a neighbouring province by convoy (4.A.3)."""

    via_convoy: bool
    """Its order is tagged "via convoy"."""
    own_fleet: bool
    """A fleet of its own power is legally ordered to convoy it."""
    route_ordered: bool
    """All fleets of one route are ordered to convoy it."""
    opposite: bool
    """The unit at its destination moves to where it comes from."""
    opposite_is_own: bool
    """And belongs to its own power."""


@dataclass(frozen=True)
class AdjacentConvoy:
    """A choice of 4.A.3."""

    is_used: Callable[[AdjacentMove], bool]
    """Whether the army goes by convoy, and the land border is disregarded."""
    falls_back_to_land: bool
    """Whether the army goes over land after all when its convoy is disrupted."""
    needs_fleets: bool
    """Whether a move tagged "via convoy" is illegal where no fleets could convoy it."""


ADJACENT_CONVOYS: Final[Mapping[str, AdjacentConvoy]] = {
    "1971-convoy-always": AdjacentConvoy(lambda move: move.route_ordered, falls_back_to_land=False, needs_fleets=False),
    "1971-opposite": AdjacentConvoy(
        lambda move: move.route_ordered and move.opposite, falls_back_to_land=False, needs_fleets=False
    ),
    "1971-opposite-undisrupted": AdjacentConvoy(
        lambda move: move.route_ordered and move.opposite, falls_back_to_land=True, needs_fleets=False
    ),
    "1982-totality": AdjacentConvoy(
        lambda move: move.own_fleet or (move.route_ordered and move.opposite_is_own),
        falls_back_to_land=False,
        needs_fleets=False,
    ),
    "2000-no-fallback": AdjacentConvoy(
        lambda move: move.via_convoy or move.own_fleet, falls_back_to_land=False, needs_fleets=True
    ),
    "2000-fallback-unordered": AdjacentConvoy(
        lambda move: (move.via_convoy or move.own_fleet) and move.route_ordered,
        falls_back_to_land=False,
        needs_fleets=False,
    ),
    "2000-fallback-disrupted": AdjacentConvoy(
        lambda move: (move.via_convoy or move.own_fleet) and move.route_ordered,
        falls_back_to_land=True,
        needs_fleets=False,
    ),
    "dptg-explicit": AdjacentConvoy(lambda move: move.via_convoy, falls_back_to_land=False, needs_fleets=True),
    "alexander": AdjacentConvoy(
        lambda move: move.via_convoy and move.route_ordered, falls_back_to_land=True, needs_fleets=False
    ),
}
"""Issue 4.A.3: when an army goes to a neighbouring province by convoy."""

CONVOY_CUTS_SUPPORT_ON_ITSELF: Final[Mapping[str, bool]] = {"not-cut": False, "cut": True}
"""Issue 4.A.4: whether an army that comes by convoy cuts the support for an attack on the province it came from."""


@dataclass(frozen=True)
class ConvoyedAttack:
    """A choice of 4.A.4 in DATC 3.2: what follows from where a convoyed attack comes from, point by point."""

    meets_head_to_head: bool
    """Point 1: whether it meets head to head a unit that moves from its destination to its last fleet."""
    spares_support_against_it: bool
    """Point 2: whether it leaves uncut the supports for an attack on its last fleet, unless it dislodges the unit."""
    opens_origin: bool
    """Points 3 to 5: whether the army's own province counts as any other, whatever 4.A.5, 4.A.7 and 4.A.4 choose."""


CONVOYED_ATTACKS: Final[Mapping[str, ConvoyedAttack]] = {
    "starting-position": ConvoyedAttack(meets_head_to_head=False, spares_support_against_it=False, opens_origin=False),
    "brannan": ConvoyedAttack(meets_head_to_head=True, spares_support_against_it=True, opens_origin=True),
}
"""Issue 4.A.4 of DATC 3.2: whether a convoyed attack comes from the army's province or from its last fleet."""

RETREATS_TO_ORIGIN: Final[Mapping[str, bool]] = {"no-retreat-to-origin": False, "retreat-to-origin": True}
"""Issue 4.A.5: whether a unit may retreat to the province that its attacker came from by convoy."""


@dataclass(frozen=True)
class ConvoyPath:
    """A choice of 4.A.6."""

    is_read: bool
    """Whether the path counts that a move order names: then it is illegal if it names anything but seas."""
    convoying: Callable[[dict[int, int], int], dict[int, int]]
    """Which of the fleets ordered (by sea) can convoy, given the set of seas that the army's order names."""


def _fleets_at(fleets: dict[int, int], seas: int) -> dict[int, int]:
    return {sea: fleet for sea, fleet in fleets.items() if seas >> sea & 1}


CONVOY_PATHS: Final[Mapping[str, ConvoyPath]] = {
    "ignored": ConvoyPath(is_read=False, convoying=lambda fleets, _seas: fleets),
    "allowed": ConvoyPath(is_read=True, convoying=lambda fleets, seas: _fleets_at(fleets, seas) if seas else fleets),
    "required": ConvoyPath(is_read=True, convoying=_fleets_at),
}
"""Issue 4.A.6: what the path means that the order of an army names."""


LOSER_NEVER_PREVENTS: Final[Mapping[str, bool]] = {"never-effect": True, "head-to-head-only": False}
"""Issue 4.A.7: whether a unit dislodged from its destination keeps nobody out of there, also if one came by convoy."""


# 4.B: coasts


OMITTED_COASTS: Final[Mapping[str, Mapping[str, Callable[[tuple[int, ...], int], int]]]] = {
    "4.B.1": {
        "fail": lambda _possible, _default: -1,
        "default-coast": lambda possible, default: default if default in possible else -1,
    },
    "4.B.2": {
        "only-possible": lambda possible, _default: possible[0],
        "default-coast": lambda possible, default: default if default in possible else -1,
        "fail": lambda _possible, _default: -1,
    },
}
"""Issues 4.B.1 and 4.B.2: the coast that a fleet goes to whose order names none, or -1.

Given are the coasts within its reach, several or one, and the default coast of the province.
"""

IMPOSSIBLE_COAST_IGNORED: Final[Mapping[str, bool]] = {"ignore-coast": True, "illegal": False}
"""Issue 4.B.3: whether a move order to a coast out of reach is one to the coast within reach."""


class SupportedCoast(NamedTuple):
    """What decides whether a support for a fleet's move to one of two coasts matches (4.B.4)."""

    written: int
    """The coast in the support order, or -1."""
    landing: int
    """The coast that the fleet goes to."""
    own: bool
    """The supported fleet belongs to the supporting power."""
    only_one: bool
    """It could reach only one of the coasts."""
    default: int
    """The default coast of the province."""


@dataclass(frozen=True)
class CoastOfSupport:
    """A choice of 4.B.4."""

    matches: Callable[[SupportedCoast], bool]
    """Whether the coast written in a support fits the coast that the fleet goes to."""
    is_read: bool
    """Whether the coast counts for legality: then the fleet has to be able to reach it."""


COASTS_OF_SUPPORT: Final[Mapping[str, CoastOfSupport]] = {
    "required": CoastOfSupport(lambda coast: coast.written == coast.landing, is_read=True),
    "default-coast": CoastOfSupport(
        lambda coast: (coast.default if coast.written < 0 else coast.written) == coast.landing, is_read=True
    ),
    "own-or-single": CoastOfSupport(
        lambda coast: coast.written == coast.landing or (coast.written < 0 and (coast.own or coast.only_one)),
        is_read=True,
    ),
    "optional-must-match": CoastOfSupport(lambda coast: coast.written in (-1, coast.landing), is_read=True),
    "ignored": CoastOfSupport(lambda _: True, is_read=False),
}
"""Issue 4.B.4: the coast in a support order."""

WRONG_COAST_IGNORED: Final[Mapping[str, bool]] = {"fail": False, "ignore": True}
"""Issue 4.B.5: whether an order counts that names a fleet on the other coast, its own or one that it supports."""

UNKNOWN_COAST_IGNORED: Final[Mapping[str, bool]] = {"fail": False, "ignore": True}
"""Issue 4.B.6: whether an order counts that names a coast which does not exist, or which an army has no use for."""

BUILT_ON_DEFAULT_COAST: Final[Mapping[str, bool]] = {"fail": False, "default-coast": True}
"""Issue 4.B.7: whether a fleet is built on the default coast where the order names none; otherwise it is not built."""


# 4.C: designations of units


@dataclass(frozen=True)
class Designation:
    """A choice of 4.C.1, 4.C.2, 4.C.5 or 4.C.6, on a designation that is missing or wrong."""

    is_valid: bool
    """Whether the order counts."""
    yields_to_correct: bool
    """Whether another order to the same unit, correct in this, replaces it."""


_DESIGNATIONS: Final[Mapping[str, Designation]] = {
    "invalid": Designation(is_valid=False, yields_to_correct=False),
    "valid": Designation(is_valid=True, yields_to_correct=False),
    "valid-unless-correct-order": Designation(is_valid=True, yields_to_correct=True),
}

DESIGNATIONS: Final[Mapping[str, Mapping[str, Designation]]] = dict.fromkeys(
    ("4.C.1", "4.C.2", "4.C.5", "4.C.6"), _DESIGNATIONS
)
"""Issues 4.C.1 and 4.C.2 (the type of a unit), 4.C.5 and 4.C.6 (its nationality): missing, wrong."""

INLAND_FLEET_IS_ARMY: Final[Mapping[str, bool]] = {"fail": False, "army": True}
"""Issue 4.C.4: whether an order to build a fleet inland builds an army; otherwise it is illegal."""


# 4.D and 4.E: orders


MULTIPLE_ORDERS: Final[Mapping[str, Callable[[Sequence[int]], int]]] = {
    "first": lambda orders: orders[0],
    "last": lambda orders: orders[-1],
    "illegal-hold": lambda _orders: -1,
}
"""Issue 4.D.3: which of several different legal orders to one unit is followed; -1 for none."""

MAY_WAIVE: Final[Mapping[str, bool]] = {"allowed": True, "not-allowed": False}
"""Issue 4.D.7: whether an order to waive takes the place of a build; otherwise it is illegal."""

CIVIL_DISORDER_HOLDS: Final[Mapping[str, bool]] = {"succeeds": True, "fails": False}
"""Issue 4.D.9: whether a unit can be supported to hold whose power gave no order at all."""


@dataclass(frozen=True)
class IllegalOrders:
    """A choice of 4.E.1."""

    is_still_an_order: Callable[[bool, bool], bool] | None
    """Whether an impossible move is an order all the same, so that its unit cannot be supported to hold.

    Given are whether the move names a space of the board, be it one that no unit can enter, and whether some fleets
    could carry the army there. `None`: no impossible move is.
    """
    unordered_convoy_holds: bool
    """Whether the move of an army is illegal that nobody is ordered to convoy, so that it can be supported to hold."""
    missing_fleet_holds: bool
    """Whether an army holds whose path names a fleet that does not exist: a game option of the DPjudge."""


ILLEGAL_ORDERS: Final[Mapping[str, IllegalOrders]] = {
    "any-writing": IllegalOrders(
        lambda _on_board, _by_sea: True, unordered_convoy_holds=False, missing_fleet_holds=False
    ),
    "any-board-space": IllegalOrders(
        lambda on_board, _by_sea: on_board, unordered_convoy_holds=False, missing_fleet_holds=False
    ),
    "possible-some-situation": IllegalOrders(
        lambda _on_board, by_sea: by_sea, unordered_convoy_holds=False, missing_fleet_holds=False
    ),
    "possible-now": IllegalOrders(is_still_an_order=None, unordered_convoy_holds=False, missing_fleet_holds=True),
    "alexander": IllegalOrders(is_still_an_order=None, unordered_convoy_holds=True, missing_fleet_holds=True),
}
"""Issue 4.E.1: what comes of orders that cannot be carried out."""


# X: rules without an issue of the DATC


MAY_CONVOY: Final[Mapping[str, Callable[[ConvoyRoutes, int, int, int, int], bool]]] = {
    "illegal-if-unnecessary": lambda routes, home, target, fleets, sea: routes.necessary(home, target, fleets, sea),
    "legal-if-on-any-route": lambda routes, home, target, fleets, sea: any(
        path >> sea & 1 for path in routes.simple_paths(home, target, fleets)
    ),
}
"""Rule X.3: whether the fleet at a sea may be ordered to convoy from home to target, where these fleets are at sea."""

ALL_SUPPORT_COUNTS_AGAINST_RIVALS: Final[Mapping[str, bool]] = {"per-comparison": False, "grand-winner": True}
"""Rule X.4: whether the supports by countrymen of the unit attacked count against others that move there."""

ALL_SUPPORT_COUNTS_HEAD_TO_HEAD: Final[Mapping[str, bool]] = {"attack-vs-defend": False, "raw-count": True}
"""Rule X.5: whether the supports by countrymen of the opponent count in a head-to-head battle."""

SPARED_FROM_DISLODGEMENT: Final[Mapping[str, bool]] = {"paradox-rule-wins": True, "dislodge-rule-wins": False}
"""Rule X.7: whether a support that a paradox rule spares is spared, too, if the convoyed army dislodges the unit."""

BELEAGUERED_DISRUPTS: Final[Mapping[str, bool]] = {"safe": False, "beleaguered-disrupts": True}
"""Rule X.8: whether attacks that stand each other off, stronger than a convoying fleet, disrupt its convoy."""

OUTNUMBERED_DISRUPTS: Final[Mapping[str, bool]] = {"fleet-dislodged": False, "outnumbered": True}
"""Rule X.9: whether an attack disrupts a convoy that outnumbers its fleet without dislodging it."""

DISRUPTED_STILL_ATTACKS: Final[Mapping[str, bool]] = {"none": False, "still-attacks": True}
"""Rule X.10: whether an army whose convoy is disrupted has an effect at its destination."""

OWN_ATTACK_CUTS: Final[Mapping[str, bool]] = {"never": False, "allowed": True}
"""Rule X.11: whether a move against a supporting unit of the same power cuts its support."""

LOSER_PREVENTS_WEAKER: Final[Mapping[str, bool]] = {"no-effect": False, "tie-only": True}
"""Rule X.12: whether the loser of a head-to-head battle still keeps out units that are weaker, not equal ones."""

UNORDERED_CONVOY_HOLDS: Final[Mapping[str, bool]] = {"no": False, "yes": True}
"""Rule X.15: whether an army that nobody is ordered to convoy holds, and can be supported to."""
