"""What an explanation shows: on a terminal, as Markdown, as JSON, on a page with boards, and as a post in a forum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...reference_engine import GivenOrder, standard_board
from ...reference_engine.maps import load_board
from ...reports.findings import Block, Board, Details, Findings, Items, Line, Part, Table, contract, laid_out
from ...reports.post import Post
from ...reports.vocabulary import changes_texts
from ..bugs.changes import Change
from ..paste.writing import forum_text, heading
from ..play.answer import PhaseInput
from ..play.differences import IMPOSSIBLE_KINDS
from .outcomes import OutcomeRow, OutcomeTable
from .phase import CycleExplanation, PhaseExplanation
from .rulebooks import standings

if TYPE_CHECKING:  # The page that plays positions in a browser has no msgspec.
    from .case import CaseExplanation, ComparedPhase, EngineComparison

MOST_CHANGES = 8


def explanation_findings(
    explanations: Sequence[CaseExplanation], pictures: Sequence[Sequence[Sequence[str]]] = (), *, numbers: bool = True
) -> Findings[dict[str, object]]:
    """Build what is shown of explanations; `pictures` are the boards of the phases of each, as SVG, for a page.

    Without `numbers` it leaves out strengths, the order of the decisions, and circles.
    """
    parts: list[Part] = []
    for number, explained in enumerate(explanations):
        notes = ["Guessed or skipped to read it:", Items(explained.notes)] if explained.notes else []
        title = f"{explained.case} {explained.title}" if explained.suite else explained.title
        parts.append(Part([*explained.recorded, *notes], title, level=1))
        for index, phase in enumerate(explained.phases):
            drawn = map(Board, pictures[number][index]) if pictures else ()
            parts.append(Part([Line(phase.summary, 2, 2), *drawn], _title(explained, phase)))
        if explained.rulesets:
            parts.append(_outcome_part(explained.rulesets))
        for phase in explained.phases:
            title = f"Order by order, {phase.phase}" if len(explained.phases) > 1 else ""
            parts.append(Part([Details(detail_lines(phase, numbers=numbers))], title))
    return Findings(contract("explanation", explanations=explanations), parts)


def _title(explained: CaseExplanation, phase: PhaseExplanation) -> str:
    return f"{phase.turn.capitalize()}, {phase.phase}, under {explained.ruleset}"


def _outcome_part(table: OutcomeTable) -> Part:
    rows = [
        (
            standings(row.rulesets, row.engines, table.depends_on),
            "; then ".join(row.phases),
            row.why,
            row_remark(table, row),
        )
        for row in table.rows
    ]
    cannot = dict.fromkeys(table.unsupported, "unsupported")
    rows += [(name, f"{cannot.get(name, 'no answer')}: {why}", "", "") for name, why in table.unanswered.items()]
    head = ("rulesets and engines", "outcome", table.question or "why", "what gives it")
    said = [each.sentence for each in table.depends_on]
    issues: list[Block] = ["The outcome depends on:", Items(said)] if said else []
    return Part([" ".join(filter(None, [table.sentence, table.question])), Table(rows, head, sentences=True), *issues])


def detail_lines(phase: ComparedPhase, *, numbers: bool) -> Sequence[str | Line]:
    """Give the details of a phase, and what an engine makes of it."""
    return [*phase_lines(phase, numbers=numbers), *(_engine_lines(phase.engine) if phase.engine else ())]


def phase_text(phase: PhaseExplanation) -> Sequence[str]:
    """Write the details of a phase, line by line as on a terminal."""
    return laid_out(phase_lines(phase))


def phase_lines(phase: PhaseExplanation, *, numbers: bool = True) -> Iterable[str | Line]:
    """Give the details of a phase, below its summary; `numbers`: with strengths, decisions and circles."""
    if phase.remark:
        yield Line(phase.remark, 2, 2)
    board = load_board(phase.map)
    for order in phase.orders:
        power, reason = board.power_name(order.power), f", {order.reason}" if order.reason else ""
        yield Line(f"{power}: {order.order.removeprefix(power).strip()}: {order.outcome}{reason}", 2, 6)
        if numbers and order.strengths:
            yield Line(", ".join(f"{name} {strength}" for name, strength in order.strengths.items()), 6)
        yield from (Line(sentence, 6) for sentence in order.sentences)
    if not numbers:
        return
    if phase.decisions:
        yield from ("", "Decided in this order:")
    for number, decision in enumerate(phase.decisions, 1):
        settled = f", by the rule for circle {decision.cycle + 1}" if decision.cycle >= 0 else ""
        yield Line(f"{number:4}. {decision.order}: {'succeeds' if decision.succeeds else 'fails'}{settled}", 0, 6)
    for number, cycle in enumerate(phase.cycles, 1):
        yield from _cycle_lines(number, cycle)


def row_remark(table: OutcomeTable, row: OutcomeRow) -> str:
    """Say which other choices for the ruleset in force give an outcome; nothing for its own."""
    if row.is_in_force:
        return ""
    if row.changes:
        return f"{table.in_force} gives it with {' or '.join(_merged(row.changes))}"
    return f"{table.in_force} gives it with no other choices that were tried"


def _cycle_lines(number: int, cycle: CycleExplanation) -> Iterable[str | Line]:
    kind = "a paradox of convoys" if cycle.paradox else "a circular movement"
    yield from ("", f"Circle {number}, {kind}: each of these orders depends on another.")
    if not cycle.complete:
        yield Line("It is too large to try all its resolutions.", 2)
    consistent = [each for each in cycle.resolutions if each.consistent]
    if cycle.complete and not consistent:
        yield Line("No resolution satisfies the equations.", 2)
    for resolution in (*consistent, *(each for each in cycle.resolutions if not each.consistent)):
        if cycle.paradox:
            by = f"4.A.2 = {' or '.join(resolution.picked_by)}" if resolution.picked_by else "no choice of 4.A.2"
        else:
            by = "the rule: circular movement succeeds" if all(resolution.outcomes.values()) else "no rule"
        yield Line(f"{'Satisfies' if resolution.consistent else 'Contradicts'} the equations; the result of {by}:", 2)
        for order, succeeds in resolution.outcomes.items():
            yield Line(f"{order}: {'succeeds' if succeeds else 'fails'}", 6)


def _engine_lines(engine: EngineComparison) -> Iterable[str | Line]:
    yield ""
    if engine.error:
        yield f"{'Unsupported' if engine.unsupported else 'The engine gives no answer'}: {engine.error}"
        return
    if not engine.differences:
        yield "The engine agrees."
        return
    yield "The engine differs:"
    yield from (Line(difference, 2) for difference in engine.differences)
    if engine.broken_rule:
        yield f"The rule that it breaks: {engine.broken_rule}."
    if any(fact.kind in IMPOSSIBLE_KINDS for fact in engine.facts):
        yield "This board cannot exist under any rules: a bug."
        return
    if engine.first:
        yield f"First, in the order of the decisions: {engine.first}."
    if not engine.choices:
        tried = f"None of the {engine.tried:,} other choices of rules that were tried, single and together,"
        yield f"{tried} gives its answer: it is probably a bug."
        return
    yield "Its answer is right under"
    yield from (Line(change, 2) for change in _merged(engine.choices))


def _merged(changes: Sequence[Change]) -> Sequence[str]:
    """Join changes that differ only in the choice of one issue; of many longer ones, name the first."""
    words = changes_texts(changes)
    if len(words) <= MOST_CHANGES or all(len(change) == 1 for change in changes):
        return words
    return [*words[:MOST_CHANGES], f"{len(words) - MOST_CHANGES} more such changes"]


NO_TITLE = "A position and its result"


def make_post(
    inputs: Sequence[PhaseInput],
    phases: Sequence[PhaseExplanation],
    ruleset: str,
    table: OutcomeTable | None,
    *,
    title: str = NO_TITLE,
    notes: Sequence[str] = (),
    details: Sequence[str | Line] = (),
    link: str = "",
) -> Post:
    """Make a post of phases that were explained under a ruleset; `inputs` are these phases as they were asked."""
    rulesets: list[str] = []
    if table is not None and len(table.rows) > 1:
        for row in table.rows:
            said = ["; then ".join(row.phases), *filter(None, [row.why.rstrip("."), row_remark(table, row)])]
            rulesets.append(f"{standings(row.rulesets, row.engines, table.depends_on)}: {'. '.join(said)}")
    rulesets += [each.sentence for each in table.depends_on] if table is not None else []
    headings = [f"{heading(asked)}, under {ruleset}" for asked in inputs]
    reasons = [(phase, each.summary) for phase, each in zip(headings, phases, strict=False)]
    orders = [asked.submission.as_one_clear_set() or () for asked in inputs]
    position = forum_text(inputs, [[GivenOrder(*given) for given in each] for each in orders])
    unread = [line for asked in inputs for line in _unread(asked)]
    return Post(
        title,
        "\n".join([position.rstrip(), *(["", *unread] if unread else [])]),
        " ".join(filter(None, [table.sentence, table.question])) if table is not None else "",
        reasons,
        rulesets,
        notes,
        details,
        link,
    )


def _unread(asked: PhaseInput) -> Iterable[str]:
    """Give the orders that no text of a position has as they were written: those that cannot be read, or several."""
    is_clear, board = asked.submission.as_one_clear_set() is not None, asked.board or standard_board()
    for writing, text in zip(asked.submission.writings, asked.texts or (), strict=False):
        if not is_clear or writing.writing is None:
            yield f"{board.power_name(writing.power)}: {text}"
