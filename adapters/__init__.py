"""Engines under test: the protocol that they speak, and the ways to reach them."""

from .conversion import (
    center_messages,
    flying_dutchman_messages,
    given_order_message,
    order_set_messages,
    ruleset_message,
    unit_messages,
)
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
from .opening import BUILTIN, EngineSpec, open_engine, parse_engine_spec
from .protocol import (
    PROTOCOL_VERSION,
    AdjudicateParams,
    AdjudicateResult,
    Capabilities,
    DislodgedMessage,
    EngineIdentity,
    Extra,
    InitializeResult,
    UnitMessage,
    protocol_schema,
)

__all__ = [
    "BUILTIN",
    "PROTOCOL_VERSION",
    "AdapterError",
    "AdjudicateParams",
    "AdjudicateResult",
    "Capabilities",
    "DislodgedMessage",
    "Engine",
    "EngineClosedError",
    "EngineFailure",
    "EngineGaveOutError",
    "EngineIdentity",
    "EngineSpec",
    "EngineSpecError",
    "EngineStartError",
    "Extra",
    "InitializeResult",
    "Limits",
    "UnitMessage",
    "UnsupportedError",
    "center_messages",
    "flying_dutchman_messages",
    "given_order_message",
    "open_engine",
    "order_set_messages",
    "parse_engine_spec",
    "protocol_schema",
    "ruleset_message",
    "unit_messages",
]
