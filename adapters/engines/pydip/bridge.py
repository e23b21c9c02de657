"""Let datc-check drive the PyPI package `pydip`: JSON-RPC on stdin and stdout, one message a line.

Every request is a board of its own: the position becomes `Player`s, every order becomes a command object, one phase is
resolved, and what the package says of it is handed back. Nothing is corrected on the way.
"""

# The package has no types, and it is not in this project's environment.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

from pydip.map.map import OwnershipMap
from pydip.map.predefined.vanilla_dip import generate_home_territories, generate_map, generate_supply_center_map
from pydip.player.command.adjustment_command import AdjustmentCreateCommand, AdjustmentDisbandCommand
from pydip.player.command.command import (
    ConvoyMoveCommand,
    ConvoyTransportCommand,
    HoldCommand,
    MoveCommand,
    SupportCommand,
)
from pydip.player.command.retreat_command import RetreatDisbandCommand, RetreatMoveCommand
from pydip.player.player import Player
from pydip.player.unit import Unit, UnitTypes
from pydip.turn.adjustment import resolve_adjustment
from pydip.turn.resolve import resolve_turn
from pydip.turn.retreat import resolve_retreats

sys.path.append(str(Path(__file__).parents[1] / "python"))

from json_rpc import Json, serve

Command: TypeAlias = Any  # one of the package's commands
GameMap: TypeAlias = Any  # a `Map`

TYPES = {"A": UnitTypes.TROOP, "F": UnitTypes.FLEET}
LETTERS = {unit_type: letter for letter, unit_type in TYPES.items()}
# The package's name of each province. Where fleets go, they stand on a coast that has a name of its own.
PROVINCES = {
    entry[:3]: entry[4:]
    for entry in """
ADR=Adriatic Sea,AEG=Aegean Sea,ALB=Albania,ANK=Ankara,APU=Apulia,ARM=Armenia,BAL=Baltic Sea,BAR=Barents Sea,
BEL=Belgium,BER=Berlin,BLA=Black Sea,BOH=Bohemia,BOT=Gulf of Bothnia,BRE=Brest,BUD=Budapest,BUL=Bulgaria,BUR=Burgundy,
CLY=Clyde,CON=Constantinople,DEN=Denmark,EAS=Eastern Mediterranean Sea,EDI=Edinburgh,ENG=English Channel,FIN=Finland,
GAL=Galicia,GAS=Gascony,GRE=Greece,HEL=Helgoland Bight,HOL=Holland,ION=Ionian Sea,IRI=Irish Sea,KIE=Kiel,LON=London,
LVN=Livonia,LVP=Liverpool,LYO=Gulf of Lyon,MAO=Mid-Atlantic Ocean,MAR=Marseilles,MOS=Moscow,MUN=Munich,
NAF=North Africa,NAO=North Atlantic Ocean,NAP=Naples,NTH=North Sea,NWG=Norwegian Sea,NWY=Norway,PAR=Paris,PIC=Picardy,
PIE=Piedmont,POR=Portugal,PRU=Prussia,ROM=Rome,RUH=Ruhr,RUM=Rumania,SER=Serbia,SEV=Sevastopol,SIL=Silesia,
SKA=Skagerrak,SMY=Smyrna,SPA=Spain,STP=St. Petersburg,SWE=Sweden,SYR=Syria,TRI=Trieste,TUN=Tunis,TUS=Tuscany,
TYR=Tyrolia,TYS=Tyrrhenian Sea,UKR=Ukraine,VEN=Venice,VIE=Vienna,WAL=Wales,WAR=Warsaw,WES=Western Mediterranean Sea,
YOR=Yorkshire""".replace("\n", "").split(",")
}
COASTS = {
    f"{code}/{coast}C": f"{PROVINCES[code]} North Coast" for code, coast in (("BUL", "E"), ("SPA", "N"), ("STP", "N"))
}
COASTS |= {f"{code}/SC": f"{PROVINCES[code]} South Coast" for code in ("BUL", "SPA", "STP")}
CODES = {f"{name}{end}": code for code, name in PROVINCES.items() for end in ("", " Coast")}
CODES |= {name: code for code, name in COASTS.items()}


class RefusedError(Exception):
    """An order that the package refuses, or that no command of the package can say."""


@dataclass
class Board:
    """The position of a request in the package's objects."""

    game_map: GameMap
    players: dict[str, Player]
    types: dict[str, str]
    """The type of the unit in each province that can be ordered."""


