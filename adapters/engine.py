"""The interface of every engine under test, whatever its transport."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import TracebackType

from .protocol import AdjudicateParams, AdjudicateResult, InitializeResult, Response

POLL_INTERVAL = 0.25
"""Seconds to wait at a time: a Ctrl-C that comes just before a wait begins takes effect only when it ends."""


@dataclass(frozen=True)
class Limits:
    """The limits of an engine. Times are in seconds."""

    start: float = 30.0
    """For starting up and answering `initialize`."""
    request: float = 10.0
    """For one answer, counted from its request or, with several in flight, from the answer before it."""
    connect: float = 5.0
    """For a connection to each address of its host, where it is reached over the network."""
    line: int = 16 * 1024 * 1024
    """For one answer, in bytes."""
    restarts: int = 20
    """How often it is started again after it stopped responding."""


class Engine(ABC):
    """An engine under test. It may be asked from several threads at once, and closed from any."""

    @abstractmethod
    def start(self) -> InitializeResult:
        """Start it and return its answer to `initialize`. Raises `EngineStartError`."""

    @abstractmethod
    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        """Ask it to adjudicate a phase.

        Raises `EngineFailure` if it gives no valid answer, `UnsupportedError` if it says that it does not support the
        request, `EngineGaveOutError` if it stopped responding too often, and `EngineClosedError` if it was closed
        meanwhile.
        """

    @abstractmethod
    def call(self, method: str, params: object) -> Response:
        """Send any request and return the response as it is, a result or an error. Raises what `adjudicate` raises."""

    @abstractmethod
    def close(self) -> None:
        """Close it, also while requests are in flight."""

    def __enter__(self) -> Engine:  # noqa: PYI034 - typing.Self came with Python 3.11
        """Use it in a `with` statement."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()
