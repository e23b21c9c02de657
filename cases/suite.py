"""Suites, cases and expectations, ready to be asked and judged."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypeAlias, get_args

import msgspec

from ..reference_engine import EVERY_ISSUE, ISSUES, Board, Order, Phase, Position, Submitted, Unit, province_code
from ..reference_engine.board import Season
from ..reference_engine.order_sets import Mark
from ..reference_engine.orders import Proxy, Unclear

USUAL_EDITION = "datc-3.2"
"""The suite that is asked, and the ruleset in force, where none is named: the newest edition of the DATC."""
SUITE_FILE = "suite.toml"
"""The file of a suite that says what it is."""
Basis = Literal["text", "derived"]
EditionName = Annotated[
    str,
    msgspec.Meta(pattern=r"^([0-9]{4}\.[0-9]{2}(\.[0-9]{2})?)?$", description="A date such as 2026.11, or nothing."),
]
StatedLabel: TypeAlias = Literal[
    "succeeds", "fails", "cut", "void", "illegal", "stands", "given", "available", "invalid", "disrupted"
]
"""What an expectation can name orders under."""
STATED_LABELS: tuple[StatedLabel, ...] = get_args(StatedLabel)
"""Every `StatedLabel`."""
OrderLabel: TypeAlias = Literal[StatedLabel, "dislodged", "destroyed"]
"""What a case can expect of an order; the last two of a hold (DATC 3.2, 4.E.2)."""
ORDER_LABELS: tuple[OrderLabel, ...] = get_args(OrderLabel)
"""Every `OrderLabel`."""
SUCCESSES: frozenset[OrderLabel] = frozenset({"succeeds", "stands", "given", "available"})
"""The labels of an order that succeeds; the others are of one that fails."""


def short_key(key: str) -> str:
    """Leave out the suite in the `key` of a case where it is the usual one."""
    return key.removeprefix(f"{USUAL_EDITION}/")


class CaseOrder(NamedTuple):
    """Something that a power of a case wrote: as it was read, and as the document has it."""

    submitted: Submitted
    text: str

    @property
    def power(self) -> str:
        return self.submitted.power

    @property
    def order(self) -> Order | None:
        """The order that it is, if it is one and can only be that one."""
        writing = self.submitted.writing
        return None if isinstance(writing, (Proxy, Unclear)) else writing


class RetreatClaim(NamedTuple):
    """That the dislodged unit of a province may or may not retreat to a location."""

    province: str
    to: str


class Expectation(msgspec.Struct, frozen=True):
    """What follows from a position under some choices, told as what changes on the board."""

    choices: Mapping[str, frozenset[str]]
    """For each issue it depends on, the choices for which it holds; empty for all that no other names."""
    basis: Basis
    no_answer: bool = False
    """The rules, so chosen, have no answer."""
    moved: Mapping[str, str] = {}
    """Where the unit of a province goes."""
    dislodged: frozenset[str] = frozenset()
    """The provinces whose unit is dislodged."""
    gone: frozenset[str] = frozenset()
    """The provinces whose unit is disbanded or removed."""
    built: frozenset[Unit] = frozenset()
    may_retreat: frozenset[RetreatClaim] = frozenset()
    may_not_retreat: frozenset[RetreatClaim] = frozenset()
    orders: Mapping[int, OrderLabel] = {}
    """The outcomes of single orders, by their index."""
    either: frozenset[int] = frozenset()
    """The orders of which success is as right as failure, as a correction to the document's resolutions says."""
    without_resolutions: Expectation | None = None
    """What is expected where the resolutions that the document gives under the rules that it prefers may not hold."""

    def holds(self, choices: Mapping[str, str]) -> bool:
        """Whether it is meant for rulesets with these choices."""
        return all(choices[issue] in accepted for issue, accepted in self.choices.items())

    def board_after(self, units: Iterable[Unit], dislodged: Iterable[Unit], phase: Phase) -> frozenset[Unit]:
        """Apply it to the units on the board and those dislodged before the phase."""
        # In a retreat phase the dislodged units move, and another may stand where one of them was.
        leaving = self.moved.keys() | self.dislodged | self.gone if phase != "retreat" else frozenset[str]()
        stay = [unit for unit in units if province_code(unit.location) not in leaving]
        movers = {province_code(unit.location): unit for unit in (dislodged if phase == "retreat" else units)}
        arrive = [movers[province]._replace(location=to) for province, to in self.moved.items() if province in movers]
        return frozenset((*stay, *arrive, *self.built))

    @property
    def board(self) -> tuple[object, ...]:
        """What it says of the board, whatever it says of single orders; equal where the boards are."""
        moved = frozenset(self.moved.items())
        return self.no_answer, moved, self.dislodged, self.gone, self.built, self.may_retreat, self.may_not_retreat

    def same_outcome(self, other: Expectation) -> bool:
        """Whether both expect the same of an engine, whatever the document's resolutions say of orders."""
        if self.without_resolutions or other.without_resolutions:
            return (self.without_resolutions or self).same_outcome(other.without_resolutions or other)
        ignored = ("choices", "basis", "without_resolutions")
        names = (name for name in self.__struct_fields__ if name not in ignored)
        return all(getattr(self, name) == getattr(other, name) for name in names)


