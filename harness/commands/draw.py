"""`datc-check draw`: a case or a position as a picture of the board."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...cases import Case, CasePhase
    from ...reference_engine import Adjudication, Position, Ruleset
    from ...reports.boardmap import Scene


@click.command("draw", short_help="Draw a case or a position, as SVG.")
@click.argument("what", metavar="CASE|FILE")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE.svg", help="[standard output]")
@click.option("--suite", "suite_name", default="datc-3.1", show_default=True, metavar="NAME", help="Where the case is.")
@click.option("--ruleset", "ruleset_name", default="datc-3.1", show_default=True, metavar="NAME", help="The rules.")
@click.option("--choice", "choices", multiple=True, metavar="ISSUE=CHOICE", help="Another choice for an issue.")
@click.option("--phase", "number", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="Of a case.")
@click.option("--after", is_flag=True, help="The board after the phase, not the orders to it.")
def command(
    what: str,
    output: Path | None,
    suite_name: str,
    ruleset_name: str,
    choices: Sequence[str],
    number: int,
    *,
    after: bool,
) -> None:
    r"""Draw a case, or a position from a file (`-`: standard input), with what the reference engine makes of it.

    A position is lines of orders; the units on the board are those that have one.

    \b
    datc-check draw 6.F.24 -o paradox.svg
    datc-check draw 6.H.12 --after --choice 4.A.5=no-retreat-to-origin -o after.svg
    echo "Germany: A Mun - Ber" | datc-check draw - -o move.svg
    """
    from ...cases import CasesError
    from ...reference_engine import ReferenceEngineError
    from ...reports.boardmap import draw_board
    from ..errors import HarnessError

    if output is None and _is_terminal():
        raise click.UsageError("a terminal shows no picture: name a file with -o FILE.svg")
    try:
        ruleset = _ruleset(ruleset_name, choices)
        title, scene = _scene(what, suite_name, ruleset, number, after=after)
    except (CasesError, HarnessError, ReferenceEngineError) as error:
        raise click.UsageError(str(error)) from error
    _write(draw_board(scene, title=title) + "\n", output)


def _scene(what: str, suite_name: str, ruleset: Ruleset, number: int, *, after: bool) -> tuple[str, Scene]:
    """Find out what is to be drawn: a case goes before a file of its name."""
    from ...cases import load_suite
    from ...reference_engine import nearest
    from ..errors import HarnessError

    cases = {case.id: case for case in load_suite(suite_name).cases}
    if what in cases:
        return case_scene(cases[what], ruleset, number, after=after)
    if what == "-" or Path(what).is_file():
        if number > 1:
            raise HarnessError("--phase is for cases: a position has one phase")
        return _position_scene(what, ruleset, after=after)
    raise HarnessError(f"{what!r} is no file, and no case in {suite_name}{nearest(what, list(cases))}")


def case_scene(case: Case, ruleset: Ruleset, number: int, *, after: bool) -> tuple[str, Scene]:
    """Play a case up to a phase; give a title and the board before it with its orders, or the one after."""
    from ...reference_engine import GivenOrder
    from ...reports.boardmap import scene_after, scene_of_orders
    from ..errors import HarnessError

    if number > len(case.phases):
        raise HarnessError(f"--phase {number}: case {case.id} has {len(case.phases)}")
    phase = case.phases[number - 1]
    position, adjudication = _play(case.phases[:number], ruleset)
    phases = f", phase {number}" if len(case.phases) > 1 else ""
    title = f"{case.id} {case.title}{phases}"
    if after:
        return f"{title}: the board after", scene_after(position, adjudication)
    orders = [GivenOrder(order.power, order.order) for order in phase.orders]
    return title, scene_of_orders(position, orders, adjudication, [order.text for order in phase.orders])


def _play(phases: Sequence[CasePhase], ruleset: Ruleset) -> tuple[Position, Adjudication]:
    """Adjudicate phases in turn; give the position before the last, and what became of it."""
    from ...reference_engine import Submission, adjudicate

    played: tuple[Position, Adjudication] | None = None
    for phase in phases:
        position = phase.position or _next_position(phase, played)
        submission = Submission([order.submitted for order in phase.orders], phase.marks, phase.in_sequence)
        played = position, adjudicate(position, submission, ruleset)
    assert played is not None  # noqa: S101 - a case has a phase
    return played


def _next_position(phase: CasePhase, played: tuple[Position, Adjudication] | None) -> Position:
    """The position that a phase goes on from: what became of the phase before."""
    from ...reference_engine import Position

    assert played is not None  # noqa: S101 - the first phase of a case has a position
    _, (units, dislodged, *_) = played
    return Position(
        units, phase=phase.phase, dislodged=dislodged if phase.phase == "retreat" else (), centers=phase.centers
    )


def _position_scene(what: str, ruleset: Ruleset, *, after: bool) -> tuple[str, Scene]:
    from ...reference_engine import adjudicate
    from ...reports.boardmap import scene_after, scene_of_orders
    from ..position_lines import read_position_text

    name = "standard input" if what == "-" else what
    position, orders, texts = read_position_text(_read(what), name)
    adjudication = adjudicate(position, orders, ruleset)
    if after:
        return "The board after the orders", scene_after(position, adjudication)
    return "A position and its orders", scene_of_orders(position, orders, adjudication, texts)


def _read(what: str) -> str:
    from ..errors import HarnessError

    try:
        content = sys.stdin.buffer.read() if what == "-" else Path(what).read_bytes()
        return content.decode("utf-8")
    except OSError as error:
        raise HarnessError(f"{what} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise HarnessError(f"{what} is no text in UTF-8") from error


def _ruleset(name: str, choices: Sequence[str]) -> Ruleset:
    from ..preparing import make_ruleset, split_choices

    return make_ruleset(name, split_choices(choices))


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _write(text: str, output: Path | None) -> None:
    if output is None:
        _ = sys.stdout.buffer.write(text.encode())
        return
    try:
        _ = output.write_bytes(text.encode())
    except OSError as error:
        raise click.UsageError(f"{output} cannot be written: {error.strerror}") from error
