"""Let datc-check ask DiplomacyGM: JSON-RPC on standard input and output, one message a line.

The arguments are the folder of DiplomacyGM and its version. Each request is played on a board that is set to the
position, several times, because DiplomacyGM keeps orders in sets whose sequence is another one each time.
"""

# DiplomacyGM is not in this project's environment.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import Any, TypeAlias

sys.path.append(str(Path(__file__).parents[1] / "python"))

from json_rpc import INTERNAL_ERROR, Json, Play, RpcError, serve

EngineObject: TypeAlias = Any  # a province, unit, order or player of the engine

FOLDER, VERSION = sys.argv[1:3]
os.chdir(FOLDER)  # It reads its configuration and its maps from there.
sys.path.insert(0, os.path.join(FOLDER, "src"))  # noqa: PTH118 - as the import system has it

from DiploGM.adjudicator.defs import OrderType, Resolution  # noqa: E402
from DiploGM.adjudicator.make_adjudicator import make_adjudicator  # noqa: E402
from DiploGM.adjudicator.validate_order import OrderValidity, order_is_valid  # noqa: E402
from DiploGM.map_parser.vector.vector import get_parser  # noqa: E402
from DiploGM.models.order import (  # noqa: E402
    Build,
    ConvoyTransport,
    Disband,
    Hold,
    Move,
    RetreatDisband,
    RetreatMove,
    Support,
)
from DiploGM.models.turn import PhaseName, Turn  # noqa: E402

TRIES = 16
"""How often each request is played."""

PHASES = {
    ("movement", "spring"): PhaseName.SPRING_MOVES,
    ("movement", "autumn"): PhaseName.FALL_MOVES,
    ("retreat", "spring"): PhaseName.SPRING_RETREATS,
    ("retreat", "autumn"): PhaseName.FALL_RETREATS,
    ("adjustment", "winter"): PhaseName.WINTER_BUILDS,
}
REASONS = {OrderType.SUPPORT: "cut", OrderType.CONVOY: "disrupted", OrderType.MOVE: "bounced"}
NAMES = {
    "BOT": "Gulf of Bothnia", "EAS": "Eastern Mediterranean Sea", "ENG": "English Channel", "HEL": "Heligoland Bight",
    "LVN": "Livonia", "LVP": "Liverpool", "LYO": "Gulf of Lyon", "MAO": "Mid-Atlantic Ocean", "NAF": "North Africa",
    "NAO": "North Atlantic Ocean", "NTH": "North Sea", "NWG": "Norwegian Sea", "NWY": "Norway",
    "STP": "St. Petersburg", "TYR": "Tyrolia", "TYS": "Tyrrhenian Sea", "WES": "Western Mediterranean Sea",
    "IRI": "Irish Sea",
}  # fmt: skip
"""The names of the provinces that do not begin with their code."""


class Refused(Exception):  # noqa: N818 - not an error of the bridge
    """An order that is not given: it names a place that is not on the map, or the unit of another power."""


BOARD = get_parser("classic").parse()
BOARD.board_id = 0


def code_of(name: str) -> str:
    """Find the code of a province by its name."""
    return next((code for code, known in NAMES.items() if known == name), name[:3].upper())


PROVINCES = {code_of(province.name): province for province in BOARD.provinces if province.name != "Switzerland"}
PLAYERS = {player.name.upper(): player for player in BOARD.players}


def place(location: str) -> tuple[EngineObject, str | None]:
    """Find a province and a coast, such as `nc`; no coast where none is named. Raises `Refused`."""
    code, _, coast = location.lower().partition("/")
    province = PROVINCES.get(code.upper())
    if province is None or (coast and coast not in province.adjacencies.coasts):
        raise Refused
    return province, coast or None


def location(province: EngineObject, coast: str | None) -> str:
    """Write a location as the protocol has it."""
    return code_of(province.name) + (f"/{coast.upper()}" if coast else "")


