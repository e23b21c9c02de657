"""What a shadow observed: each difference explained, kept on a line of JSON and as a ready case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import final

import msgspec
from msgspec.structs import asdict, replace

from ...adapters import AdjudicateParams
from ...adapters.conversion import read_position, read_ruleset, read_submission
from ...reference_engine.errors import ReferenceEngineError, printable
from ...reference_engine.maps import STANDARD
from ...reports.files import append_whole
from ..errors import HarnessError
from ..play.answer import Failure
from ..play.differential import Played, agree, ask
from ..play.positions import OrderedPosition
from ..play.report_data import fact_data
from ..play.session import ReferenceAdjudicator
from .disagreement import Cause, Disagreement, explain_difference
from .findings import Finding, said_data
from .groups import group_findings
from .investigation import Question, new_finding, with_position
from .relations import own_contradiction
from .shadowing import Difference, played_phase
from .suite import case_lines

MOST_POSITIONS = 10_000
"""So many positions are kept in a store; after that there is no lack of examples."""
MOST_FAILURES = 20
"""Of one kind, each time that the store is opened: an engine that is down fails whatever it is asked."""
NOT_EXPLAINED = "not explained: the reference engine cannot be asked this, or could not to the end"
_QUESTION = Question(0, "shadow", 1)
_HEADER = """\
# Positions to which the second engine of a shadow answered something else than the first one.
# Which answer is right is for you to say: take away the "#" of one, and the case is a suite's.

section = "shadow"
title   = "Found by a shadow"
"""


class ShadowFinding(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """A finding of a shadow. Its `engine` is the one that is unlike the reference: 0 for the first, 1 for the second.

    Where the reference cannot be asked, it is the second one, which is unlike the first; then there is no `position`.
    """

    time: datetime
    params: AdjudicateParams
    """What was asked, without the `state`, which is the first engine's own."""
    without_state: bool = False
    """The second engine was asked without the `state` that it may want back: see `Difference`."""


class StoreFileError(HarnessError):
    """The findings cannot be kept where they should be."""


def explain(difference: Difference) -> Sequence[Finding]:
    """Find out which of the two differs from the reference, and why: as a hunt does, but nothing is made smaller."""
    params = difference.params
    try:
        position, orders = read_position(params), read_submission(params).as_one_clear_set()
        if params.map != STANDARD or orders is None or position.flying_dutchmen:
            return [unexplained(difference)]
        ordered, ruleset = OrderedPosition(position, tuple(orders)), read_ruleset(params.ruleset)
        ordered = ordered._replace(year=params.year, autumn=params.season == "autumn")
    except ReferenceEngineError:
        return [unexplained(difference)]
    reference = ReferenceAdjudicator(ruleset)
    expected = ask(reference, ordered)
    if not expected or isinstance(expected[0].answer, Failure):
        return [unexplained(difference)]
    answers = [(name, (said._replace(asked=expected[0].asked),)) for name, (said,) in _said(difference)]
    findings: list[Finding] = []
    for engine, (_, said) in enumerate(answers):
        # Where the second engine gave no answer, there is nothing that the first one differs from.
        if agree(expected, said, words=difference.is_about_words) or (engine == 0 and difference.failure):
            continue
        found = Disagreement(ordered, said, expected, ruleset, own_contradiction(ordered, said))
        finding = new_finding(_QUESTION._replace(engine=engine), explain_difference(found), found)
        everyone = [answers[engine], answers[1 - engine], (reference.name, expected)]
        findings.append(with_position(finding, found, everyone))
    return findings or [unexplained(difference)]


def unexplained(difference: Difference) -> Finding:
    """Make the finding of a difference of which only the answers are known."""
    first, second = _said(difference)
    cause = Cause(kind="bug", label=NOT_EXPLAINED, unexplained=True)
    if difference.failure:
        cause = Cause(kind="failure", label=Failure(difference.failure).kind)
    said, facts = [said_data(*second), said_data(*first)], list(map(fact_data, difference.facts))
    found_units = len(difference.params.units)
    return Finding(0, _QUESTION.source, 1, cause, found_units, said=said, facts=facts)


def _said(difference: Difference) -> Sequence[tuple[str, Played]]:
    params, (first, second) = difference.params, difference.names
    by_first = played_phase(params, difference.first)
    by_second = (by_first[0]._replace(answer=Failure(difference.failure), impossible=()),)
    if difference.second is not None:
        by_second = played_phase(params, difference.second)
    return (f"the first, {first}", by_first), (f"the second, {second}", by_second)


@final
class FindingStore:
    """Keeps what a shadow finds: in a file of JSON Lines, and beside it as cases, in the same name with `.toml`."""

    def __init__(self, path: Path, explained: Callable[[Difference], Sequence[Finding]] = explain) -> None:
        """Go on with what the file holds. Raises `StoreFileError`. `explained` may explain elsewhere than here."""
        self._path = path
        self._cases = path.with_suffix(".toml")
        self._explained = explained
        self._failures = Counter[str]()
        if self._cases == path:
            raise StoreFileError(f"{path}: the cases are kept in that file: write FILE.jsonl")
        if path.exists() and not path.is_file():  # A device or a pipe may have no end.
            raise StoreFileError(f"{path} cannot be written: it is no file")
        try:
            with path.open("a+b") as file:
                _ = file.seek(0)
                content = file.read()
                if content and not content.endswith(b"\n"):  # Its last line was cut off.
                    _ = file.write(b"\n")
                    content += b"\n"
        except OSError as error:
            raise StoreFileError(f"{path} cannot be written: {error.strerror}") from error
        self.start = len(content)
        """The size in bytes of what earlier runs found: the findings of this one follow."""
        self._positions = content.count(b"\n")

    def take(self, difference: Difference) -> None:
        """Keep a difference, explained, unless there are enough like it. Raises `OSError`."""
        failure = Failure(difference.failure).kind
        if self._positions >= MOST_POSITIONS or (failure and self._failures[failure] >= MOST_FAILURES):
            return
        self._failures[failure] += 1
        self._positions += 1
        try:
            findings = self._explained(difference)
        except Exception:  # noqa: BLE001 - where a finding cannot be explained it is one all the same
            findings = [unexplained(difference)]
        kept = [
            ShadowFinding(
                **asdict(replace(finding, number=self._positions)),
                time=datetime.now(timezone.utc).replace(microsecond=0),
                params=replace(difference.params, state=msgspec.UNSET),
                without_state=difference.without_state,
            )
            for finding in findings
        ]
        append_whole(self._path, b"".join(msgspec.json.encode(finding) + b"\n" for finding in kept))
        finding = kept[-1]
        if finding.position is None or finding.position.phase == "retreat":
            return  # A retreat phase alone cannot be a case.
        (group,) = group_findings([finding])
        heading = f"# {finding.time.isoformat()}, ruleset {printable(finding.params.ruleset.name) or 'without a name'}"
        lines = ["", "", heading, *case_lines(f"shadow.{finding.number}", group), ""]
        header = "" if self._cases.exists() and self._cases.stat().st_size else _HEADER
        append_whole(self._cases, (header + "\n".join(lines)).encode())


def read_findings(path: Path, start: int = 0) -> list[ShadowFinding]:
    """Read what a store has from byte `start` on; a line that was cut off counts for nothing. Raises `OSError`."""
    found: list[ShadowFinding] = []
    with path.open("rb") as file:
        _ = file.seek(start)
        for line in file:
            with suppress(msgspec.MsgspecError, UnicodeDecodeError):
                found.append(msgspec.json.decode(line, type=ShadowFinding))
    return found
