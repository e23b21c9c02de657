"""The errors of the adapters: what can go wrong with an engine under test."""

from __future__ import annotations

from ..reference_engine import DatcCheckError


class AdapterError(DatcCheckError):
    """The root of all errors of the adapters."""


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


class UnsupportedError(AdapterError):
    """The engine said that it does not support the request."""
