"""The topics in which the rules are learned, and what of them a case needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from ...cases import Case, load_ruleset, load_suite, suite_names
from ...reference_engine import Procedure, Ruleset
from ...reference_engine.procedures import EQUATIONS
from ...reference_engine.toml import loads
from ...reports import CaseData
from ..play.case_verdicts import ask_case
from ..play.session import ReferenceAdjudicator
from ..play.verdict import Rules
from .mutants import MUTANTS, Mutant
from .mutants.missing import MISSING

NEEDS_FILE = Path(__file__).with_name("needs.json")
"""The mutants that the cases of the project notice under the rules of their suites: `benchmarks/needs.py` writes it."""
ELSEWHERE_FILE = Path(__file__).with_name("needs_elsewhere.json")
"""Those that they notice only under rules of another suite that decide the case alike; it is written with the first."""

KNOWN_MUTANTS: Mapping[str, Mutant] = {**MISSING, **MUTANTS}
"""The missing parts and the mistakes, by their names."""


class Topic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the rules, as in `topics.toml`."""

    title: str
    """`"cutting supports"`."""
    rule: str
    """The rules in a sentence or two, for someone who is about to implement them."""
    mutants: list[str]
    """The mutants that break these rules, by names or patterns."""
    issues: list[str] = []
    """The issues of the DATC that settle these rules."""

    def has(self, mutant: str) -> bool:
        """Whether a mutant breaks these rules."""
        return any(fnmatchcase(mutant, pattern) for pattern in self.mutants)


@cache
def topics() -> Mapping[str, Topic]:
    """Read the topics by their names."""
    text = Path(__file__).with_name("topics.toml").read_text(encoding="utf-8")
    return msgspec.convert(loads(text), dict[str, Topic])


@cache
def _stored_needs() -> Mapping[str, Mapping[str, list[str]]]:
    """Read the stored mutants of `needs_of`: by suites, then by the ids of cases."""
    return msgspec.json.decode(NEEDS_FILE.read_bytes(), type=dict[str, dict[str, list[str]]])


@cache
def _stored_elsewhere() -> Mapping[str, list[str]]:
    """Read the stored mutants of `ELSEWHERE_FILE`, by the keys of cases."""
    return msgspec.json.decode(ELSEWHERE_FILE.read_bytes(), type=dict[str, list[str]])


def needs_of(case: Case, ruleset: Ruleset, among: Iterable[str] = KNOWN_MUTANTS) -> Sequence[str]:
    """Name the mutants, at least of some, that a case notices; those of the project's own cases are stored."""
    suite, _, name = case.document_key.partition("/")  # The same rules decide it at other places.
    if suite in suite_names() and (stored := _stored_needs()[suite].get(name)) is not None:
        return stored
    return find_needs(case, ruleset, among)


@cache
def rules_of_suite(name: str) -> Ruleset:
    """Return the ruleset of a suite of the project."""
    return load_ruleset(load_suite(name).ruleset).ruleset()


def decides_alike(case: Case, ruleset: Ruleset) -> bool:
    """Whether a ruleset decides a case of the project as that of its suite does."""
    own = rules_of_suite(case.suite)
    return own.coasts == ruleset.coasts and all(own.choices[issue] == ruleset.choices[issue] for issue in case.issues)


def is_known_right(mutant: str, case: Case, ruleset: Ruleset) -> bool:
    """Whether a mutant answers a case right, by what is stored of it under rules that decide the case alike.

    Nothing is played. Under rules that the project does not have, a mutant may turn on a choice on which the case does
    not: then it is wrong, which is rare.
    """
    found, noticed = _noticed_under(ruleset).get(id(case), (None, ()))
    return found is case and mutant not in noticed


@lru_cache(maxsize=16)
def _noticed_under(ruleset: Ruleset) -> Mapping[int, tuple[Case, Collection[str]]]:
    """The project's cases that a ruleset decides as their suite's, by the ids of the objects, with stored mutants."""
    return {
        id(case): (case, {*noticed, *_stored_elsewhere().get(case.key, ())})
        for name, stored in _stored_needs().items()
        for case in load_suite(name).cases
        if (noticed := stored.get(case.id)) is not None and decides_alike(case, ruleset)
    }


def play(procedure: Procedure, case: Case, ruleset: Ruleset) -> CaseData:
    """Ask the reference engine, or a mutant of it, a case."""
    return ask_case(ReferenceAdjudicator(ruleset, procedure), case, Rules(ruleset))


def find_needs(case: Case, ruleset: Ruleset, among: Iterable[str] = KNOWN_MUTANTS) -> Sequence[str]:
    """Name the mutants, among some, that get another verdict on a case than the reference engine does.

    A deviation counts, too: the case rests on what the mutant does in another way.
    """
    right = play(EQUATIONS, case, ruleset).verdict
    return [name for name in among if play(KNOWN_MUTANTS[name].procedure, case, ruleset).verdict != right]


def rules_of(case: Case, ruleset: Ruleset) -> frozenset[str]:
    """Name the rules that a case needs, by the mutants that break them and the issues that settle them."""
    issues = {issue for topic in topics().values() for issue in topic.issues}
    return frozenset({*needs_of(case, ruleset), *issues.intersection(case.issues)})


def topics_of(rules: Collection[str]) -> frozenset[str]:
    """Name the topics that have some of the rules of `rules_of`."""
    return frozenset(
        name for name, topic in topics().items() if any(map(topic.has, rules)) or not {*topic.issues}.isdisjoint(rules)
    )
