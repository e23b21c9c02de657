"""What `datc-check --version` prints: what a bug report should have."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from ...adapters import PROTOCOL_VERSION, bridge_names, bridges_home, find_bridge
from ...adapters.builtin import package_version
from ..wording import terminal_width, wrapped

_REQUIREMENT = re.compile(r"[\w.-]+")
_EXTRA = re.compile(r"\bextra\b")


def version_lines() -> Iterator[str]:
    """Say what this is; the first line is the name and the version alone, for other programs."""
    yield f"datc-check {package_version()}"
    yield f"Python {platform.python_version()} ({platform.python_implementation()}), {platform.platform(terse=True)}"
    yield f"engine protocol {PROTOCOL_VERSION}"
    yield from wrapped(f"with {', '.join(_dependencies())}", hanging=2)
    yield from wrapped(f"bridges: {_bridges()}", hanging=2)
    yield from wrapped(f"output: {_output()}", hanging=2)


def _dependencies() -> Iterator[str]:
    """Each package that the program needs, with the version that is there."""
    try:
        requirements = requires("datc-check") or []
    except PackageNotFoundError:
        requirements = []
    for requirement in requirements:
        specifier, _, marker = requirement.partition(";")
        name = _REQUIREMENT.match(specifier)
        if name is None or _EXTRA.search(marker):
            continue
        try:
            yield f"{name[0]} {version(name[0])}"
        except PackageNotFoundError:
            if "python_version" not in marker:  # Such as what came with Python later.
                yield f"{name[0]} missing"


def _bridges() -> str:
    ready = [name for name in bridge_names() if find_bridge(name).is_ready]
    return f"{', '.join(ready) or 'none'} set up, of {len(bridge_names())}, in {bridges_home()}"


def _output() -> str:
    from rich.console import Console

    console = Console()
    where = "a terminal" if console.is_terminal else "no terminal"
    colors = console.color_system or "none"
    return (
        f"{where}, {terminal_width()} columns, colours {'none' if console.no_color else colors}, {sys.stdout.encoding}"
    )