def place(game_map: GameMap, letter: str, location: str) -> str:
    """Name a location as the package does for a unit of this type: `Brest Coast` for a fleet, `Brest` for an army."""
    if location in COASTS:
        return COASTS[location]
    if location not in PROVINCES:
        raise RefusedError(f"no place {location!r}")
    coast = f"{PROVINCES[location]} Coast"
    return coast if letter == "F" and coast in game_map.name_map else PROVINCES[location]


def new_board(params: Json) -> Board:
    """Set up a player for every power that has units, orders or centers."""
    game_map = generate_map()
    units = [*params["units"], *params.get("dislodged", [])]
    powers = [given["power"] for given in [*units, *params.get("orders", [])]]
    configurations: dict[str, list[Json]] = {power: [] for power in [*powers, *params.get("centers", {})]}
    for unit in units:
        name = place(game_map, unit["type"], unit["location"])
        configurations[unit["power"]].append({"territory_name": name, "unit_type": TYPES[unit["type"]]})
    players = {power: Player(power.title(), game_map, units) for power, units in configurations.items()}
    ordered = params.get("dislodged", []) if params["phase"] == "retreat" else params["units"]
    return Board(game_map, players, {unit["location"][:3]: unit["type"] for unit in ordered})


def package_unit(board: Board, unit: Json) -> Unit:
    """Make the unit that an order names. The package wants a type: one left out is that of the unit in the province."""
    letter = unit.get("type") or board.types.get(unit["location"][:3], "")
    if letter not in TYPES:
        raise RefusedError(f"a unit of no type in {unit['location']!r}")
    return Unit(TYPES[letter], place(board.game_map, letter, unit["location"]))


def destination(board: Board, unit: Unit, order: Json) -> str:
    """Name the place that a unit is to go to."""
    return place(board.game_map, LETTERS[unit.unit_type], order["to"])


def movement_command(board: Board, player: Player, order: Json) -> Command:
    """Make the command for a movement order.

    The package has one command for a move and another for a move by convoy. Where the order does not say "via convoy",
    it is a move if the package takes it as one.
    """
    kind = order["type"]
    if kind not in ("hold", "move", "support", "convoy"):
        raise RefusedError(f"no {kind!r} in a movement phase")
    unit = package_unit(board, order["unit"])
    if kind == "hold":
        return HoldCommand(player, unit)
    if kind == "move":
        to = destination(board, unit, order)
        if not order.get("via_convoy"):
            try:
                return MoveCommand(player, unit, to)
            except AssertionError:
                pass
        return ConvoyMoveCommand(player, unit, to)
    if kind == "support":
        supported = package_unit(board, order["supported"])
        to = destination(board, supported, order) if order.get("to") else supported.position
        return SupportCommand(player, unit, supported, to)
    convoyed = package_unit(board, order["convoyed"])
    return ConvoyTransportCommand(player, unit, convoyed, destination(board, convoyed, order))


def make_commands(
    board: Board, params: Json, make: Callable[[Player, Json], Command]
) -> tuple[dict[int, Command], list[Json | None]]:
    """Make the commands that the package lets be made, by the places of their orders, and begin the list of results.

    The package refuses an order by an assertion.
    """
    commands: dict[int, Command] = {}
    results: list[Json | None] = []
    for place_, given in enumerate(params.get("orders", [])):
        results.append(None)
        if given.get("order") and given["order"]["type"] != "waive":
            try:
                commands[place_] = make(board.players[given["power"]], given["order"])
            except (AssertionError, RefusedError):
                results[place_] = {"outcome": "fails", "reason": "illegal"}
    return commands, results


def unit_message(player: str, unit: Unit) -> Json:
    """Write a unit of the package as the protocol does."""
    return {"power": player.upper(), "type": LETTERS[unit.unit_type], "location": CODES[unit.position]}


def unit_messages(units: Mapping[str, Iterable[Unit]]) -> list[Json]:
    """Write the units of all players, in an order that does not change from run to run."""
    messages = [unit_message(player, unit) for player, owned in units.items() for unit in owned]
    return sorted(messages, key=lambda unit: (unit["power"], unit["location"], unit["type"]))


def stays(command: Command, results: Json) -> bool:
    """Tell whether a unit is where it was: the package keeps the object, and makes another for a unit that moved."""
    return any(unit is command.unit for unit in results[command.player.name])


