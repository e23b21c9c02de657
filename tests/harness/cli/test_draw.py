"""`datc-check draw`: from a case or lines of orders to a picture."""

import os
import threading
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import pytest

from datc.cases import load_ruleset, load_suite, suite_names
from datc.harness.cli import reporting
from datc.harness.cli.commands import explain
from datc.harness.paste.reader import read_position_text
from datc.reference_engine import write_order
from datc.reports.boardmap.drawing import draw_board

from .running import invoke

SVG = "{http://www.w3.org/2000/svg}"


def draw(*arguments, **options):
    return invoke("draw", *arguments, **options)


def described(text):
    top = ET.fromstring(text)
    return top.findtext(f"{SVG}title") or "", top.findtext(f"{SVG}desc") or ""


def test_a_case_is_drawn_into_a_file_or_to_standard_output(tmp_path):
    file = tmp_path / "case.svg"
    done = draw("6.F.24", "-o", file)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", f"Wrote {file}\n")
    assert draw("6.F.24").output == file.read_text(encoding="utf-8")
    title, words = described(draw("6.F.24").output)
    assert title == "6.F.24 Second order paradox with no resolution"
    assert "F Edinburgh moves to North Sea;" in words
    assert "(fails: illegal)" in described(draw("6.A.1").output)[1]


def test_the_rules_can_be_chosen():
    def retreats(*choice):
        return described(draw("6.H.12", "--after", *choice).output)[1]

    assert "A Liverpool of England is dislodged by the unit from Edinburgh and may retreat to" in retreats()
    assert "Edinburgh" in retreats().partition("may retreat to")[2]
    other = retreats("--choice", "4.A.5=no-retreat-to-origin").partition("A Liverpool of England is dislodged")[2]
    assert "Edinburgh" not in other.partition("may retreat to")[2]
    assert draw("6.A.1", "--ruleset", "1982").exit_code == 0


def test_a_case_is_cropped_unless_the_whole_map_is_wanted():
    def width(*options):
        return float(ET.fromstring(draw("6.F.9", *options).output).attrib["viewBox"].split()[2])

    assert width("--full") == 1200
    assert width() < 600
    titled, plain = draw("6.F.9").output, draw("6.F.9", "--plain").output
    assert titled.count("Dislodge of multi-route convoy") == 2
    assert plain.count("Dislodge of multi-route convoy") == 1


@pytest.fixture
def browser(tmp_path, monkeypatch):
    """Put a browser on the path that runs these lines of shell."""

    def install(lines):
        folder = tmp_path / "bin"
        folder.mkdir()
        if lines:
            (folder / "chromium").write_text(f"#!/bin/sh\n{lines}\n")
            (folder / "chromium").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/bin" if lines else str(folder))

    return install


def test_a_png_is_what_the_browser_draws(tmp_path, browser):
    browser('for word; do case $word in --screenshot=*) echo drawn > "${word#*=}";; esac; done')
    assert draw("6.A.1", "-o", tmp_path / "case.png").exit_code == 0
    assert (tmp_path / "case.png").read_text() == "drawn\n"


@pytest.mark.parametrize(
    ("lines", "problem"),
    [("", "a PNG needs Chromium, Chrome or Edge"), ("exit 1", "drew no picture"), ("sleep 60", "did not draw")],
)
def test_a_browser_that_is_missing_or_fails_is_named(tmp_path, browser, monkeypatch, lines, problem):
    monkeypatch.setattr("datc.harness.board.browser.TIME_LIMIT", 0.2)
    browser(lines)
    done = draw("6.A.1", "-o", tmp_path / "case.png")
    assert done.exit_code == 2
    assert problem in done.stderr.replace("\n", " ")
    assert not (tmp_path / "case.png").exists()


@pytest.mark.parametrize("number", [1, 2])
def test_a_later_phase_goes_on_from_the_one_before(number):
    title, words = described(draw("6.H.10", "--phase", number).output)
    assert title.endswith(f", phase {number}")
    assert "retreats to" in words or number == 1


def test_every_case_of_every_suite_can_be_drawn():
    for suite in suite_names():
        loaded = load_suite(suite)
        ruleset = load_ruleset(loaded.ruleset).ruleset()
        for case in loaded.cases:
            for number in range(1, len(case.phases) + 1):
                _, scene = explain.case_scene(case, ruleset, number, after=number % 2 == 0)
                assert ET.fromstring(draw_board(scene, title=case.title, base="reference")) is not None


def test_a_position_is_lines_of_orders(tmp_path):
    file = tmp_path / "position.txt"
    file.write_text("# a convoy\nEngland:\nA Lon - Bel\nF Nth C A Lon - Bel\n\nGermany: A Mun H\n", encoding="utf-8")
    _, words = described(draw(file).output)
    assert words == (
        "England: A London moves to Belgium, convoyed by F North Sea; F North Sea convoys A London to Belgium. "
        "Germany: A Munich holds."
    )
    _, after = described(draw(file, "--after").output)
    assert after == "England: A Belgium; F North Sea. Germany: A Munich."
    assert described(draw("-", input="Germany: A Mun - Ber").output)[1] == "Germany: A Munich moves to Berlin."


