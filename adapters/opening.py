"""From the text that names an engine to the engine."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .engine import Engine, Limits
from .errors import EngineSpecError

BUILTIN = "builtin"


@dataclass(frozen=True)
class EngineSpec:
    """How an engine is reached."""

    text: str
    """What the author typed."""
    command: tuple[str, ...] | None = None
    """The command line that starts it; `None` for the built-in engine."""
    cwd: str | None = None
    environment: Mapping[str, str] | None = None


def parse_engine_spec(text: str, known: Mapping[str, EngineSpec]) -> EngineSpec:
    """Understand `builtin`, `exec:COMMAND LINE`, or one of the known names.

    Raises `EngineSpecError` that says what can be written instead.
    """
    if text in known:
        return known[text]
    if text == BUILTIN:
        return EngineSpec(text)
    scheme, _, rest = text.partition(":")
    if scheme == "exec":
        return EngineSpec(text, _split(rest))
    names = "".join(f", {name}" for name in known)
    raise EngineSpecError(f"there is no engine {text!r}: it is {BUILTIN}, exec:COMMAND LINE{names}")


def open_engine(spec: EngineSpec, limits: Limits) -> Engine:
    """Make the engine, not yet started."""
    if spec.command is None:
        from .builtin import BuiltinEngine

        return BuiltinEngine()
    from .process import ProcessEngine

    return ProcessEngine(spec.command, limits, cwd=spec.cwd, environment=spec.environment)


def _split(command_line: str) -> tuple[str, ...]:
    """Split a command line into words as a shell would, without being one."""
    try:
        words: Sequence[str] = shlex.split(command_line)
    except ValueError as error:
        raise EngineSpecError(f"the command line {command_line!r} cannot be split: {error}") from error
    if not words:
        raise EngineSpecError("exec: needs a command line behind it")
    return tuple(words)
