"""`datc-check cases`: look at the cases, and check them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from ..command import (
    CommandGroup,
    all_suites_option,
    echo,
    echo_json,
    json_option,
    select_option,
    suite_of_case_option,
    suites_option,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ....cases import Case, CasePhase, Expectation


@click.group("cases", cls=CommandGroup, short_help="List, show or check the cases.", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    r"""List, show or check the cases.

    \b
    datc-check cases list --select 4.A.3
    datc-check cases show 6.F.9
    datc-check cases check ./my-suite
    datc-check cases coverage
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_cases)


@command.command("list")
@suites_option
@select_option
@json_option
def list_cases(suites: Sequence[str] = (), selections: Sequence[str] = (), *, as_json: bool = False) -> None:
    r"""List the cases: id, title, and the issues that they depend on.

    \b
    datc-check cases list --suite extended
    datc-check cases list --select 4.A.3
    """
    from ...settings.selecting import find_cases

    cases = find_cases(suites, selections)
    if as_json:
        echo_json([{"id": case.id, "suite": case.suite, "title": case.title, "issues": case.issues} for case in cases])
        return
    one_suite = len({case.suite for case in cases}) == 1
    names = [case.id if one_suite else case.key for case in cases]
    width = max(map(len, names), default=0)
    for name, case in zip(names, cases, strict=True):
        issues = f"  [{', '.join(case.issues)}]" if case.issues else ""
        echo(f"{name:{width}}  {case.title}{issues}")


@command.command("show")
@click.argument("case_id", metavar="ID")
@suite_of_case_option
@json_option
def show_case(case_id: str, suite_name: str | None, *, as_json: bool) -> None:
    r"""Show one case: its position, its orders, and what is expected under which choices.

    As JSON it is the table of the case file, with what it inherits.

    \b
    datc-check cases show 6.F.9
    """
    from ...errors import HarnessError
    from ...settings.selecting import find_case, no_case

    case = find_case(case_id, suite_name)
    if case is None:
        raise HarnessError(f"{case_id!r} is {no_case(case_id, suite_name)}")
    if as_json:
        echo_json({"suite": case.suite, "id": case.id, "title": case.title, **_table(case)})
        return
    echo("\n".join(_case_lines(case)))


@command.command("check")
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@json_option
@click.pass_context
def check_cases(ctx: click.Context, suites: Sequence[str], *, as_json: bool) -> None:
    r"""Check suites, or folders with one: file, case and field of whatever is wrong. All suites if none is named.

    \b
    datc-check cases check ./my-suite
    """
    from ....cases import SuiteError, load_suite
    from ....reports import counted
    from ...settings.selecting import ALL, suites_named

    checked: list[dict[str, object]] = []
    for name in suites_named(suites or [ALL]):
        cases, problems = 0, ()
        try:
            cases = len(load_suite(name).cases)
        except SuiteError as error:
            problems = error.problems
        checked.append({"suite": name, "cases": cases, "problems": [problem._asdict() for problem in problems]})
        if not as_json:
            lines = [*map(str, problems), f"{name}: {counted(len(problems), 'problem')}"]
            echo("\n".join(lines) if problems else f"{name}: {counted(cases, 'case')}, nothing wrong")
    if as_json:
        echo_json(checked)
    ctx.exit(1 if any(suite["problems"] for suite in checked) else 0)


@command.command("coverage")
@all_suites_option
@json_option
def show_coverage(suites: Sequence[str], *, as_json: bool) -> None:
    r"""Show for each issue the cases that distinguish its choices, and the pairs that no case distinguishes.

    \b
    datc-check cases coverage --suite datc-3.2
    """
    from ....cases import coverage, load_issues
    from ....reports import counted
    from ...settings.selecting import ALL, find_cases

    found = coverage(find_cases(suites or [ALL], ()))
    if as_json:
        issues = [
            {"id": issue.id, "choices": [choice.key for choice in issue.choice]} for issue in load_issues().values()
        ]
        echo_json({"issues": issues, "gaps": [gap._asdict() for gap in found.gaps]})
        return
    for issue, pairs in found.told_apart.items():
        apart = sum(bool(cases) for cases in pairs.values())
        cases = sorted({case for shown in pairs.values() for case in shown})
        click.echo(f"{issue:10} {apart} of {len(pairs)} pairs distinguished, by {counted(len(cases), 'case')}")
    for gap in found.gaps:
        click.echo(f"gap: {gap.issue} {gap.one} and {gap.other}")


