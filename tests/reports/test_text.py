"""Texts that reports share: what CI services take for commands, and ranges of ids."""

import json
import xml.etree.ElementTree as ET

import pytest

from datc.reports import FORMATS
from datc.reports.text import ANYWHERE, AT_THE_START, ci_escape, ci_escape_json, ci_escape_markup, id_ranges

from . import samples
from .test_html import Page

COMMANDS = [*AT_THE_START, *ANYWHERE, *map(str.upper, ANYWHERE)]


def test_text_in_the_log_of_a_step_is_no_command():
    assert ci_escape("a::b\n  ::error::x\n::add-mask::y\n a ##[error]z\n") == (
        "a::b\n  : :error::x\n: :add-mask::y\n a ## [error]z\n"
    )


@pytest.mark.parametrize("before", ["", "\n", "a\n \t", "\r", "\\", "\\\\", "a\u2028", "\x85 "])
def test_a_command_is_broken_and_json_and_xml_stay_the_same(before):
    for command in COMMANDS:
        text = f"{before}{command}error]x"
        begins = command in ANYWHERE or "\\" not in before  # Two colons do so at the start of a line alone.
        assert command not in ci_escape(text) or not begins
        said = json.dumps({text: text}, ensure_ascii=False)
        assert json.loads(ci_escape_json(said)) == {text: text}
        assert command not in ci_escape_json(said) or command in AT_THE_START
        markup = ET.tostring(ET.Element("a", {"b": text}), encoding="unicode")
        assert ET.canonicalize(ci_escape_markup(markup)) == ET.canonicalize(markup)
        assert command not in ci_escape_markup(markup) or command in AT_THE_START


@pytest.mark.parametrize("name", [name for name, kind in FORMATS.items() if not kind.output])
def test_a_report_without_commands_is_printed_as_it_is(name):
    kind = FORMATS[name]
    text = kind.render(samples.every_verdict()).decode()
    assert kind.ci_escape(text) == text


@pytest.mark.promise("Reports show text as text")
def test_a_hostile_page_says_the_same_to_a_browser():
    kind = FORMATS["html"]
    page = kind.render(samples.hostile()).decode()
    escaped = kind.ci_escape(page)
    assert escaped != page
    before, after = Page(page.encode()), Page(escaped.encode())
    assert (before.elements, before.texts) == (after.elements, after.texts)


def test_ids_that_follow_each_other_are_a_range():
    ids = ["6.A.1", "6.A.2", "6.A.3", "6.B.3", "6.B.4", "6.B.9", "6.B.10", "6.B.11", "VIII.1.a", "datc-3.1/6.B.12"]
    assert id_ranges(ids) == "6.A.1 to 6.A.3, 6.B.3, 6.B.4, 6.B.9 to 6.B.11, VIII.1.a, datc-3.1/6.B.12"
