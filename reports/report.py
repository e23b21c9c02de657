"""What a run or an inference found, as data, and the events of a run.

The JSON of a report is a stable contract: fields are added, never renamed or removed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, Protocol, TypeAlias

import msgspec

from ..cases.suite import CaseName, Edition, Placement
from ..reference_engine import Board, standard_board
from ..reference_engine.maps import STANDARD, load_board, map_names
from .statements import MissingPart, MutantData, TestedChoices

FORMAT = 1
"""The number of the contract: another one where a field would mean something else."""

Verdict: TypeAlias = Literal["passed", "deviated", "failed", "declared", "unsupported", "error", "not-run"]
"""What a run says of a case (docs/verdicts.md)."""
VERDICTS: tuple[Verdict, ...] = ("passed", "deviated", "failed", "declared", "unsupported", "error", "not-run")
"""Every `Verdict`, in the order in which summaries count them."""
ACCEPTED: frozenset[Verdict] = frozenset({"passed", "declared"})
"""The verdicts that a compliant engine may have."""
WRONG: frozenset[Verdict] = frozenset({"failed", "deviated"})
"""The verdicts of wrong answers, which a bug or a choice may explain."""
MOST_DECLARED = 0.25
"""The greatest share of declared cases with which an engine is still called compliant; one may always be."""


class UnitData(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A unit on the board."""

    power: str
    type: str
    location: str


class DislodgedData(msgspec.Struct, frozen=True, kw_only=True):
    """A dislodged unit. `retreats` is `None` where they are not given."""

    unit: UnitData
    attacked_from: str | None = None
    retreats: list[str] | None = None


