"""`datc-check replay`, as a person or a pipeline calls it."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys

import pytest

from datc.harness.search.findings import STATUSES

from ..cli.running import COMMAND, invoke
from .adjudicators import begin
from .games import FALSE, VIA, game, many, write

WALKS = f"exec:{COMMAND} engine --choice 4.A.3=2000-fallback-unordered --fixed"


def replay(*arguments):
    return invoke("replay", *arguments, env={"COLUMNS": "80"})


def found(*arguments):
    done = replay(*arguments, "--json")
    assert done.exit_code in (0, 1, 3), done.output
    data = json.loads(done.stdout)
    for counts in data["phases"].values():
        assert counts["read"] == sum(counts[each] for each in STATUSES[1:])
    assert sum(data["skipped"].values()) == sum(counts["skipped"] for counts in data["phases"].values())
    return data


@pytest.mark.parametrize("what", FALSE)
def test_each_kind_of_false_result_is_found(what, tmp_path):
    at, falsify, sentence = FALSE[what]
    phases = game("g/2")
    falsify(phases)
    data = found(write(tmp_path / "games.jsonl", [*game("g/1"), *phases, *game("g/3")]), "--words")
    kinds = ("movement", "retreat", "adjustment")
    assert [data["phases"][kind]["differs"] for kind in kinds] == [int(at == each) for each in range(3)]
    assert data["phases"]["retreat"]["follows"] == int(at == 0)
    (cause,) = data["causes"]
    assert cause["places"] == [f"g/2/{('F1901M', 'F1901R', 'W1901A')[at]} (games.jsonl:{4 + at})"]
    assert sentence in cause["differences"]


def test_a_choice_that_explains_is_named_tested_on_the_archive_and_inferred(tmp_path):
    file = write(tmp_path / "games.jsonl", [*game("g/0"), *({"id": f"g/{n}/S1901M", **VIA} for n in range(1, 6))])
    (cause,) = found(file)["causes"]
    assert (cause["kind"], cause["phases"], cause["games"]) == ("deviation", {"movement": 5}, 5)
    assert "2000-fallback-unordered" in cause["choices"]["4.A.3"]
    assert (cause["evidence"]["strength"], cause["evidence"]["agreed"]) == ("confirmed", 5)
    done = replay(file)
    assert done.exit_code == 1
    assert "France: A MAR - SPA VIA" in done.output
    assert "A ROM" not in done.output
    assert max(map(len, done.output.splitlines()[1:])) <= 80, "but for the path of the archive"
    assert found(file, "--choice", "4.A.3=2000-fallback-unordered")["causes"] == []


def test_a_choice_that_other_phases_contradict_is_no_deviation(tmp_path):
    stays = {**VIA, "after_units": [["FRANCE", "A", "MAR"], ["ITALY", "A", "ROM"]]}
    lines = [{"id": f"g/{n}/S1901M", **(VIA if n == 0 else stays)} for n in range(10)]
    data = found(write(tmp_path / "games.jsonl", lines))
    (cause,) = data["causes"]
    assert (cause["kind"], cause["choices"]) == ("bug", {})
    (refuted,) = cause["refuted"]
    assert "4.A.3 = " in refuted["cause"]
    assert [refuted["evidence"][each] for each in ("asked", "agreed", "as_rules")] == [10, 1, 9]
    assert found(tmp_path / "games.jsonl", "--infer")["inferred"] == {}


def test_the_phases_that_a_cause_decides_add_up(tmp_path):
    """A phase without recorded retreats fits both sides of what differs in the retreats alone: it decides nothing."""
    false = game("g/0")
    FALSE["a retreat too many"][1](false)
    silent = [{**phase, "after_dislodged": {"TYR": {"power": "AUSTRIA", "type": "A", "retreats": None}}}
              for number in range(1, 9) for phase in game(f"g/{number}")[:1]]  # fmt: skip
    file = write(tmp_path / "games.jsonl", [*false[:1], *silent, *game("g/9")[:1]])
    (cause,) = found(file)["causes"]
    told = [each["evidence"] for each in (cause, *cause["refuted"]) if each["evidence"]["asked"]]
    assert told
    for each in told:
        assert each["agreed"] + each["as_rules"] <= each["asked"] == 2
    assert "-" not in "".join(part for part in replay(file).output.split() if part[1:].isdigit())


def test_an_engine_is_held_to_what_was_recorded_or_to_the_reference(tmp_path):
    file = write(tmp_path / "games.jsonl", [*game("g/1"), {"id": "g/2/S1901M", **VIA}])
    assert found(file, "--engine", "builtin:guess")["phases"]["movement"]["differs"] == 1
    data = found(file, "--engine", WALKS)
    assert data["causes"] == []
    assert data["phases"]["retreat"]["agrees"] == 1
    (cause,) = found(file, "--engine", WALKS, "--against", "reference")["causes"]
    assert "2000-fallback-unordered" in cause["choices"]["4.A.3"]
    assert cause["differs"] != "the archive"


def test_an_engine_that_stops_responding_gives_exit_code_3(tmp_path):
    file = write(tmp_path / "games.jsonl", game())
    done = replay(file, "--engine", f"exec:{sys.executable} -c 'import sys; sys.exit(1)'")
    assert done.exit_code == 3, done.output


def test_lines_that_cannot_be_read_are_named_and_skipped(tmp_path):
    phases = game("g/2")
    nowhere = {"id": "g/3/S1901M", **VIA, "units": [["FRANCE", "A", "XYZ"]]}
    file = write(tmp_path / "games.jsonl", [*game("g/1"), "{broken", *phases, "[3]", nowhere])
    data = found(file)
    assert data["unreadable"] == 2
    assert [re.sub(r"^.*games", "games", text)[:21] for text in data["problems"]] == [
        "games.jsonl, line 4: ", "games.jsonl, line 8: ", "games.jsonl:9): 'XYZ'",
    ]  # fmt: skip
    assert data["skipped"] == {"it is no position on the board": 1}
    assert sum(counts["read"] for counts in data["phases"].values()) == 7


def test_what_is_not_recorded_is_skipped_and_said(tmp_path):
    bare = [{key: value for key, value in phase.items() if not key.startswith("after")} for phase in game()]
    for phase in bare:
        _ = phase.pop("outcomes", None)
    file = write(tmp_path / "games.jsonl", [bare[0], bare[2], {**bare[1], "id": "g/7/F1901R"}])
    done = replay(file)
    assert done.exit_code == 2
    assert "no result is recorded" in done.output
    assert "nothing is known" in done.output
    # The board before the retreats is the one after the movements.
    assert found(write(tmp_path / "two.jsonl", bare[:2]))["phases"]["movement"]["agrees"] == 1
    assert found(file, "--engine", "builtin", "--against", "reference")["phases"]["movement"]["agrees"] == 1


def test_boards_come_before_words(tmp_path):
    first, *later = game()
    first["outcomes"][1] = "fails"  # The document may call this support void; the board is the same.
    file = write(tmp_path / "games.jsonl", [first, *later])
    done = replay(file)
    assert done.exit_code == 0, done.output
    assert "words: 1 phase with the same board and other outcomes of orders" in done.output
    data = found(file)
    assert data["phases"]["movement"] == {
        "read": 1, "agrees": 0, "words": 1, "differs": 0, "follows": 0, "skipped": 0,
    }  # fmt: skip
    assert (data["causes"], data["phases"]["retreat"]["agrees"]) == ([], 1)
    done = replay(file, "--words")
    assert done.exit_code == 1
    assert "1 phase differs: 1 cause" in done.output
    assert found(file, "--words")["phases"]["retreat"]["follows"] == 1


def test_a_board_that_does_not_follow_from_the_one_before_is_named(tmp_path):
    phases = game()
    phases[2]["units"] = [unit for unit in phases[2]["units"] if unit[2] != "VIE"]
    data = found(write(tmp_path / "games.jsonl", phases))
    assert data["other_board_than_before"] == {"count": 1, "phases": ["g/1/W1901A (games.jsonl:3)"]}


def test_several_processes_find_the_same_and_so_does_one_without_experiments(tmp_path):
    file = write(tmp_path / "games.jsonl", many(300))
    one, untested = found(file), found(file, "--no-experiments")
    assert found(file, "--processes=2") == one
    assert untested["phases"] == one["phases"]
    assert untested["causes"][0]["places"] == one["causes"][0]["places"]


def test_a_replay_that_was_killed_goes_on_to_the_same_report(tmp_path):
    file, store = write(tmp_path / "games.jsonl", many(600)), tmp_path / "store"
    process = begin(store, "replay", file)
    process.kill()
    _ = process.communicate()
    with (store / "chunks.jsonl").open("ab") as cut_off:
        _ = cut_off.write(b'{"key": "cut')
    resumed = found(file, "--store", store, "--resume")
    assert resumed == found(file)
    assert resumed["phases"]["movement"]["read"] == 1200
    other = replay(file, "--store", store, "--resume", "--choice", "4.A.3=alexander")
    assert other.exit_code == 2
    assert "a replay with other ruleset" in other.output
    assert "holds a replay already" in replay(file, "--store", store).output


def test_ctrl_c_reports_what_was_found_and_loses_nothing(tmp_path):
    file, store = write(tmp_path / "games.jsonl", many(6000, via=False)), tmp_path / "store"
    process = begin(store, "replay", file, "--processes", 2)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted: this is what was found until then." in output
    assert found(file, "--store", store, "--resume") == found(file)


SENDS = """
import os, sys, time
from datc.adapters.builtin import respond
for number, line in enumerate(sys.stdin.buffer):
    if number == 8:
        os.kill(int(sys.argv[1]), 2)
    time.sleep(0.05 * (number > 6))
    print(respond(line).decode(), flush=True)
