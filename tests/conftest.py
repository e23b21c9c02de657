"""What all tests share: the profile of `hypothesis`, and the bridges, each set up in a home of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import HealthCheck, settings

from datc.adapters import Bridge, find_bridge
from datc.harness.errors import MissingProgramError, SetUpError
from datc.harness.settings.setting_up import Manner, set_up_bridge

ROOT = Path(__file__).parent.parent
SETUP_SECONDS = 1800.0
UNREACHABLE = re.compile(
    r"from versions: none|name resolution|resolve host|connection|connect to|offline"
    r"|ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT",
    re.IGNORECASE,
)
"""What pip, npm and cargo say where their registry cannot be reached."""

SLOW = frozenset(
    ROOT / "tests" / file
    for file in (
        "adapters/test_process.py",
        "adapters/test_run_with_fakes.py",
        "author/test_action.py",
        "author/test_project.py",
        "harness/cli/test_doctor_command.py",
        "harness/cli/test_preferences.py",
        "harness/cli/test_report_command.py",
        "harness/diagnosis/test_mutants.py",
        "harness/fuzzing/test_again.py",
        "harness/fuzzing/test_cluster.py",
        "harness/fuzzing/test_hunt.py",
        "harness/fuzzing/test_hunt_suites.py",
        "harness/fuzzing/test_tested.py",
        "harness/fuzzing/test_time.py",
        "harness/inference/test_choices_by_experiments.py",
        "harness/inference/test_inference.py",
        "harness/integrations/test_hostile_engines.py",
        "harness/integrations/test_init.py",
        "harness/shadow/test_shadow_command.py",
        "harness/test_attacks.py",
        "harness/test_spoiled_answers.py",
        "reference_engine/procedures/test_decisions.py",
        "reference_engine/test_equations.py",
        "reference_engine/test_fallback.py",
        "reference_engine/test_notation.py",
        "reference_engine/test_properties.py",
        "reports/test_page.py",
        "test_benchmarks.py",
        "test_docs.py",
        "test_engines_document.py",
        "test_games_sample.py",
        "test_readme.py",
        "test_site.py",
    )
)
"""The tests of these files take most of the time: what is left by `-m "not slow"` is done in a minute or so."""

# The homes of the bridges are kept between runs. Every process that a test starts finds them.
os.environ["DATC_CHECK_HOME"] = str(ROOT / ".engines")

# The same examples in every run: a failure never depends on luck or on a slow machine.
settings.register_profile(
    "datc", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("datc")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests."""
    for item in items:
        if item.path in SLOW:
            item.add_marker("slow")


ReadyBridge: TypeAlias = Callable[[str], Bridge]


@pytest.fixture(scope="session")
def ready_bridge() -> ReadyBridge:
    """Give a bridge that is set up, as `datc-check engines setup` does it, or skip the test and say why."""
    missing: dict[str, str] = {}

    def give(name: str) -> Bridge:
        bridge = find_bridge(name)
        if not bridge.is_ready and name not in missing:
            missing[name] = _set_up(bridge)
        if reason := missing.get(name):
            pytest.skip(reason)
        return bridge

    return give


def _set_up(bridge: Bridge) -> str:
    """Set a bridge up, and say what this machine lacks for it; any other failure is one of the test."""
    try:
        set_up_bridge(bridge, Manner(SETUP_SECONDS))
    except MissingProgramError as error:
        return str(error)
    except SetUpError as error:
        if UNREACHABLE.search(str(error)) is None:
            raise
        return f"the registry for {bridge.table.engine} cannot be reached: {str(error)[-300:]}"
    return ""