def test_a_power_is_a_heading_or_before_its_order_and_may_order_what_is_not_its():
    text = "Italian A Rom H\nENGLAND:\n  F Lon - Nth\nGerman: A Mun H\nA Lvp H\nFrench A Par H\n"
    (position, orders, *_), texts = read_position_text(text, "x")
    assert [unit.power for unit in position.units] == ["ITALY", "ENGLAND", "GERMANY", "ENGLAND", "FRANCE"]
    assert [order.power for order in orders] == ["ITALY", "ENGLAND", "GERMANY", "ENGLAND", "ENGLAND"]
    assert texts[1] == "F Lon - Nth"


@pytest.mark.parametrize(
    "text",
    [
        "France\nA Par-Bur\nEngland\nF Nth C A Lon-Nwy\nA Lvp-Yor\nA Lon-Nwy via convoy",
        "France: A Par-Bur; England: F Nth C A Lon-Nwy, A Lvp-Yor, A Lon-Nwy by convoy",
        "- France\n* A Par - Bur\n- England:\n- F Nth C A Lon-Nwy\n- A Lvp-Yor\n- A Lon-Nwy VIA",
        "France:\tA Par\t-\tBur\nEngland:\tF Nth  C\tA Lon-Nwy\nA Lvp - Yor\nA Lon-Nwy VIA CONVOY",
    ],
)
def test_a_position_is_read_as_the_places_where_people_play_write_it(text):
    (_, orders, *_), texts = read_position_text(text, "x")
    assert [f"{power} {write_order(order)}" for power, order in orders if order is not None] == [
        "FRANCE A PAR - BUR", "ENGLAND F NTH C A LON - NWY", "ENGLAND A LVP - YOR", "ENGLAND A LON - NWY VIA",
    ]  # fmt: skip
    assert "\t" not in "".join(texts)


@pytest.mark.parametrize(
    ("sentence", "order"),
    [
        ("The army at Paris support hold to Burgundy. (fail) (dislodged)", "A PAR S BUR"),
        ("The fleet at Marseilles support move to Spain (South Coast) from Portugal", "F MAR S POR - SPA/SC"),
        ("The fleet at St. Petersburg (North Coast) hold", "F STP/NC H"),
    ],
)
def test_a_sentence_of_webdiplomacy_is_an_order(sentence, order):
    (_, orders, *_), _ = read_position_text(f"France: {sentence}", "x")
    assert [given and write_order(given) for _, given in orders] == [order]


def test_a_position_comes_from_a_pipe_and_a_case_has_the_name_that_reports_give_it(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    threading.Thread(target=pipe.write_text, args=("Germany: A Mun - Ber",)).start()
    assert described(draw(pipe).output)[1] == "Germany: A Munich moves to Berlin."
    assert draw("extended/X.12-stronger-loser").output == draw("X.12-stronger-loser", "--suite", "extended").output


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1, column 1: there is no order; write lines such as 'Germany: A Mun - Ber'"),
        ("A Mun - Ber", "line 1, column 1: whose is it? Write 'Germany: A Mun - Ber', or a line 'Germany:'"),
        ("\nGermany: Kie - Ber", "line 2, column 10: an army or a fleet? Write 'A Kie - Ber' or 'F Kie - Ber'"),
        ("Germoney: A Mun H", "line 1, column 1: there is no power 'Germoney': did you mean 'Germany'?"),
        ("Germany: A Mun frobnicates", "line 1, column 16: 'frobnicates' is no order"),
        ("Germany: A Mun H\nFrance: F Mun H", "line 2, column 9: Germany's A MUN stands there already, in line 1"),
        ("Germany: A Nth H", "line 1, column 10: an army cannot stand at sea: GERMANY A NTH"),
        ("France: F Spa H", "line 1, column 9: a fleet in Spain is on one of its coasts, SPA/NC or SPA/SC"),
        ("Germany: A Mun H; Spain: F Spa H", "line 1, column 19: there is no power 'Spain'"),
        ("France: A Par - " + "." * 100_000, "line 1, column 9: an order has at most 300 characters"),
    ],
)
def test_a_wrong_position_says_which_line_and_what_would_be_right(text, problem):
    done = draw("-", input=text)
    assert done.exit_code == 2
    assert f"standard input, {problem}" in " ".join(done.stderr.split())


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "file").write_bytes(b"\xff\xfe\xfd")
    assert "is no text in UTF-8" in draw(tmp_path / "file").stderr


def test_a_terminal_gets_no_picture(monkeypatch):
    monkeypatch.setattr(reporting, "sys", SimpleNamespace(stdout=SimpleNamespace(isatty=lambda: True)))
    done = draw("6.A.1")
    assert done.exit_code == 2
    assert "name a file with -o FILE.svg" in done.stderr
