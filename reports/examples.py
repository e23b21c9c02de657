"""A board for each rule of a page for players: a case that shows the rule, with its orders and their outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from markupsafe import Markup

from ..cases import Case, UnknownSuiteError, load_suite
from ..reference_engine import DATC_3_2, GivenOrder, ReferenceEngineError, Ruleset, adjudicate, ruleset
from .boardmap import draw_board, scene_of_orders, window_around
from .preferences import Preference
from .report import CaseName


class Example(NamedTuple):
    """A board that shows a rule."""

    title: str
    svg: Markup


def examples(preferences: Iterable[Preference]) -> dict[str, Example]:
    """Draw an example for each issue that has one choice and a case of one phase that shows it."""
    settled = [each for each in preferences if len(each.choices) == 1 and each.cases]
    rules = _rules({each.id: each.choices[0] for each in settled})
    drawn = ((each.id, _draw(each, rules)) for each in settled) if rules is not None else ()
    return {issue: example for issue, example in drawn if example is not None}


def _rules(choices: Mapping[str, str]) -> Ruleset | None:
    """The ruleset with these choices; `None` where the reference engine does not know one of them."""
    try:
        return ruleset("page", {**DATC_3_2.choices, **choices})
    except ReferenceEngineError:
        return None


def _draw(preference: Preference, rules: Ruleset) -> Example | None:
    found = [case for name in preference.cases if (case := _find(name)) is not None]
    case = min(found, key=lambda each: len(each.phases[0].orders), default=None)
    position = case.phases[0].position if case is not None else None
    if case is None or position is None:
        return None
    orders = [GivenOrder(each.power, each.order) for each in case.phases[0].orders]
    try:
        adjudication = adjudicate(position, orders, rules)
    except ReferenceEngineError:
        return None
    scene = scene_of_orders(position, orders, adjudication, [each.text for each in case.phases[0].orders])
    title = f"{case.id} {case.title}"
    prefix, window = f"example-{preference.id}", window_around(scene)
    svg = draw_board(scene, title=title, prefix=prefix, base="reference", window=window)
    return Example(title, Markup(svg))  # noqa: S704 - it escapes every text by itself


def _find(name: CaseName) -> Case | None:
    """Find a case whose one phase a board can show; a page of a stored run may name others."""
    try:
        cases = load_suite(name.suite).cases
    except UnknownSuiteError:
        return None
    found = next((case for case in cases if case.id == name.id), None)
    plain = found is not None and len(found.phases) == 1 and all(order.order for order in found.phases[0].orders)
    return found if plain else None
