"""What can be wrong with an archive."""

from __future__ import annotations

from ..errors import HarnessError


class ArchiveError(HarnessError):
    """A file or a part of it cannot be read as recorded games."""
