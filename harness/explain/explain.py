"""Explains a case or a position, phase by phase, and what an engine makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...adapters import Capabilities, Engine, EngineFailure, UnsupportedError
from ...adapters.conversion import result_message
from ...cases import Case, CasePhase
from ...reference_engine import Adjudication, GivenOrder, Ruleset
from ...reference_engine.explanation import MovementExplanation, explain_movement
from ..session.playing import Moment, moment
from ..session.questions import ask_phase, before
from ..verdict.asking import Rules
from ..verdict.judging import AskedPhase
from .accounts import OrderAccount, as_written, movement_accounts
from .choices import Change, explaining_choices, issues_of
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
    orders: Sequence[OrderAccount] = ()
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
    engine: tuple[Engine, Capabilities] | None = None

    def explain(self, case: Case) -> Sequence[PhaseAccount]:
        """Explain the phases of a case in turn, up to the first on which the engine differs.

        Raises `ReferenceEngineError` for a position that there is not, and for rules that are not played, and
        `EngineGaveOutError` and `EngineClosedError` where the engine does.
        """
        phases: list[PhaseAccount] = []
        by_engine: list[AskedPhase] = []
        adjudication: Adjudication | None = None
        for phase in case.phases:
            played = moment(phase, adjudication)
            adjudication = played.adjudicate(self.rules.ruleset)
            explained = _explained(played, self.rules.ruleset)
            account = _account(played, adjudication, explained, self.rules.ruleset)
            if self.engine is not None:
                account = replace(account, engine=self._ask(*self.engine, played, adjudication, explained, by_engine))
            phases.append(account)
            if account.engine is not None and (account.engine.error or account.engine.differences):
                break
        return phases

    def _ask(
        self,
        engine: Engine,
        capabilities: Capabilities,
        played: Moment,
        adjudication: Adjudication,
        explained: MovementExplanation | None,
        by_engine: list[AskedPhase],
    ) -> EngineAccount:
        """Ask an engine for a phase, going on from its own answer to the one before."""
        ruleset, phase = self.rules.ruleset, played.phase
        standing = before(phase, by_engine)
        try:
            said = ask_phase(engine, capabilities, phase, standing, ruleset, self.rules.notation)
        except (UnsupportedError, EngineFailure) as error:
            return EngineAccount(error=str(error))
        by_engine.append(AskedPhase(phase, standing.units, standing.dislodged_units, said))
        right = result_message(adjudication, phase.phase)
        found = differences(right, said, _judged(phase, ruleset) or {})
        if not found:
            return EngineAccount()
        choices = explaining_choices(
            ruleset,
            issues_of(phase.phase, one_clear_set=_one_clear_set(played) is not None),
            lambda other: (played.adjudicate(other), _judged(phase, other)),
            lambda other: other[1] is not None and same_answer(result_message(other[0], phase.phase), said, other[1]),
        )
        first = first_difference(explained, right, said) if explained is not None else ""
        return EngineAccount(differences=found, first=first, choices=choices)


def _judged(phase: CasePhase, ruleset: Ruleset) -> Mapping[int, str] | None:
    """The orders of which a case says what comes of them under a ruleset: their texts, by their index.

    `None` where it says that the rules, so chosen, give no answer.
    """
    expected = phase.expected(ruleset.choices)
    if expected is None:
        return {}
    return None if expected.no_answer else {index: phase.orders[index].text for index in sorted(expected.orders)}


def _explained(played: Moment, ruleset: Ruleset) -> MovementExplanation | None:
    """The reasoning behind a movement phase; of other phases, and where orders are not clear, there is none."""
    orders = _one_clear_set(played)
    if played.phase.phase != "movement" or orders is None:
        return None
    return explain_movement(played.position, orders, ruleset)


def _account(
    played: Moment, adjudication: Adjudication, explained: MovementExplanation | None, ruleset: Ruleset
) -> PhaseAccount:
    """Account for what the reference makes of a phase."""
    phase = played.phase
    account = PhaseAccount(phase.phase, phase.season, phase.year)
    if explained is None:
        remark = (
            "" if _one_clear_set(played) is not None else "The orders are not one clear set: only outcomes are told."
        )
        return replace(account, orders=later_accounts(played, adjudication, ruleset), remark=remark)
    written = {unit: as_written(explained, unit) for unit in range(len(played.position.units))}
    return replace(
        account,
        orders=movement_accounts(explained, played.texts),
        decisions=[Decision(written[step.unit], step.succeeds, step.cycle) for step in explained.equations.steps],
        cycles=cycle_accounts(explained),
        contested=sorted(adjudication.contested),
    )


def _one_clear_set(played: Moment) -> list[GivenOrder] | None:
    """The orders of a phase, where nothing has to be settled about them first."""
    return None if played.position.flying_dutchmen else played.submission.as_one_clear_set()
