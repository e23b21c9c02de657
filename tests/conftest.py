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

# The homes of the bridges are kept between runs. Every process that a test starts finds them.
os.environ["DATC_CHECK_HOME"] = str(ROOT / ".engines")

# The same examples in every run: a failure never depends on luck or on a slow machine.
settings.register_profile(
    "datc", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("datc")

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
