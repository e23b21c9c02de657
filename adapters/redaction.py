"""Takes the headers of a request out of what an engine answers, however they are written there."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, cast, final
from urllib.parse import unquote

import msgspec

from ..reference_engine import EVERY_ISSUE, standard_board
from .engine import UNREADABLE
from .errors import EngineFailure
from .protocol import message_schemas

HIDDEN = "***"
_SHORTEST = 4
"""Shorter values are not hidden: a header `1` would take every "1" out of a report."""
_SHORTEST_INSIDE = 6
"""Of base64 that begins or ends in the middle of other base64; shorter pieces are in many words."""
_MOST_BYTES = 1 << 19
"""Of what is looked through, a right answer has far less."""
_PUBLIC_HEADERS = frozenset({"accept", "accept-language", "content-type", "user-agent"})
_SCHEME = re.compile(r"([A-Za-z][\w-]*)\s+")
"""What stands before the secret: `Bearer `, `Basic `."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(.))", re.IGNORECASE)
_MOST_ESCAPED = 6
"""So often an escape may be escaped again."""
_OBJECTS = msgspec.json.Decoder(dict[str, msgspec.Raw])  # Made before any thread: see `engine`.


@final
class Redaction:
    """What is secret in the headers of an engine.

    Each secret is found in any case, in base64 and in its escapes of URLs, JSON and HTML. What an engine disguises in
    another way is not found.
    """

    def __init__(self, headers: Mapping[str, str]) -> None:
        secrets = {
            secret
            for name, value in headers.items()
            if name.lower() not in _PUBLIC_HEADERS
            for secret in _secrets_of(value.strip())
            if len(secret) >= _SHORTEST
        }
        forms = {form for secret in secrets for form in (secret, *_in_base64(secret))}
        # A secret that looks like escapes, such as `a%41`, shows as what these stand for where escapes are undone.
        forms |= {form for form in map(_unescaped, forms) if len(form) >= _SHORTEST}
        self._forms = tuple(form.lower() for form in sorted(forms, key=len, reverse=True))
        self._pattern = re.compile("|".join(map(re.escape, self._forms)), re.IGNORECASE)

    def in_text(self, text: str) -> str:
        """Return a text without the secrets. A word of the protocol, such as `FRANCE`, stays."""
        if not self._forms or text in _protocol_words():
            return text
        shown = self._shown(text)
        hidden = self._pattern.sub(HIDDEN, text) if shown else text
        # What shows only without its escapes cannot be cut out: the text goes as a whole.
        if _has_escapes(text) and (self._shown(_unescaped(text)) - shown or self._shown(_unescaped(hidden))):
            return HIDDEN
        return hidden

    def in_message(self, body: bytes) -> bytes:
        """Return an answer without the secrets in its decoded strings; what is no JSON object is a text.

        The `state` of a result stays as it is: it goes back to the engine, and `in_json` hides in it what is written
        down. Raises `EngineFailure` for more than can be looked through.
        """
        if not self._is_suspicious(body):
            return body
        try:
            return bytes(self._in_object(body))
        except UNREADABLE:
            text = body[:_MOST_BYTES].decode("utf-8", "replace")
            hidden = self.in_text(text)
            return body if hidden == text else hidden.encode("utf-8", "replace")

    def in_json(self, line: bytes) -> bytes:
        """Return a value of JSON without the secrets in its strings."""
        if not self._is_suspicious(line):
            return line
        return msgspec.json.encode(self._in_value(msgspec.json.decode(line)))

    def _in_object(self, data: bytes | msgspec.Raw) -> msgspec.Raw:
        """Hide in an object of JSON. Raises `EngineFailure`, and what `UNREADABLE` has."""
        fields = _OBJECTS.decode(data)
        sizes = (memoryview(value).nbytes for key, value in fields.items() if key not in ("result", "state"))
        if sum(sizes) > _MOST_BYTES:
            raise EngineFailure(f"answered more than {_MOST_BYTES} bytes beside the state")
        for key, value in fields.items():
            if key != "state" and self._is_suspicious(value):
                fields[key] = self._in_object(value) if key == "result" else msgspec.Raw(self.in_json(bytes(value)))
        return msgspec.Raw(msgspec.json.encode({self.in_text(key): value for key, value in fields.items()}))

    def _in_value(self, value: object) -> object:
        if isinstance(value, str):
            return self.in_text(value)
        if isinstance(value, list):
            return [self._in_value(item) for item in cast("list[object]", value)]
        if isinstance(value, dict):
            items = cast("dict[str, object]", value).items()
            return {self.in_text(key): self._in_value(item) for key, item in items}
        return value

    def _is_suspicious(self, data: bytes | msgspec.Raw) -> bool:
        """Whether there is a secret, or an escape that may be part of one: a fast check of the usual answer."""
        if not self._forms:
            return False
        text = bytes(data).decode("utf-8", "replace")
        return _has_escapes(text) or bool(self._shown(text))

    def _shown(self, text: str) -> set[str]:
        lower = text.lower()
        return {form for form in self._forms if form in lower}


def _secrets_of(value: str) -> Iterator[str]:
    """Find what is secret in the value of a header: it as a whole, and its parts without names and schemes."""
    scheme = _SCHEME.match(value)
    rest = value[scheme.end() :] if scheme else value
    yield from (value, rest)
    for piece in re.split(r"[\s;,]+", rest):
        yield from (piece, piece.partition("=")[2].strip('="'))
    if scheme is not None and scheme[1].lower() == "basic":
        with suppress(ValueError):
            user_and_password = base64.b64decode(rest).decode("utf-8", "replace")
            yield from (user_and_password, user_and_password.partition(":")[2])


def _in_base64(secret: str) -> Iterator[str]:
    """Write a secret in base64, alone and in the middle of other bytes, which shift it by one or two."""
    for data in {secret.encode(), secret.encode("latin-1", "replace")}:
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(data).decode().rstrip("=")
            for shift, start in enumerate((0, 2, 3)):
                text = encode(b"\0" * shift + data).decode().rstrip("=")
                inside = text[start : len(text) - bool((shift + len(data)) % 3)]
                if len(inside) >= _SHORTEST_INSIDE:
                    yield inside


def _has_escapes(text: str) -> bool:
    return "\\" in text or "%" in text or "&" in text


def _unescaped(text: str) -> str:
    """Undo the escapes of JSON, URLs and HTML, also where they are escaped again."""

    def character(escape: re.Match[str]) -> str:
        return escape[3] or chr(int(escape[1] or escape[2], 16))

    for _ in range(_MOST_ESCAPED):
        if _has_escapes(text):
            text = html.unescape(unquote(_ESCAPE.sub(character, text)))
    return text


@cache
def _protocol_words() -> frozenset[str]:
    """Return the words that answers consist of: those of the board and of the issues, and what the schema names."""
    board = standard_board()
    words = {*board.powers, *board.locations, *EVERY_ISSUE, "standard", "structured"}
    words |= {choice for issue in EVERY_ISSUE.values() for choice in issue.choices}
    schemas: list[Any] = [message_schemas("{name}")]
    while schemas:  # The names of fields, and the fixed values.
        schema = schemas.pop()
        if isinstance(schema, dict):
            keywords = cast("dict[str, Any]", schema)
            words |= {*keywords.get("properties", ()), *keywords.get("enum", ())}
            schemas += keywords.values()
        elif isinstance(schema, list):
            schemas += cast("list[object]", schema)
    return frozenset(words)
