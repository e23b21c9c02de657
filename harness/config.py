"""`datc.toml`: the author's side, kept in the engine's own repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from ..adapters import EngineSpec
from ..reference_engine import nearest
from ..reference_engine.toml import TOMLDecodeError, loads
from .errors import ConfigError

FILE_NAME = "datc.toml"


class EngineTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[engine.NAME]`: how an engine is started."""

    command: list[str]
    cwd: str | None = None
    """The folder that it is started in, relative to the file."""
    environment: dict[str, str] = {}


class RunTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[run]`: what a run without options does."""

    engine: str | None = None
    ruleset: str | None = None
    timeout: float | None = None
    jobs: int | None = None


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    engine: dict[str, EngineTable] = {}
    run: RunTable = RunTable()
    choices: dict[str, str] = {}
    deviations: dict[str, str] = {}

    def engines(self, folder: Path) -> Mapping[str, EngineSpec]:
        """Give the engines by name; `folder` is that of the file."""
        return {
            name: EngineSpec(
                name,
                tuple(_from_folder(table.command, folder)),
                str(folder / table.cwd) if table.cwd else str(folder),
                table.environment,
            )
            for name, table in self.engine.items()
        }


def read_config(path: Path | None) -> tuple[Config, Path]:
    """Read a config file, or `datc.toml` of this folder if it is there; give its folder, too.

    Raises `ConfigError` with the file and the key.
    """
    file = path or Path(FILE_NAME)
    if path is None and not file.is_file():
        return Config(), Path()
    try:
        data = loads(file.read_text(encoding="utf-8"))
        config = msgspec.convert(data, Config)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, TOMLDecodeError) as error:
        raise ConfigError(f"{file}: is not TOML: {error}") from error
    except msgspec.ValidationError as error:
        raise ConfigError(f"{file}: {_explain(str(error))}") from error
    for name, table in config.engine.items():
        if not table.command:
            raise ConfigError(f"{file}: engine.{name}.command is empty: it holds the program and its arguments")
    return config, file.parent


def _from_folder(command: Sequence[str], folder: Path) -> Sequence[str]:
    """Take a program that is named by a relative path from the folder of the config file."""
    program = command[0]
    if "/" in program and not Path(program).is_absolute():
        return (str((folder / program).resolve()), *command[1:])
    return command


def _explain(message: str) -> str:
    """Name the nearest key for an unknown one; msgspec says only that it is unknown."""
    if "unknown field" not in message:
        return message
    key = message.split("`")[1]
    tables = (Config, EngineTable, RunTable)
    fields = sorted({name for table in tables for name in table.__struct_fields__})
    return message + nearest(key, fields)
