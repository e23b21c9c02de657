"""What the DATC itself says of its cases, in short quotations: `quotations.toml` has them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from datc.cases import Case
from datc.reference_engine.toml import loads


class Quotation(NamedTuple):
    """What the document says of a case, word for word."""

    text: str
    edition: str
    source: str
    """The address of the document."""


def quotation(case: Case) -> Quotation | None:
    """Return what the document of a case says of it; `None` where that is not quoted."""
    found = _quotations()
    text = found["said"].get(case.id) if case.suite == found["suite"] else None
    return text and Quotation(text, found["edition"], found["source"])


@cache
def _quotations() -> Mapping[str, Any]:
    return loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
