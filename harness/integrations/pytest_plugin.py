"""The pytest plugin, once an engine is named: collects the cases beside the author's own tests.

A case is the test `SUITE::CASE`, such as `datc-3.1::6.F.9`, which pytest takes as an argument, too. Without arguments,
or with one that is the whole project, all are collected.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import cast, final

import pytest

from ...cases import Case, select_cases
from ...reference_engine import DatcCheckError
from ...reports import counted
from ..gate import FAILING
from ..settings.config import FILE_NAME, NO_CONFIG
from ..settings.preparing import Prepared, check_deviations, find_cases, open_config_engine
from .pytest_items import Asking, markers, suite


@final
class CasesPlugin:
    """Collects the cases of a session, and holds the engine that they are asked of."""

    def __init__(self, config: pytest.Config) -> None:
        """Raises `pytest.UsageError` for what is wrong with the options or `datc.toml`."""
        try:
            self._prepared = _prepare(config)
            suites = _listed(config, "datc_suite")
            cases = find_cases(suites, _listed(config, "datc_select"))
            check_deviations(self._prepared.config.deviations, suites)
        except DatcCheckError as error:
            raise pytest.UsageError(f"datc: {error}") from error
        for name, meaning in markers(find_cases(suites, ())).items():
            config.addinivalue_line("markers", f"{name}: {meaning}")
        self._suites = _wanted(config, _by_suite(cases))
        file = config.rootpath / FILE_NAME
        self._place = file if file.is_file() else config.rootpath
        config.add_cleanup(self._prepared.engine.close)

    def pytest_report_header(self) -> str:
        """Say what is asked."""
        spec, ruleset = self._prepared.spec, self._prepared.rules.ruleset
        suites = [f"{counted(len(cases), 'case')} of {name}" for name, cases in self._suites.items()]
        return f"datc: engine {spec.text}, ruleset {ruleset.name}, {', '.join(suites) or 'no cases'}"

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Put the suites behind what else the session collects."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            rules, table = self._prepared.rules, self._prepared.config.run
            asking = Asking(self._prepared.engine, rules, frozenset(table.fail_on or FAILING))
            suites = [suite(collector, name, self._place, cases, asking) for name, cases in self._suites.items()]
            report.result = [*(report.result or ()), *suites]
        return report


def _prepare(config: pytest.Config) -> Prepared:
    file = _single(config, "datc_config")
    path = config.rootpath / (file or FILE_NAME)
    if not file and not path.is_file():
        path = NO_CONFIG
    return open_config_engine(_single(config, "datc_engine"), path, None, _single(config, "datc_ruleset"), {})


def _single(config: pytest.Config, name: str) -> str | None:
    return cast("str | None", config.getoption(name)) or cast("str", config.getini(name)) or None


def _listed(config: pytest.Config, name: str) -> Sequence[str]:
    return cast("list[str]", config.getoption(name)) or cast("list[str]", config.getini(name))


def _by_suite(cases: Sequence[Case]) -> Mapping[str, Sequence[Case]]:
    suites: dict[str, list[Case]] = {}
    for case in cases:
        suites.setdefault(case.suite, []).append(case)
    return suites


def _wanted(config: pytest.Config, suites: Mapping[str, Sequence[Case]]) -> Mapping[str, Sequence[Case]]:
    """Keep the cases that the arguments name, and take those arguments from pytest, which knows files alone."""
    if config.args_source != pytest.Config.ArgsSource.ARGS:
        return suites
    named: dict[str, list[str]] = {}
    others: list[str] = []
    for argument in config.args:
        name, _, selection = argument.partition("::")
        found = _suite_name(config, name, suites)
        if found is None:
            others.append(argument)
        else:
            named.setdefault(found, []).append(selection)
    if not named:
        return suites if _all_is_wanted(config) else {}
    config.args = others
    return {name: _select(name, suites[name], selections) for name, selections in named.items()}


def _suite_name(config: pytest.Config, argument: str, suites: Mapping[str, Sequence[Case]]) -> str | None:
    """Say which suite an argument means: by its name or, from another folder, as pytest shows it there."""
    path = config.invocation_params.dir / argument
    if path.exists():
        return None
    return next((name for name in suites if argument == name or _same_place(path, config.rootpath / name)), None)


def _same_place(path: Path, other: Path) -> bool:
    return path.resolve() == other.resolve()


def _select(name: str, cases: Sequence[Case], selections: Sequence[str]) -> Sequence[Case]:
    if "" in selections:
        return cases
    for selection in selections:
        if not select_cases(cases, [selection]):
            raise pytest.UsageError(f"datc: {name}::{selection}: there is no such case, section or issue to ask")
    return select_cases(cases, selections)


def _all_is_wanted(config: pytest.Config) -> bool:
    """Whether the engine is named on the command line, or an argument is the folder of the project or one above it."""
    if config.getoption("datc_engine"):
        return True
    paths = [(config.invocation_params.dir / argument.partition("::")[0]).resolve() for argument in config.args]
    root = config.rootpath.resolve()
    return any(path == root or path in root.parents for path in paths)
