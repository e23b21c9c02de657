"""`datc-check rulesets`: which rules each document plays, and where two differ."""

from __future__ import annotations

import click

from ....cases import load_issues, load_ruleset, ruleset_names
from ....cases.rulesets import RulesetText
from ....reports.findings import wrapped
from ..command import CommandGroup, echo_json
from ..options import json_option


@click.group("rulesets", cls=CommandGroup, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    r"""List, show or compare the rulesets: one choice for every disputable issue, each with its source.

    \b
    datc-check rulesets show 1982
    datc-check rulesets diff datc-2.4 datc-3.2
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_rulesets)


@command.command("list")
@json_option
def list_rulesets(*, as_json: bool = False) -> None:
    r"""List the rulesets.

    \b
    datc-check rulesets list
    """
    if as_json:
        echo_json([{"name": name, "title": load_ruleset(name).title} for name in ruleset_names()])
        return
    for name in ruleset_names():
        click.echo(f"{name:10}{load_ruleset(name).title}")


@command.command("show")
@click.argument("ruleset_name", metavar="NAME")
@json_option
def show_ruleset(ruleset_name: str, *, as_json: bool) -> None:
    r"""Show the choices of a ruleset, what they mean, and where the document says so.

    \b
    datc-check rulesets show 1982
    """
    ruleset = load_ruleset(ruleset_name)
    if as_json:
        choices = {issue: cell.choice for issue, cell in ruleset.choices.items()}
        echo_json({"name": ruleset.name, "choices": choices})
        return
    click.echo(f"{ruleset.name}: {ruleset.title}")
    if ruleset.note:
        click.echo("\n".join(wrapped(ruleset.note, hanging=0)))
    for issue in ruleset.choices:
        click.echo("\n" + "\n".join(_cell_lines(ruleset, issue)))


@command.command("diff")
@click.argument("left")
@click.argument("right")
@json_option
def diff_rulesets(left: str, right: str, *, as_json: bool) -> None:
    r"""Show the issues that two rulesets settle differently.

    \b
    datc-check rulesets diff datc-2.4 datc-3.2
    """
    one, other = load_ruleset(left), load_ruleset(right)
    differing = [issue for issue in one.choices if one.choices[issue].choice != other.choices[issue].choice]
    if as_json:
        pairs = {issue: [one.choices[issue].choice, other.choices[issue].choice] for issue in differing}
        echo_json({"left": one.name, "right": other.name, "issues": pairs})
        return
    if not differing:
        click.echo(f"{one.name} and {other.name} settle every issue alike")
        return
    width = max(len(one.name), len(other.name))
    for issue in differing:
        click.echo(f"{issue} {load_issues()[issue].title}")
        for ruleset in (one, other):
            cell = ruleset.choices[issue]
            click.echo(f"  {ruleset.name:{width}}  {cell.choice} ({cell.basis})")


def _cell_lines(ruleset: RulesetText, issue: str) -> list[str]:
    cell = ruleset.choices[issue]
    text = load_issues()[issue]
    lines = wrapped(f"{issue} {text.title}: {cell.choice}", hanging=2)
    for line in (text.sentence(cell.choice), f"{cell.basis}: {cell.source}", text.numbering):
        lines += wrapped(line, indent=2, hanging=2) if line else []
    return lines
