"""Packages whose names are imported when they are first used (PEP 562), so that a command starts with what it needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module


def lazy_names(
    package: str, names: Sequence[str], modules: str
) -> tuple[Callable[[str], object], Callable[[], Sequence[str]]]:
    """Return the `__getattr__` and `__dir__` of a package that has `names`.

    `modules` are those of it that they are looked for in, with blanks between, the light ones first.
    """

    def found(name: str) -> object:
        for module in modules.split() if name in names else ():
            known = vars(import_module(f".{module}", package))
            if name in known:
                return vars(sys.modules[package]).setdefault(name, known[name])
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return found, lambda: names
