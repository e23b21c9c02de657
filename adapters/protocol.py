"""The messages of the engine protocol, version 1: JSON-RPC 2.0, the same objects over every transport.

`docs/protocol.md` describes them for the author of an engine. A field that is not known here is left alone, so that the
protocol can grow.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from ..reference_engine import Mark, Phase, Reason, UnitType

PROTOCOL_VERSION = 1

UNSUPPORTED_CODES: frozenset[int] = frozenset({-32601, -32004})
"""The JSON-RPC errors that say "I cannot do this": method not found, and our own for a phase or choice."""

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
NOT_SUPPORTED = -32004

RequestId: TypeAlias = int | str | None

OutcomeWord: TypeAlias = Literal["succeeds", "fails"]


Extra: TypeAlias = Literal["order-sets", "perpetual-orders", "proxies", "flying-dutchmen"]
"""What a request may hold beyond one set of orders a power (4.D.1 and 4.D.2, 4.E.4, 4.E.5, 4.E.6)."""


class Harness(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks."""

    name: str
    version: str


class InitializeParams(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine is told first."""

    protocol: int
    harness: Harness


class EngineIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Who answers."""

    name: str
    version: str = ""
    url: str = ""


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine can do; what it leaves out it can do in full."""

    phases: list[str] | None = None
    maps: list[str] | None = None
    orders: list[str] | None = None
    choices: dict[str, list[str]] | None = None
    """For each issue, the choices that it can play."""
    extras: list[Extra] = []
    """What it can be asked beyond one set of orders a power; what it leaves out here it cannot."""


class InitializeResult(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine answers first."""

    protocol: int
    engine: EngineIdentity
    capabilities: Capabilities = Capabilities()


class UnitMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A unit on the board."""

    power: str
    type: UnitType
    location: str


class DislodgedMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A dislodged unit."""

    power: str
    type: UnitType
    location: str
    from_: str | None = msgspec.field(default=None, name="from")
    """The province that its attacker came from."""
    retreats: list[str] | None = None


class OrderedUnitMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A unit as an order names it."""

    location: str
    type: UnitType | None = None
    power: str | None = None


class HoldMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="hold"):
    """Stay."""

    unit: OrderedUnitMessage


class MoveMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="move"):
    """Go to a province."""

    unit: OrderedUnitMessage
    to: str
    via_convoy: bool = False
    path: list[str] = []
    """The seas of the convoy, where the order writes them out."""


class SupportMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="support"):
    """Support a unit: to hold where there is no `to`."""

    unit: OrderedUnitMessage
    supported: OrderedUnitMessage
    to: str | None = None


class ConvoyMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="convoy"):
    """Carry an army."""

    unit: OrderedUnitMessage
    convoyed: OrderedUnitMessage
    to: str


class RetreatMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="retreat"):
    """Retreat with a dislodged unit."""

    unit: OrderedUnitMessage
    to: str


class DisbandMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="disband"):
    """Disband a dislodged unit."""

    unit: OrderedUnitMessage


class BuildMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="build"):
    """Build a unit."""

    unit: OrderedUnitMessage


class RemoveMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="remove"):
    """Remove a unit in an adjustment phase."""

    unit: OrderedUnitMessage


class WaiveMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="waive"):
    """Decline a build."""


class ProxyMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="proxy"):
    """Let another power order one's unit."""

    unit: OrderedUnitMessage
    to: str
    """The power that may order it."""


OrderMessage: TypeAlias = (
    HoldMessage
    | MoveMessage
    | SupportMessage
    | ConvoyMessage
    | RetreatMessage
    | DisbandMessage
    | BuildMessage
    | RemoveMessage
    | WaiveMessage
    | ProxyMessage
)


class GivenOrderMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An order and who gave it: its text, and the same read by the harness where it can be."""

    power: str
    text: str = ""
    order: OrderMessage | None = None
    order_set: int = msgspec.field(default=1, name="set")
    """The order set of its power that it stands in."""
    beforehand: bool = False
    """Known before orders were written: a perpetual order of an earlier turn, or an announced proxy."""


class OrderSetMessage(msgspec.Struct, frozen=True, kw_only=True):
    """What is clear of an order set: that it replaces all earlier ones of its power, or leaves them in force."""

    power: str
    order_set: int = msgspec.field(name="set")
    mark: Mark


class FlyingDutchmanMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A unit too many of a power, by an earlier mistake: it stands in one of these provinces."""

    power: str
    candidates: list[str]


class RulesetMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The rules that the author declared."""

    name: str = ""
    choices: dict[str, str] = {}
    default_coasts: dict[str, str] = {}
    """The coast that a fleet without one goes to, by province, where a choice is `default-coast`."""


class AdjudicateParams(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine is asked: to adjudicate one phase."""

    map: str = "standard"
    phase: Phase
    season: str = "spring"
    """`spring`, `autumn`, or `winter` for adjustments."""
    year: int = 1901
    ruleset: RulesetMessage = RulesetMessage()
    units: list[UnitMessage]
    centers: dict[str, list[str]] = {}
    dislodged: list[DislodgedMessage] = []
    orders: list[GivenOrderMessage] = []
    order_sets: list[OrderSetMessage] = []
    """The order sets of which something is clear."""
    sets_in_sequence: bool = True
    """Whether the numbers of the order sets tell which came first."""
    flying_dutchmen: list[FlyingDutchmanMessage] = []
    state: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    """What the engine answered as `state` to the phase before."""


class OrderResultMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of an order."""

    outcome: OutcomeWord
    reason: Reason | None = None


class AdjudicateResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an engine answers: `units` always, the rest where it knows it."""

    units: list[UnitMessage]
    dislodged: list[DislodgedMessage] | None = None
    orders: list[OrderResultMessage | None] | None = None
    state: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class ErrorMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A JSON-RPC error."""

    code: int
    message: str = ""
    data: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    """Anything more that is to be said of it."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A JSON-RPC request."""

    jsonrpc: Literal["2.0"] = "2.0"
    id: RequestId
    method: str
    params: msgspec.Raw


class Response(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A JSON-RPC response: a result or an error."""

    jsonrpc: Annotated[Literal["2.0"], msgspec.Meta(description="Always 2.0.")]
    id: RequestId
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: ErrorMessage | msgspec.UnsetType = msgspec.UNSET


def encode_request(number: int, method: str, params: object) -> bytes:
    """Encode a request as a line, without the newline."""
    line = msgspec.json.encode(Request(id=number, method=method, params=msgspec.Raw(msgspec.json.encode(params))))
    # What came from elsewhere as JSON may be on several lines; inside of a string a line cannot end.
    return line.replace(b"\n", b" ").replace(b"\r", b" ")


def result_response(result: InitializeResult | AdjudicateResult) -> Response:
    """Make the response to a request that succeeded. The caller sets the id."""
    return Response(jsonrpc="2.0", id=None, result=msgspec.Raw(msgspec.json.encode(result)))


def error_response(code: int, message: str, number: RequestId = None) -> Response:
    """Make the response to a request that failed, its message in characters that JSON can hold."""
    safe = message.encode("utf-8", "replace").decode("utf-8")
    return Response(jsonrpc="2.0", id=number, error=ErrorMessage(code=code, message=safe))


def message_schemas(ref_template: str) -> dict[str, object]:
    """Return the JSON Schemas of the messages by name. `ref_template` is a reference to one, such as `#/$defs/{name}`."""
    messages = (Request, Response, InitializeParams, InitializeResult, AdjudicateParams, AdjudicateResult)
    _, components = msgspec.json.schema_components(messages, ref_template=ref_template)
    return dict(components)


def protocol_schema() -> dict[str, object]:
    """Return the JSON Schema of the protocol, with a definition for each message."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:datc-check:schema:protocol:{PROTOCOL_VERSION}",
        "title": f"datc-check engine protocol {PROTOCOL_VERSION}",
        "$defs": message_schemas("#/$defs/{name}"),
    }
