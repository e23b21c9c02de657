"""A run: asks an engine cases, and yields what happens as events; what a bridge expects of its run."""

from __future__ import annotations

import contextlib
import time
from _thread import start_new_thread
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeVar

import msgspec

from ...adapters import Engine, EngineClosedError, EngineGaveOutError, EngineSpec, EngineStartError
from ...adapters.engine import POLL_INTERVAL
from ...adapters.protocol import EngineIdentity
from ...cases import Case
from ...cases.suite import CaseName
from ...reference_engine import EVERY_ISSUE, Phase
from ...reference_engine.orders import PHASES
from ...reference_engine.toml import TOMLDecodeError, loads
from ...reports import CaseData, CaseFinished, EngineData, Event, Report, RunFinished, RunStarted, Verdict
from ...reports.report import WRONG, CarriedData, RestartData, is_compliant, summarize
from ...reports.statements import UNSTABLE
from ...reports.text import LOG_LINES, shortened
from ..errors import ExpectationError
from ..play.case_verdicts import ask_case, with_tests, worst_of
from ..play.engine import EngineAdjudicator
from ..play.report_data import edition_data, harness_data, ruleset_data, unasked
from ..play.session import Adjudicator
from ..play.trace import Trace, trace_name
from ..play.verdict import Rules

if TYPE_CHECKING:
    from ...adapters.bridges import Bridge
    from ..bugs.diagnosis import Diagnosis

_T = TypeVar("_T")
_R = TypeVar("_R")


