"""Measures whether the conditions are true under which an engine is said to have a bug.

    python benchmarks/partial_bugs.py [NAME]... [--doctor] [--jobs N]

Each engine plays by the rules, but in a part of what it is asked, it has a bug of the catalogue: in a province, of a
power, from a number of units, supporters or requests on, in a season. It is asked through the protocol. A condition is
looked for as the doctor does it where the bug explains only a part; with `--doctor` the doctor itself looks at the
engine. What is said is held to 100 fresh positions inside and outside: it is true where 90 % inside have the bug and at
most 10 % outside.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import NamedTuple, TypeAlias, final

from truth import RULES, truth_of

from datc.adapters import EngineSpec, Limits, open_engine
from datc.adapters.builtin import Reference, serve
from datc.adapters.protocol import AdjudicateParams, AdjudicateResult
from datc.cases import load_suite, suite_names
from datc.harness.bugs.confirm import system
from datc.harness.bugs.diagnosis import diagnose_by_experiments
from datc.harness.bugs.experiment import AskedOnce, Claim, draw_experiments
from datc.harness.bugs.learned_condition import find_condition
from datc.harness.bugs.mutants import MUTANTS
from datc.harness.bugs.mutants.mutant import InformedEquations, by_equations, by_phase
from datc.harness.play.answer import Answer, PhaseInput
from datc.harness.play.case_verdicts import ask_case
from datc.harness.play.differential import ask
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.session import Adjudicator
from datc.harness.play.verdict import Rules
from datc.reference_engine import Adjudication, GivenOrder, Position, Procedure, Ruleset, province_code
from datc.reference_engine.procedures import EQUATIONS

_Asks: TypeAlias = Callable[[AdjudicateParams, int], bool]
_LIMITS = Limits(restarts=1000)


class Partial(NamedTuple):
    """A bug of the catalogue, and the part of it that an engine has."""

    bug: str
    when: str
    """Its true condition, for people."""
    procedure: Procedure
    asks: _Asks = lambda _asked, _number: True
    """Whether it has the bug in a request, of which this is the number."""


class _BelgianSupport(InformedEquations):
    def cuts(self, attacker: int, unit: int) -> bool:
        spared = self.routes[attacker] is not None and province_code(self.position.units[unit].location) == "BEL"
        return not spared and super().cuts(attacker, unit)


class _SomeSupports(InformedEquations):
    """Counts no support of another power from some units."""

    def adapt(self) -> None:
        for unit, supporters in enumerate(self.supporters):
            self.supporters[unit] = tuple(each for each in supporters if self.counts(unit, each))

    def counts(self, unit: int, supporter: int) -> bool:
        return self.power[unit] == self.power[supporter]


class _FrenchSupport(_SomeSupports):
    def counts(self, unit: int, supporter: int) -> bool:
        return self.position.units[supporter].power != "FRANCE" or super().counts(unit, supporter)


class _SupportFromBurgundy(_SomeSupports):
    def counts(self, unit: int, supporter: int) -> bool:
        return province_code(self.position.units[supporter].location) != "BUR" or super().counts(unit, supporter)


class _SupportOfFleets(_SomeSupports):
    def counts(self, unit: int, supporter: int) -> bool:
        return not self.position.is_fleet[supporter] or super().counts(unit, supporter)


class _ThreeSupports(InformedEquations):
    def attack_strength(self, unit: int, optimistic: bool) -> int:
        strength = super().attack_strength(unit, optimistic)
        return min(strength, 2) if len(self.supporters[unit]) > 2 else strength

    def hold_strength(self, province: int, optimistic: bool) -> int:
        strength = super().hold_strength(province, optimistic)
        unit = self.occupant[province]
        return min(strength, 2) if unit >= 0 and len(self.supporters[unit]) > 2 else strength

    def defend_strength(self, unit: int, optimistic: bool) -> int:
        strength = super().defend_strength(unit, optimistic)
        return min(strength, 2) if len(self.supporters[unit]) > 2 else strength


class _WeakMunich(InformedEquations):
    def hold_strength(self, province: int, optimistic: bool) -> int:
        strength = super().hold_strength(province, optimistic)
        return max(strength - 1, 0) if province == self.position.board.number["MUN"] else strength


class _TurksAgainstTurks(InformedEquations):
    def attack_strength(self, unit: int, optimistic: bool) -> int:
        strength, defender = super().attack_strength(unit, optimistic), self.occupant[self.target[unit]]
        if strength or defender < 0 or self.position.units[unit].power != "TURKEY" or not self.path(unit, optimistic):
            return strength
        return 1 + sum(self.resolve(supporter, optimistic) for supporter in self.supporters[unit])


class _SeveralRoutes(InformedEquations):
    def convoy(self, unit: int, optimistic: bool) -> bool:
        convoyed = [each for each, routes in enumerate(self.routes) if any(unit in route for route in routes or ())]
        several = any(len(self.routes[army] or ()) > 1 for army in convoyed)
        is_attacked = any(self.path(attacker, not optimistic) for attacker in self.attackers[self.home[unit]])
        return not (several and is_attacked) and super().convoy(unit, optimistic)


class _ThreeRivals(InformedEquations):
    def beats_rival(self, unit: int, rival: int, attack: int, optimistic: bool) -> bool:
        if len(self.attackers[self.target[unit]]) > 2:
            return not self.prevent_strength(rival, not optimistic)
        return super().beats_rival(unit, rival, attack, optimistic)


def _italian_builds(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
    wrong = MUTANTS["build-abroad"].procedure["adjustment"](position, orders, ruleset)
    right = EQUATIONS["adjustment"](position, orders, ruleset)
    units = [unit for unit in right.units if unit.power != "ITALY"]
    units += [unit for unit in wrong.units if unit.power == "ITALY"]
    pairs = zip(orders, wrong.orders, right.orders, strict=True)
    results = [mine if given.power == "ITALY" else theirs for given, mine, theirs in pairs]
    return right._replace(units=tuple(units), orders=tuple(results))


def _always(bug: str, when: str, asks: _Asks) -> Partial:
    return Partial(bug, when, MUTANTS[bug].procedure, asks)


PARTS: Mapping[str, Partial] = {
    "belgium": Partial(
        "convoyed-attack-does-not-cut", "the supporting unit stands in Belgium", by_equations(_BelgianSupport)
    ),
    "burgundy": Partial(
        "foreign-support-ignored", "the supporting unit stands in Burgundy", by_equations(_SupportFromBurgundy)
    ),
    "munich": Partial("equal-attack-dislodges", "the attack is on Munich", by_equations(_WeakMunich)),
    "french": Partial("foreign-support-ignored", "the supporting unit is French", by_equations(_FrenchSupport)),
    "turks": Partial("own-unit-dislodged", "the attack is Turkish", by_equations(_TurksAgainstTurks)),
    "fleets": Partial("foreign-support-ignored", "the supporting unit is a fleet", by_equations(_SupportOfFleets)),
    "three-supports": Partial("one-support-at-most", "a unit has three supports", by_equations(_ThreeSupports)),
    "three-rivals": Partial("standoff-ignores-strength", "three go to one province", by_equations(_ThreeRivals)),
    "routes": Partial("attack-disrupts-convoy", "the convoy has several routes", by_equations(_SeveralRoutes)),
    "adjacent": Partial(
        "convoyed-attack-does-not-cut",
        "the convoyed army goes next door",
        MUTANTS["adjacent-convoy-does-not-cut"].procedure,
    ),
    "twelve-units": _always(
        "foreign-support-ignored", "twelve units are on the board", lambda asked, _: len(asked.units) > 11
    ),
    "autumn": _always("circle-refused", "it is autumn", lambda asked, _: asked.season == "autumn"),
    "1910": _always("swap-by-land", "it is 1910 or later", lambda asked, _: asked.year > 1909),
    "long-run": _always("nobody-follows", "hundred requests came before", lambda _, number: number > 100),
    "italian-builds": Partial("build-abroad", "Italy builds", by_phase("adjustment", _italian_builds)),
    "now-and-then": _always(
        "attack-disrupts-convoy", "never: by chance", lambda asked, _: sum(map(len, map(str, asked.units))) % 2 == 0
    ),
}
"""The engines by their names."""


@dataclass(frozen=True)
class PartlyBuggy(Reference):
    """Answers with a bug in a part of what it is asked."""

    part: Partial = field(kw_only=True)
    asked: list[None] = field(default_factory=list[None])

    def plays(self) -> Procedure:
        raise AssertionError

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        self.asked.append(None)
        has_bug = self.part.asks(params, len(self.asked))
        return _Playing(procedure_of=self.part.procedure if has_bug else EQUATIONS).adjudicate(params)


@dataclass(frozen=True)
class _Playing(Reference):
    procedure_of: Procedure = field(kw_only=True)

    def plays(self) -> Procedure:
        return self.procedure_of


class Outcome(NamedTuple):
    """What was said of an engine."""

    name: str
    statements: tuple[tuple[str, str], ...]
    """Each condition, and whether it is true."""
    questions: int
    seconds: float


@final
class _Counted(Adjudicator):
    def __init__(self, engine: Adjudicator) -> None:
        self.engine, self.name, self.questions = engine, engine.name, 0

    def ask(self, asked: PhaseInput) -> Answer:
        self.questions += 1
        return self.engine.ask(asked)


def looked_at(name: str, doctor: bool) -> Outcome:
    """Look for the condition of an engine, and hold it to fresh positions."""
    spec = EngineSpec(f"exec:{name}", (sys.executable, __file__, "--engine", name))
    with open_engine(spec, _LIMITS) as engine:
        counted = _Counted(EngineAdjudicator(engine, engine.start().capabilities, RULES))
        began = time.perf_counter()
        found = list(_by_doctor(counted) if doctor else _by_condition(counted, PARTS[name].bug))
        seconds = time.perf_counter() - began
        said = [
            (
                f"{bug}, only when {' and '.join(when)}",
                truth_of(counted.engine, RULES, MUTANTS[bug].procedure, RULES, when),
            )
            for bug, when in found
        ]
        return Outcome(name, tuple(said), counted.questions, seconds)


def _by_condition(engine: Adjudicator, bug: str) -> Iterator[tuple[str, Sequence[str]]]:
    claim = Claim(system(bug, RULES), system((), RULES))
    drawn = draw_experiments(Random("seeds"), claim, (), (), 20_000)
    showing = (one.ordered for one, _ in drawn if one.is_as(one.predicted, ask(engine, one.ordered)))
    seeds = list(islice(showing, 8))
    evidence = find_condition(AskedOnce(engine), claim, seeds)
    if evidence is not None:
        yield bug, evidence.only_when


def _by_doctor(engine: Adjudicator) -> Iterator[tuple[str, Sequence[str]]]:
    cases = [case for name in suite_names() for case in load_suite(name).cases]
    verdicts = [ask_case(engine, case, Rules(RULES)) for case in cases]
    for mutant in diagnose_by_experiments(verdicts, cases, RULES, engine).mutants:
        if mutant.evidence is not None and mutant.evidence.only_when:
            yield mutant.name, mutant.evidence.only_when


def main() -> int:
    """Print each condition and whether it is true; or be an engine."""
    parser = argparse.ArgumentParser()
    _ = parser.add_argument("names", nargs="*", default=[])
    _ = parser.add_argument("--doctor", action="store_true")
    _ = parser.add_argument("--engine", choices=PARTS)
    _ = parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    if options.engine:
        serve(sys.stdin.buffer, sys.stdout.buffer, PartlyBuggy(part=PARTS[options.engine]))
        return 0
    counts = Counter[str]()
    print("| engine | true condition | said | questions | seconds |")
    print("|:--|:--|:--|--:|--:|", flush=True)
    names = options.names or list(PARTS)
    with ProcessPoolExecutor(options.jobs) as pool:
        for one in pool.map(looked_at, names, [options.doctor] * len(names)):
            said = "; ".join(f"{condition}: **{truth}**" for condition, truth in one.statements) or "none"
            counts.update(truth for _, truth in one.statements)
            row = (one.name, PARTS[one.name].when, said, str(one.questions), f"{one.seconds:.0f}")
            print(f"| {' | '.join(row)} |", flush=True)
    print(f"conditions: {counts['true']} true, {counts.total() - counts['true']} not")
    return int(counts.total() > counts["true"])


if __name__ == "__main__":
    sys.exit(main())
