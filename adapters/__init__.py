"""Engines under test: the protocol that they speak, and the ways to reach them.

Each public name is imported when it is first used (PEP 562): what needs no message of the protocol starts faster.
"""

from __future__ import annotations

TYPE_CHECKING = False  # Checkers of types take it for true by its name.

if TYPE_CHECKING:
    from .bridges import Bridge, bridge_names, bridges_home, find_bridge
    from .conversion import (
        Notation,
        center_messages,
        dislodged_messages,
        flying_dutchman_messages,
        given_order_message,
        order_set_messages,
        ruleset_message,
        unit_messages,
        unit_of,
    )
    from .engine import Engine, Limits, Restart
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
        GivenOrderMessage,
        InitializeResult,
        UnitMessage,
        protocol_schema,
    )

_MODULES = {
    "AdapterError": "errors",
    "AdjudicateParams": "protocol",
    "AdjudicateResult": "protocol",
    "BUILTIN": "opening",
    "Bridge": "bridges",
    "Capabilities": "protocol",
    "DislodgedMessage": "protocol",
    "Engine": "engine",
    "EngineClosedError": "errors",
    "EngineFailure": "errors",
    "EngineGaveOutError": "errors",
    "EngineIdentity": "protocol",
    "EngineSpec": "opening",
    "EngineSpecError": "errors",
    "EngineStartError": "errors",
    "Extra": "protocol",
    "GivenOrderMessage": "protocol",
    "InitializeResult": "protocol",
    "Limits": "engine",
    "Notation": "conversion",
    "PROTOCOL_VERSION": "protocol",
    "Restart": "engine",
    "UnitMessage": "protocol",
    "UnsupportedError": "errors",
    "bridge_names": "bridges",
    "bridges_home": "bridges",
    "center_messages": "conversion",
    "check_url": "opening",
    "dislodged_messages": "conversion",
    "find_bridge": "bridges",
    "flying_dutchman_messages": "conversion",
    "given_order_message": "conversion",
    "open_engine": "opening",
    "order_set_messages": "conversion",
    "parse_engine_spec": "opening",
    "protocol_schema": "protocol",
    "ruleset_message": "conversion",
    "unit_messages": "conversion",
    "unit_of": "conversion",
}

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
    "GivenOrderMessage",
    "InitializeResult",
    "Limits",
    "Notation",
    "Restart",
    "UnitMessage",
    "UnsupportedError",
    "bridge_names",
    "bridges_home",
    "center_messages",
    "check_url",
    "dislodged_messages",
    "find_bridge",
    "flying_dutchman_messages",
    "given_order_message",
    "open_engine",
    "order_set_messages",
    "parse_engine_spec",
    "protocol_schema",
    "ruleset_message",
    "unit_messages",
    "unit_of",
]


def __getattr__(name: str) -> object:
    from ..reference_engine.lazy import public_value

    return public_value(__name__, _MODULES, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
