"""Cases as pages show them: their places on the page, their sections, their boards drawn, and their tables."""

from __future__ import annotations

import base64
import gzip
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar, final

import msgspec
from markupsafe import Markup

from ..cases.tables import USUAL_EDITION
from .boardmap import Scene, Window, draw_board, drawn_province, phase_scenes, window_around
from .comparison import CaseComparison, answer_letter
from .mistakes import mistake_sentence
from .report import CaseData, OrderData, PhaseData, UnitData, Verdict
from .wording import known_suite

ViewT = TypeVar("ViewT")

FOLDED = frozenset({"passed", "alike"})
"""The kinds of cases that need no attention."""


class Picture(NamedTuple):
    """A board and its caption."""

    caption: str
    svg: Markup


class Pictures(NamedTuple):
    """The boards of a phase."""

    before: Picture
    after: tuple[Picture, ...]
    """The expected board and the answered one, or the one that is known; empty where both are the same.

    In a comparison one board for each answer.
    """
    width: int
    """How much of the map they show: the page gives them room for it."""
    name: str
    """The name of the phase in the ids of the page: no other phase has the same."""


class PhaseView(NamedTuple):
    """A phase as it is shown."""

    data: PhaseData
    pictures: Pictures
    orders: list[OrderRow]
    as_expected: bool
    mistake: str
    """What is wrong, in one sentence; empty where nothing is."""


class CaseView(NamedTuple):
    """A case as it is shown."""

    data: CaseData
    anchor: str
    phases: list[PhaseView]
    commands: list[str]
    """What to run next, for a case that did not pass."""


class Section(NamedTuple):
    """A section of a suite, to filter for."""

    key: str
    """It in the page's address, when it is filtered for."""
    id: str
    title: str
    suite: str


class CaseGroup(NamedTuple, Generic[ViewT]):
    """The cases of one kind, such as those that failed."""

    kind: str
    words: str
    folded: bool
    """They need no attention: the page shows one line for all of them until it is opened."""
    views: list[ViewT]


def anchors_of(cases: Iterable[CaseData]) -> dict[tuple[str, str], str]:
    """Name the place of each case by its id. Where two suites share one, the later goes by its suite too."""
    anchors: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for case in cases:
        anchor = f"{case.suite}:{case.id}" if case.id in taken else case.id
        anchors[case.suite, case.id] = anchor
        taken.add(anchor)
    return anchors


def case_views(
    cases: Sequence[CaseData],
    anchors: Mapping[tuple[str, str], str],
    engine: str,
    ruleset: str,
    packed: PackedBoards,
) -> list[CaseView]:
    """Each case with its boards drawn, those of a case that passed packed away.

    `engine` is how it was named on the command line.
    """
    return [
        CaseView(
            case,
            anchors[case.suite, case.id],
            _phase_views(case, number, packed if case.verdict in FOLDED else None),
            _commands(case, engine, ruleset),
        )
        for number, case in enumerate(cases)
    ]


def sections_of(cases: Iterable[CaseData]) -> dict[tuple[str, str], Section]:
    """Find the sections of some cases, each by its suite and its id."""
    sections: dict[tuple[str, str], Section] = {}
    first: dict[str, str] = {}
    for case in cases:
        taken = first.setdefault(case.section, case.suite) != case.suite
        key = f"{case.suite}:{case.section}" if taken else case.section
        _ = sections.setdefault((case.suite, case.section), Section(key, case.section, case.section_title, case.suite))
    return sections


def groups_of(
    views: Iterable[ViewT], kind_of: Callable[[ViewT], str], words: Mapping[str, str]
) -> list[CaseGroup[ViewT]]:
    """Put cases of the same kind together, the kinds in the order of `words`."""
    of_kind: dict[str, list[ViewT]] = {kind: [] for kind in words}
    for view in views:
        of_kind[kind_of(view)].append(view)
    return [CaseGroup(kind, words[kind], kind in FOLDED, found) for kind, found in of_kind.items() if found]


def suites_of(cases: Iterable[CaseData]) -> list[tuple[str, str]]:
    """Each suite that was asked, and where it is published."""
    names = dict.fromkeys(case.suite for case in cases)
    return [(name, suite.url if (suite := known_suite(name)) else "") for name in names]


def draw_answers(
    phases: Sequence[PhaseData], captions: Sequence[str], case: str, prefix: str, *, with_expected: bool
) -> Pictures:
    """Draw what several engines answered to one phase, each with its caption, behind what was expected if wanted.

    `case` is what a screen reader calls it, `prefix` is for ids of no other phase.
    """
    before, expected, _ = phase_scenes(phases[0], "none")
    after = [("expected", "Expected", expected)] if with_expected else []
    after += [
        (f"answer-{number}", caption, phase_scenes(phase).answer)
        for number, (phase, caption) in enumerate(zip(phases, captions, strict=True))
    ]
    drawn = [scene for _, _, scene in after if scene is not None]
    return _draw(before, after, case, prefix, window_around(before, *drawn))


