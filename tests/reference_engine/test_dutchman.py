"""The Flying Dutchman: issue 4.E.6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from datc.reference_engine import DATC_3_1, GivenOrder, Phase, Position, PositionError, adjudicate, read_order
from datc.reference_engine.position import FlyingDutchman

from .play import units_of

ITALY = "ITALY: A VEN, A GAL, F EAS"
"""In civil disorder F Eastern Mediterranean goes first: as far as A Galicia from a center, and a fleet."""


def after(choice: str, candidates: Sequence[str], phase: Phase = "movement", centers: str = "VEN ROM") -> set[str]:
    position = Position(
        units_of(ITALY),
        phase=phase,
        centers={"ITALY": centers.split()},
        flying_dutchmen=[FlyingDutchman("ITALY", tuple(candidates))],
    )
    texts = ["A Gal - Ukr"] if phase == "movement" else ["Remove A Gal", "Build A Rome"]
    orders = [GivenOrder("ITALY", read_order(text, phase).order) for text in texts]
    found = adjudicate(position, orders, DATC_3_1.with_choices({"4.E.6": choice}))
    assert len(found.orders) == len(orders)
    return {f"{unit.type} {unit.location}" for unit in found.units}


@pytest.mark.parametrize(
    ("candidates", "ends"),
    [
        (["VEN"], {"play-on": "A VEN, A UKR, F EAS", "datc": "A UKR, F EAS", "alexander": "A VEN, A UKR"}),
        (["GAL"], {"play-on": "A VEN, A UKR, F EAS", "datc": "A VEN, F EAS", "alexander": "A VEN, A UKR"}),
        (["VEN", "EAS"], {"play-on": "A VEN, A UKR, F EAS", "datc alexander": "A VEN, A UKR"}),
    ],
)
def test_before_moves(candidates: Sequence[str], ends: Mapping[str, str]) -> None:
    for choices, end in ends.items():
        for choice in choices.split():
            assert after(choice, candidates) == set(end.split(", ")), choice


def test_before_adjustments() -> None:
    for choice, end in {
        "datc": {"A GAL", "F EAS"},
        "play-on": {"A VEN", "F EAS"},
        "alexander": {"A VEN", "F EAS"},
    }.items():
        assert after(choice, ["VEN"], "adjustment") == end
    # The center that was gained would make the unit right, but it goes all the same, and another may be built.
    assert after("datc", ["VEN"], "adjustment", "VEN ROM TUN") == {"A GAL", "F EAS", "A ROM"}


@pytest.mark.parametrize(
    ("dutchman", "phase", "message"),
    [
        (FlyingDutchman("ITALY", ()), "movement", "name those that it could be"),
        (FlyingDutchman("ITALY", ("ROM",)), "movement", "ITALY has no unit in 'ROM'"),
        (FlyingDutchman("ITALY", ("ZZZ",)), "movement", "ITALY has no unit in 'ZZZ'"),
        (FlyingDutchman("FRANCE", ("VEN",)), "movement", "FRANCE has no unit in 'VEN'"),
        (FlyingDutchman("ITALY", ("VEN",)), "retreat", "not before a retreat"),
    ],
)
def test_what_cannot_be(dutchman: FlyingDutchman, phase: Phase, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        _ = Position(units_of(ITALY), phase=phase, flying_dutchmen=[dutchman])


def test_two_of_them() -> None:
    dutchmen = [FlyingDutchman("ITALY", ("VEN",)), FlyingDutchman("ITALY", ("VEN", "GAL", "EAS"))]
    position = Position(units_of(ITALY), centers={"ITALY": ["ROM", "VEN"]}, flying_dutchmen=dutchmen)
    found = adjudicate(position, [])
    assert {unit.location for unit in found.units} == {"GAL"}
