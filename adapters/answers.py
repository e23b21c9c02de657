"""Reads the answers of an engine, and trusts none of them."""

from __future__ import annotations

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

_T = TypeVar("_T")
_SHOWN = 80
_SHOWN_PROBLEM = 300
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are not the expected message. The last two are not among its own errors."""
_RESPONSES = msgspec.json.Decoder(Response)


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
    result = _result(response, InitializeResult)
    if result.protocol != PROTOCOL_VERSION:
        raise EngineFailure(f"speaks version {result.protocol} of the protocol, not {PROTOCOL_VERSION}")
    return result


def read_adjudicate_result(response: Response, params: AdjudicateParams) -> AdjudicateResult:
    """Return the answer to `adjudicate`. Raises `EngineFailure`, or `UnsupportedError` if the engine says so."""
    result = _result(response, AdjudicateResult)
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


def _result(response: Response, kind: type[_T]) -> _T:
    if response.error is not msgspec.UNSET:
        message = shown(response.error.message.encode("utf-8", "replace"))
        if response.error.code in UNSUPPORTED_CODES:
            raise UnsupportedError(f"the engine says that it cannot: {message}")
        raise EngineFailure(f"answered error {response.error.code}: {message}")
    assert response.result is not msgspec.UNSET  # noqa: S101 - `read_response` accepts no other
    try:
        return msgspec.json.decode(response.result, type=kind)
    except UNREADABLE as error:
        raise EngineFailure(f"answered a result of the wrong form: {beginning(str(error), _SHOWN_PROBLEM)}") from error
