"""Mutants: the reference engine with one deliberate mistake each, such as authors of engines make."""

from __future__ import annotations

from collections.abc import Mapping

from ....reference_engine.errors import nearest
from ...errors import UnknownMutantError
from . import adjustments, boards, moves, orders, retreats, supports
from .mutant import DEFINED, Mutant

MUTANTS: Mapping[str, Mutant] = {
    mutant.name: mutant
    for module in (supports, moves, retreats, adjustments, orders, boards)
    for mutant in DEFINED[module.__name__]
}
"""All mutants by their names."""


def find_mutant(name: str) -> Mutant:
    """Look up a mutant by its name. Raises `UnknownMutantError`."""
    if name not in MUTANTS:
        raise UnknownMutantError(f"there is no mutant {name!r}{nearest(name, tuple(MUTANTS))}")
    return MUTANTS[name]


__all__ = ["MUTANTS", "Mutant", "find_mutant"]
