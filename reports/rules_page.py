"""The page of rules as a text: Markdown for a repository, BBCode for a forum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import final

from ..cases import load_issues
from .post import PostStyle, plain
from .preferences import (
    BASES,
    Closeness,
    Preference,
    PreferencesPage,
    agreement,
    closeness,
    differences,
    document_name,
    own_choices,
    preset_choices,
    with_changes_first,
)
from .text import listed, printable_struct

_SHOWN = 6
"""Of the cases that show something, so many are named."""


def write_rules(page: PreferencesPage, style: PostStyle) -> str:
    """Write a page of rules: the changes, where it differs from what is known, and a line for each other issue."""
    return "\n\n".join(_Page(printable_struct(page), style).paragraphs()) + "\n"


@final
class _Page:
    def __init__(self, page: PreferencesPage, style: PostStyle) -> None:
        self._page = page
        self._style = style
        self._own = own_choices(page)

    def paragraphs(self) -> Iterator[str]:
        page = self._page
        yield self._heading(1, page.title)
        others = " and ".join(map(self._plain, self._own))
        of_ruleset = f" The ruleset is {self._plain(page.ruleset)}{f', but for {others}' if others else ''}."
        yield BASES[page.basis] + (of_ruleset if page.ruleset else "")
        sections = with_changes_first(page)
        if changes := sections.pop("Changes", []):
            yield self._heading(2, "Changes")
            for each in changes:
                yield from self._in_full(each)
        yield from self._where_it_differs()
        for chapter, preferences in sections.items():
            yield self._heading(2, chapter)
            short = [each for each in preferences if each.standing in ("declared", "seen") and not each.note]
            yield from self._items([self._line(each) for each in short])
            for each in preferences:
                if each not in short:
                    yield from self._in_full(each)
        if page.remarks:
            yield self._heading(2, "Limits")
            yield from self._items([self._plain(remark) for remark in page.remarks])

    def _heading(self, level: int, text: str) -> str:
        return self._style.heading.format("#" * level, self._plain(text))

    def _bold(self, text: str) -> str:
        return self._style.bold.format(text)

    def _plain(self, text: str) -> str:
        return plain(text, self._style)

    def _items(self, texts: Sequence[str]) -> Iterator[str]:
        if texts:
            yield self._style.items.format("\n".join(map(self._style.item.format, texts)))

    def _name(self, preference: Preference) -> str:
        return f"{self._plain(preference.id)} {preference.text.title}".rstrip()

    def _choice(self, preference: Preference, choice: str) -> str:
        return f"{preference.text.sentence(choice) or 'A choice of its own.'} ({self._plain(choice)})"

    def _line(self, preference: Preference) -> str:
        said = " ".join(self._choice(preference, each) for each in preference.choices)
        return f"{self._bold(self._name(preference))}: {said}"

    def _in_full(self, preference: Preference) -> Iterator[str]:
        """Say of an issue that was changed, is open or contradicted, all that is known."""
        page, choices = self._page, preference.choices
        yield self._heading(3, self._name(preference))
        yield preference.text.full_question
        if preference.standing == "open":
            yield f"{self._bold('Open')}: it is one of these."
        elif preference.standing == "contradicted":
            yield f"{self._bold('Contradicted')}{': what the answers fit is this.' if choices else '.'}"
        yield from self._items([self._bold(self._choice(preference, each)) for each in choices])
        known: list[str] = []
        if preference.id in self._own:
            before = self._choice(preference, preset_choices(page.ruleset)[preference.id])
            known.append(f"In {document_name(page.ruleset)}: {before}")
        if len(choices) == 1:
            stated, read = agreement(preference.id, choices[0], page.documents)
            known += [f"Stated by {', '.join(stated)}"] if stated else []
            known += [f"So played where the text is silent or ambiguous: {', '.join(read)}"] if read else []
        if preference.cases:
            known.append(f"Shown by {listed([self._plain(case.label) for case in preference.cases], _SHOWN)}")
        yield from self._items([*known, *([self._plain(preference.note)] if preference.note else [])])

    def _where_it_differs(self) -> Iterator[str]:
        yield self._heading(2, "Where these rules differ")
        issues = load_issues()
        for title, found in differences(self._page).items():
            if found:
                yield f"{self._bold(f'From {title}')}, in {len(found)} of {len(issues)} issues:"
            texts = (f"{self._plain(each.ours)}, there {each.theirs} ({each.basis})" for each in found)
            named = (f"{each.issue} {issues[each.issue].title}" for each in found)
            yield from self._items([f"{name}: {text}" for name, text in zip(named, texts, strict=True)])
        yield from self._items([self._row(each) for each in closeness(self._page)])

    def _row(self, document: Closeness) -> str:
        """Say of a document how many issues it settles otherwise, and which."""
        title, stated, read, differing, source = document
        named = f": {', '.join(map(self._plain, differing))}" if differing else ""
        if source:
            settled = f"{stated + len(differing)} issues that its page settles"
            return f"{title} ({source}): otherwise in {len(differing)} of the {settled}{named}"
        alike = f"alike by its text in {stated}, as played in {read}"
        return f"{title}: {alike}, otherwise in {len(differing)}{named}"
