"""`datc-check maps`: the boards, and what is wrong with an author's."""

from .running import invoke


def test_a_map_is_shown_with_what_is_special_about_it():
    said = invoke("maps", "show", "loeb9").stdout
    assert "86 provinces, 38 supply centers, 9 powers" in said
    assert "Norway: home DEN NWY SWE; begins with F DEN, A NWY, F SWE" in said
    assert "Ice in autumn: Arctic Ocean" in said
    assert "Difficult passage for an army: Naples and Sicily" in said
    assert "owns TRI; begins with A TRI" in invoke("maps", "show", "1898").stdout
    assert "builds in any center" in invoke("maps", "show", "chaos").stdout
    assert "can convoy: Denmark, Sweden" in invoke("maps", "show", "convoying-coasts").stdout
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
