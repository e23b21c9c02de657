"""Real games, with the results that another engine (jDip) gave: a rule choice must explain each difference."""

import gzip
import json
from functools import cache

import pytest

from datc.reference_engine import DATC_3_1, GivenOrder, Position, Unit, adjudicate, find_procedure, read_order

from .conftest import ROOT
from .harness.cli.running import invoke

SAMPLE = ROOT.parent / "shared" / "data" / "games_sample.jsonl.gz"
# What the other engine plays where it is not what the DATC prefers (4.A.3): an army ordered to go via convoy to a
# neighbour, where nobody was ordered to convoy it, walks (see the README of the data).
WALKS = "2000-fallback-unordered"


@pytest.fixture(scope="module")
def phases():
    if not SAMPLE.is_file():
        pytest.skip(f"the sample of games is not part of the repository, and not at {SAMPLE}")
    with gzip.open(SAMPLE, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def read(text, phase):
    return read_order(text, phase)


def given(phase):
    return [GivenOrder(power, read(text, phase["phase"]).order) for power, text in phase["orders"]]


def test_every_order_is_read_without_a_guess(phases):
    notes = [read(text, phase["phase"]).notes for phase in phases for _, text in phase["orders"]]
    assert len(notes) > 100_000
    assert not any(notes)


def replay(*options):
    """What `datc-check replay` says of the sample."""
    done = invoke("replay", SAMPLE, "--json", *options)
    data = json.loads(done.stdout)
    assert done.exit_code == bool(data["causes"])
    assert sum(counts["skipped"] for counts in data["phases"].values()) == data["unreadable"] == 0
    return data


def differing(data):
    return [data["phases"][phase]["differs"] for phase in ("movement", "retreat", "adjustment")]


def test_the_sample_differs_by_two_rule_choices(phases):
    data = replay()
    assert [counts["read"] for counts in data["phases"].values()] == [9917, 6098, 4463]
    assert differing(data) == [72, 0, 188]
    assert data["phases"]["retreat"]["follows"] == 24
    causes = {issue: cause for cause in data["causes"] for issue in cause["choices"]}
    assert {issue: sum(cause["phases"].values()) for issue, cause in causes.items()} == {"4.A.3": 72, "4.D.8": 188}
    assert WALKS in causes["4.A.3"]["choices"]["4.A.3"]
    for cause in causes.values():
        evidence = cause["evidence"]
        assert evidence["agreed"] == evidence["asked"] == sum(cause["phases"].values())


def test_all_of_the_sample_agrees_under_the_choices_that_are_inferred(phases):
    data = replay("--infer", "--choice", f"4.A.3={WALKS}", "--no-experiments")
    assert list(data["inferred"]) == ["4.D.8"]
    assert differing(data) == [0, 0, 0]
    assert sum(counts["agrees"] for counts in data["phases"].values()) == len(phases)


def test_the_procedures_of_the_datc_make_the_same_of_movement_phases(phases):
    procedures = [find_procedure(name) for name in ("guess", "decisions")]
    for phase in phases:
        if phase["phase"] == "movement":
            position = Position(Unit(*unit) for unit in phase["units"])
            orders = given(phase)
            expected = adjudicate(position, orders)
            for procedure in procedures:
                assert adjudicate(position, orders, DATC_3_1, procedure) == expected, phase["id"]
