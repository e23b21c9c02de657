"""Engines under test: the protocol that they speak, and the ways to reach them."""

import sys

if sys.platform != "emscripten":  # A browser plays positions without msgspec, and without engines.
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
