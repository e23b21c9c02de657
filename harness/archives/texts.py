"""Orders as people write them, in the style of the DATC: a position for each heading "TEST CASE", or for the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import final

from ..pasting import PositionFileError, read_position_text
from ..positions import order_text
from .errors import ArchiveError
from .records import ArchiveFormat, RecordedPhase

_HEADING = re.compile(rb"\s*(?P<id>\S+?)\.?\s+TEST CASE\b", re.IGNORECASE)
_TEXT = re.compile(rb"[^\x00-\x08\x0e-\x1a\x1c-\x1f]*")


@final
class OrderTexts(ArchiveFormat):
    """A movement phase each, its units being those that are named; no result is recorded."""

    purpose = "orders as text, a position or several below headings such as '6.A.1. TEST CASE'; without results"

    def recognises(self, start: bytes) -> bool:
        return bool(start.strip()) and _TEXT.fullmatch(start) is not None

    def blocks(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        first, parts = 0, list[bytes]()
        for number, line in lines:
            if _HEADING.match(line) and b"".join(parts).strip():
                yield first, b"".join(parts)
                parts = []
            first = first if parts else number
            parts.append(line)
        if b"".join(parts).strip():
            yield first, b"".join(parts)

    def phases(self, content: bytes) -> Iterable[RecordedPhase]:
        heading = _HEADING.match(content)
        body = content.partition(b"\n")[2] if heading else content
        name = heading["id"].decode(errors="replace") if heading else "text"
        try:
            ordered, _ = read_position_text(body.decode(), "below the heading" if heading else "in the text")
        except (UnicodeDecodeError, PositionFileError) as error:
            raise ArchiveError(str(error)) from error
        orders = tuple((given.power, order_text(given)) for given in ordered.orders)
        return [RecordedPhase(name, "movement", "movement", ordered.units, orders)]
