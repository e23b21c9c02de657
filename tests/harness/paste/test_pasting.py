"""What people paste, and what is read from it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from datc.cases import load_suite
from datc.harness.paste.phases import PastedPhase
from datc.harness.paste.reader import PositionFileError, read_later_orders, read_on_best_map, read_pasted
from datc.harness.paste.words import vocabulary_of
from datc.harness.play.positions import ordered_province
from datc.reference_engine import province_code, standard_board, write_order
from datc.reference_engine.board import Season, normal
from datc.reference_engine.maps import load_board
from datc.reference_engine.toml import loads

from ...conftest import ROOT
from ..cli.running import invoke

TEXTS = loads(Path(__file__).with_name("pasted.toml").read_text("utf-8"))["pasted"]
MARKS = {"movement": "", "retreat": "R ", "adjustment": "W "}


def orders_of(phase: PastedPhase) -> list[str]:
    """The orders of a phase, each with what the text says came of it: `AUSTRIA A GAL - RUM (fails)`."""
    came = {province_code(unit.location): f" ({', '.join(sorted(said))})" for unit, said in phase.recorded.items()}
    return [
        f"{MARKS[phase.phase]}{given.power} {write_order(given.order)}{came.get(ordered_province(given.order), '')}"
        for given in phase.orders
        if given.order is not None
    ]


def has_read(pasted, text: str) -> None:
    """Hold what is read to what a person reads in the text: units, orders, phases, dates, results."""
    found = read_pasted(text, "here")
    assert [order for phase in found.phases for order in orders_of(phase)] == pasted["orders"]
    if "notes" in pasted:
        assert [re.sub(r"^line \d+: ", "", note) for note in found.notes] == pasted["notes"]
    position = found.phases[0].position
    assert position is not None
    units = {f"{unit.power} {unit.type} {unit.location}" for unit in position.units}
    assert units >= set(pasted.get("units", []))
    if "centers" in pasted:
        assert [f"{power} {' '.join(sorted(owned))}" for power, owned in position.centers.items()] == pasted["centers"]
    if "year" in pasted:
        assert (found.season, found.year) == (pasted["season"], pasted["year"])
    if "phases" in pasted:
        assert [phase.phase for phase in found.phases] == pasted["phases"]
    if "exactly" in pasted:
        assert units == set(pasted["exactly"])
    ordered = {ordered_province(given.order) for given in found.phases[0].orders}
    others = [unit for unit in found.phases[0].recorded if province_code(unit.location) not in ordered]
    assert [f"{unit.power} {unit.type} {unit.location}" for unit in others] == pasted.get("dislodged", [])


@pytest.mark.parametrize("pasted", TEXTS, ids=lambda pasted: pasted["style"])
def test_what_is_pasted_is_read_at_once_or_as_its_hint_says(pasted) -> None:
    if "fails" not in pasted:
        has_read(pasted, pasted["text"])
        return
    with pytest.raises(PositionFileError) as caught:
        _ = read_pasted(pasted["text"], "here")
    assert pasted["fails"] in str(caught.value)
    text = pasted["text"]
    for old, new, hint in pasted["hints"]:
        assert hint in str(caught.value)
        assert old in text
        text = text.replace(old, new)
    has_read(pasted, text)


def test_there_are_enough_texts_and_nine_of_ten_are_read_at_once() -> None:
    assert len(TEXTS) >= 150
    assert len({pasted["text"] for pasted in TEXTS}) == len(TEXTS)
    assert sum("fails" not in pasted for pasted in TEXTS) >= 0.9 * len(TEXTS)
    assert sum("source" in pasted for pasted in TEXTS) >= 90


@pytest.mark.parametrize("case", load_suite("datc-3.2").cases[::4], ids=lambda case: case.id)
def test_what_cases_show_prints_is_read(case) -> None:
    found = read_pasted(invoke("cases", "show", case.id).output, "here")
    assert [phase.phase for phase in found.phases] == [phase.phase for phase in case.phases]
    assert [orders_of(phase) for phase in found.phases] == [
        [f"{MARKS[phase.phase]}{order.power} {write_order(order.order)}" for order in phase.orders]
        for phase in case.phases
    ]
    first = found.phases[0].position
    assert first is not None
    assert set(first.units) == set(case.phases[0].position.units)


def test_a_letter_with_a_colon_is_a_unit_under_a_heading_and_a_power_before_units() -> None:
    for text, power in (("England\nF: Lon - Nth\nA: Lpl - Yor", "ENGLAND"), ("F: A Par - Bur, F Bre H", "FRANCE")):
        (phase,) = read_pasted(text, "here").phases
        assert [given.power for given in phase.orders] == [power] * 2
    with pytest.raises(PositionFileError):
        _ = read_pasted("F: Lon - Nth", "here")


def test_a_season_is_one_that_cases_and_the_protocol_have() -> None:
    for heading in ("Spring 1902", "Summer 1902", "Fall 1902", "Autumn 1902", "F1902M", "S1902M"):
        assert read_pasted(f"{heading}\nGermany: A Mun - Ber", "here").season in get_args(Season)
    assert read_pasted("Winter 1902\nGermany: Build A Mun", "here").season in get_args(Season)


def test_a_unit_that_stands_alone_takes_an_order_that_calls_it_otherwise() -> None:
    found = read_pasted("France: F Spa/nc\nFrance: F Spa/sc - Lyo", "here")
    assert found.phases[0].position is not None
    assert [unit.location for unit in found.phases[0].position.units] == ["SPA/NC"]
    assert found.notes == ("line 2: 'F Spa/sc - Lyo' is taken as an order to France's F SPA/NC",)
    with pytest.raises(PositionFileError, match="stands there already"):
        _ = read_pasted("France: F Spa/nc\nItaly: F Spa/sc - Lyo", "here")


def test_units_without_any_order_are_a_position_where_that_is_asked() -> None:
    units = "Units\nGermany: A Mun"
    with pytest.raises(PositionFileError, match="there is no order"):
        _ = read_pasted(units, "here")
    (alone,) = read_pasted(units, "here", needs_orders=False).phases
    assert alone.phase == "movement"
    for heading, phase in (("", "adjustment"), ("Winter 1901", "adjustment"), ("Spring 1901", "movement")):
        found = read_pasted(f"{heading}\nSupply centers\nGermany: Mun, Ber\n{units}", "here")
        assert [each.phase for each in found.phases] == [phase]
        assert found.centers == {"GERMANY": ("BER", "MUN")}


def test_orders_of_a_later_phase_need_no_units() -> None:
    found, _ = read_later_orders("Turkey:\nBuild F Con\nwaive", "adjustment", "here")
    assert [write_order(order) for _, order in found.orders if order is not None] == ["F CON B", "WAIVE"]
    assert read_later_orders("", "retreat", "here")[0].orders == ()
    with pytest.raises(PositionFileError, match="line 1, column 1: whose is it"):
        _ = read_later_orders("A Ser - Gre", "retreat", "here")


def test_all_problems_are_named_at_once_with_line_and_column() -> None:
    with pytest.raises(PositionFileError) as caught:
        _ = read_pasted("Germany: A Mun - Oz\nFraance: A Par - Bur\nEngland: A Nth H, A Yor - Lon\n", "here")
    assert [(line, column, why.partition("\n")[0]) for line, column, why in caught.value.problems] == [
        (1, 18, "'Oz' is no province: expected where it moves to"),
        (2, 1, "there is no power 'Fraance': did you mean 'France'?"),
        (3, 10, "an army cannot stand at sea: ENGLAND A NTH"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a," * 500_000,
        "(" * 200_000,
        "[b=" * 300_000,
        "<b " * 300_000,
        "England:" * 100_000,
        "so what is this\n" * 50_000,
        "game.set_orders('A', [" * 3_000,
        " " * 1_000_000 + "H",
        "X" * 500_000 + "." * 500_000,
        "SUB " + "( " * 200_000,
        "Units: " + "A Mun " * 100_000,
        "The Austrian army in " + "is " * 200_000,
        ", " * 300_000 + " " * 300_000,
    ],
    ids=lambda text: text[:8],
)
def test_a_text_of_any_length_is_refused(text: str) -> None:
    with pytest.raises(PositionFileError):
        _ = read_pasted(text, "here")


def test_no_foreign_word_means_something_else_in_english() -> None:
    """English is tried first; a word that it knows as something else would never be read as it was meant."""
    spellings = standard_board().names.provinces
    for word, meaning in vocabulary_of(standard_board()).foreign.items():
        if len(meaning) == 3:
            assert spellings.get(normal(word), meaning) == meaning, word


ROWS = re.findall(r"^\| (`.+) \| (`[^|]+`) \|$", (ROOT / "docs" / "pasting.md").read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize(("written", "read_as"), ROWS)
def test_the_table_of_the_documentation_is_true(written: str, read_as: str) -> None:
    found = read_pasted("\n".join(re.findall(r"`([^`]+)`", written)), "here")
    assert [re.sub(r" \(.*", "", order) for phase in found.phases for order in orders_of(phase)] == [read_as.strip("`")]


def test_headings_and_units_of_the_documentation_are_read() -> None:
    assert len(ROWS) > 25
    for heading in ("phase: retreat", "F1902R", "Fall 1902 Retreats"):
        (phase,) = read_pasted(f"{heading}\nGermany: A Mun - Boh", "here").phases
        assert phase.phase == "retreat"
    found = read_pasted("Russia: A War, no move received\nUnits:\nGermany: A Mun, F Kie\nItaly:\nA Ven H", "here")
    position = found.phases[0].position
    assert position is not None
    assert {unit.location for unit in position.units} == {"WAR", "MUN", "KIE", "VEN"}


OTHER, KNOWN = "it is no order of the {} phase", "the units and the supply centers are known already"
SKIPPED = [
    ("retreat", "Turkey: A Ser H, A Ser - Gre\nAustria: Build A Vie", "TURKEY A SER R GRE",
     [(1, "A Ser H", OTHER), (2, "Build A Vie", OTHER)]),
    ("adjustment", "Turkey: A Ser R Gre\nTurkey: A Con\nAustria: Build A Vie\nSupply centers\nAustria: Vie",
     "AUSTRIA A VIE B", [(1, "A Ser R Gre", OTHER), (2, "A Con", KNOWN), (5, "Vie", KNOWN)]),
]  # fmt: skip


@pytest.mark.parametrize(("phase", "text", "read", "skipped"), SKIPPED)
def test_what_is_no_order_of_a_later_phase_is_skipped_with_a_note(phase, text, read, skipped) -> None:
    found, notes = read_later_orders(text, phase, "here")
    assert [f"{power} {write_order(order)}" for power, order in found.orders if order is not None] == [read]
    assert notes == [f"line {line}: skipped '{what}': {why.format(phase)}" for line, what, why in skipped]


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("Spain: A Cor - Naf, F Por - Mao", "loeb9"),
        ("Autumn 1901\nNorway: F Arc - Bar, F Swe H", "loeb9"),
        ("Turkey: A Egy H, F Med - Red", "colonial"),
        ("France: A Par - Bur", "standard"),
    ],
)
def test_a_text_is_read_on_the_map_that_its_names_fit_best(text, board):
    pasted, found = read_on_best_map(text, "here")
    assert found.name == board
    assert pasted.phases[0].position is not None
    assert pasted.phases[0].position.board is found.in_season(pasted.season) is found
    assert any(f"the map {board}" in note for note in pasted.notes) == (board != "standard")


def test_a_slip_on_the_standard_map_stays_one_there():
    with pytest.raises(PositionFileError, match=r"^here, line 1, column 18: 'Berx' is no province"):
        _ = read_on_best_map("Germany: A Mun - Berx, A Qqq - Ber", "here")


@pytest.mark.parametrize("heading", ["F 02 Retreats", "F02R", "Fall 02 retreats", "F1902 (retreat phase)"])
def test_a_heading_names_the_phase_in_letters_or_words(heading):
    found = vocabulary_of(standard_board()).read_heading(heading)
    assert found is not None
    assert (found.phase, found.season, found.year) == ("retreat", "autumn", 1902)


@pytest.mark.parametrize(
    ("heading", "map_name", "turn"),
    [
        ("S01", "standard", ("spring", 1901)),
        ("F 02", "standard", ("autumn", 1902)),
        ("Spring '71", "colonial", ("spring", 1871)),
        ("Fall, 1872", "colonial", ("autumn", 1872)),
        ("F 04", "ancient-mediterranean", ("autumn", 4)),
        ("S0012M", "ancient-mediterranean", ("spring", 12)),
        ("Monsoon 71", "colonial", ("autumn", 1871)),
        ("Of the dry season of 1873 we have these orders:", "colonial", ("spring", 1873)),
    ],
)
def test_a_heading_has_the_years_and_the_seasons_of_the_map(heading, map_name, turn):
    board = replace(load_board(map_name), season_names={"spring": "Dry season", "autumn": "Monsoon"})
    start = next(unit for unit in board.start if unit.type == "A")
    pasted = read_pasted(f"{heading}\n{start.power}: A {start.location} H", "here", board=board)
    assert (pasted.season, pasted.year) == turn
