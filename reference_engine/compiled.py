"""Whether the engine runs compiled, and what the compiler (mypyc) is told of it. Nothing here is needed to run it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr
else:
    _Class = TypeVar("_Class", bound=type)

    def mypyc_attr(**_attributes: bool) -> Callable[[_Class], _Class]:
        """Return a class as it is: only the compiler reads its attributes."""
        return lambda cls: cls
