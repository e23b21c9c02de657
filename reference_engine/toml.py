"""The TOML reader of the standard library, or its backport before Python 3.11; and strings and lists as TOML."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Any

from .errors import printable

if sys.version_info >= (3, 11):
    import tomllib  # pyright: ignore[reportUnreachable]: not on Python 3.10
else:
    import tomli as tomllib

__all__ = ["TOMLDecodeError", "loads", "toml_list", "toml_string"]

TOMLDecodeError = tomllib.TOMLDecodeError

_ENDLESS_INTEGER = r"\b0[xob][0-9A-Fa-f_]{3000}"
"""An integer that Python reads but, with more than 4,300 digits in decimal, cannot print."""
_MOST_DOTS = 100
_PART = r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\w-]+)[ \t]*\.[ \t]*"""
_LONG_KEY = rf"(?:^|[\[{{,])[ \t]*(?:{_PART}){{{_MOST_DOTS}}}"
"""A dotted key of over a hundred parts: reading one takes time that grows with the square of its length."""
_TOO_MANY_DIGITS = "it has an integer of too many digits"


class _RefusedError(TOMLDecodeError):
    """Has a text alone, which `tomli` and Python 3.14 warn of where `TOMLDecodeError` itself is given it."""

    def __init__(self, text: str) -> None:
        ValueError.__init__(self, text)


def loads(text: str) -> dict[str, Any]:
    """Read TOML. Raises `TOMLDecodeError`, also for deep nesting, long keys, and integers of 4,300 digits."""
    if ("0x" in text or "0o" in text or "0b" in text) and re.search(_ENDLESS_INTEGER, text):
        raise _RefusedError(_TOO_MANY_DIGITS)
    if any(line.count(".") >= _MOST_DOTS and re.search(_LONG_KEY, line) for line in text.split("\n")):
        raise _RefusedError("it has a dotted key of more than 100 parts")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise _RefusedError("it is nested too deeply") from error
    except TOMLDecodeError:
        raise
    except ValueError as error:  # That of `int`, which reads 4,300 digits at most.
        raise _RefusedError(_TOO_MANY_DIGITS) from error


def toml_list(texts: Iterable[str]) -> str:
    """Write a TOML list of strings."""
    return f"[{', '.join(map(toml_string, texts))}]"


def toml_string(text: str) -> str:
    """Write a TOML string: what JSON makes of a text without control characters is one."""
    from json import dumps  # Here, since only who writes TOML needs it.

    return dumps(printable(text), ensure_ascii=False)
