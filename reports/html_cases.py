"""Cases as pages show them: their places on the page, their sections, their boards drawn, their tables and messages."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, TypeVar, cast
from xml.sax.saxutils import escape

import msgspec
from markupsafe import Markup

from ..cases import Case, load_suite
from ..cases.errors import UnknownSuiteError
from ..cases.suite import USUAL_EDITION
from ..reference_engine import DATC_3_2, Board, GivenOrder, Ruleset, adjudicate, ruleset
from ..reference_engine.errors import ReferenceEngineError
from .boardmap.drawing import draw_board, drawn_province
from .boardmap.geography import window_around
from .boardmap.scenes import DrawnOrder, Scene, phase_scenes, scene_of_orders
from .comparison import CaseComparison, answer_letter
from .inference import InferenceReport
from .mistakes import mistake_sentence
from .preferences import Preference
from .report import BoardData, CaseData, DislodgedData, OrderData, PhaseData, Report, RulesetData, UnitData, Verdict
from .wording import known_suite

ViewT = TypeVar("ViewT")

PackedBoards: TypeAlias = dict[str, int]
"""Boards that a page has in one block, each with its place there: its script takes it when its case is opened."""


class Picture(NamedTuple):
    """A board and its caption."""

    caption: str
    svg: Markup


class Pictures(NamedTuple):
    """The boards of a phase."""

    before: Picture
    after: list[Picture]
    """The expected board and the answered one, or the one that is known; empty where both are the same.

    In a comparison one board for each answer, behind the expected one where nobody answered that.
    """
    width: int
    """How much of the map they show: the page gives them room for it."""


class OrderRow(NamedTuple):
    """An order, what was expected of it, and what the engine made of it."""

    data: OrderData
    expected: str
    """What the document says or the boards show, in the words of the protocol; empty where neither tells."""
    got: str
    differs: bool
    province: str
    """Where its unit is, as the board has it; empty for an order that is not drawn."""


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


def anchors_of(cases: Iterable[CaseData]) -> dict[str, str]:
    """Name the place of each case, by its key. It is its id, with the suite where an earlier suite has it too."""
    anchors: dict[str, str] = {}
    taken: set[str] = set()
    for case in cases:
        anchor = f"{case.suite}:{case.id}" if case.id in taken else case.id
        anchors[case.key] = anchor
        taken.add(anchor)
    return anchors


def sections_of(cases: Iterable[CaseData]) -> dict[tuple[str, str], Section]:
    """Find the sections of some cases, each by its suite and its id."""
    sections: dict[tuple[str, str], Section] = {}
    first: dict[str, str] = {}
    for case in cases:
        taken = first.setdefault(case.section, case.suite) != case.suite
        key = f"{case.suite}:{case.section}" if taken else case.section
        _ = sections.setdefault((case.suite, case.section), Section(key, case.section, case.section_title, case.suite))
    return sections


def groups_of(views: Iterable[ViewT], kind_of: Callable[[ViewT], str], kinds: Iterable[str]) -> dict[str, list[ViewT]]:
    """Put cases of the same kind together, in the order of the kinds; one that no case has is left out."""
    views = [*views]
    of_kind = {kind: [view for view in views if kind_of(view) == kind] for kind in kinds}
    return {kind: found for kind, found in of_kind.items() if found}


def suites_of(cases: Iterable[CaseData]) -> list[tuple[str, str]]:
    """Each suite that was asked, and where it is published."""
    names = dict.fromkeys(case.suite for case in cases)
    return [(name, suite.url if (suite := known_suite(name)) else "") for name in names]


def case_views(
    report: Report | InferenceReport, cases: Sequence[CaseData], anchors: Mapping[str, str], packed: PackedBoards
) -> list[CaseView]:
    """Each case with its boards drawn, those of a case that passed packed away."""
    views: list[CaseView] = []
    for number, case in enumerate(cases):
        phases: list[PhaseView] = []
        for index, phase in enumerate(case.phases):
            before, expected, answer = phase_scenes(phase)
            both = phase.expected is not None and phase.answer is not None
            as_expected = both and not phase.differences and "dislodged" not in phase.not_given
            # The board with the orders shows all of an answer that is the one expected.
            shown = 0 if as_expected else 2
            into = packed if case.verdict == "passed" else None
            after = [("expected", "Expected", expected), ("got", "Got", answer)]
            name = _picture_name(case, phase)
            pictures = _draw(before, after, name, f"board-{number}-{index}", shown=shown, packed=into)
            phases.append(PhaseView(phase, pictures, order_rows(phase), as_expected, mistake_sentence(phase)))
        views.append(CaseView(case, anchors[case.key], phases, _commands(case, report)))
    return views


def _picture_name(case: CaseData, phase: PhaseData) -> str:
    """What a screen reader calls the boards of a phase."""
    return f"{case.id}, {phase.turn}, {phase.phase}"


def _commands(case: CaseData, report: Report | InferenceReport) -> list[str]:
    """The commands that ask a case again and explain it; none for a case that passed."""
    suite = known_suite(case.of_document.suite)
    if case.verdict == "passed" or suite is None:
        return []
    engine, rules = report.engine.spec, report.ruleset.name
    options = ["--suite", suite.name] if suite.name != USUAL_EDITION else []
    options += report.carried.options if report.carried else []
    options += ["--ruleset", rules] if rules != suite.ruleset else []
    return [
        shlex.join(["datc-check", "run", engine, "--select", case.id, *options]),
        shlex.join(["datc-check", "explain", case.id, engine, *options]),
    ]


def boards_of(cases: Iterable[CaseData]) -> list[Board]:
    """Name the boards that cases are on, each once."""
    return [*dict.fromkeys(phase.board for case in cases for phase in case.phases)]


def _draw(
    before: Scene,
    after: Iterable[tuple[str, str, Scene | None]],
    case: str,
    prefix: str,
    *,
    shown: int | None = None,
    packed: PackedBoards | None = None,
) -> Pictures:
    """Draw a board, and so many of those after it that there are, each with its name and caption, in one window."""
    known = [(name, caption, scene) for name, caption, scene in after if scene is not None]
    window = window_around(before, *(scene for _, _, scene in known))

    def draw(name: str, caption: str, scene: Scene) -> Picture:
        title = f"{case}. {caption}."
        svg = draw_board(scene, title=title, prefix=f"{prefix}-{name}", base="reference", window=window)
        if packed is None:
            return Picture(caption, Markup(svg))  # noqa: S704 - it escapes every text by itself
        place = packed.setdefault(svg, len(packed))
        words = "Only a script can draw the board of a case that passed."
        return Picture(caption, Markup('<p class="packed" data-board="{}">{}</p>').format(place, words))

    pictures = [draw(*each) for each in known[:shown]]
    return Pictures(draw("before", "Before, with the orders", before), pictures, round(window.width))


MarkedUnit: TypeAlias = tuple[UnitData, str]
"""A unit, and `missing` or `unexpected` where the other board lacks it."""


def board_rows(
    phase: PhaseData, expected: Sequence[UnitData], got: Sequence[UnitData] | None
) -> list[tuple[str, list[MarkedUnit], list[MarkedUnit]]]:
    """Set expected units of a phase beside those of the answer, power by power, and mark those that differ."""
    left = [(unit, "missing" if unit in phase.missing else "") for unit in sorted(expected)]
    right = [(unit, "unexpected" if unit in phase.unexpected else "") for unit in sorted(got or ())]
    powers = sorted({unit.power for unit, _ in (*left, *right)})
    return [
        (power, [each for each in left if each[0].power == power], [each for each in right if each[0].power == power])
        for power in powers
    ]


def order_rows(phase: PhaseData) -> list[OrderRow]:
    """Say of each order what was expected and what was got."""
    expected = phase_scenes(phase, "expected").before.orders
    got = phase_scenes(phase, "answer").before.orders
    return [
        OrderRow(
            data,
            _outcome_text(wanted),
            _outcome_text(given),
            wanted.outcome is not None and given.outcome is not None and wanted.outcome != given.outcome,
            drawn_province(wanted, phase.board),
        )
        for data, wanted, given in zip(phase.orders, expected, got, strict=True)
    ]


def _outcome_text(order: DrawnOrder) -> str:
    return ": ".join(filter(None, (order.outcome, order.reason)))


_AnswerVerdict: TypeAlias = tuple[str, Verdict, str, tuple[str, ...]]
"""What engines have in common in a case: the letter of their answer or nothing, verdict, reason, and what differs."""


class ComparedCase(NamedTuple):
    """A case as it is shown."""

    data: CaseComparison
    anchor: str
    verdicts: list[tuple[_AnswerVerdict, list[int]]]
    """Each with its engines, by their place."""
    phase: PhaseData | None = None
    """The first phase in which the answers differ."""
    pictures: Pictures | None = None
    orders: Sequence[Sequence[OrderRow]] = ()
    """Each order, for each answer."""


def compared_case(case: CaseComparison, anchor: str, prefix: str) -> ComparedCase:
    """Draw the boards of a case; `prefix` is for ids of no other case."""
    places: dict[_AnswerVerdict, list[int]] = {}
    for place, one in enumerate(case.cases):
        if one is not None:
            answer = (case.letter(place), one.verdict, one.reason, tuple(one.differences))
            places.setdefault(answer, []).append(place)
    verdicts = sorted(places.items(), key=lambda each: (not each[0][0], each[0][0]))
    answering = [answered for group in case.groups if (answered := case.cases[group[0]]) is not None]
    if not answering or all(verdict == "passed" for letter, verdict, *_ in places if letter):
        return ComparedCase(case, anchor, verdicts)
    phases = [answered.phases[case.phase] for answered in answering]
    before, expected, _ = phase_scenes(phases[0], "none")
    is_right = any(verdict == "passed" for _, verdict, *_ in places)
    after = [] if is_right else [("expected", "Expected", expected)]
    for number, (phase, group) in enumerate(zip(phases, case.groups, strict=True)):
        # Their names would take several lines above a board.
        engines = f"engine{'s' if len(group) > 1 else ''} {', '.join(str(place + 1) for place in group)}"
        after.append((f"answer-{number}", f"{answer_letter(number)}: {engines}", phase_scenes(phase).answer))
    pictures = _draw(before, after, _picture_name(case.first, phases[0]), prefix)
    return ComparedCase(case, anchor, verdicts, phases[0], pictures, [*zip(*map(order_rows, phases), strict=True)])


def examples(preferences: Iterable[Preference]) -> dict[str, Picture]:
    """Draw an example for each issue that has one choice and a case of one phase that shows it."""
    settled = [each for each in preferences if len(each.choices) == 1 and each.cases]
    try:
        rules = ruleset("page", {**DATC_3_2.choices, **{each.id: each.choices[0] for each in settled}})
    except ReferenceEngineError:  # It does not know one of the choices.
        return {}
    drawn = ((each.id, _example(each, rules)) for each in settled)
    return {issue: example for issue, example in drawn if example is not None}


def _example(preference: Preference, rules: Ruleset) -> Picture | None:
    cases: list[Case] = []
    for name in preference.cases:
        # The page of a stored run may name others, and a board can show one phase.
        try:
            known = load_suite(name.suite).cases
        except UnknownSuiteError:
            continue
        case = next((case for case in known if case.id == name.id), None)
        if case is not None and len(case.phases) == 1 and all(order.order for order in case.phases[0].orders):
            cases.append(case)
    case = min(cases, key=lambda each: len(each.phases[0].orders), default=None)
    position = case.phases[0].position if case is not None else None
    if case is None or position is None:
        return None
    orders = [GivenOrder(each.power, each.order) for each in case.phases[0].orders]
    try:
        adjudication = adjudicate(position, orders, rules)
    except ReferenceEngineError:
        return None
    scene = scene_of_orders(position, orders, adjudication, [each.text for each in case.phases[0].orders])
    title, prefix = f"{case.id} {case.title}", f"example-{preference.id}"
    svg = draw_board(scene, title=title, prefix=prefix, base="reference", window=window_around(scene))
    return Picture(title, Markup(svg))  # noqa: S704 - it escapes every text by itself


def request_text(phase: PhaseData, rules: RulesetData) -> Markup:
    """Write what an engine was asked: the parameters of `adjudicate`, as the content of an element.

    They are made of what a report has: without a `state`, the structured form of orders, default coasts and flying
    Dutchmen.
    """
    orders: list[dict[str, object]] = []
    marks: dict[tuple[str, int], str] = {}
    in_sequence = True
    for order in phase.orders:
        said: dict[str, object] = {"power": order.power, "text": order.text}
        if (of := order.order_set) is not msgspec.UNSET:
            said |= {"beforehand": True} if of.beforehand else {"set": of.number}
            in_sequence = in_sequence and of.in_sequence
            if of.mark:
                marks[order.power, of.number] = of.mark
        orders.append(said)
    params: dict[str, object] = {
        "map": phase.board.name,
        "phase": phase.phase,
        "season": phase.season,
        "year": phase.year,
        "ruleset": {"name": rules.name, "choices": rules.choices},
        "units": phase.before.units,
        "centers": phase.centers,
        "dislodged": [_dislodged(entry) for entry in phase.before.dislodged or ()],
        "orders": orders,
        "order_sets": [{"power": power, "set": number, "mark": mark} for (power, number), mark in marks.items()],
    }
    given = {name: value for name, value in params.items() if value or name in ("units", "orders")}
    return _written(given if in_sequence else {**given, "sets_in_sequence": False})


def answer_text(answer: BoardData, phase: PhaseData) -> Markup:
    """Write what the engine answered: the result of `adjudicate`, as the content of an element.

    The result of an order is null where the engine gave no outcome, as the protocol has it.
    """
    result: dict[str, object] = {"units": answer.units}
    if answer.dislodged is not None:
        result["dislodged"] = [_dislodged(entry) for entry in answer.dislodged]
    if any(order.outcome for order in phase.orders):
        outcomes: list[dict[str, str] | None] = []
        for order in phase.orders:
            reason = {"reason": order.reason} if order.reason else {}
            outcomes.append(None if order.outcome is None else {"outcome": order.outcome, **reason})
        result["orders"] = outcomes
    return _written(result)


def _dislodged(entry: DislodgedData) -> dict[str, object]:
    given = {"from": entry.attacked_from, "retreats": entry.retreats}
    return {**msgspec.structs.asdict(entry.unit), **{name: value for name, value in given.items() if value is not None}}


def _written(message: Mapping[str, object]) -> Markup:
    """Write a message with a line for each field, and for each element of a list of objects.

    Its many quotation marks need no escape in the content of an element, where each would take five bytes.
    """

    def written(value: object) -> str:
        return json.dumps(msgspec.to_builtins(value), ensure_ascii=False)

    fields: list[str] = []
    for name, value in message.items():
        text = written(value)
        if isinstance(value, list) and value:
            elements = ",\n".join(f"    {written(element)}" for element in cast("list[object]", value))
            text = f"[\n{elements}\n  ]"
        fields.append(f"  {written(name)}: {text}")
    return Markup(escape("{\n" + ",\n".join(fields) + "\n}"))  # noqa: S704 - escaped
