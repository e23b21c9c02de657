"""Groups findings by their cause: the choice that explains most of them, the contradiction, or the same pattern.

What explains the findings of an engine is tested by new questions to it, where it can be asked.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from msgspec.structs import replace

from ...adapters import EngineClosedError
from ...reference_engine import EVERY_ISSUE, Phase, Ruleset
from ...reports.statements import UNTESTED, Evidence
from ..bugs.blame import likeliest
from ..bugs.confirm import Hypothesis, HypothesisTests, Verified, changes_from, system
from ..bugs.evidence import AskedOnce
from ..bugs.mutants import MUTANTS
from ..bugs.mutants.missing import MISSING
from ..play.differential import agree, ask
from ..play.session import Adjudicator, ReferenceAdjudicator
from .disagreement import (
    UNEXPLAINED,
    CauseKind,
    Disagreement,
    explaining_mutants,
    same_kind,
    unexplained_cause,
)
from .drawn import DrawnPositions, draw
from .findings import Finding
from .investigation import with_position
from .plan import Plan
from .relations import RELATIONS, UNSTABLE

_MOST_TESTED = 40
_MOST_ASKED_AGAIN = 200
"""Findings that were not shrunk, and are asked again to see what explains them."""
_MOST_SHRUNK = 24
"""So many of the others that show no rule of a group are shrunk after all."""
NOT_SHRUNK = "not shrunk: there were enough like it, by what differs"


class Refuted(NamedTuple):
    """What explains the smallest position of a group, and did not stand its test."""

    sentence: str
    evidence: Evidence


class Group(NamedTuple):
    """Findings of one engine with one cause."""

    engine: int
    kind: CauseKind
    label: str
    changes: dict[str, list[str]]
    """For a deviation: for each issue the choices that explain all of its findings."""
    findings: tuple[Finding, ...]
    evidence: Evidence = UNTESTED
    """What experiments say of the cause."""
    refuted: tuple[Refuted, ...] = ()
    rules: tuple[str, ...] = ()
    """For a bug without a name: the keys of the rules of which each may be the one that all of its findings break."""
    dropped: str = ""
    """What its smallest position orders, and its answer is right without: a bridge may drop that."""
    folded: tuple[str, ...] = ()
    """What was wrong with the positions of other groups, which the relation explains that the engine breaks."""

    @property
    def id(self) -> str:
        """What names it in every hunt that finds the same: it follows from its cause alone."""
        choices = sorted((issue, choices[0]) for issue, choices in self.changes.items())
        cause = self.engine, self.kind, self.relation, self.rules[:1] or self.label, choices
        return hashlib.sha256(repr(cause).encode()).hexdigest()[:8]

    @property
    def relation(self) -> str:
        """The relation that the engine breaks; empty where something else is said to be the cause."""
        small = self.smallest
        return "" if small is None or small.cause.label != self.label else small.relation

    @property
    def positions(self) -> int:
        """How many positions have this cause."""
        return sum(finding.times for finding in self.findings)

    @property
    def times(self) -> Mapping[Phase, int]:
        """How many recorded phases of each kind have this cause."""
        phases: dict[Phase, int] = dict.fromkeys((each.phase for each in self.findings if each.phase is not None), 0)
        return {phase: sum(each.times for each in self.findings if each.phase == phase) for phase in phases}

    @property
    def games(self) -> int:
        """In how many recorded games it was found."""
        return len({game for finding in self.findings for game in finding.games})

    @property
    def places(self) -> Sequence[str]:
        """The first recorded phases of each finding, by turns."""
        columns = itertools.zip_longest(*(finding.places for finding in by_number(self.findings)))
        return [place for column in columns for place in column if place is not None]

    @property
    def has_cause(self) -> bool:
        """Whether choices or a mutant are said to be the cause."""
        return self.evidence != UNTESTED or any(each.cause.is_known for each in self.findings)

    @property
    def smallest(self) -> Finding | None:
        """Return the finding with the fewest units that was shrunk; impossible boards only if there are no others.

        Where a relation is broken, it is one that shows that.
        """
        small = [finding for finding in self.findings if finding.position is not None]
        small = [finding for finding in small if finding.relation and finding.cause.label == self.label] or small
        unexplained = [finding for finding in small if finding.cause.unexplained]
        return min(unexplained or small, key=lambda each: (each.units, each.length, each.number), default=None)

    @property
    def example(self) -> Finding:
        """The smallest finding of a group that has one."""
        assert self.smallest is not None  # noqa: S101 - the caller has seen it
        return self.smallest


def group_findings(findings: Sequence[Finding]) -> Sequence[Group]:
    """Group all findings by what explains most of them, and was not tested."""
    groups: list[Group] = []
    for engine in sorted({finding.engine for finding in findings}):
        own = by_number(finding for finding in findings if finding.engine == engine)
        groups += _covered(engine, [finding for finding in own if finding.cause.is_known])
        groups += group_by_pattern(engine, [finding for finding in own if not finding.cause.is_known])
    return sort_groups(groups)


def with_ids(section: str, groups: Iterable[Group]) -> Iterator[tuple[str, Group]]:
    """Give each group with the id of its case, such as `hunt.3fa2c1d0`, and a number behind it from the second on."""
    known = Counter[str]()
    for group in groups:
        known[group.id] += 1
        yield f"{section}.{group.id}{f'-{known[group.id]}' if known[group.id] > 1 else ''}", group


def by_number(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by their numbers."""
    return tuple(sorted(findings, key=lambda finding: finding.number))


