"""The TOML reader of the standard library, or its backport before Python 3.11."""

from __future__ import annotations

import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib  # pyright: ignore[reportUnreachable]: not on Python 3.10
    from tomllib import TOMLDecodeError
else:
    import tomli as tomllib
    from tomli import TOMLDecodeError

__all__ = ["TOMLDecodeError", "loads"]


def loads(text: str) -> dict[str, Any]:
    """Read TOML. Raises `TOMLDecodeError`, for tables and lists within each other a thousand times deep, too."""
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise TOMLDecodeError("it is nested too deeply") from error
