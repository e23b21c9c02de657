"""`datc-check preferences`: the author's rules page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import click

from ..command import EXIT_NOT_PASSED, EXIT_PASSED, Command, EngineOptions, engine_options, writing
from ..reporting import check_place

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ....reports.preferences import PreferencesPage

_Renderer: TypeAlias = "Callable[[PreferencesPage], bytes]"


@click.command("preferences", cls=Command, short_help="Write the page of the rules that an engine plays.")
@click.argument("engine", required=False)
@click.option("--run", "stored", type=click.File("rb"), metavar="RUN.json", help="From a stored run.")
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
    from ....reports.preferences import inferred_page, run_page
    from .infer import infer_choices
    from .report import read_stored

    if engine is not None and stored is not None:
        raise click.UsageError("name an ENGINE, or a run with --run, not both", ctx)
    render = _renderer(output, as_json=as_json)
    if stored is not None:
        page = run_page(read_stored(stored))
    elif engine is not None:
        page = inferred_page(infer_choices(engine, options))
    else:
        page = _of_config(options)
    _write(output, render(page))
    ctx.exit(EXIT_PASSED if page.settled else EXIT_NOT_PASSED)


def _of_config(options: EngineOptions) -> PreferencesPage:
    from ....reports.preferences import declared_page
    from ...settings.config import read_config
    from ...settings.preparing import ruleset_in_force, split_choices

    config, _ = read_config(options["config_file"])
    ruleset = ruleset_in_force(config, options["ruleset_name"], split_choices(options["choices"]))
    return declared_page(ruleset, config.run.engine or "")


def _renderer(output: str | None, *, as_json: bool) -> _Renderer:
    """Find how the page is written by the name of its file. Raises `HarnessError`."""
    from ...errors import HarnessError

    if as_json:
        if output is not None:
            raise HarnessError("--json goes to standard output: leave out -o")
        return _render_json
    if output is None:
        return _render_markdown
    by_suffix: Mapping[str, _Renderer] = {".md": _render_markdown, ".html": _render_html}
    render = by_suffix.get(Path(output).suffix)
    if render is None:
        raise HarnessError(f"-o {output}: the name of the page ends in {' or '.join(by_suffix)}")
    check_place(f"-o {output}", Path(output))
    return render


def _render_markdown(page: PreferencesPage) -> bytes:
    from ....reports.markdown import render_markdown_preferences

    return render_markdown_preferences(page)


def _render_html(page: PreferencesPage) -> bytes:
    from ....reports.html import render_html_preferences

    return render_html_preferences(page)


def _render_json(page: PreferencesPage) -> bytes:
    import msgspec

    from ....reports.text import printable_struct

    return msgspec.json.format(msgspec.json.encode(printable_struct(page)), indent=2) + b"\n"


def _write(output: str | None, content: bytes) -> None:
    from ....reports import write_report

    with writing("the page"):
        write_report(output or "-", content)
