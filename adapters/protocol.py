"""The messages of the engine protocol, version 1: JSON-RPC 2.0, the same objects over every transport.

`docs/protocol.md` describes them for the author of an engine. Unknown fields are ignored, so that the
protocol can grow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, cast

import msgspec

from ..reference_engine import Board, Phase, Reason, Unit, UnitType, standard_board
from ..reference_engine.maps import STANDARD, MapTable
from ..reference_engine.order_sets import Mark

PROTOCOL_VERSION = 1
"""The version of the protocol that `initialize` names."""

UNSUPPORTED_CODES: frozenset[int] = frozenset({-32601, -32004})
"""The JSON-RPC errors that mean "not supported": method not found, and our own for a phase or choice."""

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
NOT_SUPPORTED = -32004

MOST_UNITS = 75
"""The provinces of the standard board: no answer has more units, and no unit more retreats."""

RequestId: TypeAlias = int | str | None

Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=200)]
"""What an engine calls itself. It bounds every report, as the next two do."""
Word: TypeAlias = Annotated[str, msgspec.Meta(max_length=40)]
"""A power, a place, or what an engine says that it supports."""
Words: TypeAlias = Annotated[list[Word], msgspec.Meta(max_length=20)]

OutcomeWord: TypeAlias = Literal["succeeds", "fails"]

_LOCATION: Mapping[str, object] = {"title": "Location", "type": "string"}
"""The mark of a location on the board, which the schema has as an enum."""
Location: TypeAlias = Annotated[str, msgspec.Meta(title="Location")]
"""A location on the board: `LON`, `STP/SC`. It is checked where the position is read."""
_OnTheBoard = msgspec.Meta(extra_json_schema={"properties": {"location": _LOCATION}})
"""For a unit of a request. What an engine answers, and what an order names, can be any text."""

Extra: TypeAlias = Literal["order-sets", "perpetual-orders", "proxies", "flying-dutchmen"]
"""What a request may contain besides one set of orders for each power (4.D.1 and 4.D.2, 4.E.4, 4.E.5, 4.E.6)."""


class Harness(msgspec.Struct, frozen=True, kw_only=True):
    """The program that sends the requests."""

    name: str
    version: str


class InitializeParams(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of `initialize`, the first request."""

    protocol: int
    harness: Harness


class EngineIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """The engine that answers."""

    name: Name
    version: Name = ""
    url: Annotated[str, msgspec.Meta(max_length=2000)] = ""


class MapParams(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of `map`: the engine's own map of this name, as data. The result has the fields of a map file."""

    map: str = STANDARD


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine supports: all of what it leaves out, except extras, and maps other than the standard one."""

    phases: Words | None = None
    maps: Annotated[list[Word], msgspec.Meta(max_length=200)] | None = None
    orders: Words | None = None
    choices: Annotated[dict[Word, Words], msgspec.Meta(max_length=100)] | None = None
    """The choices that it can play, by issue."""
    extras: Annotated[list[Extra], msgspec.Meta(max_length=20)] = []
    """What it supports besides one set of orders for each power."""


class InitializeResult(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to `initialize`."""

    protocol: int
    engine: EngineIdentity
    capabilities: Capabilities = Capabilities()


class UnitMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A unit on the board."""

    power: Word
    type: UnitType
    location: Word


class DislodgedMessage(UnitMessage, frozen=True, kw_only=True, omit_defaults=True):
    """A dislodged unit."""

    from_: Word | None = msgspec.field(default=None, name="from")
    """The province that its attacker came from."""
    retreats: Annotated[list[Word], msgspec.Meta(max_length=MOST_UNITS)] | None = None


class OrderedUnitMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A unit as an order names it."""

    location: str
    type: UnitType | None = None
    power: str | None = None


class UnitOrderMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """An order of a unit."""

    unit: OrderedUnitMessage


class HoldMessage(UnitOrderMessage, frozen=True, tag="hold"):
    """An order to hold."""


class MoveMessage(UnitOrderMessage, frozen=True, kw_only=True, tag="move"):
    """An order to move."""

    to: str
    via_convoy: bool = False
    path: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """The seas of the convoy in their order, where the order names them."""


class SupportMessage(UnitOrderMessage, frozen=True, kw_only=True, omit_defaults=True, tag="support"):
    """An order to support a unit: to hold, or to move to `to`."""

    supported: OrderedUnitMessage
    to: str | None = None


class ConvoyMessage(UnitOrderMessage, frozen=True, kw_only=True, tag="convoy"):
    """An order to convoy an army."""

    convoyed: OrderedUnitMessage
    to: str


class RetreatMessage(UnitOrderMessage, frozen=True, kw_only=True, tag="retreat"):
    """An order to retreat with a dislodged unit."""

    to: str


class DisbandMessage(UnitOrderMessage, frozen=True, tag="disband"):
    """An order to disband a dislodged unit."""


class BuildMessage(UnitOrderMessage, frozen=True, tag="build"):
    """An order to build a unit."""


class RemoveMessage(UnitOrderMessage, frozen=True, tag="remove"):
    """An order to remove a unit in an adjustment phase."""


class WaiveMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="waive"):
    """An order to waive a build."""