def in_force(expectations: Sequence[Expectation], choices: Mapping[str, str]) -> Expectation | None:
    """Return the expectation for a ruleset's choices: among those that hold, the one that names the most issues."""
    holding = [expectation for expectation in expectations if expectation.holds(choices)]
    return max(holding, key=lambda expectation: len(expectation.choices), default=None)


class CasePhase(msgspec.Struct, frozen=True):
    """One phase of a case."""

    phase: Phase
    season: Season
    year: int
    board: Board
    """The board in its season."""
    position: Position | None
    """`None` where the phase goes on from what the engine answered to the one before."""
    centers: Mapping[str, tuple[str, ...]]
    orders: tuple[CaseOrder, ...]
    marks: Mapping[tuple[str, int], Mark]
    """Whether an order set replaces or extends the earlier ones, by power and number; only where the set says so."""
    in_sequence: bool
    """Whether the numbers of the order sets tell which came first."""
    expectations: tuple[Expectation, ...]
    preferred: Mapping[str, str] = {}
    """The choices that the document of the suite prefers."""
    recorded: Mapping[Unit, frozenset[str]] = {}
    """What a text that was pasted says came of units and their orders."""

    @property
    def turn(self) -> str:
        """Name its season and year as the map does: `spring 1901`."""
        return self.board.turn_name(self.season, self.year)

    def expected(self, choices: Mapping[str, str]) -> Expectation | None:
        """Find the expectation for a ruleset's choices.

        The document's resolutions of single orders count under the choices that it prefers and where one is changed:
        the result of an order whose unit stays where it is may be another one where several are.
        """
        choices = self.board.in_force(choices)
        found = in_force(self.expectations, choices)
        if found is None or found.without_resolutions is None:
            return found
        preferred = self.board.in_force(self.preferred)
        changed = {  # As far as the expectations tell choices apart.
            issue
            for one in self.expectations
            for issue, accepted in one.choices.items()
            if issue not in found.choices and (choices[issue] in accepted) != (preferred[issue] in accepted)
        }
        return found if len(changed) <= 1 else found.without_resolutions

    def place_of(self, order: CaseOrder) -> str:
        """Say in which set an order came, where its power handed in several, or that it was known before."""
        submitted = order.submitted
        if submitted.beforehand:
            return "beforehand"
        if all(other.power != order.power or other.submitted.order_set == 1 for other in self.orders):
            return ""
        mark = self.marks.get((order.power, submitted.order_set))
        what = f", which {mark} earlier ones" if mark else "" if self.in_sequence else ", in no known sequence"
        return f"set {submitted.order_set}{what}"


class Alternative(NamedTuple):
    """What is expected of a case under choices that none of its expectations distinguishes."""

    choices: Mapping[str, tuple[str, ...]]
    """For each issue that decides the case, some of its choices."""
    expected: tuple[Expectation | None, ...]
    """For each phase the expectation."""
    outcome: int
    """A number that two alternatives of a case share where they expect the same (`Expectation.same_outcome`)."""
    of_map: Mapping[str, str] = MappingProxyType({})
    """The choices of the map (`Board.choices`), for those that a ruleset does not make."""

    @property
    def boards(self) -> tuple[object, ...]:
        """The boards after its phases; equal to those of another alternative that differs in words only."""
        return tuple(each and each.board for each in self.expected)

    @property
    def has_answer(self) -> bool:
        """Whether the rules give an answer to every phase."""
        return all(each is not None and not each.no_answer for each in self.expected)

    def changes(self, choices: Mapping[str, str]) -> dict[str, str]:
        """Return what to change in the choices of a ruleset so that this is expected under it."""
        in_force = {**self.of_map, **choices}
        return {issue: these[0] for issue, these in self.choices.items() if in_force[issue] not in these}

    def agrees(self, other: Alternative) -> bool:
        """Whether another alternative expects the same, and contradicts none of this one's outcomes of orders."""
        return self.outcome == other.outcome and all(
            (left.orders[order] in SUCCESSES) == (right.orders[order] in SUCCESSES)
            for left, right in zip(self.expected, other.expected, strict=True)
            if left is not None and right is not None
            for order in left.orders.keys() & right.orders.keys()
        )


