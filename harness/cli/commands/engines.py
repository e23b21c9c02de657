"""`datc-check engines`: the bridges and the engines of `datc.toml`, their set-up, and a smoke test of any engine."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import final

import click

from ....adapters import (
    Engine,
    EngineClosedError,
    EngineGaveOutError,
    EngineSpec,
    EngineStartError,
    open_engine,
    parse_engine_spec,
)
from ....adapters.bridges import Bridge, bridge_names, bridges_home, find_bridge, labelled, set_up_bridges
from ....adapters.protocol import InitializeResult
from ....reference_engine.errors import printable
from ....reports.findings import Line, Table, aligned, laid_out
from ....reports.json_report import render_json
from ...config.config import read_config
from ...config.preparing import with_ca_file
from ...config.setting_up import Manner, missing_programs, set_up_bridge, set_up_engine
from ...errors import ConfigError, HarnessError, SetUpError
from ...run.runner import read_expected
from ...run.smoke import Check, check_lines, smoke_checks
from ..command import EXIT_ENGINE, EXIT_INTERRUPTED, EXIT_NOT_PASSED, EXIT_PASSED, CommandGroup, echo, echo_json
from ..options import a_time, ca_file_option, config_option, jobs_option, json_option, timeout_option

_SETUP_SECONDS = 1800.0


@click.group("engines", cls=CommandGroup, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    r"""List the engines, set them up, or check that one speaks the protocol and knows the map.

    \b
    datc-check engines setup diplomacy_pypi
    datc-check engines check "exec:./my-bridge"
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_engines)


@command.command("list")
@json_option
@config_option
def list_engines(*, as_json: bool = False, config_file: Path | None = None) -> None:
    r"""List the bridges that come with the project, what is set up of each, and the engines of datc.toml.

    \b
    datc-check engines list --json
    """
    bridges = [find_bridge(name) for name in bridge_names()]
    config, folder = read_config(config_file)
    specs = config.engines(folder)
    if as_json:
        data = {
            "bridges": [_bridge_data(bridge) for bridge in bridges],
            "engines": [
                {"name": name, "command": spec.command, "url": spec.url, "setup": spec.setup}
                for name, spec in specs.items()
            ],
        }
        echo_json(data)
        return
    _echo_bridges(bridges)
    _echo_set_ups(bridges)
    click.echo(f"\n`datc-check engines setup NAME` sets one up, in\n  {bridges_home()}")
    if specs:
        click.echo("\nEngines of datc.toml")
        _echo_table([(f"  {name}", _reached_by(spec)) for name, spec in specs.items()])


def _echo_bridges(bridges: Sequence[Bridge]) -> None:
    rows = [("BRIDGE", "ENGINE", "VERSION", "LANGUAGE", "LICENCE", "READY")]
    for bridge in bridges:
        table = bridge.table
        ready = "yes" if bridge.is_ready else "no"
        rows.append((bridge.name, table.engine, table.version, table.language, table.licence, ready))
    _echo_table(rows)
    lacking = {bridge.name: missing_programs(bridge.table.needs) for bridge in bridges if not bridge.is_ready}
    notes = [
        f"{name} needs {' and '.join(missing)}, not found on the PATH" for name, missing in lacking.items() if missing
    ]
    if notes:
        click.echo("\n" + "\n".join(notes))


def _echo_set_ups(bridges: Sequence[Bridge]) -> None:
    """Say what is set up: each release and each checkout, from where, and when."""
    rows = [("SET UP", "WHEN", "FROM")]
    for bridge in bridges:
        for each in set_up_bridges(bridge.name):
            origin = "release" if each.source is None else printable(str(each.source))
            when = _when(each) if each.is_ready else f"outdated: {printable(each.set_up_line)}"
            rows.append((f"{each.engine_name}@{each.label}", when, origin))
    if len(rows) > 1:
        click.echo()
        _echo_table(rows)


