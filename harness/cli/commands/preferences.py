"""`datc-check preferences`: the author's rules page."""

from __future__ import annotations

from pathlib import Path

import click

from ....reference_engine.errors import printable
from ....reports import write_report
from ....reports.findings import wrapped
from ....reports.html import render_html_preferences
from ....reports.json_report import render_json
from ....reports.markdown import render_markdown_preferences
from ....reports.preferences import declared_page, inferred_page, run_page
from ....reports.text import ci_escape, ci_escape_json
from ...config.config import read_config
from ...config.preparing import ruleset_in_force, split_choices
from ...errors import HarnessError
from .. import options as shared
from ..command import Command, Exit, Options, echo, writing
from ..reporting import check_place, confirm, read_stored
from .diagnose import infer_choices


@click.command("preferences", cls=Command)
@click.argument("engine", required=False)
@shared.option("--run", "stored", "RUN.json", "Use the choices of a stored run.", click.File("rb"))
@click.option("-o", "--output", metavar="FILE", help="FILE.md or FILE.html. [Markdown, on standard output]")
@click.option("--json", "as_json", is_flag=True, help="As JSON, on standard output.")
@shared.engine_options
def preferences_command(options: Options) -> int:
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
    if options.engine is not None and options.stored is not None:
        raise click.UsageError("name an ENGINE, or a run with --run, not both")
    if (file := options.output) is not None:
        if options.as_json:
            raise HarnessError("--json goes to standard output: leave out -o")
        if Path(file).suffix not in (".md", ".html"):
            raise HarnessError(f"-o {file}: the name of the page ends in .md or .html")
        check_place(f"-o {file}", Path(file))
    if options.stored is not None:
        page = run_page(read_stored(options.stored))
    elif options.engine is not None:
        page = inferred_page(infer_choices(options))
    else:
        config, _ = read_config(options.config_file)
        ruleset = ruleset_in_force(config, options.ruleset_name, split_choices(options.choices))
        page = declared_page(ruleset, config.usual_engine or "")
    output = file or "-"
    render = render_html_preferences if output.endswith(".html") else render_markdown_preferences
    content = render_json(page) if options.as_json else render(page)
    with writing("the page"):
        write_report(output, content, ci_escape_json if options.as_json else ci_escape)
    confirm([output])
    if page.settled:
        return Exit.PASSED
    issues = [each.id for each in page.preferences if each.standing == "contradicted"]
    contradicted = [f"Contradicted by its answers: {', '.join(issues)}."] if issues else []
    echo("\n".join(wrapped(printable(" ".join([*contradicted, *page.remarks])), hanging=2)), err=True)
    return Exit.NOT_PASSED
