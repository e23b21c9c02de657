"""`datc-check preferences`: the author's rules page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from ....reference_engine.errors import printable
from ....reports import write_report
from ....reports.findings import wrapped
from ....reports.html import render_html_preferences
from ....reports.json_report import render_json
from ....reports.markdown import render_markdown_preferences
from ....reports.preferences import PreferencesPage, declared_page, inferred_page, run_page
from ....reports.text import ci_escape, ci_escape_json
from ...config.config import read_config
from ...config.preparing import ruleset_in_force, split_choices
from ...errors import HarnessError
from ..command import EXIT_NOT_PASSED, EXIT_PASSED, Command, echo, writing
from ..options import EngineOptions, engine_options
from ..reporting import check_place, confirm
from .infer import infer_choices
from .report import read_stored

if TYPE_CHECKING:
    from typing_extensions import Unpack


@click.command("preferences", cls=Command)
@click.argument("engine", required=False)
@click.option("--run", "stored", type=click.File("rb"), metavar="RUN.json", help="Use the choices of a stored run.")
@click.option("-o", "--output", metavar="FILE", help="FILE.md or FILE.html. [Markdown, on standard output]")
@click.option("--json", "as_json", is_flag=True, help="As JSON, on standard output.")
@engine_options
@click.pass_context
def command(
    ctx: click.Context,
    engine: str | None,
    stored: BinaryIO | None,
    output: str | None,
    *,
    as_json: bool,
    **options: Unpack[EngineOptions],
) -> None:
    r"""Write the rules as a page for players: every issue, the choice made, who agrees, and the cases that show it.

    The choices are those that datc.toml or the options declare; with --run those of a stored run, and what its cases
    showed; with ENGINE those that its answers fit, as `datc-check infer` finds them. Exit codes: 0 nothing is
    contradicted, 1 something is, and the page says so, 3 the engine could not be asked to the end.

    \b
    datc-check preferences -o rules.md
    datc-check preferences --ruleset 1982
    datc-check preferences --run run.json -o rules.html
    datc-check preferences mine -o rules.html
    """
    if engine is not None and stored is not None:
        raise click.UsageError("name an ENGINE, or a run with --run, not both", ctx)
    _check_output(output, as_json=as_json)
    if stored is not None:
        page = run_page(read_stored(stored))
    elif engine is not None:
        page = inferred_page(infer_choices(engine, options))
    else:
        page = _of_config(options)
    content = _render(page, output, as_json=as_json)
    with writing("the page"):
        write_report(output or "-", content, ci_escape_json if as_json else ci_escape)
    confirm([output or "-"])
    if not page.settled:
        echo("\n".join(wrapped(printable(_why_not_settled(page)), hanging=2)), err=True)
    ctx.exit(EXIT_PASSED if page.settled else EXIT_NOT_PASSED)


def _why_not_settled(page: PreferencesPage) -> str:
    issues = [each.id for each in page.preferences if each.standing == "contradicted"]
    contradicted = [f"Contradicted by its answers: {', '.join(issues)}."] if issues else []
    return " ".join([*contradicted, *page.remarks])


def _of_config(options: EngineOptions) -> PreferencesPage:
    config, _ = read_config(options["config_file"])
    ruleset = ruleset_in_force(config, options["ruleset_name"], split_choices(options["choices"]))
    return declared_page(ruleset, config.usual_engine or "")


def _check_output(output: str | None, *, as_json: bool) -> None:
    """Raise `HarnessError` where the page cannot be written as the options say."""
    if output is None:
        return
    if as_json:
        raise HarnessError("--json goes to standard output: leave out -o")
    if Path(output).suffix not in (".md", ".html"):
        raise HarnessError(f"-o {output}: the name of the page ends in .md or .html")
    check_place(f"-o {output}", Path(output))


def _render(page: PreferencesPage, output: str | None, *, as_json: bool) -> bytes:
    if as_json:
        return render_json(page)
    return render_html_preferences(page) if output and output.endswith(".html") else render_markdown_preferences(page)
