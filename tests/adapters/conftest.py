import contextlib
import faulthandler
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from datc.adapters import Engine, Limits
from datc.adapters.http import HttpEngine
from datc.adapters.process import ProcessEngine

from . import fakes
from .fake_sites import Behaviour, Connection, Site


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


class Opened(contextlib.ExitStack):
    """Makes sites and engines that are closed when the test ends."""

    def fake(
        self, behaviour: str, limits: Limits = fakes.PATIENT, marker: str = fakes.MARKER, **environment: str
    ) -> Engine:
        return self.enter_context(ProcessEngine(fakes.command(behaviour, marker), limits, environment=environment))

    def site(self, behaviour: Behaviour = Connection.behave, **fields: Any) -> Site:
        return self.enter_context(contextlib.closing(Site(behaviour, **fields)))

    def engine(self, at: Site | str, limits: Limits = fakes.PATIENT, **fields: Any) -> Engine:
        return self.enter_context(HttpEngine(at if isinstance(at, str) else at.url, limits, **fields))

    def both(self, behaviour: Behaviour, limits: Limits = fakes.PATIENT) -> tuple[Engine, Site]:
        site = self.site(behaviour)
        return self.engine(site, limits), site


@pytest.fixture
def opened() -> Iterator[Opened]:
    with Opened() as opened:
        yield opened


@pytest.fixture
def start_fake(opened: Opened) -> Callable[..., Engine]:
    return opened.fake