def sort_groups(groups: Iterable[Group]) -> Sequence[Group]:
    """Sort groups: broken relations, bugs, failures, then deviations, the larger groups before the smaller ones.

    An engine that does not answer by what it is asked alone makes all else doubtful: that comes first of all.
    """
    kinds: tuple[CauseKind, ...] = ("bug", "failure", "deviation")
    relations = (*RELATIONS, "")
    return sorted(
        groups,
        key=lambda each: (
            (each.engine, each.relation not in UNSTABLE, relations.index(each.relation), kinds.index(each.kind)),
            (each.smallest is None, -each.positions, each.label),
        ),
    )


def group_by_pattern(engine: int, findings: Iterable[Finding]) -> Iterable[Group]:
    """Group findings of an engine without a known cause by the rules that they break, and the rest by their looks."""
    left = [*findings]
    small = [each for each in left if each.position is not None and each.cause.blame]
    groups: dict[tuple[str, ...], list[Finding]] = {}
    while small:
        keys = likeliest([each.cause.blame for each in small])
        groups[keys] = [each for each in small if any(blame.breaks(keys[0]) for blame in each.cause.blame)]
        small = [each for each in small if each not in groups[keys]]
    placed = {each.number for found in groups.values() for each in found}
    homes = {
        each.cause.label: keys
        for keys, found in groups.items()
        for each in found
        if each.cause.unexplained and each.cause.label
    }
    labels: dict[tuple[CauseKind, str], list[Finding]] = {}
    for each in [each for each in left if each.number not in placed]:
        # What was not shrunk shows several things: it is of the largest bug that is one of them.
        fitting = [keys for keys in groups if any(blame.breaks(keys[0]) for blame in each.cause.blame)]
        home = homes.get(each.cause.label) or max(fitting, key=lambda keys: len(groups[keys]), default=None)
        found = groups[home] if home else labels.setdefault((each.cause.kind, each.cause.label), [])
        found.append(each)
    for keys, found in groups.items():
        yield Group(engine, "bug", " or ".join(keys), {}, by_number(found), rules=keys)
    for (kind, label), found in labels.items():
        yield Group(engine, kind, label or NOT_SHRUNK, {}, tuple(found))


