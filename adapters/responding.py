"""Puts what comes of a request into a JSON-RPC response: a result, or the error that says why there is none."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from ..reference_engine import ReferenceEngineError
from .errors import UnsupportedError
from .protocol import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    NOT_SUPPORTED,
    AdjudicateResult,
    ErrorMessage,
    InitializeResult,
    RequestId,
    Response,
)


class MethodNotFoundError(Exception):
    """There is no such method."""


class ParamsError(Exception):
    """The parameters are not those of the method."""


def respond_with(ask: Callable[[], InitializeResult | AdjudicateResult]) -> Response:
    """Respond with what `ask` gives, or with the error of what it raises to refuse; the id is to be filled in."""
    try:
        result = ask()
    except MethodNotFoundError as error:
        return error_response(METHOD_NOT_FOUND, str(error))
    except UnsupportedError as error:
        return error_response(NOT_SUPPORTED, str(error))
    except (ReferenceEngineError, ParamsError) as error:
        return error_response(INVALID_PARAMS, str(error))
    return Response(jsonrpc="2.0", id=None, result=msgspec.Raw(msgspec.json.encode(result)))


def error_response(code: int, message: str, number: RequestId = None) -> Response:
    """Make an error, in characters that JSON can hold."""
    safe = message.encode("utf-8", "replace").decode("utf-8")
    return Response(jsonrpc="2.0", id=number, error=ErrorMessage(code=code, message=safe))
