"""Adjudicators to hunt with: the reference, with a bug or without."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from click.testing import CliRunner, Result

from datc.adapters import EngineSpec, Limits
from datc.harness.cli.commands.hunt import hunt_command as command
from datc.harness.paste.reader import read_position_text
from datc.harness.play.answer import Answer, PhaseInput
from datc.harness.play.differential import Played, ask
from datc.harness.play.positions import OrderedPosition
from datc.harness.play.session import Adjudicator, ReferenceAdjudicator
from datc.harness.search.disagreement import Disagreement, find_contradiction
from datc.harness.search.hunt import Hunt
from datc.harness.search.plan import Plan, PlannedEngine
from datc.harness.search.store import Store
from datc.harness.search.workers import open_adjudicators
from datc.reference_engine import DATC_3_1, Disband, GivenOrder, Hold, Move, Retreat, province_code
from datc.reference_engine.orders import Writing

BUGGY = Path(__file__).parents[2] / "engines" / "buggy.py"
BORDER = f"exec:{sys.executable} {BUGGY} border"
DATC_CHECK = Path(sys.executable).with_name("datc-check")
REFERENCE = ReferenceAdjudicator(DATC_3_1)


class Altered(Adjudicator):
    """The reference, asked something else than what it is asked."""

    def __init__(self, alter: Callable[[OrderedPosition], OrderedPosition]) -> None:
        self.name = "altered"
        self._alter = alter

    def ask(self, asked: PhaseInput) -> Answer:
        altered = self._alter(OrderedPosition(asked.position(), tuple(asked.submission.as_one_clear_set() or ())))
        answer = REFERENCE.ask(asked._replace(orders=altered.orders, units=altered.units, prepared=altered.position))
        return replace(answer, outcomes=None)


class Spoiled(Adjudicator):
    """The reference, whose answers are changed."""

    def __init__(self, spoil: Callable[[Answer], Answer]) -> None:
        self.name = "spoiled"
        self._spoil = spoil

    def ask(self, asked: PhaseInput) -> Answer:
        answer = self._spoil(REFERENCE.ask(asked))
        dislodged = answer.dislodged and tuple(sorted(answer.dislodged, key=lambda entry: entry.unit))
        return replace(answer, dislodged=dislodged)


class Failing(Altered):
    """The reference, but for some positions, to which it gives no answer."""

    def __init__(self, error_at: Callable[[Sequence[Writing | None]], Exception | None]) -> None:
        super().__init__(lambda ordered: ordered)
        self._error_at = error_at

    def ask(self, asked: PhaseInput) -> Answer:
        error = self._error_at([order.writing for order in asked.submission.writings])
        if error is not None:
            raise error
        return super().ask(asked)


def lost_border(ordered: OrderedPosition) -> OrderedPosition:
    """Galicia does not border Silesia."""

    def known(given: GivenOrder) -> GivenOrder:
        order = given.order
        if isinstance(order, Move) and {order.unit.location, order.to} == {"GAL", "SIL"}:
            return given._replace(order=Hold(order.unit))
        return given

    return ordered._replace(orders=tuple(map(known, ordered.orders)))


def turks_stay(ordered: OrderedPosition) -> OrderedPosition:
    """Turkish units neither move nor retreat."""

    def stay(given: GivenOrder) -> GivenOrder:
        match given.order:
            case Move(unit=unit) if given.power == "TURKEY":
                return given._replace(order=Hold(unit))
            case Retreat(unit=unit) if given.power == "TURKEY":
                return given._replace(order=Disband(unit))
            case _:
                return given

    return ordered._replace(orders=tuple(map(stay, ordered.orders)))


def first_come(ordered: OrderedPosition) -> OrderedPosition:
    """Of the moves to a province only the first counts."""
    seen: set[str] = set()
    orders: list[GivenOrder] = []
    for given in ordered.orders:
        to = province_code(given.order.to) if isinstance(given.order, Move) else ""
        orders.append(given._replace(order=None) if to in seen else given)
        seen |= {to} - {""}
    return ordered._replace(orders=tuple(orders))


def says(adjudicator: Adjudicator, ordered: OrderedPosition) -> Played:
    """What an adjudicator answers to a position that it has to support."""
    played = ask(adjudicator, ordered)
    assert played
    return played


def position_of(*lines: str) -> OrderedPosition:
    """A position before a movement phase, from lines of orders."""
    return read_position_text("\n".join(lines), "test")[0]


def buggy_spec(bug: str) -> EngineSpec:
    return EngineSpec(f"exec:{bug}", (sys.executable, str(BUGGY), bug))


def plan_for(
    spec: EngineSpec,
    positions: int = 60,
    sources: tuple[str, ...] = ("random",),
    profiles: tuple[str, ...] = ("dense",),
    *,
    words: bool = False,
) -> Plan:
    """A plan of short chunks, for one engine."""
    engine = PlannedEngine(spec, Limits(start=60, request=60, restarts=1000))
    return Plan((engine,), DATC_3_1, sources, profiles, seed=1, positions=positions, chunk=20, words=words)


def contradiction(
    adjudicator: Adjudicator, ordered: OrderedPosition, relation: str, salt: int = 0
) -> Disagreement | None:
    """Where an adjudicator contradicts itself."""
    return find_contradiction(adjudicator, ordered, DATC_3_1, relation, salt)


def hunted(plan: Plan, jobs: int = 1) -> Hunt:
    """Hunt with a plan and the engines that it names."""
    with open_adjudicators(plan) as adjudicators:
        return hunt_with(plan, adjudicators, jobs=jobs)


def hunt_with(plan: Plan, adjudicators: Sequence[Adjudicator], store: Store | None = None, jobs: int = 1) -> Hunt:
    """Hunt with a plan, going on with what a store has, until all positions are asked or an engine breaks down."""
    hunt = Hunt(plan, [adjudicator.name for adjudicator in adjudicators], store)
    hunt.resume()
    for _ in hunt.go_on(adjudicators, jobs, None, None):
        pass
    return hunt


def run_hunt(*arguments: object) -> Result:
    """Call `datc-check hunt`."""
    return CliRunner().invoke(command, [*map(str, arguments)])
