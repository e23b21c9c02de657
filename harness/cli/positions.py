"""Positions that are in no suite: as TOML, as JSON of the protocol, or as lines of orders."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ...adapters import AdjudicateParams
from ...adapters.conversion import read_position, read_submission
from ...cases import Case, CaseOrder, CasePhase, Season, load_suite, read_loose_cases
from ...reference_engine import ReferenceEngineError, Submitted, nearest
from ..errors import HarnessError
from ..positions import read_position_text
from ..settings.preparing import split_case_key

STANDARD_INPUT = "-"
_IS_TOML = re.compile(r"^\s*(\[|[\w.\"-]+\s*=)", re.MULTILINE)


class _RequestTable(msgspec.Struct):
    """A whole request of the protocol, or no more than its `params`."""

    params: msgspec.Raw = msgspec.Raw()


def find_case_or_positions(what: str, suite_name: str) -> Sequence[Case]:
    """Find what a person names: a case of a suite, or a file of positions (`-`: standard input).

    Raises `HarnessError`, and `CasesError` for an unknown suite or a wrong TOML file.
    """
    suite_name, case_id = split_case_key(what, suite_name)
    cases = {case.id: case for case in load_suite(suite_name).cases}
    if case_id in cases:
        return (cases[case_id],)
    if what == STANDARD_INPUT or _is_readable(what):
        return read_positions(_read(what), "standard input" if what == STANDARD_INPUT else what)
    raise HarnessError(f"{what!r} is no file, and no case in {suite_name}{nearest(case_id, list(cases))}")


def read_positions(text: str, name: str) -> Sequence[Case]:
    """Read positions, in whichever way they are written, as cases without a suite.

    Raises `HarnessError` for what is not a position, and `CasesError` where the TOML is wrong; both give `name`.
    """
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        return (_of_request(text, name),)
    if _IS_TOML.search(text):
        return read_loose_cases(text, name)
    return (_of_lines(text, name),)


def _of_lines(text: str, name: str) -> Case:
    (position, orders, _), texts = read_position_text(text, name)
    written = tuple(CaseOrder(Submitted(*order), text) for order, text in zip(orders, texts, strict=True))
    return _case(
        name, CasePhase("movement", "spring", 1901, position, {}, written, {}, in_sequence=True, expectations=())
    )


def _of_request(text: str, name: str) -> Case:
    """Read a request as it goes to an engine. Its ruleset is not that of the position."""
    try:
        whole = msgspec.json.decode(text, type=_RequestTable)
        params = msgspec.json.decode(bytes(whole.params) or text.encode(), type=AdjudicateParams)
        season = msgspec.convert(params.season, Season)
        position, submission = read_position(params), read_submission(params)
    except (msgspec.MsgspecError, ReferenceEngineError) as error:
        raise HarnessError(f"{name} is no request of the protocol: {error}") from error
    orders = tuple(
        CaseOrder(submitted, message.text)
        for submitted, message in zip(submission.writings, params.orders, strict=True)
    )
    centers = {power: tuple(owned) for power, owned in params.centers.items()}
    return _case(
        name,
        CasePhase(
            params.phase, season, params.year, position, centers, orders, submission.marks, submission.in_sequence, ()
        ),
    )


def _case(name: str, phase: CasePhase) -> Case:
    return Case("position", "", "", "", name, (), (), "", (phase,))


def _is_readable(what: str) -> bool:
    """Whether it is a file, or a pipe such as the `<(...)` of a shell."""
    path = Path(what)
    return path.is_file() or path.is_fifo()


def _read(what: str) -> str:
    try:
        content = sys.stdin.buffer.read() if what == STANDARD_INPUT else Path(what).read_bytes()
        return content.decode("utf-8")
    except OSError as error:
        raise HarnessError(f"{what} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise HarnessError(f"{what} is no text in UTF-8") from error
