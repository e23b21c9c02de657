"""Engines under test: the protocol that they speak, and the ways to reach them."""

from .bridges import Bridge, bridge_names, bridges_home, find_bridge
from .conversion import (
    Notation,
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
from .opening import BUILTIN, EngineSpec, check_url, open_engine, parse_engine_spec
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
    "Bridge",
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
    "Notation",
    "UnitMessage",
    "UnsupportedError",
    "bridge_names",
    "bridges_home",
    "center_messages",
    "check_url",
    "find_bridge",
    "flying_dutchman_messages",
    "given_order_message",
    "open_engine",
    "order_set_messages",
    "parse_engine_spec",
    "protocol_schema",
    "ruleset_message",
    "unit_messages",
]
