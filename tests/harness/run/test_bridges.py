"""The bridges that come with the project, each to a real engine that someone else wrote.

Each is set up and asked every case once; what an engine does not pass, and nothing else, stands in its `expected.toml`.
What it answers is what is stored of it, which the site shows.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from datc.adapters import open_engine, parse_engine_spec
from datc.adapters.bridges import Bridge, bridge_names, find_bridge, labelled
from datc.cases import load_ruleset, load_suite
from datc.cases.suite import USUAL_EDITION
from datc.harness.config.setting_up import Manner, set_up_bridge
from datc.harness.errors import ExpectationError
from datc.harness.play.verdict import Rules
from datc.harness.run.gate import diff_runs
from datc.harness.run.runner import Run, read_expected
from datc.harness.run.smoke import smoke_checks
from datc.reports import read_run
from datc.reports.json_report import render_json

from ...conftest import ROOT
from ...programs import run as run_program

MISSING = {
    "js_diplomacy": "GAL - SIL by land, ADR - ALB by sea, BAL - KIE by sea, NTH - SKA by sea",
    "rust_diplomacy": "GAL - UKR by land, LVN - WAR by land, NWY - STP by land, BOT - FIN by sea, BOT - LVN by sea, "
    + "BOT - STP/SC by sea, BOT - SWE by sea, CON - SMY by sea, MAO - SPA/SC by sea, NWY - STP/NC by sea, "
    + "TUS - TYS by sea",
}
"""The borders that the map of an engine lacks, in both directions."""
TAKES_FOREIGN_ORDERS = {"js_diplomacy", "radip"}
"""Engines whose orders have no power in them."""
DOUBTS_FOREIGN_ORDERS = {"rust_diplomacy"}
LETS_WAIVE = {"radip": {"waive"}}
"""Engines that waive a build; none plays that a wrong nationality makes an order void."""
NAMES_OTHERWISE = {
    "godip": {
        "maps as data": [
            f"{name}: other names than ours: {codes}"
            for name, codes in {"chaos": "SKA, WES", "hundred": "ATL, CHA, MED", "standard": "SKA, WES"}.items()
        ]
    }
}
"""Engines that give their maps with other names of provinces."""


CASES = load_suite(USUAL_EDITION).cases


def run(name, cases=CASES):
    spec = parse_engine_spec(name, {})
    engine = open_engine(spec, spec.limits(spec.request_seconds or 60))
    return Run(engine, spec, cases, Rules(load_ruleset(USUAL_EDITION).ruleset(), {})).to_the_end()


@pytest.mark.parametrize("name", bridge_names())
def test_an_engine_passes_all_cases_but_those_expected_and_answers_as_is_stored(ready_bridge, name):
    bridge = ready_bridge(name)
    expected = read_expected(bridge)
    report = run(name)
    assert report.complete, report.incomplete_reason
    assert report.engine.version == expected.version
    assert list(expected.differences(load_suite(expected.suite).cases, report.cases)) == []
    stored = read_run((ROOT / "docs" / "runs" / f"{name}.jsonl").read_bytes())
    meant = f"where that is meant, `python docs/generate/renew_runs.py {name}` stores what the engine answers now"
    assert answers_in(read_run(render_json(report))) == answers_in(stored), meant


def answers_in(report):
    return {
        case.key: [(phase.answer, [(each.outcome, each.reason) for each in phase.orders]) for phase in case.phases]
        for case in report.cases
    }


@pytest.mark.parametrize("name", bridge_names())
def test_an_engine_speaks_the_protocol_and_its_map_lacks_what_is_known(ready_bridge, name):
    assert ready_bridge(name).is_ready
    spec = parse_engine_spec(name, {})
    with open_engine(spec, spec.limits(spec.request_seconds or 60)) as engine:
        started = engine.start()
        checks = {check.name: check for check in smoke_checks(engine, started, jobs=2)}
    assert started.capabilities.phases == read_expected(find_bridge(name)).phases
    found = checks.pop("map").map
    assert found is not None
    assert (found.borders, found.others) == (504, 6602)
    missing = ", ".join(f"{border.one} - {border.other} by {border.by}" for border in found.missing)
    assert missing == MISSING.get(name, "")
    assert all(len(border.moves) == 2 for border in found.missing)
    assert (found.too_many, found.elsewhere, found.unanswered) == ([], {}, {})
    assert {check.name: check.failures for check in checks.values() if check.failures} == {}
    foreign = checks.pop("order to another power's unit")
    assert bool(foreign.hints) == (name in TAKES_FOREIGN_ORDERS | DOUBTS_FOREIGN_ORDERS)
    passed_on = {hint.partition(":")[0] for hint in checks.pop("what the bridge passes on").hints}
    assert passed_on == {"nationality", "waive"} - LETS_WAIVE.get(name, set())
    assert {check.name: check.hints for check in checks.values() if check.hints} == NAMES_OTHERWISE.get(name, {})


def test_jdip_starts_whatever_the_language_of_the_system_is(ready_bridge, monkeypatch):
    assert ready_bridge("jdip").is_ready
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Duser.language=tr -Duser.country=TR")
    report = run("jdip", CASES[:3])
    assert {case.verdict for case in report.cases} == {"passed"}, report.incomplete_reason


def test_what_diplomacygm_prints_while_it_is_imported_is_no_answer(tmp_path):
    """Stand-ins for its modules print, as its own may one day."""
    names = {
        "adjudicator/defs": "OrderType Resolution",
        "adjudicator/make_adjudicator": "make_adjudicator",
        "adjudicator/validate_order": "OrderValidity order_is_valid",
        "map_parser/vector/vector": "get_parser",
        "models/order": "Build ConvoyTransport Disband Hold Move RetreatDisband RetreatMove Support",
        "models/turn": "PhaseName Turn",
    }
    stand_in = "from unittest.mock import MagicMock\nprint('noise')\n{} = MagicMock()\n"
    for module, things in names.items():
        file = tmp_path / "src" / "DiploGM" / f"{module}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(stand_in.format(" = ".join(things.split())), "utf-8")
    bridge = find_bridge("diplomacygm").folder / "bridge.py"
    asked = '{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}\n'
    done = run_program([sys.executable, bridge, tmp_path, "1"], input=asked)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["engine"]["name"] == "DiplomacyGM"
    assert done.stderr == "noise\n" * len(names)


@pytest.mark.parametrize("name", bridge_names())
def test_its_own_readme_says_how_it_is_set_up_and_run(name):
    bridge = find_bridge(name)
    text = (bridge.folder / "README.md").read_text(encoding="utf-8")
    commands, *by_hand = re.findall(r"^```\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    set_up, run_it = commands.splitlines()
    assert run_it == f"datc-check run {name}"
    if bridge.table.setup:
        assert set_up == f"datc-check engines setup {name}"
        assert "datc-check run " in by_hand[0]
    else:
        assert set_up.startswith(f"datc-check engines setup {name} --source ~/")
    assert f") {bridge.table.version}, " in " ".join(text.split())


def go_module(bridge):
    found = ["go", "list", "-C", str(bridge.folder), "-m", "-f", "{{.Dir}}", "github.com/zond/godip"]
    return Path(subprocess.run(found, capture_output=True, text=True, check=True).stdout.strip())


PATCHES = {
    "js_diplomacy": (
        lambda bridge: bridge.home / "node_modules" / "js-diplomacy",
        "target/src/standardMap/map.js",
        "new MapEdge(location_1.locations.Por, location_1.locations.Spa_SC, [Fleet]),",
        "0.1.5 (source)",
        "6.H.15",
    ),
    "godip": (
        go_module,
        "variants/classical/start/map.go",
        '.Conn("spa", godip.Land).Conn("spa/sc", godip.Sea)',
        "(source)",
        "6.B.1",
    ),
}
"""Changes to the map of an engine: Portugal loses its border with the south coast of Spain.

