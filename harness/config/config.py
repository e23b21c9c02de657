"""`datc.toml`: the author's side, kept in the engine's own repository."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from stat import S_ISVTX
from typing import Annotated, get_args

import msgspec
from msgspec.structs import replace

from ...adapters import EngineSpec, EngineSpecError
from ...adapters.conversion import Notation
from ...adapters.opening import check_url
from ...cases.suite import EditionName
from ...reference_engine.errors import RulesetError, nearest
from ...reference_engine.toml import TOMLDecodeError, loads
from ...reports.gate import Failing
from ..errors import ConfigError
from ..play.verdict import Declaration

FILE_NAME = "datc.toml"
NO_CONFIG = Path(os.devnull)
"""A config file that says nothing."""


class EngineTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[engine.NAME]`: how an engine is reached, with a command line or at a URL."""

    command: list[str] | None = None
    url: str | None = None
    cwd: str | None = None
    """The folder that it is started and set up in, relative to the file."""
    environment: dict[str, str] = {}
    setup: list[list[str]] = []
    """The command lines that build it, one after the other: for `datc-check engines setup NAME`, and for `watch`."""
    headers: dict[str, str] = {}
    headers_from_environment: dict[str, str] = {}
    """Headers whose value is that of an environment variable, such as a token."""
    ca_file: str | None = None
    """A PEM file with the authorities that may vouch for it, relative to the file."""
    start_timeout: Annotated[float, msgspec.Meta(gt=0, le=3600)] | None = None
    timeout: Annotated[float, msgspec.Meta(gt=0, le=3600)] | None = None
    notation: Notation = "document"


class RunTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[run]`: what a run without options does."""

    engine: str | None = None
    ruleset: str | None = None
    timeout: Annotated[float, msgspec.Meta(gt=0, le=3600)] | None = None
    jobs: Annotated[int, msgspec.Meta(ge=1, le=64)] | None = None
    fail_on: Annotated[list[Failing], msgspec.Meta(min_length=1)] | None = None
    strict: bool = False
    """Whether a declared deviation that passes, or that only a pattern without choices declares, fails it."""
    skip: dict[str, Annotated[str, msgspec.Meta(pattern=r"\S")]] = {}
    """The cases that are not asked, by their ids or by patterns such as `6.F.*`, and why."""
    editions: dict[str, EditionName] = {}
    """The editions that suites are pinned to: what a later one added or changed fails no run."""
    baseline: str = ""
    """The file of `--baseline`, from the config's folder; once read, from the working directory."""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    engine: dict[str, EngineTable] = {}
    run: RunTable = RunTable()
    choices: dict[str, str] = {}
    deviations: dict[str, str | Declaration] = {}

    @property
    def usual_engine(self) -> str | None:
        """Return the engine of a command that is given none: that of `[run]`, otherwise the only one."""
        if self.run.engine is None and len(self.engine) == 1:
            return next(iter(self.engine))
        return self.run.engine

    def engines(self, folder: Path) -> Mapping[str, EngineSpec]:
        """Give the engines by name; `folder` is that of the file."""
        return {name: _spec(name, table, folder) for name, table in self.engine.items()}


def _spec(name: str, table: EngineTable, folder: Path) -> EngineSpec:
    spec = EngineSpec(name, notation=table.notation, start_seconds=table.start_timeout, request_seconds=table.timeout)
    if table.url is not None:
        # A variable that is not set leaves its header out, and the engine will say what it wants.
        named = table.headers_from_environment.items()
        headers = table.headers | {name: os.environ[variable] for name, variable in named if variable in os.environ}
        ca_file = None if table.ca_file is None else str(folder / table.ca_file)
        return replace(spec, url=table.url, headers=headers, ca_file=ca_file)
    return replace(
        spec,
        command=_from_folder(table.command or (), folder),
        cwd=str(folder / table.cwd) if table.cwd else str(folder),
        environment=table.environment,
        setup=tuple(_from_folder(command, folder) for command in table.setup),
    )


def _from_folder(command: Sequence[str], folder: Path) -> tuple[str, ...]:
    program, *arguments = command
    if "/" in program and not Path(program).is_absolute():
        # A symlink such as `.venv/bin/python` must stay one: Python finds its packages from there.
        program = os.path.abspath(folder / program)  # noqa: PTH100 - `resolve` follows symlinks
    return (program, *arguments)


def find_config() -> Path | None:
    """Find the `datc.toml` of this folder or of the nearest parent folder; `None` where no folder has one.

    A config names programs to start, so one in a parent folder counts only if it belongs to the owner of this folder,
    or to the administrator. The search ends at a folder for everyone, such as /tmp.
    """
    here = Path(FILE_NAME)
    if here.is_file():
        return here
    start = Path.cwd()
    trusted = {0, start.stat().st_uid}
    parents = takewhile(lambda folder: not folder.stat().st_mode & S_ISVTX, start.parents)
    return next(
        (
            file
            for file in (folder / FILE_NAME for folder in parents)
            if file.is_file() and file.stat().st_uid in trusted
        ),
        None,
    )


def place_in_repository(file: Path) -> str:
    """Name a file from the root of the repository that it is in, as CI services do; in none, as it is named."""
    whole = file.resolve()
    root = next((folder for folder in whole.parents if (folder / ".git").exists()), None)
    return str(file if root is None else whole.relative_to(root))


def read_config(path: Path | None) -> tuple[Config, Path]:
    """Read a config file, or the one that `find_config` finds; give its folder, too.

    Raises `ConfigError` with the file and the key.
    """
    file = path or find_config()
    if file is None:
        return Config(), Path()
    try:
        config = msgspec.convert(loads(file.read_text(encoding="utf-8")), Config)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, TOMLDecodeError) as error:
        raise ConfigError(f"{file}: is not TOML: {error}") from error
    except msgspec.ValidationError as error:
        raise ConfigError(f"{file}: {_explain(str(error))}") from error
    except RulesetError as error:
        raise ConfigError(f"{file}: [deviations]: {error}") from error
    for name, table in config.engine.items():
        _check_engine(f"{file}: engine.{name}", table)
    if config.run.baseline:
        run = replace(config.run, baseline=str(file.parent / config.run.baseline))
        config = replace(config, run=run)
    return config, file.parent


def _check_engine(where: str, table: EngineTable) -> None:
    if (table.command is None) == (table.url is None):
        raise ConfigError(f"{where} has either a command, which starts the engine, or a url, where it answers")
    if table.command == []:
        raise ConfigError(f"{where}.command is empty: it holds the program and its arguments")
    for number, command in enumerate(table.setup):
        if not command:
            raise ConfigError(f"{where}.setup[{number}] is empty: it holds a program and its arguments")
    kind, others = "a command", ("headers", "headers_from_environment", "ca_file")
    if table.url is not None:
        kind, others = "a url", ("cwd", "environment", "setup")
    for name in others:
        if getattr(table, name):
            raise ConfigError(f"{where}.{name} is of no use to an engine with {kind}")
    try:
        _ = None if table.url is None else check_url(table.url)
    except EngineSpecError as error:
        raise ConfigError(f"{where}.url: {error}") from error


def _explain(message: str) -> str:
    """Add what would be right, where msgspec says only what is wrong."""
    advice = 'TOML takes a name with dots for tables within each other; write it in quotes, "4.A.1" = …'
    if "got `object`" in message and any(f"$.{key}" in message for key in ("choices", "deviations", "run.skip")):
        return f"{message}: {advice}"
    if "$.deviations" in message:
        return f'{message}. A declaration is a text, or {{ why = "…", choices = {{ "4.B.4" = "ignored" }} }}. {advice}'
    if "matching regex" in message and "$.run.skip" in message:
        return 'every case in [run.skip] needs a reason, such as "6.F.*" = "no convoys yet"'
    if "matching regex" in message and "$.run.editions" in message:
        return 'an edition in [run.editions] is a date, such as extended = "2026.11"'
    if "Invalid enum value" in message:
        of = Failing if "fail_on" in message else Notation
        return message + nearest(message.split("'")[1], get_args(of))
    if "unknown field" in message:
        table = RunTable if "$.run" in message else EngineTable if "$.engine" in message else Config
        name = message.split("`")[1]
        if table is Config and "$." not in message and name in RunTable.__struct_fields__:
            return f"{name} belongs under [run]: write it below that line"
        return message + nearest(name, table.__struct_fields__)
    return message
