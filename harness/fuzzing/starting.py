"""From what an author typed to a hunt that can begin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...adapters import Capabilities, Engine, open_engine
from ...reference_engine import Ruleset, nearest
from ..errors import HarnessError
from ..inference.conclusions import Conclusion
from ..inference.infer import infer
from ..settings.preparing import find_cases, open_config_engine
from ..verdict import Rules
from .causes import Possible
from .plan import Plan, PlannedEngine, check_source
from .profiles import PROFILES
from .store import Store

USUAL_SOURCES = ("random", "paradoxes", "metamorphic")
_RESTARTS = 1000
"""How often an engine is started again: one that crashes is what a hunt is after."""


@dataclass(frozen=True)
class Wanted:
    """The options of the command."""

    engines: Sequence[str]
    sources: Sequence[str]
    profiles: Sequence[str]
    seed: int
    positions: int
    ruleset_name: str | None
    choices: Mapping[str, str]
    timeout: float | None
    config_file: Path | None
    by_inferred_rules: bool


def make_plan(wanted: Wanted) -> Plan:
    """Make a plan, with nothing known of the engines yet.

    Raises `AdapterError`, `CasesError`, `HarnessError` and `RulesetError` for what is wrong with any of it.
    """
    if wanted.by_inferred_rules and len(wanted.engines) > 1:
        raise HarnessError("--infer: several engines are compared with each other, not each with its own rules")
    for source in wanted.sources:
        check_source(source)
    for profile in wanted.profiles:
        if profile not in PROFILES:
            raise HarnessError(f"--profile {profile}: there is no such profile{nearest(profile, tuple(PROFILES))}")
    prepared = [
        open_config_engine(text, wanted.config_file, wanted.timeout, wanted.ruleset_name, wanted.choices)
        for text in wanted.engines
    ]
    return Plan(
        engines=tuple(PlannedEngine(each.spec, replace(each.limits, restarts=_RESTARTS)) for each in prepared),
        ruleset=prepared[0].rules.ruleset,
        sources=tuple(dict.fromkeys(wanted.sources)) or USUAL_SOURCES,
        profiles=tuple(dict.fromkeys(wanted.profiles)) or tuple(PROFILES),
        seed=wanted.seed,
        positions=wanted.positions,
    )


def with_inferred_rules(plan: Plan, *, by_inferred_rules: bool) -> Plan:
    """Find out which choices the engines may make, so that others explain nothing.

    With `by_inferred_rules` the hunt is held to what they are. Raises `EngineStartError`, `EngineGaveOutError` and
    `EngineClosedError`.
    """
    ruleset = plan.ruleset
    engines: list[PlannedEngine] = []
    for each in plan.engines:
        if each.spec.command is None and each.spec.url is None:
            engines.append(each)
            continue
        with open_engine(each.spec, each.limits) as engine:
            conclusion = _infer(engine, engine.start().capabilities, Rules(plan.ruleset, {}, each.spec.notation))
        engines.append(each._replace(possible=_possible(conclusion)))
        if by_inferred_rules:
            ruleset = inferred_ruleset(plan.ruleset, conclusion)
    return replace(plan, engines=tuple(engines), ruleset=ruleset)


def with_stored_rules(plan: Plan, store: Store) -> Plan:
    """Take from a store what was found of the engines. Raises `StoreError` where it is of another hunt."""
    known = store.possible(plan)
    engines = (each._replace(possible=possible) for each, possible in zip(plan.engines, known, strict=True))
    return replace(plan, engines=tuple(engines))


def _infer(engine: Engine, capabilities: Capabilities, rules: Rules) -> Conclusion:
    return infer(engine, capabilities, find_cases(["all"], ()), rules).conclusion


def _possible(conclusion: Conclusion) -> Possible:
    return frozenset((issue, choice) for issue, found in conclusion.findings.items() for choice in found.choices)


def inferred_ruleset(in_force: Ruleset, conclusion: Conclusion) -> Ruleset:
    """The rules in force, but for the choices that the answers of an engine rule out."""
    changes = {
        issue: found.choices[0]
        for issue, found in conclusion.findings.items()
        if in_force.choices[issue] not in found.choices
    }
    return in_force.with_choices(changes)
