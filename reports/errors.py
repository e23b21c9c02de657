"""What can be wrong with a report that is read back."""

from __future__ import annotations


class StoredRunError(Exception):
    """A file holds no run that can be read."""
