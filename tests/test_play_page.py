"""The page to try positions on, in a browser: on the site, where the engine runs in the page, and from the server."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qsl, urlencode

import pytest

from datc.cases import load_suite, suite_names
from datc.harness.board.play_api import play_question, read_question
from datc.harness.config.preparing import read_positions
from datc.harness.explain.case import every_ruleset, explain_whole_case
from datc.harness.play.answer import Answer
from datc.harness.play.session import PlayedPhase, ReferenceAdjudicator, case_inputs, play
from datc.reference_engine import standard_board
from datc.reports.boardmap.style import PALETTE

from .conftest import REBOUND, ROOT, FileHandler, served_folder
from .harness.cli.running import engine_of, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route

CASE = next(case for case in load_suite("datc-3.2").cases if case.id == "6.F.24")
PASTED = "\n".join(f"{order.power}: {order.text}" for order in CASE.phases[0].orders)
DISLODGED = """\
Fall 1902
Austria: A Bud - Ser, A Tri S A Bud - Ser
Turkey: A Ser
Supply centers
Austria: Bud, Tri, Vie
Turkey: Con, Ser
"""
DONE, ENGINES_DONE = "#play[data-state=done]", "#play[data-engine-state=done]"
LOADING = 60_000
POSITION, RETREATS, BUILDS = "The position and its orders", "Retreats", "Builds and removals"
"""The text boxes."""


@pytest.fixture(scope="module", params=["on the site", "from the server"])
def play_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the page, in both ways that there are."""
    if request.param == "on the site":
        if not (ROOT / "build" / "pyodide").is_dir():
            pytest.skip("Pyodide is not installed: ci/pyodide does it")
        yield f"{request.getfixturevalue('address')}play/"
        return
    with served(tmp_path_factory.mktemp("play")) as url:
        yield url


@contextmanager
def served(folder: Path, *engines: str) -> Generator[str]:
    """Run the server in a folder without a config; give its address."""
    process, url = serving("play", *engines, cwd=folder)
    yield f"{url}/"
    process.terminate()
    _ = process.communicate(timeout=60)


def opened(browser: Browser | BrowserContext, url: str, ready: str = DONE) -> Page:
    page = browser.new_page()
    page.set_viewport_size({"width": 1300, "height": 900})
    page.set_default_timeout(LOADING)
    _ = page.goto(url)
    _ = page.wait_for_selector(ready)
    return page


@pytest.fixture(scope="module")
def page(browser: Browser, play_url: str) -> Iterator[Page]:
    """A page that is loaded once for all tests: `open_position` gives it another position."""
    with browser.new_context() as context:
        yield opened(context, play_url)


@contextmanager
def answered(page: Page) -> Generator[None]:
    """Wait for the answer to what is done to the page."""
    page.evaluate("document.getElementById('play').dataset.state = 'old'")
    yield
    _ = page.wait_for_selector(DONE)


def open_position(page: Page, text: str, ruleset: str = "datc-3.2") -> None:
    """Follow a link to a position. Only the part behind its `#` changes, so the page stays."""
    fragment = urlencode({"ruleset": ruleset, "text": text})
    if page.evaluate("location.hash") == f"#{fragment}":
        return
    with answered(page):
        page.evaluate("fragment => { location.hash = fragment; }", fragment)


def box(page: Page, name: str = POSITION) -> Locator:
    return page.get_by_role("textbox", name=name)


def fill(page: Page, text: str, name: str = POSITION) -> None:
    with answered(page):
        box(page, name).fill(text)


def select(page: Page, ruleset: str) -> None:
    with answered(page):
        _ = page.locator("#play-ruleset").select_option(ruleset)


def province(page: Page, code: str) -> Locator:
    return page.locator(f"[data-province={code}]")


def put_unit(page: Page, code: str, power: str, button: str) -> None:
    """Put a unit of a power into a province, by the button that a click on the province shows."""
    _ = page.get_by_label("Power of new units").select_option(power)
    province(page, code).click(force=True)
    press_and_wait(page, f"{button} of {power}")


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def press_and_wait(page: Page, name: str) -> None:
    with answered(page):
        press(page, name)


def outcomes(page: Page) -> list[str]:
    return page.locator("#play-orders td:nth-child(2)").all_inner_texts()


