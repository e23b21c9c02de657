"""Other places for a situation: provinces of the same kind that border each other in the same way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from ...reference_engine import province_code, standard_board
from .moves import locations_of, with_powers
from .situation import Situation

_KNOWN = (
    *("NTH", "ENG", "LON", "BEL", "HOL", "BRE", "PIC", "YOR", "NWY", "DEN", "PAR", "BUR"),
    *("MUN", "BER", "KIE", "RUH", "EDI", "WAL", "HEL", "IRI", "MAO", "NWG", "SKA"),
)
"""The places that the examples of rulebooks use most, these first."""
_MOST_PROVINCES = 10


def other_places(
    situation: Situation, ranked: Sequence[str] | None = None, most_steps: int = 5000
) -> Iterator[Mapping[str, str]]:
    """Find places with the same borders, the familiar ones or those ranked highest first.

    None are given for a situation with more than ten provinces, or with a coast in it.
    """
    named = locations_of(situation)
    board = standard_board()
    if len(named) > _MOST_PROVINCES or any("/" in place or place not in board.number for place in named):
        return
    ranks = {code: rank for rank, code in enumerate(ranked or familiar())}
    stack: list[tuple[str, ...]] = [()]
    for _ in range(most_steps):
        if not stack:
            return
        chosen = stack.pop()
        if len(chosen) == len(named):
            yield dict(zip(named, chosen, strict=True))
            continue
        fitting = [code for code in _candidates(chosen, named, ranks) if _fits(code, chosen, named)]
        stack += [(*chosen, code) for code in reversed(fitting)]


def _candidates(chosen: Sequence[str], named: Sequence[str], ranks: Mapping[str, int]) -> Sequence[str]:
    """The provinces to try next: neighbours of one that is chosen, where that has to be."""
    mine = named[len(chosen)]
    beside = next((there for here, there in zip(named, chosen, strict=False) if any(_border(mine, here))), None)
    free = ranks.keys() - set(chosen)
    if beside is not None:
        free = {code for code in free if any(_border(code, beside))}
    return sorted(free, key=ranks.__getitem__)


def familiar_powers(situation: Situation) -> Situation:
    """Name the powers England, France, and so on, in the order in which they come."""
    if situation.position.phase != "movement":
        return situation
    seen = dict.fromkeys([given.power for given in situation.orders] + [unit.power for unit in situation.units])
    names = ("ENGLAND", "FRANCE", "GERMANY", "ITALY", "AUSTRIA", "RUSSIA", "TURKEY")
    return with_powers(situation, dict(zip(seen, names, strict=False)))


@cache
def familiar() -> Sequence[str]:
    """The provinces without two coasts, those first that every player knows."""
    codes = [province.code for province in standard_board().provinces if not province.coasts]
    return (*_KNOWN, *(code for code in codes if code not in _KNOWN))


def _fits(code: str, chosen: Sequence[str], named: Sequence[str]) -> bool:
    mine = named[len(chosen)]
    return _kind(code) == _kind(mine) and all(
        _border(code, there) == _border(mine, here) for here, there in zip(named, chosen, strict=False)
    )


@cache
def _kind(code: str) -> object:
    province = standard_board().province(code)
    assert province is not None  # noqa: S101 - it comes from the board
    return (province.terrain, bool(province.coasts))


@cache
def _border(one: str, other: str) -> tuple[bool, bool]:
    """Whether an army, and whether a fleet, can go from one to the other."""
    board = standard_board()
    here, there = board.number[one], board.number[other]
    coasts = [number for number, location in enumerate(board.locations) if province_code(location) == one]
    by_sea = any(board.fleet_borders[coast] >> there & 1 for coast in coasts)
    return (bool(board.army_borders[here] >> there & 1), by_sea)
