"""`datc-check maps`: the boards that can be played, as data, and what is wrong with an author's."""

from __future__ import annotations

from collections.abc import Iterator

import click

from ....adapters.protocol import board_data
from ....cases import SuiteError
from ....cases.maps import check_map
from ....reference_engine import Board
from ....reference_engine.maps import load_board, map_table, own_map_names
from ....reference_engine.routes import members
from ....reports.findings import contract
from ....reports.report import counted
from .. import options as shared
from ..command import CommandGroup, Exit, Options, echo, echo_json
from ..reporting import echo_problems


@click.group("maps", cls=CommandGroup, invoke_without_command=True)
def maps_command() -> None:
    r"""List, show or check the maps that the cases are on.

    \b
    datc-check maps show loeb9
    datc-check maps check my-variant.toml
    """


@maps_command.command("list")
@shared.json_option
def list_maps(options: Options) -> None:
    r"""List the maps.

    \b
    datc-check maps list
    """
    titles = {name: map_table(name).get("title", "") for name in own_map_names()}
    if options.as_json:
        echo_json(contract("maps", maps=[{"map": name, "title": title} for name, title in titles.items()]))
        return
    width = max(map(len, titles))
    echo("\n".join(f"{name:{width}}  {title}" for name, title in titles.items()))


@maps_command.command("show")
@click.argument("map_name", metavar="NAME")
@shared.json_option
def show_map(options: Options) -> None:
    r"""Show a map: its powers, where they begin, and what is special about it. As JSON: all provinces and borders.

    \b
    datc-check maps show loeb9
    datc-check maps show standard --json > standard.json
    """
    board = load_board(options.map_name)
    if options.as_json:
        echo_json(board_data(board))
        return
    table = map_table(board.name)
    echo("\n".join((f"{board.name}: {table.get('title', '')}", f"Source: {table.get('source', '')}", *_lines(board))))


def _lines(board: Board) -> Iterator[str]:
    spaces, centers = len(board.provinces), len(board.supply_centers)
    yield f"{counted(spaces, 'province')}, {counted(centers, 'supply center')}, {counted(len(board.powers), 'power')}"
    for power in board.powers.values():
        units = ", ".join(f"{unit.type} {unit.location}" for unit in board.start if unit.power == power.code)
        owns = "" if power.owned == power.home_centers else f"; owns {' '.join(power.owned)}"
        yield f"  {power.name}: home {' '.join(power.home_centers)}{owns}; begins with {units or 'no unit'}"
    for season, frozen in board.ice.items():
        yield f"Ice in {season}: {_places(board, frozen)}"
    if coasts := board.convoying & board.coastal:
        yield f"Coasts where a fleet can convoy: {_places(board, coasts)}"
    for kind, one, other in sorted(board.difficult):
        if one < other:
            unit = "an army" if kind == "A" else "a fleet"
            yield f"Difficult passage for {unit}: {board.provinces[one].name} and {board.provinces[other].name}"
    if board.builds_anywhere:
        yield "A power builds in any center that it owns"
    for power, centers in board.not_counted.items():
        yield f"No supply center for {board.power_name(power)}: {', '.join(map(board.describe, sorted(centers)))}"
    if canal := board.canal:
        one, other, keeper = (board.provinces[number].name for number in (*canal.seas, canal.keeper))
        yield f"Canal: fleets pass between {one} and {other} if a unit in {keeper} lets them"


def _places(board: Board, provinces: int) -> str:
    return ", ".join(board.provinces[number].name for number in members(provinces))


@maps_command.command("check")
@click.argument("map_files", nargs=-1, required=True, metavar="FILE...")
@shared.json_option
def check_maps(options: Options) -> int:
    r"""Check map files, or maps by their names: file, province and field of whatever is wrong.

    Every border has two sides, names are spelled once, each power has a home, and each place can be reached.

    \b
    datc-check maps check my-variant.toml
    """
    checked: list[dict[str, object]] = []
    for name in options.map_files:
        found, problems = "", ()
        try:
            found = counted(len(check_map(name).provinces), "province")
        except SuiteError as error:
            problems = error.problems
        checked.append({"map": name, "problems": [problem._asdict() for problem in problems]})
        if not options.as_json:
            echo_problems(name, problems, found)
    if options.as_json:
        echo_json(contract("maps-check", maps=checked))
    return Exit.NOT_PASSED if any(each["problems"] for each in checked) else Exit.PASSED