class ProxyMessage(UnitOrderMessage, frozen=True, kw_only=True, tag="proxy"):
    """A proxy: lets another power order a unit."""

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
    """An order and the power that gave it: its text and, if the harness can parse that, its structured form."""

    power: str
    text: str = ""
    order: OrderMessage | None = None
    order_set: int = msgspec.field(default=1, name="set")
    """The number of the order set that it belongs to."""
    beforehand: bool = False
    """Whether it was known before orders were written: a perpetual order, or an announced proxy."""


class OrderSetMessage(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an order set: that it replaces all earlier ones of its power, or that it does not."""

    power: str
    order_set: int = msgspec.field(name="set")
    mark: Mark


class FlyingDutchmanMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A unit that a power has in excess, by an earlier mistake, in one of the candidate provinces."""

    power: str
    candidates: list[Location]


class RulesetMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The ruleset in force."""

    name: str = ""
    choices: dict[str, str] = {}
    default_coasts: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    """The coast, by province, of a fleet that is ordered without one, if a choice is `default-coast`."""


class AdjudicateParams(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of `adjudicate`: a phase."""

    map: str = STANDARD
    phase: Phase
    season: str = "spring"
    """`spring`, `autumn`, or `winter` for adjustments."""
    year: int = 1901
    ruleset: RulesetMessage = RulesetMessage()
    units: list[Annotated[UnitMessage, _OnTheBoard]]
    centers: dict[str, list[Location]] = {}
    dislodged: list[Annotated[DislodgedMessage, _OnTheBoard]] = []
    orders: list[GivenOrderMessage] = []
    order_sets: list[OrderSetMessage] | msgspec.UnsetType = msgspec.UNSET
    """The order sets of which something is known."""
    sets_in_sequence: bool | msgspec.UnsetType = msgspec.UNSET
    """`false`: nobody knows in which sequence the order sets were submitted; otherwise it is that of their numbers."""
    flying_dutchmen: list[FlyingDutchmanMessage] | msgspec.UnsetType = msgspec.UNSET
    state: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    """The `state` in the answer of the engine to the phase before."""


class OrderResultMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result of an order."""

    outcome: OutcomeWord
    reason: Reason | None = None


class AdjudicateResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to `adjudicate`: `units` always, the rest if the engine knows it."""

    units: Annotated[list[UnitMessage], msgspec.Meta(max_length=MOST_UNITS)]
    dislodged: Annotated[list[DislodgedMessage], msgspec.Meta(max_length=MOST_UNITS)] | None = None
    orders: list[OrderResultMessage | None] | None = None
    state: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class ErrorMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A JSON-RPC error."""

    code: int
    message: str = ""
    data: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    """Further details."""


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
    """Return a request as a line, without the newline."""
    return encode_line(Request(id=number, method=method, params=msgspec.Raw(msgspec.json.encode(params))))


def encode_line(message: msgspec.Struct) -> bytes:
    """Return a message as a line of JSON, without the newline."""
    # Raw JSON from elsewhere may have line breaks, but never inside a string.
    return msgspec.json.encode(message).replace(b"\n", b" ").replace(b"\r", b" ")


def result_response(result: InitializeResult | AdjudicateResult | MapTable) -> Response:
    """Make the response to a request that succeeded. The caller sets the id."""
    return Response(jsonrpc="2.0", id=None, result=msgspec.Raw(msgspec.json.encode(result)))


def error_response(code: int, message: str, number: RequestId = None) -> Response:
    """Make the response to a request that failed, its message in characters that JSON can hold."""
    safe = message.encode("utf-8", "replace").decode("utf-8")
    return Response(jsonrpc="2.0", id=number, error=ErrorMessage(code=code, message=safe))


def message_schemas(ref_template: str) -> dict[str, object]:
    """Return the JSON Schemas of the messages by name. `ref_template` refers to one, such as `#/$defs/{name}`."""
    messages = (
        *(Request, Response, InitializeParams, InitializeResult, AdjudicateParams, AdjudicateResult),
        *(MapParams, MapTable),
    )
    _, components = msgspec.json.schema_components(messages, ref_template=ref_template)
    location = {
        "title": "Location",
        "description": "A location on the standard board: the code of a province, with a coast where it has two.",
        "enum": sorted(standard_board().locations),
    }
    return {**_with_locations(components, {"$ref": ref_template.format(name="Location")}), "Location": location}


def _with_locations(components: Mapping[str, object], reference: object) -> dict[str, object]:

    def filled(schema: object) -> object:
        if schema == _LOCATION:
            return reference
        if isinstance(schema, dict):
            return {key: filled(value) for key, value in cast("dict[str, object]", schema).items()}
        return [filled(each) for each in cast("list[object]", schema)] if isinstance(schema, list) else schema

    return {name: filled(schema) for name, schema in components.items()}


def protocol_schema() -> dict[str, object]:
    """Return the JSON Schema of the protocol, with a definition for each message."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:datc-check:schema:protocol:{PROTOCOL_VERSION}",
        "title": f"datc-check engine protocol {PROTOCOL_VERSION}",
        "$defs": message_schemas("#/$defs/{name}"),
    }


