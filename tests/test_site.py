"""The documentation site: it builds without a warning, has what is made of the data, and can be read by everyone."""

from __future__ import annotations

import html
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from datc.adapters import protocol_schema
from datc.harness.cli.group import cli

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Response

from .conftest import SITE_URL, open_settled

ROOT = Path(__file__).parents[1]
PAGES = (
    "",
    "start/",
    "issues/",
    "rulesets/1982/",
    "messages/",
    "thinking/",
    "players/",
    "engines/",
    "options/",
    "case-list/",
    "cases/6.F.24/",
    "cases/dptg/DPTG.VIII.11.a/",
    "issues/4.A.2/",
    "scoreboard/",
    "engines/diplomacy_pypi/",
    "maps/",
    "maps/standard/",
)
"""One page of each kind."""


def read(site: Path, page: str) -> str:
    return (site / page / "index.html").read_text("utf-8")


def test_every_message_of_the_protocol_has_its_fields(site: Path) -> None:
    page = read(site, "messages")
    definitions = protocol_schema()["$defs"]
    assert isinstance(definitions, dict)
    for name, message in definitions.items():
        section = page.partition(f'<h2 id="{name}">')[2].partition("<h2 ")[0]
        assert section, name
        for field in message.get("properties", {}):
            assert f"<code>{field}</code>" in section, (name, field)
    assert "The province that its attacker came from." in page