def picture_name(case: CaseData, phase: PhaseData) -> str:
    """What a screen reader calls the boards of a phase."""
    return f"{case.id}, {phase.season} {phase.year}, {phase.phase}"


def _phase_views(case: CaseData, number: int, packed: PackedBoards | None) -> list[PhaseView]:
    views: list[PhaseView] = []
    for index, phase in enumerate(case.phases):
        pictures = _draw_phase(phase, picture_name(case, phase), f"board-{number}-{index}", packed)
        views.append(PhaseView(phase, pictures, order_rows(phase), _is_as_expected(phase), mistake_sentence(phase)))
    return views


def _commands(case: CaseData, engine: str, ruleset: str) -> list[str]:
    """The commands that ask a case again and explain it; none for a case that passed."""
    suite = known_suite(case.suite)
    if case.verdict == "passed" or suite is None:
        return []
    options = ["--suite", case.suite] if case.suite != USUAL_EDITION else []
    options += ["--ruleset", ruleset] if ruleset != suite.ruleset else []
    return [
        shlex.join(["datc-check", "run", engine, "--select", case.id, *options]),
        shlex.join(["datc-check", "explain", case.id, engine, *options]),
    ]


def _draw_phase(phase: PhaseData, case: str, prefix: str, packed: PackedBoards | None) -> Pictures:
    scenes = before, expected, answer = phase_scenes(phase)
    after = [] if _is_as_expected(phase) else [("expected", "Expected", expected), ("got", "Got", answer)]
    return _draw(before, after, case, prefix, window_around(*filter(None, scenes)), packed)


def _is_as_expected(phase: PhaseData) -> bool:
    """Whether the answer is what was expected, so that the board with the orders shows all of it."""
    both = phase.expected is not None and phase.answer is not None
    return both and not phase.differences and "dislodged" not in phase.not_given


def _draw(
    before: Scene,
    after: Iterable[tuple[str, str, Scene | None]],
    case: str,
    prefix: str,
    window: Window,
    packed: PackedBoards | None = None,
) -> Pictures:
    """Draw a board, and those of the boards after it that there are, each with its name and caption."""

    def draw(name: str, caption: str, scene: Scene) -> Picture:
        title = f"{case}. {caption}."
        svg = draw_board(scene, title=title, prefix=f"{prefix}-{name}", base="reference", window=window)
        if packed is not None:
            return Picture(caption, packed.add(svg))
        return Picture(caption, Markup(svg))  # noqa: S704 - it escapes every text by itself

    pictures = tuple(draw(name, caption, scene) for name, caption, scene in after if scene is not None)
    return Pictures(draw("before", "Before, with the orders", before), pictures, round(window.width), prefix)


Mark: TypeAlias = Literal["", "missing", "unexpected"]


class MarkedUnit(NamedTuple):
    """A unit, and whether the other board lacks it."""

    unit: UnitData
    mark: Mark


class BoardRow(NamedTuple):
    """The units of a power, as expected and as the engine has them."""

    power: str
    expected: list[MarkedUnit]
    got: list[MarkedUnit]


class OrderRow(NamedTuple):
    """An order, what was expected of it, and what the engine made of it."""

    data: OrderData
    expected: str
    """What the document says, or what the boards show of a move; empty where neither tells."""
    got: str
    differs: bool
    province: str
    """Where its unit is, as the board has it; empty for an order that is not drawn."""


def board_rows(phase: PhaseData, expected: Sequence[UnitData], got: Sequence[UnitData] | None) -> list[BoardRow]:
    """Set expected units of a phase beside those of the answer, power by power, and mark those that differ."""
    left = [MarkedUnit(unit, "missing" if unit in phase.missing else "") for unit in sorted(expected)]
    right = [MarkedUnit(unit, "unexpected" if unit in phase.unexpected else "") for unit in sorted(got or ())]
    powers = sorted({marked.unit.power for marked in (*left, *right)})
    return [BoardRow(power, _of(power, left), _of(power, right)) for power in powers]


def order_rows(phase: PhaseData) -> list[OrderRow]:
    """Say of each order what was expected and what was got."""
    expected = phase_scenes(phase, "expected").before.orders
    got = phase_scenes(phase, "answer").before.orders
    return [
        OrderRow(
            data,
            data.expected or wanted.outcome or "",
            ": ".join(filter(None, (data.outcome or given.outcome, data.reason))),
            wanted.outcome is not None and given.outcome is not None and wanted.outcome != given.outcome,
            drawn_province(wanted),
        )
        for data, wanted, given in zip(phase.orders, expected, got, strict=True)
    ]


