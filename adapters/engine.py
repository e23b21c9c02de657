"""What every engine under test is to the harness, whatever it is reached by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import TracebackType

from .protocol import AdjudicateParams, AdjudicateResult, InitializeResult, Response

POLL_INTERVAL = 0.25
"""Seconds to wait at a time: a Ctrl-C that comes just before a wait begins takes effect only when it ends."""


@dataclass(frozen=True)
class Limits:
    """What an engine is granted. Times are in seconds."""

    start: float = 30.0
    """For starting up and answering to `initialize`."""
    request: float = 10.0
    """For one answer, counted from when it was asked or, with several in flight, from the last answer before it."""
    connect: float = 5.0
    """For a connection to each address of its host, where it is reached over the network."""
    line: int = 16 * 1024 * 1024
    """For one answer, in bytes."""
    restarts: int = 20
    """How often it is started again after it broke down."""


class Engine(ABC):
    """An engine under test. It may be asked from several threads at once, and closed from any."""

    @abstractmethod
    def start(self) -> InitializeResult:
        """Start it and ask who it is. Raises `EngineStartError`."""

    @abstractmethod
    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        """Ask it to adjudicate a phase.

        Raises `EngineFailure` where it does not answer as it must, `UnsupportedError` where it says that it cannot,
        `EngineGaveOutError` where it broke down too often, and `EngineClosedError` where it was closed meanwhile.
        """

    @abstractmethod
    def call(self, method: str, params: object) -> Response:
        """Ask it anything and give its answer as it came: a result or an error. Raises as `adjudicate` does."""

    @abstractmethod
    def close(self) -> None:
        """End it, also while it is being asked."""

    def __enter__(self) -> Engine:  # noqa: PYI034 - typing.Self came with Python 3.11
        """Use it in a `with` statement."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()
