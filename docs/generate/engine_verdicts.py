"""The engines of the site: those with a bridge, and those whose authors added a run.

The verdicts on engines with a bridge are those of its `expected.toml`. The tests compare these with what the engine
answers. Those on other engines are from the stored runs in `docs/runs`, as far as they follow from the answers there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from stored_runs import StoredEngine, stored_engines

from datc.adapters.bridges import Bridge, bridge_names, find_bridge
from datc.cases import Case, load_suite
from datc.cases.suite import USUAL_EDITION
from datc.harness.run.runner import read_expected
from datc.reports import VERDICTS, CaseData, Verdict
from datc.reports.text import one_line

_LONGEST_TITLE = 60


class CaseVerdict(NamedTuple):
    """The verdict on an engine in a case."""

    case: Case
    verdict: Verdict
    issues: Sequence[str]
    """For a deviation, the issues that explain it."""
    why: str
    data: CaseData | None
    """What the engine answered; `None` where no run is stored."""


class ShownEngine(NamedTuple):
    """An engine and its verdicts."""

    name: str
    """It in addresses."""
    own_name: str
    version: str
    language: str
    """In which it is written; empty where that is not known."""
    licence: str
    """Empty where it is not known."""
    home: str
    """Its own page; empty where none is known."""
    has_bridge: bool
    verdicts: Mapping[str, CaseVerdict]
    """For each case of the usual suite, by id."""
    stored: StoredEngine | None
    """What `docs/runs` has of it."""

    @property
    def about(self) -> Sequence[str]:
        """Return what is known of it: its language, its licence."""
        known = (("in", self.language), ("under the licence", self.licence))
        return [f"{words} {what}" for words, what in known if what]

    @property
    def title(self) -> str:
        """Return its own name, with its version."""
        return one_line(f"{self.own_name} {self.version}".strip(), _LONGEST_TITLE)

    @property
    def url(self) -> str:
        """Return the address of its page, from the root of the site."""
        return f"engines/{self.name}/"

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """Count its cases by verdict, in the order of the verdicts."""
        return self.counts_in(list(self.verdicts))

    def counts_in(self, ids: Sequence[str]) -> Mapping[Verdict, int]:
        """Count some cases by verdict."""
        found = Counter(self.verdicts[each].verdict for each in ids)
        return {verdict: found[verdict] for verdict in VERDICTS if found[verdict]}


@cache
def shown_engines() -> Sequence[ShownEngine]:
    """Return every engine, the one that passes most cases first."""
    stored = stored_engines()
    engines = [_bridged(find_bridge(name), stored.get(name)) for name in bridge_names()]
    engines += [engine_of_run(each) for name, each in stored.items() if name not in bridge_names()]
    return sorted(engines, key=lambda engine: (-engine.counts.get("passed", 0), engine.name))


def verdicts_on(case: Case) -> Sequence[tuple[ShownEngine, CaseVerdict]]:
    """Return the verdict on every engine in a case; none for cases of other suites."""
    if case.suite != USUAL_EDITION:
        return []
    return [(engine, engine.verdicts[case.id]) for engine in shown_engines()]


def engine_of_run(stored: StoredEngine) -> ShownEngine:
    """Return an engine without a bridge, as its stored run has it."""
    cases = {case.id: case for case in load_suite(USUAL_EDITION).cases}
    verdicts = {
        name: CaseVerdict(cases[name], data.verdict, [*data.deviations], data.reason, data)
        for name, data in stored.cases.items()
    }
    named = stored.run.engine
    home = named.url if named.url.startswith("https://") else ""
    own = one_line(named.name, _LONGEST_TITLE), one_line(named.version, _LONGEST_TITLE)
    return ShownEngine(stored.name, *own, "", "", home, has_bridge=False, verdicts=verdicts, stored=stored)


def _bridged(bridge: Bridge, stored: StoredEngine | None) -> ShownEngine:
    expected, table = read_expected(bridge), bridge.table
    verdicts: dict[str, CaseVerdict] = {}
    for case in load_suite(expected.suite).cases:
        verdict, issues = expected.row(case)
        known = expected.cases.get(case.id)
        why = known.why if known else "The engine does not play such a phase." if verdict == "unsupported" else ""
        verdicts[case.id] = CaseVerdict(case, verdict, issues, why, stored and stored.cases[case.id])
    about = (table.engine, table.version, table.language, table.licence, table.url)
    return ShownEngine(bridge.name, *about, has_bridge=True, verdicts=verdicts, stored=stored)