def _when(bridge: Bridge) -> str:
    """Say when a bridge was set up, and how long ago that is."""
    at = bridge.set_up_at
    if at is None:
        return "not completely"
    days = (datetime.now(timezone.utc) - at).days
    ago = "today" if days < 1 else "yesterday" if days == 1 else f"{days} days ago"
    return f"{at.astimezone():%Y-%m-%d %H:%M}, {ago}"


@command.command("setup")
@click.argument("engine_name", metavar="NAME")
@click.option("--version", "label", metavar="V", help="Another release, beside the usual one: it is called NAME@V.")
@click.option(
    "--source",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A checkout of the engine, called NAME@V. DIR is copied and stays as it is. [V: source]",
)
@click.option("--again", is_flag=True, help="Set it up again.")
@click.option("--verbose", "-v", is_flag=True, help="Show the output of the commands.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    callback=a_time,
    default=_SETUP_SECONDS,
    metavar="S",
    help=f"Seconds for the whole set-up. [{_SETUP_SECONDS:g}]",
)
@config_option
@click.pass_context
def set_up(
    ctx: click.Context,
    engine_name: str,
    label: str | None,
    source: Path | None,
    timeout: float,
    config_file: Path | None,
    *,
    again: bool,
    verbose: bool,
) -> None:
    r"""Set up the bridge or the engine of datc.toml called NAME.

    Another release, or a checkout, is set up beside the usual release and is an engine of its own, NAME@V.

    Exit codes: 0 it is set up, 2 there is nothing of that name to set up or a program is missing, 3 the set-up failed.

    \b
    datc-check engines setup diplomacy_pypi
    datc-check engines setup diplomacy_pypi --version 1.1.1
    datc-check engines setup diplomacy_pypi --source ~/diplomacy
    """
    config, folder = read_config(config_file)
    manner = Manner(timeout, verbose, lambda text: echo("\n".join(laid_out([Line(text, 2)]))))
    try:
        if spec := config.engines(folder).get(engine_name):
            if label is not None or source is not None:
                raise ConfigError(f"{engine_name} is an engine of datc.toml: --version and --source are for bridges")
            if not spec.setup:
                raise ConfigError(f"[engine.{engine_name}] of datc.toml has no setup: there is nothing to do")
            set_up_engine(spec, manner)
            click.echo(f"{engine_name} is set up.")
        else:
            _set_up_bridge(_named_bridge(engine_name, label, source), manner, again=again)
    except SetUpError as error:
        click.echo(f"{engine_name} is not set up: {error}", err=True)
        ctx.exit(EXIT_ENGINE)
    except KeyboardInterrupt:
        click.echo(f"{engine_name} is not set up: interrupted", err=True)
        ctx.exit(EXIT_INTERRUPTED)


def _named_bridge(name: str, label: str | None, source: Path | None) -> Bridge:
    """Find the bridge to set up. Raises `EngineSpecError`, and `HarnessError` for options that contradict the name."""
    bridge = find_bridge(name)
    if "@" in name:
        if label is not None:
            raise HarnessError(f"{name} names a version already: leave out --version")
        name, _, label = name.partition("@")
    if source is not None:
        bridge, source = find_bridge(name), source.expanduser().resolve()
        if label is None and not bridge.table.setup:  # There is no release beside which it would be another.
            return replace(bridge, source=source)
        return labelled(bridge, label or "source", source)
    return bridge if label is None else find_bridge(f"{name}@{label}")


def _set_up_bridge(bridge: Bridge, manner: Manner, *, again: bool) -> None:
    next_step = f"datc-check run {bridge.name}"
    if bridge.is_ready and bridge.source is None and not again:
        click.echo(f"{bridge.name} is set up already: {next_step}")
        return
    click.echo(f"Setting up {bridge.table.engine} {bridge.label} in {bridge.home}")
    set_up_bridge(bridge, manner)
    click.echo(f"{bridge.name} is set up: {next_step}")


