"""Archives of each format: small files, written by hand; and the positions that a hunt draws from them."""

import bz2
import gzip
import json
import lzma
import re
from importlib.metadata import EntryPoint
from pathlib import Path
from random import Random

import pytest
import zstandard

from datc.harness.play.answer import Answer
from datc.harness.search import archives
from datc.harness.search.archives import records as records_module
from datc.harness.search.archives.records import Archive, ArchiveError, chunks_of, turns_of
from datc.harness.search.drawn import random_real, read_games
from datc.reference_engine import Dislodged, Unit, start_position, write_order

from ..cli.running import invoke, words
from .games import CENTERS, OPEN, VIA, game, write

SAMPLE = Path(__file__).parents[4] / "shared" / "data" / "games_sample.jsonl.gz"
LINE = {"id": "g/1/S1901M", **VIA}
MOVEMENT, RETREAT, ADJUSTMENT = game()
MARSEILLES, ROME = Unit("FRANCE", "A", "MAR"), Unit("ITALY", "A", "ROM")


def by_power(rows):
    """The texts of each power, from rows such as `["FRANCE", "A", "PAR"]`."""
    texts = {}
    for power, *parts in rows:
        texts.setdefault(power, []).append(" ".join(parts))
    return texts


SAVED = [
    {
        "name": "F1901M",
        "state": {"units": by_power(MOVEMENT["units"]), "centers": {"AUSTRIA": ["VIE"]}},
        "orders": {**by_power(MOVEMENT["orders"]), "ITALY": None},
        "results": {"A TYR": ["dislodged"], "A MUN": [], "A BOH": [""], "A MAR": [], "A PAR": []},
    },
    {
        "name": "F1901R",
        "state": {
            "units": {"AUSTRIA": ["*A TYR"], **by_power(RETREAT["units"])},
            "retreats": {"AUSTRIA": {"A TYR": OPEN}},
        },
        "orders": by_power(RETREAT["orders"]),
        "results": {"A TYR": []},
    },
    {
        "name": "W1901A",
        "state": {"units": by_power(ADJUSTMENT["units"]), "centers": CENTERS},
        "orders": by_power(ADJUSTMENT["orders"]),
    },
    {"name": "S1902M", "state": {"units": by_power(ADJUSTMENT["after_units"])}},
    {"name": "COMPLETED", "state": {"units": by_power(ADJUSTMENT["after_units"])}},
]
HISTORY = {"game_id": "game", "map_name": "standard"} | {
    f"{what}_history": {phase["name"]: phase.get(field, {}) for phase in SAVED}
    for what, field in (("state", "state"), ("order", "orders"), ("result", "results"))
}
RETREAT_LINE = "Austria: Army Tyrolia -> Vienna.\n"
JDIP = """\
# written by hand
VARIANT_ALL Standard

CASE a.1
PRESTATE_SETPHASE Fall 1901, Movement
PRESTATE
    England: F North Sea
    Russia: F stp/sc
ORDERS
    England: F North Sea - Picardy     # nowhere near
    Russia: F stp/sc - Gulf of Bothnia
POSTSTATE
    England: F North Sea
    Russia: F Gulf of Bothnia
END

CASE a.2
PRESTATE_SETPHASE Fall 1901, Retreat
PRESTATE
    Germany: A Tyrolia
    Germany: A Bohemia
PRESTATE_DISLODGED
    Austria: A Tyrolia
PRESTATE_RESULTS
    FAILURE: Austria: A Tyrolia Holds
    SUCCESS: Germany: A Munich - Tyrolia
    SUCCESS: Germany: A Bohemia Supports A Munich - Tyrolia
ORDERS
    Austria: A Tyrolia - Vienna
POSTSTATE
    Germany: A Tyrolia
    Germany: A Bohemia
    Austria: A Vienna
END

CASE a.3
PRESTATE_SETPHASE Winter 1901, Adjustment
PRESTATE_SUPPLYCENTER_OWNERS
    Germany: Berlin
    Germany: Kiel
PRESTATE
    Germany: A Ruhr
ORDERS
    Germany: Build A Berlin
POSTSTATE
    Germany: A Ruhr
    Germany: A Berlin
END
"""
NJUDGE = """\
:: Judge: HERE  Game: small  Variant: Standard
Movement results for Fall of 1901.  (small.F1901R)

Austria: Army Tyrolia HOLD.  (*dislodged*)
England: Fleet London -> English Channel.  (*bounce*)
England: Army Yorkshire, No Order Processed.
France: Fleet Brest -> English Channel.  (*bounce*)
France: Fleet Gascony -> Spain (north coast).
Germany: Army Bohemia SUPPORT Army Munich -> Tyrolia.
Germany: Army Munich -> Tyrolia.

The following units were dislodged:

The Austrian Army in Tyrolia can retreat to Piedmont, Trieste, Venice or Vienna.

Retreat orders for Fall of 1901.  (small.W1901A)

Austria: Army Tyrolia -> Vienna.

Ownership of supply centers:

Austria:   Vienna.
England:   London.
France:    Brest, Spain.
Germany:   Berlin, Kiel, Munich.

Adjustment orders for Winter of 1901.  (small.S1902M)

England: Removes the army in Yorkshire.
Germany: Builds a fleet in Kiel.
"""


