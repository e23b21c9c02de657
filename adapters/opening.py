"""Reads the text that names an engine, and opens that engine."""

from __future__ import annotations

import os
from collections.abc import Mapping

import msgspec

from ..reference_engine import PROCEDURES
from ..reference_engine.errors import nearest
from .builtin import BuiltinEngine, Reference
from .conversion import Notation
from .engine import Engine, Limits
from .errors import EngineSpecError

BUILTIN = "builtin"
"""The name of the reference engine where an engine is asked for."""


class EngineSpec(msgspec.Struct, frozen=True):
    """How to reach an engine: with a command line, at a URL or, with neither, in this process."""

    text: str
    command: tuple[str, ...] | None = None
    url: str | None = None
    procedure: str | None = None
    """The procedure of the built-in engine; the equations if `None`."""
    cwd: str | None = None
    environment: Mapping[str, str] | None = None
    setup: tuple[tuple[str, ...], ...] = ()
    """The command lines that set it up, in order, run in `cwd`."""
    headers: Mapping[str, str] = {}
    """Additional headers of its HTTP requests. They may be secret and are never printed."""
    ca_file: str | None = None
    """A PEM file with the authorities that may vouch for it over HTTPS, instead of those that the system trusts."""
    notation: Notation = "document"
    start_seconds: float | None = None
    request_seconds: float | None = None
    """The time limit of an answer, if the author or the bridge sets one."""
    version_note: str = ""
    """What reports add to the version that the engine gives: the label of a checkout."""

    def __repr__(self) -> str:
        return f"EngineSpec({self.text!r})"

    def limits(self, request_seconds: float | None = None) -> Limits:
        """Return its limits: `request_seconds` first, then what the author sets, then the defaults."""
        usual = Limits()
        request = request_seconds or self.request_seconds or usual.request
        return Limits(start=self.start_seconds or usual.start, request=request)


def parse_engine_spec(text: str, known: Mapping[str, EngineSpec]) -> EngineSpec:
    """Return the engine that a text names. Raises `EngineSpecError`, which says what can be written instead.

    The text is the name of an engine of the author, which `known` has, `builtin[:PROCEDURE]`, `exec:COMMAND LINE`, a
    URL, or a bridge that is set up: `NAME` or `NAME@VERSION`.
    """
    if text in known:
        return known[text]
    if text == BUILTIN:
        return EngineSpec(text)
    import shlex  # These here, since they take long to import, and the built-in engine needs none of them.
    from pathlib import Path

    from .bridges import bridge_names, find_bridge

    if text.partition("@")[0] in bridge_names():
        bridge = find_bridge(text)
        return EngineSpec(
            text,
            bridge.ready_command(),
            request_seconds=bridge.table.timeout,
            version_note=bridge.label if bridge.source and not bridge.is_pinned else "",
        )
    scheme, separator, rest = text.partition(":")
    if scheme == BUILTIN and separator:
        if rest not in PROCEDURES:
            raise EngineSpecError(f"the built-in engine has no procedure {rest!r}{nearest(rest, tuple(PROCEDURES))}")
        return EngineSpec(text, procedure=rest)
    if scheme == "exec":
        try:
            words = shlex.split(rest)
        except ValueError as error:
            raise EngineSpecError(f"the command line {rest!r} cannot be split: {error}") from error
        if not words:
            raise EngineSpecError("exec: needs a command line after it")
        return EngineSpec(text, tuple(words))
    if scheme in ("http", "https"):
        return EngineSpec(text, url=check_url(text))
    program = text.split(maxsplit=1)[0] if text.strip() else ""
    if os.sep in program and Path(program).is_file():  # So writes someone who forgets the `exec:`.
        raise EngineSpecError(f"{text!r} is a program: to start it as an engine, write {shlex.quote(f'exec:{text}')}")
    names = (*known, *bridge_names())
    near = nearest(text, (BUILTIN, *(f"{BUILTIN}:{name}" for name in PROCEDURES), *names))
    if "did you mean" in near:
        raise EngineSpecError(f"there is no engine {text!r}{near}")
    kinds = f"{BUILTIN}, {BUILTIN}:PROCEDURE, exec:COMMAND LINE, http://…"
    raise EngineSpecError(f"there is no engine {text!r}: it is {kinds}, or {', '.join(names)}")


def check_url(url: str) -> str:
    """Return a URL if an engine can be there. Raises `EngineSpecError`, which shows no password."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise EngineSpecError(f"the URL of the engine cannot be understood: {error}") from error
    if parts.username is not None or parts.password is not None:
        raise EngineSpecError("the URL of the engine has a user or a password in it: send them in a header (datc.toml)")
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isprintable() or " " in url:
        raise EngineSpecError(f"{url!r} is not the URL of an engine: write http://HOST:PORT/PATH")
    return url


def open_engine(spec: EngineSpec, limits: Limits) -> Engine:
    """Open an engine, which is not yet started. `limits` are its limits of time, size and restarts.

    Raises `EngineSpecError` if its headers cannot be sent, or its CA file cannot be used.
    """
    if spec.url is not None:
        from .http import HttpEngine

        return HttpEngine(spec.url, limits, headers=spec.headers, ca_file=spec.ca_file)
    if spec.command is not None:
        from .process import ProcessEngine

        build = f"datc-check engines setup {spec.text}" if spec.setup else ""
        return ProcessEngine(spec.command, limits, cwd=spec.cwd, environment=spec.environment, build=build)
    return BuiltinEngine(Reference(procedure=spec.procedure))