def _covered(engine: int, findings: Sequence[Finding]) -> Iterable[Group]:
    """Give each finding to the change, or the mutant, that explains most: few causes for many findings."""
    # What explains a finding: the issues whose choice, or choices together, do, or the mutants.
    left = [
        (each, [tuple(sorted(changes)) for changes in each.cause.changes] or [(name,) for name in each.cause.mutants])
        for each in findings
    ]
    while left:
        votes, as_found = Counter[tuple[str, ...]](), Counter[str]()
        for finding, keys in left:
            votes.update(dict.fromkeys(keys, finding.times))
            as_found.update(dict.fromkeys(finding.found_mutants or finding.cause.mutants, finding.times))
        ranks = {key: (count, as_found[key[0]], -len(key)) for key, count in votes.items()}
        key = max(ranks, key=lambda each: (ranks[each], each))
        mine = tuple(finding for finding, keys in left if key in keys)
        left = [(finding, keys) for finding, keys in left if key not in keys]
        if mine[0].cause.kind == "bug":
            # All mutants that explain as much, and each of these findings.
            every = set(MUTANTS).intersection(*(finding.cause.mutants for finding in mine))
            sentences = [
                MUTANTS[name].sentence for name in MUTANTS if name in every and ranks.get((name,)) == ranks[key]
            ]
            yield Group(engine, "bug", ", or ".join(sentences), {}, mine)
        else:
            choices: dict[str, list[str]] = {}
            for issue in key:
                sets = [{some[issue] for some in each.cause.changes if tuple(sorted(some)) == key} for each in mine]
                choices[issue] = sorted(sets[0].intersection(*sets) or sets[0].union(*sets))
            yield Group(engine, "deviation", " and ".join(key), choices, mine)


@dataclass(frozen=True, eq=False)
class _Found:
    """A finding, and what the engine answered to its smallest position if it was shrunk."""

    finding: Finding
    wrong: Disagreement | None = None


def group_by_experiments(
    plan: Plan, engine: int, adjudicator: Adjudicator, findings: Sequence[Finding], stop: Callable[[], bool]
) -> Sequence[Group]:
    """Group an engine's findings by causes that experiments confirm, the rest by their looks. Raises as `ask` does.

    Once `stop` says so, what was not tested has no name, and an engine that is closed then raises nothing.
    """
    found = [_found(plan, each) for each in findings]
    boards = {each.wrong.ordered.position.board for each in found if each.wrong is not None}
    tests = HypothesisTests(
        AskedOnce(adjudicator),
        plan.ruleset,
        found,
        cache(_causes_of),
        lambda one: one.wrong and one.wrong.ordered,
        seed=plan.seed,
        board=boards.pop() if len(boards) == 1 else plan.board,
        stop=stop,
        most=_MOST_TESTED,
    )
    try:
        tests.run()
        shown, left = _shown(tests)
        asked = list(_asked_again(plan, adjudicator, left, stop))
    except EngineClosedError:
        if not stop():
            raise
        shown, asked = _shown(tests)
    members, left = [list(each.explained) for each in shown], list[_Found]()
    for one in asked:
        pairs = zip(shown, members, strict=True)
        homes = (mine for each, mine in pairs if not stop() and _is_predicted(one, each.hypothesis, tests.rules))
        next(homes, left).append(one)
    named = _named_groups(engine, shown, members)
    rest = _without_names(plan, engine, adjudicator, left, stop)
    return sort_groups([*named, *(_with_refuted(group, tests.refuted) for group in rest)])


def _shown(tests: HypothesisTests[_Found]) -> tuple[list[Verified[_Found]], list[_Found]]:
    """Return what has a name, and the rest: what is so only sometimes, and in no small position, has none."""
    shown = [
        each
        for each in tests.named
        if each.evidence.strength != "sometimes" or any(one.wrong is not None for one in each.explained)
    ]
    return shown, [*tests.left, *(one for each in tests.named if each not in shown for one in each.explained)]


def _named_groups(engine: int, named: Iterable[Verified[_Found]], members: Iterable[Sequence[_Found]]) -> list[Group]:
    groups: list[Group] = []
    for tested, mine in zip(named, members, strict=True):
        statement, alike = tested.statement, tested.evidence.alike
        changes = {
            issue: [choice, *(other for other in alike if other in EVERY_ISSUE[issue].choices)]
            for issue, choice in statement.choices.items()
        }
        group = Group(engine, "deviation", "", changes, tuple(one.finding for one in mine), tested.evidence)
        if statement.bug or not tested.evidence.stands:  # It is no rule that the engine plays, or not always.
            evidence = replace(tested.evidence, alike=())  # The label has them.
            group = group._replace(kind="bug", label=statement.does(), changes={}, evidence=evidence)
        groups.append(group)
    return groups


