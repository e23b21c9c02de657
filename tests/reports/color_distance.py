"""How far apart people see two colours."""

import math
from collections.abc import Mapping
from typing import TypeAlias

from datc.reports.boardmap.palette import RGB, linear_light

Matrix: TypeAlias = tuple[RGB, RGB, RGB]

SIGHTS: Mapping[str, Matrix] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
"""What is left of a colour in linear light (Machado, Oliveira and Fernandes, 2009, at full severity)."""

_CONES: Matrix = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_OKLAB: Matrix = (
    (0.2104542553, 0.793617785, -0.0040720468),
    (1.9779984951, -2.428592205, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.808675766),
)


def distance(one: str, other: str, sight: str = "normal") -> float:
    """How far apart two colours look: their distance in Oklab, where black and white are 1 apart."""
    return math.dist(_oklab(one, SIGHTS[sight]), _oklab(other, SIGHTS[sight]))


def _oklab(color: str, sight: Matrix) -> RGB:
    red, green, blue = (min(1.0, max(0.0, part)) for part in _times(sight, linear_light(color)))
    long, middle, short = _times(_CONES, (red, green, blue))
    return _times(_OKLAB, (long ** (1 / 3), middle ** (1 / 3), short ** (1 / 3)))


def _times(matrix: Matrix, vector: RGB) -> RGB:
    first, second, third = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return first, second, third
