"""Which equations of movement (DATC 5.B) an answer breaks, when all else is taken as the answer has it.

What follows from a mistake elsewhere on the board satisfies its equations: what is left is the mistake. Where an answer
leaves open whether a support or a convoy succeeded, it is what breaks the fewest equations.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

from .board import province_code
from .equations import OPTIMISTIC
from .explanation import Barrier, MovementExplanation, WatchedEquations, explain_movement
from .movement import powers_in_disorder, set_up
from .orders import Convoy, GivenOrder, Move, Order, SupportHold, SupportMove, Waive
from .position import Position
from .resolved_order import CONVOY, HOLD, MOVE, SUPPORT, OrderEffect
from .rulesets import Ruleset

_MOST_AT_ONCE, _MOST_TRIED = 2, 300
"""So much is supposed at once of a position, in so many ways."""

Equation: TypeAlias = Literal[
    "support", "convoy", "hold", "defend", "prevent", "own", "path", "circle", "paradox", "match",
    "order", "foreign", "border", "via", "name", "several",
]  # fmt: skip


class Broken(NamedTuple):
    """An equation that does not hold for an answer."""

    equation: Equation
    """What decides the order of the unit: of a move, what it has to overcome.

    `order`: whether an order is followed; `several`: which of several to a unit, `foreign`: one of another power,
    `border`: one that leads over no border, `via`: one to go by convoy, `name`: one that names another unit wrongly.
    """
    succeeds: bool
    """What the answer has for the order, which the equation has not."""
    unit: int
    """Whose order it is, by its index in the position."""
    others: tuple[int, ...] = ()
    """The units that decide it."""
    strengths: tuple[int, int] = (0, 0)
    """That of the move, and the one that it has to overcome."""
    by_convoy: bool = False
    """Whether the others, or else the unit itself, come by convoy."""
    special: Literal["", "own-support", "swap", "convoyed-swap"] = ""
    """It succeeds if the supports of the attacked power count; changes places; or fails to, though one is convoyed."""


class _Supposed(NamedTuple):
    """What an answer may take differently from the rules: whether an order succeeds, matches, or is followed."""

    unit: int
    succeeds: bool
    effect: OrderEffect | None = None
    matches: bool = False
    why: Equation = "order"
    """What an order breaks that is followed."""


def find_broken(
    position: Position,
    orders: Sequence[GivenOrder],
    ruleset: Ruleset,
    arrived: Collection[int],
    said: Mapping[int, bool],
) -> Mapping[tuple[Broken, ...], int]:
    """Find the smallest sets of equations that an answer to a movement phase breaks.

    `arrived` are the units that moved. `said` has by the unit whether supports and convoys succeeded, as far as that is
    known: with each set comes how many of these speak against it. Where several solutions satisfy the equations, a set
    has the circle or the paradox; what each of its orders may break instead comes behind it. There is no set if the
    moves are those of the rules. Raises `UnplayedChoiceError`.
    """
    ruled = explain_movement(position, orders, ruleset)
    disordered, cycles = powers_in_disorder(position, orders, ruleset), ruled.equations.cycles
    settled = {
        unit: bool(ruled.equations.resolution[unit])
        for cycle in cycles
        for unit in cycle.units
        if ruled.equations.adjudicate(unit, OPTIMISTIC) != ruled.equations.resolution[unit]
    }
    found = _tried(ruled, disordered, arrived, said, settled)
    fewest = min(found.values())[0]
    is_right = all(bool(ruled.equations.resolution[unit]) == (unit in arrived) for unit in ruled.equations.movers)
    if fewest == 0 and is_right:
        return {}
    # That a move is not followed says no more than that it fails: what else may be broken is wanted, too.
    named = {broken: cost for broken, cost in found.items() if not any(_says_little(each) for each in broken)}
    least = min((cost[0] for cost in named.values()), default=fewest)
    sets_of = {tuple(sorted(broken)): cost[1] for broken, cost in found.items() if cost[0] == fewest > 0}
    sets_of |= {tuple(sorted(broken)): cost[1] for broken, cost in named.items() if cost[0] == least > fewest > 0}
    concerned = {each.unit for broken in sets_of for each in broken}
    for cycle in cycles:
        if fewest == 0 or (cycle.is_paradox and concerned.intersection(cycle.units)):
            kind, units = "paradox" if cycle.is_paradox else "circle", tuple(sorted(cycle.units))
            sets_of[(Broken(kind, succeeds=False, unit=units[0], others=units),)] = int(fewest > 0)
    if fewest == 0 and cycles:
        equations = set_up(position, list(ruled.effects), ruleset, disordered, WatchedEquations)
        _ = [*_break(ruled, equations, (), arrived, settled)]
        sets_of |= {(each,): 1 for each in _of_cycle(ruled, equations, cycles[0].units)}
    return sets_of


def _tried(
    ruled: MovementExplanation,
    disordered: frozenset[str],
    arrived: Collection[int],
    said: Mapping[int, bool],
    settled: Mapping[int, bool],
) -> Mapping[frozenset[Broken], tuple[int, int]]:
    """Give what is broken under each supposition, with of how many units that is, and how much is said against it."""
    found: dict[frozenset[Broken], tuple[int, int]] = {}
    suspects = [*_suspects(ruled, arrived)]
    sets = itertools.chain.from_iterable(itertools.combinations(suspects, size) for size in range(_MOST_AT_ONCE + 1))
    for supposed in itertools.islice(sets, _MOST_TRIED):
        if found and len(supposed) > min(found.values())[0]:
            break
        effects = list(ruled.effects)
        for each in supposed:
            effects[each.unit] = each.effect or effects[each.unit]
        equations = set_up(ruled.position, effects, ruled.ruleset, disordered, WatchedEquations)
        broken = frozenset(_break(ruled, equations, supposed, arrived, settled))
        wrong = sum(value != bool(equations.resolution[unit]) for unit, value in said.items() if equations.kind[unit])
        _ = found.setdefault(broken, (len({each.unit for each in broken}), wrong))
    return found


def _says_little(broken: Broken) -> bool:
    return broken.equation == "order" and not broken.succeeds


def _of_cycle(ruled: MovementExplanation, equations: WatchedEquations, units: Iterable[int]) -> Iterator[Broken]:
    """Name what decides the orders of a cycle that came out as the rules do not settle it."""
    for unit in units:
        succeeds, kind = bool(equations.resolution[unit]), equations.kind[unit]
        if kind == HOLD or succeeds == ruled.equations.resolution[unit]:
            continue
        if kind == MOVE:
            yield _broken_move(ruled, unit, succeeds=succeeds)._replace(strengths=(0, 0))
            if not succeeds:
                yield Broken(_which(ruled, unit), succeeds, unit)
        else:
            yield Broken("support" if kind == SUPPORT else "convoy", succeeds, unit)


def _suspects(ruled: MovementExplanation, arrived: Collection[int]) -> Iterator[_Supposed]:
    equations = ruled.equations
    for unit, effect in enumerate(ruled.effects):
        if effect.kind in (SUPPORT, CONVOY) and equations.kind[unit] != HOLD:
            yield from (_Supposed(unit, succeeds) for succeeds in (True, False))
        elif effect.kind == SUPPORT:
            yield _Supposed(unit, succeeds=True, matches=True)
        if effect.kind in (MOVE, CONVOY) and unit not in arrived:  # A support that is ignored is one that fails.
            yield _Supposed(unit, succeeds=False, effect=OrderEffect(HOLD), why=_which(ruled, unit))
    for (power, order), given in zip(ruled.orders, ruled.given, strict=True):
        if given is None or ruled.effects[given[0]] != given[1]:
            yield from _as_written(ruled, power, order)


def _which(ruled: MovementExplanation, unit: int) -> Equation:
    """Whether one order is followed, or which of several."""
    at = province_code(ruled.position.units[unit].location)
    named = [each.order for each in ruled.orders if each.order is not None and not isinstance(each.order, Waive)]
    return "several" if sum(province_code(each.unit.location) == at for each in named) > 1 else "order"


def _as_written(ruled: MovementExplanation, power: str, order: Order | None) -> Iterator[_Supposed]:
    """Suppose that an order is followed which is not, whatever is wrong with it."""
    position = ruled.position
    if not isinstance(order, (Move, SupportHold, SupportMove, Convoy)):
        return

    def number(location: str) -> int:
        return position.board.number.get(location, -1)

    other = None if isinstance(order, Move) else order.convoyed if isinstance(order, Convoy) else order.supported
    helped = number(province_code(other.location)) if other else -1
    target = helped if isinstance(order, SupportHold) else number(province_code(order.to))
    kind = MOVE if isinstance(order, Move) else CONVOY if isinstance(order, Convoy) else SUPPORT
    landing = number(order.to) if isinstance(order, Move) else -1
    unit = position.occupant[number(province_code(order.unit.location))]
    if unit < 0:
        return
    why = _which(ruled, unit)
    if position.units[unit].power != power:
        why = "foreign"
    elif why == "order" and isinstance(order, Move):
        is_reached = order.to in position.board.destinations(position.units[unit])
        why = "border" if not is_reached else "via" if order.via_convoy else why
    elif why == "order" and other and helped >= 0 and (named := position.occupant[helped]) >= 0:
        whose, kind_of = position.units[named].power, position.units[named].type
        why = why if other.power in (None, whose) and other.type in (None, kind_of) else "name"
    yield _Supposed(unit, succeeds=True, effect=OrderEffect(kind, target, landing, helped), why=why)


def _break(
    ruled: MovementExplanation,
    equations: WatchedEquations,
    supposed: Sequence[_Supposed],
    arrived: Collection[int],
    settled: Mapping[int, bool],
) -> Iterator[Broken]:
    """Take the moves as they came out, and the rest as supposed or as it follows; give what does not hold."""
    kinds = enumerate(equations.kind)
    equations.resolution = [unit in arrived if kind == MOVE else settled.get(unit) for unit, kind in kinds]
    for each in supposed:
        if each.effect is not None:
            yield Broken(each.why, each.succeeds, each.unit)
        elif each.matches:
            equations.kind[each.unit] = SUPPORT
            equations.supporters[equations.occupant[ruled.effects[each.unit].helped]] += (each.unit,)
            yield Broken("match", succeeds=True, unit=each.unit)
        else:
            equations.resolution[each.unit] = each.succeeds
    equations.solve()
    seen = replace(ruled, equations=equations)
    for unit, kind in enumerate(equations.kind):
        succeeds = bool(equations.resolution[unit])
        if kind == HOLD and unit in arrived:
            yield Broken("order", succeeds=True, unit=unit)
        if kind == HOLD or settled.get(unit) == succeeds or equations.adjudicate(unit, OPTIMISTIC) == succeeds:
            continue  # Where the rules settle a paradox, equations need not hold.
        if kind == MOVE:
            yield _broken_move(seen, unit, succeeds=succeeds)
        else:
            others = equations.attackers[equations.home[unit]]
            by_convoy = bool(others) and all(equations.routes[each] is not None for each in others)
            yield Broken("support" if kind == SUPPORT else "convoy", succeeds, unit, others, by_convoy=by_convoy)


def _broken_move(seen: MovementExplanation, unit: int, *, succeeds: bool) -> Broken:
    """Name what a move does not overcome though it succeeds; or the strongest that it overcomes though it fails."""
    equations = seen.equations
    by_convoy = equations.routes[unit] is not None
    barriers: Sequence[Barrier] = ()
    if equations.target[unit] >= 0 and equations.path(unit, OPTIMISTIC):
        barriers = [each for each in seen.barriers(unit) if each.overcome != succeeds and each.unit >= 0]
    if not barriers:
        return Broken("path", succeeds, unit, by_convoy=by_convoy)
    kind, other, strength, against = max(barriers, key=lambda each: (each.strength, each.kind != "hold"))
    if kind == "defend" and succeeds and equations.resolution[other]:
        first, second = sorted((unit, other))  # It is one rule, that both break.
        return Broken("defend", succeeds, first, (second,), (against, strength), special="swap")
    is_own = equations.power[other] == equations.power[unit] and succeeds and kind != "prevent"
    broken = Broken("own" if is_own else kind, succeeds, unit, (other,), (against, strength), by_convoy)
    everyone = equations.defend_strength(unit, OPTIMISTIC)
    if succeeds and not is_own and everyone > max(against, strength):
        return broken._replace(special="own-support")
    goes_back = equations.kind[other] == MOVE and equations.target[other] == equations.home[unit]
    if not succeeds and goes_back and (by_convoy or equations.routes[other] is not None):
        return broken._replace(special="convoyed-swap")
    return broken