@pytest.mark.parametrize("name", ["datc-3.2", "1982"])
def test_a_pasted_case_has_the_outcomes_of_explain(page: Page, name: str) -> None:
    """Under the usual ruleset, and one that is chosen; `test_play_api.py` asks under all."""
    open_position(page, "")
    fill(page, PASTED)
    if page.locator("#play-ruleset").input_value() != name:
        select(page, name)
    (case,) = read_positions(PASTED, "the text")
    explained = explain_whole_case(case, every_ruleset()[name], {}, all_rulesets=True)
    told = explained.phases[0]
    assert outcomes(page) == [", ".join(filter(None, (each.outcome, each.reason))) for each in told.orders]
    assert explained.rulesets is not None
    rows = page.locator("#play-rulesets tr").all()
    assert [row.locator("td").all_inner_texts()[:2] for row in rows] == [
        [", ".join(row.rulesets), "; then ".join(row.phases)] for row in explained.rulesets.rows
    ]
    assert page.inner_text("#play-status").endswith(told.summary)


def test_a_link_opens_the_same_position(page: Page) -> None:
    open_position(page, DISLODGED, "1982")
    press_and_wait(page, "Next: Autumn 1902, retreat")
    fill(page, "Turkey: A Ser - Gre", RETREATS)
    other = opened(page.context, page.url)
    assert box(other).input_value() == DISLODGED
    assert box(other, RETREATS).input_value() == "Turkey: A Ser - Gre"
    assert other.locator("#play-ruleset").input_value() == "1982"
    assert other.inner_text("#play-status") == page.inner_text("#play-status")
    assert "Turkey's A Serbia retreats to Greece" in other.inner_text("#play-status")
    other.close()


def test_units_and_orders_are_set_with_the_mouse(page: Page) -> None:
    open_position(page, "Germany: A Ber")
    with answered(page):
        province(page, "BER").drag_to(province(page, "SIL"), force=True)
    assert box(page).input_value().split("\n")[2:4] == ["Germany:", "A BER - SIL"]
    put_unit(page, "WAR", "Russia", "Put an army")
    press(page, "Move …")
    with answered(page):
        province(page, "SIL").click(force=True)
    assert outcomes(page) == ["fails, bounced", "fails, bounced"]


def test_the_keyboard_does_all_that_the_mouse_does(page: Page) -> None:
    open_position(page, "Germany: A Mun\nAustria: A Tyr")
    province(page, "MUN").focus()
    page.keyboard.press("Enter")
    assert page.get_by_role("group", name="The province").inner_text().startswith("Munich, army of Germany")
    page.get_by_role("button", name="Support …").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.province") == "MUN"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.province") == "TYR"
    page.keyboard.press("Space")
    with answered(page):
        page.keyboard.press("Space")
    assert "A MUN S A TYR" in box(page).input_value()
    assert province(page, "MUN").get_attribute("aria-label") == "Munich, army of Germany, ordered A MUN S A TYR"


def test_it_steps_to_retreats_and_adjustments_and_back(page: Page) -> None:
    open_position(page, DISLODGED)
    press_and_wait(page, "Next: Autumn 1902, retreat")
    province(page, "SER").click(force=True)
    panel = page.get_by_role("group", name="The province").locator("p")
    assert panel.inner_text() == "Serbia, army of Austria, dislodged army of Turkey"
    press_and_wait(page, "Retreat to Greece")
    assert panel.inner_text() == "Serbia, army of Austria, dislodged army of Turkey, ordered A SER R GRE"
    press_and_wait(page, "Next: Winter 1902, adjustment")
    put_unit(page, "CON", "Turkey", "Build a fleet")
    assert box(page, BUILDS).input_value() == "Turkey: F CON B\n"
    press_and_wait(page, "Next: Spring 1903, movement")
    assert "F Constantinople" in box(page).input_value()
    press_and_wait(page, "Back")
    assert box(page, BUILDS).input_value() == "Turkey: F CON B\n"


def test_a_link_with_an_unknown_ruleset_says_so(page: Page) -> None:
    open_position(page, "Germany: A Mun - Ber", "datc-9.9")
    assert page.get_by_role("alert").inner_text() == "there is no ruleset 'datc-9.9': select another one"
    select(page, "1982")
    assert page.get_by_role("alert").inner_text() == ""
    assert outcomes(page) == ["succeeds"]


def test_back_keeps_what_was_typed(page: Page) -> None:
    open_position(page, DISLODGED)
    press_and_wait(page, "Next: Autumn 1902, retreat")
    fill(page, f"Germany: A Kie -> Nowhere\n{DISLODGED}")
    press_and_wait(page, "Back")
    assert box(page).input_value() == f"Germany: A Kie -> Nowhere\n{DISLODGED}"
    assert box(page, RETREATS).count() == 0
    assert page.get_by_role("button", name="Back", exact=True).is_disabled()


def test_what_cannot_be_read_is_said_with_its_line_and_a_click_does_not_replace_it(page: Page) -> None:
    open_position(page, "Germany: A Mun - Ber\nGermany: A Kie -> Nowhere")
    assert page.get_by_role("alert").inner_text().startswith("Line 2: 'Nowhere' is no province")
    open_position(page, "Germany: A Mun - Ber")
    assert page.get_by_role("alert").inner_text() == ""
    fill(page, "Germany: A Kie -> Nowhere")
    province(page, "MUN").click(force=True)
    press(page, "Hold")
    assert box(page).input_value() == "Germany: A Kie -> Nowhere"
    assert page.inner_text("#play-status").startswith("Nothing is changed")


