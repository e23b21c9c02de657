"""The scoreboard: every engine by what it passes, section by section and case by case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from engine_verdicts import ShownEngine, shown_engines
from html_pages import HtmlPage, render, root_of

from datc.adapters import open_engine, parse_engine_spec
from datc.cases import load_suite
from datc.cases.suite import USUAL_EDITION
from datc.harness.play.verdict import Rules
from datc.harness.run.runner import Run
from datc.reference_engine import DATC_3_2
from datc.reports import VERDICTS, Report, Verdict
from datc.reports.wording import VERDICT_TEXTS

BUILTIN = "builtin"
LABEL = USUAL_EDITION.replace("datc-", "DATC ")


class Row(NamedTuple):
    """An engine on the scoreboard."""

    title: str
    url: str
    """The address of its page, from the root of the site."""
    version: str
    language: str
    """Empty where it is not known."""
    verdicts: Mapping[str, Verdict]
    """For each case of the usual suite, by id."""
    has_history: bool
    asked_on: str = ""
    """The day on which it was asked; empty where it is not known."""

    def counts(self, ids: Sequence[str] | None = None) -> Counter[Verdict]:
        """Count its cases by verdict, all or some."""
        return Counter(self.verdicts[case] for case in (self.verdicts if ids is None else ids))

    def worst(self, ids: Sequence[str]) -> Verdict:
        """Return the worst verdict on some cases."""
        counts = self.counts(ids)
        worst: tuple[Verdict, ...] = ("failed", "error", "deviated", "unsupported", "passed")
        return next(each for each in worst if counts[each])


@cache
def run_of_builtin() -> Report:
    """Ask the built-in engine the usual suite."""
    spec = parse_engine_spec(BUILTIN, {})
    cases = load_suite(USUAL_EDITION).cases
    return Run(open_engine(spec, spec.limits(60)), spec, cases, Rules(DATC_3_2)).to_the_end()


@cache
def rows() -> Sequence[Row]:
    """Return the reference engine and every other, those first that fail the fewest cases and pass the most."""
    report = run_of_builtin()
    verdicts: dict[str, Verdict] = {case.id: case.verdict for case in report.cases}
    engine, today = report.engine, "at each build"
    own = Row(engine.name, "reference-engine/", engine.version, "Python", verdicts, has_history=False, asked_on=today)
    return sorted([own, *map(_row, shown_engines())], key=_order)


def _order(row: Row) -> tuple[int, int, str]:
    counts = row.counts()
    return counts["failed"] + counts["error"], -counts["passed"], row.title


def _row(engine: ShownEngine) -> Row:
    verdicts: dict[str, Verdict] = {name: found.verdict for name, found in engine.verdicts.items()}
    stored = engine.stored
    asked_on = stored.doctor.asked_on if stored and stored.doctor else ""
    has_history = bool(stored and stored.history)
    return Row(engine.own_name, engine.url, engine.version, engine.language, verdicts, has_history, asked_on)


def scores(root: str) -> str:
    """Return the table of all engines, as HTML; `root` is the way to the root of the site."""
    return render("scores.html", root=root, **_values())


def scoreboard() -> HtmlPage:
    """Make the page with all tables."""
    url = "scoreboard/"
    suite = load_suite(USUAL_EDITION)
    html = render(
        "scoreboard.html",
        root=root_of(url),
        sections=suite.sections,
        label=LABEL,
        usual=USUAL_EDITION,
        **_values(),
    )
    return HtmlPage("Scoreboard", f"How many cases of the {LABEL} each engine passes, deviates in and fails.", html)


def _values() -> Mapping[str, object]:
    shown = [each for each in VERDICTS if any(row.counts()[each] for row in rows())]
    return {"rows": rows(), "shown": shown, "signs": VERDICT_TEXTS}
