"""Makes a post of an explanation: what people in a forum ask of a position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...reference_engine import GivenOrder, standard_board
from ...reports.findings import Line
from ...reports.post import Post
from ..paste.writing import forum_text, heading
from ..play.answer import PhaseInput
from .findings import row_remark
from .outcomes import OutcomeTable
from .phase import PhaseExplanation
from .rulebooks import standings

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
