"""Orders as people write and paste them: a position for each heading "TEST CASE" of the DATC, or for the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import final

from ..pasting import Pasted, PastedPhase, PositionFileError, read_pasted
from ..positions import order_text
from .errors import ArchiveError
from .records import ArchiveFormat, RecordedPhase

_HEADING = re.compile(rb"\s*(?P<id>\S+?)\.?\s+TEST CASE\b", re.IGNORECASE)
_TEXT = re.compile(rb"[^\x00-\x08\x0e-\x1a\x1c-\x1f]*")


@final
class OrderTexts(ArchiveFormat):
    """A position each, its units being those that are named, and the retreats after it; no result is recorded."""

    purpose = "orders as people write them, or several positions, each below '6.A.1. TEST CASE' or so; without results"

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
            pasted = read_pasted(body.decode(), "below the heading" if heading else "in the text")
        except (UnicodeDecodeError, PositionFileError) as error:
            raise ArchiveError(str(error)) from error
        # An adjustment phase without a position of its own needs the centers after the phases before it.
        return [
            _recorded(name, pasted, phase)
            for phase in pasted.phases
            if phase.position is not None or phase.phase == "retreat"
        ]


def _recorded(game: str, pasted: Pasted, phase: PastedPhase) -> RecordedPhase:
    code = f"{pasted.season[0]}{pasted.year}{phase.phase[0]}".upper()
    position = phase.position
    is_first = phase is pasted.phases[0]
    return RecordedPhase(
        game,
        code,
        phase.phase,
        () if position is None else position.units,
        tuple((given.power, order_text(given)) for given in phase.orders),
        phase.centers,
        () if position is None else position.dislodged,
        notes=pasted.notes if is_first else (),
    )