def test_a_click_splits_a_text_with_several_phases(page: Page) -> None:
    open_position(page, "Austria: A Bud - Ser, A Tri S A Bud - Ser\nTurkey: A Ser H\nRetreats\nTurkey: A Ser - Gre\n")
    province(page, "SER").click(force=True)
    press_and_wait(page, "Retreat to Bulgaria")
    assert "Retreats" not in box(page).input_value()
    assert box(page, RETREATS).input_value() == "Turkey: A SER R BUL\n"
    assert page.inner_text("#play-status").endswith("Turkey's A Serbia retreats to Bulgaria.")


@pytest.mark.parametrize("way", ["in the text", "by a link"])
def test_what_was_begun_with_a_unit_ends_when_the_unit_is_gone(page: Page, way: str) -> None:
    open_position(page, "Germany: A Mun, A Ber")
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    province(page, "MUN").click(force=True)
    press(page, "Support …")
    province(page, "BER").click(force=True)
    if way == "in the text":
        fill(page, "Germany: A Ber")
    else:
        open_position(page, "France: A Par")
    province(page, "MUN").click(force=True)
    page.get_by_role("button", name="Put an army").wait_for()
    assert complaints == []
    assert page.inner_text("#play-status") == "Spring 1901, movement: Nothing moves."


def test_a_click_leaves_a_unit_that_an_order_calls_otherwise(page: Page) -> None:
    open_position(page, "Turkey: A Con\nAustria: Turkey F Con - Bul")
    units = units_asked(page)
    put_unit(page, "MUN", "Germany", "Put an army")
    assert page.get_by_role("alert").inner_text() == ""
    assert units_asked(page) == units | {("GERMANY", "A", "MUN")}


def units_asked(page: Page) -> set[tuple[str, str, str]]:
    request = json.loads(page.locator("#play-request").text_content() or "")
    return {(each["power"], each["type"], each["location"]) for each in request["params"]["units"]}


def test_it_is_taken_elsewhere(page: Page) -> None:
    open_position(page, PASTED)
    assert ("ENGLAND", "F", "EDI") in units_asked(page)
    for form in ("#play-toml", "#play-forum"):
        (case,) = read_positions(page.locator(form).text_content() or "", "the text")
        assert case.phases[0].position is not None
        assert {tuple(unit) for unit in case.phases[0].position.units} == units_asked(page)


def test_the_board_is_saved_as_a_picture(page: Page) -> None:
    open_position(page, "Germany: A Mun - Tyr")
    page.evaluate("navigator.canShare = () => true")  # as in a browser of a desktop
    with page.expect_download() as saved:
        press(page, "Save the picture (PNG)")
    picture = f"data:image/png;base64,{b64encode(saved.value.path().read_bytes()).decode()}"
    width, colors = page.evaluate(COLORS, picture)
    light = PALETTE["light"]
    assert (saved.value.suggested_filename, width) == ("position.png", 2400)
    assert {light.land, light.sea, light.powers["GERMANY"]} <= {*colors}


COLORS = """async (address) => {
  const image = Object.assign(new Image(), { src: address });
  await image.decode();
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const pixels = context.getImageData(0, 0, image.width, image.height).data;
  const colors = new Set();
  for (let at = 0; at < pixels.length; at += 4) colors.add((pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2]);
  return [image.width, [...colors].map((color) => `#${color.toString(16).padStart(6, "0")}`)];
}"""
"""Gives the width of a picture, and every colour in it."""


def middle(page: Page, code: str) -> tuple[float, float]:
    """Where the unit of a province stands in the window."""
    x, y = page.evaluate(
        "code => JSON.parse(document.getElementById('play-data').textContent).provinces[code].at", code
    )
    page.evaluate("scrollTo(0, 0)")
    left, top, wide, _ = seen(page)
    room = page.locator("#play-room").bounding_box()
    assert room is not None
    scale = (room["width"] - 2) / wide
    return room["x"] + 1 + (x - left) * scale, room["y"] + 1 + (y - top) * scale


def click(page: Page, code: str) -> None:
    page.mouse.click(*middle(page, code))


