"""Engines with one mutation in the sources of a procedure, made by the operators of Cosmic Ray.

    python benchmarks/mutated_source.py PROCEDURE MODULE OPERATOR OCCURRENCE

As a program it is such an engine, which speaks the protocol over stdio. The mutated source is in its memory alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from itertools import islice
from pathlib import Path
from random import Random
from types import CodeType
from typing import Any, NamedTuple, final

from truth import RULES

from datc.adapters import AdapterError, EngineSpec, Limits, open_engine
from datc.adapters.builtin import Reference, serve
from datc.harness.bugs.experiment import drawn_at_random, positions_of_suites
from datc.harness.play.answer import Failure
from datc.harness.play.differential import Played, agree, ask
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.positions import OrderedPosition
from datc.harness.play.session import ReferenceAdjudicator
from datc.reference_engine import find_procedure, procedures

# It has no types of its own.
_TREES: Any = import_module("cosmic_ray.ast")
_MUTATING: Any = import_module("cosmic_ray.mutating")
_PLUGINS: Any = import_module("cosmic_ray.plugins")

PROCEDURES = ("guess", "decisions", "dptg")
LIMITS = Limits(start=60, request=5)
_PER_PROCEDURE = 40
"""Mutations of its sources."""
_AT_RANDOM = 300
"""Positions that a mutant is screened by, beside those of the suites."""


class Mutation(NamedTuple):
    """One change to the source of a module."""

    procedure: str
    module: str
    """Such as `decisions.types`; a package is its own first module."""
    operator: str
    """Its name in Cosmic Ray."""
    occurrence: int
    """Which of the places that the operator finds."""

    @property
    def spec(self) -> EngineSpec:
        """The engine with it, in a process of its own."""
        return EngineSpec(f"exec:{self}", (sys.executable, __file__, *map(str, self)))

    @property
    def line(self) -> str:
        """The line that it changes, and what it is then."""
        before, after = _source(self.module).splitlines(), _mutated(self).splitlines()
        changed = [(old.strip(), new.strip()) for old, new in zip(before, after, strict=False) if old != new]
        place = f"{self.module} {self.operator.partition('/')[2]} {self.occurrence}"
        return f"{place}: " + "; ".join(f"{old} -> {new}" for old, new in changed[:1])


def sample(every: int) -> Iterator[Mutation]:
    """Draw 40 mutations of each procedure, or the share of them that `--every` leaves.

    They change an answer of the procedure, and leave it an answer to every position of the screen.
    """
    for procedure in PROCEDURES:
        found = list(_mutations(procedure))
        Random(1).shuffle(found)
        yield from islice(filter(_qualifies, found), -(-_PER_PROCEDURE // every))


def _mutations(procedure: str) -> Iterator[Mutation]:
    """All that the operators make of a procedure, each source once."""
    seen: set[str] = set()
    for module in _modules(procedure):
        nodes: Sequence[object] = [*_TREES.ast_nodes(_TREES.get_ast(_source(module)))]
        names: Sequence[str] = _PLUGINS.operator_names()
        for name in names:
            operator = _PLUGINS.get_operator(name)
            if operator.arguments():  # Which variable is whose cause: nothing that can be drawn.
                continue
            places = sum(len([*operator().mutation_positions(node)]) for node in nodes)
            for occurrence in range(places):
                mutation = Mutation(procedure, module, name, occurrence)
                if (source := _mutated(mutation)) not in seen:
                    seen.add(source)
                    yield mutation


def _qualifies(mutation: Mutation) -> bool:
    """Whether a mutant starts, always answers in time, and not always as the procedure does."""
    expected = _answers(mutation.procedure)
    differs = False
    try:
        with open_engine(mutation.spec, LIMITS) as engine:
            adjudicator = EngineAdjudicator(engine, engine.start().capabilities, RULES)
            for ordered, answer in expected:
                said = ask(adjudicator, ordered)
                if said and isinstance(said[-1].answer, Failure):
                    return False
                differs = differs or not agree(answer, said)
    except AdapterError:
        return False
    return differs


@cache
def _answers(procedure: str) -> Sequence[tuple[OrderedPosition, Played]]:
    """What a procedure answers to each position of the screen."""
    unmutated = ReferenceAdjudicator(RULES, find_procedure(procedure))
    drawn = islice(drawn_at_random(Random(0)), _AT_RANDOM)
    return [(ordered, ask(unmutated, ordered)) for ordered in (*positions_of_suites(), *drawn)]


def _modules(procedure: str) -> Iterator[str]:
    folder = Path(procedures.__path__[0], procedure)
    yield procedure
    yield from (f"{procedure}.{file.stem}" for file in sorted(folder.glob("[!_]*.py")))


@cache
def _source(module: str) -> str:
    path = Path(procedures.__path__[0], *module.split("."))
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")


def _mutated(mutation: Mutation) -> str:
    operator = _PLUGINS.get_operator(mutation.operator)()
    mutated: str | None = _MUTATING.mutate_code(_source(mutation.module), operator, mutation.occurrence)
    assert mutated is not None, f"{mutation.operator} has no place {mutation.occurrence} in {mutation.module}"
    return mutated


class _Loader(SourceFileLoader):
    """Runs the mutated source in place of the one on the disk."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._source: str = source

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self._source.encode(), self.get_filename(fullname))


@final
class _Finder(MetaPathFinder):
    """Finds one module with its mutated source."""

    def __init__(self, mutation: Mutation) -> None:
        self._name = f"{procedures.__name__}.{mutation.module}"
        self._source = _mutated(mutation)

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        del target
        spec = PathFinder.find_spec(fullname, path) if fullname == self._name else None
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin, self._source)
        return spec


def main() -> None:
    """Answer requests with the mutated procedure."""
    procedure, module, operator, occurrence = sys.argv[1:]
    sys.meta_path.insert(0, _Finder(Mutation(procedure, module, operator, int(occurrence))))
    _ = find_procedure(procedure)
    serve(sys.stdin.buffer, sys.stdout.buffer, Reference(procedure=procedure))


if __name__ == "__main__":
    main()
