"""What a hunt finds, as data, and the store that keeps it: a line of JSON a chunk, added at the end, never changed.

A chunk that was stopped has a line with its `trouble`; the line of a later run that finishes it counts instead.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import cast, final

import msgspec
from filelock import FileLock, Timeout

from ...adapters import (
    AdjudicateParams,
    DislodgedMessage,
    EngineSpec,
    Limits,
    UnitMessage,
    dislodged_messages,
    unit_messages,
    unit_of,
)
from ...adapters.conversion import center_messages, read_position
from ...adapters.engine import UNREADABLE
from ...adapters.protocol import GivenOrderMessage
from ...reference_engine import (
    DATC_3_1,
    Dislodged,
    Phase,
    RulesetError,
    Submitted,
    Unit,
    province_code,
    ruleset,
)
from ...reference_engine.notation import Style
from ...reports import FactData, append_whole, write_whole
from ..answers import Answer, Fact, Failure, find_impossible
from ..asking import Played, find_facts
from ..errors import HarnessError
from ..positions import OrderedPosition, Orders, read_orders
from ..session import PlayedPhase, order_messages
from ..verdict import read_fact
from .causes import Cause, Possible
from .plan import Plan, PlannedEngine

_HEADER, _RESULTS = "hunt.json", "chunks.jsonl"
_COASTS = "default coasts"


class StoreError(HarnessError):
    """A store cannot be used: it is of another hunt, or no store."""


class StoredPosition(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A position with its orders as it is stored: the objects of the engine protocol."""

    phase: Phase = "movement"
    units: list[UnitMessage]
    centers: dict[str, list[str]] = {}
    dislodged: list[DislodgedMessage] = []
    """Before a retreat phase that stands alone."""
    orders: list[GivenOrderMessage]
    retreats: list[GivenOrderMessage] | None = None


