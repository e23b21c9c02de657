"""`datc-check cases`: look at the cases, and check them; `rulesets`: which rules each document plays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import click
import msgspec

from ....cases import Case, SuiteError, load_issues, load_ruleset, load_suite, ruleset_names
from ....cases.rulesets import Cell, RulesetText
from ....cases.suite import CasePhase, Expectation, coverage
from ....cases.tables import table_of
from ....reference_engine.board import Board
from ....reports.findings import Findings, Line, Part, contract, terminal_width, wrapped
from ....reports.report import counted
from ...config.config import read_config
from ...config.preparing import ALL, find_case, find_cases, no_case, ruleset_in_force, suites_named
from ...errors import HarnessError
from .. import options as shared
from ..command import CommandGroup, Exit, Options, echo, echo_json
from ..reporting import echo_problems, show


@click.group("cases", cls=CommandGroup, invoke_without_command=True)
def cases_command() -> None:
    r"""List, show or check the cases.

    \b
    datc-check cases list --select 4.A.3
    datc-check cases show 6.F.9
    datc-check cases check ./my-suite
    datc-check cases coverage
    """


@cases_command.command("list")
@shared.suites_option
@shared.select_option
@shared.json_option
def list_cases(options: Options) -> None:
    r"""List the cases: id, title, and the issues that they depend on.

    \b
    datc-check cases list --suite extended
    datc-check cases list --select 4.A.3
    """
    cases = find_cases(options.suites, options.selections)
    if options.as_json:
        rows = [{"id": case.id, "suite": case.suite, "title": case.title, "issues": case.issues} for case in cases]
        echo_json(contract("cases", cases=rows))
        return
    one_suite = len({case.suite for case in cases}) == 1
    names = [case.id if one_suite else case.key for case in cases]
    width = max(map(len, names), default=0)
    for name, case in zip(names, cases, strict=True):
        issues = f"  [{', '.join(case.issues)}]" if case.issues else ""
        echo(f"{name:{width}}  {case.title}{issues}")


@cases_command.command("show")
@click.argument("case_id", metavar="ID")
@shared.suite_of_case_option
@shared.json_option
def show_case(options: Options) -> None:
    r"""Show one case: its position, its orders, and what is expected under which choices.

    As JSON it is the table of the case file, with what it inherits.

    \b
    datc-check cases show 6.F.9
    """
    case_id = options.case_id or ""
    case = find_case(case_id, options.suite_name)
    if case is None:
        raise HarnessError(f"{case_id!r} is {no_case(case_id, options.suite_name)}")
    if options.as_json:
        table = msgspec.structs.replace(table_of(case.file, case.id), inherits="")
        filled = _filled(msgspec.to_builtins(table), case.phases[0].board.first_year)
        echo_json(contract("case-table", **{"suite": case.suite, "id": case.id, "title": case.title, **filled}))
        return
    lines: list[str] = []
    for line in _case_lines(case):  # The spaces in a line that fits stay as they are.
        indent = len(line) - len(line.lstrip())
        lines += [line] if len(line) <= terminal_width() else wrapped(line, hanging=indent + 2)
    echo("\n".join(lines))


@cases_command.command("check")
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@shared.json_option
def check_cases(options: Options) -> int:
    r"""Check suites, or folders with one: file, case and field of whatever is wrong. All suites if none is named.

    \b
    datc-check cases check ./my-suite
    """
    checked: list[dict[str, object]] = []
    for name in suites_named(options.suites or [ALL]):
        cases, problems = 0, ()
        try:
            cases = len(load_suite(name).cases)
        except SuiteError as error:
            problems = error.problems
        checked.append({"suite": name, "cases": cases, "problems": [problem._asdict() for problem in problems]})
        if not options.as_json:
            echo_problems(name, problems, counted(cases, "case"))
    if options.as_json:
        echo_json(contract("suites", suites=checked))
    return Exit.NOT_PASSED if any(suite["problems"] for suite in checked) else Exit.PASSED


@cases_command.command("coverage")
@shared.all_suites_option
@shared.json_option
def show_coverage(options: Options) -> None:
    r"""Show for each issue the cases that distinguish its choices, and the pairs that no case distinguishes.

    \b
    datc-check cases coverage --suite datc-3.2
    """
    found = coverage(find_cases(options.suites or [ALL], ()))
    pairs_of_issues = ((issue, *pair, shown) for issue, pairs in found.items() for pair, shown in pairs.items())
    gaps = [{"issue": issue, "one": one, "other": other} for issue, one, other, shown in pairs_of_issues if not shown]
    if options.as_json:
        choices = {issue.id: [choice.key for choice in issue.choice] for issue in load_issues().values()}
        issues = [{"id": issue, "choices": keys} for issue, keys in choices.items()]
        echo_json(contract("coverage", issues=issues, gaps=gaps))
        return
    for issue, pairs in found.items():
        apart = sum(bool(cases) for cases in pairs.values())
        cases = sorted({case for shown in pairs.values() for case in shown})
        echo(f"{issue:10} {apart} of {len(pairs)} pairs distinguished, by {counted(len(cases), 'case')}")
    for gap in gaps:
        echo(f"gap: {gap['issue']} {gap['one']} and {gap['other']}")


def _filled(table: Mapping[str, object], year: int) -> dict[str, object]:
    """Leave out the fields that say nothing, in the table and the tables in it; one without a year gets this one."""
    filled = {key: value or year for key, value in table.items() if value or key == "year"}
    for key in {"phase", "expect"} & filled.keys():
        if isinstance(filled[key], list):
            filled[key] = [_filled(each, year) for each in cast("list[Mapping[str, object]]", filled[key])]
    return filled


def _case_lines(case: Case) -> Iterator[str]:
    board = case.phases[0].board
    yield f"{case.id} {case.title}"
    notes = {"Issues": ", ".join(case.issues), "Remark": case.remark, "Source": case.source}
    yield from (f"{head}: {text}" for head, text in notes.items() if text)
    for phase in case.phases:
        yield from ("", f"{phase.phase.capitalize()} phase, {phase.turn}")
        units = phase.position.units if phase.position is not None else ()
        extra = phase.position.flying_dutchmen if phase.position is not None else ()
        stands = [(unit.power, f"{unit.type} {board.describe(unit.location)}") for unit in units]
        owns = [(power, f"owns {', '.join(owned)}") for power, owned in phase.centers.items()]
        places = ((power, " or ".join(map(board.describe, candidates))) for power, candidates in extra)
        has = [(power, f"has a unit too many, in {where}") for power, where in places]
        if phase.position is None:
            yield "  goes on from the phase before"
        yield from (f"  {board.power_name(power):8} {what}" for power, what in (*stands, *owns, *has))
        yield "Orders"
        for order in phase.orders:
            place = phase.place_of(order)
            yield f"  {board.power_name(order.power):8} {order.text}{f'  ({place})' if place else ''}"
        if not phase.orders:
            yield "  none"
        for expectation in phase.expectations:
            yield from _expectation_lines(phase, expectation, board)


def _expectation_lines(phase: CasePhase, expectation: Expectation, board: Board) -> Iterator[str]:
    conditions = ", ".join(f"{issue} = {' or '.join(sorted(keys))}" for issue, keys in expectation.choices.items())
    basis = ", derived" if expectation.basis == "derived" else ""
    others = "" if len(phase.expectations) == 1 else " otherwise"
    yield f"Expected{f' under {conditions}' if conditions else others}{basis}"
    if expectation.no_answer:
        yield "  the rules give no answer"
        return
    retreats = [
        (claim.province, f"{may} retreat to {board.describe(claim.to)}")
        for claims, may in ((expectation.may_retreat, "may"), (expectation.may_not_retreat, "may not"))
        for claim in sorted(claims)
    ]
    fates = [
        *((board.describe(origin), f"moves to {board.describe(to)}") for origin, to in expectation.moved.items()),
        *((board.describe(province), "is dislodged") for province in sorted(expectation.dislodged)),
        *((board.describe(province), "is disbanded") for province in sorted(expectation.gone)),
        *((f"{unit.type} {board.describe(unit.location)}", "is built") for unit in sorted(expectation.built)),
        *((board.describe(province), what) for province, what in retreats),
    ]
    orders = [f"{phase.orders[index].text!r}: {label}" for index, label in sorted(expectation.orders.items())]
    yield from (f"  {line}" for line in [*map(" ".join, fates), *orders] or ["nothing moves"])


@click.group("rulesets", cls=CommandGroup, invoke_without_command=True)
def rulesets_command() -> None:
    r"""List, show or compare the rulesets: one choice for every disputable issue, each with its source.

    \b
    datc-check rulesets show 1982
    datc-check rulesets diff datc-2.4 datc-3.2
    """


@rulesets_command.command("list")
@shared.json_option
def list_rulesets(options: Options) -> None:
    r"""List the rulesets.

    \b
    datc-check rulesets list
    """
    if options.as_json:
        rows = [{"name": name, "title": load_ruleset(name).title} for name in ruleset_names()]
        echo_json(contract("rulesets", rulesets=rows))
        return
    for name in ruleset_names():
        echo(f"{name:10}{load_ruleset(name).title}")


@rulesets_command.command("show")
@click.argument("ruleset_name", metavar="NAME")
@shared.json_option
def show_ruleset(options: Options) -> None:
    r"""Show the choices of a ruleset, what they mean, and where the document says so.

    \b
    datc-check rulesets show 1982
    """
    ruleset = load_ruleset(options.ruleset_name or "")
    note = [Line(ruleset.note, hanging=0)] if ruleset.note else []
    parts = [Part([Line(f"{ruleset.name}: {ruleset.title}", unbroken=True), *note])]
    for issue, cell in ruleset.choices.items():
        text = load_issues()[issue]
        said = filter(None, (text.sentence(cell.choice), f"{cell.basis}: {cell.source}", text.numbering))
        parts.append(Part([f"{issue} {text.title}: {cell.choice}", *(Line(each, 2, 2) for each in said)]))
    choices = {issue: cell.choice for issue, cell in ruleset.choices.items()}
    show(Findings(contract("ruleset", name=ruleset.name, choices=choices), parts), as_json=options.as_json)


@rulesets_command.command("diff")
@click.argument("left")
@click.argument("right")
@shared.json_option
def diff_rulesets(options: Options) -> None:
    r"""Show the issues that two rulesets settle differently, or a datc.toml and a ruleset.

    \b
    datc-check rulesets diff datc-2.4 datc-3.2
    datc-check rulesets diff datc.toml 2023
    """
    one, other = _ruleset_or_config(options.left), _ruleset_or_config(options.right)
    differing = one.differing(other)
    pairs = {issue: [one.choices[issue].choice, other.choices[issue].choice] for issue in differing}
    width = max(len(one.name), len(other.name))
    lines = [] if differing else [f"{one.name} and {other.name} settle every issue alike"]
    for issue in differing:
        cells = ((ruleset.name, ruleset.choices[issue]) for ruleset in (one, other))
        lines.append(f"{issue} {load_issues()[issue].title}")
        lines += [f"  {name:{width}}  {cell.choice} ({cell.basis})" for name, cell in cells]
    found = contract("rulesets-diff", left=one.name, right=other.name, issues=pairs)
    show(Findings(found, [Part([Line(line, unbroken=True) for line in lines])]), as_json=options.as_json)


def _ruleset_or_config(name: str) -> RulesetText:
    """Load a ruleset by its name, or the rules of a config file by its path. Raises `DatcCheckError`."""
    if not name.endswith(".toml"):
        return load_ruleset(name)
    config, _ = read_config(Path(name))
    ruleset = ruleset_in_force(config, None, {})
    base = load_ruleset(ruleset.name)
    cells = {
        issue: cell if cell.choice == ruleset.choices[issue] else Cell(ruleset.choices[issue], "stated", name)
        for issue, cell in base.choices.items()
    }
    return msgspec.structs.replace(base, name=name, choices=cells)