class CaseName(msgspec.Struct, frozen=True, kw_only=True):
    """Which case is meant."""

    suite: str
    id: str

    @classmethod
    def of_key(cls, key: str) -> CaseName:
        """Read a `short_key`, such as `6.F.9` or `extended/X.2`."""
        suite, _, case = key.rpartition("/")
        return cls(suite=suite or USUAL_EDITION, id=case)

    @property
    def key(self) -> str:
        """Its suite and its id, which no other case has both: `datc-3.1/6.F.9`."""
        return f"{self.suite}/{self.id}"

    @property
    def label(self) -> str:
        """Its id, with its suite unless that is the usual one."""
        return short_key(self.key)


class Edition(msgspec.Struct, frozen=True):
    """A state of a suite."""

    suite: str
    edition: str
    """Such as `2026.11`; empty where its `suite.toml` names none."""
    digest: str
    """The first 16 digits of the SHA-256 of what its cases ask and expect."""
    cases: int
    """How many it has."""


class Placement(msgspec.Struct, frozen=True):
    """Where a case was carried to: the names of what takes the place of its provinces, coasts and powers."""

    origin: CaseName
    """The case that was carried."""
    map: str
    locations: dict[str, str]
    """For each location of the case, that of the map."""
    powers: dict[str, str]


@dataclass(frozen=True)
class Case:
    """A test case."""

    id: str
    suite: str
    section: str
    section_title: str
    title: str
    issues: tuple[str, ...]
    """The issues that its outcome depends on, as the document says or its expectations do."""
    rests_on: tuple[str, ...]
    remark: str
    phases: tuple[CasePhase, ...]
    file: str = ""
    """Where it is written: from the root of this repository, or from where the author's own suite was named."""
    line: int = 1
    source: str = ""
    """The address of the page that it comes from, where that is not the document of its suite."""
    since: str = ""
    """The edition of its suite that added or changed it; empty for the first one."""
    edition: Edition | None = None
    """The edition that it was read from; `None` outside a suite."""
    placement: Placement | None = None
    """Where it was carried to; `None` for a case as its document has it."""

    def __getstate__(self) -> Mapping[str, object]:
        """Pickle its phases, and what was found of them, apart: few who load a suite ask for those of all cases."""
        state = dict(vars(self))
        if "phases" not in state:
            return state
        of_phases = {name: state.pop(name) for name in ("phases", "deciding_issues", "alternatives") if name in state}
        return {**state, "_of_phases": pickle.dumps(of_phases, protocol=5)}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            if name != "phases" or "_of_phases" not in vars(self):
                raise AttributeError(f"a case has no {name!r}")
            vars(self).update(pickle.loads(self._of_phases))  # noqa: S301 - they were pickled with the case
            return self.phases

    @property
    def key(self) -> str:
        """Its suite and its id, which no other case has both: `datc-3.1/6.F.9`."""
        return f"{self.suite}/{self.id}"

    @property
    def name(self) -> CaseName:
        """The same, to refer to it."""
        return CaseName(suite=self.suite, id=self.id)

    @property
    def document_key(self) -> str:
        """The key of the case that a document has: another one where it was carried to other places."""
        return self.placement.origin.key if self.placement else self.key

    @cached_property
    def deciding_issues(self) -> tuple[str, ...]:
        """The issues whose choices its expectations distinguish, in order."""
        named = {issue for phase in self.phases for expect in phase.expectations for issue in expect.choices}
        return tuple(sorted(named))

    @cached_property
    def alternatives(self) -> tuple[Alternative, ...]:
        """List what is expected under every combination of choices for the deciding issues.

        Choices of an issue that no expectation distinguishes share an alternative: six issues have thousands of
        combinations.
        """
        issues = self.deciding_issues
        elsewhere = {issue.id: issue.choices[0] for issue in EVERY_ISSUE.values()}
        found: list[Alternative] = []
        outcomes: list[tuple[Expectation | None, ...]] = []
        for groups in itertools.product(*map(self._distinguished, issues)):
            choices = dict(zip(issues, groups, strict=True))
            first = {**elsewhere, **{issue: group[0] for issue, group in choices.items()}}
            expected = tuple(phase.expected(first) for phase in self.phases)
            number = next((n for n, outcome in enumerate(outcomes) if _same(outcome, expected)), len(outcomes))
            if number == len(outcomes):
                outcomes.append(expected)
            found.append(Alternative(choices, expected, number, self.phases[0].board.choices))
        return tuple(found)

    def alternative(self, choices: Mapping[str, str]) -> Alternative:
        """Return the alternative that has the choices of a ruleset."""
        return next(each for each in self.alternatives if not each.changes(choices))

    def _distinguished(self, issue: str) -> Iterable[tuple[str, ...]]:
        expectations = [expectation for phase in self.phases for expectation in phase.expectations]
        groups: dict[tuple[bool, ...], list[str]] = {}
        for choice in EVERY_ISSUE[issue].choices:
            meant = tuple(choice in expectation.choices.get(issue, (choice,)) for expectation in expectations)
            groups.setdefault(meant, []).append(choice)
        return map(tuple, groups.values())


