"""Reads positions and orders as people write and paste them, in the notation of players, servers and judges."""

from .later import Pasted, PastedPhase
from .reader import LaterText, PositionFileError, Problem, read_later_orders, read_pasted, read_position_text

__all__ = [
    "LaterText",
    "Pasted",
    "PastedPhase",
    "PositionFileError",
    "Problem",
    "read_later_orders",
    "read_pasted",
    "read_position_text",
]