def phases_of(path, name=None):
    """The phases of a file, and the problems of its blocks."""
    archive = Archive(path)
    known, archive_format = archives.find_format(archive, name)
    phases, problems = [], []
    for chunk in chunks_of([(archive, known, archive_format)]):
        for block in chunk.blocks:
            try:
                found = list(block.phases(archive_format))
                problems += [(block.line, why) for phase in found for why in phase.lost]
                phases += found
            except archives.ArchiveError as error:
                problems.append((block.line, str(error)))
    return phases, problems


@pytest.fixture
def read(tmp_path):
    """Write an archive, and return its phases and the problems of its blocks."""

    def written_and_read(content):
        _ = (tmp_path / "archive").write_bytes(content.encode())
        return phases_of(tmp_path / "archive")

    return written_and_read


def agrees(path, *counts, lost=0):
    """Whether all of it agrees with the reference: so many movements, retreats and adjustments; so much is lost."""
    done = invoke("replay", path, "--json")
    assert done.exit_code == int(lost > 0), done.output
    data = json.loads(done.stdout)
    assert [each["agrees"] for each in data["phases"].values()] == list(counts), data
    assert (len(data["problems"]), data["complete"]) == (lost, not lost), data
    return data


COMPRESS = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("suffix", COMPRESS)
def test_packed_files_of_several_parts_are_read_as_plain_ones(suffix, tmp_path):
    path = tmp_path / f"g.jsonl{suffix}"
    _ = path.write_bytes(COMPRESS[suffix](json.dumps(LINE).encode() + b"\n") * 3)
    phases, problems = phases_of(path)
    assert (len(phases), problems) == (3, [])
    answer = Answer((MARSEILLES._replace(location="SPA"), ROME), ())
    orders = (("FRANCE", "A MAR - SPA VIA"), ("ITALY", "A ROM H"))
    assert phases[0] == archives.RecordedPhase(
        "g/1", "S1901M", "movement", (MARSEILLES, ROME), orders, answer=answer, line=1
    )


