"""What mkdocs calls to build the site: the navigation, and the pages that are made of the project's own data."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from api import api_page
from boards import board_files
from commands import commands_page
from issues import issues_page, ruleset_page, rulesets_page
from messages import messages_page
from mkdocs.structure.files import File, Files

from datc.cases import ruleset_names

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]

_Nav: TypeAlias = list[dict[str, "str | _Nav"]]

NAV: Sequence[tuple[str, Sequence[tuple[str, str]]]] = (
    ("Start", (("What it is", "index.md"), ("Start in five minutes", "start.md"))),
    (
        "Your engine",
        (
            ("Write a bridge", "bridge.md"),
            ("datc.toml", "config.md"),
            ("Verdicts", "verdicts.md"),
            ("Tested before it is said", "experiments.md"),
            ("In CI", "ci.md"),
            ("Replace an engine", "shadow.md"),
            ("Shell completion", "completion.md"),
        ),
    ),
    (
        "Rules",
        (
            ("The issues", "issues.md"),
            ("The rulesets", "rulesets.md"),
            ("How the reference engine thinks", "thinking.md"),
            ("Procedures", "procedures.md"),
            ("Engines that people use", "engines.md"),
            ("Positions from the field", "field.md"),
        ),
    ),
    (
        "Reference",
        (
            ("Commands", "commands.md"),
            ("The protocol", "protocol.md"),
            ("Its messages", "messages.md"),
            ("The case format", "case-format.md"),
            ("Python API", "api.md"),
            ("Glossary", "glossary.md"),
        ),
    ),
    (
        "The project",
        (("Contributing", "contributing.md"), ("Security", "security.md"), ("Changes", "changelog.md")),
    ),
)
"""The pages in order. One that is not there yet is left out; one that is not named here stands under "More"."""

GENERATED: Mapping[str, Callable[[], str]] = {
    "issues.md": issues_page,
    "rulesets.md": rulesets_page,
    "messages.md": messages_page,
    "commands.md": commands_page,
    "api.md": api_page,
}
FROM_THE_ROOT = {"contributing.md": "CONTRIBUTING.md", "security.md": "SECURITY.md", "changelog.md": "CHANGELOG.md"}
"""Pages that stand where GitHub looks for them."""

_OUTSIDE = re.compile(r"(?<!!)\[([^\]]+)\]\(\.\./([^)\s]+)\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the navigation together from the pages that are there."""
    written = {file.name for file in Path(config.docs_dir).glob("*.md")}
    there = written | GENERATED.keys() | FROM_THE_ROOT.keys()
    nav: _Nav = []
    for section, pages in NAV:
        shown: _Nav = [{title: name} for title, name in pages if name in there]
        nav.append({section: shown})
        if section == "Rules":
            shown.append({"Each ruleset": [{name: f"rulesets/{name}.md"} for name in ruleset_names()]})
    more = sorted(written - {name for _, pages in NAV for _, name in pages})
    if more:
        nav.append({"More": [{name.removesuffix(".md").replace("-", " ").capitalize(): name} for name in more]})
    config["nav"] = nav
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and boards that are made when the site is built."""
    pages = {name: make() for name, make in GENERATED.items()}
    pages |= {f"rulesets/{name}.md": ruleset_page(name) for name in ruleset_names()}
    pages |= {name: _from_the_root(source) for name, source in FROM_THE_ROOT.items()}
    for name, content in {**pages, **board_files()}.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Name by its path what a page links to in the repository, which is not on the site; show blank lines as blank."""
    _ = (config, files)
    markdown = markdown.replace("\n<BLANKLINE>\n", "\n\n")
    is_in_a_folder = "/" in page.file.src_uri
    return markdown if is_in_a_folder else _OUTSIDE.sub(r"\1 (`\2`)", markdown)


def _from_the_root(source: str) -> str:
    """A page that stands at the root of the repository, its links as they are from the folder of the docs."""
    text = (ROOT / source).read_text(encoding="utf-8")
    text = re.sub(r"\]\((?!https?:|#|docs/)([^)]+)\)", r"](../\1)", text)
    return text.replace("](docs/", "](")
