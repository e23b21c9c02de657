"""What can be wrong with a report that is read back."""

from __future__ import annotations

from ..reference_engine import DatcCheckError


class StoredRunError(DatcCheckError):
    """A file holds no run that can be read."""