def board_data(board: Board | None = None) -> dict[str, Any]:
    """Return a board, the standard one by default, for authors of engines in any language: its powers and provinces.

    A province has the locations of a fleet where there are two, such as `BUL/EC`, the power whose home center it is,
    the provinces that an `army` can move to by itself, and for each location of a `fleet` those that it can move to.
    """
    board = board or standard_board()
    homes: Mapping[str, str] = {center: power.code for power in board.powers.values() for center in power.home_centers}

    provinces: list[dict[str, Any]] = []
    for province in board.provinces:
        code = province.code
        coasts = [f"{code}/{coast}" for coast in province.coasts]
        harbors = [] if province.terrain == "inland" else coasts or [code]
        army = Unit("", "A", code)
        provinces.append(
            {
                "code": code,
                "name": province.name,
                "kind": {"inland": "land", "coastal": "coast"}.get(province.terrain, "sea"),
                "coasts": coasts,
                "center": code in board.supply_centers,
                "home": homes.get(code),
                "army": list(board.destinations(army)) if province.terrain != "sea" else [],
                "fleet": {place: list(board.destinations(Unit("", "F", place))) for place in harbors},
            }
        )
    powers = {power.code: power.name for power in board.powers.values()}
    return {"format": 1, "type": "board", "map": board.name, "powers": powers, "provinces": provinces}
