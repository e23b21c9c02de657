"""Which choices an engine makes, as data. Its JSON is a contract: fields are added, never renamed or taken away."""

from __future__ import annotations

from typing import Literal

import msgspec

from .report import CaseData, EngineData, HarnessData, RulesetData


class InferenceReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the answers of an engine say of its rules. Cases go by their suite and id, those of `datc-3.1` by their id.

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
    choices: dict[str, list[str]]
    """For each issue the choices that belong to some ruleset which all answers fit."""
    proof: dict[str, list[str]]
    """For each issue the cases that rule the other choices out."""
    open: dict[str, str]
    """Why several choices are left, for each issue where they are."""
    contradictions: list[list[str]]
    """Sets of cases whose answers fit no ruleset together, none of which can be left out; they count for no choice."""
    bugs: list[str]
    """The cases whose answers fit no ruleset at all."""
    unsupported: list[str]
    """The cases that the engine could not be asked, or did not answer."""
    cases: list[CaseData]
    """Those that were asked. Their `choices` are what the answer leaves of each issue of which it leaves not all."""


def cases_by_key(inference: InferenceReport) -> dict[str, CaseData]:
    """Find the cases by the keys that the other fields have of them."""
    return {f"{case.suite}/{case.id}".removeprefix("datc-3.1/"): case for case in inference.cases}
