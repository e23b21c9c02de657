"""`datc-check engines`: bridges and engines of `datc.toml`, their set-up, and a smoke test of any."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import click

from ....adapters import EngineClosedError, EngineGaveOutError, EngineStartError, open_engine, parse_engine_spec
from ....adapters.bridges import Bridge, bridge_names, bridges_home, find_bridge, labelled, set_up_bridges
from ....adapters.protocol import EngineIdentity, board_data
from ....reference_engine.errors import printable
from ....reports.findings import Line, Part, Table, contract, laid_out, terminal_text
from ...config.config import read_config
from ...config.preparing import with_ca_file
from ...config.setting_up import Manner, missing_programs, set_up_bridge, set_up_engine
from ...errors import ConfigError, HarnessError, SetUpError
from ...run.runner import read_expected
from ...run.smoke import Check, check_lines, smoke_checks
from .. import options as shared
from ..command import CommandGroup, Exit, Options, echo, echo_json

_SETUP_SECONDS = 1800.0


@click.group("engines", cls=CommandGroup, invoke_without_command=True)
def engines_command() -> None:
    r"""List the engines, set them up, or check that one speaks the protocol and knows the map.

    \b
    datc-check engines setup diplomacy_pypi
    datc-check engines check "exec:./my-bridge"
    """


@engines_command.command("list")
@shared.json_option
@shared.config_option
def list_engines(options: Options) -> None:
    r"""List the bridges that come with the project, what is set up of each, and the engines of datc.toml.

    \b
    datc-check engines list --json
    """
    bridges = [find_bridge(name) for name in bridge_names()]
    config, folder = read_config(options.config_file)
    specs = config.engines(folder)
    if options.as_json:
        engines = [
            {"name": name, "command": spec.command, "url": spec.url, "setup": spec.setup}
            for name, spec in specs.items()
        ]
        echo_json(contract("engines", bridges=[*map(_bridge_data, bridges)], engines=engines))
        return
    rows = [("BRIDGE", "ENGINE", "VERSION", "LANGUAGE", "LICENCE", "READY")]
    for bridge, table in ((bridge, bridge.table) for bridge in bridges):
        ready = "yes" if bridge.is_ready else "no"
        rows.append((bridge.name, table.engine, table.version, table.language, table.licence, ready))
    lacking = {bridge.name: missing_programs(bridge.table.needs) for bridge in bridges if not bridge.is_ready}
    needed = ((name, " and ".join(needs)) for name, needs in lacking.items() if needs)
    configured = [(f"  {name}", spec.url or shlex.join(spec.command or ())) for name, spec in specs.items()]
    how = ("`datc-check engines setup NAME` sets one up, in", Line(str(bridges_home()), 2, unbroken=True))
    parts = [
        Part([Table(rows)]),
        Part([Line(f"{name} needs {needs}, not found on the PATH", unbroken=True) for name, needs in needed]),
        Part(_set_ups(bridges)),
        Part(how),
        Part(["Engines of datc.toml", Table(configured)] if specs else []),
    ]
    echo(terminal_text(parts))


def _set_ups(bridges: Sequence[Bridge]) -> Sequence[Table]:
    rows: list[tuple[str, str, str]] = []
    for bridge in bridges:
        for each in set_up_bridges(bridge.name):
            origin = "release" if each.source is None else printable(str(each.source))
            when = _when(each) if each.is_ready else f"outdated: {printable(each.set_up_line)}"
            rows.append((f"{each.engine_name}@{each.label}", when, origin))
    return [Table(rows, ("SET UP", "WHEN", "FROM"))] if rows else []


def _when(bridge: Bridge) -> str:
    at = bridge.set_up_at
    if at is None:
        return "not completely"
    days = (datetime.now(timezone.utc) - at).days
    ago = "today" if days < 1 else "yesterday" if days == 1 else f"{days} days ago"
    return f"{at.astimezone():%Y-%m-%d %H:%M}, {ago}"


@engines_command.command("setup")
@click.argument("engine_name", metavar="NAME")
@shared.option("--version", "label", "V", "Another release, beside the usual one: it is called NAME@V.")
@shared.option(
    "--source",
    "source",
    "DIR",
    "A checkout of the engine, called NAME@V. DIR is copied and stays as it is. [V: source]",
    shared.PATH,
)
@click.option("--again", is_flag=True, help="Set it up again.")
@click.option("--verbose", "-v", is_flag=True, help="Show the output of the commands.")
@shared.option(
    "--timeout",
    "timeout",
    "S",
    f"Seconds for the whole set-up. [{_SETUP_SECONDS:g}]",
    click.FloatRange(min=0, min_open=True),
    callback=shared.a_time,
)
@shared.config_option
def set_up(options: Options) -> int:
    r"""Set up the bridge or the engine of datc.toml called NAME.

    Another release, or a checkout, is set up beside the usual release and is an engine of its own, NAME@V.

    Exit codes: 0 it is set up, 2 there is nothing of that name to set up or a program is missing, 3 the set-up failed.

    \b
    datc-check engines setup diplomacy_pypi
    datc-check engines setup diplomacy_pypi --version 1.1.1
    datc-check engines setup diplomacy_pypi --source ~/diplomacy
    """
    name = options.engine_name
    config, folder = read_config(options.config_file)
    manner = Manner(
        options.timeout or _SETUP_SECONDS, options.verbose, lambda text: echo("\n".join(laid_out([Line(text, 2)])))
    )
    try:
        if spec := config.engines(folder).get(name):
            if options.label is not None or options.source is not None:
                raise ConfigError(f"{name} is an engine of datc.toml: --version and --source are for bridges")
            if not spec.setup:
                raise ConfigError(f"[engine.{name}] of datc.toml has no setup: there is nothing to do")
            set_up_engine(spec, manner)
            echo(f"{name} is set up.")
            return Exit.PASSED
        bridge = _named_bridge(name, options.label, options.source)
        next_step = f"datc-check run {bridge.name}"
        if bridge.is_ready and bridge.source is None and not options.again:
            echo(f"{bridge.name} is set up already: {next_step}")
            return Exit.PASSED
        echo(f"Setting up {bridge.table.engine} {bridge.label} in {bridge.home}")
        set_up_bridge(bridge, manner)
        echo(f"{bridge.name} is set up: {next_step}")
    except SetUpError as error:
        echo(f"{name} is not set up: {error}", err=True)
        return Exit.ENGINE
    except KeyboardInterrupt:
        echo(f"{name} is not set up: interrupted", err=True)
        return Exit.INTERRUPTED
    return Exit.PASSED


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


@engines_command.command("check")
@click.argument("engine")
@shared.jobs_option
@shared.timeout_option
@shared.ca_file_option
@shared.json_option
@shared.config_option
def check(options: Options) -> int:
    r"""Check that ENGINE speaks the protocol and knows the map, and say what is wrong.

    It is asked a position of each phase, orders in each form, what is wrong, and every border of the board.
    Exit codes: 0 all checks passed, 1 some failed, 2 the command or its config is wrong, 3 the engine could not be
    started or stopped responding.

    \b
    datc-check engines check "exec:./my-bridge"
    """
    config, folder = read_config(options.config_file)
    spec = with_ca_file(parse_engine_spec(options.engine or "", config.engines(folder)), options.ca_file)
    engine = open_engine(spec, spec.limits(options.timeout or config.run.timeout))
    identity: EngineIdentity | None = None
    checks: list[Check] = []
    trouble, code = "", Exit.PASSED

    def tell(*lines: str | Line) -> None:
        if not options.as_json:
            echo("\n".join(laid_out(lines)))

    try:
        with engine as opened:
            started = opened.start()
            identity = started.engine
            version = f" {identity.version}" if identity.version else ""
            tell(Line(f"{identity.name}{version}, protocol {started.protocol}"), "")
            for found in smoke_checks(opened, started, spec.notation, options.jobs or 1):
                checks.append(found)
                tell(*check_lines(found))
    except (EngineStartError, EngineGaveOutError, EngineClosedError) as error:
        trouble, code = str(error), Exit.ENGINE
    except KeyboardInterrupt:
        trouble, code = "interrupted", Exit.INTERRUPTED
    wrong = [found.name for found in checks if found.failures]
    if options.as_json:
        end = {"complete": not trouble, "incomplete_reason": trouble, "checks": checks}
        echo_json(contract("check", engine=identity, **end))
    elif trouble:
        tell(Line(f"Not checked to the end: {trouble}"))
    else:
        tell("", Line(f"Failed: {', '.join(wrong)}." if wrong else "All checks passed."))
    return Exit.NOT_PASSED if wrong and not trouble else code


@engines_command.command("board")
def print_board(options: Options) -> None:
    r"""Print the standard board as JSON: codes, names, coasts, supply centers and borders of the provinces.

    \b
    datc-check engines board > board.json
    """
    _ = options
    echo_json(board_data())


def _bridge_data(bridge: Bridge) -> dict[str, object]:
    table = bridge.table
    return {
        "name": bridge.name,
        **{name: getattr(table, name) for name in ("engine", "version", "language", "licence", "url")},
        "home": str(bridge.home),
        "ready": bridge.is_ready,
        "missing": missing_programs(table.needs),
        "not_passing": Counter(case.verdict for case in read_expected(bridge).cases.values()),
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
