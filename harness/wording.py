"""How the commands name cases and break lines."""

from __future__ import annotations

import textwrap

_WIDTH = 78


def case_key(suite: str, case_id: str) -> str:
    """Name a case so that it cannot be taken for that of another suite."""
    return f"{suite}/{case_id}"


def short_key(key: str) -> str:
    """Leave out the suite of a case where it is the usual one."""
    return key.removeprefix("datc-3.1/")


def wrapped(text: str, *, indent: int = 0, hanging: int) -> list[str]:
    """Break a text into lines for a terminal; those behind the first are indented as `hanging` says."""
    return textwrap.wrap(
        text, _WIDTH, initial_indent=" " * indent, subsequent_indent=" " * hanging, break_on_hyphens=False
    )
