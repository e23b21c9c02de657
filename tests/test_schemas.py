"""The schemas that the project ships: under ids that stay, as the types have it, and true of what is really written."""

import json

import jsonschema
import pytest

from datc.reports.json_report import render_json, report_schema

from .conftest import ROOT
from .harness.cli.running import COMMAND, invoke
from .reports import samples

SHIPPED = {
    "report": ("urn:datc-check:schema:report:1", "reports/report.schema.json"),
    "protocol": ("urn:datc-check:schema:protocol:1", "adapters/protocol.schema.json"),
    "explain": ("urn:datc-check:schema:explain:1", "harness/explain/explain.schema.json"),
    "case": ("urn:datc-check:schema:case:1", "cases/case.schema.json"),
}
REPORT = jsonschema.Draft202012Validator(report_schema())


@pytest.mark.parametrize("kind", SHIPPED)
def test_a_schema_has_its_id_and_is_shipped_as_it_is_printed(kind):
    identity, file = SHIPPED[kind]
    printed = json.loads(invoke("schema", kind).stdout)
    assert printed["$id"] == identity
    jsonschema.Draft202012Validator.check_schema(printed)
    assert json.loads((ROOT / file).read_text("utf-8")) == printed, f"run: datc-check schema {kind} > {file}"


def test_a_real_report_fits_the_schema(tmp_path):
    file = tmp_path / "run.json"
    engine = f"exec:{COMMAND} engine --ruleset 1982 --fixed"
    done = invoke("run", engine, "--suite", "all", "-q", "--report", f"json:{file}")
    assert done.exit_code == 1
    REPORT.validate(json.loads(file.read_bytes()))


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