class Run(msgspec.Struct):
    """The cases to ask of one engine. `events` asks them; `finish` can end it at any time."""

    engine: Engine
    spec: EngineSpec
    cases: Sequence[Case]
    rules: Rules
    jobs: int = 1
    """How many cases are asked at once."""
    repeat: int = 1
    """How many times each case is asked."""
    explains: bool = True
    """Whether it says why the expected outcome of a case is right, where the answer is another one."""
    diagnoses: bool = False
    """Whether it says at its end which mutants the failures look like."""
    experiments: bool = True
    """Whether that is tested by new questions before it is said."""
    seed: int = 0
    """Which new questions those are."""
    traces: Path | None = None
    """The folder in which it writes down what it asks."""
    config: str = ""
    """Its config, from the root of the repository."""
    carried: CarriedData | None = None
    """Where its cases were carried to, if they were."""
    _identity: EngineData | None = None
    _diagnosis: Diagnosis | None = None
    _finished: list[CaseData] = []
    _trouble: str = ""
    _began: float = msgspec.field(default_factory=time.perf_counter)

    def events(self) -> Generator[Event]:
        """Ask all cases. An engine that cannot be started, or stops responding, leaves the rest `not-run`."""
        try:
            started = self.engine.start()
        except EngineStartError as error:
            self._trouble = str(error)
        else:
            self._identity = engine_data(self.spec, started.engine)
            rules, cases = self.rules, len(self.cases)
            yield RunStarted(
                harness=harness_data(), engine=self._identity, ruleset=ruleset_data(rules.ruleset), cases=cases
            )
            adjudicator = EngineAdjudicator(self.engine, started.capabilities, rules.ruleset, rules.notation)
            asked = map_ordered(lambda case: self._ask(adjudicator, case), self.cases, self.jobs, self.engine.close)
            for case in asked:
                self._finished.append(case)
                yield CaseFinished(case)
            if self.diagnoses and not self._trouble and any(case.verdict in WRONG for case in self._finished):
                self._diagnosis = self._diagnose(adjudicator)
                self._finished = [with_tests(case, *self._diagnosis) for case in self._finished]
        yield self.finish(self._trouble)

    def to_the_end(self, on_case: Callable[[], None] | None = None) -> Report:
        """Ask all cases and return what was found. `on_case` is called after each case."""
        try:
            for event in self.events():
                if isinstance(event, RunFinished):
                    return event.report
                if on_case is not None and isinstance(event, CaseFinished):
                    on_case()
        finally:
            self.engine.close()
        raise AssertionError("a run ends with its report")

    def interrupted(self) -> Report:
        """Return what was found before a Ctrl-C."""
        is_done = len(self._finished) == len(self.cases) and not (self._trouble or self.diagnoses)
        return self.finish("" if is_done else "interrupted").report

    def finish(self, trouble: str = "") -> RunFinished:
        """End the run with what was found so far; `trouble` says why not all was asked."""
        self.engine.close()
        cases = [*self._finished, *(unasked(case, trouble) for case in self.cases[len(self._finished) :])]
        return RunFinished(
            Report(
                harness=harness_data(),
                engine=self._identity or EngineData(spec=self.spec.text, name=self.spec.text),
                ruleset=ruleset_data(self.rules.ruleset),
                complete=not trouble,
                incomplete_reason=trouble,
                compliant=is_compliant(cases, complete=not trouble),
                seconds=round(time.perf_counter() - self._began, 3),
                summary=summarize(cases),
                board_summary=summarize(cases, by_board=True),
                cases=cases,
                suites=edition_data(self.cases),
                restarts=restart_data(self.engine),
                looks_like=self._diagnosis.mutants if self._diagnosis else [],
                tested_choices=self._diagnosis.choices if self._diagnosis else [],
                missing_parts=list(self._diagnosis.missing) if self._diagnosis else [],
                config=self.config,
                carried=self.carried or msgspec.UNSET,
            )
        )

    def _diagnose(self, adjudicator: Adjudicator) -> Diagnosis:
        """Say what the wrong answers look like, tested by new questions as far as the engine answers them."""
        # Here, since it takes long to import.
        from ..bugs.diagnosis import Diagnosis, answers_change, diagnose, diagnose_by_experiments, fitted_choices

        ruleset = self.rules.ruleset
        if self.experiments:
            with contextlib.suppress(EngineGaveOutError, EngineClosedError):
                if not answers_change(adjudicator, self._finished, self.cases, self.rules):
                    return diagnose_by_experiments(self._finished, self.cases, ruleset, adjudicator, seed=self.seed)
                found = diagnose(self._finished, self.cases, ruleset)  # New questions would confirm nothing.
                return Diagnosis([msgspec.structs.replace(each, evidence=UNSTABLE) for each in found], [])
        fitted = fitted_choices(self._finished, self.cases, ruleset)
        return Diagnosis(diagnose(self._finished, self.cases, ruleset), fitted)

    def _ask(self, adjudicator: EngineAdjudicator, case: Case) -> CaseData:
        if self.traces is None:
            return self._ask_case(adjudicator, case)
        with contextlib.closing(Trace(self.traces / trace_name(case))) as trace:
            asked = self._ask_case(adjudicator.traced(trace), case)
            return msgspec.structs.replace(asked, trace=trace.path)

    def _ask_case(self, adjudicator: Adjudicator, case: Case) -> CaseData:
        if self._trouble:
            return unasked(case, self._trouble)
        if (reason := self.rules.skipped_reason(case.id)) is not None:
            return msgspec.structs.replace(unasked(case, f"skipped by the config: {reason}"), skipped=reason)
        try:
            asked = worst_of([ask_case(adjudicator, case, self.rules) for _ in range(self.repeat)])
            if not self.explains or not any(phase.facts for phase in asked.phases):
                return asked
            from ..explain.case import with_explanation  # Here, since it takes long to import.

            return with_explanation(asked, case, self.rules.ruleset)
        except (EngineGaveOutError, EngineClosedError) as error:
            self._trouble = str(error)
            return unasked(case, self._trouble)


def restart_data(engine: Engine) -> list[RestartData]:
    """Put into a report how often the process of an engine broke down."""
    found: list[RestartData] = []
    for restart in engine.restarts:
        cases, log = [CaseName.of_key(key) for key in restart.about], shortened(restart.log, LOG_LINES)
        found.append(RestartData(cases=cases, reason=restart.reason, log=log))
    return found


def engine_data(spec: EngineSpec, identity: EngineIdentity) -> EngineData:
    """Put into a report who an engine says that it is."""
    version = f"{identity.version} ({spec.version_note})" if spec.version_note else identity.version
    return EngineData(spec=spec.text, name=identity.name, version=version.strip(), url=identity.url)


class ExpectedCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[cases."6.A.6"]`: a case that does not pass."""

    verdict: Verdict
    why: str
    """What in the engine makes it so."""
    issues: list[str] = []
    """The issues that explain it, where it is a deviation."""


class Expected(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file. A case with a phase that the engine does not play is `unsupported` and has no line of its own."""

    engine: str
    version: str
    suite: str
    cases: dict[str, ExpectedCase]
    phases: list[Phase] = msgspec.field(default_factory=lambda: list(PHASES))
    """The phases that it plays."""

    def row(self, case: Case) -> tuple[Verdict, list[str]]:
        """Return what is expected of a case: its verdict, and the issues that explain it."""
        if expected := self.cases.get(case.id):
            return expected.verdict, sorted(expected.issues)
        is_played = all(phase.phase in self.phases for phase in case.phases)
        return "passed" if is_played else "unsupported", []

    def differences(self, cases: Sequence[Case], found: Sequence[CaseData]) -> Iterator[str]:
        """Name the verdicts of a run that are not as expected, better or worse."""
        by_id = {case.id: case for case in found}
        for case in cases:
            data, wanted = by_id[case.id], self.row(case)
            # Tests may have refuted every choice under which an answer is right; the file has what it deviates by.
            verdict: Verdict = "deviated" if data.deviations and data.verdict == "failed" else data.verdict
            got: tuple[Verdict, list[str]] = verdict, sorted(data.deviations)
            if got != wanted:
                yield f"{case.id} is {_show(*got)}, expected {_show(*wanted)}"
        known = {case.id for case in cases}
        yield from (f"{name} is expected, but no case of {self.suite}" for name in self.cases if name not in known)


def read_expected(bridge: Bridge) -> Expected:
    """Read what is expected of a bridge. Raises `ExpectationError` with the file and the key."""
    from ...adapters.bridges import EXPECTED

    file = bridge.folder / EXPECTED
    try:
        expected = msgspec.convert(loads(file.read_text(encoding="utf-8")), Expected)
    except OSError as error:
        raise ExpectationError(f"{file}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, TOMLDecodeError, msgspec.ValidationError) as error:
        raise ExpectationError(f"{file}: {error}") from error
    for name, case in expected.cases.items():
        if unknown := [issue for issue in case.issues if issue not in EVERY_ISSUE]:
            raise ExpectationError(f"{file}: case {name} names {', '.join(unknown)}, which is no issue")
        if bool(case.issues) != (case.verdict == "deviated"):
            raise ExpectationError(f"{file}: case {name}: a deviation has issues, and nothing else has")
    if (expected.engine, expected.version) != (bridge.table.engine, bridge.table.version):
        raise ExpectationError(f"{file} is of {expected.engine} {expected.version}, not of what the bridge is to")
    return expected


def _show(verdict: Verdict, issues: Sequence[str]) -> str:
    return f"{verdict} ({', '.join(issues)})" if issues else verdict


def map_ordered(work: Callable[[_T], _R], items: Sequence[_T], jobs: int, give_up: Callable[[], None]) -> Iterator[_R]:
    """Work on up to `jobs` items at once; `give_up` ends what is being worked on when nobody waits for the rest.

    Who waits for results takes none of the pool's locks: a Ctrl-C while one is taken would leave it locked for ever.
    """
    if jobs <= 1:
        yield from map(work, items)
        return
    from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait  # Here: long to import.

    results: SimpleQueue[Future[_R]] = SimpleQueue()
    ended: SimpleQueue[None] = SimpleQueue()
    is_started = is_done = is_over = False

    def attempt(item: _T) -> _R:
        if is_over:
            raise CancelledError
        return work(item)

    def feed() -> None:
        try:
            with ThreadPoolExecutor(jobs) as pool:
                for future in [pool.submit(attempt, item) for item in items]:
                    _ = wait([future])
                    results.put(future)
        except RuntimeError as error:  # There may be no thread to be had.
            failed: Future[_R] = Future()
            failed.set_exception(error)
            results.put(failed)
        finally:
            ended.put(None)

    def next_result() -> _R:
        while True:
            with contextlib.suppress(Empty):
                return results.get(timeout=POLL_INTERVAL).result()

    try:
        _ = start_new_thread(feed, ())  # `Thread.start` takes locks, too.
        is_started = True
        for _ in items:
            yield next_result()
        is_done = True
    finally:
        is_over = True
        if not is_done:  # Such as a Ctrl-C.
            give_up()
        if is_started:
            ended.get()