A fleet cannot retreat there any more (6.H.15), or a fleet that names no coast goes to the other one (6.B.1). For each:
what finds the sources of the release, the file, the border in it, the version, and the case that changes.
"""


@pytest.mark.parametrize("name", PATCHES)
def test_a_patched_checkout_shows_the_one_case_that_the_patch_changes(ready_bridge, tmp_path, monkeypatch, name):
    find_sources, patched, border, version, changes = PATCHES[name]
    released = find_sources(ready_bridge(name))
    suite = [case for case in CASES if case.id.startswith(("6.A.", "6.B.", "6.H."))]
    before = run(name, suite)
    checkout = tmp_path / "checkout"
    shutil.copytree(released, checkout, copy_function=shutil.copyfile)  # Go keeps its modules read-only.
    for folder in [checkout, *checkout.rglob("*/")]:
        folder.chmod(0o755)
    file = checkout / patched
    text = file.read_text(encoding="utf-8")
    assert text.count(border) == 1
    monkeypatch.setenv("DATC_CHECK_HOME", str(tmp_path / "homes"))
    bridge = labelled(find_bridge(name), "source", checkout)
    if name == "js_diplomacy":  # npm sees the same version, and must not keep what it has.
        set_up_bridge(bridge, Manner(300))
    file.write_text(text.replace(border, ""), encoding="utf-8")
    set_up_bridge(bridge, Manner(300))
    after = run(f"{name}@source", suite)
    assert (after.engine.spec, after.engine.version) == (f"{name}@source", version)
    changed = {kind: [change.key for change in found] for kind, found in diff_runs(before, after).items() if found}
    assert changed == {"newly_failing": [f"datc-3.2/{changes}"]}


@pytest.fixture
def of_diplomacy(tmp_path):
    """Make the bridge to `diplomacy` with an altered `expected.toml`."""

    def make(old="", new=""):
        bridge = find_bridge("diplomacy_pypi")
        text = (bridge.folder / "expected.toml").read_text(encoding="utf-8")
        assert old in text
        (tmp_path / "expected.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
        return Bridge(bridge.name, bridge.table, tmp_path)

    return make


def test_a_change_in_either_direction_is_told_and_a_case_that_is_none(of_diplomacy):
    passing = {case.id: case for case in run("builtin").cases}
    expected = read_expected(of_diplomacy())
    found = passing | {
        name: replace(passing[name], verdict=case.verdict, deviations={issue: ["x"] for issue in case.issues})
        for name, case in expected.cases.items()
    }
    assert list(expected.differences(CASES, [*found.values()])) == []
    for name, case, told in (
        ("6.B.9", passing["6.B.9"], "6.B.9 is passed, expected deviated (4.B.4)"),
        ("6.A.1", replace(passing["6.A.1"], verdict="failed"), "6.A.1 is failed, expected passed"),
        ("6.B.9", replace(found["6.B.9"], deviations={"4.B.5": ["x"]}),
         "6.B.9 is deviated (4.B.5), expected deviated (4.B.4)"),
    ):  # fmt: skip
        assert list(expected.differences(CASES, [*{**found, name: case}.values()])) == [told]
    *_, last = read_expected(of_diplomacy("6.B.9", "6.B.99")).differences(CASES, [*passing.values()])
    assert last == "6.B.99 is expected, but no case of datc-3.2"


def test_a_phase_that_an_engine_does_not_play_leaves_its_cases_unsupported(of_diplomacy):
    expected = read_expected(of_diplomacy("[cases", 'phases = ["movement", "adjustment"]\n[cases'))
    verdicts = {case.id: expected.row(case)[0] for case in CASES}
    assert (verdicts["6.H.1"], verdicts["6.I.1"], verdicts["6.H.17"]) == ("unsupported", "passed", "passed")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("why =", "because =", "unknown field `because`"),
        ('"deviated"', '"bent"', "Invalid enum value 'bent'"),
        ("4.B.4", "4.B.44", "case 6.B.9 names 4.B.44, which is no issue"),
        ('issues = ["4.B.4"]', "", "case 6.B.9: a deviation has issues"),
        ("1.1.2", "1.1.3", "is of diplomacy 1.1.3, not of what the bridge is to"),
        ("why =", "why", "expected.toml: "),
    ],
)
def test_a_file_of_expectations_that_is_wrong_is_refused(of_diplomacy, old, new, message):
    with pytest.raises(ExpectationError, match=re.escape(message)):
        _ = read_expected(of_diplomacy(old, new))


def test_a_file_of_expectations_that_is_not_there_is_named(of_diplomacy):
    bridge = of_diplomacy()
    (bridge.folder / "expected.toml").unlink()
    with pytest.raises(ExpectationError, match="cannot be read"):
        _ = read_expected(bridge)
