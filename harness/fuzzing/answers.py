"""What an engine says of a situation, brought into one form so that answers can be compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias

from ...adapters import AdjudicateResult, DislodgedMessage, unit_of
from ...reference_engine import Adjudication, Unit, province_code, standard_board

Retreats: TypeAlias = Mapping[str, frozenset[str] | None]
"""For each dislodged unit, by its province, where it may retreat to; `None` where that is not said."""


class Answer(NamedTuple):
    """The board after a phase."""

    units: tuple[Unit, ...]
    """In alphabetical order; a unit that stands there twice is named twice."""
    retreats: Retreats | None
    """`None` where nothing is said of dislodged units. One without a retreat may be left out: it is lost anyway."""


class Failure(NamedTuple):
    """The engine gave no answer: it crashed, hung, or answered nonsense."""

    reason: str

    @property
    def kind(self) -> str:
        """The words of the reason, without what changes from position to position: places, powers, numbers."""
        return _kind(self.reason)


@lru_cache(maxsize=1024)
def _kind(reason: str) -> str:
    words = (
        word for word in _WORD.findall(reason) if len(word) >= _SHORTEST and word.upper() not in _names_of_places()
    )
    return " ".join(dict.fromkeys(words))


_WORD = re.compile(r"[^\W\d]+")
_SHORTEST = 4
"""Shorter words are codes of places as often as not."""


@cache
def _names_of_places() -> frozenset[str]:
    """The words in the names of provinces and powers, and their codes, each engine's own spelling aside."""
    board = standard_board()
    names = [name for province in board.provinces for name in (province.name, *province.other_names)]
    names += [name for power in board.powers.values() for name in (power.name, *power.adjectives)]
    return frozenset(word.upper() for name in names for word in _WORD.findall(name))


Said: TypeAlias = Answer | Failure


def read_answer(result: AdjudicateResult) -> Answer:
    """Take what counts from an answer."""
    return Answer(tuple(sorted(map(unit_of, result.units))), _retreats(result.dislodged))


def reference_answer(adjudication: Adjudication) -> Answer:
    """Take what counts from what the reference engine made of a situation."""
    retreats = {province_code(unit.location): frozenset(to) for unit, _, to in adjudication.dislodged}
    return Answer(tuple(sorted(adjudication.units)), retreats)


def _retreats(entries: Sequence[DislodgedMessage] | None) -> Retreats | None:
    if entries is None:
        return None
    return {
        province_code(entry.location): None if entry.retreats is None else frozenset(entry.retreats)
        for entry in entries
    }


def differing_units(one: Answer, other: Answer) -> int:
    """Count the units that stand elsewhere, and the retreats that one allows and the other does not."""
    boards = Counter(one.units)
    boards.subtract(other.units)
    return sum(map(abs, boards.values())) + sum(len(each) for each in _differing_retreats(one, other))


def same_answer(one: Said, other: Said) -> bool:
    """Whether both say the same, as far as both say it; two failures of one kind are the same."""
    if isinstance(one, Failure) or isinstance(other, Failure):
        return isinstance(one, Failure) and isinstance(other, Failure) and one.kind == other.kind
    return one.units == other.units and not any(_differing_retreats(one, other))


def _differing_retreats(one: Answer, other: Answer) -> Iterable[frozenset[str]]:
    if one.retreats is None or other.retreats is None:
        return
    nowhere: frozenset[str] = frozenset()
    for province in one.retreats.keys() | other.retreats.keys():
        first, second = one.retreats.get(province, nowhere), other.retreats.get(province, nowhere)
        if first is not None and second is not None and first != second:
            yield first ^ second


def retreat_differences(one: Answer, other: Answer) -> list[str]:
    """The dislodged units, by their provinces, whose retreats differ."""
    if one.retreats is None or other.retreats is None:
        return []
    return sorted(
        province
        for province in one.retreats.keys() | other.retreats.keys()
        if any(_differing_retreats(_only(one, province), _only(other, province)))
    )


def _only(answer: Answer, province: str) -> Answer:
    retreats = answer.retreats or {}
    return Answer((), {province: retreats[province]} if province in retreats else {})
