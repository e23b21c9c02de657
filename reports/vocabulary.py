"""How every sentence names units, places and differences: one wording for all commands and reports."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..reference_engine import Board, Hold, NotationError, read_order, standard_board
from ..reference_engine.errors import printable
from ..reference_engine.toml import loads


class NamedUnit(Protocol):
    """A unit as an order names it, perhaps without its type."""

    @property
    def type(self) -> str | None: ...
    @property
    def location(self) -> str: ...


class OwnedUnit(NamedUnit, Protocol):
    """A unit of a power: on the board, in a report or in a message."""

    @property
    def power(self) -> str: ...


class Difference(Protocol):
    """One difference between an expected answer and an actual one."""

    @property
    def kind(self) -> str: ...
    @property
    def unit(self) -> OwnedUnit | None: ...
    @property
    def expected(self) -> str: ...
    @property
    def actual(self) -> str: ...
    @property
    def order(self) -> int | None: ...


@dataclass
class Names:
    """Names what sentences are about, on a board."""

    board: Board

    def place(self, location: str) -> str:
        """Name a location: `"Spain(nc)"`. A text that names none is returned as it is."""
        return self.board.describe(location)

    def places(self, locations: Iterable[str], joined: str = "") -> str:
        """Name several locations: `"Spain(nc) and Portugal"`, or with another word between them."""
        names = [*map(self.place, locations)]
        return joined.join(names) if joined else listed(names)

    def unit(self, unit: NamedUnit) -> str:
        """Name a unit: `"F English Channel"`."""
        return f"{unit.type or 'the unit in'} {self.place(unit.location)}"

    def owned(self, unit: OwnedUnit) -> str:
        """Name a unit as its power's: `"France's F English Channel"`."""
        return f"{self.board.power_name(unit.power)}'s {self.unit(unit)}"

    def with_power(self, unit: OwnedUnit) -> str:
        """Name a unit after its power: `"France F English Channel"`."""
        return f"{self.board.power_name(unit.power)} {self.unit(unit)}"

    def retreats(self, locations: Sequence[str] | None) -> str:
        """Say where a dislodged unit may retreat to."""
        return f"it may retreat to {self.places(locations)}" if locations else "it has no retreat"


WORDING = loads(Path(__file__).with_name("wording.toml").read_text(encoding="utf-8"))
"""What is said of verdicts and of differences."""


def fact_texts(
    facts: Iterable[Difference], orders: Sequence[str], who: str = "the engine", board: Board | None = None
) -> list[str]:
    """Say what differs, a sentence a difference; `orders` are the texts of the orders of the phase, `who` answered."""
    return [fact_text(fact, orders, who, board) for fact in facts]


def fact_text(fact: Difference, orders: Sequence[str], who: str = "the engine", board: Board | None = None) -> str:
    """Say what differs in a sentence."""
    if fact.order is not None:
        text, means = orders[fact.order], ""
        with suppress(NotationError):
            if isinstance(read_order(text, board=board).order, Hold):
                means = " (a legal order to hold succeeds unless its unit is dislodged)"
        return printable(f"{text!r} {fact.expected}, but {who} says that it {fact.actual}{means}")
    names = Names(board or standard_board())
    return printable(
        WORDING["differences"][fact.kind].format(
            unit=names.with_power(fact.unit) if fact.unit else "a unit",
            place=names.place(fact.unit.location) if fact.unit else "",
            expected=names.place(fact.expected),
            actual=names.place(fact.actual),
            who=who,
        )
    )


def unit_text(unit: OwnedUnit, board: Board | None = None) -> str:
    """Name a unit of the standard board or another one after its power: `"France F English Channel"`."""
    return Names(board or standard_board()).with_power(unit)


def change_text(change: Mapping[str, str]) -> str:
    """Write choices of rules that are changed together: `"4.A.2 = 1982 with X.4 = grand-winner"`."""
    return " with ".join(f"{issue} = {choice}" for issue, choice in change.items())


def changes_texts(changes: Collection[Mapping[str, str]]) -> list[str]:
    """Write changes of rules, those together that differ only in the choice of one issue: `"4.A.2 = 1982 or 2000"`."""
    if any(len(change) > 1 for change in changes):
        return [*map(change_text, changes)]
    return [f"{issue} = {' or '.join(choices)}" for issue, choices in merge_changes(changes).items()]


def merge_changes(changes: Iterable[Mapping[str, str]]) -> dict[str, list[str]]:
    """Return for each issue the choices that some of these changes make."""
    merged: dict[str, list[str]] = {}
    for change in changes:
        for issue, choice in change.items():
            if choice not in merged.setdefault(issue, []):
                merged[issue].append(choice)
    return merged


def listed(words: Iterable[str]) -> str:
    """Join words as a sentence does: `"A, B and C"`; `"none"` where there is no word."""
    *most, last = [*words] or ["none"]
    return f"{', '.join(most)} and {last}" if most else last
