"""What a hunt is: which engines, which positions, under which rules. A chunk of it depends on nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from ...adapters import EngineSpec, Limits
from ...reference_engine import Ruleset
from ..errors import HarnessError
from .causes import Possible
from .generate import random_situation
from .metamorphic import RELATIONS
from .paradoxes import random_paradox
from .profiles import PROFILES, Profile
from .real import random_real, read_games
from .situation import Situation

SOURCES: Mapping[str, str] = {
    "random": "random positions of a profile",
    "paradoxes": "the known paradoxes, varied",
    "real": "positions of games: real:FILE",
    "metamorphic": "positions put in two ways that should make no difference; needs no second engine",
}
CHUNK = 250
"""Positions that are hunted through together: what is found in them is told at once, and resumed or lost together."""


class PlannedEngine(NamedTuple):
    """An engine under test, and what it is granted."""

    spec: EngineSpec
    limits: Limits
    possible: Possible | None = None
    """The choices that it may make, as far as `infer` found out; `None` where it was not asked."""


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

    @property
    def chunks(self) -> int:
        """How many chunks there are; the last may be short."""
        return -(-self.positions // self.chunk)

    def numbers(self, chunk: int) -> range:
        """The numbers of the positions of a chunk."""
        return range(chunk * self.chunk, min((chunk + 1) * self.chunk, self.positions))

    def signature(self) -> dict[str, object]:
        """What two hunts share if one goes on where the other stopped; how far they go may differ."""
        return {
            "engines": [engine.spec.text for engine in self.engines],
            "ruleset": {**self.ruleset.choices, "default coasts": str(self.ruleset.default_coasts)},
            "sources": list(self.sources),
            "profiles": list(self.profiles),
            "seed": self.seed,
            "chunk": self.chunk,
        }


class Drawn(NamedTuple):
    """A position to hunt with."""

    number: int
    source: str
    situation: Situation
    relation: str
    """What should make no difference; empty where it is compared with others."""
    salt: int


def check_source(text: str) -> None:
    """Raise `HarnessError` for what is no source, and `GameFileError` for a file without games."""
    name, _separator, path = text.partition(":")
    if name not in SOURCES or (name == "real") != bool(path):
        raise HarnessError(f"--source {text}: it is random, paradoxes, metamorphic, or real:FILE")
    if path:
        _ = read_games(Path(path))


def draw(plan: Plan, number: int) -> Drawn:
    """Draw the position with this number: the same one whoever asks, and whenever."""
    rng = Random((plan.seed << 64) + number)  # noqa: S311 - positions, not secrets
    source = plan.sources[number % len(plan.sources)]
    profile = plan.profiles[number // len(plan.sources) % len(plan.profiles)]
    if source == "metamorphic":
        relation = rng.choice(tuple(RELATIONS))
        situation = random_paradox(rng) if rng.random() < 0.3 else random_situation(rng, PROFILES[profile])
        return Drawn(number, source, situation, relation, rng.randrange(1 << 16))
    return Drawn(number, *_of_source(rng, source, PROFILES[profile], profile), "", 0)


def _of_source(rng: Random, source: str, profile: Profile, profile_name: str) -> tuple[str, Situation]:
    if source == "paradoxes":
        return source, random_paradox(rng)
    if source.startswith("real:"):
        return "real", random_real(rng, read_games(Path(source.removeprefix("real:"))))
    return f"random/{profile_name}", random_situation(rng, profile)
