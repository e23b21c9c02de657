"""The rules page as one HTML page that an author can publish."""

from __future__ import annotations

from .html_page import render_page
from .issue_rows import chapters
from .preferences import BASES, PreferencesPage, agreement, closeness, heading, own_choices
from .text import printable_struct


def render_html_preferences(page: PreferencesPage) -> bytes:
    """Render a rules page as HTML in UTF-8."""
    page = printable_struct(page)
    return render_page(
        "preferences.html",
        page=page,
        heading=heading(page),
        basis=BASES[page.basis],
        own_choices=own_choices(page),
        chapters=chapters(page.preferences),
        closeness=closeness(page.preferences),
        agreement=agreement,
    )