def _table(case: Case) -> dict[str, object]:
    """Return the table of a case without the fields that say nothing."""
    import msgspec

    from ....cases.inheritance import table_of

    return _filled(msgspec.to_builtins(msgspec.structs.replace(table_of(case), inherits="")))


def _filled(table: Mapping[str, object]) -> dict[str, object]:
    """Leave out the fields that say nothing, in the table and the tables in it."""
    filled = {key: value for key, value in table.items() if value}
    for key in {"phase", "expect"} & filled.keys():
        if isinstance(filled[key], list):
            filled[key] = [*map(_filled, cast("list[Mapping[str, object]]", filled[key]))]
    return filled


def _case_lines(case: Case) -> list[str]:
    lines = [f"{case.id} {case.title}"]
    if case.issues:
        lines.append(f"Issues: {', '.join(case.issues)}")
    if case.remark:
        lines.append(f"Remark: {case.remark}")
    if case.source:
        lines.append(f"Source: {case.source}")
    for phase in case.phases:
        lines += ["", *_phase_lines(phase)]
    return [part for line in lines for part in _broken(line)]


def _broken(line: str) -> list[str]:
    """Break a line for the terminal, and leave spaces in it as they are."""
    from ...wording import terminal_width, wrapped

    return [line] if len(line) <= terminal_width() else wrapped(line, hanging=len(line) - len(line.lstrip()) + 2)


def _phase_lines(phase: CasePhase) -> list[str]:
    from ....reference_engine import standard_board

    board = standard_board()
    lines = [f"{phase.phase.capitalize()} phase, {phase.season} {phase.year}"]
    if phase.position is None:
        lines.append("  goes on from the phase before")
    else:
        lines += [
            f"  {board.powers[u.power].name:8} {u.type} {board.describe(u.location)}" for u in phase.position.units
        ]
    lines += [f"  {board.powers[power].name:8} owns {', '.join(owned)}" for power, owned in phase.centers.items()]
    if phase.position is not None:
        for power, candidates in phase.position.flying_dutchmen:
            where = " or ".join(map(board.describe, candidates))
            lines += [f"  {board.powers[power].name:8} has a unit too many, in {where}"]
    lines += ["Orders"]
    for order in phase.orders:
        place = phase.place_of(order)
        lines.append(f"  {board.powers[order.power].name:8} {order.text}{f'  ({place})' if place else ''}")
    if not phase.orders:
        lines.append("  none")
    for expectation in phase.expectations:
        lines += _expectation_lines(phase, expectation)
    return lines


def _expectation_lines(phase: CasePhase, expectation: Expectation) -> list[str]:
    from ....reference_engine import standard_board

    board = standard_board()
    conditions = ", ".join(f"{issue} = {' or '.join(sorted(keys))}" for issue, keys in expectation.choices.items())
    basis = ", derived" if expectation.basis == "derived" else ""
    others = "" if len(phase.expectations) == 1 else " otherwise"
    lines = [f"Expected{f' under {conditions}' if conditions else others}{basis}"]
    if expectation.no_answer:
        return [*lines, "  the rules give no answer"]
    lines += [f"  {board.describe(origin)} moves to {board.describe(to)}" for origin, to in expectation.moved.items()]
    lines += [f"  {board.describe(province)} is dislodged" for province in sorted(expectation.dislodged)]
    lines += [f"  {board.describe(province)} is disbanded" for province in sorted(expectation.gone)]
    lines += [f"  {unit.type} {board.describe(unit.location)} is built" for unit in sorted(expectation.built)]
    for claims, may in ((expectation.may_retreat, "may"), (expectation.may_not_retreat, "may not")):
        lines += [
            f"  {board.describe(claim.province)} {may} retreat to {board.describe(claim.to)}"
            for claim in sorted(claims)
        ]
    lines += [f"  {phase.orders[index].text!r}: {label}" for index, label in sorted(expectation.orders.items())]
    return lines if len(lines) > 1 else [*lines, "  nothing moves"]
