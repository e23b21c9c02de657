import json

import jsonschema
import pytest
from msgspec.structs import replace

from datc.reports.report import Report
from datc.reports.sarif import render_sarif
from datc.reports.text import printable

from .samples import HOSTILE


def _object(optional: tuple[str, ...] = (), /, **properties: object) -> dict[str, object]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _array(items: object, **limits: object) -> dict[str, object]:
    return {"type": "array", "items": items, **limits}


STRING, OBJECT, BOOLEAN = {"type": "string"}, {"type": "object"}, {"type": "boolean"}
TEXT = {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}}, "required": ["text"]}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
ARTIFACT = _object(uri={"type": "string", "pattern": r"^[^\s\\]+$"})
REGION = _object(startLine={"type": "integer", "minimum": 1})
LOCATION = _object(
    ("physicalLocation",),
    logicalLocations=_array(_object(fullyQualifiedName=STRING, kind=STRING)),
    physicalLocation=_object(artifactLocation=ARTIFACT, region=REGION),
)
RULE = _object(
    id=STRING,
    shortDescription=TEXT,
    fullDescription=TEXT,
    help=TEXT,
    properties=_object(tags=_array(STRING, uniqueItems=True)),
)
RESULT = _object(
    ruleId=STRING,
    ruleIndex={"type": "integer", "minimum": 0},
    level=LEVEL,
    message=TEXT,
    locations=_array(LOCATION, minItems=1, maxItems=1),
    partialFingerprints={"type": "object", "additionalProperties": STRING},
    properties=OBJECT,
)
RUN = _object(
    tool=_object(driver=_object(name=STRING, version=STRING, rules=_array(RULE))),
    invocations=_array(
        _object(
            ("toolExecutionNotifications",),
            executionSuccessful=BOOLEAN,
            toolExecutionNotifications=_array(_object(level=LEVEL, message=TEXT)),
        )
    ),
    columnKind={"const": "unicodeCodePoints"},
    results=_array(RESULT),
    properties=OBJECT,
)
SCHEMA = _object(
    (),
    version={"const": "2.1.0"},
    runs=_array(RUN),
    **{"$schema": {"const": "https://json.schemastore.org/sarif-2.1.0.json"}},
)
"""The part of SARIF 2.1.0 that is used, by the names and types of its schema, which is too large to keep here."""


def test_what_an_engine_got_wrong_is_a_result(every_verdict: Report) -> None:
    run = _run(every_verdict)
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [
        ("datc-3.2/6.F.3", "error"),
        ("datc-3.2/6.F.6", "error"),
        ("datc-3.2/6.F.2", "warning"),
    ], "the worst first"
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    assert rules[2]["shortDescription"]["text"] == "datc-3.2 6.F.2: A case that is deviated"
    assert rules[2]["properties"]["tags"] == ["diplomacy", "4.A.1"]
    assert run["results"][2]["message"]["text"] == (
        "6.F.2 A case that is deviated: deviated\nit is deviated\nA London should be in BEL, and is in LON"
    )
    assert run["results"][2]["properties"]["deviations"] == {"4.A.1": ["any-route"]}


def test_a_run_that_did_not_finish_says_so(every_verdict: Report, passing: Report) -> None:
    (invocation,) = _run(every_verdict)["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "Not finished: the engine gave out." in invocation["toolExecutionNotifications"][0]["message"]["text"]
    assert _run(passing)["invocations"] == [{"executionSuccessful": True}]
    assert _run(passing)["results"] == []


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("house/1.toml", "house/1.toml"),
        ("my suite/1%#?.toml", "my%20suite/1%25%23%3F.toml"),
        ("/tmp/house/1.toml", "file:///tmp/house/1.toml"),
    ],
)
def test_a_result_points_at_the_file_of_a_case_of_the_author(every_verdict: Report, file: str, uri: str) -> None:
    placed = replace(every_verdict.cases[2], suite="house", file=file, line=120)
    (result,) = _run(replace(every_verdict, cases=[placed]))["results"]
    (location,) = result["locations"]
    assert location["physicalLocation"] == {"artifactLocation": {"uri": uri}, "region": {"startLine": 120}}
    assert location["logicalLocations"][0]["fullyQualifiedName"] == "house/6.F.3"


def test_cases_without_an_answer_are_one_result(every_verdict: Report) -> None:
    unsupported = every_verdict.cases[4]
    cases = [replace(unsupported, id=f"6.J.{number}") for number in (1, 2)]
    (result,) = _run(replace(every_verdict, complete=True, cases=cases))["results"]
    assert (result["ruleId"], result["level"]) == ("unsupported", "warning")
    assert result["message"]["text"] == "2 cases unsupported: 6.J.1, 6.J.2"


def test_hostile_strings_make_no_links_and_no_placeholders(hostile: Report) -> None:
    cases = [replace(case, suite=HOSTILE, file=HOSTILE) for case in hostile.cases]
    run = _run(replace(hostile, cases=cases))
    assert len(run["results"]) == 3
    rules = run["tool"]["driver"]["rules"]
    messages = [run["invocations"][0]["toolExecutionNotifications"][0]["message"]]
    messages += [result["message"] for result in run["results"]]
    messages += [rule[name] for rule in rules for name in ("shortDescription", "fullDescription", "help")]
    for message in messages:
        assert "](" not in message["text"]
        assert "{{0}}" in message["text"]
        assert "{" not in message["text"].replace("{{", "")
    assert run["properties"]["engine"] == printable(HOSTILE)


def _run(report: Report) -> dict:
    log = json.loads(render_sarif(report))
    jsonschema.Draft202012Validator(SCHEMA).validate(log)
    (run,) = log["runs"]
    return run
