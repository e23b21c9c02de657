"""JSON, the contract for other programs: a whole report, or its lines as the run goes on; and stored runs read back.

The lines are a header, one for each case, and a footer. A file without its footer is of a run that was killed: reading
it says so and keeps the cases that it has.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, BinaryIO, TypeAlias, final

import msgspec

from ..cases.suite import Edition
from .comparison import Comparison, comparison_data
from .errors import StoredRunError
from .files import Sink
from .findings import Findings
from .gate import Baseline, read_baseline, recounted
from .report import (
    FORMAT,
    CarriedData,
    CaseData,
    CaseFinished,
    Event,
    GateData,
    Report,
    RestartData,
    RunFinished,
    RunStarted,
    Verdict,
)
from .statements import MissingPart, MutantData, TestedChoices
from .text import indented_json, printable_struct

_NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def render_json(found: object) -> bytes:
    """Render a report, or whatever msgspec can encode, as indented JSON in UTF-8."""
    return indented_json(printable_struct(found) if isinstance(found, msgspec.Struct) else found)


def render_json_comparison(comparison: Comparison) -> bytes:
    """Render what several runs show of their engines."""
    return render_json(comparison_data(comparison))


render_json_inference = render_json_preferences = render_json


def render_json_findings(findings: Findings[object]) -> bytes:
    """Render the data of findings."""
    return render_json(findings.data)


class CaseLine(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="case"):
    """A case, as the format `json` has it."""

    number: int
    """From 1."""
    case: CaseData


class FooterLine(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="end"):
    """The last line: the run came to its end, though perhaps not to that of its cases."""

    complete: bool
    incomplete_reason: str = ""
    compliant: bool
    seconds: float
    summary: dict[Verdict, int]
    restarts: list[RestartData] = []
    looks_like: list[MutantData] = []
    tested_choices: list[TestedChoices] = []
    missing_parts: list[MissingPart] = []
    gate: GateData | None = None
    config: str = ""
    suites: list[Edition] = []
    carried: CarriedData | msgspec.UnsetType = msgspec.UNSET


Line: TypeAlias = RunStarted | CaseLine | FooterLine
"""The first line says what runs."""


@final
class JsonLinesOutput:
    """Writes a line as soon as there is something to say."""

    def __init__(self, file: Sink) -> None:
        """`file` is left open."""
        self._file = file
        self._begun = False
        self._written: list[CaseData] = []

    def handle(self, event: Event) -> None:
        """Write what an event says. Raises `OSError`."""
        match event:
            case RunStarted():
                self._begun = True
                self._write(event)
            case CaseFinished():
                # After a Ctrl-C in between the case is written again, under the same number.
                self._write(CaseLine(number=len(self._written) + 1, case=event.case))
                self._written.append(event.case)
            case RunFinished(report):
                if not self._begun:
                    engine, rules, cases = report.engine, report.ruleset, len(report.cases)
                    self._write(RunStarted(harness=report.harness, engine=engine, ruleset=rules, cases=cases))
                for number, case in enumerate(report.cases, 1):
                    # What was tested at the end may have changed a verdict: the last line of a number counts.
                    if self._written[number - 1 : number] != [case]:
                        self._write(CaseLine(number=number, case=case))
                self._write(FooterLine(**{name: getattr(report, name) for name in FooterLine.__struct_fields__}))

    def _write(self, line: Line) -> None:
        _ = self._file.write(msgspec.json.encode(printable_struct(line)) + b"\n")
        self._file.flush()


class _Head(msgspec.Struct):
    """What tells the two formats, and other contracts, apart."""

    format: int
    type: str = ""


def read_stored_baseline(file: BinaryIO) -> Baseline:
    """Read a baseline, or a stored run as one. Raises `StoredRunError` with the name of the file."""
    content = file.read()
    try:
        return read_baseline(content) or Baseline.of_run(read_run(content))
    except StoredRunError as error:
        raise StoredRunError(f"{file.name}: {error}") from error


def read_run(content: bytes) -> Report:
    """Read a run as `read_stated_run` does, with counts that follow from its cases. Raises `StoredRunError`."""
    return recounted(read_stated_run(content))


def read_stated_run(content: bytes) -> Report:
    """Read a run that the format `json` or `jsonl` stored, as far as the bytes of the file have it.

    Its counts are those that it says. Raises `StoredRunError` where the file holds no run of this format.
    """
    first_line, _, rest = content.partition(b"\n")
    if not content.strip():
        raise StoredRunError("it is empty: the run was killed before the engine had answered, or never began")
    lines = False
    with suppress(*_NOT_JSON):
        lines = msgspec.json.decode(first_line, type=_Head).type == "run"
    try:
        head = msgspec.json.decode(first_line if lines else content, type=_Head)
        if head.format != FORMAT:
            formats = f"it is of format {head.format}, and this datc-check reads format {FORMAT}"
            raise StoredRunError(f"{formats}: use the one that wrote it")
        return _read_jsonl(content) if lines else msgspec.json.decode(content, type=Report)
    except msgspec.ValidationError as error:
        raise StoredRunError(f"it holds no run: {error}") from error
    except _NOT_JSON as error:
        cut = " or was cut off in its first line" if not rest else ""
        raise StoredRunError(f"it is not JSON{cut}: {error}") from error


def _read_jsonl(content: bytes) -> Report:
    """Read the lines of a run, as far as it got."""
    header, *lines = _read_lines(content)
    if not isinstance(header, RunStarted):
        raise StoredRunError("its first line does not say what ran")
    by_number = {line.number: line.case for line in lines if isinstance(line, CaseLine)}
    cases = [by_number[number] for number in sorted(by_number)]
    footer = lines[-1] if lines and isinstance(lines[-1], FooterLine) else None
    if footer is None:
        reason = f"the run was cut off after {len(cases)} of {header.cases} cases"
    elif not footer.complete:
        reason = footer.incomplete_reason or "the run did not say why"
    else:
        reason = "" if len(cases) == header.cases else f"only {len(cases)} of {header.cases} cases are in the file"
    seconds = round(sum(case.seconds for case in cases), 3)
    known: dict[str, Any] = {"seconds": seconds, "compliant": False, "summary": {}}
    known |= msgspec.structs.asdict(footer) if footer else {}
    known |= {"cases": cases, "complete": not reason, "incomplete_reason": reason}
    return Report(harness=header.harness, engine=header.engine, ruleset=header.ruleset, **known)


def _read_lines(content: bytes) -> list[Line]:
    """Read all lines but a last one that is not whole."""
    decoder = msgspec.json.Decoder(Line)
    texts = content.split(b"\n")
    if not texts[-1].strip():
        _ = texts.pop()
    lines: list[Line] = []
    for number, text in enumerate(texts, start=1):
        try:
            lines.append(decoder.decode(text))
        except msgspec.ValidationError as error:
            raise StoredRunError(f"line {number} is not part of a run: {error}") from error
        except _NOT_JSON as error:
            if number == 1 or number < len(texts):
                raise StoredRunError(f"line {number} is not JSON: {error}") from error
    if not lines:
        raise StoredRunError("there is no line in it: the run was killed before the engine had answered")
    return lines