def _of(power: str, units: Iterable[MarkedUnit]) -> list[MarkedUnit]:
    return [marked for marked in units if marked.unit.power == power]


class EngineVerdict(NamedTuple):
    """What some engines, by their place, have in common in a case."""

    letter: str
    """That of their answer; empty without an answer."""
    places: tuple[int, ...]
    verdict: Verdict
    reason: str
    differences: tuple[str, ...]


class Answered(NamedTuple):
    """An answer."""

    letter: str
    places: tuple[int, ...]
    picture: Picture
    only_here: Sequence[UnitData]
    """The units that no other answer has there."""


class ComparedOrder(NamedTuple):
    """An order, and its outcome in each answer."""

    data: OrderData
    got: list[str]


class ComparedCase(NamedTuple):
    """A case as it is shown."""

    data: CaseComparison
    anchor: str
    verdicts: list[EngineVerdict]
    phase: PhaseData | None
    """The first phase in which the answers differ."""
    pictures: Pictures | None
    """The board before that phase; and, where nobody's answer is the one expected, that board too."""
    answers: list[Answered]
    orders: list[ComparedOrder]


def compared_cases(cases: Sequence[CaseComparison], anchors: Mapping[tuple[str, str], str]) -> list[ComparedCase]:
    """Draw the boards of some cases."""
    return [
        _compared(case, anchors[case.first.suite, case.first.id], f"board-{number}")
        for number, case in enumerate(cases)
    ]


def _compared(case: CaseComparison, anchor: str, prefix: str) -> ComparedCase:
    verdicts = _verdicts(case)
    answering = [answered for group in case.groups if (answered := case.cases[group[0]]) is not None]
    if not answering or all(each.verdict == "passed" for each in verdicts if each.letter):
        return ComparedCase(case, anchor, verdicts, None, None, [], [])
    phases = [answered.phases[case.phase] for answered in answering]
    captions = [f"{answer_letter(number)}: {_engines(group)}" for number, group in enumerate(case.groups)]
    as_expected = any(each.verdict == "passed" for each in verdicts)
    pictures = draw_answers(
        phases, captions, picture_name(case.first, phases[0]), prefix, with_expected=not as_expected
    )
    answers = [
        Answered(answer_letter(number), group, picture, only_here)
        for number, (group, picture, only_here) in enumerate(
            zip(case.groups, pictures.after[-len(phases) :], case.only_here, strict=True)
        )
    ]
    rest = pictures._replace(after=pictures.after[: -len(phases)])
    return ComparedCase(case, anchor, verdicts, phases[0], rest, answers, _orders(phases))


def _verdicts(case: CaseComparison) -> list[EngineVerdict]:
    places: dict[tuple[str, Verdict, str, tuple[str, ...]], list[int]] = {}
    for place, one in enumerate(case.cases):
        if one is not None:
            differences = tuple(difference for phase in one.phases for difference in phase.differences)
            places.setdefault((case.letter(place), one.verdict, one.reason, differences), []).append(place)
    found = [
        EngineVerdict(letter, tuple(members), verdict, reason, differences)
        for (letter, verdict, reason, differences), members in places.items()
    ]
    return sorted(found, key=lambda each: (not each.letter, each.letter))


def _orders(phases: Sequence[PhaseData]) -> list[ComparedOrder]:
    rows = [order_rows(phase) for phase in phases]
    return [ComparedOrder(of_all[0].data, [row.got for row in of_all]) for of_all in zip(*rows, strict=True)]


def _engines(places: Sequence[int]) -> str:
    """Name engines by their numbers: names would take several lines above a board."""
    return f"engine{'s' if len(places) > 1 else ''} {', '.join(str(place + 1) for place in places)}"


@final
class PackedBoards:
    """Boards that a page has in one block, from which its script takes each when its case is opened."""

    def __init__(self) -> None:
        """Begin without any."""
        self._boards: dict[str, int] = {}

    def add(self, svg: str) -> Markup:
        """Take a board, and return what stands in its place."""
        index = self._boards.setdefault(svg, len(self._boards))
        return Markup(
            '<p class="packed" data-board="{}">Only a script can draw the board of a case that passed.</p>'
        ).format(index)

    @property
    def block(self) -> str:
        """A JSON list of the boards, packed with gzip and written in base64; empty without any."""
        if not self._boards:
            return ""
        return base64.b64encode(gzip.compress(msgspec.json.encode([*self._boards]), mtime=0)).decode()