def _without_names(
    plan: Plan, engine: int, adjudicator: Adjudicator, left: Sequence[_Found], stop: Callable[[], bool]
) -> list[Group]:
    """Group what no cause was confirmed of."""
    found = [_without_cause(one) for one in left]
    wrong = {one.finding.number: one.wrong for one in left if one.wrong is not None}
    for group in group_by_pattern(engine, found):
        # What it shows is no rule of a group, or what looks the same has another name.
        alone = group.findings if group.kind == "bug" and group.smallest is None else ()
        for finding in alone[:_MOST_SHRUNK]:
            if finding.number in wrong and not finding.cause.is_known and not stop():
                small = _made_smaller(plan, adjudicator, finding, wrong[finding.number], stop)
                found = [small if each is finding else each for each in found]
    return [*group_by_pattern(engine, found)]


def group_by_symptoms(plan: Plan, engine: int, findings: Sequence[Finding]) -> Sequence[Group]:
    """Group an engine's findings by their looks alone: what was not tested has no name."""
    return list(group_by_pattern(engine, [_without_cause(_found(plan, each)) for each in findings]))


def _found(plan: Plan, finding: Finding) -> _Found:
    return _Found(finding, None if finding.position is None else Disagreement(*finding.played(), plan.ruleset))


def _causes_of(one: _Found, rules: Ruleset) -> Sequence[Hypothesis]:
    cause, mutants = one.finding.cause, one.finding.cause.mutants
    if one.wrong is not None and cause.kind != "failure" and not one.finding.relation:
        found = one.wrong._replace(ruleset=rules)
        mutants = [] if found.is_about_words else explaining_mutants(found, MISSING)
    return [*changes_from(rules, cause.changes), *mutants]


def _asked_again(
    plan: Plan, adjudicator: Adjudicator, left: Sequence[_Found], stop: Callable[[], bool]
) -> Iterator[_Found]:
    """Ask the first of those that were counted alone again, each its position as it was drawn."""
    asked = 0
    for one in left:
        if one.wrong is not None or one.finding.cause.kind == "failure" or asked >= _MOST_ASKED_AGAIN:
            yield one
            continue
        ordered = draw(plan, one.finding.number)[1]
        if one.finding.relation or stop():
            yield one
            continue
        asked += 1
        expected, said = ask(ReferenceAdjudicator(plan.ruleset), ordered), ask(adjudicator, ordered)
        wrong = Disagreement(ordered, said, expected, plan.ruleset) if said and expected else None
        yield _Found(one.finding, wrong)


def _is_predicted(one: _Found, cause: Hypothesis, rules: Ruleset) -> bool:
    """Whether a cause predicts what was answered where a finding has none of its own."""
    is_bug = isinstance(cause, str)
    # No rule depends on the form of what is asked first: a relation that this breaks is a cause itself.
    is_relation = bool(one.finding.relation) and (not is_bug or one.finding.number < 0)
    if one.wrong is None or one.finding.cause.kind == "failure" or is_relation:
        return False
    answer = ask(system(cause if is_bug else (), rules), one.wrong.ordered)
    return bool(answer) and agree(answer, one.wrong.said)


def _with_refuted(group: Group, refuted: Sequence[Verified[_Found]]) -> Group:
    number = group.smallest.number if group.smallest is not None else None
    # That a whole part is there needs no saying.
    tested = [
        each
        for each in refuted
        if each.hypothesis not in MISSING and any(one.finding.number == number for one in each.explained)
    ]
    sentences = {each.statement.refutation: each.evidence for each in tested}
    return group._replace(refuted=tuple(itertools.starmap(Refuted, sentences.items())))


def _made_smaller(
    plan: Plan, adjudicator: Adjudicator, finding: Finding, wrong: Disagreement, stop: Callable[[], bool]
) -> Finding:
    """Return a finding that was counted alone with the smallest position that it can be shown in."""
    question, positions = draw(plan, finding.number)[0], DrawnPositions(plan, [adjudicator], stop=stop)
    small = positions.smallest(question, wrong, same_kind(None, wrong), lambda: None)
    found = with_position(finding, small, positions.said(question, small))
    return replace(found, cause=unexplained_cause(small))


def _without_cause(one: _Found) -> Finding:
    finding = one.finding
    if not finding.cause.is_known:
        return finding
    cause = unexplained_cause(one.wrong) if one.wrong else UNEXPLAINED
    return replace(finding, cause=cause if finding.position is not None else replace(cause, label=""))
