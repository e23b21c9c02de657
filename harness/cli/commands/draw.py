"""`datc-check draw`: a case or a position as a picture of the board."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from ....cases import Case
from ....cases.tables import USUAL_EDITION
from ....reference_engine import GivenOrder, Ruleset, adjudicate
from ....reference_engine.errors import printable
from ....reports import write_report
from ....reports.boardmap import Scene, draw_board, draw_picture, scene_after, scene_of_orders, whole_map, window_around
from ....reports.text import ci_escape_markup
from ...board.browser import png_of
from ...config.preparing import find_case_or_positions, make_ruleset, split_choices
from ...errors import HarnessError
from ...play.session import ReferenceAdjudicator, case_inputs, play
from ..command import Command, echo
from ..options import choice_option, suite_of_case_option
from ..reporting import confirm


@click.command("draw", cls=Command)
@click.argument("what", metavar="CASE|FILE")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="FILE.svg, or FILE.png with a browser that is installed. [SVG on standard output]",
)
@suite_of_case_option
@click.option("--ruleset", "ruleset_name", default=USUAL_EDITION, show_default=True, metavar="NAME", help="The rules.")
@choice_option
@click.option(
    "--phase", "number", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="The phase of a case."
)
@click.option("--after", is_flag=True, help="The board after the phase, not the orders to it.")
@click.option("--full", is_flag=True, help="The whole map, not only the part where something happens.")
@click.option("--plain", is_flag=True, help="No title above the board, and no legend below it.")
def command(
    what: str,
    output: Path | None,
    suite_name: str | None,
    ruleset_name: str,
    choices: Sequence[str],
    number: int,
    *,
    after: bool,
    full: bool,
    plain: bool,
) -> None:
    r"""Draw a case, or a position from a file (`-`: standard input), with what the reference engine makes of it.

    A position is orders as people write them (the units on the board are those that they name), TOML as in a case
    file, or JSON as in the protocol.

    \b
    datc-check draw 6.F.24 -o paradox.svg
    datc-check draw 6.H.12 --after --ruleset dpjudge -o after.svg
    datc-check draw 6.F.9 --full -o board.png
    echo "Germany: A Mun - Ber" | datc-check draw - -o move.svg
    """
    if output is None and _is_terminal():
        raise click.UsageError("a terminal shows no picture: name a file with -o FILE.svg")
    ruleset = make_ruleset(ruleset_name, split_choices(choices))
    case = find_case_or_positions(what, suite_name)[0]
    for note in [] if case.suite else case.remark.splitlines():
        echo(printable(note), err=True)
    title, scene = case_scene(case, ruleset, number, after=after)
    window = whole_map() if full else window_around(scene)
    svg = (draw_board if plain else draw_picture)(scene, title=title, window=window) + "\n"
    _write(svg, output)


def case_scene(case: Case, ruleset: Ruleset, number: int, *, after: bool) -> tuple[str, Scene]:
    """Play a case up to a phase; return a title and the board before it with its orders, or the one after it."""
    if number > len(case.phases):
        raise HarnessError(f"--phase {number}: case {case.id} has {len(case.phases)}")
    *_, (asked, _, _) = play(ReferenceAdjudicator(ruleset), case_inputs(case)[:number])
    position = asked.position()
    adjudication = adjudicate(position, asked.orders, ruleset)
    title = _title(case, number)
    if after:
        return f"{title}: the board after", scene_after(position, adjudication)
    orders = [GivenOrder(order.power, order.order) for order in case.phases[number - 1].orders]
    return title, scene_of_orders(position, orders, adjudication, asked.texts)


def _title(case: Case, number: int) -> str:
    if not case.suite:
        return "A position and its orders"
    return f"{case.id} {case.title}" + (f", phase {number}" if len(case.phases) > 1 else "")


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _write(svg: str, output: Path | None) -> None:
    """Write a picture in the format that the name of its file says."""
    if output is None:
        write_report("-", svg.encode(), ci_escape_markup)
        return
    try:
        if output.suffix.lower() == ".png":
            _ = output.write_bytes(png_of(svg))
        else:
            write_report(str(output), svg.encode(), ci_escape_markup)
        confirm([str(output)])
    except OSError as error:
        raise HarnessError(f"{output} cannot be written: {error.strerror}") from error
