"""What a search is: which engines, which positions, under which rules. A chunk of it depends on nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from ...adapters import EngineClosedError, EngineSpec, Limits, open_engine
from ...cases import Case, load_suite, suite_names
from ...cases.maps import find_map
from ...reference_engine import Board, Ruleset, ruleset
from ...reference_engine.maps import STANDARD
from ..bugs.diagnosis import infer_by_experiments
from ..errors import HarnessError
from ..play.carry import carried_cases
from ..play.engine import EngineAdjudicator
from ..play.verdict import Rules
from ..rules.infer import Conclusion, infer
from .disagreement import Possible
from .relations import first_questions

Against: TypeAlias = Literal["archive", "reference"]

CHUNK = 250
"""Positions that are asked together: what is found in them is reported, resumed or lost together."""
FIRST_CHUNK = -1
"""The chunk of what an engine is asked first: whether it keeps the relations. Its numbers are negative."""
RESTARTS = 1000
"""How often an engine is started again: a hunt looks for crashes, too."""


@cache
def map_of_plan(name: str) -> Board:
    """Return the board of a map of the project, or of an author's file. Raises `SuiteError` and `PositionError`."""
    return find_map(name, Path())


class PlannedEngine(NamedTuple):
    """An engine under test, and what it is granted."""

    spec: EngineSpec
    limits: Limits
    possible: Possible | None = None
    """The choices that it may make, as far as `infer` found out; `None` where it was not asked."""

    @property
    def is_builtin(self) -> bool:
        """Whether it is the reference engine in this process."""
        return self.spec.command is None and self.spec.url is None


@dataclass(frozen=True)
class Plan:
    """Everything that decides what a hunt or a replay finds."""

    engines: tuple[PlannedEngine, ...]
    ruleset: Ruleset
    sources: tuple[str, ...] = ()
    """Names of `USUAL_SOURCES`; `real:FILE` for games."""
    profiles: tuple[str, ...] = ()
    seed: int = 1
    positions: int = 0
    chunk: int = CHUNK
    words: bool = False
    """Whether positions count on which only the outcome of an order differs."""

    against: Against = "reference"
    map: str = STANDARD
    """The map whose positions are drawn: one of the project, or an author's file."""

    @property
    def board(self) -> Board:
        """The board of the map. Raises `SuiteError` and `PositionError`."""
        return map_of_plan(self.map)

    @property
    def chunks(self) -> int:
        """How many chunks there are; the last may be short."""
        return -(-self.positions // self.chunk)

    def numbers(self, chunk: int) -> range:
        """Return the numbers of the positions of a chunk."""
        if chunk == FIRST_CHUNK:  # These questions are on the standard map.
            return range(-len(first_questions()) if self.map == STANDARD else 0, 0)
        return range(chunk * self.chunk, min((chunk + 1) * self.chunk, self.positions))

    def until(self, stop_at: float | None) -> Plan:
        """Return the plan with engines that are waited for until then (a time of `time.monotonic`) and no longer."""
        engines = (each._replace(limits=msgspec.structs.replace(each.limits, stop_at=stop_at)) for each in self.engines)
        return replace(self, engines=tuple(engines))

    @property
    def signature(self) -> Signature:
        """Return what two searches share if one goes on where the other stopped; how far they go may differ."""
        return Signature(
            engines=[engine.spec.text for engine in self.engines],
            ruleset=dict(self.ruleset.choices),
            default_coasts=dict(self.ruleset.default_coasts),
            **{name: getattr(self, name) for name in _SHARED},
        )


_SHARED = ("sources", "profiles", "seed", "chunk", "words", "against", "map")
"""What a plan and its signature have in the same form."""


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """What a plan is, as it is stored."""

    engines: list[str]
    ruleset: dict[str, str]
    default_coasts: dict[str, str]
    sources: tuple[str, ...]
    profiles: tuple[str, ...]
    seed: int
    chunk: int
    words: bool
    against: Against
    map: str = STANDARD

    def plan(self, ruleset_name: str) -> Plan:
        """Return the plan, with engines that are known by their names only. Raises `RulesetError`."""
        return Plan(
            engines=tuple(PlannedEngine(EngineSpec(text), Limits()) for text in self.engines),
            ruleset=ruleset(ruleset_name, self.ruleset, self.default_coasts),
            **{name: getattr(self, name) for name in _SHARED},
        )


def with_inferred_rules(plan: Plan, *, by_inferred_rules: bool, stop_at: float | None = None) -> Plan:
    """Find out which choices the engines may make, so that others explain nothing.

    With `by_inferred_rules` the hunt is held to what they are. An engine that could not be asked all of it until
    `stop_at` (a time of `time.monotonic`) stays as it is. Raises `HarnessError` where that is asked for and it has
    several engines or too little time, `EngineStartError`, and `EngineGaveOutError`.
    """
    if by_inferred_rules and len(plan.engines) > 1:
        raise HarnessError("--infer: several engines are compared with each other, not each with its own rules")
    ruleset, engines = plan.ruleset, list(plan.engines)
    for number, each in enumerate(plan.engines):
        if each.is_builtin:
            continue
        try:
            cases: Sequence[Case] = [case for name in suite_names() for case in load_suite(name).cases]
            if plan.map != STANDARD:
                cases = carried_cases(cases, plan.map, 1, 0, plan.ruleset).cases
            with open_engine(each.spec, msgspec.structs.replace(each.limits, stop_at=stop_at)) as engine:
                can, rules = engine.start().capabilities, Rules(plan.ruleset, notation=each.spec.notation)
                inferred = infer(engine, can, cases, rules, every_if_wrong=by_inferred_rules)
                if by_inferred_rules:  # What it does not always play is no rule of it.
                    asked = EngineAdjudicator(engine, can, plan.ruleset, rules.notation)
                    inferred = infer_by_experiments(inferred, cases, rules, asked)
                conclusion = inferred.conclusion.without_doubted(inferred.evidence)
        except EngineClosedError as error:
            if by_inferred_rules:
                raise HarnessError("--infer: half of --time was too short to ask the suites: give it more") from error
            continue
        possible = ((issue, choice) for issue, found in conclusion.findings.items() for choice in found.choices)
        engines[number] = each._replace(possible=frozenset(possible))
        if by_inferred_rules:
            ruleset = inferred_ruleset(plan.ruleset, conclusion)
    return replace(plan, engines=tuple(engines), ruleset=ruleset)


def inferred_ruleset(in_force: Ruleset, conclusion: Conclusion) -> Ruleset:
    """Return the rules in force, but for the choices that the answers of an engine rule out."""
    changes = {
        issue: found.choices[0]
        for issue, found in conclusion.findings.items()
        if in_force.choices.get(issue) not in found.choices
    }
    return in_force.with_choices(changes)
