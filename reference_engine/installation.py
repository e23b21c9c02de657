"""What is installed: its version, whether the engine is compiled, and what the compiler (mypyc) reads of a class."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

__all__ = ["is_compiled", "mypyc_attr", "package_version"]

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr
else:
    _Class = TypeVar("_Class", bound=type)

    def mypyc_attr(**_attributes: bool) -> Callable[[_Class], _Class]:
        """Return a class as it is: only the compiler reads its attributes."""
        return lambda cls: cls


def is_compiled() -> bool:
    """Return whether this installation has the engine compiled (`DATC_CHECK_COMPILE=1 pip install .`)."""
    spec = find_spec(f"{__package__}.equations")
    return spec is not None and not (spec.origin or "").endswith(".py")


@cache
def package_version() -> str:
    """Return the version of this project, from the file that the build reads, too."""
    return Path(__file__).with_name("version.txt").read_text(encoding="utf-8").strip()
