"""`expected.toml` of a bridge: the cases that its engine does not pass, and why. A run must come to the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ...adapters import Bridge
from ...adapters.bridges import EXPECTED
from ...cases import Case
from ...reference_engine import ISSUES, PHASES, Phase
from ...reference_engine.toml import TOMLDecodeError, loads
from ...reports import CaseData, Verdict
from ..errors import ExpectationError


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

    def counts(self) -> dict[str, int]:
        """Count the cases that it names, by verdict."""
        return dict(Counter(case.verdict for case in self.cases.values()))

    def row(self, case: Case) -> tuple[Verdict, list[str]]:
        """Say what a case comes to: its verdict, and the issues that explain it."""
        if case.id in self.cases:
            expected = self.cases[case.id]
            return expected.verdict, sorted(expected.issues)
        if any(phase.phase not in self.phases for phase in case.phases):
            return "unsupported", []
        return "passed", []

    def differences(self, cases: Sequence[Case], found: Sequence[CaseData]) -> Iterator[str]:
        """Say where a run came to something else, in either direction."""
        by_id: Mapping[str, CaseData] = {case.id: case for case in found}
        for case in cases:
            wanted = self.row(case)
            got = (by_id[case.id].verdict, sorted(by_id[case.id].deviations))
            if got != wanted:
                yield f"{case.id} is {_show(*got)}, expected {_show(*wanted)}"
        known = {case.id for case in cases}
        yield from (f"{name} is expected, but no case of {self.suite}" for name in self.cases if name not in known)


def read_expected(bridge: Bridge) -> Expected:
    """Read what is expected of a bridge. Raises `ExpectationError` with the file and the key."""
    file = bridge.folder / EXPECTED
    try:
        expected = msgspec.convert(loads(file.read_text(encoding="utf-8")), Expected)
    except OSError as error:
        raise ExpectationError(f"{file}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, TOMLDecodeError, msgspec.ValidationError) as error:
        raise ExpectationError(f"{file}: {error}") from error
    for name, case in expected.cases.items():
        if unknown := [issue for issue in case.issues if issue not in ISSUES]:
            raise ExpectationError(f"{file}: case {name} names {', '.join(unknown)}, which is no issue")
        if bool(case.issues) != (case.verdict == "deviated"):
            raise ExpectationError(f"{file}: case {name}: a deviation has issues, and nothing else has")
    if (expected.engine, expected.version) != (bridge.table.engine, bridge.table.version):
        raise ExpectationError(f"{file} is of {expected.engine} {expected.version}, not of what the bridge is to")
    return expected


def _show(verdict: Verdict, issues: Sequence[str]) -> str:
    return f"{verdict} ({', '.join(issues)})" if issues else verdict
