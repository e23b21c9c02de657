"""The pytest plugin, once an engine is named: collects the cases beside the author's own tests and runs each as a test.

A case is the test `SUITE::CASE`, such as `datc-3.1::6.F.9`, which pytest takes as an argument, too. Without arguments,
or with one that is the whole project, all are collected.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast, final

import pytest

from ...adapters import Engine, EngineClosedError, EngineGaveOutError, EngineStartError
from ...cases import Case, select_cases
from ...cases.suite import Edition
from ...reference_engine import EVERY_ISSUE, DatcCheckError
from ...reference_engine.errors import nearest, printable
from ...reports import CaseData
from ...reports.gate import FAILING
from ...reports.report import counted, unanswered_sentences
from ...reports.terminal import case_text
from ...reports.text import ci_escape
from ...reports.wording import restart_lines
from ..config.config import FILE_NAME, NO_CONFIG
from ..config.preparing import check_case_names, find_cases, open_config_engine
from ..explain.case import with_explanation
from ..play.case_verdicts import ask_case
from ..play.engine import EngineAdjudicator
from ..play.report_data import edition_data, ruleset_data
from ..play.session import Adjudicator
from ..play.verdict import Rules
from ..run.gate import ONLY_BY_PATTERN, ONLY_NEW, Gate, counts, read_config_baseline
from ..run.runner import restart_data

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr, TracebackStyle

_WIDTH = 80


class CaseNotPassedError(AssertionError):
    """A case that was answered, and not as it is expected. Its text shows the case."""

    def __init__(self, case: CaseData) -> None:
        super().__init__(ci_escape(case_text(case, _WIDTH)))
        self.summary: str = _summary(case)


class DeclaredCaseError(CaseNotPassedError):
    """The same of a case whose declaration covers the answer."""


class EngineTroubleError(Exception):
    """The engine could not be asked, or broke down when it was."""

    def __init__(self, summary: str, log: Sequence[str] = ()) -> None:
        self.summary: str = ci_escape(printable(summary))
        super().__init__(ci_escape("\n".join([self.summary, *(f"  {printable(line)}" for line in log)])))


def _summary(case: CaseData) -> str:
    """Say the verdict and why in a line; what is wrong, where no choice explains it."""
    why = case.differences[0] if case.verdict == "failed" and case.differences else case.reason
    return ci_escape(printable(f"{case.verdict}: {why}"))


def marker(name: str) -> str:
    """Name the marker of a section or an issue: `datc_4_A_2` for 4.A.2, `datc_v3_2_4_A_4` for v3.2-4.A.4."""
    return f"datc_{name.replace('.', '_').replace('-', '_')}"


def markers(cases: Sequence[Case]) -> dict[str, str]:
    """Give the markers of the sections that some cases are from, and of all issues, with what each means."""
    sections = {marker(case.section): f"cases of section {case.section}, {case.section_title}" for case in cases}
    issues = {marker(i.id): f"cases whose outcome depends on issue {i.id}, {i.title}" for i in EVERY_ISSUE.values()}
    return {**sections, **issues}


@final
@dataclass
class Asking:
    """The engine of a session: it is started when the first case is asked, and then asked all of them."""

    engine: Engine
    rules: Rules
    gate: Gate
    suites: Sequence[Edition]
    _adjudicator: Adjudicator | None = None
    _trouble: str = ""

    def ask(self, case: Case) -> CaseData:
        """Give a case its verdict. Raises `EngineTroubleError` where the engine cannot be asked, or not any more."""
        if self._trouble:
            raise EngineTroubleError(self._trouble)
        try:
            if self._adjudicator is None:
                can, rules, base = self.engine.start(), self.rules, self.gate.baseline
                self._adjudicator = EngineAdjudicator(self.engine, can.capabilities, rules.ruleset, rules.notation)
                mine = can.engine.name, ruleset_data(rules.ruleset), self.suites
                for misfit in base.misfits(*mine) if base else ():
                    warnings.warn(printable(misfit), pytest.PytestWarning, stacklevel=2)
            return with_explanation(ask_case(self._adjudicator, case, self.rules), case, self.rules.ruleset)
        except EngineStartError as error:
            self._trouble = f"the engine could not be started: {error}"
        except (EngineGaveOutError, EngineClosedError) as error:
            self._trouble = str(error)
        raise EngineTroubleError(self._trouble)


_ANSWERED, _BY_PATTERN, _SKIPPED = "answered", "declared by a pattern alone", "skipped by the config"
_NEW = "new in this edition, not gated"


class DatcSuite(pytest.Collector):
    """The cases of a suite that are to be asked."""

    def __init__(self, *, cases: Sequence[Case], asking: Asking, **node: Any) -> None:  # noqa: ANN401 - as pytest has it
        super().__init__(**node)
        self._cases: Sequence[Case] = cases
        self._asking: Asking = asking

    def collect(self) -> Iterator[DatcCase]:
        make = cast("Callable[..., DatcCase]", DatcCase.from_parent)
        for case in self._cases:
            yield make(self, name=case.id, case=case, asking=self._asking)


class DatcCase(pytest.Item):
    """A case as a test, with its markers. A declared deviation is expected to fail."""

    kind: str = "not asked"  # for the count at the end

    def __init__(self, *, case: Case, asking: Asking, **node: Any) -> None:  # noqa: ANN401 - as pytest has it
        super().__init__(**node)  # pyright: ignore[reportUnknownMemberType] - as pytest has it
        self.case: Case = case
        self._asking: Asking = asking
        for name in ("datc", marker(case.section), *map(marker, case.issues)):
            self.add_marker(name)
        if reason := asking.rules.declared_reason(case.id):
            self.add_marker(pytest.mark.xfail(reason=printable(reason), raises=DeclaredCaseError, strict=False))

    def runtest(self) -> None:
        rules = self._asking.rules
        if reason := rules.skipped_reason(self.case.id):
            self.kind = _SKIPPED
            pytest.skip(printable(f"datc.toml skips it: {reason}"))
        found = self._asking.ask(self.case)
        unanswered = "unsupported" if found.verdict == "declared" else found.verdict
        self.kind = _ANSWERED if counts(found, rules.declared) else _BY_PATTERN if found.is_answered else unanswered
        if is_new := self._asking.gate.is_new(found):
            self.kind = _NEW
        why = self._asking.gate.why_failing(found, rules.declared)
        summary = _summary(found)
        if found.verdict == "passed":
            if why is not None:
                pytest.fail(ci_escape(printable(f"{why}: {rules.declared_reason(self.case.id)}")), pytrace=False)
            return
        if why is None and found.verdict != "declared":
            let_through = pytest.skip if found.verdict in ("unsupported", "not-run") else pytest.xfail
            let_through(f"{summary}; {_NEW if is_new else 'datc.toml does not fail on that'}")
        if found.verdict in ("error", "not-run"):
            raise EngineTroubleError(summary, found.log)
        raise (DeclaredCaseError if found.verdict == "declared" else CaseNotPassedError)(found)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: TracebackStyle | None = None
    ) -> str | TerminalRepr:
        if not isinstance(excinfo.value, (CaseNotPassedError, EngineTroubleError)):
            return super().repr_failure(excinfo, style)
        shown = excinfo.getrepr(style="value")
        if shown.reprcrash is not None:
            shown.reprcrash.message = excinfo.value.summary  # for the short summary at the end
        return shown

    def reportinfo(self) -> tuple[os.PathLike[str], int, str]:
        return self.path, 0, f"{self.case.id} {self.case.title}"


@final
class CasesPlugin:
    """Collects the cases of a session, and holds the engine that they are asked of."""

    def __init__(self, config: pytest.Config, unknown: Sequence[str]) -> None:
        """Raises `pytest.UsageError` for what is wrong with the options or `datc.toml`, and for an unknown key."""
        known = [name for name in vars(config.option) if name.startswith("datc_")]
        for key in unknown:
            raise pytest.UsageError(f"datc: the config of pytest has an unknown key {key!r}{nearest(key, known)}")
        suites: Sequence[str] = _option(config, "datc_suite")
        path = config.rootpath / (_option(config, "datc_config") or FILE_NAME)
        if not _option(config, "datc_config") and not path.is_file():
            path = NO_CONFIG
        engine, ruleset = _option(config, "datc_engine") or None, _option(config, "datc_ruleset") or None
        try:
            self._prepared = open_config_engine(engine, path, None, ruleset, {}, suites)
            cases = find_cases(suites, _option(config, "datc_select"))
            check_case_names(self._prepared.config, suites)
            table = self._prepared.config.run
            fail_on, baseline = frozenset(table.fail_on or FAILING), read_config_baseline(table.baseline)
            self._gate = Gate(fail_on, table.strict, baseline, pins=table.editions)
        except DatcCheckError as error:
            raise pytest.UsageError(f"datc: {error}") from error
        self._kinds, self._silence, self._editions = dict[str, str](), "", edition_data(cases)
        for name, meaning in markers(find_cases(suites, ())).items():
            config.addinivalue_line("markers", f"{name}: {meaning}")
        names = dict.fromkeys(case.suite for case in cases)
        self._suites = _wanted(config, {name: [case for case in cases if case.suite == name] for name in names})
        file = config.rootpath / FILE_NAME
        self._place = file if file.is_file() else config.rootpath
        config.add_cleanup(self._prepared.engine.close)

    def pytest_report_header(self) -> str:
        spec, ruleset = self._prepared.spec, self._prepared.rules.ruleset
        suites = [f"{counted(len(cases), 'case')} of {name}" for name, cases in self._suites.items()]
        return f"datc: engine {spec.text}, ruleset {ruleset.name}, {', '.join(suites) or 'no cases'}"

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put into the report of a case whether it was answered: a worker hands its reports over to the session."""
        report = yield
        if isinstance(item, DatcCase) and (report.when == "call" or not report.passed):
            vars(report)["datc"] = item.kind
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if kind := vars(report).get("datc"):
            self._kinds[report.nodeid] = kind

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail a session in which no case has an answer that counts. Of a worker's cases, others may have them."""
        kinds = [*self._kinds.values()]
        if kinds and _ANSWERED not in kinds and not hasattr(session.config, "workerinput"):
            asked = len(kinds) - kinds.count(_SKIPPED)
            new = kinds.count(_NEW)
            why = ONLY_NEW if new == asked else ONLY_BY_PATTERN
            (self._silence,) = unanswered_sentences(asked, kinds.count(_BY_PATTERN) + new) or [why]
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Count the cases that were answered and the others, and say how often the engine broke down."""
        if self._kinds:
            kinds = {_ANSWERED: 0, **Counter(sorted(self._kinds.values()))}
            terminalreporter.write_line(f"datc: {', '.join(f'{count} {kind}' for kind, count in kinds.items())}")
        if self._silence:
            terminalreporter.write_line(f"datc: {self._silence}", red=True)
        for line in restart_lines(restart_data(self._prepared.engine)):
            terminalreporter.write_line(printable(line))

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Put the suites behind what else the session collects."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            asking = Asking(self._prepared.engine, self._prepared.rules, self._gate, self._editions)
            make = cast("Callable[..., DatcSuite]", DatcSuite.from_parent)
            suites = [
                make(collector, name=name, nodeid=name, path=self._place, cases=cases, asking=asking)
                for name, cases in self._suites.items()
            ]
            report.result = [*(report.result or ()), *suites]
        return report


def _option(config: pytest.Config, name: str) -> Any:  # noqa: ANN401 - a text, or several
    return config.getoption(name) or config.getini(name)


def _wanted(config: pytest.Config, suites: Mapping[str, Sequence[Case]]) -> Mapping[str, Sequence[Case]]:
    """Keep the cases that the arguments name, and take those arguments from pytest, which knows files alone."""
    if config.args_source != pytest.Config.ArgsSource.ARGS:
        return suites
    named: dict[str, list[str]] = {}
    others: list[str] = []
    root = config.rootpath.resolve()
    for argument in config.args:
        name, _, selection = argument.partition("::")
        path = config.invocation_params.dir / name  # From another folder, pytest shows a suite as a path.
        found = next((suite for suite in suites if name == suite or path.resolve() == (root / suite).resolve()), None)
        if found is None or path.exists():
            others.append(argument)
        else:
            named.setdefault(found, []).append(selection)
    if not named:
        # Where the engine is named on the command line, or an argument is the folder of the project or one above it.
        paths = [(config.invocation_params.dir / argument.partition("::")[0]).resolve() for argument in config.args]
        is_whole = any(path == root or path in root.parents for path in paths)
        return suites if is_whole or config.getoption("datc_engine") else {}
    config.args = others
    for name, selections in named.items():
        for selection in () if "" in selections else selections:
            if not select_cases(suites[name], [selection]):
                raise pytest.UsageError(f"datc: {name}::{selection}: there is no such case, section or issue to ask")
    return {
        name: suites[name] if "" in selections else select_cases(suites[name], selections)
        for name, selections in named.items()
    }
