# mypyc
"""The movement phase: which orders match, what a solver makes of them, and who is dislodged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Final, TypeAlias, TypeVar, final

from .board import Unit
from .canal import through_canal
from .choices import (
    ADJACENT_CONVOYS,
    CIVIL_DISORDER_HOLDS,
    COASTS_OF_SUPPORT,
    CONVOY_CUTS_SUPPORT_ON_ITSELF,
    CONVOYED_ATTACKS,
    MULTIPLE_ORDERS,
    RETREATS_TO_ORIGIN,
    ChoiceTables,
    SupportedCoast,
    check_supported,
    choices_of,
)
from .equations import CHOICE_TABLES as EQUATIONS
from .equations import Equations
from .errors import UnplayedChoiceError
from .land_fallback import falling_back
from .legality import CHOICE_TABLES as LEGALITY
from .legality import READ_BY, Legality, check_given, choose_order
from .orders import GivenOrder
from .paradoxes import CHOICE_TABLES as PARADOXES
from .passages import crossing_passages
from .position import (
    BOUNCED,
    CUT,
    DISLODGED,
    DISRUPTED,
    IGNORED,
    ILLEGAL,
    NO_PATH,
    SUCCEEDED,
    VOID,
    Adjudication,
    Dislodged,
    OrderResult,
    Position,
)
from .railway import along_railway, halted
from .resolved_order import CONVOY, HOLD, HOLDS, MOVE, OrderEffect
from .retreats import legal_retreats
from .rulesets import Ruleset
from .solver import CHOICE_TABLES as CONVOYS
from .solver import MovementSolver, match_convoys

_Solver = TypeVar("_Solver", bound=MovementSolver)

NO_NUMBERS: Final[frozenset[int]] = frozenset()
NO_NAMES: Final[frozenset[str]] = frozenset()

CHOICE_TABLES: ChoiceTables = {
    **LEGALITY,
    **CONVOYS,
    **PARADOXES,
    **EQUATIONS,
    "4.A.4": CONVOY_CUTS_SUPPORT_ON_ITSELF,
    "4.A.5": RETREATS_TO_ORIGIN,
    "v3.2-4.A.4": CONVOYED_ATTACKS,
    "4.B.4": COASTS_OF_SUPPORT,
    "4.D.9": CIVIL_DISORDER_HOLDS,
}
"""All issues of a movement phase."""

SUPPORTED_CHOICES = choices_of(CHOICE_TABLES)


@final
class MovementOrders:
    """The orders of a movement phase, one a unit, before anything is resolved."""

    def __init__(
        self, position: Position, effects: list[OrderEffect], disordered: frozenset[str], ruleset: Ruleset
    ) -> None:
        self.position: Position = position
        self.effects: list[OrderEffect] = effects
        """For each unit, by its index in the position, what it is ordered to do."""
        self.disordered: frozenset[str] = disordered
        """The powers whose units cannot be supported to hold (4.D.9)."""
        self.ruleset: Ruleset = ruleset

    def armies_by_convoy(self) -> list[int]:
        """The armies that move by convoy: to a space that is not adjacent, or whose order says so (4.A.3)."""
        position = self.position
        return [
            unit
            for unit, effect in enumerate(self.effects)
            if effect.kind == MOVE
            and effect.target >= 0
            and not position.is_fleet[unit]
            and (effect.via_convoy or not position.board.army_borders[position.home[unit]] >> effect.target & 1)
        ]


@final
class Outcome:
    """What was made of the orders: units by their index in the position, provinces by their number."""

    def __init__(
        self,
        advanced: list[int],
        dislodged: dict[int, int],
        standoffs: frozenset[int],
        convoyed: frozenset[int],
        results: list[OrderResult],
    ) -> None:
        self.advanced: list[int] = advanced
        """The units whose move succeeded."""
        self.dislodged: dict[int, int] = dislodged
        """For each dislodged unit the one that dislodged it."""
        self.standoffs: frozenset[int] = standoffs
        """The provinces of a standoff: nobody retreats there. None may be occupied after the moves."""
        self.convoyed: frozenset[int] = convoyed
        """The armies that came by convoy, at least those that dislodged a unit."""
        self.results: list[OrderResult] = results
        """The result of the order of each unit, also that a unit was dislodged which held."""


_FAILURES: Final = (VOID, BOUNCED, CUT, DISRUPTED)
"""Why an order failed. The index is its kind after matching: a support or a convoy without a match is a `HOLD` then."""

ResolveMovement: TypeAlias = Callable[[MovementOrders], Outcome]


def adjudicate_movement(
    position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset, equations: type[Equations] = Equations
) -> Adjudication:
    """Adjudicate a movement phase, by other equations if they are given.

    Raises `UnplayedChoiceError` for a choice that those of this module do not play.
    """
    _check_choices(ruleset)
    return adjudicate_with(equations, position, orders, ruleset)


def adjudicate_with(
    solver_type: type[MovementSolver], position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset
) -> Adjudication:
    """Adjudicate a movement phase, the matching orders being resolved by a solver.

    Raises `UnplayedChoiceError` on a map with difficult passages, a canal or a railway for one that knows only moves.
    """
    board = position.board
    if (board.difficult or board.canal or board.railway) and not issubclass(solver_type, Equations):
        raise UnplayedChoiceError("this procedure knows no difficult passages, no canal and no railway")
    return adjudicate_by(partial(_resolve, solver_type), position, orders, ruleset)


@final
class ReadOrders:
    """What the orders of a movement phase mean, each on its own, and which of them each unit follows (4.D.3)."""

    def __init__(self, position: Position, orders: Sequence[GivenOrder], rules: Ruleset) -> None:
        self.position: Position = position
        self.orders: Sequence[GivenOrder] = orders
        self.rules: Ruleset = rules
        """What they were read by: see `_reading_rules`."""
        self.judged: Legality = Legality(position, rules)
        self.units, self.said = self.judged.effects(orders)
        """For each order the unit that it commands, or -1 where it is illegal, and what it means."""
        choose = MULTIPLE_ORDERS[rules.choices["4.D.3"]]
        self.unfollowed, self.followed = choose_order(self.units, self.said, len(position.units), HOLDS, choose)
        """The legal orders that are not followed; and what each unit does: `said`, where that is in their sequence."""
        if self.followed is not self.said and -1 in self.units:
            check_given(position.board, orders, self.units)


_last_read: ReadOrders | None = None


@lru_cache(maxsize=256)
def _reading_rules(ruleset: Ruleset) -> Ruleset:
    """Return the choices of a ruleset that decide what orders mean, and no others: nothing else can be asked for."""
    return Ruleset("", tuple([pair for pair in ruleset.settled if pair[0] in READ_BY]), ruleset.coasts)


def read_movements(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> ReadOrders:
    """Read the orders of a movement phase. Raises `TypeError` and `PositionError` as `check_given` does.

    Mutants and rulesets are often asked about one position in turn: those that read it alike share the last reading,
    which nothing may change. Those in a list are read again each time: they may have changed.
    """
    if not isinstance(orders, tuple):
        return ReadOrders(position, orders, ruleset)
    global _last_read  # noqa: PLW0603 - one reading, that of the last orders
    last, rules = _last_read, _reading_rules(ruleset)
    if last is None or last.orders is not orders or last.position is not position or last.rules != rules:
        _last_read = last = ReadOrders(position, orders, rules)
    return last


def adjudicate_by(
    resolve: ResolveMovement, position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset
) -> Adjudication:
    """Adjudicate a movement phase, the orders being resolved by a function."""
    read = read_movements(position, orders, ruleset)
    effects, disordered = list(read.followed), powers_in_disorder(position, orders, ruleset)
    outcome = resolve(MovementOrders(position, effects, disordered, ruleset))
    results = outcome.results
    if read.followed is not read.said:  # Otherwise the orders are in the sequence of the units already.
        results.append(ILLEGAL)  # The last entry is for orders to no unit, of which the index is -1.
        results = [results[unit] for unit in read.units]
    contested = NO_NAMES
    if outcome.standoffs:
        contested = frozenset([position.board.locations[province] for province in outcome.standoffs])
    return Adjudication(
        _units_after(position, effects, outcome),
        _dislodged(position, effects, outcome, ruleset) if outcome.dislodged else (),
        _results(results, read),
        contested,
    )


def powers_in_disorder(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> frozenset[str]:
    """Issue 4.D.9: the powers that gave no order at all, where their units cannot be supported to hold then."""
    if CIVIL_DISORDER_HOLDS[ruleset.choices["4.D.9"]]:
        return NO_NAMES
    return frozenset(position.power) - {order.power for order in orders}


@lru_cache(maxsize=256)
def _check_choices(ruleset: Ruleset) -> None:
    """Raise `UnplayedChoiceError` for a choice that the equations do not play."""
    check_supported(ruleset, SUPPORTED_CHOICES)


def match(
    position: Position,
    effects: list[OrderEffect],
    ruleset: Ruleset,
    *,
    disordered: frozenset[str] = NO_NAMES,
    solver_type: type[_Solver],
) -> _Solver:
    """Set up a solver: which armies are convoyed by whom, which supports match, who meets head to head.

    `disordered` holds the powers whose units cannot be supported to hold (4.D.9).
    """
    solver = solver_type(position, effects, ruleset)
    match_convoys(position, effects, solver)
    _match_opponents(solver)
    _match_supports(position, effects, solver, disordered, ruleset)
    solver.prepare(position, effects)
    return solver


def _match_opponents(solver: MovementSolver) -> None:
    """Find the units that meet head to head, as `MovementSolver.meet` does for one unit: calls take twice as long."""
    kind, target, routes, home, occupant = solver.kind, solver.target, solver.routes, solver.home, solver.occupant
    for unit in solver.movers:
        other = occupant[target[unit]]
        is_opposite = other >= 0 and target[other] == home[unit] and kind[other] == MOVE
        if is_opposite and routes[unit] is None and routes[other] is None:
            solver.opponent[unit] = other


def _match_supports(
    position: Position, effects: list[OrderEffect], solver: MovementSolver, disordered: frozenset[str], ruleset: Ruleset
) -> None:
    """Find the supports that match."""
    kind, target, supporters, occupant = solver.kind, solver.target, solver.supporters, solver.occupant
    for unit in solver.supports:
        effect = effects[unit]
        other, into = occupant[effect.helped], effect.target
        if kind[other] != MOVE:
            matches = into == effect.helped and solver.power[other] not in disordered
        else:
            matches = into == target[other] and coast_matches(position, unit, effect, effects[other], ruleset)
        if matches:
            supporters[other] += (unit,)
        else:
            kind[unit] = HOLD


def solve(
    position: Position,
    effects: list[OrderEffect],
    ruleset: Ruleset,
    disordered: frozenset[str],
    solver_type: type[_Solver],
) -> _Solver:
    """Set up a solver and have it resolve the orders."""
    solver = set_up(position, effects, ruleset, disordered, solver_type)
    solver.solve()
    return solver


def set_up(
    position: Position,
    effects: list[OrderEffect],
    ruleset: Ruleset,
    disordered: frozenset[str],
    solver_type: type[_Solver],
) -> _Solver:
    """Set up a solver as `match` does, with armies that fall back to the land if 4.A.3 has any."""
    board = position.board
    if board.difficult:
        solver_type = crossing_passages(solver_type)
    if board.canal:
        solver_type = through_canal(solver_type)
    if board.railway:
        solver_type = along_railway(solver_type)
    if ADJACENT_CONVOYS[ruleset.choices["4.A.3"]].falls_back_to_land:
        solver_type = falling_back(solver_type)
    return match(position, effects, ruleset, disordered=disordered, solver_type=solver_type)


def coast_matches(
    position: Position, unit: int, support: OrderEffect, supported: OrderEffect, ruleset: Ruleset
) -> bool:
    """Whether a move to a province ends on the coast that the support of a unit for it is for (4.B.4)."""
    province = support.target
    if supported.landing == province:
        return True
    other = position.occupant[support.helped]
    default = ruleset.default_coasts.get(position.board.provinces[province].code, "")
    return COASTS_OF_SUPPORT[ruleset.choices["4.B.4"]].matches(
        SupportedCoast(
            written=support.landing,
            landing=supported.landing,
            own=position.power[unit] == position.power[other],
            only_one=len(position.board.fleet_moves[position.places[other].location][province]) == 1,
            default=position.board.number.get(f"{position.board.provinces[province].code}/{default}", -1),
        )
    )


def _resolve(solver_type: type[MovementSolver], orders: MovementOrders) -> Outcome:
    """What a solver makes of the orders."""
    position, effects = orders.position, orders.effects
    solver = solve(position, effects, orders.ruleset, orders.disordered, solver_type)
    train = halted(solver, effects) if position.board.railway else -1
    kind, resolution, routes = solver.kind, solver.resolution, solver.routes
    results = [SUCCEEDED] * len(effects)
    advanced: list[int] = []
    bounced: list[int] = []
    stays = [True] * len(effects)
    for unit in solver.movers:
        if resolution[unit]:
            advanced.append(unit)
            stays[unit] = False
        else:
            bounced.append(unit)
            results[unit] = BOUNCED if routes[unit] is None else _failure_of_convoyed(solver, unit)
    if train >= 0:
        results[train] = BOUNCED
    for helpers in (solver.supports, solver.convoys):
        for unit in helpers:
            if not resolution[unit]:
                results[unit] = _FAILURES[kind[unit]]
    dislodged = _find_dislodged(solver, advanced, stays)
    for unit in dislodged:
        if effects[unit].kind == HOLD or (kind[unit] == CONVOY and not resolution[unit]):
            results[unit] = DISLODGED
    convoyed = NO_NUMBERS
    if dislodged:
        convoyed = frozenset([attacker for attacker in dislodged.values() if routes[attacker] is not None])
    standoffs = _standoffs(solver, bounced, stays) if bounced else NO_NUMBERS
    return Outcome(advanced, dislodged, standoffs, convoyed, results)


def _find_dislodged(solver: MovementSolver, advanced: list[int], stays: list[bool]) -> dict[int, int]:
    """The units that stay where another one moved to, and that one (5.A)."""
    occupant, target = solver.occupant, solver.target
    dislodged: dict[int, int] = {}
    for attacker in advanced:
        unit = occupant[target[attacker]]
        if unit >= 0 and stays[unit]:
            dislodged[unit] = attacker
    return dislodged


def _failure_of_convoyed(solver: MovementSolver, army: int) -> OrderResult:
    """Why the move of a convoyed army failed."""
    if not solver.routes[army]:
        return NO_PATH
    return BOUNCED if solver.has_path(army) else DISRUPTED


def _standoffs(solver: MovementSolver, bounced: list[int], stays: list[bool]) -> frozenset[int]:
    """The provinces that are left vacant though somebody could have come there, other than a unit beaten from there."""
    occupant, resolution = solver.occupant, solver.resolution
    standoffs: set[int] = set()
    for unit in bounced:
        province = solver.target[unit]
        if solver.kind[unit] != MOVE or province < 0 or province in standoffs:
            continue
        if occupant[province] >= 0 and stays[occupant[province]]:
            continue
        for attacker in solver.attackers[province]:
            if resolution[attacker]:
                break
        else:
            if solver.prevents(unit) and not solver.is_beaten(unit):
                standoffs.add(province)
    return frozenset(standoffs)


def _results(by_order: list[OrderResult], read: ReadOrders) -> tuple[OrderResult, ...]:
    """The result of each order: that of the order which its unit follows, unless it was illegal or is not that one."""
    for index in read.judged.unreachable:
        by_order[index] = ILLEGAL
    for index in read.judged.ignored:
        by_order[index] = IGNORED
    for index in read.unfollowed:
        by_order[index] = IGNORED
    return tuple(by_order)


def _units_after(position: Position, effects: list[OrderEffect], outcome: Outcome) -> tuple[Unit, ...]:
    """The units on the board after the moves, without the dislodged ones."""
    after, alike = list(position.units), position.alike
    for index in outcome.advanced:
        after[index] = alike[index][effects[index].landing]
    if outcome.dislodged:
        for index in sorted(outcome.dislodged, reverse=True):
            del after[index]
    return tuple(after)


def occupied_after(position: Position, effects: list[OrderEffect], advanced: list[int]) -> frozenset[int]:
    """The provinces with a unit after the moves of some units."""
    occupied = list(position.home)
    for unit in advanced:
        occupied[unit] = effects[unit].target
    return frozenset(occupied)


def _dislodged(
    position: Position, effects: list[OrderEffect], outcome: Outcome, ruleset: Ruleset
) -> tuple[Dislodged, ...]:
    """The dislodged units and where they may retreat to: not where their attackers came from (4.A.5, v3.2-4.A.4)."""
    board, choices = position.board, ruleset.choices
    closed = occupied_after(position, effects, outcome.advanced) | outcome.standoffs
    to_origin = RETREATS_TO_ORIGIN[choices["4.A.5"]] or CONVOYED_ATTACKS[choices["v3.2-4.A.4"]].opens_origin
    found: list[Dislodged] = []
    for index, attacker in sorted(outcome.dislodged.items()):
        origin = position.home[attacker]
        origin_is_open = to_origin and attacker in outcome.convoyed
        retreats = legal_retreats(board, position.units[index], closed, -1 if origin_is_open else origin)
        found.append(Dislodged(position.units[index], board.locations[origin], retreats))
    return tuple(found)
