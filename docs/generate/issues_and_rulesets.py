"""The list of the issues, and the pages of the rulesets, from the data that the program has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from board_maps import shared_board
from case_pages import case_url, owned_centers
from html_pages import render
from issue_pages import Example, example_of_choice

from datc.cases import Case, load_issues, load_ruleset, load_suite, ruleset_names
from datc.cases.suite import USUAL_EDITION
from datc.reports.report import counted

CERTAINTIES = {
    "stated": "the text says so",
    "ambiguous": "the text can be read in several ways; this is the one that is played",
    "silent": "the text does not say; this is played",
    "cannot-arise": "the question cannot arise under the other rules of the document",
}


def issues_page() -> str:
    """Every issue with its question, and a link to its page."""
    return "\n".join(_issue_lines()) + "\n"


def _issue_lines() -> Iterator[str]:
    yield from ("# The issues", "")
    yield "Questions that the rule texts leave open or answer differently. `4.*` are the issues of chapter 4 of the"
    yield "DATC. `X.*` are further questions. Numbers are those of DATC 3.1. A question that is new in DATC 3.2 has the"
    yield "edition in its name: `v3.2-4.A.4`. Each issue has a page with its choices, the rulesets that make them, and"
    yield "the cases that depend on it. Choices have names of their own, because their letters differ between the"
    yield "editions. `(3.2 b, 3.1 b, 2.4 a)` gives these letters."
    titles = {section.id: section.title for section in load_suite("extended").sections}
    chapter = ""
    for issue in load_issues().values():
        if (own := issue.chapter) != chapter:
            chapter = own
            yield from ("", f"## {chapter} {titles[chapter]}", "", "| issue | question | choices |", "|:--|:--|:--|")
        choices = ", ".join(f"`{choice.key}`" for choice in issue.choice)
        link = f"[{issue.id} {issue.title}](issues/{issue.id}.md){{#{issue.id}}}"
        yield f"| {link} | {issue.full_question} | {choices} |"


def rulesets_page() -> str:
    """The rulesets, and how many issues part each from the default."""
    usual = load_ruleset(USUAL_EDITION)
    lines = [
        "# The rulesets",
        "",
        "A ruleset has one choice for every [issue](issues.md), each with its source. Its page and",
        "`datc-check rulesets diff A B` compare it with others. `datc-check run ENGINE --ruleset NAME` tests an engine",
        "under it.",
        "",
        f"| ruleset | is | issues with another choice than in `{USUAL_EDITION}` |",
        "|:--|:--|--:|",
    ]
    for name in ruleset_names():
        text = load_ruleset(name)
        lines.append(f"| [`{name}`](rulesets/{name}.md) | {text.title} | {len(text.differing(usual))} |")
    return "\n".join(lines) + "\n"


def ruleset_page(name: str) -> str:
    """One ruleset: for every issue the choice, how sure it is, and where the text says so.

    A choice that is not that of the usual ruleset has the board of the simplest case that shows it.
    """
    text = load_ruleset(name)
    issues = load_issues()
    examples = _examples(name)
    differing = _cases_that_differ(name)
    owned = [center for each in examples.values() for center in owned_centers(each.link.case)]
    lines = [f"# {text.title}", "", f"`--ruleset {name}`. {text.note}", "", "| basis | means |", "|:--|:--|"]
    lines += [f"| {word} | {meaning} |" for word, meaning in CERTAINTIES.items()]
    if examples:
        lines += ["", f"<div>{shared_board('../../', owned)}</div>"]
    if differing:
        links = [f"[{case.id}](../{case_url(case).rstrip('/')}.md)" for case in differing]
        lines += ["", f"{len(links)} cases of the DATC have another outcome than under `{USUAL_EDITION}`:", ""]
        lines += [f"{', '.join(links)}."]
    lines += ["", "## Beside another ruleset", "", *_comparisons(name), "## Issue by issue"]
    for issue, cell in text.choices.items():
        lines += ["", f"### {issue} {issues[issue].title} {{#{issue}}}", ""]
        lines += [f"**{issues[issue].sentence(cell.choice)}** ([`{cell.choice}`](../issues/{issue}.md))", ""]
        lines += [f"{cell.basis}: {cell.source}"]
        if issue in examples:
            lines += ["", render("ruleset_example.html", example=examples[issue], root="../../", usual=USUAL_EDITION)]
    return "\n".join(lines) + "\n"


def _comparisons(name: str) -> Iterator[str]:
    """Compare the choices of a ruleset with those of each other one, folded."""
    ruleset, issues = load_ruleset(name), load_issues()
    for other in ruleset_names():
        beside = load_ruleset(other)
        if differing := ruleset.differing(beside):
            said = f"{other} differs in {counted(len(differing), 'issue')}"
            yield from ('<details markdown="1">', f"<summary>{said}</summary>")
            yield from ("", f"| issue | `{name}` | `{other}` |", "|:--|:--|:--|")
            for each in differing:
                ours, theirs = ruleset.choices[each].choice, beside.choices[each].choice
                yield f"| [{each} {issues[each].title}](#{each}) | `{ours}` | `{theirs}` |"
            yield from ("", "</details>", "")


def _examples(name: str) -> Mapping[str, Example]:
    """Return for each issue with another choice than in the usual ruleset the simplest case that shows it."""
    ruleset, issues = load_ruleset(name), load_issues()
    found = {
        issue: example_of_choice(issues[issue], ruleset.choices[issue].choice, f"example-{number}")
        for number, issue in enumerate(ruleset.differing(load_ruleset(USUAL_EDITION)), 1)
    }
    return {issue: example for issue, example in found.items() if example is not None}


def _cases_that_differ(name: str) -> Sequence[Case]:
    """Return the cases of the usual suite with another outcome than under the usual ruleset."""
    rules, usual = (load_ruleset(each).ruleset().choices for each in (name, USUAL_EDITION))
    cases = load_suite(USUAL_EDITION).cases
    return [case for case in cases if case.alternative(rules).outcome != case.alternative(usual).outcome]
