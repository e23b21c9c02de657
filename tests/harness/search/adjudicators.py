"""Adjudicators to hunt with: the reference, with a bug or without."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from datc.adapters import EngineSpec, Limits
from datc.harness.bugs.mutants import find_mutant
from datc.harness.paste.reader import read_position_text
from datc.harness.play.differential import ask
from datc.harness.play.positions import OrderedPosition
from datc.harness.play.session import Adjudicator, ReferenceAdjudicator
from datc.harness.search.disagreement import find_contradiction
from datc.harness.search.hunt import Hunt
from datc.harness.search.plan import Plan, PlannedEngine
from datc.harness.search.workers import open_adjudicators
from datc.reference_engine import DATC_3_1, Disband, Hold, Move, Retreat, province_code

from ..cli.running import COMMAND

BUGGY = Path(__file__).parents[2] / "engines" / "buggy.py"
BORDER = f"exec:{sys.executable} {BUGGY} border"
ALTERED = EngineSpec("altered")
REFERENCE = ReferenceAdjudicator(DATC_3_1)
DENSE = ("--source", "random", "--profile", "dense", "--positions")


class Answering(Adjudicator):
    """Answers by a function."""

    name = "altered"

    def __init__(self, answer):
        self._answer = answer

    def ask(self, asked):
        return self._answer(asked)


class Altered(Adjudicator):
    """The reference, asked something else than what it is asked."""

    name = "altered"

    def __init__(self, alter):
        self._alter = alter

    def ask(self, asked):
        altered = self._alter(OrderedPosition(asked.position(), tuple(asked.submission.as_one_clear_set() or ())))
        answer = REFERENCE.ask(asked._replace(orders=altered.orders, units=altered.units, prepared=altered.position))
        return replace(answer, outcomes=None)


def failing(error_at):
    """The reference, but for some orders, to which it gives no answer."""

    def answer(asked):
        error = error_at([order.writing for order in asked.submission.writings])
        if error is not None:
            raise error
        return replace(REFERENCE.ask(asked), outcomes=None)

    return Answering(answer)


def mutant(name, ruleset=DATC_3_1):
    return ReferenceAdjudicator(ruleset, find_mutant(name).procedure, name)


def lost_border(ordered):
    """Galicia does not border Silesia."""

    def known(given):
        order = given.order
        if isinstance(order, Move) and {order.unit.location, order.to} == {"GAL", "SIL"}:
            return given._replace(order=Hold(order.unit))
        return given

    return ordered._replace(orders=tuple(map(known, ordered.orders)))


def turks_stay(ordered):
    """Turkish units neither move nor retreat."""

    def stay(given):
        match given.order:
            case Move(unit=unit) if given.power == "TURKEY":
                return given._replace(order=Hold(unit))
            case Retreat(unit=unit) if given.power == "TURKEY":
                return given._replace(order=Disband(unit))
            case _:
                return given

    return ordered._replace(orders=tuple(map(stay, ordered.orders)))


def first_come(ordered):
    """Of the moves to a province only the first counts."""
    seen, orders = set(), []
    for given in ordered.orders:
        to = province_code(given.order.to) if isinstance(given.order, Move) else ""
        orders.append(given._replace(order=None) if to in seen else given)
        seen |= {to} - {""}
    return ordered._replace(orders=tuple(orders))


def says(adjudicator, ordered):
    """What an adjudicator answers to a position that it has to support."""
    played = ask(adjudicator, ordered)
    assert played
    return played


def position_of(*lines):
    """A position before a movement phase, from lines of orders."""
    return read_position_text("\n".join(lines), "test")[0]


def buggy_spec(bug):
    return EngineSpec(f"exec:{bug}", (sys.executable, str(BUGGY), bug))


def plan_for(positions=60, sources=("random",), profiles=("dense",), *, words=False, spec=ALTERED):
    """A plan of short chunks, for one engine."""
    engine = PlannedEngine(spec, Limits(start=60, request=60, restarts=1000))
    return Plan((engine,), DATC_3_1, sources, profiles, positions=positions, chunk=20, words=words)


def contradiction(adjudicator, ordered, relation, salt=0):
    """Where an adjudicator contradicts itself."""
    return find_contradiction(adjudicator, ordered, DATC_3_1, relation, salt)


def hunted(plan, jobs=1):
    """Hunt with a plan and the engines that it names."""
    with open_adjudicators(plan) as adjudicators:
        return hunt_with(plan, *adjudicators, jobs=jobs)


def hunt_with(plan, *adjudicators, store=None, jobs=1):
    """Hunt with a plan, going on with what a store has, until all positions are asked or an engine breaks down."""
    hunt = Hunt(plan, [adjudicator.name for adjudicator in adjudicators], store)
    hunt.resume()
    _ = list(hunt.go_on(adjudicators, jobs, None, None))
    return hunt


def begin(store, *words):
    """Start a search that takes long, and wait until its store has two chunks."""
    process = subprocess.Popen(
        [COMMAND, *map(str, words), "--store", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "COLUMNS": "80"},
    )
    results, deadline = store / "chunks.jsonl", time.monotonic() + 90
    while not (results.exists() and results.read_bytes().count(b'"result"') > 1) and time.monotonic() < deadline:
        time.sleep(0.05)
    return process
