"""The schemas that the project ships: under ids that stay, as the types have it, and true of what is really written."""

import json

import jsonschema
import pytest

from datc.harness.cli.commands.schema import contract_schema
from datc.reports.json_report import render_json

from .conftest import ROOT
from .harness.cli.running import invoke
from .harness.search import games
from .reports import samples

SHIPPED = {
    "report": ("urn:datc-check:schema:report:1", "reports/report.schema.json"),
    "protocol": ("urn:datc-check:schema:protocol:1", "adapters/protocol.schema.json"),
    "case": ("urn:datc-check:schema:case:1", "cases/case.schema.json"),
    "map": ("urn:datc-check:schema:map:1", "cases/map.schema.json"),
}
REPORT = jsonschema.Draft202012Validator(contract_schema("report"))


@pytest.mark.parametrize("kind", SHIPPED)
def test_a_schema_has_its_id_and_is_shipped_as_it_is_printed(kind):
    identity, file = SHIPPED[kind]
    printed = json.loads(invoke("schema", kind).stdout)
    assert printed["$id"] == identity
    jsonschema.Draft202012Validator.check_schema(printed)
    assert json.loads((ROOT / file).read_text("utf-8")) == printed, f"run: datc-check schema {kind} > {file}"


@pytest.mark.parametrize("report", [samples.every_verdict(), samples.hostile()], ids=["every-verdict", "hostile"])
def test_a_report_fits_the_schema_whatever_is_in_it(report):
    REPORT.validate(json.loads(render_json(report)))


@pytest.mark.parametrize(
    ("key", "value"), [("summary", {"passed": "all"}), ("cases", [{"id": "6.A.1"}]), ("complete", 1)]
)
def test_the_schema_of_reports_refuses_what_is_none(key, value):
    report = json.loads(render_json(samples.every_verdict()))
    with pytest.raises(jsonschema.ValidationError):
        REPORT.validate({**report, key: value})


PRINTED = [
    "maps list",
    "maps show loeb9",
    "maps check loeb9",
    "maps diff loeb9 standard",
    "rulesets list",
    "rulesets show 1982",
    "rulesets diff 1982 2023",
    "cases list --select 6.A",
    "cases show 6.F.24",
    "cases check datc-3.2",
    "cases coverage",
    "engines list",
    "engines check builtin",
    "engines check exec:nowhere",
    "doctor --mutants --suite datc-2.4",
    "explain 6.F.14 builtin --all-rulesets",
    "preferences",
    "infer builtin --select 6.A,6.G --no-experiments",
    "next builtin --select 6.A",
    "run builtin --select 6.A",
    "compare builtin builtin:dptg --select 6.A,6.F",
    "hunt builtin:guess --source paradoxes --positions 60 --no-experiments",
]


def hold(text):
    """Hold what was printed to its schema; return what it says that it is."""
    data = json.loads(text)
    assert [*data][:2] == ["format", "type"]
    schema = json.loads(invoke("schema", data["type"]).stdout)
    jsonschema.Draft202012Validator(schema).validate(data)
    fields = schema.get("properties") or schema["$defs"][schema["$ref"].rpartition("/")[2]]["properties"]
    assert data.keys() <= fields.keys()
    return data["type"]


@pytest.mark.parametrize("command", PRINTED)
def test_what_a_command_prints_as_json_has_one_shape_and_fits_its_schema(command):
    _ = hold(invoke(*command.split(), "--json").stdout)


def test_every_json_that_is_held_as_golden_fits_its_schema():
    files = [*(ROOT / "tests" / "golden" / "said").glob("*/*.json")]
    texts = [file.read_text(encoding="utf-8").partition("--- errors ---")[0] for file in files]
    assert {"again", "history", "changes", "doctor", "report", "next"} <= {
        hold(text) for text in texts if text.strip() and "sha256" not in text
    }


def test_a_replay_fits_its_schema(tmp_path):
    phases = games.game()
    at, falsify, _ = games.FALSE["an outcome"]
    falsify(phases)
    done = invoke("replay", games.write(tmp_path / "games.jsonl", phases), "--json", "--words", "--no-experiments")
    assert json.loads(done.stdout)["causes"], at
    assert hold(done.stdout) == "replay"


def test_the_board_fits_its_schema():
    assert hold(invoke("engines", "board").stdout) == "board"
