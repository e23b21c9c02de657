"""What can be wrong with an archive."""

from __future__ import annotations

from ..errors import HarnessError


class ArchiveError(HarnessError):
    """A file or a part of it cannot be read as recorded games."""

    def __init__(self, message: str) -> None:
        """Keep the first line of a message: the others show the text, which is shown nowhere here."""
        super().__init__(message.partition("\n")[0])
