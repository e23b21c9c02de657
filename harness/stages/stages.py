"""The stages in which an engine learns the rules: cases by what they need, nothing before what it rests on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ...cases import Case
from ...reference_engine import Ruleset
from ..diagnosis.topics import rules_of, topics, topics_of


class Stage(NamedTuple):
    """A topic, and the cases that need it and nothing of a later one."""

    topic: str
    cases: tuple[Case, ...]
    """In the order in which they are to pass."""
    rests_on: tuple[str, ...]
    """The topics that all cases of this one need, too."""


def stages_of(cases: Sequence[Case], ruleset: Ruleset) -> Sequence[Stage]:
    """Sort cases into stages; a stage without a case is left out.

    A case that needs a part of what another one needs comes before it: in an earlier stage, or earlier in the same.
    A case that no mutant gets wrong is of the first stage.
    """
    rules = {case.key: rules_of(case, ruleset) for case in cases}
    needed = {key: topics_of(named) for key, named in rules.items()}
    cases_with = {name: frozenset(key for key, names in needed.items() if name in names) for name in topics()}
    rests_on = {name: _basis(name, cases_with) for name in cases_with}
    order = _ordered(rests_on)
    stage = {key: max(map(order.index, names), default=0) for key, names in needed.items()}
    found: list[Stage] = []
    for number, name in enumerate(order):
        own = [case for case in cases if stage[case.key] == number]
        if own:
            own.sort(key=lambda case: len(rules[case.key]))
            found.append(Stage(name, tuple(own), rests_on[name]))
    return found


def _basis(name: str, cases_with: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Name the topics that every case of a topic needs, though they have other cases as well."""
    own = cases_with[name]
    return tuple(other for other, theirs in cases_with.items() if own and own < theirs)


def _ordered(rests_on: Mapping[str, Collection[str]]) -> Sequence[str]:
    """Put each topic behind those that it rests on, otherwise as they are listed."""
    order: list[str] = []
    while len(order) < len(rests_on):
        order.append(next(name for name in rests_on if name not in order and {*order}.issuperset(rests_on[name])))
    return order
