"""Where dislodged units go."""

from __future__ import annotations

from collections import Counter

from .board import province
from .orders import Message


def play_retreats(params: Message) -> Message:
    """Answer a retreat phase: who cannot go, is not ordered, or meets another on the way is disbanded."""
    goals: dict[str, str] = {}
    for unit in params["dislodged"]:
        place = province(unit["location"])
        for given in params["orders"]:
            order = given["order"]
            ordered = province(order.get("unit", {}).get("location", ""))
            if order["type"] == "retreat" and (ordered, given["power"]) == (place, unit["power"]):
                goals[place] = next((to for to in unit["retreats"] if order["to"] in (to, province(to))), "")
    met = Counter(map(province, goals.values()))
    saved = [
        {"power": unit["power"], "type": unit["type"], "location": to}
        for unit in params["dislodged"]
        if (to := goals.get(province(unit["location"]))) and met[province(to)] == 1
    ]
    return {"units": [*params["units"], *saved]}
