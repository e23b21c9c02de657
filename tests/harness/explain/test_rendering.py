"""Explanations as Markdown, as a page and as JSON."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

from click.testing import CliRunner
from markdown_it import MarkdownIt

from datc.harness.cli.group import cli

HOSTILE = "England: A Lon - Yor (<script>alert(1)</script>)\nso `what` | <img src=x onerror=alert(1)> @somebody #1"


def explain(*arguments: str, given: str):
    return CliRunner().invoke(cli, ["explain", "-", *arguments], input=given)


class Tags(HTMLParser):
    """The names of the elements and of their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag, attrs) -> None:
        self.names.append(tag)
        self.attributes += [name for name, _ in attrs]


def test_a_page_has_a_board_and_the_steps_of_each_phase(tmp_path: Path) -> None:
    given = "France: A Par - Bur, A Mar S A Par - Bur\nGermany: A Bur H\nRetreats:\nGermany: A Bur - Ruh"
    done = explain(
        "--report", f"html:{tmp_path / 'page.html'}", "--report", f"json:{tmp_path / 'it.json'}", given=given
    )
    assert done.exit_code == 0
    page = (tmp_path / "page.html").read_text("utf-8")
    tags = Tags()
    tags.feed(page)
    assert (tags.names.count("svg"), tags.names.count("details"), tags.names.count("h2")) == (2, 2, 3)
    assert "Germany&#39;s A Burgundy is dislodged." in page
    assert json.loads((tmp_path / "it.json").read_text("utf-8")) == json.loads(explain("--json", given=given).output)


def test_what_was_pasted_cannot_break_out_of_a_page_or_of_markdown() -> None:
    tags = Tags()
    tags.feed(explain("--report", "html:-", given=HOSTILE).output)
    assert not {"script", "img"} & {*tags.names}
    assert not [name for name in tags.attributes if name.startswith("on")]
    rendered = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(
        explain("--report", "markdown:-", given=HOSTILE).output
    )
    tags = Tags()
    tags.feed(rendered)
    assert not {"script", "img", "a"} & {*tags.names}
    assert tags.names.count("table") == 1


def test_a_report_on_standard_output_stands_alone() -> None:
    done = explain("--report", "markdown:-", given="France: A Par - Bur")
    assert done.output.startswith("## `standard input`")
    assert done.output.count("All rulesets agree") == 1
    assert explain("--report", "junit:-", given="France: A Par - Bur").exit_code == 2
