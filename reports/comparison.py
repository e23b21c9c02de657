"""Where engines differ: case by case, in pairs, and by the issues that they settle otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import ascii_uppercase
from typing import Literal, NamedTuple, TypeAlias

from .findings import contract
from .report import CaseData, Report, UnitData, Verdict

Kind: TypeAlias = Literal["differing", "words", "unanswered", "alike"]
KINDS: tuple[Kind, ...] = ("differing", "words", "unanswered", "alike")


class Agreement(NamedTuple):
    """How often two engines answer alike."""

    alike: int
    both: int
    """The cases that both answered: where one did not, there is neither agreement nor disagreement."""


@dataclass(frozen=True)
class CaseComparison:
    """What the engines, by their place, make of a case."""

    cases: tuple[CaseData | None, ...]
    """One for each engine; `None` where its run does not have the case."""
    groups: tuple[tuple[int, ...], ...]
    """The engines whose boards are alike, the largest group first; one that did not answer is in none."""
    phase: int = 0
    """The first phase in which boards differ, by its index; the last where none does."""
    only_here: tuple[tuple[UnitData, ...], ...] = ()
    """For each group, the units that no other has after that phase."""
    same_words: bool = True
    """Whether those with one board also say the same of the orders that the case judges."""

    @cached_property
    def first(self) -> CaseData:
        """That of the first run which has the case: it tells its id and title."""
        return next(case for case in self.cases if case is not None)

    @property
    def key(self) -> str:
        return self.first.key

    @property
    def verdicts(self) -> tuple[Verdict | None, ...]:
        """The verdict on each engine; `None` where its run does not have the case."""
        return tuple(case and case.verdict for case in self.cases)

    def letter(self, place: int) -> str:
        """Name the answer of an engine, A being that of the most; empty where it has none."""
        return next((answer_letter(number) for number, group in enumerate(self.groups) if place in group), "")

    @property
    def unanswered(self) -> tuple[int, ...]:
        answered = {place for group in self.groups for place in group}
        return tuple(place for place in range(len(self.cases)) if place not in answered)

    @property
    def kind(self) -> Kind:
        """Whether boards differ, or only what is said of orders; if neither, whether all engines answered."""
        if len(self.groups) > 1:
            return "differing"
        if not self.same_words:
            return "words"
        return "unanswered" if self.unanswered else "alike"

    @property
    def all_passed(self) -> bool:
        """Whether every run has it, and passed it."""
        return all(verdict == "passed" for verdict in self.verdicts)

    @property
    def odd_one_out(self) -> int | None:
        """The engine that differs from all the others, who agree and are two at least."""
        if len(self.groups) == 2 and len(self.groups[1]) == 1 < len(self.groups[0]):
            return self.groups[1][0]
        return None


@dataclass(frozen=True)
class IssueComparison:
    """An issue that the engines settle differently."""

    issue: str
    choices: tuple[tuple[str, ...], ...]
    """Those of each engine; empty where its answers rule out nothing."""
    evidence: tuple[CaseComparison, ...]
    """The cases that the engines answer differently, and that rule out choices."""


@dataclass(frozen=True)
class Comparison:
    """What several runs of the same cases show of their engines. Every string in it is printable."""

    reports: tuple[Report, ...]
    cases: tuple[CaseComparison, ...]
    agreements: Mapping[tuple[int, int], Agreement]
    issues: tuple[IssueComparison, ...]
    groups: tuple[tuple[int, ...], ...]
    """The engines that answer every case alike."""
    contradictions: Sequence[Sequence[Sequence[str]]]
    """For each engine the cases, by their keys, whose answers fit no ruleset together."""

    @property
    def alike(self) -> bool:
        """Whether all engines answer every case alike, the judged outcomes of orders included."""
        return len(self.groups) == 1 and not self.of_kind("words")

    @property
    def differing(self) -> tuple[CaseComparison, ...]:
        """The cases that not all who answered answer alike."""
        return self.of_kind("differing")

    def of_kind(self, kind: Kind) -> tuple[CaseComparison, ...]:
        return tuple(case for case in self.cases if case.kind == kind)

    def agreement(self, one: int, other: int) -> Agreement:
        """How often two engines, in either order, answer alike."""
        return self.agreements[min(one, other), max(one, other)]

    def alone(self, place: int) -> tuple[CaseComparison, ...]:
        """The cases in which an engine differs from all the others, who agree."""
        return tuple(case for case in self.cases if case.odd_one_out == place)

    def answered(self, place: int) -> int:
        """How many cases an engine answered."""
        return sum(place not in case.unanswered for case in self.cases)


def answer_letter(number: int) -> str:
    """Name an answer: A to Z, then A1 and so on."""
    turn, at = divmod(number, len(ascii_uppercase))
    return f"{ascii_uppercase[at]}{turn or ''}"


def comparison_data(comparison: Comparison) -> dict[str, object]:
    """Return what several runs show of their engines, for JSON. Engines go by their place in `engines`, from 0 on."""
    reports = comparison.reports
    return contract(
        "comparison",
        engines=[report.engine for report in reports],
        rulesets=[report.ruleset.name for report in reports],
        complete=[report.complete for report in reports],
        restarts=[report.restarts for report in reports],
        answered=[comparison.answered(place) for place in range(len(reports))],
        agreements=[
            {"engines": pair, "alike": found.alike, "both": found.both} for pair, found in comparison.agreements.items()
        ],
        groups=comparison.groups,
        issues={each.issue: each.choices for each in comparison.issues},
        contradictions=comparison.contradictions,
        cases=[
            {
                "case": case.key,
                "kind": case.kind,
                "verdicts": case.verdicts,
                "groups": case.groups,
                "silent": case.unanswered,
                "odd_one_out": case.odd_one_out,
            }
            for case in comparison.cases
        ],
    )
