"""The interface of every engine under test, whatever its transport, and what reads its answers."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import TracebackType
from typing import TypeVar

import msgspec

from ..reference_engine import printable
from .errors import EngineFailure, UnsupportedError
from .protocol import (
    PROTOCOL_VERSION,
    UNSUPPORTED_CODES,
    AdjudicateParams,
    AdjudicateResult,
    InitializeResult,
    Response,
)

POLL_INTERVAL = 0.25
"""Seconds to wait at a time: a Ctrl-C that comes just before a wait begins takes effect only when it ends."""

TIME_IS_UP = "the time of the whole run is up"


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
    stop_at: float | None = None
    """The time (of `time.time`) when nothing is waited for any more: requests then raise `EngineClosedError`."""

    @property
    def seconds_left(self) -> float:
        """Return how many seconds are left until `stop_at`; infinitely many where there is no such time."""
        return math.inf if self.stop_at is None else self.stop_at - time.time()


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


_T = TypeVar("_T")
_SHOWN = 80
_SHOWN_PROBLEM = 300
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are not the expected message. The last two are not among its own errors."""
# Made here and not when first needed: msgspec crashes where two threads meet a type first at the same time.
_RESPONSES = msgspec.json.Decoder(Response)
_IDENTITIES = msgspec.json.Decoder(InitializeResult)
_RESULTS = msgspec.json.Decoder(AdjudicateResult)


def read_response(line: bytes) -> Response:
    """Decode a line. Raises `EngineFailure` if it is not a JSON-RPC response."""
    try:
        response = _RESPONSES.decode(line)
    except UNREADABLE as error:
        problem = beginning(str(error), _SHOWN_PROBLEM)
        raise EngineFailure(f"answered something that is not a JSON-RPC response ({problem}): {shown(line)}") from error
    if (response.result is msgspec.UNSET) == (response.error is msgspec.UNSET):
        raise EngineFailure(f"answered with neither or both of result and error: {shown(line)}")
    return response


def read_initialize_result(response: Response) -> InitializeResult:
    """Return the answer to `initialize`. Raises `EngineFailure`, also for another version of the protocol."""
    result = _result(response, _IDENTITIES)
    if result.protocol != PROTOCOL_VERSION:
        raise EngineFailure(f"speaks version {result.protocol} of the protocol, not {PROTOCOL_VERSION}")
    return result


def read_adjudicate_result(response: Response, params: AdjudicateParams) -> AdjudicateResult:
    """Return the answer to `adjudicate`. Raises `EngineFailure`, or `UnsupportedError` if the engine says so."""
    result = _result(response, _RESULTS)
    if result.orders is not None and len(result.orders) != len(params.orders):
        raise EngineFailure(f"answered {len(result.orders)} order results to {len(params.orders)} orders")
    return result


def wrong_id(response: Response) -> str:
    """Return what is wrong with a response whose id belongs to no request in flight."""
    if response.id is None and response.error is not msgspec.UNSET:
        return f"answered an error without an id: {beginning(response.error.message, _SHOWN)!r}"
    return f"answered with id {beginning(repr(response.id), _SHOWN)}, which was not asked"


def shown(line: bytes) -> str:
    """Return the beginning of what an engine wrote, quoted and printable."""
    text = line[:_SHOWN].decode("utf-8", "replace")
    return repr(beginning(text, _SHOWN)) + ("…" if len(line) > _SHOWN else "")


def beginning(text: str, length: int) -> str:
    """Return the beginning of a text, without control characters."""
    return printable(text[:length]) + ("…" if len(text) > length else "")


def _result(response: Response, decoder: msgspec.json.Decoder[_T]) -> _T:
    if response.error is not msgspec.UNSET:
        message = shown(response.error.message.encode("utf-8", "replace"))
        if response.error.code in UNSUPPORTED_CODES:
            raise UnsupportedError(f"the engine says that it cannot: {message}")
        raise EngineFailure(f"answered error {response.error.code}: {message}")
    assert response.result is not msgspec.UNSET  # noqa: S101 - `read_response` accepts no other
    try:
        return decoder.decode(response.result)
    except UNREADABLE as error:
        raise EngineFailure(f"answered a result of the wrong form: {beginning(str(error), _SHOWN_PROBLEM)}") from error