def _same(left: Sequence[Expectation | None], right: Sequence[Expectation | None]) -> bool:
    return all(
        one is other or (one is not None and other is not None and one.same_outcome(other))
        for one, other in zip(left, right, strict=True)
    )


class Section(msgspec.Struct, frozen=True):
    """A section of a suite."""

    id: str
    title: str
    cases: tuple[Case, ...]


class Suite(msgspec.Struct, frozen=True):
    """The cases of one document."""

    name: str
    title: str
    author: str
    date: str
    url: str
    ruleset: str
    """The ruleset that the document prefers."""
    sections: tuple[Section, ...]

    @property
    def cases(self) -> tuple[Case, ...]:
        """All cases, in the order of the document."""
        return tuple(case for section in self.sections for case in section.cases)


def select_cases(cases: Sequence[Case], selections: Sequence[str]) -> tuple[Case, ...]:
    """Keep the cases of ids (`6.F.9`), sections (`6.F`) or issues (`4.A.1`), in capitals or not; none keeps all."""
    if not selections:
        return tuple(cases)
    wanted = [selection.rstrip(".").casefold() for selection in selections]
    groups = tuple(f"{each}." for each in wanted)
    return tuple(
        case
        for case in cases
        if case.id.casefold().startswith(groups)
        or not {word.casefold() for word in (case.id, case.section, *case.issues)}.isdisjoint(wanted)
    )


def coverage(cases: Iterable[Case]) -> Mapping[str, Mapping[tuple[str, str], list[str]]]:
    """Return for each issue and pair of its choices the ids of the cases that distinguish them; it may be none.

    A case does where only the choice of this issue changes what it expects.
    """
    cases = list(cases)
    issues = dict.fromkeys([*ISSUES, *(issue for case in cases for issue in case.deciding_issues)])
    found: dict[str, dict[tuple[str, str], list[str]]] = {
        issue: {pair: [] for pair in itertools.combinations(EVERY_ISSUE[issue].choices, 2)} for issue in issues
    }
    for case in cases:
        for issue in case.deciding_issues:
            for pair in _distinguished_pairs(case, issue):
                found[issue][pair].append(case.id)
    return found


def cases_that_show(cases: Iterable[Case], choices: Mapping[str, str], issue: str) -> tuple[Case, ...]:
    """Find the cases with another outcome if only the choice for one issue were another one."""
    found: list[Case] = []
    for case in cases:
        if issue in case.deciding_issues:
            here = case.alternative(choices)
            others = (case.alternative({**choices, issue: other}) for other in EVERY_ISSUE[issue].choices)
            if any(_differ(here, other) for other in others):
                found.append(case)
    return tuple(found)


def _distinguished_pairs(case: Case, issue: str) -> set[tuple[str, str]]:
    """The pairs of choices of an issue with different outcomes, under some choices of the case's other issues."""
    found: set[tuple[str, str]] = set()
    alike_elsewhere: dict[tuple[tuple[str, ...], ...], list[Alternative]] = {}
    for alternative in case.alternatives:
        elsewhere = tuple(choices for other, choices in alternative.choices.items() if other != issue)
        alike_elsewhere.setdefault(elsewhere, []).append(alternative)
    place = EVERY_ISSUE[issue].choices.index
    for alternatives in alike_elsewhere.values():
        for one, other in itertools.combinations(alternatives, 2):
            if _differ(one, other):
                pairs = itertools.product(one.choices[issue], other.choices[issue])
                found.update((a, b) if place(a) < place(b) else (b, a) for a, b in pairs)
    return found


def _differ(one: Alternative, other: Alternative) -> bool:
    """Whether some phase has another answer: none at all is no other one."""
    return any(
        left is not None
        and right is not None
        and not left.no_answer
        and not right.no_answer
        and not left.same_outcome(right)
        for left, right in zip(one.expected, other.expected, strict=True)
    )
