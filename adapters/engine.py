"""The interface of every engine under test, whatever its transport, and what reads its answers."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

import msgspec

from ..reference_engine.errors import printable
from .errors import EngineClosedError, EngineFailure, UnsupportedError
from .protocol import (
    PROTOCOL_VERSION,
    UNSUPPORTED_CODES,
    AdjudicateParams,
    AdjudicateResult,
    ErrorMessage,
    InitializeResult,
    Response,
)

POLL_INTERVAL = 0.25
"""Seconds to wait at a time: a Ctrl-C that comes just before a wait begins takes effect only when it ends."""

ASKED_FOR: ContextVar[str] = ContextVar("ASKED_FOR", default="")
"""What a thread asks engines for, such as a case: what `Restart` says of it."""

ENDED, TIME_IS_UP = "the run was ended", "the time of the whole run is up"


class Limits(msgspec.Struct, frozen=True):
    """The limits of an engine. Times are in seconds."""

    start: float = 30.0
    """For starting up and answering `initialize`."""
    request: float = 10.0
    """For one answer, counted from its request or, with several in flight, from the answer before it."""
    first: float | None = None
    """For the first answer after a process was started.

    `None`: as for the start, if that is longer; once an earlier process has given a first answer, ten times what that
    took, but not less than other answers and not more than a start; where one gave none, as for other answers.
    """
    connect: float = 5.0
    """For a connection to each address of its host, where it is reached over the network."""
    line: int = 16 * 1024 * 1024
    """For one answer, in bytes."""
    restarts: int = 20
    """How often it is started again after it stopped responding."""
    stop_at: float | None = None
    """The time (of `time.monotonic`) when nothing is waited for any more: requests then raise `EngineClosedError`."""

    @property
    def seconds_left(self) -> float:
        """Return how many seconds are left until `stop_at`; infinitely many where there is no such time."""
        return math.inf if self.stop_at is None else self.stop_at - time.monotonic()

    def check_open(self, *, closed: bool, cause: Exception | None = None) -> None:
        """Raise `EngineClosedError` where the engine was closed, or its time is up."""
        if closed or self.seconds_left <= 0:
            raise EngineClosedError(ENDED if closed else TIME_IS_UP) from cause


class Restart(NamedTuple):
    """The process of an engine ended, or was ended because it broke the protocol: the next request starts it again."""

    about: tuple[str, ...]
    """What the requests in flight were for or, where there were none, the one that was answered last: `ASKED_FOR`."""
    reason: str
    log: tuple[str, ...]
    """The lines that it logged since that request was sent."""


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

    def hide(self, line: bytes) -> bytes:
        """Return a line of JSON without the secrets of this engine; by default it has none."""
        return line

    def watch_log(self) -> Callable[[], Sequence[str]]:
        """Return a function that returns the lines logged since this call, as far as they are kept; none by default."""
        return tuple

    def restart(self) -> bool:
        """End its process, so that a new one answers the next request; return whether it has one that can be ended."""
        return False

    @property
    def restarts(self) -> Sequence[Restart]:
        """Return how often its process ended unasked so far, and why; nothing for an engine without one."""
        return ()

    @abstractmethod
    def close(self) -> None:
        """Close it, also while requests are in flight."""

    def __enter__(self) -> Engine:  # noqa: PYI034 - typing.Self came with Python 3.11
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


_T = TypeVar("_T")
_SHOWN = 80
_SHOWN_PROBLEM = 300
_MOST_DETAILS = 200
_NO_RESULT = "answered with neither or both of result and error"
LINE_LENGTH = 500
"""The characters of a line of a log; of a longer one its end is kept."""
UNREADABLE = (msgspec.DecodeError, ValueError, OverflowError, RecursionError)
"""What msgspec raises for bytes that are not the expected message. Only the first is its own error."""
# Made here and not when first needed: msgspec crashes where two threads meet a type first at the same time.
_RESPONSES = msgspec.json.Decoder(Response)
_IDENTITIES = msgspec.json.Decoder(InitializeResult)
_RESULTS = msgspec.json.Decoder(AdjudicateResult)
_MAPS = msgspec.json.Decoder(dict[str, Any])


def read_response(line: bytes) -> Response:
    """Decode a line. Raises `EngineFailure` if it is not a JSON-RPC response."""
    try:
        response = _RESPONSES.decode(line)
    except UNREADABLE as error:
        problem = beginning(str(error), _SHOWN_PROBLEM)
        raise EngineFailure(f"answered something that is not a JSON-RPC response ({problem}): {shown(line)}") from error
    if (response.result is msgspec.UNSET) == (response.error is msgspec.UNSET):
        raise EngineFailure(f"{_NO_RESULT}: {shown(line)}")
    return response


def read_initialize_result(response: Response) -> InitializeResult:
    """Return the answer to `initialize`. Raises `EngineFailure`, also for another version of the protocol."""
    result = _result(response, _IDENTITIES)
    if result.protocol != PROTOCOL_VERSION:
        version = beginning(str(result.protocol), _SHOWN)
        raise EngineFailure(f"speaks version {version} of the protocol, not {PROTOCOL_VERSION}")
    return result


def read_adjudicate_result(response: Response, params: AdjudicateParams) -> AdjudicateResult:
    """Return the answer to `adjudicate`. Raises `EngineFailure`, or `UnsupportedError` if the engine says so."""
    try:
        return _read_adjudicate_result(response, params)
    except (EngineFailure, UnsupportedError) as error:
        error.answered = response
        raise


def _read_adjudicate_result(response: Response, params: AdjudicateParams) -> AdjudicateResult:
    result = _result(response, _RESULTS)
    if result.orders is not None and len(result.orders) != len(params.orders):
        raise EngineFailure(f"answered {len(result.orders)} order results to {len(params.orders)} orders")
    there = len(params.units) + len(params.dislodged)
    if result.dislodged is not None and len(result.dislodged) > there:
        raise EngineFailure(f"answered {len(result.dislodged)} dislodged units, but there are {there} units")
    return result


def read_map_result(response: Response) -> Mapping[str, Any]:
    """Return the answer to `map`, whatever fields it has. Raises `EngineFailure`, or `UnsupportedError`."""
    return _result(response, _MAPS)


def wrong_id(response: Response) -> str:
    """Return what is wrong with a response whose id belongs to no request in flight."""
    if response.id is None and response.error is not msgspec.UNSET:
        return f"answered an error without an id: {beginning(response.error.message, _SHOWN)!r}"
    return f"answered with id {beginning(repr(response.id), _SHOWN)}, which was not asked"


def shown(line: bytes) -> str:
    """Return the beginning of what an engine wrote, quoted and printable."""
    return repr(printable(line[:_SHOWN].decode("utf-8", "replace"))) + ("…" if len(line) > _SHOWN else "")


def beginning(text: str, length: int) -> str:
    """Return the beginning of a text, without control characters."""
    return printable(text[:length]) + ("…" if len(text) > length else "")


def log_line(text: str) -> str:
    """Return the end of a line that an engine wrote, printable, its indentation kept."""
    return printable(text.rstrip().replace("\t", "    ")[-LINE_LENGTH:])


def _details(error: ErrorMessage) -> list[str]:
    """Return what the one line of an error does not show: a long message, and its `data`."""
    texts = [error.message] if len(error.message) > _SHOWN or "\n" in error.message else []
    if error.data is not msgspec.UNSET:
        with suppress(*UNREADABLE):
            data: object = msgspec.json.decode(error.data)
            indented = msgspec.json.format(bytes(error.data), indent=2).decode()
            texts.append(data if isinstance(data, str) else indented.replace("\\n", "\n"))
    return [log_line(line) for text in texts for line in text.splitlines() if line.strip()][:_MOST_DETAILS]


def _result(response: Response, decoder: msgspec.json.Decoder[_T]) -> _T:
    if response.error is not msgspec.UNSET:
        message = shown(response.error.message.encode("utf-8", "replace"))
        if response.error.code in UNSUPPORTED_CODES:
            raise UnsupportedError(f"the engine says that it cannot: {message}")
        code = beginning(str(response.error.code), _SHOWN)
        raise EngineFailure(f"answered error {code}: {message}", log=_details(response.error))
    if response.result is msgspec.UNSET:  # So it may stand in a trace.
        raise EngineFailure(_NO_RESULT)
    try:
        return decoder.decode(response.result)
    except UNREADABLE as error:
        raise EngineFailure(f"answered a result of the wrong form: {beginning(str(error), _SHOWN_PROBLEM)}") from error
