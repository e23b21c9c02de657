"""What pytest collects and runs: a test for each case, with the verdict as its outcome."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, final

import pytest

from ...adapters import Engine, EngineClosedError, EngineGaveOutError, EngineStartError
from ...cases import Case
from ...reference_engine import ISSUES, printable
from ...reports import CaseData
from ..gate import Failing, fails
from ..session import Adjudicator, EngineAdjudicator
from ..verdict import Rules, ask_case

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr, TracebackStyle

_WIDTH = 80


class CaseNotPassedError(AssertionError):
    """A case that was answered, and not as it is expected. Its text shows the case."""

    def __init__(self, case: CaseData) -> None:
        from ...reports.terminal import case_text

        super().__init__(case_text(case, _WIDTH))
        self.summary: str = _summary(case)


class EngineTroubleError(Exception):
    """The engine could not be asked, or broke down when it was."""

    def __init__(self, summary: str) -> None:
        super().__init__(printable(summary))
        self.summary: str = str(self)


def _summary(case: CaseData) -> str:
    """Say the verdict and why in a line; what is wrong, where no choice explains it."""
    differences = [difference for phase in case.phases for difference in phase.differences]
    why = differences[0] if case.verdict == "failed" and differences else case.reason
    return printable(f"{case.verdict}: {why}")


def marker(name: str) -> str:
    """Name the marker of a section or an issue: `datc_4_A_2` for 4.A.2."""
    return f"datc_{name.replace('.', '_')}"


def markers(cases: Sequence[Case]) -> dict[str, str]:
    """Give the markers of the sections that some cases are from, and of all issues, with what each means."""
    sections = {marker(case.section): f"cases of section {case.section}, {case.section_title}" for case in cases}
    issues = {marker(i.id): f"cases whose outcome depends on issue {i.id}, {i.title}" for i in ISSUES.values()}
    return {**sections, **issues}


@final
@dataclass
class Asking:
    """The engine of a session: it is started when the first case is asked, and then asked all of them."""

    engine: Engine
    rules: Rules
    fail_on: frozenset[Failing]
    _adjudicator: Adjudicator | None = None
    _trouble: str = field(default="")

    def ask(self, case: Case) -> CaseData:
        """Give a case its verdict. Raises `EngineTroubleError` where the engine cannot be asked, or not any more."""
        if self._trouble:
            raise EngineTroubleError(self._trouble)
        try:
            if self._adjudicator is None:
                can = self.engine.start().capabilities
                self._adjudicator = EngineAdjudicator(self.engine, can, self.rules.ruleset, self.rules.notation)
            return ask_case(self._adjudicator, case, self.rules)
        except EngineStartError as error:
            self._trouble = f"the engine could not be started: {error}"
        except (EngineGaveOutError, EngineClosedError) as error:
            self._trouble = str(error)
        raise EngineTroubleError(self._trouble)


class DatcSuite(pytest.Collector):
    """The cases of a suite that are to be asked."""

    def __init__(self, *, cases: Sequence[Case], asking: Asking, **node: Any) -> None:  # noqa: ANN401 - as pytest has it
        """`node` is what pytest gives every node."""
        super().__init__(**node)
        self._cases: Sequence[Case] = cases
        self._asking: Asking = asking

    def collect(self) -> Iterator[DatcCase]:
        make = cast("Callable[..., DatcCase]", DatcCase.from_parent)
        for case in self._cases:
            yield make(self, name=case.id, case=case, asking=self._asking)


class DatcCase(pytest.Item):
    """A case as a test, with its markers. A declared deviation is expected to fail, and not to pass."""

    def __init__(self, *, case: Case, asking: Asking, **node: Any) -> None:  # noqa: ANN401 - as pytest has it
        """`node` is what pytest gives every node."""
        super().__init__(**node)  # pyright: ignore[reportUnknownMemberType] - as pytest has it
        self.case: Case = case
        self._asking: Asking = asking
        for name in ("datc", marker(case.section), *map(marker, case.issues)):
            self.add_marker(name)
        if reason := asking.rules.declared.get(case.id):
            self.add_marker(pytest.mark.xfail(reason=printable(reason), raises=CaseNotPassedError, strict=True))

    def runtest(self) -> None:
        found = self._asking.ask(self.case)
        summary = _summary(found)
        if found.verdict == "passed":
            return
        if found.verdict in ("unsupported", "not-run"):
            pytest.skip(summary)
        if found.verdict != "declared" and not fails(found, self._asking.fail_on):
            pytest.xfail(f"{summary}; datc.toml does not fail on that")
        if found.verdict == "error":
            raise EngineTroubleError(summary)
        raise CaseNotPassedError(found)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: TracebackStyle | None = None
    ) -> str | TerminalRepr:
        if not isinstance(excinfo.value, (CaseNotPassedError, EngineTroubleError)):
            return super().repr_failure(excinfo, style)
        shown = excinfo.getrepr(style="value")
        if shown.reprcrash is not None:
            shown.reprcrash.message = excinfo.value.summary  # for the short summary at the end
        return shown

    def reportinfo(self) -> tuple[os.PathLike[str], int | None, str]:
        return self.path, None, f"{self.case.id} {self.case.title}"


def suite(session: pytest.Session, name: str, path: Path, cases: Sequence[Case], asking: Asking) -> DatcSuite:
    """Make the collector of a suite, under the name that its tests have before their `::`."""
    make = cast("Callable[..., DatcSuite]", DatcSuite.from_parent)
    return make(session, name=name, nodeid=name, path=path, cases=cases, asking=asking)
