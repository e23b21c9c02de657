"""What random positions are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Profile(NamedTuple):
    """What random positions are made of. Shares are between 0 and 1."""

    purpose: str
    fewest: int
    most: int
    """Units on the board."""
    crowded: float
    """How often all units stand within two or three steps of one province."""
    at_sea: float
    """How many of the units are put on seas."""
    fleets: float
    """How many of the units on coasts are fleets."""
    convoyed: float
    """How many of the armies on coasts go by convoy where they can."""
    moving: float
    """How many of the other units move."""


PROFILES: Mapping[str, Profile] = {
    "opening": Profile("the units of 1901, some of them a few moves on", 22, 22, 0.0, 0.0, 0.0, 0.3, 0.5),
    "dense": Profile("up to 34 units, with a bit of everything", 4, 34, 0.6, 0.3, 0.35, 0.35, 0.4),
    "sea-war": Profile("fleets against fleets, on coasts that matter", 3, 24, 0.7, 0.55, 0.8, 0.3, 0.45),
    "convoy-knots": Profile("convoys that cross, miss fleets and are attacked", 4, 26, 0.8, 0.55, 0.3, 0.9, 0.4),
}