@command.command("check")
@click.argument("engine")
@jobs_option
@timeout_option
@ca_file_option
@json_option
@config_option
@click.pass_context
def check(
    ctx: click.Context,
    engine: str,
    jobs: int | None,
    timeout: float | None,
    ca_file: Path | None,
    config_file: Path | None,
    *,
    as_json: bool,
) -> None:
    r"""Check that ENGINE speaks the protocol and knows the map, and say what is wrong.

    It is asked a position of each phase, orders in each form, what is wrong, and every border of the board.
    Exit codes: 0 all checks passed, 1 some failed, 2 the command or its config is wrong, 3 the engine could not be
    started or stopped responding.

    \b
    datc-check engines check "exec:./my-bridge"
    """
    config, folder = read_config(config_file)
    spec = with_ca_file(parse_engine_spec(engine, config.engines(folder)), ca_file)
    opened = open_engine(spec, spec.limits(timeout or config.run.timeout))
    smoke = _SmokeOutput(as_json=as_json)
    try:
        with opened:
            ctx.exit(_check(opened, spec, jobs or 1, smoke))
    except KeyboardInterrupt:
        smoke.end("interrupted")
        ctx.exit(EXIT_INTERRUPTED)


@final
class _SmokeOutput:
    """Prints each check as it is done, or all of them as JSON at the end."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self.started: InitializeResult | None = None
        self.checks: list[Check] = []

    def begin(self, started: InitializeResult) -> None:
        self.started = started
        version = f" {started.engine.version}" if started.engine.version else ""
        self._print(Line(f"{started.engine.name}{version}, protocol {started.protocol}"), "")

    def add(self, found: Check) -> None:
        self.checks.append(found)
        self._print(*check_lines(found))

    def end(self, trouble: str = "") -> None:
        if self._as_json:
            data: dict[str, object] = {
                "format": 1,
                "engine": self.started and self.started.engine,
                "complete": not trouble,
                "incomplete_reason": trouble,
                "checks": self.checks,
            }
            echo(render_json(data).decode().rstrip(), as_json=True)
            return
        wrong = ", ".join(found.name for found in self.checks if found.failures)
        if trouble:
            self._print(Line(f"Not checked to the end: {trouble}"))
        else:
            self._print("", Line(f"Failed: {wrong}." if wrong else "All checks passed."))

    def _print(self, *lines: str | Line) -> None:
        if not self._as_json:
            echo("\n".join(laid_out(lines)))


def _check(engine: Engine, spec: EngineSpec, jobs: int, output: _SmokeOutput) -> int:
    """Check an engine to the end; give the exit code."""
    try:
        started = engine.start()
        output.begin(started)
        for found in smoke_checks(engine, started, spec.notation, jobs):
            output.add(found)
    except (EngineStartError, EngineGaveOutError, EngineClosedError) as error:
        output.end(str(error))
        return EXIT_ENGINE
    output.end()
    return EXIT_NOT_PASSED if any(found.failures for found in output.checks) else EXIT_PASSED


def _reached_by(spec: EngineSpec) -> str:
    return spec.url or shlex.join(spec.command or ())


def _bridge_data(bridge: Bridge) -> dict[str, object]:
    table = bridge.table
    return {
        "name": bridge.name,
        "engine": table.engine,
        "version": table.version,
        "language": table.language,
        "licence": table.licence,
        "url": table.url,
        "home": str(bridge.home),
        "ready": bridge.is_ready,
        "missing": missing_programs(table.needs),
        "not_passing": read_expected(bridge).counts(),
        "set_up": [
            {
                "name": each.name,
                "version": each.label,
                "source": None if each.source is None else str(each.source),
                "ready": each.is_ready,
                "at": each.set_up_at and each.set_up_at.isoformat(timespec="seconds"),
            }
            for each in set_up_bridges(bridge.name)
        ],
    }


def _echo_table(rows: Sequence[Sequence[str]]) -> None:
    echo("\n".join(aligned(Table(rows))))
