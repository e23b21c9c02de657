"""`datc-check preferences`: the author's rules page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import click

from ..options import choice_option, config_option, timeout_option
from ..reporting import EXIT_ENGINE, EXIT_NOT_PASSED, EXIT_PASSED, check_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....reports.preferences import PreferencesPage

_Renderer: TypeAlias = "Callable[[PreferencesPage], bytes]"


@click.command("preferences", short_help="Write the page of the rules that an engine plays.")
@click.argument("engine", required=False)
@click.option("--run", "stored", type=click.File("rb"), metavar="RUN.json", help="From a stored run.")
@click.option("-o", "--output", metavar="FILE", help="FILE.md or FILE.html. [Markdown, on standard output]")
@click.option("--json", "as_json", is_flag=True, help="As JSON, on standard output.")
@click.option("--ruleset", "ruleset_name", metavar="NAME", help="The ruleset that is played. [that of datc.toml]")
@choice_option
@timeout_option
@config_option
@click.pass_context
def command(
    ctx: click.Context,
    engine: str | None,
    stored: BinaryIO | None,
    output: str | None,
    ruleset_name: str | None,
    choices: Sequence[str],
    timeout: float | None,
    config_file: Path | None,
    *,
    as_json: bool,
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
    from ....adapters import AdapterError, EngineClosedError, EngineGaveOutError, EngineStartError
    from ....cases import CasesError
    from ....reference_engine import ReferenceEngineError
    from ....reports import StoredRunError
    from ...errors import HarnessError

    if engine is not None and stored is not None:
        raise click.UsageError("name an ENGINE, or a run with --run, not both", ctx)
    try:
        render = _renderer(output, as_json=as_json)
        if stored is not None:
            page = _of_run(stored)
        elif engine is not None:
            page = _of_engine(engine, config_file, timeout, ruleset_name, choices)
        else:
            page = _of_config(config_file, ruleset_name, choices)
        _write(output, render(page))
    except (EngineStartError, EngineGaveOutError, EngineClosedError) as error:
        click.echo(f"Error: {error}", err=True)
        ctx.exit(EXIT_ENGINE)
    except (AdapterError, CasesError, HarnessError, ReferenceEngineError, StoredRunError) as error:
        raise click.UsageError(str(error), ctx) from error
    ctx.exit(EXIT_PASSED if page.settled else EXIT_NOT_PASSED)


def _of_run(stored: BinaryIO) -> PreferencesPage:
    from ....reports.preferences import run_page
    from .report import read_stored

    return run_page(read_stored(stored))


def _of_config(config_file: Path | None, ruleset_name: str | None, choices: Sequence[str]) -> PreferencesPage:
    from ....reports.preferences import declared_page
    from ...settings.config import read_config
    from ...settings.preparing import ruleset_in_force, split_choices

    config, _ = read_config(config_file)
    return declared_page(ruleset_in_force(config, ruleset_name, split_choices(choices)), config.run.engine or "")


def _of_engine(
    engine: str,
    config_file: Path | None,
    timeout: float | None,
    ruleset_name: str | None,
    choices: Sequence[str],
) -> PreferencesPage:
    from ....adapters.builtin import package_version
    from ....reports import HarnessData
    from ....reports.preferences import inferred_page
    from ...inference.infer import infer, inference_report
    from ...runner.run import engine_data
    from ...settings.preparing import find_cases, open_config_engine, split_choices

    prepared = open_config_engine(engine, config_file, timeout, ruleset_name, split_choices(choices))
    with prepared.engine as opened:
        started = opened.start()
        inferred = infer(opened, started.capabilities, find_cases(["all"], ()), prepared.rules)
    harness = HarnessData(name="datc-check", version=package_version())
    identity = engine_data(prepared.spec, started.engine)
    return inferred_page(inference_report(inferred, harness, identity, prepared.rules, every_case=False))


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
    from ....reports.markdown_findings import render_markdown_preferences

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

    try:
        write_report(output or "-", content)
    except BrokenPipeError:
        raise  # Whoever read the output has seen enough.
    except OSError as error:
        raise click.ClickException(f"the page cannot be written: {error}") from error
