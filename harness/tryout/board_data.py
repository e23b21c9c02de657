"""What the page knows of the board before anything is asked: names, and where provinces are."""

from __future__ import annotations

from typing import Any

from ...reference_engine import Province, standard_board, start_position
from ...reports.boardmap import standard_geography, whole_map
from .phases import home_centers
from .writing import Written, position_text


def board_data() -> dict[str, Any]:
    """Return the provinces with their names, coasts and places on the map, the powers, and the start of a game."""
    board = standard_board()
    return {
        "viewBox": whole_map().view_box,
        "provinces": {province.code: _province_data(province) for province in board.provinces},
        "powers": {power.code: power.name for power in board.powers.values()},
        "start": position_text(Written("movement", "spring", 1901, start_position().units, home_centers())),
    }


def _province_data(province: Province) -> dict[str, Any]:
    locations = [f"{province.code}/{coast}" for coast in province.coasts]
    return {
        "name": province.name,
        "terrain": province.terrain,
        "coasts": {location: standard_board().describe(location) for location in locations},
        "at": standard_geography().provinces[province.code].unit,
    }
