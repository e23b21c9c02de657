"""The page in a real browser: what it does, what it must not do, and whether everyone can read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qs

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from datc.harness.cli.group import cli
from datc.reference_engine import DATC_3_1
from datc.reports.boardmap.drawing import draw_board
from datc.reports.boardmap.mapdata import half_size
from datc.reports.boardmap.scenes import Scene
from datc.reports.html import render_html, render_html_comparison, render_html_inference, render_html_preferences
from datc.reports.preferences import declared_page
from datc.reports.report import Report, summarize

from . import samples

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route, ViewportSize

DESKTOP: ViewportSize = {"width": 1280, "height": 900}
PATIENCE = 5000
"""The milliseconds for a step."""
PHONE: ViewportSize = {"width": 360, "height": 780}


def several_sections() -> Report:
    """A report with every verdict in two sections, so that there is something to filter."""
    full = samples.every_verdict()
    others = [
        replace(case, id=f"6.G.{number}", section="6.G", issues=["4.A.3"], title=f"As {case.id}, {case.verdict}")
        for number, case in enumerate(full.cases, start=1)
    ]
    cases = [*full.cases, *others]
    return replace(full, cases=cases, summary=summarize(cases))


class Visit:
    """A page that is open, with all that it asked for and complained of."""

    def __init__(self, browser: Browser, path: Path, **options: Any) -> None:
        self.address = path.as_uri()
        settings: dict[str, Any] = {"viewport": DESKTOP, **options}
        self.context = browser.new_context(**settings)
        self.requests: list[str] = []
        self.complaints: list[str] = []
        _ = self.context.route("**", self._request)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _request(self, route: Route) -> None:
        self.requests.append(route.request.url)
        if route.request.url.partition("#")[0] == self.address:
            route.continue_()
        else:
            route.abort()

    def open(self, fragment: str = "") -> Page:
        _ = self.page.goto(self.address + fragment)
        return self.page

    def assert_quiet(self) -> None:
        """Assert that the page complained of nothing, and asked for nothing but itself."""
        assert self.complaints == []
        assert {request.partition("#")[0] for request in self.requests} == {self.address}

    @property
    def shown(self) -> list[str]:
        """The ids of the cases that the filter leaves, in their order."""
        return self.page.eval_on_selector_all(
            "article.case", "all => all.filter(a => !a.closest('[hidden]')).map(a => a.querySelector('h4').id.slice(6))"
        )

    @property
    def chosen(self) -> str | None:
        """The id of the case beside the list."""
        return self.page.evaluate("document.querySelector('.pane .body')?.id")


Visits: TypeAlias = Callable[..., Visit]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    rules = declared_page(DATC_3_1)
    some = replace(rules, preferences=rules.preferences[::5], remarks=["Something limits it."])
    replayed = [replace(case, suite="replay", section="replay") for case in samples.searched().cases]
    hostile = samples.compared(samples.hostile(), samples.every_verdict(), samples.hostile())
    for name, page in {
        "report": render_html(several_sections()),
        "hostile": render_html(samples.hostile()),
        "comparison": render_html_comparison(samples.three_engines()),
        "hostile-comparison": render_html_comparison(hostile),
        "inference": render_html_inference(samples.inferred()),
        "hostile-inference": render_html_inference(samples.hostile_inference()),
        "rules": render_html_preferences(some),
        "hunt": render_html(samples.searched()),
        "replay": render_html(samples.report(replayed)),
    }.items():
        _ = folder.joinpath(f"{name}.html").write_bytes(page)
    explained = CliRunner().invoke(cli, ["explain", "6.F.9", "--report", f"html:{folder / 'explained.html'}"])
    assert explained.exit_code == 0, explained.output
    return folder


@pytest.fixture
def visits(browser: Browser, pages: Path, request: pytest.FixtureRequest) -> Visits:
    """Open pages, each by its name or its path, and close them after the test."""

    def open_page(page: str | Path, **options: Any) -> Visit:
        visit = Visit(browser, page if isinstance(page, Path) else pages / f"{page}.html", **options)
        request.addfinalizer(visit.context.close)
        return visit

    return open_page


@pytest.fixture
def visit(visits: Visits) -> Iterator[Visit]:
    visit = visits("report")
    yield visit
    visit.assert_quiet()


def test_verdicts_filter_and_the_address_says_so(visit: Visit) -> None:
    page = visit.open()
    assert len(visit.shown) == 14
    assert page.get_by_role("status").text_content() == "14 of 14 cases shown"
    assert not page.get_by_role("button", name="Show all").is_visible()
    failed = page.get_by_role("button", name="failed 2")
    failed.click()
    assert visit.shown == ["6.F.3", "6.G.3"]
    assert failed.get_attribute("aria-pressed") == "true"
    assert page.get_by_role("status").text_content() == "2 of 14 cases shown"
    page.get_by_role("button", name="deviated 2").click()
    assert visit.shown == ["6.F.3", "6.G.3", "6.F.2", "6.G.2"]
    assert parse_qs(page.url.partition("#?")[2]) == {"verdict": ["failed,deviated"]}
    page.get_by_role("button", name="Show all").click()
    assert len(visit.shown) == 14
    assert "#" not in page.url


def test_sections_issues_and_text_filter_together(visit: Visit) -> None:
    page = visit.open()
    _ = page.get_by_label("Section").select_option("6.G")
    assert visit.shown == [f"6.G.{number}" for number in (3, 6, 2, 5, 7, 4, 1)], "the most urgent first"
    _ = page.get_by_label("Issue").select_option("4.A.1")
    assert visit.shown == []
    assert page.get_by_role("status").text_content() == "0 of 14 cases shown"
    _ = page.get_by_label("Section").select_option("")
    page.get_by_label("Text").fill("belgium CONVOYS that is err")
    page.wait_for_url(lambda url: "text=" in url)
    assert visit.shown == ["6.F.6"]


def test_cases_whose_board_is_right_can_be_left_out(visits: Visits, tmp_path: Path) -> None:
    right = replace(samples.case(1, "failed"), board_verdict="passed")
    page_file = tmp_path / "report.html"
    _ = page_file.write_bytes(render_html(samples.report([right, samples.case(2, "failed")])))
    visit = visits(page_file)
    page = visit.open()
    page.get_by_role("button", name="wrong boards only").click()
    assert visit.shown == ["6.F.2"]
    assert parse_qs(page.url.partition("#?")[2]) == {"board": ["wrong"]}
    page.evaluate("location.hash = '#?section=6.F'")
    _ = page.wait_for_function("document.querySelector('[data-shown]').textContent.startsWith('2 ')")
    visit.assert_quiet()


def test_the_whole_id_of_a_case_finds_that_case_and_an_issue_those_of_that_issue(visit: Visit) -> None:
    page = visit.open("#?text=6.f.3")
    assert visit.shown == ["6.F.3"]
    assert visit.chosen == "6.F.3"
    page.get_by_label("Text").fill("6.G")
    page.wait_for_url(lambda url: url.endswith("text=6.g"))
    assert len(visit.shown) == 7
    assert '"4.A.2"' in (page.locator(".pane .message pre").first.text_content() or ""), "only in its request"
    page.get_by_label("Text").fill("4.A.2")
    page.wait_for_url(lambda url: url.endswith("text=4.a.2"))
    assert visit.shown == []


def test_an_address_with_a_filter_opens_filtered_and_a_link_to_a_hidden_case_shows_all(visit: Visit) -> None:
    page = visit.open("#?verdict=failed,nonsense&section=6.G&issue=nonsense")
    assert visit.shown == ["6.G.3"]
    assert page.get_by_label("Issue").input_value() == ""
    top = "Math.round(document.querySelector('.results').getBoundingClientRect().top)"
    assert page.evaluate(top) <= 16, "it ends at the results"
    assert visit.chosen == "6.G.3"
    page.locator(".verdicts").get_by_role("link", name="error").click()
    page.wait_for_url(lambda url: url.endswith("#?verdict=error"))
    assert page.evaluate(top) <= 16
    assert visit.shown == ["6.F.6", "6.G.6"]
    page.locator("#looks-like + ul").get_by_role("link", name="6.F.1").click()
    assert len(visit.shown) == 14
    assert page.url.endswith("#6.F.1")
    assert visit.chosen == "6.F.1"


def test_the_list_shows_failures_first_and_one_line_for_what_passed(visit: Visit) -> None:
    page = visit.open()
    assert visit.chosen == "6.F.3"
    assert page.locator(".pane svg[role=img]").first.is_visible()
    headings = page.locator(".groups h3").all_inner_texts()
    assert [heading.split()[0] for heading in headings[:2]] == ["Failed", "Error"]
    assert headings[-1] == "Passed 2 cases"
    assert not page.locator("article.passed > details > summary").first.is_visible()
    page.get_by_role("heading", name="Passed").click()
    page.locator("article.passed > details > summary").first.click()
    assert visit.chosen == "6.F.1"
    assert page.url.endswith("#6.F.1")
    boxes = [page.locator(name).bounding_box() for name in (".chooser", ".pane")]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"], "beside each other"
    page.set_viewport_size(PHONE)
    page.locator("article [id='6.F.1']").wait_for()  # The case is below its title now.
    assert not page.locator(".pane").is_visible()


@pytest.mark.parametrize(("page_name", "case"), [("report", "6.G.1"), ("hostile", "6.A.3")])
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_link_to_a_case_opens_it_in_sight(visits: Visits, page_name: str, case: str, size: ViewportSize) -> None:
    visit = visits(page_name, viewport=size)
    page = visit.open(f"#{case}")
    page.wait_for_timeout(200)
    box = page.locator(f"[id='{case}']").bounding_box()
    assert box is not None
    assert 0 < box["y"] < size["height"]


def test_what_is_closed_is_read_when_it_is_opened_and_all_can_be(visit: Visit) -> None:
    page = visit.open()
    passed = page.locator("article.passed").first
    assert passed.locator("svg").count() == 0
    page.get_by_role("heading", name="Passed").click()
    passed.locator("summary").click()
    title = page.locator(".pane .before svg > title").text_content()
    assert title == "6.F.1, spring 1901, movement. Before, with the orders."
    page.get_by_role("button", name="Expand all").click()
    assert page.locator("article > details:not([open])").count() == 0
    assert page.locator("article .body").count() == 14
    page.get_by_role("button", name="Collapse all").click()
    assert page.locator("article > details[open]").count() == 1


def test_what_was_opened_in_a_case_is_open_when_the_reader_comes_back_to_it(visit: Visit) -> None:
    page = visit.open("#6.F.3")
    page.locator(".pane details > summary").first.click()
    for case in ("6.F.2", "6.F.3"):
        page.locator("summary", has=page.locator(f"[id='title:{case}']")).click()
        page.locator(f".pane [id='{case}']").wait_for()
    assert page.locator(".pane details[open]").count() == 1


def test_the_keyboard_is_enough(visit: Visit) -> None:
    page = visit.open()
    focused = "document.activeElement.textContent.trim()"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "Skip to the cases"
    stops = 0
    while not page.evaluate("document.activeElement.matches('[data-verdict]')"):
        page.keyboard.press("Tab")
        stops += 1
    assert stops < 12, "stops before the filter"
    page.keyboard.press("Space")
    assert visit.shown == ["6.F.3", "6.G.3"]
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    for key, chosen in (("j", "6.G.3"), ("Control+k", "6.G.3"), ("k", "6.F.3"), ("k", "6.F.3")):
        page.keyboard.press(key)
        assert visit.chosen == chosen, key
    page.locator("article:not([hidden]) > details > summary").last.focus()
    page.keyboard.press("Enter")
    assert visit.chosen == "6.G.3"
    assert page.evaluate("document.activeElement.matches('.pane')"), "what comes next is the case"
    page.keyboard.press("/")
    page.keyboard.type("j/k?")
    assert page.get_by_label("Text").input_value() == "j/k?"


def test_keys_keep_the_chosen_line_in_sight_and_move_the_list_only_for_that(visit: Visit) -> None:
    page = visit.open()
    page.set_viewport_size({"width": 1280, "height": 500})
    page.eval_on_selector_all(".folded", "folds => folds.forEach(fold => (fold.open = true))")
    where = """list => {
        const [box, line] = [list, list.querySelector("[aria-current]")].map(each => each.getBoundingClientRect());
        return [line.top - box.top, box.bottom - line.bottom, list.scrollTop];
    }"""
    count = page.locator("article.case").count()
    for key in ["j"] * (count - 1) + ["k"] * (count - 1):
        before = page.eval_on_selector(".groups", where)[2]
        page.keyboard.press(key)
        above, below, after = page.eval_on_selector(".groups", where)
        assert above > 30, "the heading of the group covers the line"
        assert below > -1
        assert (after == before) or (after > before) == (key == "j")
        if key == "k" and above > 40:
            assert after == before


def test_single_letters_can_be_turned_off(visit: Visit) -> None:
    page = visit.open()
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").get_by_role("checkbox").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    assert visit.chosen == "6.F.3"
    page.get_by_role("button", name="Keys").click()
    page.get_by_role("dialog", name="Keys").get_by_role("checkbox").check()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("j")
    assert visit.chosen == "6.G.3"


def test_dark_and_light_are_a_choice_that_stays(visit: Visit) -> None:
    page = visit.open()
    ground = "getComputedStyle(document.body).backgroundColor"
    sea = "getComputedStyle(document.querySelector('svg.board-map')).getPropertyValue('--map-sea')"
    light = page.evaluate(f"[{ground}, {sea}]")
    page.get_by_role("button", name="Dark colours").click()
    dark = page.evaluate(f"[{ground}, {sea}]")
    assert light[0] != dark[0]
    assert light[1] != dark[1]
    _ = page.reload()
    assert page.evaluate(f"[{ground}, {sea}]") == dark
    page.get_by_role("button", name="Light colours").click()
    assert page.evaluate(f"[{ground}, {sea}]") == light


def test_dark_follows_the_system(visits: Visits) -> None:
    visit = visits("report", color_scheme="dark")
    page = visit.open()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 28)"
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(29, 29, 27)"


@pytest.mark.parametrize("name", ["report", "explained"])
def test_letters_on_boards_can_be_read_at_every_width(visits: Visits, name: str) -> None:
    for width in (390, 768, 1440):
        visit = visits(name, viewport={"width": width, "height": 800})
        page = visit.open()
        if name == "report":
            page.get_by_role("button", name="Expand all").click()
        assert page.evaluate("document.documentElement.scrollWidth") == width
        sizes = page.evaluate(
            """() => [...document.querySelectorAll("main svg[role=img]")]
                .filter((board) => board.checkVisibility() && board.getBoundingClientRect().width)
                .flatMap((board) => [...board.querySelectorAll("text")])
                .map((text) => [parseFloat(getComputedStyle(text).fontSize), text.getScreenCTM()])
                .map(([size, matrix]) => size * Math.hypot(matrix.a, matrix.b))"""
        )
        assert sizes
        assert min(sizes) >= 11, width


def test_names_take_no_more_room_than_the_drawing_leaves_them(visit: Visit) -> None:
    page = visit.open("#6.F.3")
    overlaps = page.evaluate(
        """() => [...document.querySelectorAll(".pane svg[role=img]")].flatMap((board) => {
            const boxes = (what) => [...board.querySelectorAll(what)].map((one) => one.getBoundingClientRect());
            const names = boxes(".names text:not([transform])"), units = boxes(".u");
            const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
                && a.top < b.bottom - 3 && b.top < a.bottom - 3;
            return names.flatMap((name, index) =>
                [...units, ...names.slice(index + 1)].filter((other) => meet(name, other)).map(() => name.left));
        })"""
    )
    assert overlaps == []


def test_what_is_wrong_and_all_three_boards_are_in_one_window_and_can_be_enlarged(visit: Visit) -> None:
    page = visit.open("#6.F.3")
    case = page.locator(".pane")
    _ = page.wait_for_function("document.querySelector('.pane').getBoundingClientRect().top < 20")
    boards = [board.bounding_box() for board in case.locator(".differences, .board").all()]
    assert len(boards) == 4
    assert all(box is not None and box["y"] >= 0 and box["y"] + box["height"] <= DESKTOP["height"] for box in boards)
    board = case.locator(".before svg")
    small = board.bounding_box()
    board.focus()
    page.keyboard.press("Enter")
    large = page.locator("dialog svg").bounding_box()
    assert small is not None
    assert large is not None
    assert large["width"] > small["width"] * 1.5
    assert page.evaluate("(dialog => dialog.scrollHeight <= dialog.clientHeight)(document.querySelector('dialog'))")
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")


def test_an_order_lights_up_with_what_it_touches(visit: Visit) -> None:
    page = visit.open()
    lit = "board => [...board.querySelectorAll('g.o.on')].map(one => one.dataset.p).sort()"
    board = page.locator(".pane .before svg")
    page.locator(".pane tr[data-p=LON]").hover()
    assert board.evaluate(lit) == ["LON", "NTH"], "the army, and the fleet that convoys it"
    page.locator("h1").hover()
    assert board.evaluate("board => board.classList.contains('lit')") is False
    board.focus()
    page.keyboard.press("ArrowRight")
    assert board.evaluate(lit) != []


def test_letters_take_no_more_room_than_is_reckoned_with(visits: Visits, tmp_path: Path) -> None:
    file = tmp_path / "map.html"
    _ = file.write_text(f"<!DOCTYPE html><meta charset=utf-8>{draw_board(Scene(()), title='')}", encoding="utf-8")
    visit = visits(file)
    widths = visit.open().evaluate(
        """() => [...document.querySelectorAll(".names text")].flatMap((text) => {
            const style = text.parentElement.classList[1], lines = text.querySelectorAll("tspan");
            return [...(lines.length ? lines : [text])].map((line) =>
                [line.textContent, style, line.getComputedTextLength()]);
        })"""
    )
    assert len(widths) > 75
    assert [(text, width) for text, style, width in widths if width > 2 * half_size((text,), style)[0] + 1] == []


def test_hundreds_of_cases_are_a_small_page_with_few_elements(visits: Visits, tmp_path: Path) -> None:
    whole = tmp_path / "whole.html"
    outcome = CliRunner().invoke(cli, ["run", "builtin", "--suite", "all", "-q", "--report", f"html:{whole}"])
    assert outcome.exit_code == 0
    visit = visits(whole)
    page = visit.open()
    cases = page.locator("article.case").count()
    assert cases > 600
    assert whole.stat().st_size / cases * 469 < 2_000_000
    assert page.evaluate("document.querySelectorAll('*').length") < 20_000


def test_orders_can_be_copied_and_the_button_has_its_own_words_again(visits: Visits) -> None:
    visit = visits("report", permissions=["clipboard-read", "clipboard-write"])
    page = visit.open("#6.F.3")
    page.clock.install()
    button = page.locator(".pane .copies button")
    for _ in range(2):
        button.click()
        page.locator(".pane .copies").get_by_role("button", name="Copied").wait_for()
        page.clock.run_for(1000)
    page.clock.run_for(2000)
    assert button.text_content() == "Copy the orders"
    assert page.evaluate("navigator.clipboard.readText()").startswith("England: A London - Belgium\n")


def test_print_is_a_summary_the_failures_with_boards_and_a_list(visit: Visit) -> None:
    page = visit.open()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 1009})
    for control in ("[data-filter]", ".contents", ".copy", ".pane"):
        assert not page.locator(control).first.is_visible(), control
    failed = page.locator("article.failed").first
    assert [board.is_visible() for board in failed.locator("svg[role=img]").all()] == [True] * 3
    assert page.locator("[id='title:6.F.1']").is_visible(), "what passed is listed"
    assert not page.locator("article.passed .body").first.is_visible()
    full_pages = page.evaluate("document.documentElement.scrollHeight / 1009")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.set_viewport_size(DESKTOP)
    printed = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
    assert printed <= 12 <= full_pages * 1.5, "no page is half empty"
    page.emulate_media(media="screen")
    page.locator(".pane [id='6.F.3']").wait_for()


def test_everything_is_there_without_javascript(visits: Visits) -> None:
    visit = visits("report", java_script_enabled=False)
    page = visit.open("#6.F.1")
    assert page.locator("article.case").count() == 14
    assert not page.locator("[data-filter]").is_visible()
    assert not page.locator("[data-theme-button]").is_visible()
    assert page.locator("[id='6.F.3'] svg[role=img]").first.is_visible()
    assert page.locator("[id='6.F.1']").is_visible(), "a link opens the case that it leads to"
    assert "Only a script can draw" in page.locator("[id='6.F.1']").inner_text()
    assert visit.complaints == []


@pytest.mark.parametrize(
    "page_name", ["report", "hostile", "comparison", "hostile-comparison", "inference", "hostile-inference", "rules"]
)
def test_nothing_is_wider_than_the_screen_or_too_small_to_touch(visits: Visits, page_name: str) -> None:
    visit = visits(page_name)
    page = visit.open()
    for width in (360, 768, 1440):
        page.set_viewport_size({"width": width, "height": 780})
        if page.get_by_role("button", name="Expand all").is_visible():
            page.get_by_role("button", name="Expand all").click()
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        small = page.evaluate(
            """() => [...document.querySelectorAll("a, button, summary, select, label, input")]
                .filter((target) => target.checkVisibility() && !target.matches(".skip, label > input"))
                .map((target) => [target.outerHTML.slice(0, 80), target.getBoundingClientRect()])
                .filter(([, box]) => box.width && Math.min(box.width, box.height) < 24).map(([html]) => html)"""
        )
        assert small == [], width
    visit.assert_quiet()


def test_a_comparison_is_filtered_by_whether_they_differ(visits: Visits) -> None:
    visit = visits("comparison", viewport={"width": 1280, "height": 500})
    page = visit.open()
    assert visit.chosen == "6.F.2"
    assert page.evaluate("scrollY") == 0, "a page begins at its top"
    page.get_by_role("button", name="they differ 2").click()
    assert visit.shown == ["6.F.2", "6.F.3"]
    page.locator(".matrix").get_by_role("link", name="6.F.2").click()
    page.locator(".pane [id='6.F.2'] svg[role=img]").first.wait_for()
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("button", name="not all answered 1").click()
    assert visit.shown == ["6.F.4"]
    assert visit.complaints == []


@pytest.mark.parametrize("page_name", ["hostile", "hostile-comparison", "hostile-inference"])
def test_hostile_strings_are_inert(visits: Visits, page_name: str) -> None:
    visit = visits(page_name)
    visit.context.on("dialog", lambda dialog: visit.complaints.append(dialog.message))
    page = visit.open()
    page.get_by_role("button", name="Expand all").click()
    assert "<script>alert(1)</script>" in page.locator("main").inner_text()
    page.get_by_label("Text").fill("<script>alert(1)</script>")
    page.wait_for_url(lambda url: "text=" in url)
    assert len(visit.shown) == 7
    if page_name == "hostile":
        _ = page.get_by_label("Issue").select_option(index=1)
        _ = page.reload()
        assert "<script>alert(1)</script>" in page.title()
        assert page.locator("h1").inner_text().startswith("<script>alert(1)</script>")
    assert page.evaluate("document.scripts.length") == 1
    visit.assert_quiet()


def test_the_policy_stops_what_would_slip_in(visits: Visits, pages: Path) -> None:
    slipped = pages / "slipped.html"
    content = pages.joinpath("report.html").read_text(encoding="utf-8")
    evil = "<script>document.title = 'ran'</script><img src=https://example.org/x onerror=\"document.title = 'ran'\">"
    _ = slipped.write_text(content.replace("</main>", f"{evil}</main>"), encoding="utf-8")
    visit = visits(slipped)
    page = visit.open()
    assert page.title() != "ran"
    assert {request.partition("#")[0] for request in visit.requests} == {visit.address}
    assert any("Content Security Policy" in complaint for complaint in visit.complaints)


KINDS = ("report", "inference", "comparison", "hunt", "replay", "explained", "rules")
"""A page of each kind; that of a shadow is made as that of a hunt."""
VIEWS = ((1440, "light"), (768, "light"), (390, "dark"))
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.mark.parametrize("page_name", [*KINDS, "hostile", "hostile-comparison", "hostile-inference"])
def test_axe_finds_nothing(visits: Visits, page_name: str) -> None:
    pytest.importorskip("axe_playwright_python", reason="axe-core (the extra `browser`) is not installed")
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    visit = visits(page_name, bypass_csp=True)
    page = visit.open()
    page.evaluate(axe)
    for width, scheme in VIEWS if page_name in KINDS else VIEWS[-1:]:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        violations = page.evaluate(
            """async tags => (await axe.run(document, {runOnly: tags, resultTypes: ["violations"]})).violations.map(
                found => [found.id, found.nodes.length, found.nodes[0].html, found.nodes[0].failureSummary])""",
            TAGS,
        )
        assert violations == [], (width, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") == width
