"""The command line. What `--version` says is here, without importing what it speaks of: that takes longer."""

from __future__ import annotations

import os
import sys

_REFERENCE_ENGINE = __file__.removesuffix("__init__.py") + "../../reference_engine/"
PROTOCOL_VERSION = 1
"""That of `adapters`; a test compares the two."""


def version_text() -> str:
    """Say what this is; the first line is the name and the version alone, for other programs."""
    from importlib.machinery import EXTENSION_SUFFIXES

    with open(f"{_REFERENCE_ENGINE}version.txt", encoding="utf-8") as file:  # noqa: PTH123 - as long as all of this
        version = file.read().strip()
    # Whether Python finds a compiled engine: `reference_engine.installation` says the same after a longer look.
    modules = (f"{_REFERENCE_ENGINE}equations{suffix}" for suffix in EXTENSION_SUFFIXES)
    is_compiled = any(map(os.path.exists, modules))
    return (
        f"datc-check {version}\n"
        + f"Python {sys.version.split()[0]} ({sys.implementation.name}) on {sys.platform}\n"
        + f"engine protocol {PROTOCOL_VERSION}, reference engine {'compiled' if is_compiled else 'in plain Python'}\n"
    )
