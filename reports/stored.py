"""Reads runs back that the formats `json` and `jsonl` stored."""

from __future__ import annotations

import msgspec

from .errors import StoredRunError
from .jsonl import read_jsonl
from .report import FORMAT, Report, is_compliant, summarize, summarize_boards


class _Head(msgspec.Struct):
    """What tells the two formats, and other contracts, apart."""

    format: int
    type: str = ""


def read_run(content: bytes) -> Report:
    """Read a stored run. Raises `StoredRunError`."""
    first_line, _, rest = content.partition(b"\n")
    if not content.strip():
        raise StoredRunError("it is empty: the run was killed before the engine had answered, or never began")
    try:
        lines = _is_header(first_line)
        head = msgspec.json.decode(first_line if lines else content, type=_Head)
        if head.format != FORMAT:
            raise StoredRunError(
                f"it is of format {head.format}, and this datc-check reads format {FORMAT}: use the one that wrote it"
            )
        report = read_jsonl(content) if lines else msgspec.json.decode(content, type=Report)
    except msgspec.ValidationError as error:
        raise StoredRunError(f"it holds no run: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        cut = " or was cut off in its first line" if not rest else ""
        raise StoredRunError(f"it is not JSON{cut}: {error}") from error
    return _settled(report)


def _is_header(line: bytes) -> bool:
    """Whether a line is the first of several, each of which is JSON."""
    try:
        return msgspec.json.decode(line, type=_Head).type == "run"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _settled(report: Report) -> Report:
    """Count again: what a file says of its cases is what they say themselves."""
    return msgspec.structs.replace(
        report,
        summary=summarize(report.cases),
        board_summary=summarize_boards(report.cases),
        compliant=is_compliant(report.cases, complete=report.complete),
    )
