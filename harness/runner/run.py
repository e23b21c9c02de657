"""A run: asks an engine cases, and yields what happens as events."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...adapters import (
    Engine,
    EngineClosedError,
    EngineGaveOutError,
    EngineIdentity,
    EngineSpec,
    EngineStartError,
)
from ...cases import Case
from ...reports import (
    CaseData,
    CaseFinished,
    EngineData,
    Event,
    HarnessData,
    Report,
    RulesetData,
    RunFinished,
    RunStarted,
    is_compliant,
    summarize,
    summarize_boards,
)
from ..concurrency import map_ordered
from ..diagnosis.diagnosis import diagnose
from ..session import Adjudicator, EngineAdjudicator
from ..verdict import Rules, ask_case, unasked


@dataclass
class Run:
    """The cases to ask of one engine. `events` asks them; `finish` can end it at any time."""

    engine: Engine
    spec: EngineSpec
    cases: Sequence[Case]
    rules: Rules
    harness_version: str
    jobs: int = 1
    """How many cases are asked at once."""
    diagnoses: bool = False
    """Whether it says at its end which mutants the failures look like."""
    _identity: EngineData | None = None
    _finished: list[CaseData] = field(default_factory=list)
    _trouble: str = ""
    _began: float = field(default_factory=time.perf_counter)

    def events(self) -> Iterator[Event]:
        """Ask all cases. An engine that cannot be started, or stops responding, leaves the rest `not-run`."""
        try:
            started = self.engine.start()
        except EngineStartError as error:
            self._trouble = str(error)
        else:
            self._identity = engine_data(self.spec, started.engine)
            yield RunStarted(self._harness(), self._identity, self._ruleset(), len(self.cases))
            rules = self.rules
            adjudicator = EngineAdjudicator(self.engine, started.capabilities, rules.ruleset, rules.notation)
            for case in self._ask_all(adjudicator):
                self._finished.append(case)
                yield CaseFinished(case)
        yield self.finish(self._trouble)

    def to_the_end(self) -> Report:
        """Ask all cases and give what was found."""
        try:
            return next(event.report for event in self.events() if isinstance(event, RunFinished))
        finally:
            self.engine.close()

    def finish(self, trouble: str = "") -> RunFinished:
        """End the run with what was found so far; `trouble` says why not all was asked."""
        self.engine.close()
        rest = [unasked(case, trouble) for case in self.cases[len(self._finished) :]]
        cases = [*self._finished, *rest]
        return RunFinished(
            Report(
                harness=self._harness(),
                engine=self._identity or EngineData(spec=self.spec.text, name=self.spec.text),
                ruleset=self._ruleset(),
                complete=not trouble,
                incomplete_reason=trouble,
                compliant=is_compliant(cases, complete=not trouble),
                seconds=round(time.perf_counter() - self._began, 3),
                summary=summarize(cases),
                board_summary=summarize_boards(cases),
                cases=cases,
                looks_like=diagnose(cases, self.cases, self.rules.ruleset) if self.diagnoses and not trouble else [],
            )
        )

    def _ask_all(self, adjudicator: Adjudicator) -> Iterator[CaseData]:
        """Ask the cases, several at once where wanted, and give them in order."""
        return map_ordered(lambda case: self._ask(adjudicator, case), self.cases, self.jobs, self.engine.close)

    def _ask(self, adjudicator: Adjudicator, case: Case) -> CaseData:
        if self._trouble:
            return unasked(case, self._trouble)
        try:
            return ask_case(adjudicator, case, self.rules)
        except (EngineGaveOutError, EngineClosedError) as error:
            self._trouble = str(error)
            return unasked(case, self._trouble)

    def _harness(self) -> HarnessData:
        return HarnessData(name="datc-check", version=self.harness_version)

    def _ruleset(self) -> RulesetData:
        return RulesetData(name=self.rules.ruleset.name, choices=dict(self.rules.ruleset.choices))


def engine_data(spec: EngineSpec, identity: EngineIdentity) -> EngineData:
    """Put into a report who an engine says that it is."""
    return EngineData(spec=spec.text, name=identity.name, version=identity.version, url=identity.url)
