"""`datc-check maps`: the boards, and what is wrong with an author's."""

import sys

from datc.reference_engine.toml import loads
from datc.reports.boardmap.layout import has_layout

from ...adapters.fakes import FAKE
from .running import COMMAND, invoke


def test_a_map_is_shown_with_what_is_special_about_it():
    said = invoke("maps", "show", "loeb9").stdout
    assert "86 provinces, 38 supply centers, 9 powers" in said
    assert "Norway: home DEN NWY SWE; begins with F DEN, A NWY, F SWE" in said
    assert "Ice in autumn: Arctic Ocean" in said
    assert "Difficult passage for an army: Naples and Sicily" in said
    assert "owns TRI; begins with A TRI" in invoke("maps", "show", "1898").stdout
    assert "builds in any center" in invoke("maps", "show", "chaos").stdout
    assert "can convoy: Denmark, Sweden" in invoke("maps", "show", "convoying-coasts").stdout
    assert "fleet (in force): Only a fleet permits it" in invoke("maps", "show", "colonial").stdout
    unknown = invoke("maps", "show", "loeb8")
    assert (unknown.exit_code, "did you mean 'loeb9'?" in unknown.stderr) == (2, True)


def test_the_maps_are_listed():
    assert ["standard", "Diplomacy"] in [line.split() for line in invoke("maps", "list").stdout.splitlines()]


def test_a_file_is_checked(tmp_path):
    file = tmp_path / "mine.toml"
    _ = file.write_text('title = "Mine"\nbase = "standard"\n[provinces]\nLON = { armies = "WAL" }\n')
    done = invoke("maps", "check", "standard", file)
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "standard: 75 provinces, nothing wrong",
        "mine.toml, YOR, armies: names LON, which does not name it: a border has two sides",
        f"{file}: 1 problem",
    ]


def test_a_map_of_another_program_is_imported_and_compared(tmp_path):
    source, file = tmp_path / "small.map", tmp_path / "small.toml"
    _ = source.write_text("ALBION (ALBIAN) NOR\nA NOR\nNord = NOR\nLAND NOR ABUTS SUD\nLAND SUD ABUTS NOR\n")
    done = invoke("maps", "import", source, "-o", file)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "small: 2 provinces, nothing wrong\n")
    assert invoke("maps", "diff", source, file).exit_code == 0
    assert len(loads(file.read_text()).get("places", ())) == (2 if has_layout() else 0)
    _ = source.write_text(source.read_text().replace("ABUTS NOR", ""))
    done = invoke("maps", "import", source)
    assert done.exit_code == 1
    assert 'SUD = { name = "SUD", armies = "" }' in done.stdout
    assert "small.map, NOR, armies: names SUD, which does not name it: a border has two sides" in done.stderr
    done = invoke("maps", "diff", file, source)
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"LEFT: {file}",
        f"RIGHT: {source}",
        "border SUD - NOR by land, in this direction only: only LEFT has it",
    ]


def test_the_map_that_an_engine_gives_is_imported_and_compared(tmp_path):
    done = invoke("maps", "diff", "loeb9", f"exec:{COMMAND} engine#loeb9")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "no difference")
    for engine, code, said in (
        ("builtin#loeb8", 2, "builtin gives no map 'loeb8'"),
        (f"exec:{sys.executable} -S {FAKE} behaves", 2, "gives no map 'standard'"),
        (f"exec:{sys.executable} -S {FAKE} crashes-at-start", 3, "the engine ended"),
        (tmp_path / "gone.map", 2, "gone.map: cannot be read: No such file or directory"),
    ):
        refused = invoke("maps", "import", engine)
        assert (refused.exit_code, said in refused.stderr) == (code, True), refused.stderr
