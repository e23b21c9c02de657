"""Groups findings by their cause: the choice that explains most of them, the contradiction, or the same pattern.

What explains the findings of an engine is tested by new questions to it, where it can be asked.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from msgspec.structs import replace

from ...reference_engine import Phase, Ruleset
from ...reports.statements import UNTESTED, Evidence
from ..bugs.confirm import Hypothesis, HypothesisTests, Verified, changes_from, system
from ..bugs.experiment import AskedOnce
from ..bugs.mutants import MUTANTS
from ..play.differential import agree, ask
from ..play.session import Adjudicator, ReferenceAdjudicator
from .disagreement import UNEXPLAINED, CauseKind, Disagreement, explaining_mutants, unexplained_cause
from .drawn import draw
from .findings import Finding
from .patterns import Shape, Wrongs, shape, shows_in, wrongs
from .plan import Plan
from .relations import RELATIONS, UNSTABLE

_LARGE = 14
"""Bugs of more units are not looked for in each other."""
_MOST_TESTED = 40
_MOST_ASKED_AGAIN = 100
"""Findings that were not shrunk, and are asked again to see what explains them."""
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
    dropped: str = ""
    """What its smallest position orders, and its answer is right without: a bridge may drop that."""
    folded: tuple[str, ...] = ()
    """What was wrong with the positions of other groups, which the relation explains that the engine breaks."""

    @property
    def relation(self) -> str:
        """The relation that the engine breaks; empty where its answers are compared with those of others."""
        return "" if self.smallest is None else self.smallest.relation

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

    @property
    def shape(self) -> Shape:
        """What its smallest position looks like; empty where no position was shrunk, or it is no bug."""
        return () if self.smallest is None or self.kind != "bug" else shape_of(self.smallest)


def shape_of(finding: Finding) -> Shape:
    """Return what a minimal position looks like."""
    ordered, said, expected = finding.played()
    return shape(ordered, expected, said)


def group_findings(findings: Sequence[Finding]) -> Sequence[Group]:
    """Group all findings by what explains most of them, and was not tested."""
    groups: list[Group] = []
    for engine in sorted({finding.engine for finding in findings}):
        own = by_number(finding for finding in findings if finding.engine == engine)
        groups += _covered(engine, [finding for finding in own if finding.cause.is_known])
        groups += group_by_pattern(engine, [finding for finding in own if not finding.cause.is_known])
    return sort_groups(groups)


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


def group_by_pattern(
    engine: int, findings: Iterable[Finding], shapes: Mapping[int, Shape] | None = None
) -> Iterable[Group]:
    """Group findings of an engine without a known cause by what they look like.

    `shapes` are those of positions that were not shrunk and asked again, by their numbers: each of them is a finding of
    the bug of which it shows all that is wrong.
    """
    labels: dict[tuple[CauseKind, str], list[Finding]] = {}
    for finding in findings:
        labels.setdefault((finding.cause.kind, finding.cause.label), []).append(finding)
    groups = [Group(engine, kind, label or NOT_SHRUNK, {}, tuple(found)) for (kind, label), found in labels.items()]
    # A bug is that of another one if the smallest position of that shows in its own.
    joined: list[tuple[Shape, list[Finding], Group]] = []
    for group in sorted(groups, key=lambda each: (each.smallest is None, each.smallest.units if each.smallest else 0)):
        here = group.shape if group.smallest and group.smallest.cause.unexplained else ()
        home = next((found for small, found, _ in joined if shows_in(small, here, _LARGE)), None)
        if home is None:
            joined.append((here, list(group.findings), group))
        else:
            home += group.findings
    return _alike(engine, (group._replace(findings=by_number(found)) for _, found, group in joined), shapes or {})


def _alike(engine: int, groups: Iterable[Group], shapes: Mapping[int, Shape]) -> Iterable[Group]:
    """Join the bugs in which the same is wrong, and to each what shows all of that: impossible boards, counted ones."""
    bugs: dict[Wrongs, list[Finding]] = {}
    labels: dict[Wrongs, str] = {}
    impossible: list[tuple[Wrongs, Group]] = []
    counted: list[Finding] = []
    for group in groups:
        small, wrong = group.smallest, wrongs(group.shape)
        if small is None and group.label == NOT_SHRUNK:
            counted += group.findings
        elif small is None or small.relation or not wrong:
            yield group
        elif small.cause.unexplained:
            bugs.setdefault(wrong, []).extend(group.findings)
            labels[wrong] = min(group.label, labels.get(wrong, group.label))
        else:
            impossible.append((wrong, group))

    def join(wrong: Wrongs, findings: Iterable[Finding]) -> bool:
        """Join findings to the bug that explains most of what is wrong, among those that show nothing else."""
        fitting = [each for each in bugs if each <= wrong]
        if fitting:
            bugs[max(fitting, key=lambda each: (len(each), sorted(each)))].extend(findings)
        return bool(fitting)

    yield from [group for wrong, group in impossible if not join(wrong, group.findings)]
    left = [each for each in counted if not join(wrongs(shapes.get(each.number, ())), [each])]
    for wrong, findings in bugs.items():
        yield Group(engine, "bug", labels[wrong], {}, by_number(findings))
    if left:
        yield Group(engine, "bug", NOT_SHRUNK, {}, tuple(left))


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
    """Group an engine's findings by causes that experiments confirm, the rest by their looks. Raises as `ask` does."""
    found = [
        _Found(each, None if each.position is None else Disagreement(*each.played(), plan.ruleset)) for each in findings
    ]
    tests = HypothesisTests(
        AskedOnce(adjudicator),
        plan.ruleset,
        found,
        cache(_causes_of),
        lambda one: one.wrong and one.wrong.ordered,
        seed=plan.seed,
        stop=stop,
        most=_MOST_TESTED,
    )
    tests.run()
    members, left = [list(each.explained) for each in tests.named], list[_Found]()
    for one in _asked_again(plan, adjudicator, tests.left, stop):
        pairs = zip(tests.named, members, strict=True)
        homes = (mine for each, mine in pairs if not stop() and _is_predicted(one, each.hypothesis, tests.rules))
        next(homes, left).append(one)
    groups: list[Group] = []
    for tested, mine in zip(tests.named, members, strict=True):
        statement, changes = tested.statement, {issue: [choice] for issue, choice in tested.statement.choices.items()}
        group = Group(engine, "deviation", "", changes, tuple(one.finding for one in mine), tested.evidence)
        if statement.bug or not tested.evidence.stands:  # It is no rule that the engine plays, or not always.
            group = group._replace(kind="bug", label=statement.does(), changes={})
        groups.append(group)
    counted = [one for one in left if one.finding.position is None]
    shapes = {one.finding.number: one.wrong.shape for one in counted if one.wrong is not None}
    rest = group_by_pattern(engine, map(_without_cause, left), shapes)
    return sort_groups([*groups, *(_with_refuted(group, tests.refuted) for group in rest)])


