"""The rules page as Markdown. What is not the project's own stands in it as code, from which nothing can break out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .issue_rows import chapters
from .markdown import cell, code
from .preferences import BASES, Preference, PreferencesPage, agreement, closeness, own_choices
from .text import printable_struct

_SHOWN = 6
"""Of the cases that show something, so many are named."""


def render_markdown_preferences(page: PreferencesPage) -> bytes:
    """Render a rules page as Markdown in UTF-8."""
    return ("\n".join(_lines(printable_struct(page))) + "\n").encode()


def _lines(page: PreferencesPage) -> Iterator[str]:
    yield from (f"# The rules of {code(page.engine or page.ruleset)}", "", BASES[page.basis])
    if page.ruleset:
        others = " and ".join(map(code, own_choices(page)))
        yield f"The ruleset is {code(page.ruleset)}{f', but for {others}' if others else ''}."
    for remark in page.remarks:
        yield from ("", f"> **Note:** {code(remark)}")
    for chapter, preferences in chapters(page.preferences).items():
        yield from ("", f"## {chapter}")
        for preference in preferences:
            yield from _preference(preference)
    yield from _rulebooks(page)


def _preference(preference: Preference) -> Iterator[str]:
    text = preference.text
    yield from ("", f"### {text.id} {text.title}" if text.title else f"### {code(text.id)}", "")
    if text.question:
        yield from (f"*{text.question}*", "")
    if preference.standing == "open":
        yield from ("**Open**: it is one of these.", "")
    elif preference.standing == "contradicted":
        yield from (f"**Contradicted**{': what the answers fit is this.' if preference.choices else '.'}", "")
    several = len(preference.choices) > 1
    for choice in preference.choices:
        yield f"{'- ' if several else ''}**{text.sentence(choice) or 'A choice of its own.'}** ({code(choice)})"
    yield ""
    if not several:
        yield from (line for choice in preference.choices for line in _agreeing(preference.id, choice))
    if preference.cases:
        yield f"- Shown by {_named([case.label for case in preference.cases])}"
    if preference.note:
        yield f"- {code(preference.note)}"


def _agreeing(issue: str, choice: str) -> Iterator[str]:
    found = agreement(issue, choice)
    if found.stated:
        yield f"- Stated by {', '.join(found.stated)}"
    if found.read:
        yield f"- So played where the text is silent or ambiguous: {', '.join(found.read)}"


def _rulebooks(page: PreferencesPage) -> Iterator[str]:
    yield from (
        "",
        "## Rulebooks",
        "",
        "How many of these issues each settles in the same way, by its text or as it is",
    )
    yield from ("played where its text is silent or ambiguous, and which ones otherwise.", "")
    yield from ("| ruleset | by its text | as played | otherwise |", "|:--|--:|--:|:--|")
    for each in closeness(page.preferences):
        yield f"| {each.title} | {each.stated} | {each.read} | {', '.join(map(cell, each.differs)) or 'none'} |"


def _named(cases: Sequence[str]) -> str:
    more = f" and {len(cases) - _SHOWN} more" if len(cases) > _SHOWN else ""
    return ", ".join(map(code, cases[:_SHOWN])) + more
