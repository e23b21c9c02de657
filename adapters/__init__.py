"""Engines under test: the protocol that they speak, and the ways to reach them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .engine import Engine, Limits
    from .errors import (
        AdapterError,
        EngineClosedError,
        EngineFailure,
        EngineGaveOutError,
        EngineSpecError,
        EngineStartError,
        UnsupportedError,
    )
    from .opening import EngineSpec, open_engine, parse_engine_spec
    from .protocol import (
        AdjudicateParams,
        AdjudicateResult,
        DislodgedMessage,
        GivenOrderMessage,
        UnitMessage,
        protocol_schema,
    )

__all__ = [
    "AdapterError",
    "AdjudicateParams",
    "AdjudicateResult",
    "DislodgedMessage",
    "Engine",
    "EngineClosedError",
    "EngineFailure",
    "EngineGaveOutError",
    "EngineSpec",
    "EngineSpecError",
    "EngineStartError",
    "GivenOrderMessage",
    "Limits",
    "UnitMessage",
    "UnsupportedError",
    "open_engine",
    "parse_engine_spec",
    "protocol_schema",
]

if not TYPE_CHECKING:
    from ..reference_engine.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, __all__, "errors protocol engine opening")