def message(unit: EngineObject) -> Json:
    """Write a unit as the protocol has it."""
    place_ = location(unit.province, unit.coast)
    return {"power": unit.player.name.upper(), "type": unit.unit_type.code, "location": place_}


def set_up(params: Json) -> None:
    """Set the board to the position of a request."""
    for province in BOARD.provinces:
        province.unit = province.dislodged_unit = province.owner = None
    for player in BOARD.players:
        player.units, player.centers, player.build_orders, player.waived_orders = set(), set(), set(), 0
    BOARD.units = set()
    BOARD.turn = Turn(params["year"], PHASES[params["phase"], params["season"]])
    for power, owned in params.get("centers", {}).items():
        for center in owned:
            province, _ = place(center)
            province.owner = PLAYERS[power]
            PLAYERS[power].centers.add(province)
    units = [(unit, None) for unit in params["units"]]
    units += [(unit, {place(to) for to in unit["retreats"]}) for unit in params.get("dislodged", [])]
    for unit, retreats in random.sample(units, len(units)):
        province, coast = place(unit["location"])
        BOARD.create_unit(BOARD.unit_types[unit["type"]], PLAYERS[unit["power"]], province, coast, retreats)


def unit_order(order: Json) -> EngineObject:
    """Make the order of a unit. Raises `Refused`."""
    kind = order["type"]
    to, coast = place(order["to"]) if "to" in order else (None, None)
    if kind == "hold":
        return Hold()
    if kind == "move":
        return Move(destination=to, destination_coast=coast)
    if kind == "support":
        source, _ = place(order["supported"]["location"])
        return Support(source=source, destination=to or source, destination_coast=coast)
    if kind == "convoy":
        return ConvoyTransport(source=place(order["convoyed"]["location"])[0], destination=to)
    if kind == "retreat":
        return RetreatMove(destination=to, destination_coast=coast)
    if kind == "disband":
        return RetreatDisband()
    raise Refused


def give(given: Json, *, dislodged: bool) -> EngineObject:
    """Give an order to a unit of the power, and return the unit. Raises `Refused`."""
    province, _ = place(given["order"]["unit"]["location"])
    unit = province.dislodged_unit if dislodged else province.unit
    if unit is None or unit.player is not PLAYERS[given["power"]]:
        raise Refused
    unit.order = unit_order(given["order"])
    return unit


def result(order: EngineObject, validity: OrderValidity) -> Json:
    """Say how an order of a movement phase ended."""
    if validity is OrderValidity.INVALID:
        return {"outcome": "fails", "reason": "illegal"}
    if validity is OrderValidity.MISMATCHED_ORDER:
        return {"outcome": "fails", "reason": "no-path" if order.type is OrderType.MOVE else "void"}
    unit = order.base_unit
    if order.type is OrderType.HOLD and unit.retreat_options is not None:
        return {"outcome": "fails", "reason": "dislodged"}
    if order.resolution is Resolution.SUCCEEDS:
        return {"outcome": "succeeds"}
    if order.is_convoy:
        return {"outcome": "fails"}  # DiplomacyGM does not keep why a convoyed army did not arrive.
    return {"outcome": "fails", "reason": REASONS[order.type]}


def dislodged_units(orders: list[EngineObject]) -> list[Json]:
    """List the dislodged units, with where their attackers came from."""
    attackers = {
        order.destination_province: order.source_province
        for order in orders
        if order.type is OrderType.MOVE and order.resolution is Resolution.SUCCEEDS
    }
    return [
        {
            **message(unit),
            "from": code_of(attackers[unit.province].name),
            "retreats": sorted(location(*retreat) for retreat in unit.retreat_options),
        }
        for unit in BOARD.units
        if unit.retreat_options is not None
    ]


def sorted_units(units: list[Json]) -> list[Json]:
    """Sort units: the board keeps them in a set."""
    return sorted(units, key=lambda unit: unit["location"])


