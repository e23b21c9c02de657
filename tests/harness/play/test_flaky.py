"""`run --repeat`: a case that is asked several times."""

import json
import sys

from ..cli.running import invoke

ENGINE = """
import json, sys
asked = {}
for line in sys.stdin:
    request = json.loads(line)
    result = {"protocol": 1, "engine": {"name": "flaky"}}
    if request["method"] == "adjudicate":
        units, orders = request["params"]["units"], json.dumps(request["params"]["orders"])
        asked[orders] = asked.get(orders, 0) + 1
        result = {"units": units if WHAT else units[1:], "dislodged": [] if asked[orders] != 2 else None}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""


def cases(tmp_path, holds, *options):
    engine = tmp_path / "engine.py"
    _ = engine.write_text(ENGINE.replace("WHAT", holds), encoding="utf-8")
    command = ["run", f"exec:{sys.executable} -S {engine}", "--select", "6.A.1,6.A.2", "--no-experiments", "--json"]
    return json.loads(invoke(*command, *options).stdout)["cases"]


def test_a_flaky_case_is_as_bad_as_at_its_worst_and_says_so(tmp_path):
    once = cases(tmp_path, "asked[orders] != 3")
    assert [case["verdict"] for case in once] == ["passed", "passed"]
    for case in cases(tmp_path, "asked[orders] != 3", "--repeat", "4"):
        assert case["verdict"] == "failed"
        assert case["reason"].startswith("flaky, asked 4 times: 3 passed, 1 failed; wrong under every rule choice")
        assert case["phases"][0]["differences"]


def test_different_answers_with_one_verdict_are_noted(tmp_path):
    for case in cases(tmp_path, "asked[orders] % 2", "--repeat", "1"):
        assert (case["verdict"], case["notes"]) == ("passed", [])
    for case in cases(tmp_path, "True", "--repeat", "3"):
        assert case["verdict"] == "passed"
        assert case["notes"] == ["flaky: asked 3 times, it gives different answers, all passed"]
