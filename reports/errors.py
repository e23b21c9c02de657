"""The errors of the reports, under the one root of the project."""

from __future__ import annotations

from ..reference_engine import DatcCheckError


class StoredRunError(DatcCheckError):
    """A file holds no run that can be read."""