def test_a_unit_is_selected_and_then_where_it_goes_or_whom_it_helps(page: Page) -> None:
    open_position(page, "Germany: A Mun, A Ber - Sil, F BAL\nRussia: A War")
    click(page, "MUN")
    page.locator(".play-target").first.wait_for(state="attached")
    lit = page.locator(".play-target").evaluate_all("all => all.map(each => each.dataset.province)")
    assert sorted(lit) == ["BER", "BOH", "BUR", "KIE", "RUH", "SIL", "TYR"]
    with answered(page):
        click(page, "TYR")
    assert "A MUN - TYR" in box(page).input_value()
    assert page.locator(".play-target").count() == 0
    click(page, "MUN")
    click(page, "BER")
    press_and_wait(page, "Support A BER - SIL")
    assert "A MUN S A BER - SIL" in box(page).input_value()
    click(page, "BAL")
    click(page, "BER")
    press(page, "Convoy it …")
    with answered(page):
        click(page, "PRU")
    assert "F BAL C A BER - PRU" in box(page).input_value()
    with answered(page):
        province(page, "WAR").focus()
        page.keyboard.press("n")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
    assert "A WAR - PRU" in box(page).input_value() or "A WAR - SIL" in box(page).input_value()


def test_what_was_done_is_undone_and_done_again(page: Page) -> None:
    open_position(page, "Germany: A Mun")
    with answered(page):
        province(page, "MUN").drag_to(province(page, "TYR"), force=True)
    moved = box(page).input_value()
    press_and_wait(page, "Undo")
    assert box(page).input_value() == "Germany: A Mun"
    press_and_wait(page, "Redo")
    assert box(page).input_value() == moved
    assert page.get_by_role("button", name="Redo").is_disabled()


def test_units_are_painted_onto_the_board_and_off(page: Page) -> None:
    open_position(page, "Germany: A Mun")
    _ = page.get_by_label("Power of new units").select_option("Italy")
    page.get_by_label("puts an army").check()
    for code in ("TYR", "BOH", "BAL"):
        with answered(page):
            click(page, code)
    page.get_by_label("takes off").check()
    with answered(page):
        click(page, "BOH")
    page.get_by_label("orders", exact=True).check()
    assert units_asked(page) == {("GERMANY", "A", "MUN"), ("ITALY", "A", "TYR"), ("ITALY", "F", "BAL")}


def test_an_answer_to_another_text_is_marked_and_is_not_taken_elsewhere(page: Page) -> None:
    open_position(page, "Germany: A Mun - Ber")
    fill(page, "Germany: A Mun - Nowhere")
    assert page.inner_text("#play-status").endswith("Board and outcomes are those of the text before.")
    assert page.locator("#play-outcome.play-stale, #play-room.play-stale").count() == 2
    assert page.locator("[data-copy]:enabled, #play-link:enabled, #play-next:enabled").count() == 0
    fill(page, "Germany: A Mun - Ber")
    assert page.locator(".play-stale, [data-copy]:disabled").count() == 0


def seen(page: Page) -> list[float]:
    """The part of the map that the board shows: its corner, width and height."""
    return [float(each) for each in (page.locator("#play-room > svg.dm").get_attribute("viewBox") or "").split()]


def test_the_board_is_moved_and_scaled_and_orders_stay(page: Page) -> None:
    open_position(page, "Germany: A Mun - Ber")
    text = box(page).input_value()
    page.get_by_role("button", name="Whole map").click()
    assert seen(page)[2] >= 1200
    page.evaluate("scrollTo(0, 0)")
    x, y = 300, 400
    page.mouse.move(x, y)
    page.mouse.wheel(0, -100)
    _ = page.wait_for_function("document.querySelector('#play-room > svg.dm').viewBox.baseVal.width < 1200")
    before = seen(page)
    page.mouse.down()
    page.mouse.move(x - 60, y - 30, steps=4)
    page.mouse.up()
    after = seen(page)
    assert after[2:] == before[2:]
    assert (after[0] > before[0], after[1] > before[1]) == (True, True)
    assert box(page).input_value() == text


@pytest.mark.parametrize("width", [390, 1280])
def test_names_and_the_answer_can_be_read_without_scrolling(page: Page, play_url: str, width: int) -> None:
    height = {390: 844, 1280: 900}[width]
    page = page.context.new_page()
    page.set_viewport_size({"width": width, "height": height})
    for text in ("", PASTED):
        _ = page.goto("about:blank")
        _ = page.goto(f"{play_url}#{urlencode({'text': text})}" if text else play_url)
        _ = page.wait_for_selector(DONE, timeout=LOADING)
        scale = page.locator("#play-room").evaluate("room => room.clientWidth") / seen(page)[2]
        sizes = page.locator("#play-room text").evaluate_all(
            "all => all.map(one => parseFloat(getComputedStyle(one).fontSize))"
        )
        assert min(sizes) * scale >= 10.99
        for part in ("#play-room", "#play-status"):
            found = page.locator(part).bounding_box()
            assert found is not None
            assert 0 <= found["y"] < height - 40
        assert page.locator("#play-next").evaluate("button => button.getBoundingClientRect().bottom <= innerHeight")
    page.close()


