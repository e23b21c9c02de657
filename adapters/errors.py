"""The errors of the adapters: what can go wrong with an engine under test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..reference_engine import DatcCheckError

if TYPE_CHECKING:
    from .protocol import Response


class AdapterError(DatcCheckError):
    """The root of all errors of the adapters."""

    answered: Response | None = None


class EngineSpecError(AdapterError):
    """The text that names an engine, or its configuration, is wrong."""


class EngineStartError(AdapterError):
    """The engine could not be started, or gave no valid answer to `initialize`."""


class EngineGaveOutError(AdapterError):
    """The engine stopped responding more often than it is started again."""


class EngineClosedError(AdapterError):
    """The run was ended while the engine was being asked."""


class EngineFailure(AdapterError):  # noqa: N818 - the engine failed, not the harness
    """The engine gave no valid answer to a request: it crashed, hung, or answered nonsense."""

    def __init__(self, reason: str, *, log: Sequence[str] = ()) -> None:
        """`log` has the lines that show more: the details of an error, and what was logged since the request."""
        super().__init__(reason)
        self.log: Sequence[str] = log


class UnsupportedError(AdapterError):
    """The engine said that it does not support the request."""