class OrderSetData(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The order set that an order is from."""

    number: int = 1
    mark: str = ""
    """`replaces` or `extends`, where it is known what the set does with the earlier ones of its power."""
    in_sequence: bool = True
    """Whether the sequence of the order sets is known: that of their numbers."""
    beforehand: bool = False
    """Whether the order was known before orders were written."""


class OrderData(msgspec.Struct, frozen=True, kw_only=True):
    """An order, what was expected of it, and the outcome that the engine gave."""

    power: str
    text: str
    place: str = ""
    """`order_set` in words."""
    order_set: OrderSetData | msgspec.UnsetType = msgspec.UNSET
    """Where its power submitted several order sets, or it was known before."""
    expected: str | None = None
    """`succeeds`, `fails`, `cut`, `void` or `illegal` where the document says so."""
    outcome: str | None = None
    """`succeeds` or `fails`; `None` where the engine did not give it."""
    reason: str | None = None


class BoardData(msgspec.Struct, frozen=True, kw_only=True):
    """A board."""

    units: list[UnitData]
    dislodged: list[DislodgedData] | None = None
    """`None` where the answer does not give them."""


class ExpectedData(msgspec.Struct, frozen=True, kw_only=True):
    """What was expected of a phase."""

    choices: dict[str, list[str]]
    """The choices under which this is expected; empty for any that no other expectation names."""
    basis: str
    units: list[UnitData]
    dislodged: list[UnitData]
    may_retreat: list[str] = []
    may_not_retreat: list[str] = []


class FactData(msgspec.Struct, frozen=True, kw_only=True):
    """One difference between an expected answer and an actual one."""

    kind: str
    """`unit-missing`, `unit-unexpected`, `dislodgement-missing`, `dislodgement-unexpected`, `retreat-missing`,
    `retreat-unexpected`; `outcome` of an order; of a board that cannot exist `impossible-place`, `unit-twice`,
    `province-twice`, `standing-and-dislodged`, `dislodged-from-nowhere`, `unit-from-nowhere`."""
    unit: UnitData | None = None
    """The unit that it is about; `None` for the outcome of an order."""
    expected: str = ""
    actual: str = ""
    order: int | None = None
    """For an outcome: the index of the order."""


class NearestData(msgspec.Struct, frozen=True, kw_only=True):
    """The expectation that a wrong answer comes nearest to."""

    choices: dict[str, str]
    """The choices, other than those in force, under which it is expected; empty where it is the one in force."""
    facts: list[FactData]
    """What differs from it."""


class PhaseData(msgspec.Struct, frozen=True, kw_only=True):
    """One phase of a case: what was asked, expected, and answered."""

    phase: str
    season: str
    year: int
    before: BoardData
    centers: dict[str, list[str]]
    orders: list[OrderData]
    expected: ExpectedData | None
    """`None` where the ruleset in force has no answer."""
    answer: BoardData | None
    """`None` where the engine gave none."""
    facts: list[FactData] = []
    """What is wrong with the answer; none where it is the one expected."""
    differences: list[str] = []
    """The same, a sentence each."""
    not_given: list[str] = []
    """What the engine left out of its answer that would have been checked."""
    map: str | msgspec.UnsetType = msgspec.UNSET
    """The map that it is on, where that is not the standard one."""
    explanation: str = ""
    """Why what is expected is right, in a paragraph, for the first phase whose answer differs; else empty."""
    broken_rule: str = ""
    """What the answer to that phase does that breaks a rule, where it is wrong under every rule choice: `"it counts …,
    though … attacks it (DATC 5.B.2)"`. Empty where nothing can be said."""

    @property
    def board(self) -> Board:
        """The board of its map, or the standard one where it is not a map of the project."""
        return board_named(self.map or STANDARD)

    @property
    def turn(self) -> str:
        """Name its season and year as the map does: "spring 1901"."""
        return self.board.turn_name(self.season, self.year)

    @property
    def missing(self) -> frozenset[UnitData]:
        """The units that are expected, on the board or dislodged, and not there."""
        return frozenset(fact.unit for fact in self.facts if fact.unit and fact.kind.endswith("-missing"))

    @property
    def unexpected(self) -> frozenset[UnitData]:
        """The units that are there, on the board or dislodged, and should not be."""
        others = ("outcome", "attacked-from", "unit-missing", "dislodgement-missing", "retreat-missing")
        return frozenset(fact.unit for fact in self.facts if fact.unit and fact.kind not in others)


def board_named(name: str) -> Board:
    """Return the board of a map, or the standard one where it is not a map of the project."""
    return load_board(name) if name in map_names() else standard_board()


class CaseData(msgspec.Struct, frozen=True, kw_only=True):
    """A case and its verdict."""

    id: str
    suite: str
    section: str
    section_title: str = ""
    title: str
    issues: list[str]
    verdict: Verdict
    board_verdict: Verdict | None = None
    """The verdict by the board alone, whatever the engine says of orders; `None` where that is not known."""
    reason: str = ""
    """Why, in a sentence, where the verdict is not `passed`."""
    choices: dict[str, list[str]] = {}
    """For each issue that the case tells apart, the choices that the answer fits."""
    deviations: dict[str, list[str]] = {}
    """For a deviation, the fewest issues to settle otherwise, and how, so that the answer were the one expected."""
    nearest: NearestData | None = None
    """For a failure, the expectation that the answer comes nearest to."""
    notes: list[str] = []
    """What does not touch the verdict: another word for why an order failed, a declared deviation that passes."""
    log: list[str] = []
    """For an error: the details of an error answer, then what the engine logged since the request; shortened."""
    remark: str = ""
    source: str = ""
    """The address of the page that the case comes from, where it has one of its own."""
    seconds: float = 0.0
    phases: list[PhaseData] = []
    expected: ExpectedData | None = None
    """That of the phase which decided: the first that differs, otherwise the last."""
    answer: BoardData | None = None
    file: str = ""
    """The file that has the case: from the root of this project, or as the author named a suite of their own."""
    line: int = 1
    since: str = ""
    """The edition of its suite that added or changed it; empty for the first one."""
    skipped: str = ""
    """Why the config skips it (`[run.skip]`). It was not asked: that fails no run, and does not count as passed."""
    trace: str = ""
    """The file that has what was sent and answered, where the run wrote one (`--trace`)."""
    placement: Placement | msgspec.UnsetType = msgspec.UNSET
    """Where it was carried to, where it is not as its document has it."""

    @property
    def key(self) -> str:
        """Its suite and its id, which no other case has both: `datc-3.1/6.F.9`."""
        return f"{self.suite}/{self.id}"

    @property
    def is_answered(self) -> bool:
        """Whether the engine gave an answer to it, right or wrong."""
        return self.verdict in ("passed", "deviated", "failed") or any(phase.answer for phase in self.phases)

    @property
    def name(self) -> CaseName:
        return CaseName(suite=self.suite, id=self.id)

    @property
    def of_document(self) -> CaseName:
        """The case that it was carried from, if it was: what a document has."""
        return self.placement.origin if self.placement else self.name

    @property
    def board_is_right(self) -> bool:
        """Whether it did not pass, but only what the engine says of an order differs."""
        return self.verdict != "passed" and self.board_verdict == "passed"

    @property
    def differences(self) -> list[str]:
        """What is wrong with the answers, a sentence each."""
        return [difference for phase in self.phases for difference in phase.differences]


class RestartData(msgspec.Struct, frozen=True, kw_only=True):
    """The process of the engine ended, or was ended because it broke the protocol: the next request starts it again."""

    cases: list[CaseName]
    """Those that were being asked, or else the one that was asked last; none at the start and for other positions."""
    reason: str
    log: list[str] = []
    """What it logged since it was asked that; shortened."""


class EngineData(msgspec.Struct, frozen=True, kw_only=True):
    """The engine under test."""

    spec: str
    """What the author typed: `builtin`, `exec:...`, a name."""
    name: str
    version: str = ""
    url: str = ""


class RulesetData(msgspec.Struct, frozen=True, kw_only=True):
    """The rules in force."""

    name: str
    choices: dict[str, str]


class HarnessData(msgspec.Struct, frozen=True, kw_only=True):
    """What made the report."""

    name: str
    version: str


class FailingData(msgspec.Struct, frozen=True, kw_only=True):
    """A case that fails a run."""

    case: CaseName
    why: str


class GateData(msgspec.Struct, frozen=True, kw_only=True):
    """What was to fail a run, and what does."""

    fail_on: list[str]
    """The verdicts, and `failed-board` and `deviated-board` for wrong boards alone."""
    strict: bool = False
    """A declared deviation that passes fails it, too, and one that only a pattern without choices declares."""
    baseline: str = ""
    """The file with what was so before: only what is worse fails the run. Empty without one."""
    editions: dict[str, str] = {}
    """The editions that suites are pinned to: a case that a later edition added or changed fails no run."""
    warnings: list[str] = []
    """Why the baseline may not fit, and what patterns without choices declare, a sentence each."""
    stopped_after: int = 0
    """The run was ended after so many cases that fail it (`--max-fail`); 0 where it was not."""
    failing: list[FailingData]
    passed: bool
    """Every case was asked, and none fails the run: exit code 0."""


class SearchData(msgspec.Struct, frozen=True, kw_only=True):
    """What was searched for differences, by a hunt, a replay or a shadow. Its cases that did not pass are causes."""

    positions: int
    """How many were asked."""
    disagreements: int
    """To how many of them an engine answered something else; the causes are fewer."""
    against: str
    """What the answers were compared with: `the reference engine`, or another engine."""


class NotCarriedData(msgspec.Struct, frozen=True, kw_only=True):
    """A case that was not asked, or not as often as it was wanted, since the map has no places for it."""

    case: CaseName
    title: str
    why: str


class CarriedData(msgspec.Struct, frozen=True, kw_only=True):
    """Where the cases of a run were carried to."""

    map: str
    placements: int
    """How many there should be of each case."""
    seed: int
    """The number that they follow from."""
    not_carried: list[NotCarriedData]
    """They count neither as passed nor as failed."""

    @property
    def options(self) -> list[str]:
        """The options with which a command carries cases to the same places."""
        return ["--map", self.map, "--carry-over", str(self.placements), "--seed", str(self.seed)]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A whole run."""

    format: int = FORMAT
    type: Literal["report"] = "report"
    harness: HarnessData
    engine: EngineData
    ruleset: RulesetData
    complete: bool
    """Every selected case was asked, but for those that the config skips."""
    incomplete_reason: str = ""
    compliant: bool
    """Every case passed or is declared: what the DATC asks before an engine may call itself compliant."""
    seconds: float
    summary: dict[Verdict, int]
    board_summary: dict[Verdict, int] = {}
    """The same by the boards alone: cases whose board is right, whatever the engine says of orders, count as passed."""
    cases: list[CaseData]
    suites: list[Edition] = []
    """The editions that the cases are from."""
    restarts: list[RestartData] = []
    """Each time that the process of the engine broke down, in their order."""
    looks_like: list[MutantData] = []
    """The mutants that the failed cases look like, the likeliest first; none where nothing failed."""
    tested_choices: list[TestedChoices] = []
    """The choices that would explain answers, and what experiments say of each."""
    missing_parts: list[MissingPart] = []
    """The parts of the rules that the engine lacks, those first on which the others rest."""
    gate: GateData | None = None
    """What fails the run; `None` where nobody asked."""
    search: SearchData | None = None
    """For a hunt or a shadow: what was searched; `None` for a run of cases."""
    config: str = ""
    """The config of the run, from the root of the repository that it is in; empty where there was none."""
    carried: CarriedData | msgspec.UnsetType = msgspec.UNSET
    """Where its cases were carried to, where they are not as their documents have them."""

    @property
    def not_carried(self) -> list[NotCarriedData]:
        return self.carried.not_carried if self.carried else []


def by_verdict(cases: Iterable[CaseData]) -> dict[Verdict, list[CaseData]]:
    """Return the cases with each verdict, in their order; an empty list for a verdict that none has."""
    found: dict[Verdict, list[CaseData]] = {verdict: [] for verdict in VERDICTS}
    for case in cases:
        found[case.verdict].append(case)
    return found


def summarize(cases: Iterable[CaseData], *, by_board: bool = False) -> dict[Verdict, int]:
    """Count the cases with each verdict, 0 for one that none has; `by_board`: of the boards alone, if it is known."""
    counts: dict[Verdict, int] = dict.fromkeys(VERDICTS, 0)
    for case in cases:
        counts[(by_board and case.board_verdict) or case.verdict] += 1
    return counts


def counted_verdicts(cases: Iterable[CaseData]) -> list[tuple[Verdict, int, str]]:
    """Return each verdict that some case has, and `passed` if one is declared, with how many have it, and a note.

    The note says in how many failed or deviated cases the board is right, or how many cases the config skips.
    """
    found: list[tuple[Verdict, int, str]] = []
    sorted_cases = by_verdict(cases)
    for verdict, mine in sorted_cases.items():
        note = ""
        right, skipped = sum(case.board_is_right for case in mine), sum(bool(case.skipped) for case in mine)
        if verdict == "not-run" and skipped:
            note = f" ({'' if skipped == len(mine) else f'{skipped} '}skipped by the config)"
        elif verdict in WRONG and right:
            all_of = "all " if right == len(mine) else ""
            note = f" (the board is right{f' in {all_of}{right}' if len(mine) > 1 else ''})"
        if mine or (verdict == "passed" and sorted_cases["declared"]):
            found.append((verdict, len(mine), note))
    return found


def is_compliant(cases: Collection[CaseData], *, complete: bool) -> bool:
    """Whether a run shows compliance: every selected case passed or is declared: few are."""
    are_accepted = bool(cases) and all(case.verdict in ACCEPTED for case in cases)
    return complete and are_accepted and not too_many_declared(cases)


def too_many_declared(cases: Collection[CaseData]) -> str:
    """Say how many cases may be declared, after a semicolon, where more are; otherwise nothing."""
    most = max(1, int(len(cases) * MOST_DECLARED))
    return f"; at most {most} may be declared" if summarize(cases)["declared"] > most else ""


def unanswered_sentences(asked: int, answered: int) -> list[str]:
    """Say that none of the cases that an engine was asked has an answer; nothing where one has."""
    what = f"None of {counted(asked, 'case')} was answered" if asked else "No case was asked"
    return [] if answered else [f"{what}: nothing is known of the engine."]


def engine_name(engine: EngineData) -> str:
    """Name an engine and its version."""
    return f"{engine.name} {engine.version}".strip()


def counted(count: int, noun: str) -> str:
    """Count something whose plural ends in "s": "1 case" or "164 cases"."""
    return f"{count} {noun}{'s' * (count != 1)}"


class RunStarted(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="run"):
    """The engine answered to `initialize`, and the cases are about to be asked."""

    format: int = FORMAT
    harness: HarnessData
    engine: EngineData
    ruleset: RulesetData
    cases: int
    """How many are to be asked."""


class CaseFinished(msgspec.Struct, frozen=True):
    """A case has its verdict. Cases finish in the order of their suites."""

    case: CaseData


class RunFinished(msgspec.Struct, frozen=True):
    """Nothing more will be asked, whether or not all was."""

    report: Report


Event: TypeAlias = RunStarted | CaseFinished | RunFinished
"""What a run yields."""


class Handler(Protocol):
    """An output of a run."""

    def handle(self, event: Event) -> None:
        """Process an event."""
