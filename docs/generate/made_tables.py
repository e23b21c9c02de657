"""The tables that the site adds to pages that people write: a line `<!-- made: NAME -->` of a page stands for one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from html import escape

from map_pages import map_list
from outcomes import in_short
from scoreboard import BUILTIN, run_of_builtin, scores
from stored_runs import stored_engines

from datc.adapters.protocol import board_data
from datc.cases import load_issues, load_ruleset, load_suite, ruleset_names
from datc.cases.suite import USUAL_EDITION
from datc.harness.rules.compare import compare_runs
from datc.reports.comparison import Comparison

_MARK = re.compile(r"^<!-- made: (\w+) -->$", re.MULTILINE)


def with_tables(markdown: str) -> str:
    """Replace the marks of a page by their tables. Raises `KeyError` for a name that no table has."""
    return _MARK.sub(lambda mark: _TABLES[mark[1]](), markdown)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, [":--"] * len(head), *rows))


@cache
def _comparison() -> Comparison:
    """Compare the answers of the built-in engine and of every engine that has a stored run, not their rules."""
    return compare_runs([run_of_builtin(), *(stored.run for stored in stored_engines().values())], ())


def _agreement() -> str:
    """Count for each two engines the cases that they answered alike, and those that both answered."""
    found, names = _comparison(), _engines()
    rows = [
        [f"{one + 1} {name}", *("" if one == other else _counts(one, other) for other in range(len(names)))]
        for one, name in enumerate(names)
    ]
    figures = (len(found.differing), len(found.of_kind("alike")))
    sentence = f"They differ in {figures[0]} cases; all answer {figures[1]} alike. In the others some gave no answer."
    return f"{sentence}\n\n{_table(['', *map(str, range(1, len(names) + 1))], rows)}"


def _counts(one: int, other: int) -> str:
    agreement = _comparison().agreement(one, other)
    return f"{agreement.alike}/{agreement.both}"


def _alone() -> str:
    """List for each engine the cases in which all others that answered agree, and it differs."""
    found = _comparison()
    rows = [
        [name, str(found.answered(place)), ", ".join(case.first.id for case in found.alone(place)) or "none"]
        for place, name in enumerate(_engines())
    ]
    return _table(["engine", "cases answered", "alone in"], rows)


def _choices() -> str:
    """Count for each issue the engines that make the choice of the usual ruleset, and name those that make others."""
    usual = load_ruleset(USUAL_EDITION).ruleset().choices
    rows: list[list[str]] = []
    for issue, text in load_issues().items():
        played: dict[tuple[str, ...], list[str]] = {}
        for name, stored in stored_engines().items():
            for rule in stored.rules.rules:
                if rule.issue == issue:
                    played.setdefault(tuple(rule.choices), []).append(name)
        if played:
            own = str(len(played.pop((usual[issue],), [])))
            others = [f"`{'` or `'.join(choices)}`: {', '.join(names)}" for choices, names in played.items()]
            title = f"[{issue}](issues/{issue}.md) {text.title}"
            rows.append([title, f"`{usual[issue]}`", own, "; ".join(others) or "none"])
    return _table(["issue", USUAL_EDITION, "engines", "other engines"], rows)


def _engines() -> Sequence[str]:
    return [BUILTIN, *stored_engines()]


def _field_cases() -> str:
    """List the cases of `field`, each with what happened and a link to its source."""
    lines: list[str] = []
    for section in load_suite("field").sections:
        lines += ["", f"## {section.title}", ""]
        for case in section.cases:
            source = f" [Source]({case.source})" if case.source else ""
            lines.append(f"- [{case.id}](cases/field/{case.id}.md): {escape(case.remark)}{source}")
    return "\n".join(lines)


def _field_outcomes() -> str:
    """List for each case of `field` its outcomes, each with the rulesets that expect it."""
    rulesets = {name: load_ruleset(name).ruleset().choices for name in ruleset_names()}
    rows: list[list[str]] = []
    for case in load_suite("field").cases:
        outcomes: dict[str, list[str]] = {}
        for name, choices in rulesets.items():
            outcomes.setdefault(in_short(case, choices), []).append(name)
        for outcome, names in outcomes.items():
            listed = "all" if len(names) == len(rulesets) else ", ".join(names)
            rows.append([f"[{case.id}](cases/field/{case.id}.md)", outcome, listed])
    return _table(["case", "outcome", "rulesets"], rows)


def _board() -> str:
    """List the provinces of each kind; a star marks a supply center."""
    kinds = {"Seas": "sea", "Inland": "land", "Coastal": "coast"}
    provinces = board_data()["provinces"]
    listed = {
        kind: [f"`{each['code']}` {each['name']}{'*' * each['center']}" for each in provinces if each["kind"] == kind]
        for kind in kinds.values()
    }
    rows = [[title, ", ".join(listed[kind])] for title, kind in kinds.items()]
    return f"`*` marks a supply center.\n\n{_table(['kind', 'provinces'], rows)}"


_TABLES: Mapping[str, Callable[[], str]] = {
    "agreement": _agreement,
    "alone": _alone,
    "board": _board,
    "choices": _choices,
    "field_cases": _field_cases,
    "field_outcomes": _field_outcomes,
    "maps": map_list,
    "scoreboard": lambda: scores(""),
}
