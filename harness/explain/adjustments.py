"""What was counted in an adjustment phase: centers and units, where a power may build, and who is removed and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ...reference_engine import (
    Build,
    GivenOrder,
    Order,
    OrderedUnit,
    Position,
    Reason,
    Remove,
    Ruleset,
    Unit,
    Waive,
    province_code,
)
from ...reference_engine.disorder import ALPHABET, FAR, REMOVAL_RULES, RemovalCandidate, removal_candidates
from ..wording import listed
from .words import owned, place, unit_words


@dataclass(frozen=True)
class BuildSite:
    """A home supply center, and why a power may build there or not."""

    province: str
    is_open: bool
    why: str


@dataclass(frozen=True)
class RemovalExplanation:
    """What the rule for civil disorder (4.D.8) looks at in a unit; the first of the list is removed first."""

    unit: str
    location: str
    distance: int | None
    """Steps to the nearest goal of the rule; `None` where the unit can reach none."""
    way: Sequence[str]
    """A shortest way, from where the unit stands to the goal, both named."""
    removed: str
    """`by order`, `by rule`, or empty."""
    why: str
    """The place in the list, in words."""


@dataclass(frozen=True)
class PowerAdjustment:
    """The balance of a power that may build, or has to remove units."""

    power: str
    centers: Sequence[str]
    units: Sequence[str]
    builds: int
    """How many units it may build; below 0: how many it has to remove."""
    sites: Sequence[BuildSite] = ()
    removals: Sequence[RemovalExplanation] = ()
    sentences: Sequence[str] = ()


def explain_balances(
    position: Position, after: Collection[Unit], orders: Sequence[GivenOrder], ruleset: Ruleset
) -> Sequence[PowerAdjustment]:
    """Explain for each power whose centers and units differ in number what it may build, or which units go and why."""
    found: list[PowerAdjustment] = []
    for power, info in position.board.powers.items():
        centers = sorted(position.centers.get(power, ()))
        units = [unit for unit in position.units if unit.power == power]
        balance = len(centers) - len(units)
        adjustment = PowerAdjustment(power, centers, [unit.location for unit in units], balance)
        if balance > 0:
            sites = [_build_site(position, power, center) for center in info.home_centers]
            found.append(_with_builds(position, adjustment, sites))
        elif balance < 0:
            found.append(_with_removals(position, after, orders, adjustment, ruleset))
    return found


def _counted(position: Position, adjustment: PowerAdjustment) -> str:
    names = position.board.describe
    centers = f": {listed(map(names, adjustment.centers))}" if adjustment.centers else ""
    units = [unit_words(unit) for unit in position.units if unit.power == adjustment.power]
    return f"supply centers{centers}; units: {listed(units)}"


def _build_site(position: Position, power: str, center: str) -> BuildSite:
    closed = _why_no_build_in(position, power, center)
    return BuildSite(center, not closed, closed or "owned and vacant")


def _why_no_build_in(position: Position, power: str, center: str) -> str:
    board = position.board
    if center not in position.centers.get(power, ()):
        owner = next((other for other, owned_by in position.centers.items() if center in owned_by), None)
        belongs = f"belongs to {board.power_name(owner)}" if owner else "is not one of its supply centers"
        return f"it {belongs} now"
    standing = position.occupant[board.number[center]]
    return f"{owned(position.units[standing])} stands there" if standing >= 0 else ""


def _with_builds(position: Position, adjustment: PowerAdjustment, sites: Sequence[BuildSite]) -> PowerAdjustment:
    may_build = [place(site.province) for site in sites if site.is_open]
    closed = [f"{place(site.province)} ({site.why})" for site in sites if not site.is_open]
    sentences = [_counted(position, adjustment), f"open for builds: {listed(may_build) or 'none'}"]
    if closed:
        sentences.append(f"closed for builds: {listed(closed)}")
    if len(may_build) < adjustment.builds:
        sentences.append(f"it can build {len(may_build)} only: a unit is built in a home center that is open")
    return _completed(adjustment, sites, (), sentences)


def _completed(
    adjustment: PowerAdjustment,
    sites: Sequence[BuildSite],
    removals: Sequence[RemovalExplanation],
    sentences: Sequence[str],
) -> PowerAdjustment:
    counted = (adjustment.power, adjustment.centers, adjustment.units, adjustment.builds)
    return PowerAdjustment(*counted, sites, removals, sentences)


def _with_removals(
    position: Position,
    after: Collection[Unit],
    orders: Sequence[GivenOrder],
    adjustment: PowerAdjustment,
    ruleset: Ruleset,
) -> PowerAdjustment:
    candidates = removal_candidates(position, adjustment.power, ruleset)
    gone = [each for each in candidates if each.unit not in after]
    ordered = {
        province_code(order.unit.location)
        for power, order in orders
        if power == adjustment.power and isinstance(order, Remove)
    }
    by_order = {each.unit for each in gone if province_code(each.unit.location) in ordered}
    in_order = [each for each in candidates if each.unit not in by_order]
    removals = [
        _removal(position, each, "by order" if each.unit in by_order else "by rule" if each in gone else "", ruleset)
        for each in candidates
    ]
    sentences = [_counted(position, adjustment)]
    if len(by_order) < -adjustment.builds:
        named = listed(unit_words(each.unit) for each in gone if each.unit not in by_order)
        sentences.append(
            f"removed by order: {len(by_order)} of {-adjustment.builds}; by the rule for civil disorder "
            + f"(4.D.8 = {ruleset.choices['4.D.8']}): {named}"
        )
        sentences += [f"{each.unit}: {each.why}" for each in removals]
        sentences += _tie_break(in_order, -adjustment.builds - len(by_order), ruleset)
    return _completed(adjustment, (), removals, sentences)


def _removal(position: Position, candidate: RemovalCandidate, removed: str, ruleset: Ruleset) -> RemovalExplanation:
    unit = candidate.unit
    distance = None if candidate.distance >= FAR else candidate.distance
    return RemovalExplanation(
        unit_words(unit), unit.location, distance, candidate.way, removed, _distance_words(position, candidate, ruleset)
    )


_GOALS = {
    "2023": "a supply center that its power owns",
    "2000-country": "a province of its home country",
}
"""What distances lead to, by the choice of 4.D.8."""
_HOME = "a home supply center"


def _distance_words(position: Position, candidate: RemovalCandidate, ruleset: Ruleset) -> str:
    goal = _GOALS.get(ruleset.choices["4.D.8"], _HOME)
    if candidate.distance >= FAR:
        return f"distance without limit: it can reach no {goal.removeprefix('a ')}"
    end = place(candidate.way[-1])
    spared = "; on a supply center, so it goes last" if candidate.is_spared else ""
    if candidate.distance == 0:
        return f"distance 0: {end} is {goal}{spared}"
    by_sea = " (by convoy)" if _needs_convoy(position, candidate, ruleset) else ""
    over = candidate.way[1:-1]
    return (
        f"distance {candidate.distance} to {end}, {goal}"
        + (f", over {listed(map(place, over))}" if over else "")
        + f"{by_sea}{spared}"
    )


def _needs_convoy(position: Position, candidate: RemovalCandidate, ruleset: Ruleset) -> bool:
    """Whether an army goes from coast to coast on its way, which only a convoy does."""
    if candidate.unit.type == "F" or ruleset.choices["4.D.8"] in {"2023", "2000-country", "dptg", "1971-all-abilities"}:
        return False
    number, borders = position.board.number, position.board.army_borders
    steps = zip(candidate.way, candidate.way[1:], strict=False)
    return any(not borders[number[here]] >> number[there] & 1 for here, there in steps)


def _tie_break(candidates: Sequence[RemovalCandidate], gone: int, ruleset: Ruleset) -> Iterable[str]:
    """Say what decides between the last unit that the rule removes and the first that stays."""
    if not 0 < gone < len(candidates):
        return
    last, stays = candidates[gone - 1], candidates[gone]
    names = f"{unit_words(last.unit)} goes before {unit_words(stays.unit)}"
    if last.is_spared != stays.is_spared:
        yield f"{names}, which stands on a supply center"
    elif last.distance != stays.distance:
        yield f"{names}, which is nearer"
    elif REMOVAL_RULES[ruleset.choices["4.D.8"]].takes_fleets_first and last.unit.type != stays.unit.type:
        yield f"{names}: the distances are equal, and fleets go before armies"
    else:
        choice = ruleset.choices["X.17"]
        alphabet = f"X.17 = {choice}" if ALPHABET[choice] else "by the names on the map"
        yield f"{names}: all else is equal, and {last.name} comes before {stays.name} in the alphabet ({alphabet})"


def why_no_adjustment(
    position: Position,
    orders: Sequence[GivenOrder],
    given: GivenOrder,
    reason: Reason,
    built: Collection[Unit],
    ruleset: Ruleset,
) -> Iterable[str]:
    """Say why an order of an adjustment phase failed; `built` are the units that stand on the board after it."""
    power, order = given
    balance = len(position.centers.get(power, ())) - position.power.count(power)
    if reason == "ignored":
        yield _why_ignored(orders, given, balance, built, ruleset)
    elif isinstance(order, Build):
        yield _why_no_build(position, power, order.unit, ruleset) if balance > 0 else "its power has nothing to build"
    elif isinstance(order, Remove):
        yield _why_no_removal(position, power, order) if balance < 0 else "its power has nothing to remove"
    elif isinstance(order, Waive):
        declined = f"a build cannot be declined (4.D.7 = {ruleset.choices['4.D.7']})"
        yield declined if balance > 0 else "its power has nothing to build"
    else:
        yield "it cannot be read as an order" if order is None else "it is an order of another phase"


def _why_ignored(
    orders: Sequence[GivenOrder], given: GivenOrder, balance: int, built: Collection[Unit], ruleset: Ruleset
) -> str:
    power, order = given
    choices = ruleset.choices
    if isinstance(order, Remove):
        same = [other for other in orders if other.power == power and _names_same_unit(other.order, order)]
        if len(same) > 1 and same[0] is not given:
            return "another order removes the same unit"
        return f"it is one too many: its power has to remove {-balance} (4.D.6 = {choices['4.D.6']})"
    if isinstance(order, Build):
        rivals = [other for other in orders if other.power == power and _builds_there(other.order, order)]
        if len(rivals) > 1:
            at = province_code(order.unit.location)
            is_built = any(province_code(unit.location) == at and unit.power == power for unit in built)
            what = "another order" if is_built else "none of several orders"
            return f"{what} to build there is followed (4.D.5 = {choices['4.D.5']})"
    return f"it is one too many: its power may build {balance} (4.D.4 = {choices['4.D.4']})"


def _names_same_unit(one: Order | None, other: Remove) -> bool:
    return isinstance(one, Remove) and province_code(one.unit.location) == province_code(other.unit.location)


def _builds_there(one: Order | None, other: Build) -> bool:
    return isinstance(one, Build) and province_code(one.unit.location) == province_code(other.unit.location)


def _why_no_removal(position: Position, power: str, order: Remove) -> str:
    province = position.board.province(order.unit.location)
    standing = position.occupant[position.board.number[province.code]] if province else -1
    if standing < 0:
        return f"there is no unit in {place(order.unit.location)}"
    unit = position.units[standing]
    if unit.power != power:
        return f"it is for {owned(unit)}, which belongs to another power"
    return f"it does not name {unit_words(unit)} correctly (4.B.5, 4.B.6, 4.C.1, 4.C.2)"


def _why_no_build(position: Position, power: str, unit: OrderedUnit, ruleset: Ruleset) -> str:
    board, choices = position.board, ruleset.choices
    province = board.province(unit.location)
    if province is None:
        return f"there is no place {unit.location} on the board"
    if province.code not in board.supply_centers:
        return f"{province.name} is not a supply center"
    if province.code not in board.powers[power].home_centers:
        return f"{province.name} is not a home supply center of its power"
    if province.code not in position.centers.get(power, ()):
        return f"{province.name} does not belong to its power now"
    if closed := _why_no_build_in(position, power, province.code):
        return closed
    if unit.power not in (None, power):
        return "it names a unit of another power"
    if "/" in unit.location and unit.location not in board.number and choices["4.B.6"] == "fail":
        return f"{place(unit.location)} is no coast (4.B.6 = fail)"
    if unit.type is None:
        return f"it does not say army or fleet (4.C.3 = {choices['4.C.3']})"
    if unit.type == "A":
        return f"an army cannot stand on a coast, {place(unit.location)} (4.B.6 = {choices['4.B.6']})"
    if province.terrain == "inland":
        return f"a fleet cannot stand in {province.name}, which is inland (4.C.4 = {choices['4.C.4']})"
    coasts = " or ".join(place(f"{province.code}/{coast}") for coast in province.coasts)
    return f"it does not say on which coast: {coasts} (4.B.7 = {choices['4.B.7']})"
