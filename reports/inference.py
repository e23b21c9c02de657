"""What an inference found, as data. Its JSON is a stable contract, as that of a report."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..cases.suite import short_key
from .report import CarriedData, CaseData, EngineData, HarnessData, RestartData, RulesetData, unanswered_sentences
from .statements import UNTESTED, Evidence, MissingPart, MutantData, Statement


class InferenceReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the answers of an engine say of its rules. Cases go by their `short_key`.

    An engine that plays what it is asked for is found to play `ruleset`; the verdicts of the cases are by that, too.
    """

    format: int = 1
    type: Literal["inference"] = "inference"
    harness: HarnessData
    engine: EngineData
    ruleset: RulesetData
    """What the requests ask for."""
    every_case: bool
    """Every case was asked; otherwise only those that still told something."""
    asked: int
    interrupted: bool = False
    """A Ctrl-C ended it before every case was asked and every choice tested."""
    choices: dict[str, list[str]]
    """For each issue the choices that belong to some ruleset which all answers fit."""
    proof: dict[str, list[str]]
    """For each issue the cases that rule the other choices out; one that a confirmed bug explains shows no choice."""
    open: dict[str, str]
    """Why several choices are left, or the one that is left could not be tested, unless new positions refute them."""
    evidence: dict[str, Evidence] = {}
    """What new positions say of the choice, for each issue with one choice left, and for each where none of several
    stands, with the others as `alike`; empty where it was not tested."""
    looks_like: list[MutantData] = []
    """The confirmed bugs."""
    missing_parts: list[MissingPart] = []
    """The parts of the rules that the engine lacks."""
    left: dict[str, list[str]] = {}
    """For each issue of whose choices none stood its test, those beside the first: `alike` has them, too."""
    contradictions: list[list[str]]
    """Sets of cases whose answers fit no ruleset together, none of which can be left out; they count for no choice."""
    bugs: list[str]
    """The cases whose answers fit no ruleset at all."""
    unsupported: list[str]
    """The cases that the engine could not be asked, or did not answer."""
    restarts: list[RestartData] = []
    """When the process of the engine broke down, and why."""
    carried: CarriedData | msgspec.UnsetType = msgspec.UNSET
    """Where its cases were carried to, where they are not as their documents have them."""
    cases: list[CaseData]
    """Those that were asked. Their `choices` are what the answer leaves of each issue of which it leaves not all."""

    @property
    def unanswered(self) -> list[str]:
        """Say in a sentence that it was interrupted, or that not one case was answered; nothing otherwise."""
        if self.interrupted:
            return ["Interrupted: this is from what was asked until then."]
        return unanswered_sentences(self.asked, self.asked - len(self.unsupported))

    def played(self, issue: str) -> list[str]:
        """Name the choice that is settled, and those that no position told apart from it, as every command does."""
        return [self.choices[issue][0], *self.statement(issue).evidence.alike]

    def statement(self, issue: str) -> Statement:
        """Say it of the first choice that the answers leave of an issue."""
        return Statement(choices={issue: self.choices[issue][0]}, evidence=self.evidence.get(issue, UNTESTED))


def settled_issues(inference: InferenceReport) -> list[str]:
    """The issues of which one choice is left, and stood its test if anything was tested."""
    return [
        issue
        for issue in inference.choices
        if issue not in inference.open and inference.statement(issue).evidence.stands
    ]


def cases_by_key(inference: InferenceReport) -> dict[str, CaseData]:
    """Find the cases by the keys that the other fields have of them."""
    return {short_key(case.key): case for case in inference.cases}
