import faulthandler
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from datc.adapters import Limits
from datc.adapters.process import ProcessEngine

from . import fakes


@pytest.fixture(autouse=True)
def _deadline() -> Iterator[None]:
    """End the whole run, showing where each thread stands, when one test hangs."""
    faulthandler.dump_traceback_later(120, exit=True, file=sys.__stderr__ or sys.stderr)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as executor:
        yield executor


@pytest.fixture
def start_fake() -> Iterator[Callable[..., ProcessEngine]]:
    """Make engines that are closed when the test ends."""
    engines: list[ProcessEngine] = []

    def start(
        behaviour: str, limits: Limits = fakes.PATIENT, marker: str = fakes.MARKER, **environment: str
    ) -> ProcessEngine:
        engine = ProcessEngine(fakes.command(behaviour, marker), limits, environment=environment)
        engines.append(engine)
        return engine

    yield start
    for engine in engines:
        engine.close()
