"""What can go wrong with an engine under test."""

from __future__ import annotations

from ..reference_engine import DatcCheckError


class AdapterError(DatcCheckError):
    """The root of all errors of the adapters."""


class EngineSpecError(AdapterError):
    """The text that names an engine cannot be understood."""


class EngineStartError(AdapterError):
    """The engine could not be started, or did not answer to `initialize` as it must."""


class EngineGaveOutError(AdapterError):
    """The engine broke down more often than it is started again."""


class EngineClosedError(AdapterError):
    """The run was ended while the engine was being asked."""


class EngineFailure(AdapterError):  # noqa: N818 - what it is called everywhere: the engine failed, not we
    """The engine did not answer one request as it must: it crashed, hung, or answered nonsense."""


class UnsupportedError(AdapterError):
    """The engine said that it cannot do what was asked."""