def test_no_page_asks_another_server_for_anything(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        loaded = re.findall(r"<(?:script|img|iframe)[^>]+src=\"?(?:https?:)?//[^\s>]+", text)
        loaded += re.findall(r"<link[^>]+rel=\"?(?:stylesheet|preconnect)\"?[^>]+href=\"?(?:https?:)?//[^\s>]+", text)
        assert loaded == [], page


def test_a_file_of_the_repository_that_has_a_page_is_linked_as_the_page(site: Path) -> None:
    assert '<a href="../issues/4.A.2/">4.A.2</a>' in read(site, "thinking")
    assert '<a href="../messages/">' in read(site, "bridge")
    assert '<a href="issues/">disputable issue</a>' in read(site, "")
    assert '<a href="cases/6.F.14/">6.F.14, the simple convoy paradox</a>' in read(site, "")
    assert '<a href="../play/">"Try a position"</a>' in html.unescape(read(site, "players"))
    assert '<a href="../engines.json"><code>/engines.json</code></a>' in read(site, "engines")
    assert '<a href="../engines/pydip/">pydip</a>' in read(site, "engines").replace('"pydip/"', '"../engines/pydip/"')


def test_a_link_to_a_page_shows_how_engines_do_or_the_board(site: Path) -> None:
    """Each with a picture, a title and a description of its own."""
    shown: dict[str, str] = {}
    for page in ("", "scoreboard", "engines", "play", "engines/pydip", "cases/6.F.14"):
        properties = dict(re.findall(r'<meta property="og:([^"]+)" content="([^"]*)">', read(site, page)))
        assert (site / properties["image"].removeprefix(SITE_URL)).stat().st_size < 100_000, page
        assert len(properties["description"]) > 40, page
        shown[properties["title"]] = properties["description"]
    assert len(shown) == len({*shown.values()}) == 6
    assert "datc-check tests Diplomacy adjudicators" in shown["datc-check"]


@pytest.mark.parametrize(
    ("page", "listing"),
    [
        ("cases/6.F.24", "../../case-list/"),
        ("cases/dptg/DPTG.VIII.11.a", "../../../case-list/"),
        ("issues/4.A.2", "../"),
        ("engines/pydip", "../../scoreboard/"),
    ],
)
def test_the_navigation_marks_the_page_that_lists_a_page(site: Path, page: str, listing: str) -> None:
    """And on the next page, the mark is gone."""
    mark = r'md-nav__item--active">\s*<a href="([^"]+)"'
    assert re.findall(mark, read(site, page)) == [listing]
    assert read(site, page).count("md-nav__item--active") == 2, "the page and its section"
    assert re.findall(mark, read(site, "rulesets/1982")) == []


def test_the_hard_boards_are_what_their_commands_draw(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    text = re.sub(r"<[^>]+>", "", read(site, "boards"))
    commands = re.findall(r"datc-check (draw \S+ -o) (\S+[.]svg)", text)
    assert len(commands) == 10
    for command, name in commands:
        done = CliRunner().invoke(cli, [*command.split(), str(tmp_path / name)])
        assert done.exit_code == 0, done.output
        assert (tmp_path / name).read_bytes() == (site / "boards" / name).read_bytes(), name


@pytest.mark.parametrize(
    ("page_name", "most_bytes", "tallest"),
    [
        ("", 700_000, 4_000),
        ("scoreboard/", 600_000, 12_000),
        ("engines/", 500_000, 12_000),
        ("engines/pydip/", 950_000, 18_000),
        ("cases/6.F.24/", 950_000, 12_000),
    ],
)
def test_a_page_is_light_and_readable_on_a_phone(
    browser: Browser, address: str, page_name: str, most_bytes: int, tallest: int
) -> None:
    """Its boards are whole, until they are enlarged; the search index is loaded when it is used for the first time."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    answers: list[Response] = []

    def keep(answer: Response) -> None:
        answers.append(answer)

    page.on("response", keep)
    open_settled(page, address + page_name)
    assert sum(len(answer.body()) for answer in answers) < most_bytes
    assert page.evaluate("document.documentElement.scrollHeight") < tallest
    right = "board => board.scrollWidth > board.clientWidth"
    cut = f"boards => boards.filter(board => board.offsetParent).filter({right}).length"
    assert page.eval_on_selector_all("figure.board", cut) == 0
    text = "[...table.querySelectorAll('td')].some(cell => cell.innerText.length > 40)"
    wide = f"tables => tables.filter(table => table.scrollWidth > innerWidth && {text}).length"
    assert page.eval_on_selector_all("article table", wide) == 0, "a table of sentences is wider than the screen"
    asked = [answer.url for answer in answers if "search_index" in answer.url]
    assert asked == []
    with page.expect_response(re.compile("search_index")):
        page.locator("label.md-header__button[for=__search]").click()
    if "6.F" in page_name:
        page.keyboard.press("Escape")
        page.eval_on_selector("figure.board", "board => board.focus()")
        assert page.eval_on_selector("figure.board", right)
    page.close()


@pytest.mark.parametrize("page_name", PAGES)
@pytest.mark.parametrize(("scheme", "width"), [("dark", 360), ("light", 1200)])
def test_a_page_fits_the_screen_and_asks_nobody_else(
    browser: Browser, address: str, page_name: str, scheme: str, width: int
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light"
    )
    asked: list[str] = []
    complaints: list[str] = []
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    open_settled(page, address + page_name)
    _ = page.wait_for_function("width => document.documentElement.scrollWidth == width", arg=width)
    assert page.evaluate("document.body.dataset.mdColorScheme") == ("slate" if scheme == "dark" else "default")
    assert [url for url in asked if not url.startswith(address)] == []
    assert complaints == []
    context.close()


def test_tables_fit_a_phone_before_the_script_ran(browser: Browser, address: str) -> None:
    """The theme's script puts a box that scrolls around each table, which may be late on a slow machine."""
    context = browser.new_context(viewport={"width": 360, "height": 800}, java_script_enabled=False)
    page = context.new_page()
    wide = "tables => tables.filter(table => table.getBoundingClientRect().right > innerWidth).length"
    for name in PAGES:
        _ = page.goto(address + name)
        assert page.eval_on_selector_all("article table:not(.scores table)", wide) == 0, name
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_what_is_ours(browser: Browser, address: str, scheme: str) -> None:
    """In the article, as the bars around it are the theme's; headings and dialogs also outside. Dark: only colours."""
    pytest.importorskip("axe_playwright_python", reason="axe-core (the extra `browser`) is not installed")
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
    page = context.new_page()
    for name in PAGES:
        _ = page.goto(address + name)
        page.evaluate(axe)
        violations = page.evaluate(
            """async tags => [
                ...(await axe.run("article", {runOnly: tags, resultTypes: ["violations"]})).violations,
                ...(tags[0] == "color-contrast" ? [] : (await axe.run(document, {resultTypes: ["violations"],
                    runOnly: {type: "rule", values: [
                        "heading-order", "page-has-heading-one", "empty-heading", "aria-dialog-name"]}})).violations),
            ].map(found => [found.id, found.nodes.length, found.nodes[0].html, found.nodes[0].failureSummary])""",
            ["color-contrast"] if scheme == "dark" else ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
        )
        assert violations == [], name
    around = page.evaluate("async () => (await axe.run(document, {runOnly: ['color-contrast']})).violations.length")
    assert around == 0, "the bars can be read, too"
    context.close()
