"""Traces: what was sent to an engine and what it answered, a file a case. `datc-check ask` sends a file again."""

from __future__ import annotations

import time
from pathlib import Path
from typing import IO, final

import msgspec
from msgspec import UNSET

from ...adapters import AdapterError, AdjudicateParams, AdjudicateResult, Engine
from ...adapters.protocol import Request, Response, encode_line
from ...cases import Case
from ..errors import HarnessError

SUFFIX = ".jsonl"


class TraceLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of a trace: a request, the log that came with it, or what followed from it."""

    sent: Request | msgspec.UnsetType = UNSET
    log: list[str] = []
    """What the engine logged until it answered, as far as it is kept."""
    received: Response | msgspec.UnsetType = UNSET
    failed: str = ""
    """Why there is no answer that can be judged."""
    seconds: float | msgspec.UnsetType = UNSET


def trace_name(case: Case) -> str:
    """Return the name of the file for a case, of characters that every file system takes: `datc-3.2+6.A.1.jsonl`."""
    from hashlib import sha256  # Here, since only traces need it.
    from urllib.parse import quote

    name = f"{quote(case.suite, safe='')}+{quote(case.id, safe='')}"
    if len(name) > 200:  # A file system allows 255 bytes for a name.
        name = f"{name[:200]}-{sha256(name.encode()).hexdigest()[:16]}"
    return name + SUFFIX


def make_trace_folder(folder: Path) -> Path:
    """Make the folder that a run writes its traces to, where it is missing. Raises `HarnessError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HarnessError(f"--trace {folder}: there can be no such folder: {error.strerror}") from error
    return folder


@final
class Trace:
    """Writes down the requests of a case line by line, so that a run that is interrupted leaves what there was."""

    def __init__(self, path: Path) -> None:
        """The file is made, or emptied, when the first request is sent."""
        self._path = path
        self._file: IO[bytes] | None = None
        self._requests = 0

    @property
    def path(self) -> str:
        """Return where it is; empty where nothing was sent."""
        return str(self._path) if self._requests else ""

    def adjudicate(self, engine: Engine, params: AdjudicateParams) -> AdjudicateResult:
        """Ask an engine and write it down. Raises what the engine raises, and `HarnessError` for a full disk."""
        self._requests += 1
        number = self._requests
        request = Request(id=number, method="adjudicate", params=msgspec.Raw(msgspec.json.encode(params)))
        self._write(TraceLine(sent=request), engine)
        log, began = engine.watch_log(), time.perf_counter()

        def write_answer(received: Response | msgspec.UnsetType, failed: str = "") -> None:
            seconds = round(time.perf_counter() - began, 6)
            if kept := list(log()):
                self._write(TraceLine(log=kept), engine)
            self._write(TraceLine(received=received, failed=failed, seconds=seconds), engine)

        try:
            result = engine.adjudicate(params)
        except AdapterError as error:
            received = UNSET if error.answered is None else msgspec.structs.replace(error.answered, id=number)
            write_answer(received, str(error))
            raise
        write_answer(Response(jsonrpc="2.0", id=number, result=msgspec.Raw(msgspec.json.encode(result))))
        return result

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _write(self, line: TraceLine, engine: Engine) -> None:
        """Add a line, without what is secret in a state. Raises `HarnessError`."""
        content = engine.hide(encode_line(line)) + b"\n"
        try:
            if self._file is None:
                self._file = self._path.open("wb", buffering=0)
            _ = self._file.write(content)
        except OSError as error:
            raise HarnessError(f"the trace {self._path} cannot be written: {error.strerror}") from error