def order_result(command: Command, results: Json) -> Json | None:
    """Say how an order ended, as far as the units that the package answers tell.

    They tell nothing of a support, of a convoy, or of a move to where the unit is, which the package takes.
    """
    if not stays(command, results):
        return {"outcome": "succeeds"}
    if results[command.player.name][command.unit] is not None:
        return {"outcome": "fails", "reason": "dislodged"}
    if isinstance(command, HoldCommand):
        return {"outcome": "succeeds"}
    if isinstance(command, (MoveCommand, ConvoyMoveCommand)) and command.destination != command.unit.position:
        return {"outcome": "fails"}
    return None


def play_movement(params: Json) -> Json:
    """Play a movement phase. The package wants a command for every unit: those without one hold."""
    board = new_board(params)
    made, orders = make_commands(board, params, lambda player, order: movement_command(board, player, order))
    commands = [*made.values()]
    for player in board.players.values():
        commanded = [command.unit for command in commands if command.player is player]
        commands += [HoldCommand(player, unit) for unit in player.units if unit not in commanded]
    results = resolve_turn(board.game_map, commands)
    province = board.game_map.relevant_name_for_territory
    arrived = {
        province(command.destination): CODES[province(command.unit.position)]
        for command in commands
        if not stays(command, results)
    }
    dislodged = []
    for player, units in results.items():
        for unit, retreats in units.items():
            if retreats is not None:
                message = {**unit_message(player, unit), "retreats": sorted(CODES[name] for name in retreats)}
                attacker = arrived.get(province(unit.position))
                dislodged.append(message if attacker is None else {**message, "from": attacker})
    for place_, command in made.items():
        orders[place_] = order_result(command, results)
    left = {player: [unit for unit in units if units[unit] is None] for player, units in results.items()}
    return {"units": unit_messages(left), "dislodged": dislodged, "orders": orders}


def play_retreats(params: Json) -> Json:
    """Play a retreat phase. The package wants a command for every dislodged unit: those without one disband."""
    board = new_board(params)
    retreat_map = {player.name: dict.fromkeys(player.units) for player in board.players.values()}
    for unit in params.get("dislodged", []):
        names = {place(board.game_map, unit["type"], location) for location in unit["retreats"] or ()}
        retreat_map[board.players[unit["power"]].name][package_unit(board, unit)] = names

    def make(player: Player, order: Json) -> Command:
        if order["type"] not in ("retreat", "disband"):
            raise RefusedError(f"no {order['type']!r} in a retreat phase")
        unit = package_unit(board, order["unit"])
        if order["type"] == "disband":
            return RetreatDisbandCommand(retreat_map, player, unit)
        return RetreatMoveCommand(retreat_map, player, unit, destination(board, unit, order))

    made, results = make_commands(board, params, make)
    commands = [*made.values()]
    for player in board.players.values():
        waiting = [unit for unit, retreats in retreat_map[player.name].items() if retreats is not None]
        commanded = [command.unit for command in commands if command.player is player]
        commands += [RetreatDisbandCommand(retreat_map, player, unit) for unit in waiting if unit not in commanded]
    return {"units": unit_messages(resolve_retreats(retreat_map, commands)), "orders": results}


def play_adjustments(params: Json) -> Json:
    """Play an adjustment phase. The package wants to be told how many units each power has too few or too many."""
    board = new_board(params)
    centers = params.get("centers", {})
    owned = {
        player.name: {PROVINCES[center] for center in centers.get(power, ())} for power, player in board.players.items()
    }
    home = {name: generate_home_territories().get(name, set()) for name in owned}
    ownership = OwnershipMap(generate_supply_center_map(), owned, home)
    units = {player.name: set(player.units) for player in board.players.values()}
    counts = {name: len(owned[name]) - len(units[name]) for name in owned}

    def make(player: Player, order: Json) -> Command:
        if order["type"] == "build":
            return AdjustmentCreateCommand(ownership, player, package_unit(board, order["unit"]))
        if order["type"] == "remove":
            return AdjustmentDisbandCommand(player, package_unit(board, order["unit"]))
        raise RefusedError(f"no {order['type']!r} in an adjustment phase")

    made, results = make_commands(board, params, make)
    after = resolve_adjustment(ownership, counts, units, [*made.values()])
    return {"units": unit_messages(after), "orders": results}


if __name__ == "__main__":
    serve(
        {"name": "pydip", "version": version("pydip"), "url": "https://pypi.org/project/pydip/"},
        {"movement": play_movement, "retreat": play_retreats, "adjustment": play_adjustments},
    )