class SaidData(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an adjudicator answered to a position."""

    party: str
    """The name of the adjudicator."""
    units: list[UnitMessage] | None = None
    """The board after the last phase; `None` where it failed."""
    dislodged: dict[str, list[str] | None] | None = None
    """After movements: each dislodged unit by its province, with its retreats; `None` where nothing is said."""
    dislodged_units: list[UnitMessage] = []
    """The same units, where they are not those that stood in these provinces."""
    failure: str = ""
    moved: list[UnitMessage] | None = None
    """The board after the movements, where retreats came after them."""


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A position on which an engine differs."""

    number: int
    """The number of the position in the hunt."""
    source: str
    engine: int
    """Which engine it is, from 0."""
    cause: Cause
    found_units: int
    """How many units stood there when it was found."""
    found_mutants: list[str] = msgspec.field(default_factory=list[str], name="found_faults")
    """The mutants that explained it then, where it was shrunk: fewer, since it showed more."""
    position: StoredPosition | None = None
    """The minimal position; `None` where enough like it were shrunk already: its number makes it again."""
    relation: str = ""
    """For an engine that contradicts itself: the name of what should have made no difference."""
    salt: int = 0
    said: list[SaidData] = []
    """What all answered to it, the engine first and the reference last."""
    facts: list[FactData] = []
    """What is wrong with the engine's answer. Not there before version 0.2."""
    of_retreats: bool = False
    """The facts are about the retreats after the movements."""
    times: int = 1
    """How many positions it stands for, which have the same explanation."""

    @property
    def units(self) -> int:
        """How many units the position has."""
        return self.found_units if self.position is None else len(self.position.units)

    @property
    def expected(self) -> SaidData:
        """What is expected of the engine: what it answered to the same in another form, or else the reference."""
        return self.said[1] if self.relation else self.said[-1]


class Seconds(msgspec.Struct, frozen=True, kw_only=True):
    """Where the time went."""

    generator: float = 0.0
    engines: float = 0.0
    comparison: float = 0.0
    """Comparing, explaining, and shrinking, with the questions that these ask."""


class ChunkResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was found in one chunk."""

    chunk: int
    asked: dict[str, int]
    """For each source, the positions that were asked."""
    unsupported: int = 0
    """Positions that an engine said it cannot do: they are no findings."""
    findings: list[Finding] = []
    seconds: Seconds = Seconds()
    trouble: str = ""
    """Why it was not finished: an engine stopped responding, or time was up."""

    @property
    def positions(self) -> int:
        """How many positions were asked."""
        return sum(self.asked.values())


def store_position(ordered: OrderedPosition) -> StoredPosition:
    """Put a position into a store."""
    position = ordered.position
    return StoredPosition(
        phase=position.phase,
        units=unit_messages(position.units),
        centers=center_messages(position.centers),
        dislodged=dislodged_messages(position.dislodged),
        orders=_store_orders(ordered.orders),
        retreats=None if ordered.retreats is None else _store_orders(ordered.retreats),
    )


def _store_orders(orders: Orders) -> list[GivenOrderMessage]:
    return order_messages([Submitted(*given) for given in orders])


def read_stored_position(data: StoredPosition) -> OrderedPosition:
    """Take a position from a store. Raises `PositionError`."""
    position = read_position(
        AdjudicateParams(phase=data.phase, units=data.units, centers=data.centers, dislodged=data.dislodged)
    )
    return OrderedPosition(
        position, read_orders(data.orders), None if data.retreats is None else read_orders(data.retreats)
    )


def said_data(name: str, played: Played) -> SaidData:
    """Put what an adjudicator answered into a store."""
    first, last = played[0], played[-1]
    if isinstance(last.answer, Failure):
        return SaidData(party=name, failure=last.answer.reason)
    entries = last.answer.dislodged
    misplaced = entries is not None and not {entry.unit for entry in entries}.issubset(last.asked.units)
    return SaidData(
        party=name,
        units=unit_messages(last.answer.units),
        dislodged=None
        if entries is None
        else {
            province_code(unit.location): None if retreats is None else list(retreats)
            for unit, _, retreats in sorted(entries, key=lambda entry: province_code(entry.unit.location))
        },
        dislodged_units=unit_messages([entry.unit for entry in entries or ()]) if misplaced else [],
        moved=unit_messages(first.answer.units) if last is not first and isinstance(first.answer, Answer) else None,
    )


def read_said(said: SaidData, ordered: OrderedPosition, style: Style = "codes") -> Played:
    """Take what an adjudicator answered to a position from a store; of a failure the first phase alone."""
    asked, *later = ordered.phases(style)
    if said.units is None:
        return (PlayedPhase(asked, Failure(said.failure)),)
    first = _read_answer(said.units if said.moved is None else said.moved, said, asked.units)
    played = (PlayedPhase(asked, first, find_impossible(asked, first)),)
    if said.moved is None or not later:
        return played
    asked, last = later[0].after(first), _read_answer(said.units)
    return (*played, PlayedPhase(asked, last, find_impossible(asked, last)))


def _read_answer(messages: Sequence[UnitMessage], said: SaidData | None = None, before: Sequence[Unit] = ()) -> Answer:
    units = tuple(map(unit_of, messages))
    if said is None or said.dislodged is None:
        return Answer(units)
    retreats = {where: None if to is None else tuple(to) for where, to in said.dislodged.items()}
    dislodged = [unit_of(unit) for unit in said.dislodged_units] or [
        unit for unit in before if province_code(unit.location) in retreats
    ]
    return Answer(
        units,
        tuple(Dislodged(unit, None, retreats.get(province_code(unit.location))) for unit in sorted(dislodged)),
    )


def finding_facts(finding: Finding, ordered: OrderedPosition) -> tuple[int, tuple[Fact, ...]]:
    """Return the number of the phase that is wrong and what is wrong with it, also of a finding of version 0.1."""
    if finding.facts:
        return int(finding.of_retreats), tuple(map(read_fact, finding.facts))
    said = read_said(finding.said[0], ordered)
    if finding.relation:  # It is the answer to another form of the position, with other units perhaps.
        said = tuple(one._replace(impossible=()) for one in said)
    return find_facts(read_said(finding.expected, ordered), said)


class _Header(msgspec.Struct, frozen=True, kw_only=True):
    """What the hunt of a store is."""

    format: int = 1
    signature: dict[str, object]
    possible: list[list[tuple[str, str]] | None]
    """For each engine, the choices that it may make, as they were found when the hunt began."""
    ruleset: str = ""
    """The name of the ruleset, whose choices are in the signature. Not there in version 0.1."""


class _Signature(msgspec.Struct, frozen=True, kw_only=True):
    """What `Plan.signature` returns, as far as a plan is made of it again."""

    engines: list[str]
    ruleset: dict[str, str]
    sources: list[str]
    profiles: list[str]
    seed: int
    chunk: int
    words: bool


def _completed(signature: Mapping[str, object]) -> dict[str, object]:
    """Add to a signature what earlier versions did not say: boards only, and later issues as the DATC has them."""
    stored: dict[str, object] = {"words": False, **signature}
    rules = stored.get("ruleset")
    if isinstance(rules, dict):
        stored["ruleset"] = {**DATC_3_1.choices, **cast("dict[str, object]", rules)}
    return stored


@contextmanager
def locked_folder(folder: Path, what: str, *, new: bool) -> Generator[None]:
    """Keep a folder from others that store there; the lock ends with the process. `new` makes the folder.

    `what` is what is stored in it. Raises `StoreError` where another process has it, and `OSError`.
    """
    if new:
        _make_folder(folder)
    elif not folder.is_dir():
        yield  # There is nothing in it to go on with, as its reader will say.
        return
    lock = FileLock(folder / f"{what}.lock", blocking=False)
    try:
        # filelock types this with typing.Self, which Python 3.10 does not have.
        held = cast("Callable[[], AbstractContextManager[object]]", lock.acquire)()
    except Timeout as error:
        raise StoreError(f"{folder} is in use by another {what}: wait for its end, or name another") from error
    with held:
        yield


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise StoreError(f"{folder} is a file: name a folder") from error


@final
class Store:
    """A folder that keeps a hunt, so that it can go on later."""

    def __init__(self, folder: Path) -> None:
        """Nothing is read or written yet."""
        self._folder = folder

    def locked(self, *, new: bool) -> AbstractContextManager[None]:
        """Keep it from other hunts; the lock ends with the process. `new` makes the folder.

        Raises `StoreError` where another hunt has it, and `OSError`.
        """
        return locked_folder(self._folder, "hunt", new=new)

    def begin(self, plan: Plan) -> None:
        """Begin a new hunt. Raises `StoreError` where one is stored already, and `OSError`."""
        header, results = self._folder / _HEADER, self._folder / _RESULTS
        # An empty header is what an earlier version left behind on a full disk.
        if any(file.exists() and file.stat().st_size for file in (header, results)):
            raise StoreError(f"{self._folder} holds a hunt already: go on with it by --resume, or name another folder")
        _make_folder(self._folder)
        possible = [None if each.possible is None else sorted(each.possible) for each in plan.engines]
        results.touch()
        write_whole(
            header,
            msgspec.json.encode(_Header(signature=plan.signature(), possible=possible, ruleset=plan.ruleset.name)),
        )

    def possible(self, plan: Plan) -> tuple[Possible | None, ...]:
        """Return what was found of the engines when the hunt began. Raises `StoreError` where it is another hunt."""
        header = self._header()
        ours = msgspec.json.decode(msgspec.json.encode(plan.signature()))
        stored = _completed(header.signature)
        other = [name for name, value in ours.items() if stored.get(name) != value]
        if other:
            raise StoreError(f"{self._folder} holds a hunt with other {' and '.join(other)}: name another folder")
        return self._possible(header, len(plan.engines))

    def plan(self) -> Plan:
        """Return the plan of the hunt, with engines that are known by their names only. Raises `StoreError`."""
        header = self._header()
        try:
            signature = msgspec.convert(_completed(header.signature), _Signature)
            choices = {**signature.ruleset}
            coasts = msgspec.convert(ast.literal_eval(choices.pop(_COASTS)), dict[str, str])
            rules = ruleset(header.ruleset, choices, coasts)
        except (msgspec.ValidationError, RulesetError, KeyError, SyntaxError, ValueError) as error:
            raise StoreError(f"{self._folder} holds no hunt that this version can ask again: {error}") from error
        possible = self._possible(header, len(signature.engines))
        return Plan(
            engines=tuple(
                PlannedEngine(EngineSpec(text), Limits(), known)
                for text, known in zip(signature.engines, possible, strict=True)
            ),
            ruleset=rules,
            sources=tuple(signature.sources),
            profiles=tuple(signature.profiles),
            seed=signature.seed,
            positions=0,
            chunk=signature.chunk,
            words=signature.words,
        )

    def _possible(self, header: _Header, engines: int) -> tuple[Possible | None, ...]:
        if len(header.possible) != engines:
            raise StoreError(f"{self._folder} holds no hunt: {_HEADER} has choices of another number of engines")
        return tuple(None if each is None else frozenset(each) for each in header.possible)

    def _header(self) -> _Header:
        try:
            content = self._folder.joinpath(_HEADER).read_bytes()
            if not content:
                raise StoreError(f"{self._folder} holds no hunt yet, for {_HEADER} is empty: leave out --resume")
            return msgspec.json.decode(content, type=_Header)
        except (OSError, *UNREADABLE) as error:
            raise self._unusable(error) from error

    def results(self) -> Mapping[int, ChunkResult]:
        """Return the results of the chunks that were finished. A line that was not written to its end is no result.

        Raises `StoreError` where they cannot be read.
        """
        return {result.chunk: result for result in self._lines() if not result.trouble}

    def findings(self) -> Sequence[Finding]:
        """Return all findings, those of chunks that were not finished included. Raises `StoreError`."""
        found: dict[int, ChunkResult] = {}
        for result in self._lines():
            known = found.get(result.chunk)
            if known is None or known.positions < result.positions or (known.trouble and not result.trouble):
                found[result.chunk] = result
        return [finding for chunk in sorted(found) for finding in found[chunk].findings]

    def _lines(self) -> Sequence[ChunkResult]:
        """Return what was written to the end, but for chunks that were finished already and became no longer."""
        found: list[ChunkResult] = []
        finished: dict[int, int] = {}
        try:
            content = self._folder.joinpath(_RESULTS).read_bytes()
        except OSError as error:
            raise self._unusable(error) from error
        for line in content.splitlines():
            try:
                result = msgspec.json.decode(line, type=ChunkResult)
            except UNREADABLE:
                continue
            if result.positions > finished.get(result.chunk, -1):
                found.append(result)
                if not result.trouble:
                    finished[result.chunk] = result.positions
        return found

    def _unusable(self, error: Exception) -> StoreError:
        reason = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
        return StoreError(f"{self._folder} holds no hunt to go on with: {reason}")

    def add(self, result: ChunkResult) -> None:
        """Keep the result of a chunk, also of one that was not finished and is asked again. Raises `OSError`."""
        # A line before it may have been cut off: what is added stands on a line of its own.
        append_whole(self._folder / _RESULTS, b"\n" + msgspec.json.encode(result) + b"\n")
