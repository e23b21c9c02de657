"""Engines under test: the protocol that they speak, and the ways to reach them.

A public name is imported when it is first used: the page that plays positions in a browser has no msgspec.
"""

from __future__ import annotations

from importlib import import_module
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


def __getattr__(name: str) -> object:
    for module in ("errors", "protocol", "engine", "opening") if name in __all__ else ():
        found = vars(import_module(f".{module}", __name__))
        if name in found:
            return globals().setdefault(name, found[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
