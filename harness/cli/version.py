"""What `datc-check --version` says, without importing what it speaks of: that, and pathlib, would take longer."""

from __future__ import annotations

import os
import sys

_REFERENCE_ENGINE = os.path.join(os.path.dirname(__file__), "..", "..", "reference_engine")  # noqa: PTH118, PTH120
PROTOCOL_VERSION = 1
"""That of `adapters`, which takes long to import; a test compares the two."""


def version_text() -> str:
    """Say what this is; the first line is the name and the version alone, for other programs."""
    with open(os.path.join(_REFERENCE_ENGINE, "version.txt"), encoding="utf-8") as file:  # noqa: PTH118, PTH123
        version = file.read().strip()
    engine = "compiled" if _is_compiled() else "in plain Python"
    return (
        f"datc-check {version}\n"
        + f"Python {sys.version.split()[0]} ({sys.implementation.name}) on {sys.platform}\n"
        + f"engine protocol {PROTOCOL_VERSION}, reference engine {engine}\n"
    )


def _is_compiled() -> bool:
    """Whether Python finds the engine compiled, as `reference_engine.compiled` says it after a longer look."""
    from importlib.machinery import EXTENSION_SUFFIXES

    modules = (os.path.join(_REFERENCE_ENGINE, f"equations{suffix}") for suffix in EXTENSION_SUFFIXES)  # noqa: PTH118
    return any(map(os.path.exists, modules))
