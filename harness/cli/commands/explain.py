"""`datc-check explain`: why a position has its result; `draw`: a picture of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

import click

from ....cases import Case
from ....cases.suite import USUAL_EDITION
from ....reference_engine import GivenOrder, Ruleset, adjudicate
from ....reports import renderers
from ....reports.boardmap import drawing
from ....reports.boardmap.geography import whole_map, window_around
from ....reports.boardmap.scenes import Scene, scene_after, scene_of_orders
from ....reports.findings import Findings
from ....reports.post import STYLES, Post, PostStyle, write_post
from ...board.browser import png_of
from ...config.preparing import find_case_or_positions, make_ruleset, split_choices
from ...errors import HarnessError
from ...explain.case import CaseExplanation, explain_whole_case
from ...explain.findings import NO_TITLE, detail_lines, explanation_findings, make_post
from ...play.engine import EngineAdjudicator
from ...play.session import ReferenceAdjudicator, case_inputs, play
from ...play.verdict import Rules
from .. import options as shared
from ..command import Command, Exit, Options, echo
from ..reporting import Reports, check_picture_output, picture_option, show, write_picture


@click.command("explain", cls=Command)
@click.argument("what", metavar="CASE|FILE")
@click.argument("engines", nargs=-1, metavar="[ENGINE]...")
@shared.suite_of_case_option
@click.option("--all-rulesets", is_flag=True, help="The outcome under every ruleset, and of every ENGINE, as a table.")
@shared.carry_options
@shared.seed_option(0)
@shared.engine_options
@click.option("--verbose", "-v", is_flag=True, help="The strengths, decisions and circles, too, as pages have them.")
@shared.json_option
@shared.reports_option("html, markdown, bbcode, discord, png or json")
@shared.option("--page", "page", "URL", 'The address of a page "Try a position", for a link in posts.')
def explain_command(options: Options) -> int:
    r"""Explain how the reference engine adjudicates a case, or a position from a file (`-`: standard input).

    First the question that disputed orders ask, its answer, and what else happens; then for every order which supports
    count, and why it fails. With -v its strengths, the decisions in the order in which they became certain, and what
    settles a circle of them. With ENGINE: the first order on which it differs, and the fewest other choices of rules
    that would give its answer. If none that it tries does, the answer is probably a bug.

    A position is TOML as in a case file, JSON as in the protocol, or orders as people write them. The outcomes under
    all rulesets are shown for several ENGINEs, and for a position without a named ruleset, choice or ENGINE.
    Exit codes: 0 there is an answer and ENGINE, if named, gives it; 1 ENGINE differs or cannot do it; 3 ENGINE gave
    none.

    \b
    datc-check explain 6.F.14
    datc-check explain 6.G.8 diplomacy_pypi
    datc-check explain 6.F.14 --map loeb9
    datc-check explain FIELD.adjacent.clyde --suite field --all-rulesets
    echo "Austria A Ser-Bud; Russia A Rum-Bud" | datc-check explain -
    """

    def page(_: Findings[object]) -> bytes:
        boards = [
            [_drawn(case, rules.ruleset, number) for number, _ in enumerate(each.phases, 1)]
            for case, each in zip(cases, found, strict=True)
        ]
        return renderers("findings")["html"](explanation_findings(found, boards))

    def posts(style: PostStyle, _: Findings[object]) -> bytes:
        made = (_post(case, each, options.page) for case, each in zip(cases, found, strict=True))
        return "\n".join(write_post(each, style) for each in made).encode()

    def picture(_: Findings[object]) -> bytes:
        title, scene = case_scene(cases[0], rules.ruleset, 1, after=False)
        return png_of(drawing.draw_picture(scene, title=title, window=window_around(scene)))

    made = {name: partial(posts, style) for name, style in STYLES.items()}
    shown = {**renderers("findings"), "html": page, **made, "png": picture}
    reports = Reports(options.reports, shown, "an explanation")
    cases = find_case_or_positions(options.what, options.suite_name)
    with ExitStack() as stack:
        rules, tested = _open(stack, options)
        cases = _carried(cases, options, rules.ruleset)
        shows_all = options.all_rulesets or len(options.engines) > 1
        nothing_else = not (options.engines or options.ruleset_name or options.choices)
        found = [
            explain_whole_case(case, rules.ruleset, tested, all_rulesets=shows_all or (nothing_else and not case.suite))
            for case in cases
        ]
    findings = explanation_findings(found, numbers=options.verbose)
    reports.write(findings)
    if options.as_json or not reports.stdout_is_taken:
        show(findings, as_json=options.as_json)
    return _exit_code(found)


def _carried(cases: Sequence[Case], options: Options, ruleset: Ruleset) -> Sequence[Case]:
    """Carry cases to other places, if options say so. Raises `HarnessError` where a map has no place for them."""
    found = shared.carried(cases, options, ruleset)
    if found and not found.cases:
        raise HarnessError(f"{options.what} is not carried to {found.map}: {found.not_carried[0].why}")
    return found.cases if found else cases


def _post(case: Case, explained: CaseExplanation, page: str | None) -> Post:
    """Make a post of an explanation; `page` is the address of a page that tries positions, for a link."""
    inputs, title = case_inputs(case), f"{explained.case} {explained.title}" if explained.suite else NO_TITLE
    notes = [*explained.recorded, *explained.notes]
    details = [
        line
        for each in explained.phases
        for line in (f"{each.turn}, {each.phase}:", *detail_lines(each, numbers=False))
    ]
    said = (inputs, explained.phases, explained.ruleset, explained.rulesets)
    post = make_post(*said, title=title, notes=notes, details=details)
    fragment = urlencode({"ruleset": explained.ruleset, "text": post.position})
    return replace(post, link=f"{page.partition('#')[0]}#{fragment}" if page else "")


def _open(stack: ExitStack, options: Options) -> tuple[Rules, Mapping[str, EngineAdjudicator]]:
    """Open the engines until the stack ends; return the rules in force too. Raises `DatcCheckError`."""
    rules = shared.open_engine("builtin", options).rules
    tested: dict[str, EngineAdjudicator] = {}
    for name in options.engines:
        prepared = shared.open_engine(name, options)
        opened = stack.enter_context(prepared.engine)
        started = opened.start()
        tested[name] = EngineAdjudicator(opened, started.capabilities, rules.ruleset, prepared.rules.notation)
    return rules, tested


def _exit_code(found: Sequence[CaseExplanation]) -> int:
    compared = [phase.engine for each in found for phase in each.phases if phase.engine is not None]
    tables = [each.rulesets for each in found if each.rulesets is not None]
    names = {name for table in tables for row in table.rows for name in row.rulesets}
    silent = any(set(table.unanswered) - names - set(table.unsupported) for table in tables)
    if silent or any(account.error and not account.unsupported for account in compared):
        return Exit.ENGINE
    is_different = any(row.engines and not row.is_in_force for table in tables for row in table.rows)
    is_different = is_different or any(table.unsupported for table in tables)
    is_different = is_different or any(account.differences or account.unsupported for account in compared)
    return Exit.NOT_PASSED if is_different else Exit.PASSED


@click.command("draw", cls=Command)
@click.argument("what", metavar="CASE|FILE")
@picture_option
@shared.suite_of_case_option
@shared.carry_options
@shared.seed_option(0)
@shared.option("--ruleset", "ruleset_name", "NAME", "The rules.", default=USUAL_EDITION, show_default=True)
@shared.choice_option
@shared.option("--phase", "number", "N", "The phase of a case.", click.IntRange(1), default=1, show_default=True)
@click.option("--after", is_flag=True, help="The board after the phase, not the orders to it.")
@click.option("--full", is_flag=True, help="The whole map, not only the part where something happens.")
@click.option("--plain", is_flag=True, help="No title above the board, and no legend below it.")
def draw_command(options: Options) -> None:
    r"""Draw a case, or a position from a file (`-`: standard input), with what the reference engine makes of it.

    A position is orders as people write them (the units on the board are those that they name), TOML as in a case
    file, or JSON as in the protocol.

    \b
    datc-check draw 6.F.24 -o paradox.svg
    datc-check draw 6.H.12 --after --ruleset dpjudge -o after.svg
    datc-check draw 6.F.9 --full -o board.png
    datc-check draw 6.F.14 --map loeb9 -o there.svg
    echo "Germany: A Mun - Ber" | datc-check draw - -o move.svg
    """
    check_picture_output(options.output)
    ruleset = make_ruleset(options.ruleset_name, split_choices(options.choices))
    cases = find_case_or_positions(options.what, options.suite_name)
    case = _carried(cases, options, ruleset)[0]
    for note in [] if case.suite else case.remark.splitlines():
        echo(note, err=True)
    title, scene = case_scene(case, ruleset, options.number, after=options.after)
    window = whole_map(scene.board) if options.full else window_around(scene)
    draw = drawing.draw_board if options.plain else drawing.draw_picture
    write_picture(draw(scene, title=title, window=window), options.output)


def _drawn(case: Case, ruleset: Ruleset, number: int) -> Sequence[str]:
    """Draw the boards before and after a phase, in one window."""
    scenes = [case_scene(case, ruleset, number, after=after) for after in (False, True)]
    window = window_around(*(scene for _, scene in scenes))
    return [
        drawing.draw_board(scene, title=title, prefix=f"{case.id}-{number}-{index}", window=window)
        for index, (title, scene) in enumerate(scenes)
    ]


def case_scene(case: Case, ruleset: Ruleset, number: int, *, after: bool) -> tuple[str, Scene]:
    """Play a case up to a phase; return a title and the board before it with its orders, or the one after it."""
    if number > len(case.phases):
        raise HarnessError(f"--phase {number}: case {case.id} has {len(case.phases)}")
    *_, (asked, _, _) = play(ReferenceAdjudicator(ruleset), case_inputs(case)[:number])
    position = asked.position()
    adjudication = adjudicate(position, asked.orders, ruleset)
    title = "A position and its orders"
    if case.suite:
        title = f"{case.id} {case.title}" + (f", phase {number}" if len(case.phases) > 1 else "")
    if after:
        return f"{title}: the board after", scene_after(position, adjudication)
    orders = [GivenOrder(order.power, order.order) for order in case.phases[number - 1].orders]
    return title, scene_of_orders(position, orders, adjudication, asked.texts)
