"""Every button of the page to try positions on writes what it says: one page, from the server, for all tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

from datc.harness.board.server import play_data
from datc.reference_engine import standard_board

from .test_play_page import (
    DISLODGED,
    DONE,
    PASTED,
    RETREATS,
    answered,
    box,
    click,
    fill,
    middle,
    open_position,
    opened,
    outcomes,
    press,
    press_and_wait,
    province,
    seen,
    select,
    served,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DATA = play_data()
CODES = {each.code for each in standard_board().provinces}
WINTER = """\
Winter 1901, adjustment
Turkey: A Smy
Russia: A Mos, F Sev
Supply centers
Turkey: Ank, Con, Smy
Russia: Mos
"""


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with served(tmp_path_factory.mktemp("play")) as url, browser.new_context() as context:
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield opened(context, url)


def do(page: Page, steps: Sequence[str]) -> None:
    """Click provinces and buttons; the last one changes the text."""
    for step in steps[:-1]:
        one(page, step)
    with answered(page):
        one(page, steps[-1])


def one(page: Page, step: str) -> None:
    if step in CODES:
        province(page, step).click(force=True)
    else:
        press(page, step)


ORDERS = [
    ("Germany: A Mun", ["MUN", "Hold"], "A MUN H"),
    ("Germany: A Mun", ["MUN", "Move …", "BOH"], "A MUN - BOH"),
    ("Germany: A Mun - Tyr", ["MUN", "No order"], "A MUN"),
    ("Germany: A Mun", ["MUN", "Move …", "Cancel", "MUN", "BOH"], "A MUN - BOH"),
    ("Germany: A Mun, A Ber", ["MUN", "Support …", "BER", "SIL"], "A MUN S A BER - SIL"),
    ("Germany: A Mun, A Ber", ["MUN", "Support …", "BER", "BER"], "A MUN S A BER"),
    ("Germany: A Mun, A Ber", ["MUN", "BER", "Support its hold"], "A MUN S A BER"),
    ("Germany: A Mun, A Ber", ["MUN", "BER", "Support its move …", "SIL"], "A MUN S A BER - SIL"),
    ("Germany: A Mun, A Ber", ["MUN", "BER", "Move to Berlin"], "A MUN - BER"),
    ("Germany: A Mun, A Ber", ["MUN", "BER", "Select Berlin", "SIL"], "A BER - SIL"),
    ("England: F Nth, A Lon", ["LON", "Move by convoy …", "NWY"], "A LON - NWY VIA"),
    ("England: F Nth, A Lon", ["NTH", "Convoy …", "LON", "NWY"], "F NTH C A LON - NWY"),
    ("England: F Nth, A Lon", ["NTH", "LON", "Convoy it …", "NWY"], "F NTH C A LON - NWY"),
    ("England: F Wal, F Nth, A Lon - Nwy via", ["NTH", "LON", "Support A LON - NWY VIA"], "F NTH S A LON - NWY"),
    ("France: F Mao", ["MAO", "SPA", "Spain(nc)"], "F MAO - SPA/NC"),
    ("France: F Mao", ["MAO", "SPA", "No coast"], "F MAO - SPA"),
    ("France: A Gas", ["GAS", "SPA"], "A GAS - SPA"),
    ("Germany: A Mun - Tyr, A Ber - Kie", ["MUN", "Take it off the board"], "A BER - KIE"),
]


@pytest.mark.parametrize(("text", "steps", "order"), ORDERS)
def test_a_button_writes_its_order(page: Page, text: str, steps: Sequence[str], order: str) -> None:
    open_position(page, text)
    do(page, steps)
    assert order in box(page).input_value().splitlines()
    assert page.get_by_role("alert").inner_text() == ""


def test_the_status_says_what_a_click_is_for(page: Page) -> None:
    open_position(page, "England: A Lon, F Nth")
    said = [
        ("Move …", "F NTH: select where it moves."),
        ("Support …", "F NTH: select the unit that it supports."),
        ("Convoy …", "F NTH: select the army that it convoys."),
    ]
    for button, sentence in said:
        province(page, "NTH").click(force=True)
        press(page, button)
        assert page.inner_text("#play-status") == sentence
        assert page.inner_text("#play-panel p") == sentence
        province(page, "NTH").press("Escape")
        assert page.inner_text("#play-panel p").startswith("Select a unit")
    for steps, sentence in (
        (["NTH", "Support …", "LON"], "F NTH: select where A LON moves, or that unit again if it holds."),
        (["NTH", "Convoy …", "LON"], "F NTH: select where the army goes."),
        (["LON", "Move by convoy …"], "A LON: select where fleets take it."),
    ):
        for step in steps:
            one(page, step)
        assert page.inner_text("#play-status") == sentence
        press(page, "Cancel")
        province(page, "LON").press("Escape")


def test_units_are_put_on_the_board_and_taken_off(page: Page) -> None:
    press_and_wait(page, "Empty board")
    assert box(page).input_value() == ""
    _ = page.get_by_label("Power of new units").select_option("Russia")
    do(page, ["STP", "Put a fleet of Russia, St Petersburg(nc)"])
    press(page, "Whole map")
    do(page, ["SEV", "Put a fleet of Russia"])
    do(page, ["MOS", "Put an army of Russia"])
    province(page, "BLA").click(force=True)
    assert page.locator("#play-panel button").all_inner_texts() == ["Put a fleet of Russia"]
    province(page, "MOS").press("Escape")
    province(page, "UKR").click(force=True)
    assert page.locator("#play-panel button").all_inner_texts() == ["Put an army of Russia"]
    assert box(page).input_value().splitlines()[2:] == ["Russia:", "F STP/NC", "F SEV", "A MOS"]
    page.get_by_label("a fleet").check()
    do(page, ["BUL", "Bulgaria(sc)"])
    page.get_by_label("orders", exact=True).check()
    do(page, ["MOS", "Take it off the board"])
    assert box(page).input_value().splitlines()[2:] == ["Russia:", "F STP/NC", "F SEV", "F BUL/SC"]
    press_and_wait(page, "Next: Autumn 1901, movement")
    press_and_wait(page, "Start of a game")
    assert box(page).input_value() == DATA["start"]
    assert page.get_by_role("button", name="Back", exact=True).is_disabled()


def test_retreats_builds_removals_and_waives_are_written(page: Page) -> None:
    open_position(page, DISLODGED)
    press_and_wait(page, "Next: Autumn 1902, retreat")
    do(page, ["SER", "Disband"])
    assert box(page, RETREATS).input_value() == "Turkey: A SER D\n"
    do(page, ["SER", "RUM"])
    assert box(page, RETREATS).input_value() == "Turkey: A SER R RUM\n"
    page.get_by_label("puts an army").check()
    province(page, "BOH").click(force=True)
    assert page.inner_text("#play-status") == "Units are put on the board before movements only."
    page.get_by_label("orders", exact=True).check()
    open_position(page, WINTER)
    do(page, ["SEV", "Remove"])
    _ = page.get_by_label("Power of new units").select_option("Turkey")
    do(page, ["ANK", "Build a fleet of Turkey"])
    do(page, ["CON", "Waive a build of Turkey"])
    lines = box(page).input_value().splitlines()
    assert [each for each in ("F ANK B", "WAIVE", "F SEV D") if each in lines] == ["F ANK B", "WAIVE", "F SEV D"]
    open_position(page, "Winter 1901, adjustment\nRussia: A Mos\nSupply centers\nRussia: Mos, Stp")
    _ = page.get_by_label("Power of new units").select_option("Russia")
    do(page, ["STP", "Build a fleet of Russia, St Petersburg(nc)"])
    do(page, ["STP", "Build a fleet of Russia, St Petersburg(sc)"])
    assert re.findall(r"F STP/?.*", box(page).input_value()) == ["F STP/SC B"]


def test_the_board_after_is_another_drawing(page: Page) -> None:
    open_position(page, "Germany: A Mun - Tyr")
    drawing = page.locator("#play-room > svg.dm")
    assert drawing.locator("title").first.text_content() == "Spring 1901, movement: the orders"
    page.get_by_label("The board after").check()
    assert drawing.locator("title").first.text_content() == "Spring 1901, movement: the board after"
    fill(page, "Germany: A Mun - Boh")
    assert drawing.locator("title").first.text_content() == "Spring 1901, movement: the board after"
    page.get_by_label("The orders", exact=True).check()


def test_all_can_be_copied(page: Page) -> None:
    open_position(page, "Germany: A Mun - Tyr", "1982")

    def copied() -> str:
        text: str = page.evaluate("navigator.clipboard.readText()")
        return text

    press(page, "Copy link")
    page.get_by_text("The link is copied.").wait_for()
    assert copied() == page.url
    for form in ("toml", "request", "forum", "post"):
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        page.locator(f"[data-copy=play-{form}]").click()
        page.get_by_text("It is copied.").wait_for()
        assert copied().strip() == (page.locator(f"#play-{form}").text_content() or "").strip() != ""
    assert copied().endswith(f"\nTry it: {page.url}\n")
    posts = [copied()]
    for style in ("bbcode", "discord"):
        _ = page.get_by_label("Format").select_option(style)
        posts.append(page.locator("#play-post").text_content() or "")
    assert len({*posts}) == 3


def test_an_answer_that_does_not_come_is_said_and_the_next_one_is_shown(page: Page) -> None:
    open_position(page, "Germany: A Mun - Tyr")
    _ = page.route("**/answer", lambda route: route.fulfill(status=500, json={"error": "it is closed"}))
    fill(page, "Germany: A Mun - Boh")
    assert page.inner_text("#play-status") == (
        "No answer: it is closed. Board and outcomes are those of the text before."
    )
    assert page.locator("#play-outcome.play-stale").count() == 1
    page.unroute("**/answer")
    fill(page, "Germany: A Mun - Kie")
    assert page.inner_text("#play-status") == "Spring 1901, movement: Germany's A Munich moves to Kiel."


def test_the_map_is_there_before_any_answer_and_a_text_stays_when_it_is_tried_again(page: Page) -> None:
    with page.context.new_page() as other:
        _ = other.route("**/answer", lambda route: route.fulfill(status=500, json={"error": "it is closed"}))
        _ = other.goto(page.url.partition("#")[0])
        _ = other.wait_for_selector(DONE)
        fill(other, "Germany: A Mun - Tyr")
        assert other.inner_text("#play-status") == "No answer: it is closed. Try again"
        drawn = other.locator("#play-room > svg.board-map[aria-hidden=true] > rect")
        assert drawn.evaluate("map => map.getBBox().width > 1000 && map.getBBox().height > 1000")
        other.unroute("**/answer")
        with other.expect_navigation():
            press(other, "Try again")
        _ = other.wait_for_selector(DONE)
        assert box(other).input_value() == "Germany: A Mun - Tyr"


def test_the_keys_go_to_units_and_change_the_scale(page: Page) -> None:
    open_position(page, "Germany: A Mun, A Ber - Kie, F Hel")
    press(page, "Units")
    province(page, "MUN").focus()
    focused = "document.activeElement.dataset.province"
    for code in ("MUN", "HEL", "MUN"):
        page.keyboard.press("n")
        assert page.evaluate(focused) == code
        assert province(page, code).get_attribute("aria-pressed") == "true"
    for code in ("MUN", "BUR", "GAL"):
        for arrow, right, down in (("Right", 1, 0), ("Left", -1, 0), ("Down", 0, 1), ("Up", 0, -1)):
            province(page, code).focus()
            page.keyboard.press(f"Arrow{arrow}")
            (x, y), (to_x, to_y) = (DATA["provinces"][each]["at"] for each in (code, page.evaluate(focused)))
            along = (to_x - x) * right + (to_y - y) * down
            assert along > abs((to_x - x) * down) + abs((to_y - y) * right)
    reached_by_tab = page.locator("[data-province][tabindex='0']")
    assert reached_by_tab.evaluate_all("all => all.map(one => one.dataset.province)") == [page.evaluate(focused)]
    wide = seen(page)[2]
    page.keyboard.press("+")
    assert seen(page)[2] < wide
    page.keyboard.press("-")
    assert seen(page)[2] == pytest.approx(wide)
    press(page, "Larger")
    press(page, "Larger")
    press(page, "Smaller")
    assert seen(page)[2] < wide
    press(page, "Units")
    assert seen(page)[2] == pytest.approx(wide)


def test_what_a_unit_may_do_follows_the_text(page: Page) -> None:
    open_position(page, "Germany: A Ber")
    assert page.get_by_role("button", name="Berlin, army of Germany", exact=True).count() == 1
    province(page, "BER").click(force=True)
    page.locator("[data-province=SIL].play-target").wait_for(state="attached")
    fill(page, "Germany: A Ber, F Bal")
    page.locator("[data-province=SWE].play-target").wait_for(state="attached")
    province(page, "BER").press("Escape")
    assert page.locator(".play-target").count() == 0
    steps = page.locator("#play-steps").text_content() or ""
    assert len(steps.splitlines()) > 1


def test_an_order_is_written_once_and_only_an_army_is_convoyed(page: Page) -> None:
    open_position(page, "Germany: A Mun, A Ber\nEngland: F Nth, F Eng")
    do(page, ["MUN", "Hold"])
    assert box(page).input_value().splitlines()[2:5] == ["Germany:", "A MUN H", "A BER"]
    for each in ("NTH", "ENG"):
        one(page, each)
    page.get_by_role("button", name="Support its hold").wait_for()
    assert page.get_by_role("button", name="Convoy it …").count() == 0


def test_the_province_that_a_unit_is_dragged_over_is_marked(page: Page) -> None:
    open_position(page, "Germany: A Mun")
    press(page, "Units")
    page.mouse.move(*middle(page, "MUN"))
    page.mouse.down()
    page.mouse.move(*middle(page, "TYR"), steps=3)
    marked = page.locator(".play-over")
    assert marked.evaluate_all("all => all.map(each => each.dataset.province)") == ["TYR"]
    with answered(page):
        page.mouse.up()
    assert marked.count() == 0


def test_a_unit_that_is_added_out_of_sight_is_shown_and_one_in_sight_moves_nothing(page: Page) -> None:
    open_position(page, "Turkey: A Smy")
    press(page, "Units")
    before = seen(page)
    fill(page, "Turkey: A Smy, F Ank")
    assert seen(page) == before
    fill(page, "Turkey: A Smy, F Ank\nEngland: F Nwg")
    left, top, width, height = seen(page)
    x, y = DATA["provinces"]["NWG"]["at"]
    assert (left < x < left + width, top < y < top + height) == (True, True)


def test_a_link_ends_the_way_back(page: Page) -> None:
    open_position(page, "Germany: A Mun")
    press_and_wait(page, "Next: Autumn 1901, movement")
    open_position(page, "Germany: A Kie")
    assert page.get_by_role("button", name="Back", exact=True).is_disabled()


def test_a_table_says_of_each_ruleset_what_it_gives(page: Page) -> None:
    open_position(page, "England: A Lon - Bel, F Eng C A Lon - Bel\nFrance: F Bre - Eng, F Mao S F Bre - Eng")
    select(page, "1982")
    in_force = page.locator("#play-rulesets tr.play-in-force")
    assert "1982" in in_force.locator("td").first.inner_text()
    assert in_force.locator("td").last.inner_text().endswith("the ruleset in force")
    failed = page.locator("#play-orders td.play-fails").all_inner_texts()
    assert failed == [each for each in outcomes(page) if each.startswith("fails")] != []


SPRING = [
    ("VIE", "GAL"), ("BUD", "RUM"), ("TRI", "ALB"), ("LON", "NTH"), ("EDI", "NWG"), ("LVP", "YOR"),
    ("PAR", "BUR"), ("MAR", "SPA"), ("BRE", "MAO"), ("MUN", "RUH"), ("STP", "BOT"), ("KIE", "DEN"),
]  # fmt: skip


def test_twelve_orders_of_spring_1901_are_24_clicks_without_a_pause(page: Page) -> None:
    """A click that comes before the answer to the one before is not lost."""
    press_and_wait(page, "Start of a game")
    press(page, "Whole map")
    places = [middle(page, code) for pair in SPRING for code in pair]
    with answered(page):
        for place in places:
            page.mouse.click(*place)
        page.locator("#play-orders td:first-child", has_text=" - ").nth(len(SPRING) - 1).wait_for(state="attached")
    lines = " ".join(box(page).input_value().splitlines())
    assert [pair for pair in SPRING if not re.search(rf"{pair[0]}(/SC)? - {pair[1]}", lines)] == []


def test_rulesets_are_compared_and_the_ruleset_in_force_is_chosen_beside_the_answer(page: Page) -> None:
    open_position(page, PASTED)
    page.set_viewport_size({"width": 390, "height": 844})
    try:
        page.evaluate("scrollTo(0, 0)")
        assert page.inner_text("#play-differs").startswith("The outcomes differ in F Edinburgh")
        before = page.inner_text("#play-status")
        select(page, "alexander")
        assert page.inner_text("#play-status") != before
        assert page.inner_text("#play-depends").startswith("4.A.2")
        assert page.evaluate("scrollY") == 0
        press(page, "Compare all")
        assert 0 <= page.evaluate("document.getElementById('play-each').getBoundingClientRect().top") < 200
        press(page, "Units")
        click(page, "NTH")
        panel = page.locator("#play-panel button").first.bounding_box()
        assert panel is not None
        assert panel["y"] < 844 - 40
    finally:
        page.set_viewport_size({"width": 1300, "height": 900})
