"""What pocket promises beside the rules."""

from pocket.board import ARMIES, FLEETS, PROVINCES, province, routes
from pocket.movement import play_movement


def test_the_board_has_75_provinces_and_every_border_two_sides():
    assert len(PROVINCES) == 75
    for borders in (ARMIES, FLEETS):
        for location, others in borders.items():
            assert all(location in borders[other] for other in others), location


def test_an_army_sails_as_far_as_the_fleets_reach():
    assert routes("LON", "TUN", {"ENG", "MAO", "WES"})
    assert not routes("LON", "TUN", {"ENG", "WES"})


def test_units_without_orders_stay():
    units = [{"power": "RUSSIA", "type": "F", "location": "STP/SC"}]
    assert play_movement({"units": units, "orders": []}) == {"units": units, "dislodged": []}
    assert province("STP/SC") == "STP"