"""


@pytest.mark.parametrize("processes", [1, 2])
def test_ctrl_c_reports_what_a_slow_engine_has_answered(processes, tmp_path):
    (tmp_path / "engine.py").write_text(SENDS, encoding="utf-8")
    engine = f"exec:{sys.executable} {tmp_path / 'engine.py'} {os.getpid()}"
    file, report = write(tmp_path / "games.jsonl", many(80)), tmp_path / "report.json"
    done = replay(file, "--engine", engine, "--processes", processes, "--json", "-o", report)
    assert done.exit_code == 130
    data = json.loads(done.stdout)
    counts = [data["phases"][kind] for kind in ("movement", "retreat")]
    assert 5 <= sum(each["read"] for each in counts) < 200
    assert all(each["read"] == each["agrees"] + each["differs"] + each["follows"] for each in counts)
    assert json.loads(report.read_bytes())["complete"] is False


def test_untrusted_names_are_made_printable(tmp_path):
    lines = [{"id": f"g\x1b[2J\n::error::x/{n}/S1901M", **VIA} for n in range(5)]
    done = replay(write(tmp_path / "games.jsonl", lines))
    assert "\x1b" not in done.output
    assert not [line for line in done.output.splitlines() if line.startswith("::")]


def test_a_packed_archive_is_read_in_little_memory(tmp_path):
    lines = "".join(json.dumps(line) + "\n" for number in range(9000) for line in game(f"g/{number}")).encode()
    file = tmp_path / "games.jsonl.gz"
    _ = file.write_bytes(gzip.compress(lines, compresslevel=1))
    code = (
        "import sys; from datc.harness.cli.group import cli;"
        "cli(['replay', sys.argv[1]], standalone_mode=False);"
        "print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", code, file], capture_output=True, text=True, check=True)
    assert "27000 phases" in done.stdout
    assert int(done.stdout.split()[-1]) < 150_000
