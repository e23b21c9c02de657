"""What a hunt is: which engines, which positions, under which rules. A chunk of it depends on nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import NamedTuple

from ...adapters import EngineClosedError, EngineSpec, Limits, open_engine
from ...cases import load_suite, suite_names
from ...reference_engine import Ruleset, nearest
from ..errors import HarnessError
from ..generating.generate import random_paradox, random_position
from ..generating.terrain import PROFILES, Profile
from ..inference.infer import Conclusion, infer
from ..inference.testing import choices_by_experiments, not_played, without_findings
from ..positions import OrderedPosition
from ..session import EngineAdjudicator
from ..verdict import Rules
from .causes import Possible
from .metamorphic import RELATIONS
from .real import random_real, read_games

SOURCES: Mapping[str, str] = {
    "random": "random positions of a profile",
    "paradoxes": "the known paradoxes, varied",
    "real": "positions of games: real:FILE",
    "metamorphic": "positions in two forms that should make no difference; needs no second engine",
}
USUAL_SOURCES = ("random", "paradoxes", "metamorphic")
CHUNK = 250
"""Positions that are asked together: what is found in them is reported, resumed or lost together."""
_RESTARTS = 1000
"""How often an engine is started again: a hunt looks for crashes, too."""


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
    """Everything that decides what a hunt finds."""

    engines: tuple[PlannedEngine, ...]
    ruleset: Ruleset
    sources: tuple[str, ...]
    """Names of `SOURCES`; `real:FILE` for games."""
    profiles: tuple[str, ...]
    seed: int
    positions: int
    chunk: int = CHUNK
    words: bool = False
    """Whether positions count on which only the outcome of an order differs."""

    @property
    def chunks(self) -> int:
        """How many chunks there are; the last may be short."""
        return -(-self.positions // self.chunk)

    def numbers(self, chunk: int) -> range:
        """Return the numbers of the positions of a chunk."""
        return range(chunk * self.chunk, min((chunk + 1) * self.chunk, self.positions))

    @property
    def rules_unknown(self) -> bool:
        """Whether there was no time to infer which choices some engine makes."""
        return any(each.possible is None and not each.is_builtin for each in self.engines)

    def until(self, stop_at: float | None) -> Plan:
        """Return the plan with engines that are waited for until then (a time of `time.monotonic`) and no longer."""
        return replace(
            self,
            engines=tuple(each._replace(limits=replace(each.limits, stop_at=stop_at)) for each in self.engines),
        )

    def with_engine(self, engine: PlannedEngine) -> Plan:
        """Return the plan for another engine, which is the only one and may be started again as often."""
        limits = replace(engine.limits, restarts=_RESTARTS)
        return replace(self, engines=(engine._replace(limits=limits),))

    def signature(self) -> dict[str, object]:
        """Return what two hunts share if one goes on where the other stopped; how far they go may differ."""
        return {
            "engines": [engine.spec.text for engine in self.engines],
            "ruleset": {**self.ruleset.choices, "default coasts": str(self.ruleset.default_coasts)},
            "sources": list(self.sources),
            "profiles": list(self.profiles),
            "seed": self.seed,
            "chunk": self.chunk,
            "words": self.words,
        }


def make_plan(
    engines: Sequence[tuple[EngineSpec, Limits]],
    ruleset: Ruleset,
    sources: Sequence[str],
    profiles: Sequence[str],
    *,
    seed: int,
    positions: int,
    words: bool = False,
) -> Plan:
    """Make a plan, with nothing known of the engines yet.

    Raises `HarnessError` for a source or profile that there is not, and `ArchiveError` for a file without games.
    """
    for source in sources:
        _check_source(source)
    for profile in profiles:
        if profile not in PROFILES:
            raise HarnessError(f"--profile {profile}: there is no such profile{nearest(profile, tuple(PROFILES))}")
    return Plan(
        engines=tuple(PlannedEngine(spec, replace(limits, restarts=_RESTARTS)) for spec, limits in engines),
        ruleset=ruleset,
        sources=tuple(dict.fromkeys(sources)) or USUAL_SOURCES,
        profiles=tuple(dict.fromkeys(profiles)) or tuple(PROFILES),
        seed=seed,
        positions=positions,
        words=words,
    )


def _check_source(text: str) -> None:
    name, _separator, path = text.partition(":")
    if name not in SOURCES or (name == "real") != bool(path):
        raise HarnessError(f"--source {text}: it is random, paradoxes, metamorphic, or real:FILE")
    if path:
        _ = read_games(Path(path))


def with_inferred_rules(plan: Plan, *, by_inferred_rules: bool, stop_at: float | None = None) -> Plan:
    """Find out which choices the engines may make, so that others explain nothing.

    With `by_inferred_rules` the hunt is held to what they are. An engine that could not be asked all of it until
    `stop_at` (a time of `time.monotonic`) stays as it is. Raises `HarnessError` where that is asked for and it has
    several engines or too little time, `EngineStartError`, and `EngineGaveOutError`.
    """
    if by_inferred_rules and len(plan.engines) > 1:
        raise HarnessError("--infer: several engines are compared with each other, not each with its own rules")
    ruleset = plan.ruleset
    engines: list[PlannedEngine] = []
    for each in plan.engines:
        if each.is_builtin:
            engines.append(each)
            continue
        try:
            conclusion = _infer(each, plan.ruleset, stop_at, is_tested=by_inferred_rules)
        except EngineClosedError as error:
            if by_inferred_rules:
                raise HarnessError("--infer: half of --time was too short to ask the suites: give it more") from error
            engines.append(each)
            continue
        possible = frozenset(
            (issue, choice) for issue, found in conclusion.findings.items() for choice in found.choices
        )
        engines.append(each._replace(possible=possible))
        if by_inferred_rules:
            ruleset = inferred_ruleset(plan.ruleset, conclusion)
    return replace(plan, engines=tuple(engines), ruleset=ruleset)


def _infer(planned: PlannedEngine, ruleset: Ruleset, stop_at: float | None, *, is_tested: bool) -> Conclusion:
    """Conclude from the suites which choices an engine makes; if tested, without those that it does not always play."""
    cases = [case for name in suite_names() for case in load_suite(name).cases]
    with open_engine(planned.spec, replace(planned.limits, stop_at=stop_at)) as engine:
        rules = Rules(ruleset, notation=planned.spec.notation)
        can = engine.start().capabilities
        conclusion = infer(engine, can, cases, rules).conclusion
        if not is_tested:
            return conclusion
        evidence = choices_by_experiments(EngineAdjudicator(engine, can, ruleset, rules.notation), conclusion, ruleset)
        return without_findings(conclusion, not_played(evidence))


def inferred_ruleset(in_force: Ruleset, conclusion: Conclusion) -> Ruleset:
    """Return the rules in force, but for the choices that the answers of an engine rule out."""
    changes = {
        issue: found.choices[0]
        for issue, found in conclusion.findings.items()
        if in_force.choices[issue] not in found.choices
    }
    return in_force.with_choices(changes)


class Drawn(NamedTuple):
    """A position to hunt with."""

    number: int
    source: str
    ordered: OrderedPosition
    relation: str
    """What should make no difference; empty where it is compared with others."""
    salt: int


def draw(plan: Plan, number: int) -> Drawn:
    """Draw the position with this number: always the same one for a seed, in any process."""
    rng = Random((plan.seed << 64) + number)  # noqa: S311 - positions, not secrets
    source = plan.sources[number % len(plan.sources)]
    profile = plan.profiles[number // len(plan.sources) % len(plan.profiles)]
    if source == "metamorphic":
        relation = rng.choice(tuple(RELATIONS))
        ordered = random_paradox(rng) if rng.random() < 0.3 else random_position(rng, PROFILES[profile])
        return Drawn(number, source, ordered, relation, rng.randrange(1 << 16))
    return Drawn(number, *_of_source(rng, source, PROFILES[profile], profile), "", 0)


def _of_source(rng: Random, source: str, profile: Profile, profile_name: str) -> tuple[str, OrderedPosition]:
    if source == "paradoxes":
        return source, random_paradox(rng)
    if source.startswith("real:"):
        return "real", random_real(rng, read_games(Path(source.removeprefix("real:"))))
    return f"random/{profile_name}", random_position(rng, profile)