def test_a_phone_offers_to_send_the_picture(browser: Browser, play_url: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    _ = context.add_init_script(
        "navigator.canShare = () => true; navigator.share = async ({ files: [{ name, type, size }] }) => {"
        "console.log(name, type, size > 100_000); };"
    )
    page = opened(context, play_url)
    with page.expect_console_message(lambda said: "position" in said.text) as sent:
        press(page, "Save the picture (PNG)")
    assert sent.value.text == "position.png image/png true"
    context.close()


FARTHEST = """([code, x, y]) => {
    const { left, top, right, bottom } = document.getElementById("play-room").getBoundingClientRect();
    const within = [];
    for (let across = left; across < right; across += 4) for (let down = top; down < bottom - 60; down += 4)
        if (document.elementFromPoint(across, down)?.closest(`[data-province="${code}"]`)) within.push([across, down]);
    return within.sort((one, other) => Math.hypot(other[0] - x, other[1] - y) - Math.hypot(one[0] - x, one[1] - y))[0];
}"""
"""Of the points in a province the one that is farthest from its unit."""


def test_a_finger_drags_a_unit_or_the_map_and_two_fingers_scale_it(browser: Browser, play_url: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    _ = page.goto(f"{play_url}#{urlencode({'text': 'Germany: A Mun, F Nth'})}")
    _ = page.wait_for_selector(DONE, timeout=LOADING)
    page.evaluate("scrollTo(0, 0)")
    touches = context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        each = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        _ = touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": each})

    with answered(page):
        touch("touchStart", middle(page, "MUN"))
        touch("touchMove", middle(page, "KIE"))
        touch("touchMove", middle(page, "RUH"))
        touch("touchEnd")
    text = box(page).input_value()
    assert "A MUN - RUH" in text
    before, (x, y) = seen(page), page.evaluate(FARTHEST, ["NTH", *middle(page, "NTH")])
    touch("touchStart", (x, y))
    touch("touchMove", (x, y + 40))
    touch("touchEnd")
    assert seen(page)[1] < before[1]
    assert box(page).input_value() == text
    before = seen(page)
    touch("touchStart", (150, 250), (250, 250))
    touch("touchMove", (100, 250), (300, 250))
    touch("touchEnd")
    assert seen(page)[2] < before[2]
    context.close()


@pytest.fixture
def site_with_engine(site: Path) -> Path:
    if not (ROOT / "build" / "pyodide").is_dir():
        pytest.skip("Pyodide is not installed: ci/pyodide does it")
    return site


@pytest.mark.parametrize(
    ("kind", "file"),
    [
        ("missing", "datc.zip"),
        ("blocked", "datc.zip"),
        ("stalled", "datc.zip"),
        ("blocked", "pyodide.asm.wasm.packed"),
        ("broken", "pyodide.asm.wasm.packed"),
    ],
)
def test_an_engine_that_does_not_load_is_said(browser: Browser, site_with_engine: Path, kind: str, file: str) -> None:
    with served_folder(site_with_engine) as url, browser.new_context() as context:
        page = context.new_page()
        page.clock.install()
        waiting: list[Route] = []
        answer: Mapping[str, Callable[[Route], object]] = {
            "missing": lambda route: route.fulfill(status=404, body="gone"),
            "blocked": lambda route: route.abort(),
            "broken": lambda route: route.fulfill(body="no program"),
            "stalled": lambda route: waiting.append(route),  # noqa: PLW0108 - Playwright takes no built-in function
        }
        _ = context.route(f"**/{file}", answer[kind])
        _ = page.goto(f"{url}play/")
        if kind == "stalled":
            _ = page.wait_for_function("document.getElementById('play-status').textContent.includes(' MB')")
            page.clock.run_for(31_000)
        _ = page.wait_for_selector(DONE, timeout=LOADING)
        said = page.inner_text("#play-status")
        assert said.startswith("No answer: the engine could not be loaded")
        assert ("nothing comes" in said) == (kind == "stalled")
        assert "object" not in said
        empty = page.locator("#play-room > svg.board-map > rect")
        assert float(empty.get_attribute("width") or "0") > 1000
        context.unroute(f"**/{file}")
        with page.expect_navigation():
            press(page, "Try again")
        _ = page.wait_for_selector(DONE, timeout=LOADING)
        assert page.inner_text("#play-status") == "Spring 1901, movement: Nothing moves."


def wait_until(page: Page, expression: str, is_so: Callable[[Any], bool] = bool) -> Any:
    """Evaluate an expression, which may be a promise, until its value is as it should be; return that."""
    value = None
    for _ in range(LOADING // 100):
        value = page.evaluate(expression)
        if is_so(value):
            break
        page.wait_for_timeout(100)
    assert is_so(value), value
    return value


KEPT = "caches.open('datc-check-play').then(cache => cache.keys()).then(all => all.map(({url}) => url))"
"""The addresses of all that the browser keeps of the page."""
IS_WHOLE = """caches.open("datc-check-play").then(async (cache) => {{
    const memory = (await cache.keys()).find(({{url}}) => url.endsWith("{version}/memory"));
    return memory && (await (await cache.match(memory)).blob()).size > 1e6;
}})"""
"""Whether the memory of the engine is kept, and not what a test has put in its place."""
CHANGED = """caches.open("datc-check-play").then(async (cache) => {{
    const memory = (await cache.keys()).map(({{url}}) => url).find((url) => url.endsWith("/memory"));
    await {change};
}})"""
BROKEN, ALONE = "cache.put(memory, new Response('broken'))", "cache.delete(memory.replace('memory', 'datc.zip'))"
"""What may happen to the memory of the engine: it cannot be read any more, or the modules of the engine are gone."""
EVERY_UNIT = "\n".join(f"{unit.power.title()}: {unit.type} {unit.location}" for unit in standard_board().start)
"""What takes more memory than Pyodide begins with."""
UNFINISHED = "cache.delete(memory.replace('memory', 'pyodide.asm.wasm'))"
"""What makes a start of the engine fail, as when the page is left."""
OF_ANSWERS = """caches.open("datc-check-play").then(async (cache) => {{
    const kept = (await cache.keys()).map(({{url}}) => url).filter((url) => url.includes("/engine-"));
    const [all, engine] = [true, false].map((isAnswer) => kept.filter((url) => url.includes("/answers?") === isAnswer));
    return {done};
}})"""
"""What is done with the answers that the browser keeps, or with the files of the engine."""
SAID = """window.said = [];
addEventListener("DOMContentLoaded", () => new MutationObserver(() => said.push(
    document.getElementById("play-status").textContent
)).observe(document.getElementById("play-status"), {childList: true}));"""


def test_the_engine_is_loaded_once_for_each_version_and_then_works_without_a_network(
    browser: Browser, site_with_engine: Path
) -> None:
    (folder,) = site_with_engine.glob("play/engine-*")
    sent: list[tuple[str, int]] = []
    version = [folder.name]

    class Handler(FileHandler):
        """Gives the page a newer engine than there is: the folder has another name."""

        def do_GET(self) -> None:  # noqa: N802 - its name in the base class
            if version != [folder.name]:
                del self.headers["If-Modified-Since"]
            self.path = self.path.replace(version[0], folder.name)
            super().do_GET()

        def copyfile(self, source: Any, outputfile: Any) -> None:
            content: bytes = source.read()
            sent.append((self.path, len(content)))
            outputfile.write(content.replace(folder.name.encode(), version[0].encode()))

    def visit(context: BrowserContext, url: str) -> tuple[list[str], int]:
        """Open the page until it is kept; return the files of the engine that are loaded, and the bytes of all."""
        sent.clear()
        page = opened(context, url)
        assert page.inner_text("#play-status") == "Spring 1901, movement: Nothing moves."
        _ = wait_until(page, IS_WHOLE.format(version=version[0]))
        kept = page.evaluate(KEPT)
        assert {one.split("/")[-2] for one in kept if "/engine-" in one} == {version[0]}
        (*_, last) = [None, *(each for each in page.evaluate("said") if "Loading" in each)]
        assert last is None or re.fullmatch(r"Loading the reference engine: (\d\.\d) of \1 MB …", last)
        page.close()
        return [Path(path).name for path, _ in sent if "/engine-" in path], sum(size for _, size in sent)

    with browser.new_context() as context:
        _ = context.add_init_script(SAID)
        with served_folder(site_with_engine, Handler) as url:
            plain = context.new_page()
            _ = plain.goto(f"{url}players/", wait_until="networkidle")
            most = 3 * sum(size for _, size in sent)
            files, size = visit(context, f"{url}play/")
            assert sorted(files) == sorted(each.name for each in folder.iterdir())
            assert size < 7_500_000
            files, size = visit(context, f"{url}play/")
            assert (files, size < most) == ([], True)
            version[0] = f"engine-{'0' * 16}"
            files, _ = visit(context, f"{url}play/")
            assert sorted(files) == sorted(each.name for each in folder.iterdir())
        assert visit(context, f"{url}play/") == ([], 0)
        for change, text in ((BROKEN, EVERY_UNIT), (ALONE, "Germany: A Ber")):
            plain.evaluate(CHANGED.format(change=change))
            assert visit(context, f"{url}play/#{urlencode({'text': text})}") == ([], 0)
        plain.evaluate(CHANGED.format(change=UNFINISHED))
        page = opened(context, f"{url}play/#text=Germany: A Kie")
        said = page.inner_text("#play-status")
        assert said.startswith("No answer: the engine could not be loaded")
        assert "nothing comes" not in said, "it is said at once"
        assert any(one.endswith("/memory") for one in page.evaluate(KEPT)), "it is not to blame"


def test_a_position_that_is_opened_again_is_answered_before_the_engine_is_there(
    browser: Browser, site_with_engine: Path
) -> None:
    """Nothing else is: the engine is gone, so any other question fails."""
    gone: list[bool] = []

    class Handler(FileHandler):
        def do_GET(self) -> None:  # noqa: N802 - its name in the base class
            if gone and "/engine-" in self.path:
                return self.send_error(404)
            return super().do_GET()

    def opened_again(text: str, ruleset: str = "datc-3.2") -> tuple[Page, str]:
        again = opened(context, f"{url}play/#{urlencode({'ruleset': ruleset, 'text': text})}")
        return again, again.inner_text("#play-status")

    with served_folder(site_with_engine, Handler) as url, browser.new_context() as context:
        page, moves = opened_again("Germany: A Mun - Ber")
        wait_until(page, OF_ANSWERS.format(done="all.length === 1"))
        gone.append(True)
        page.evaluate(OF_ANSWERS.format(done="Promise.all(engine.map((one) => cache.delete(one)))"))
        for other in (opened_again("Germany: A Mun - Kie"), opened_again("Germany: A Mun - Ber", "1982")):
            assert other[1].startswith("No answer: the engine could not be loaded")
        again, said = opened_again("Germany: A Mun - Ber")
        assert (said, outcomes(again)) == (moves, ["succeeds"])
        assert again.locator("#play-room > svg.dm .u").count() == 1
        fill(again, "Germany: A Mun - Tyr")
        assert again.inner_text("#play-status").startswith("No answer: the engine could not be loaded")
        assert again.locator("#play-room.play-stale").count() == 1
        gone.clear()
        with again.expect_navigation():
            press(again, "Try again")
        _ = again.wait_for_selector(DONE)
        assert box(again).input_value() == "Germany: A Mun - Tyr"
        assert outcomes(again) == ["succeeds"]
        page.evaluate(OF_ANSWERS.format(done="Promise.all(all.map((one) => cache.put(one, new Response('broken'))))"))
        again, said = opened_again("Germany: A Mun - Ber")
        assert (said, outcomes(again)) == (moves, ["succeeds"])
        for number in range(21):
            open_position(again, f"Germany: A Mun{' ' * number}")
        wait_until(page, OF_ANSWERS.format(done="all.at(-1).includes('%20'.repeat(20))"))
        assert page.evaluate(OF_ANSWERS.format(done="all.length")) == 20


def test_engines_are_named_beside_the_rulesets(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, "builtin") as url:
        page = opened(browser, f"{url}#{urlencode({'text': PASTED, 'ruleset': 'alexander'})}", ENGINES_DONE)
        in_force = page.locator("#play-rulesets tr.play-in-force td").first
        assert in_force.inner_text().split() == ["builtin", "alexander"]
        page.close()


def test_engines_that_are_busy_are_asked_again_and_what_they_cannot_answer_is_said(
    browser: Browser, tmp_path: Path
) -> None:
    answers = [{"busy": True}, {"problems": ["they are closed"]}]
    with served(tmp_path, "builtin") as url:
        page = browser.new_page()
        _ = page.route("**/engines", lambda route: route.fulfill(json=answers.pop(0)))
        _ = page.goto(f"{url}#{urlencode({'text': PASTED})}")
        _ = page.wait_for_selector(ENGINES_DONE, timeout=LOADING)
        assert page.inner_text("#play-status") == "No answer of the engines: they are closed"
        assert answers == []
        page.close()


@pytest.mark.attack
def test_a_link_runs_nothing(page: Page) -> None:
    open_position(
        page, "Germany: A Mun - Ber\n<img src=x onerror=document.title='bad'>\n\"><script>document.title='bad'</script>"
    )
    assert "bad" not in page.title()
    assert page.locator("#play img").count() == 0
    assert "skipped" in page.inner_text("#play-notes")


HOSTILE = """<iframe src="{url}"></iframe><object data="{url}"></object><iframe name="answer"></iframe>
<form method="post" enctype="text/plain" action="{url}engines" target="answer"><input name='{question}'></form>"""
ATTACK = """async ([url, body]) => {
    const json = new Blob([body], {type: "application/json"})
    const post = {method: "POST", mode: "no-cors", referrerPolicy: "no-referrer", body}
    const tried = [post, {...post, body: json}, {...post, mode: "cors", headers: {"Content-Type": "application/json"}}]
    navigator.sendBeacon(url + "engines", json)
    const posted = tried.map(options => fetch(url + "engines", options))
    const read = ["", "health"].map(name => fetch(url + name))
    const loaded = fetch(url + "play.mjs", {mode: "no-cors"})
    const answers = await Promise.allSettled([...posted, ...read, loaded])
    return answers.map(each => each.value ? each.value.type : "refused")
}"""


@pytest.mark.attack
def test_a_hostile_page_beside_it_reads_nothing_and_asks_no_engine(browser: Browser, tmp_path: Path) -> None:
    """It is at another port of this machine, or has a name that leads here (DNS rebinding)."""
    identity = {"protocol": 1, "engine": {"name": "e", "version": "1"}}
    asked, question = tmp_path / "asked", json.dumps({"text": PASTED, "ruleset": "datc-3.2"})
    answer = f"open({str(asked)!r}, 'a').write('1') and {{'units': []}}"
    engine = engine_of(tmp_path, f"{{'result': {identity} if starts else {answer}}}")
    with served(tmp_path, engine) as url, served_folder(tmp_path) as hostile, browser.new_context() as context:
        _ = tmp_path.joinpath("hostile.html").write_text(HOSTILE.format(url=url, question=question), "utf-8")
        page = context.new_page()
        for host in ("127.0.0.1", "localhost", REBOUND):
            _ = page.goto(f"{hostile.replace('127.0.0.1', host)}hostile.html")
            assert page.evaluate(ATTACK, [url, question]) == ["opaque"] * 2 + ["refused"] * 4
            with page.expect_response("**/engines") as posted:
                page.evaluate("document.forms[0].submit()")
            assert posted.value.status == 403
            assert not any(frame.url.startswith(url) for frame in page.frames)
        rebound = context.new_page()
        misdirected = rebound.goto(url.replace("127.0.0.1", REBOUND))
        assert misdirected is not None
        assert misdirected.status == 421
        again = "async body => (await fetch('/engines', {method: 'POST', body})).status"
        assert rebound.evaluate(again, question) == 421
        assert not asked.exists()
        with page.expect_popup() as opening:
            page.evaluate("url => { window.opened = open(url) }", url)
        _ = opening.value.wait_for_selector(ENGINES_DONE, timeout=LOADING)
        assert asked.exists()
        assert page.evaluate("opened.closed"), "it could take the page to other positions"


@pytest.mark.parametrize(("scheme", "width"), [("dark", 360), ("light", 1200)])
def test_it_fits_the_screen_and_axe_finds_nothing(
    page: Page, play_url: str, scheme: Literal["dark", "light"], width: int
) -> None:
    pytest.importorskip("axe_playwright_python", reason="axe-core (the extra `browser`) is not installed")
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    page = page.context.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    _ = page.goto(f"{play_url}#{urlencode({'text': PASTED})}")
    _ = page.wait_for_selector(DONE, timeout=LOADING)
    province(page, "ENG").click(force=True)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    origin = play_url.removesuffix("play/")
    assert [url for url in asked if not url.startswith((origin, f"blob:{origin}", "data:"))] == []
    assert complaints == []
    page.evaluate(axe)
    violations = page.evaluate(
        """async tags => (await axe.run("#play", {runOnly: tags, resultTypes: ["violations"]})).violations.map(
            found => [found.id, found.nodes.length, found.nodes[0].html, found.nodes[0].failureSummary])""",
        ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
    )
    assert violations == []
    page.close()


def test_a_link_of_a_case_opens_its_position_and_gives_its_outcome() -> None:
    """Without a browser: the link is taken apart as the page does it."""
    pytest.importorskip("mkdocs", reason="the documentation tools are not installed")
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(ROOT / "docs" / "generate")
        from play_pages import play_link  # pyright: ignore[reportMissingImports] - the generators are no package

    links = [(case, play_link(case)) for suite in suite_names() for case in load_suite(suite).cases]
    # It removes a unit that is not there, and a text cannot say that.
    assert [case.id for case, link in links if link is None and case.suite == "datc-3.2"] == ["6.J.1"]
    for case, link in links:
        if link is not None:
            (_, ruleset), (_, text), *later = parse_qsl(link.partition("#")[2], keep_blank_values=True)
            phases = [{"phase": phase, "text": orders} for phase, orders in later]
            question = read_question({"text": text, "ruleset": ruleset, "later": phases})
            rules = every_ruleset()[ruleset]
            played = play(ReferenceAdjudicator(rules), case_inputs(case))
            assert [*map(boards, play_question(question, rules).phases)] == [*map(boards, played)], case.key


def boards(played: PlayedPhase) -> tuple[object, ...]:
    asked, answer = played.asked, played.answer
    assert isinstance(answer, Answer)
    return (asked.phase, asked.season, asked.year, frozenset(asked.units), answer.units, answer.dislodged)