def _causes_of(one: _Found, rules: Ruleset) -> Sequence[Hypothesis]:
    cause, mutants = one.finding.cause, one.finding.cause.mutants
    if one.wrong is not None and cause.kind != "failure" and not one.finding.relation:
        found = one.wrong._replace(ruleset=rules)
        mutants = [] if found.is_about_words else explaining_mutants(found)
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
        question, ordered = draw(plan, one.finding.number)
        if question.relation or stop():
            yield one
            continue
        asked += 1
        expected, said = ask(ReferenceAdjudicator(plan.ruleset), ordered), ask(adjudicator, ordered)
        wrong = Disagreement(ordered, said, expected, plan.ruleset) if said and expected else None
        yield _Found(one.finding, wrong)


def _is_predicted(one: _Found, cause: Hypothesis, rules: Ruleset) -> bool:
    """Whether a cause predicts what was answered where a finding has none of its own."""
    is_bug = isinstance(cause, str)
    if one.wrong is None or one.finding.cause.kind == "failure" or (one.finding.relation and not is_bug):
        return False
    answer = ask(system(cause if is_bug else (), rules), one.wrong.ordered)
    return bool(answer) and agree(answer, one.wrong.said)


def _with_refuted(group: Group, refuted: Sequence[Verified[_Found]]) -> Group:
    number = group.smallest.number if group.smallest is not None else None
    tested = [each for each in refuted if any(one.finding.number == number for one in each.explained)]
    sentences = {each.statement.refutation: each.evidence for each in tested}
    return group._replace(refuted=tuple(itertools.starmap(Refuted, sentences.items())))


def _without_cause(one: _Found) -> Finding:
    finding = one.finding
    if not finding.cause.is_known:
        return finding
    is_small = finding.position is not None
    return replace(finding, cause=unexplained_cause(one.wrong) if one.wrong and is_small else UNEXPLAINED)