@pytest.mark.parametrize("suffix", [each for each in COMPRESS if each])
def test_a_file_that_is_cut_off_gives_what_is_there_and_says_so(suffix, tmp_path):
    lines = [json.dumps({**LINE, "id": f"g/{number}/S1901M"}).encode() for number in range(20000)]
    path, content = tmp_path / f"g.jsonl{suffix}", COMPRESS[suffix](b"\n".join(lines))
    _ = path.write_bytes(content[: len(content) * 2 // 3])
    phases, problems = phases_of(path)
    assert len(phases) < 20000
    if suffix != ".bz2":  # The whole of it is one block.
        assert phases
    assert "damaged or cut off from here on" in problems[-1][1]


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_an_archive_that_is_cut_at_two_thirds_does_not_pass(suffix, tmp_path):
    lines = "".join(json.dumps({**LINE, "id": f"g/{number}/S1901M"}) + "\n" for number in range(300)).encode()
    path, content = tmp_path / f"g.jsonl{suffix}", COMPRESS[suffix](lines) if suffix != ".zst" else b""
    if suffix == ".zst":
        content = b"".join(COMPRESS[suffix](part) for part in (lines[:20000], lines[20000:]))
    _ = path.write_bytes(content[: len(content) * 2 // 3])
    done = invoke("replay", path, "--choice", "4.A.3=2000-fallback-unordered")
    assert done.exit_code == 1, done.output
    said = words(done.output)
    assert "1 line cannot be read; the table has nothing of" in said
    assert f"g.jsonl{suffix}, line " in said
    assert ("the file ends in the middle of a line" if not suffix else "damaged or cut off from here on") in said
    assert "No compared phase differs, but a part is lost." in said
    assert "No phase differs" not in said
    assert (
        "not everything could be read"
        in invoke("replay", path, "-q", "--choice", "4.A.3=2000-fallback-unordered").output
    )


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("text", ["json", "jdip"])
def test_a_byte_order_mark_loses_nothing(text, suffix, encoding, tmp_path):
    content = JDIP if text == "jdip" else "".join(json.dumps(line) + "\n" for line in game())
    path = tmp_path / f"archive{suffix}"
    _ = path.write_bytes(COMPRESS[suffix](content.encode(encoding)))
    _ = agrees(path, 2 if text == "jdip" else 1, 1, 1)


def test_a_bad_file_is_named_and_the_good_ones_compared(tmp_path):
    folder = tmp_path / "games"
    folder.mkdir()
    for number in range(2):
        _ = write(folder / f"{number}.jsonl", game(f"g/{number}"))
    _ = agrees(folder, 2, 2, 2)
    _ = (folder / ".hidden").write_bytes(b"\0")
    _ = (folder / "1.zip").write_bytes(b"PK\3\4")
    data = agrees(folder, 2, 2, 2, lost=1)
    assert "1.zip: this is no archive of a known format (formats: json" in data["problems"][0]
    assert "unpacked" in data["problems"][0]
    done = invoke("replay", folder / "1.zip")
    assert done.exit_code == 2
    assert "write standard input to a file" in words(invoke("replay", "-").output)


@pytest.mark.parametrize("indent", [None, 1])
def test_an_array_of_phases_is_read(indent, read, tmp_path):
    _ = read(json.dumps(game(), indent=indent))
    _ = agrees(tmp_path / "archive", 1, 1, 1)
    _ = read(json.dumps([*game(), {"id": 3}], indent=indent))
    _ = agrees(tmp_path / "archive", 1, 1, 1, lost=1)


@pytest.mark.parametrize("content", ["\\title DP: A paper - about\nA lot of words -> none\n", "# Notes\n- A thing\n"])
def test_a_text_without_any_order_is_no_archive(content, tmp_path):
    _ = (tmp_path / "paper").write_text(content)
    done = invoke("replay", tmp_path / "paper")
    assert done.exit_code == 2
    assert "this is no archive of a known format (formats: json, jdip, njudge, text)" in words(done.output)


def test_a_phase_that_is_recorded_twice_is_counted_once_and_named(tmp_path):
    other = {**game()[0], "orders": []}
    path = write(tmp_path / "games.jsonl", [*game(), *game("g/2"), *game()])
    data = agrees(path, 2, 2, 2)
    assert data["skipped"] == {"it is recorded twice": 3}
    assert data["recorded_twice"][0] == "g/1/F1901M (games.jsonl:7)"
    assert "Recorded twice, and counted once:" in invoke("replay", path).output
    assert invoke("replay", write(tmp_path / "games.jsonl", [*game(), other])).exit_code == 1


def test_a_line_that_is_too_long_is_named_and_the_next_one_read(read, monkeypatch):
    monkeypatch.setattr(records_module, "MOST_BYTES", 1 << 20)
    phases, problems = read(f"{json.dumps(LINE)}\n{{{' ' * (3 << 20)}\n{json.dumps(LINE)}")
    assert len(phases) == 2
    assert problems == [(2, "the line has more than 1 MiB")]


def test_games_are_not_cut_in_two(tmp_path):
    lines = [json.dumps({**LINE, "id": f"g/{number // 700}/S{number}M"}) for number in range(7000)]
    path = tmp_path / "g.jsonl"
    _ = path.write_text("\n".join(lines), encoding="utf-8")
    archive = Archive(path)
    games = [
        {json.loads(block.content)["id"].rpartition("/")[0] for block in chunk.blocks}
        for chunk in chunks_of([(archive, *archives.find_format(archive))])
    ]
    assert len(games) > 1
    assert sum(map(len, games)) == 10


@pytest.mark.parametrize("saved", [{"id": "game", "map": "standard", "phases": SAVED}, HISTORY])
@pytest.mark.parametrize("indent", [None, 2])
def test_saved_games_of_the_package_diplomacy_are_read(saved, indent, read, tmp_path):
    phases, problems = read(json.dumps(saved, indent=indent))
    assert problems == []
    assert [phase.id for phase in phases] == ["game/F1901M", "game/F1901R", "game/W1901A", "game/S1902M"]
    movement, retreat, adjustment, _ = phases
    assert movement.answer.dislodged == (Dislodged(Unit("AUSTRIA", "A", "TYR"), None, tuple(OPEN)),)
    assert [said.outcome for said in movement.answer.outcomes] == ["fails", *["succeeds"] * 4]
    assert retreat.dislodged == movement.answer.dislodged
    assert Unit("GERMANY", "A", "BER") in adjustment.answer.units
    assert agrees(tmp_path / "archive", 2, 1, 1)["skipped"] == {}


def test_a_saved_game_of_another_map_is_read_with_it(read, tmp_path):
    states = [{"units": {"ROME": [unit]}} for unit in ("A ROM", "A APU")]
    saved = [
        {"name": "S1M", "state": states[0], "orders": {"ROME": ["A ROM - APU"]}},
        {"name": "F1M", "state": states[1]},
    ]
    content = json.dumps({"id": "g", "map": "ancmed", "phases": saved})
    (first, _), problems = read(content)
    assert not problems
    assert (first.asked().map_name, first.asked().year) == ("ancient-mediterranean", 1)
    assert [write_order(given.order) for given in first.given_orders] == ["A ROM - APU"]
    _ = tmp_path.joinpath("archive").write_text(content)
    _ = agrees(tmp_path / "archive", 1, 0, 0)
    with pytest.raises(ArchiveError, match="g/S1M is on the map ancient-mediterranean"):
        _ = read_games(tmp_path / "archive")


BROKEN_TURN = NJUDGE.replace("SUPPORT Army", "SUPPORT Arny").replace("small", "large")
THIRD_CASE = JDIP.splitlines().index("CASE a.3") + 1
REMARKS = [JDIP.replace("Germany: Build", f"{line}\n    Germany: Build") for line in ("SUCCESS:", "dislodged")]


@pytest.mark.parametrize(
    ("content", "phases", "line", "problem"),
    [
        (json.dumps({"id": "g", "map": "age_of_empires", "phases": SAVED}), 0, 1, "which is not known"),
        (JDIP.replace("Germany: Build", "Gremany: Build"), 3, THIRD_CASE, "Gremany"),
        (REMARKS[0], 3, THIRD_CASE, "SUCCESS:"),
        (REMARKS[1], 3, THIRD_CASE, "dislodged"),
        (JDIP.replace("Standard", "Loeb9"), 0, 1, "the cases from line 2 on are of the variant Loeb9"),
        (JDIP + "VARIANT_ALL Loeb9\n" + JDIP, 4, 1, "are of the variant Loeb9"),
        (JDIP.removesuffix("END\n"), 3, THIRD_CASE, "the case does not end with END"),
        (NJUDGE + BROKEN_TURN + NJUDGE, 9, len(NJUDGE.splitlines()) + 2, "Arny"),
    ],
    ids=["map", "power", "remark", "another-remark", "variant", "later-variant", "end", "turn"],
)
def test_what_cannot_be_read_is_named_and_the_rest_read(content, phases, line, problem, read):
    found, problems = read(content)
    assert len(found) == phases
    ((where, why),) = problems
    assert where == line
    assert problem in why
    assert "\n" not in why


def test_cases_of_jdip_are_read(read, tmp_path):
    phases, problems = read(JDIP)
    assert problems == []
    assert [(phase.game, phase.name) for phase in phases] == [
        ("a.1", "F1901M"), ("a.2", "F1901M"), ("a.2", "F1901R"), ("a.3", "W1901A"),
    ]  # fmt: skip
    assert len(list(turns_of(phases))) == 3
    _ = agrees(tmp_path / "archive", 2, 1, 1)
    _ = read(JDIP.replace("A Vienna\nEND", "A Trieste\nEND"))
    done = invoke("replay", tmp_path / "archive")
    assert done.exit_code == 1
    assert "a.2/F1901R" in done.output


def test_what_people_write_in_cases_of_jdip_is_read(read, tmp_path):
    text = JDIP.replace("Fall 1901, Movement", "Fall 1901 (Movement)").replace("Germany: Berlin", "Germany: A ber")
    text = text.replace("Munich - Tyrolia\n    SUCCESS", "Mun-Tyr\n    SUCCESS")
    text = text.replace("England: F North Sea\n    Russia", "England F North Sea\n    Russia", 1)
    phases, problems = read(text + text.partition("CASE a.2")[0])
    assert problems == []
    assert Unit("GERMANY", "A", "MUN") in phases[1].units
    data = agrees(tmp_path / "archive", 2, 1, 1)
    assert (data["skipped"], data["other_board_than_before"]["count"]) == ({"it is recorded twice": 1}, 0)


def test_a_retreat_of_jdip_without_the_movements_before_it_is_skipped_with_its_reason(read, tmp_path):
    without, _, rest = JDIP.partition("PRESTATE_RESULTS")
    _ = read(f"{without}ORDERS{rest.partition('ORDERS')[2]}")
    assert "its retreats are not recorded" in " ".join(agrees(tmp_path / "archive", 1, 0, 1)["skipped"])


def test_results_of_an_njudge_are_read(read, tmp_path):
    phases, problems = read(NJUDGE)
    assert problems == []
    movement, _, adjustment = phases
    assert [phase.id for phase in phases] == ["small/F1901M", "small/F1901R", "small/W1901A"]
    assert Unit("FRANCE", "F", "SPA/NC") in movement.answer.units
    assert movement.answer.dislodged == (Dislodged(Unit("AUSTRIA", "A", "TYR"), None, tuple(OPEN)),)
    outcomes = movement.answer.outcomes
    assert [said and said.reason for said in outcomes] == ["dislodged", "bounced", "bounced", None, None, None]
    assert outcomes[3:] == (None, None, None), "What has no mark is not known."
    assert adjustment.centers["FRANCE"] == ["BRE", "SPA"]
    _ = agrees(tmp_path / "archive", 1, 1, 1)
    _ = read(NJUDGE.replace("Spain (north coast).", "Spain (north coast). (*bounce*)"))
    done = invoke("replay", tmp_path / "archive")
    assert done.exit_code == 1
    assert "France F Gascony should not be on the board, but is" in words(done.output)


@pytest.mark.parametrize(
    ("old", "new", "counts", "lost"),
    [
        ("SUPPORT Army", "SUPPORT Arny", (0, 1, 1), 1),
        ("Army Bohemia", "Army Nowhere", (0, 0, 0), 3),
        ("Army Tyrolia -> Vienna", "Army Tyrolia -> Nowhere", (1, 0, 0), 2),
        ("fleet in Kiel", "fleet in Nowhere", (1, 1, 0), 1),
    ],
)
def test_an_order_of_an_njudge_that_cannot_be_read_loses_only_what_rests_on_it(old, new, counts, lost, tmp_path):
    turn = NJUDGE.replace("small", "large")
    _ = (tmp_path / "archive").write_text(turn + NJUDGE.replace(old, new), encoding="utf-8")
    data = agrees(tmp_path / "archive", *(1 + count for count in counts), lost=lost)
    assert data["skipped"] == {"a part of it cannot be read": 3 - sum(counts)}
    assert new.split()[-1] in data["problems"][0]


ENDLESS = {
    "orders": json.dumps({**LINE, "orders": [["FRANCE", "A MAR - SPA"]] * 501}),
    "lines": NJUDGE.replace(RETREAT_LINE, RETREAT_LINE * 2000),
}


@pytest.mark.attack
@pytest.mark.parametrize("what", ENDLESS)
def test_a_phase_with_endless_orders_is_not_compared(what, tmp_path):
    """Each is looked up among all, in hundreds of smaller positions."""
    (tmp_path / "archive").write_text(ENDLESS[what], encoding="utf-8")
    data = json.loads(invoke("replay", tmp_path / "archive", "--json").stdout)
    assert data["skipped"]["a part of it cannot be read"] >= 1
    assert re.search(f"more than [0-9]+ {what}", data["problems"][0])


def test_what_an_njudge_mails_twice_is_counted_once_and_named(read, tmp_path):
    retreats = NJUDGE[NJUDGE.index("Retreat orders") : NJUDGE.index("Ownership")]
    _ = read(NJUDGE.replace(retreats, retreats * 2) + NJUDGE)
    data = agrees(tmp_path / "archive", 1, 1, 1)
    assert data["skipped"] == {"it is recorded twice": 4}
    assert data["recorded_twice"][0] == "small/F1901R (archive:2)"


def test_a_line_that_an_njudge_broke_behind_a_coast_goes_on(read):
    phases, _ = read(NJUDGE.replace("Spain (north coast).", "Spain (north coast)\n    (*bounce*)."))
    assert Unit("FRANCE", "F", "GAS") in phases[0].answer.units


def test_lines_that_an_njudge_broke_and_what_it_counts_are_read(read, tmp_path):
    text = NJUDGE.replace(", Trieste, Venice or Vienna", " or Trieste or\nVenice or Vienna")
    text = text.replace("Brest, Spain.\n", "Brest,\n           Spain.\nRussia:    St.\n    Petersburg.\n")
    text = text.replace("Adjustment", "France:  2 Supply centers, 2 Units:  Builds  0 units.  (* CD *)\n\nAdjustment")
    text = text.replace("Removes the army", "Defaults, removing the army") + "France: Build waived.\n"
    phases, problems = read(text)
    assert problems == []
    assert phases[0].answer.dislodged[0].retreats == tuple(OPEN)
    assert phases[2].centers["RUSSIA"] == ["STP"]
    _ = agrees(tmp_path / "archive", 1, 1, 1)


def test_a_unit_that_an_njudge_names_as_dislodged_and_as_destroyed_is_on_no_board(read, tmp_path):
    said = "Austria: Army Tyrolia HOLD.  (*dislodged*)\n"
    listed = "The Austrian Army in Tyrolia can retreat to Piedmont, Trieste, Venice or Vienna.\n"
    _ = read(NJUDGE.replace(said, said + said.replace("dislodged", "destroyed")).replace(listed, ""))
    assert agrees(tmp_path / "archive", 0, 0, 1, lost=1)["skipped"] == {"it is no position on the board": 2}


def test_orders_as_text_are_positions_without_results(read, tmp_path):
    text = "6.A.1. TEST CASE, FAR\n\nEngland:\nF North Sea - Picardy\n\n6.A.2. TEST CASE, SEA\nEngland: A Lvp - Iri\n"
    phases, problems = read(text)
    assert problems == []
    assert [(phase.game, phase.units) for phase in phases] == [
        ("6.A.1", (Unit("ENGLAND", "F", "NTH"),)), ("6.A.2", (Unit("ENGLAND", "A", "LVP"),)),
    ]  # fmt: skip
    done = invoke("replay", tmp_path / "archive", "--engine", "builtin:guess", "--against", "reference")
    assert done.exit_code == 0, done.output
    done = invoke("replay", tmp_path / "archive")
    assert done.exit_code == 2
    assert "no result is recorded" in done.output


@pytest.mark.parametrize("path", ["/dev/zero", "/dev", "nowhere"])
def test_what_is_no_file_is_refused(path):
    with pytest.raises(archives.ArchiveError, match="cannot be read"):
        _ = Archive(Path(path))


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("empty", b"", "formats: json, jdip, njudge, text"),
        ("binary", b"\x00\x01\x02", "formats: json, jdip, njudge, text"),
        ("packed.gz", b"no archive", "cannot be read"),
        ("packed.zst", b"no archive", "cannot be read"),
    ],
)
def test_what_is_no_archive_is_refused(name, content, problem, tmp_path):
    _ = (tmp_path / name).write_bytes(content)
    with pytest.raises(archives.ArchiveError, match=problem):
        _ = archives.find_format(Archive(tmp_path / name))


class Words(archives.ArchiveFormat):
    """A format of another package: a line such as `FRANCE PAR BUR`, an army that goes."""

    def recognises(self, start: bytes) -> bool:
        return start.startswith(b"words")

    def phases(self, content: bytes):
        read = content.decode().split()
        if len(read) != 3:
            raise archives.ArchiveError("not three words")
        power, start, to = read
        units, orders = (Unit(power, "A", start),), ((power, f"A {start} - {to}"),)
        answer = Answer((Unit(power, "A", to),))
        yield archives.RecordedPhase("w", "S1901M", "movement", units, orders, answer=answer)


def test_another_package_adds_a_format(read, tmp_path, monkeypatch):
    entry = EntryPoint("words", f"{__name__}:Words", "datc_check.archives")
    monkeypatch.setattr(EntryPoint, "load", lambda _: Words)
    monkeypatch.setattr(archives, "_added", lambda: {"words": entry})
    archives.format_named.cache_clear()
    phases, problems = read("words\nFRANCE PAR BUR\nGERMANY MUN BUR\n")
    assert (len(phases), problems) == (2, [(1, "not three words")])
    _ = agrees(tmp_path / "archive", 2, 0, 0, lost=1)
    archives.format_named.cache_clear()


def test_lines_of_phases_are_read_with_the_retreats_after_them(tmp_path):
    phases = game()
    phases[0]["orders"].append(["ITALY", "rubbish"])
    phases[0]["outcomes"].append(None)
    games = read_games(write(tmp_path / "games.jsonl", phases))
    assert len(games) == 2
    movement, adjustment = games.ordered(0), games.ordered(1)
    assert len(movement.units) == 5
    assert len(movement.orders) == 5
    assert len(movement.retreats or ()) == 1
    assert adjustment.position.centers == {power: frozenset(centers) for power, centers in CENTERS.items()}


def test_a_pasted_text_is_read_with_its_retreats_and_what_was_guessed(tmp_path):
    file = tmp_path / "thread.txt"
    file.write_text(
        "> **Italy**\n> - `A VEN \u2192 TRI`\n> - `A Tyrl S VEN \u2192 TRI`\n"
        "> **Austria**\n> - `A TRI HOLD` (dislodged)\nRetreats:\nAustria: A Tri - Alb\n",
        encoding="utf-8",
    )
    games = read_games(file)
    ordered = games.ordered(0)
    assert [unit.location for unit in ordered.units] == ["VEN", "TYR", "TRI"]
    assert [given.power for given in ordered.retreats or ()] == ["AUSTRIA"]
    assert games.notes == ["line 3: 'Tyrl' read as TYR"]


def test_pasted_removals_are_read_with_their_centers(tmp_path):
    file = tmp_path / "winter.txt"
    file.write_text("Supply centers:\nRussia: Stp\nUnits:\nRussia: A Lvn\nWinter 1905\nRussia: Remove A Pru\n")
    ordered = read_games(file).ordered(0)
    assert (ordered.phase, ordered.position.centers) == ("adjustment", {"RUSSIA": frozenset({"STP"})})


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"id": 3}', b"\xff\xfe", b'{"phases": []}'])
def test_what_holds_no_games_is_refused(tmp_path, content):
    file = tmp_path / "games.jsonl"
    file.write_bytes(content)
    with pytest.raises(archives.ArchiveError, match=r"games\.jsonl"):
        _ = read_games(file)


def test_a_location_that_there_is_not_is_named(tmp_path):
    file = write(tmp_path / "games.jsonl", [{**LINE, "units": [["ENGLAND", "F", "XYZ"]]}])
    with pytest.raises(archives.ArchiveError, match="there is no position in it: 'XYZ' is no location on the board"):
        _ = read_games(file)


def test_half_of_the_positions_have_one_order_changed(tmp_path):
    orders = [[unit.power, f"{unit.type} {unit.location} H"] for unit in start_position().units]
    line = {**LINE, "units": list(start_position().units), "orders": orders}
    games = read_games(write(tmp_path / "games.jsonl", [line]))
    first, drawn = games.ordered(0), [random_real(Random(seed), games) for seed in range(100)]
    assert {len(ordered.orders) for ordered in drawn} == {len(orders)}
    changed = [len(set(ordered.orders) - set(first.orders)) for ordered in drawn]
    assert set(changed) == {0, 1}
    assert 25 < sum(changed) < 75


def test_the_sample_of_games_is_read():
    if not SAMPLE.is_file():
        pytest.skip(f"the sample of games is not part of the repository, and not at {SAMPLE}")
    games = read_games(SAMPLE)
    assert len(games) == 9917 + 4463
    drawn = [games.ordered(index) for index in range(0, len(games), 50)]
    assert sum(each.retreats is not None for each in drawn) > 50
