"""What mkdocs calls to build the site: the navigation, and the pages that are made of the project's own data."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from api import api_page
from board_maps import board_files
from boards import board_pictures, boards_page
from case_pages import case_list, case_pages, cases_json
from commands import commands_page
from engine_pages import engine_files, engine_pages
from html_pages import shortened
from issue_pages import issue_pages
from issues_and_rulesets import issues_page, ruleset_page, rulesets_page
from made_tables import with_tables
from map_pages import map_pages
from messages import messages_page
from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File, Files
from options import options_page
from play_pages import PLAY_URL, play_files, play_page
from previews import Preview, board_preview, make_previews, missing_fonts, scores_preview
from scoreboard import LABEL, rows, scoreboard

from datc.cases import ruleset_names
from datc.cases.suite import USUAL_EDITION
from datc.reference_engine.toml import loads

if TYPE_CHECKING:
    from html_pages import HtmlPage
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page
    from mkdocs.utils.templates import TemplateContext

ROOT = Path(__file__).parents[2]
_UNCOLLECTED = 100_000
"""So many objects are made before garbage is looked for."""
_LOGGER = get_plugin_logger(__name__)

_Nav: TypeAlias = list[dict[str, "str | _Nav"]]

NAV: Sequence[tuple[str, Sequence[tuple[str, str]]]] = (
    (
        "Overview",
        (("What it is", "index.md"), ("For game masters and players", "players.md"), ("Try a position", "play.md")),
    ),
    (
        "Tutorials",
        (
            ("Start in five minutes", "start.md"),
            ("Write a bridge", "bridge.md"),
            ("Write an engine, stage by stage", "first-engine.md"),
        ),
    ),
    (
        "How-to guides",
        (
            ("Test your engine", "run.md"),
            ("Gate your CI", "ci.md"),
            ("Write and publish reports", "reports.md"),
            ("Find out which rules an engine plays", "rules.md"),
            ("Compare engines and runs", "compare.md"),
            ("Follow the history of an engine", "history.md"),
            ("Explain a result", "explain.md"),
            ("Find the bug", "doctor.md"),
            ("Hunt with generated positions", "hunt.md"),
            ("Replay recorded games", "replay.md"),
            ("Replace an engine", "shadow.md"),
            ("Run engines that people use", "bridges.md"),
            ("Work with cases", "cases.md"),
            ("Use the reference engine", "reference-engine.md"),
            ("Complete commands in your shell", "completion.md"),
        ),
    ),
    (
        "Reference",
        (
            ("Commands", "commands.md"),
            ("Options and exit codes", "options.md"),
            ("datc.toml", "config.md"),
            ("The engine protocol", "protocol.md"),
            ("The protocol's messages", "messages.md"),
            ("Pasting a position", "pasting.md"),
            ("The case format", "case-format.md"),
            ("The suites", "suites.md"),
            ("Maps", "maps.md"),
            ("All cases", "case-list.md"),
            ("The issues", "issues.md"),
            ("The rulesets", "rulesets.md"),
            ("Python API", "api.md"),
            ("Glossary", "glossary.md"),
        ),
    ),
    (
        "Explanation",
        (
            ("Verdicts", "verdicts.md"),
            ("What the project vouches for", "evidence.md"),
            ("How the reference engine works", "thinking.md"),
            ("The procedures of four documents", "procedures.md"),
            ("How statements are tested", "experiments.md"),
            ("How fast it is", "speed.md"),
        ),
    ),
    (
        "Results",
        (
            ("Sample reports", "samples.md"),
            ("Scoreboard", "scoreboard.md"),
            ("Engines compared", "engines.md"),
            ("What hunting found", "findings.md"),
            ("Positions from the field", "field.md"),
            ("Hard boards", "boards.md"),
        ),
    ),
    (
        "The project",
        (("Contributing", "contributing.md"), ("Security", "security.md"), ("Changes", "changelog.md")),
    ),
)
"""The pages in order, in the four kinds of documentation (https://diataxis.fr). A page that is not named here is listed
under "More"."""

GENERATED: Mapping[str, Callable[[], str]] = {
    "issues.md": issues_page,
    "rulesets.md": rulesets_page,
    "messages.md": messages_page,
    "commands.md": commands_page,
    "options.md": options_page,
    "api.md": api_page,
    "boards.md": boards_page,
}
PREVIEWS: dict[str, Preview] = {}
"""The pictures that others show with a link to a page, by the page's place; filled when the site is built."""
_OF_ALL_ENGINES = ("index.md", "scoreboard.md", "engines.md")
"""Pages whose picture shows how all engines do."""
HTML_PAGES: dict[str, HtmlPage] = {}
"""The pages that are HTML, by their place in the folder of the docs; filled when the site is built."""
LISTING_OF = {"cases": "case-list.md", "engines": "scoreboard.md", "issues": "issues.md", "maps": "maps.md"}
"""The page in the navigation that lists the pages of a folder."""
_MARKED: list[Page] = []
"""The pages that are marked in the navigation while a page that they list is rendered."""
FROM_THE_ROOT = {"contributing.md": "CONTRIBUTING.md", "security.md": "SECURITY.md", "changelog.md": "CHANGELOG.md"}
"""Pages that are in the folder where GitHub looks for them."""

PAGE_OF_SOURCE: Mapping[str, str] = {
    "cases/": "case-list.md",
    "cases/issues.toml": "issues.md",
    "cases/rulesets/": "rulesets.md",
    "adapters/protocol.schema.json": "messages.md",
    "docs/runs/": "scoreboard.md",
    "harness/cli/help.txt": "commands.md",
    **{source: page for page, source in FROM_THE_ROOT.items()},
}
"""The page of the site for a file of the repository. Pages link to the file, so that the link works in both views."""

_AT_ONCE, _WHEN_USED = '$(location.protocol!=="file:")', "$(!1)"
"""Where the script of the theme begins to load the search index: at once, or when the search is used for the first
time, as on a page that is opened as a file."""
_WITHOUT_CONTENTS = ("index.md", "engines.md")
"""Pages whose tables need the room of the table of contents."""

_PAGES_OF_SOURCES: Mapping[str, str] = {
    "issues/{}.md": r"cases/issues\.toml#(.+)",
    "cases/{}.md": rf"cases/{USUAL_EDITION}/.*#(.+)",
    "engines/{}.md": r"adapters/engines/(\w+)/.*",
}
"""Pages that belong to a part of a file, or to a folder, by what the link to it matches."""
_OF_THE_SITE = re.compile(r'`/([\w./-]+)`|"Try a position"')
"""An address of the site, and the name of a page, in a document that people read elsewhere, too."""
_NOT_SEARCHED = re.compile(r"<svg .*?</svg>|<section[^>]* data-search-exclude>.*?</section>", re.DOTALL)
_LEFT_OUT = "<svg/>"
_OUTSIDE = re.compile(r"(?<!!)\[([^\]]+)\]\(\.\./([^)\s]+)\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the navigation together from the pages that are there; look for garbage seldom, as there is hardly any."""
    gc.set_threshold(_UNCOLLECTED)
    written = {file.name for file in Path(config.docs_dir).glob("*.md")}
    there = written | GENERATED.keys() | FROM_THE_ROOT.keys() | {"case-list.md", "scoreboard.md", "play.md"}
    nav: _Nav = []
    for section, pages in NAV:
        shown: _Nav = [{title: name} for title, name in pages if name in there]
        nav.append({section: shown})
        if section == "Reference":
            shown.append({"Each ruleset": [{name: f"rulesets/{name}.md"} for name in ruleset_names()]})
    more = sorted(written - {name for _, pages in NAV for _, name in pages})
    if more:
        nav.append({"More": [{name.removesuffix(".md").replace("-", " ").capitalize(): name} for name in more]})
    config["nav"] = nav
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made when the site is built."""
    _load_the_search_when_used(files, config)
    pages = {name: make() for name, make in GENERATED.items()}
    pages |= {f"rulesets/{name}.md": ruleset_page(name) for name in ruleset_names()}
    pages |= {name: _from_the_root(source) for name, source in FROM_THE_ROOT.items()}
    pages |= board_pictures()
    pages |= map_pages()
    HTML_PAGES.clear()
    HTML_PAGES.update({f"{url.rstrip('/')}.md": page for url, page in html_pages(config.site_url or "").items()})
    PREVIEWS.clear()
    PREVIEWS.update(_previews() if config.site_url else {})
    if PREVIEWS and (fonts := missing_fonts()):
        _LOGGER.warning("The pictures of pages have no words, because fonts are not installed: %s", ", ".join(fonts))
    for name, picture in make_previews(PREVIEWS.values()).items():
        files.append(File.generated(config, name, abs_src_path=str(picture)))
    pages |= {name: page.front_matter() for name, page in HTML_PAGES.items()}
    for name, content in {**pages, **board_files(), **engine_files(), "cases.json": cases_json()}.items():
        files.append(File.generated(config, name, content=content))
    for name, source in play_files().items():
        if isinstance(source, Path):
            files.append(File.generated(config, name, abs_src_path=str(source)))
        else:
            files.append(File.generated(config, name, content=source))
    return files


def _previews() -> Mapping[str, Preview]:
    """Make the pictures that others show with links to pages, by the pages' places in the folder of the docs."""
    counts = {row.title: row.counts() for row in rows()}
    engines = {f"{row.url.rstrip('/')}.md": row.title for row in rows()}
    what = "Cases that each engine passes, deviates in and fails"
    found = {name: scores_preview(f"Adjudicators and the {LABEL}", what, counts) for name in _OF_ALL_ENGINES}
    found |= {
        name: scores_preview(f"{title} and the {LABEL}", what, {title: counts[title]})
        for name, title in engines.items()
    }
    boards = {name: page for name, page in HTML_PAGES.items() if page.scene}
    return found | {
        name: board_preview(page.scene, page.title, page.outcome or page.description)
        for name, page in boards.items()
        if page.scene
    }


def _load_the_search_when_used(files: Files, config: MkDocsConfig) -> None:
    """Change the script of the theme, so that a page does not load the search index (1.3 MB) before it is searched."""
    (script,) = (each for each in files if re.fullmatch(r"assets/javascripts/bundle\.\w+\.min\.js", each.src_uri))
    text = script.content_string
    if text.count(_AT_ONCE) != 1:
        raise PluginError("the script of the theme is another one: look where it loads the search index")
    files.remove(script)
    files.append(File.generated(config, script.src_uri, content=text.replace(_AT_ONCE, _WHEN_USED)))


def html_pages(site: str) -> Mapping[str, HtmlPage]:
    """Make the pages that are HTML, by address; `site` is the address of the site, or empty."""
    listings = {"case-list/": case_list(), "scoreboard/": scoreboard(), PLAY_URL: play_page()}
    return {**listings, **engine_pages(site), **issue_pages(), **case_pages()}


def on_page_context(
    context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation
) -> TemplateContext | None:
    """Mark the page in the navigation that lists a page which is not there itself."""
    _ = config
    folder, slash, _ = page.file.src_uri.partition("/")
    _MARKED.extend(each for each in nav.pages if slash and each.file.src_uri == LISTING_OF.get(folder))
    for each in _MARKED:
        each.active = True
    return context


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Take the marks away again, for the next page; name the dialog of the search; put in what was left out."""
    _ = config
    while _MARKED:
        _MARKED.pop().active = False
    if page.file.src_uri in HTML_PAGES:
        left_out = iter(_NOT_SEARCHED.findall(HTML_PAGES[page.file.src_uri].html))
        output = re.sub(_LEFT_OUT, lambda _: next(left_out), output)
    return output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put the pages that are HTML into the frame of the theme, at first without what the search finds nothing in.

    It would read those boards and sections for a sixth of the whole time.
    """
    _ = (config, files)
    made = HTML_PAGES.get(page.file.src_uri)
    return _NOT_SEARCHED.sub(_LEFT_OUT, made.html) if made is not None else html


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links to files of the repository into links to their pages; name the path of a file that has no page.

    Put the tables in that are made of data.
    """
    _ = config
    if page.file.src_uri in PREVIEWS:
        page.meta["preview"] = PREVIEWS[page.file.src_uri].file
    page.meta.setdefault("description", _first_sentences(markdown))
    if page.file.src_uri in _WITHOUT_CONTENTS:
        page.meta["hide"] = ["toc"]

    def linked(named: re.Match[str]) -> str:
        address = named[1] or PLAY_URL
        file = files.get_file_from_path(f"{address.rstrip('/')}.md" if address.endswith("/") else address)
        return f"[{named[0]}]({file.src_uri})" if file else named[0]

    is_in_a_folder = "/" in page.file.src_uri
    return (
        markdown if is_in_a_folder else with_tables(_OF_THE_SITE.sub(linked, _OUTSIDE.sub(_link_on_the_site, markdown)))
    )


def _first_sentences(markdown: str) -> str:
    """Return the first paragraph of a page without its markup, for its description."""
    paragraph = next((each for each in markdown.split("\n\n") if each[:1].isalpha() or each[:1] in "`["), "")
    return escape(shortened(re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", paragraph)))


def _link_on_the_site(link: re.Match[str]) -> str:
    """Link the page of a file of the repository; of one without a page, the file itself, where the project is known."""
    text, target = link.groups()
    source, _, anchor = target.partition("#")
    for page, pattern in _PAGES_OF_SOURCES.items():
        if found := re.fullmatch(pattern, target):
            return f"[{text}]({page.format(*found.groups())})"
    if source in PAGE_OF_SOURCE:
        return f"[{text}]({PAGE_OF_SOURCE[source]}{'#' if anchor else ''}{anchor})"
    project = _project()
    return f"{text} (`{target}`)" if "OWNER" in project else f"[{text}]({project}/blob/main/{target})"


@cache
def _project() -> str:
    """Return where the project is; `OWNER` stands for its owner until it is published."""
    return loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]["Repository"]


def _from_the_root(source: str) -> str:
    """A page that stands at the root of the repository, its links as they are from the folder of the docs."""
    text = (ROOT / source).read_text(encoding="utf-8")
    text = re.sub(r"\]\((?!https?:|#|docs/)([^)]+)\)", r"](../\1)", text)
    return text.replace("](docs/", "](")
