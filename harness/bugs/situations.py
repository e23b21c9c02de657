# mypyc
"""Positions that are known: paradoxes and other rare situations, drawn in other places and with other powers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import TypeAlias

import msgspec

from ...cases import load_suite
from ...reference_engine import GivenOrder, Position, standard_board
from ...reference_engine.toml import loads
from ..paste.reader import read_position_text
from ..play.positions import OrderedPosition
from .terrain import familiar, other_places, with_places

Known: TypeAlias = Callable[[], Sequence[OrderedPosition]]
"""Returns positions that are known, always the same ones."""

_CASES = tuple(f"6.F.{number}" for number in range(14, 25))
_MOST_STEPS = 1500


@cache
def paradox_cores() -> Sequence[OrderedPosition]:
    """The positions that paradoxes are built from: DATC 6.F.14 to 6.F.24, and those of `knots.toml` from the DPTG."""
    found: list[OrderedPosition] = []
    for case in load_suite("datc-3.1").cases:
        if case.id in _CASES:
            phase = case.phases[0]
            orders = tuple(GivenOrder(order.power, order.order) for order in phase.orders)
            found.append(OrderedPosition(phase.position or Position(()), orders))
    return (*found, *_read("knots.toml", "knot"))


@cache
def situations() -> Sequence[OrderedPosition]:
    """The positions of `situations.toml`, which random orders rarely make."""
    return _read("situations.toml", "situation")


@cache
def dislodgements() -> Sequence[OrderedPosition]:
    """The positions of `situations.toml` after which units retreat as they rarely do."""
    return _read("situations.toml", "dislodgement")


def _read(file: str, table: str) -> Sequence[OrderedPosition]:
    """Read a file of the orders of positions, each under its name."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    orders = msgspec.convert(loads(text), Mapping[str, Mapping[str, str]])[table]
    return tuple(read_position_text(lines, name)[0] for name, lines in orders.items())


def drawn_elsewhere(rng: Random, known: Known, variants: int = 4) -> OrderedPosition:
    """Draw one of the positions that are known, as a rule in other places: in so many variants, which are kept."""
    core = rng.randrange(len(known()))
    return known()[core] if rng.random() < 0.4 else _elsewhere(known, core, rng.randint(1, variants))


def other_powers(rng: Random) -> Mapping[str, str]:
    """Exchange the powers, as a rule each for another one; now and then several become the same one."""
    powers = tuple(standard_board().powers)
    others = rng.sample(powers, len(powers)) if rng.random() < 0.8 else rng.choices(powers, k=len(powers))
    return dict(zip(powers, others, strict=True))


@cache
def _elsewhere(known: Known, core: int, variant: int) -> OrderedPosition:
    """A position in other places: as many variants as the board has, and are found soon; else as it is."""
    ordered = known()[core]
    if variant > 1 and _elsewhere(known, core, 1) is ordered:
        return ordered
    ranked = list(familiar())
    Random(variant).shuffle(ranked)  # noqa: S311 - places, not secrets
    found = next(other_places(ordered, ranked, _MOST_STEPS), None)
    return with_places(ordered, found) if found else ordered
