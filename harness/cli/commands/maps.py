"""`datc-check maps`: the boards that can be played, as data, and what is wrong with an author's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import structs

from ....adapters import open_engine, parse_engine_spec
from ....adapters.protocol import board_data
from ....cases import SuiteError
from ....cases.map_diff import compare_maps
from ....cases.map_formats import is_map_file, map_toml, read_any_map
from ....cases.maps import MapData, check_map, find_map
from ....cases.rulesets import load_map_issues
from ....reference_engine import Board, standard_board, start_position
from ....reference_engine.maps import STANDARD, build_board, map_table, own_map_names
from ....reference_engine.routes import members
from ....reports.boardmap.drawing import draw_picture
from ....reports.boardmap.geography import whole_map
from ....reports.boardmap.layout import has_layout, lay_out
from ....reports.boardmap.scenes import scene_of_orders
from ....reports.files import write_whole
from ....reports.findings import Line, contract, laid_out
from ....reports.report import counted
from ...config.config import read_config
from ...errors import HarnessError
from ...run.map_check import given_map
from .. import options as shared
from ..command import CommandGroup, Exit, Options, echo, echo_json, writing
from ..reporting import echo_problems, write_picture


@click.group("maps", cls=CommandGroup, invoke_without_command=True)
def maps_command() -> None:
    r"""List, show, check, import or compare maps.

    \b
    datc-check maps show loeb9
    datc-check maps check my-variant.toml
    datc-check maps import diplomacy/maps/ancmed.map -o ancmed.toml
    datc-check maps diff standard my-standard.map
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
@click.argument("map_name", metavar="NAME|FILE")
@click.option("-o", "--output", metavar="FILE", help="Draw it with the units at the start: FILE.svg or FILE.png.")
@shared.json_option
def show_map(options: Options) -> None:
    r"""Show a map: its powers, where they begin, and what is special about it. As JSON: all provinces and borders.

    \b
    datc-check maps show loeb9
    datc-check maps show my-variant.toml -o board.svg
    datc-check maps show standard --json > standard.json
    """
    board = find_map(options.map_name, Path())
    table = read_any_map(options.map_name).table
    if options.output is not None:
        scene = scene_of_orders(start_position(board), [])
        title = table.get("title", board.name)
        write_picture(draw_picture(scene, title=title, window=whole_map(board)), options.output)
        return
    if options.as_json:
        echo_json(board_data(board))
        return
    about = (f"{board.name}: {table.get('title', '')}", f"Source: {table.get('source', '')}")
    echo("\n".join((*about, *map_lines(board))))


def map_lines(board: Board) -> Iterator[str]:
    """Say what is on a map, a line for each power and for each special rule."""
    spaces, centers = len(board.provinces), len(board.supply_centers)
    yield f"{counted(spaces, 'province')}, {counted(centers, 'supply center')}, {counted(len(board.powers), 'power')}"
    for power in board.powers.values():
        units = ", ".join(f"{unit.type} {unit.location}" for unit in board.start if unit.power == power.code)
        owns = "" if power.owned == power.home_centers else f"; owns {' '.join(power.owned)}"
        yield f"  {power.name}: home {' '.join(power.home_centers)}{owns}; begins with {units or 'no unit'}"
    names = [f"{season} is called {name}" for season, name in board.season_names.items()]
    if board.first_year != standard_board().first_year or names:
        yield f"It begins in {'; '.join([str(board.first_year), *names])}"
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
    if railway := board.railway:
        line = ", ".join(board.provinces[number].name for number in railway.line)
        yield f"Railway {railway.name}: one army of {board.power_name(railway.power)} goes along {line}"
    for issue, in_force in board.choices.items():
        text = load_map_issues()[issue]
        yield f"Issue {issue}: {text.question}"
        for choice in text.choice:
            yield f"  {choice.key}{' (in force)' * (choice.key == in_force)}: {choice.text} ({choice.source})"


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


@maps_command.command("import")
@click.argument("map_name", metavar="SOURCE")
@click.option("-o", "--output", metavar="FILE", help="Where to write it. [standard output]")
@shared.timeout_option
@shared.config_option
def import_map(options: Options) -> int:
    r"""Write a map of another program as a map file.

    SOURCE is a .map file of the diplomacy package, the variants.xml of jDip (variants.xml#Loeb9), a variant in the
    schema of diplicity (JSON), or an engine that gives its maps (ENGINE#NAME).

    It gets places for drawings where the extra `layout` is installed. Exit codes: 0 nothing is wrong with the map, 1
    something is. It is written in both cases.

    \b
    datc-check maps import diplomacy/maps/ancmed.map -o ancmed.toml
    datc-check maps import "jdip/loeb9/variants.xml#Loeb9" -o loeb9.toml
    datc-check maps import "exec:./my-bridge#chaos" -o chaos.toml
    """
    found = _read(options.map_name, options)
    table = found.table
    if not found.problems and "places" not in table and has_layout():
        table["places"] = lay_out(build_board(found.name, table))
    text = map_toml(table)
    if options.output is None:
        echo(text.rstrip())
    else:
        with writing("the map"):
            write_whole(Path(options.output), text.encode())
    echo_problems(found.name, found.problems, counted(len(found.table.get("provinces", {})), "province"), err=True)
    return Exit.NOT_PASSED if found.problems else Exit.PASSED


@maps_command.command("diff")
@click.argument("map_files", nargs=2, metavar="LEFT RIGHT")
@shared.timeout_option
@shared.json_option
@shared.config_option
def diff_maps(options: Options) -> int:
    r"""Compare two maps: provinces, terrain, coasts, borders by unit, centers, homes, starts and special rules.

    LEFT and RIGHT are maps of the project, map files, or sources as `maps import` has them. Provinces are the same that
    have one name or code; all is in the codes of LEFT. Exit codes: 0 they are played alike, though names may differ, 1
    they are not.

    \b
    datc-check maps diff standard diplomacy/maps/standard.map
    datc-check maps diff loeb9 "jdip/loeb9/variants.xml#Loeb9"
    """
    names = options.map_files
    found = compare_maps(*(_read(name, options).table for name in names))
    if options.as_json:
        echo_json(contract("maps-diff", left=names[0], right=names[1], in_play=found.in_play, **structs.asdict(found)))
    else:
        codes = ", ".join(f"{code} {other}" for code, other in found.codes.items())
        lines = [*([f"codes that differ: {codes}"] if codes else []), *found.texts("LEFT", "RIGHT")]
        head = [Line(f"{side}: {name}", unbroken=True) for side, name in zip(("LEFT", "RIGHT"), names, strict=True)]
        echo("\n".join(laid_out([*head, *(lines or ["no difference"])])))
    return Exit.NOT_PASSED if found.in_play else Exit.PASSED


def _read(source: str, options: Options) -> MapData:
    """Read a map of the project, a file, or the map that an engine gives."""
    if is_map_file(source):
        return read_any_map(source)
    named, _, name = source.rpartition("#") if "#" in source else (source, "", STANDARD)
    config, folder = read_config(options.config_file)
    spec = parse_engine_spec(named, config.engines(folder))
    with open_engine(spec, spec.limits(options.timeout or config.run.timeout)) as engine:
        _ = engine.start()
        if (found := given_map(engine, name)) is None:
            raise HarnessError(f"{named} gives no map {name!r}: its answer to the method `map` is an error")
        return found
