"""The tables of the protocol's messages, from the schema that the program prints."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias, cast

from datc.adapters import protocol, protocol_schema

_Schema: TypeAlias = Mapping[str, Any]


def messages_page() -> str:
    """Every type of the protocol with its fields."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    schema = cast("_Schema", protocol_schema())
    yield from ("# The messages of the protocol", "")
    yield f"Version {protocol.PROTOCOL_VERSION}, from the schema that `datc-check schema protocol` prints. Its `$id` is"
    yield f"`{schema['$id']}`. [The protocol](protocol.md) explains how they are used. A field in bold is required."
    yield "Unknown fields are ignored."
    for name, message in sorted(schema["$defs"].items(), key=_requests_first):
        yield from _message(name, message)


_FIRST = ("Request", "Response", "InitializeParams", "InitializeResult", "AdjudicateParams", "AdjudicateResult")


def _requests_first(entry: tuple[str, _Schema]) -> tuple[int, str]:
    name = entry[0]
    return (_FIRST.index(name) if name in _FIRST else len(_FIRST), name)


def _message(name: str, message: _Schema) -> Iterator[str]:
    yield from ("", f"## {name} {{#{name}}}", "", message.get("description", ""))
    fields: Mapping[str, _Schema] = message.get("properties", {})
    if not fields:
        return
    required = message.get("required", ())
    notes = _field_notes().get(name, {})
    yield from ("", "| field | type | when left out | note |", "|:--|:--|:--|:--|")
    for field, kind in fields.items():
        shown = f"**`{field}`**" if field in required else f"`{field}`"
        left_out = "" if field in required else f"`{json.dumps(kind['default'])}`" if "default" in kind else "not said"
        note = notes.get(field, kind.get("description", ""))
        yield f"| {shown} | {_type(kind)} | {left_out} | {note} |"


def _type(kind: _Schema) -> str:
    if "$ref" in kind:
        name = kind["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})"
    if "enum" in kind:
        return " or ".join(f"`{json.dumps(value)}`" for value in kind["enum"])
    if "const" in kind:
        return f"`{json.dumps(kind['const'])}`"
    if "anyOf" in kind:
        return " or ".join(dict.fromkeys(map(_type, kind["anyOf"])))
    if kind.get("type") == "array":
        return f"list of {_type(kind['items'])}" if kind.get("items") else "list"
    if kind.get("type") == "object":
        values = cast("_Schema", kind.get("additionalProperties") or {})
        return f"object of {_type(values)}" if values else "object"
    return str(kind.get("type", "anything"))


@cache
def _field_notes() -> Mapping[str, Mapping[str, str]]:
    """What the source says below each field of each message: the schema has the types alone."""
    notes: dict[str, dict[str, str]] = {}
    for node in ast.parse(inspect.getsource(protocol)).body:
        if isinstance(node, ast.ClassDef):
            pairs = zip(node.body, node.body[1:], strict=False)
            notes[node.name] = {
                _name(field): " ".join(text.value.value.split())
                for field, text in pairs
                if isinstance(field, ast.AnnAssign)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
                and isinstance(text.value.value, str)
            }
    return notes


def _name(field: ast.AnnAssign) -> str:
    """The name of a field as it is sent: `msgspec.field(name=...)` has another one where it is a word of Python."""
    if isinstance(field.value, ast.Call):
        for keyword in field.value.keywords:
            if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                return str(keyword.value.value)
    return ast.unparse(field.target)