def play_movement(params: Json) -> Json:
    """Play a movement phase. Of several orders to one unit the last counts."""
    ordered: list[EngineObject | Json | None] = []
    for given in params["orders"]:
        try:
            ordered.append(give(given, dislodged=False) if "order" in given else None)
        except Refused:
            ordered.append({"outcome": "fails", "reason": "illegal"})
    adjudicator = make_adjudicator(BOARD)
    adjudicator.save_orders = False
    valid = {unit: order_is_valid(unit.province, unit.order)[0] for unit in BOARD.units}
    adjudicator.run()
    orders = {order.base_unit: order for order in adjudicator.orders}
    last = {unit: place for place, unit in enumerate(ordered) if not isinstance(unit, dict)}
    results: list[Json | None] = []
    for place_, unit in enumerate(ordered):
        if unit is None or isinstance(unit, dict):
            results.append(unit)
        elif last[unit] != place_:
            results.append({"outcome": "fails", "reason": "ignored"})
        else:
            results.append(result(orders[unit], valid[unit]))
    return {
        "units": sorted_units([message(unit) for unit in BOARD.units if unit.retreat_options is None]),
        "dislodged": sorted_units(dislodged_units(adjudicator.orders)),
        "orders": results,
    }


def play_retreats(params: Json) -> Json:
    """Play a retreat phase."""
    for given in params["orders"]:
        try:
            if "order" in given:
                give(given, dislodged=True)
        except Refused:
            continue
    make_adjudicator(BOARD).run()
    return {"units": sorted_units([message(unit) for unit in BOARD.units])}


def adjustment_order(player: EngineObject, order: Json) -> EngineObject:
    """Make a build or a removal. Raises `Refused`."""
    if order["type"] == "waive":
        raise Refused  # DiplomacyGM only counts waived builds. They change nothing.
    province, coast = place(order["unit"]["location"])
    if order["type"] == "build" and "type" in order["unit"]:
        return Build(province, BOARD.unit_types[order["unit"]["type"]], coast)
    if order["type"] == "remove" and province.unit is not None and province.unit.player is player:
        return Disband(province)
    raise Refused


def play_adjustments(params: Json) -> Json:
    """Play an adjustment phase. As in DiplomacyGM, a later order for a province replaces an earlier one.

    The orders are in a set there, and so in any sequence.
    """
    made: dict[EngineObject, dict[EngineObject, EngineObject]] = {player: {} for player in BOARD.players}
    for given in params["orders"]:
        player = PLAYERS[given["power"]]
        try:
            if "order" in given:
                order = adjustment_order(player, given["order"])
                made[player][order.province] = order
        except Refused:
            continue
    for player, orders in made.items():
        player.build_orders = random.sample([*orders.values()], len(orders))
    make_adjudicator(BOARD).run()
    return {"units": sorted_units([message(unit) for unit in BOARD.units])}


PLAYS: dict[str, Play] = {"movement": play_movement, "retreat": play_retreats, "adjustment": play_adjustments}


def play_often(params: Json) -> Json:
    """Play a phase several times, and answer what comes out each time."""
    answers = []
    for _ in range(TRIES):
        set_up(params)
        answers.append(PLAYS[params["phase"]](params))
    if any(answer != answers[0] for answer in answers):
        boards = [{" ".join(unit.values()) for unit in answer["units"]} for answer in answers]
        doubtful = sorted(set.union(*boards) - set.intersection(*boards)) or ["the results of orders"]
        raise RpcError(INTERNAL_ERROR, f"answers differ from try to try, about: {', '.join(doubtful)}")
    return answers[0]


if __name__ == "__main__":
    engine = {"name": "DiplomacyGM", "url": "https://github.com/Imperial-Diplomacy/DiplomacyGM"}
    serve({**engine, "version": VERSION} if VERSION[0].isdigit() else engine, dict.fromkeys(PLAYS, play_often))
