"""Public names of a package that are imported when they are first used (PEP 562), so that commands start fast."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module


def public_value(package: str, modules: Mapping[str, str], name: str) -> object:
    """Import a public name of a package, which has it from then on.

    Args:
        package: The name of the package.
        modules: For each public name, the module of the package that defines it.
        name: The name that was asked for.

    Raises:
        AttributeError: The package has no such name.
    """
    if name not in modules:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    value: object = getattr(import_module(f".{modules[name]}", package), name)
    setattr(sys.modules[package], name, value)
    return value
