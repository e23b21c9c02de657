"""Explains a case or a position, phase by phase, and what an engine makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ...adapters import (
    AdjudicateParams,
    AdjudicateResult,
    Capabilities,
    Engine,
    EngineFailure,
    UnsupportedError,
)
from ...adapters.builtin import BuiltinEngine, Reference
from ...adapters.conversion import read_position
from ...cases import Case, CasePhase
from ...reference_engine import (
    GivenOrder,
    Position,
    ReferenceEngineError,
    Ruleset,
    Submission,
    UnplayedChoiceError,
    adjudicate,
)
from ...reference_engine.explanation import MovementExplanation, explain_movement
from ..asking import Rules
from ..judging import AskedPhase
from ..questions import Before, ask_phase, before
from .accounts import OrderAccount, as_written, movement_accounts
from .choices import Change, explaining_choices
from .cycles import CycleAccount, cycle_accounts
from .differences import differences, same_answer
from .fates import first_difference
from .later_phases import later_accounts


@dataclass(frozen=True)
class Decision:
    """An order whose outcome became certain."""

    order: str
    succeeds: bool
    cycle: int
    """The number of the cycle that a rule settled with it, or -1."""


@dataclass(frozen=True)
class EngineAccount:
    """What an engine makes of a phase, and how that differs."""

    error: str = ""
    """Why it gave no answer."""
    differences: Sequence[str] = ()
    first: str = ""
    """The first order, in the sequence of the decisions, that came out otherwise."""
    choices: Sequence[Change] = ()
    """The fewest changes to the rules in force under which the answer is right; none where there are none."""


@dataclass(frozen=True)
class PhaseAccount:
    """What the reference engine makes of a phase."""

    phase: str
    season: str
    year: int
    orders: Sequence[OrderAccount]
    decisions: Sequence[Decision] = ()
    cycles: Sequence[CycleAccount] = ()
    contested: Sequence[str] = ()
    """The provinces left vacant by a standoff."""
    remark: str = ""
    """Why some of it cannot be explained."""
    engine: EngineAccount | None = None


@dataclass
class Explainer:
    """Explains cases under some rules, beside an engine if there is one."""

    rules: Rules
    engine: Engine | None = None
    capabilities: Capabilities = field(default_factory=lambda: Reference().identity().capabilities)

    def explain(self, case: Case) -> Sequence[PhaseAccount]:
        """Explain the phases of a case in turn, up to the first on which the engine differs.

        Raises `ReferenceEngineError` for a position that there is not, and for rules that are not played.
        """
        phases: list[PhaseAccount] = []
        by_reference: list[AskedPhase] = []
        by_engine: list[AskedPhase] = []
        for phase in case.phases:
            standing = before(phase, by_reference)
            answer = self._ask_reference(phase, standing, self.rules.ruleset)
            account, explained = _account(phase, standing, self.rules.ruleset)
            if self.engine is not None:
                theirs = before(phase, by_engine)
                said, found = self._ask_engine(phase, standing, theirs, answer, explained)
                account = replace(account, engine=found)
                if said is not None:
                    by_engine.append(AskedPhase(phase, theirs.units, theirs.dislodged_units, said))
            phases.append(account)
            by_reference.append(AskedPhase(phase, standing.units, standing.dislodged_units, answer))
            if account.engine is not None and (account.engine.error or account.engine.differences):
                break
        return phases

    def _ask_reference(self, phase: CasePhase, standing: Before, ruleset: Ruleset) -> AdjudicateResult:
        reference = BuiltinEngine(Reference())
        try:
            return ask_phase(reference, reference.start().capabilities, phase, standing, ruleset, "document")
        except UnsupportedError as error:
            raise UnplayedChoiceError(str(error)) from error
        except EngineFailure as error:
            raise ReferenceEngineError(str(error)) from error

    def _ask_engine(
        self,
        phase: CasePhase,
        standing: Before,
        theirs: Before,
        answer: AdjudicateResult,
        explained: MovementExplanation | None,
    ) -> tuple[AdjudicateResult | None, EngineAccount]:
        assert self.engine is not None  # noqa: S101 - only asked where there is one
        rules = self.rules
        try:
            said = ask_phase(self.engine, self.capabilities, phase, theirs, rules.ruleset, rules.notation)
        except (UnsupportedError, EngineFailure) as error:
            return None, EngineAccount(error=str(error))
        found = differences(answer, said)
        if not found:
            return said, EngineAccount()
        choices = explaining_choices(
            rules.ruleset,
            lambda ruleset: self._ask_reference(phase, standing, ruleset),
            lambda other: same_answer(other, said),
        )
        first = first_difference(explained, answer, said) if explained is not None else ""
        return said, EngineAccount(differences=found, first=first, choices=choices)


def _account(
    phase: CasePhase, standing: Before, ruleset: Ruleset
) -> tuple[PhaseAccount, MovementExplanation | None]:
    """Account for what the reference makes of a phase."""
    position = phase.position or _position(phase, standing)
    orders = _one_clear_set(phase)
    texts = [order.text for order in phase.orders]
    if phase.phase != "movement" or orders is None:
        submission = Submission([order.submitted for order in phase.orders], phase.marks, phase.in_sequence)
        adjudication = adjudicate(position, submission, ruleset)
        remark = "" if orders is not None else "several sets, unclear orders or proxies: only the outcomes are told"
        accounts = later_accounts(position, phase, adjudication, ruleset)
        return PhaseAccount(phase.phase, phase.season, phase.year, accounts, remark=remark), None
    explained = explain_movement(position, orders, ruleset)
    written = {unit: as_written(explained, unit) for unit in range(len(position.units))}
    decisions = [Decision(written[step.unit], step.succeeds, step.cycle) for step in explained.equations.steps]
    account = PhaseAccount(
        phase.phase,
        phase.season,
        phase.year,
        movement_accounts(explained, texts),
        decisions,
        cycle_accounts(explained),
        sorted(explained.adjudication.contested),
    )
    return account, explained


def _position(phase: CasePhase, standing: Before) -> Position:
    return read_position(
        AdjudicateParams(
            phase=phase.phase,
            units=list(standing.unit_messages),
            dislodged=list(standing.dislodged or ()) if phase.phase == "retreat" else [],
            centers={power: list(owned) for power, owned in phase.centers.items()},
        )
    )


def _one_clear_set(phase: CasePhase) -> list[GivenOrder] | None:
    """The orders of a phase, where nothing has to be settled about them first."""
    if phase.position is not None and phase.position.flying_dutchmen:
        return None
    return Submission([order.submitted for order in phase.orders], phase.marks, phase.in_sequence).as_one_clear_set()
