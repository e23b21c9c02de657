"""What comes after a phase: retreats, adjustments or the next movements, and who owns which supply center by then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ...reference_engine import Phase, Unit, province_code, standard_board
from ..answers import Answer, PhaseInput

Centers: TypeAlias = Mapping[str, Sequence[str]]


class NextPhase(NamedTuple):
    """A phase that is to come."""

    phase: Phase
    season: str
    year: int
    units: tuple[Unit, ...]
    centers: Centers


def home_centers() -> Centers:
    """Return the supply centers that each power owns at the start of a game."""
    return {power.code: tuple(power.home_centers) for power in standard_board().powers.values()}


def next_phase(asked: PhaseInput, answer: Answer, centers: Centers) -> NextPhase:
    """Return the phase after one that was played; `centers` are those that were owned before it."""
    if asked.phase == "movement" and answer.dislodged:
        return NextPhase("retreat", asked.season, asked.year, answer.units, centers)
    if asked.phase == "adjustment" or asked.season == "winter":
        return NextPhase("movement", "spring", asked.year + 1, answer.units, centers)
    if asked.season == "spring":
        return NextPhase("movement", "autumn", asked.year, answer.units, centers)
    owned = captured(centers, answer.units)
    if _is_balanced(owned, answer.units):
        return NextPhase("movement", "spring", asked.year + 1, answer.units, owned)
    return NextPhase("adjustment", "winter", asked.year, answer.units, owned)


def captured(centers: Centers, units: Sequence[Unit]) -> Centers:
    """Give each supply center on which a unit stands to the power of the unit."""
    board = standard_board()
    taken = {province_code(unit.location): unit.power for unit in units}
    owners = {center: power for power, owned in centers.items() for center in owned}
    owners |= {province: power for province, power in taken.items() if province in board.supply_centers}
    return {power: tuple(sorted(each for each, owner in owners.items() if owner == power)) for power in board.powers}


def _is_balanced(centers: Centers, units: Sequence[Unit]) -> bool:
    counts = {power: sum(unit.power == power for unit in units) for power in centers}
    return all(counts[power] == len(owned) for power, owned in centers.items())
