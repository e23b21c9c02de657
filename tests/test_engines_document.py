"""What `docs/engines.md` says of the engines is what they answer."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from datc.adapters import bridge_names, find_bridge, open_engine, parse_engine_spec
from datc.cases import USUAL_EDITION, Case, load_issues, load_suite, short_key, suite_names
from datc.harness.cli.group import cli
from datc.harness.diagnosis.testing import MOST_TESTED_BY_DOCTOR
from datc.harness.inference.comparing import compare
from datc.harness.inference.infer import infer, inference_report
from datc.harness.runner import Run, engine_data
from datc.harness.verdict import Rules
from datc.reference_engine import DATC_3_2
from datc.reference_engine.version import package_version
from datc.reports import CaseData, CaseName, HarnessData, InferenceReport, Report
from datc.reports.wording import evidence_text, mutant_text

from .tables import hold, hold_figures, rows_under

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "engines.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")
ENGINES = ["builtin", *bridge_names()]
RULES = Rules(DATC_3_2, {})
CASES = [case for name in suite_names() for case in load_suite(name).cases]
REGISTRIES = {"pypi.org": "PyPI", "npmjs.com": "npm"}
"""What people call a registry, if not by its address."""


@pytest.fixture(scope="module", autouse=True)
def _every_bridge(ready_bridge):
    """The document compares all of them, so it can be held to their answers only where all are set up."""
    for name in bridge_names():
        ready_bridge(name)


@pytest.fixture(scope="module")
def runs() -> dict[str, Report]:
    """A run of every case of the DATC by each engine."""
    return {name: _run(name, load_suite(USUAL_EDITION).cases) for name in ENGINES}


@pytest.fixture(scope="module")
def diagnosed() -> dict[str, Report]:
    """A run of every case by each engine, with what the bug doctor says of it."""
    return {name: _run(name, CASES, diagnoses=True) for name in ENGINES}


@pytest.fixture(scope="module")
def inferred() -> dict[str, InferenceReport]:
    """What every case shows of each engine."""
    return {name: _infer(name) for name in ENGINES}


def _run(name: str, cases: Sequence[Case], *, diagnoses: bool = False) -> Report:
    spec = parse_engine_spec(name, {})
    run = Run(
        open_engine(spec, spec.limits(spec.request_seconds or 60)), spec, cases, RULES, "tested", diagnoses=diagnoses
    )
    run.most_tested = MOST_TESTED_BY_DOCTOR
    return run.to_the_end()


def _infer(name: str, *, every_case: bool = True) -> InferenceReport:
    spec = parse_engine_spec(name, {})
    with open_engine(spec, spec.limits(spec.request_seconds or 60)) as engine:
        started = engine.start()
        found = infer(engine, started.capabilities, CASES, RULES, every_case=every_case)
    harness = HarnessData(name="datc-check", version="tested")
    return inference_report(found, harness, engine_data(spec, started.engine), RULES, every_case=every_case)


def test_it_names_the_engines_and_their_versions():
    shown = [["1", "`builtin`", "[the reference engine](reference-engine.md)", package_version(), "Python"]]
    for place, name in enumerate(bridge_names(), start=2):
        table = find_bridge(name).table
        site = table.url.split("/")[2].removeprefix("www.")
        link = f"[{table.engine.partition(' (')[0]}](../adapters/engines/{name}/) ({REGISTRIES.get(site, site)})"
        shown.append([str(place), f"`{name}`", link, table.version, table.language])
    hold(DOCUMENT, "The engines", shown)


def test_how_often_they_agree(runs):
    found = compare([runs[name] for name in ENGINES])
    places = range(len(ENGINES))
    shown = [
        [f"{one + 1} {ENGINES[one]}", *("" if one == other else _of(found.agreement(one, other)) for other in places)]
        for one in places
    ]
    hold(DOCUMENT, "How often they agree", shown, head=["", *(str(place + 1) for place in places)])
    everybody, partly = len(found.of_kind("alike")), len(found.of_kind("unanswered"))
    figures = (len(found.differing), len(runs["builtin"].cases), everybody, partly)
    hold_figures(DOCUMENT, "They differ in {} of the {} cases; all answer {} alike, and in {} not", *figures)
    alone = [
        [f"{place + 1} {ENGINES[place]}", str(found.answered(place)), _ids(found.alone(place)) or "none"]
        for place in places
    ]
    hold(DOCUMENT, "Who is alone", alone)


def _ids(cases) -> str:
    return ", ".join(case.first.id for case in cases)


def _of(agreement) -> str:
    return f"{agreement.alike} of {agreement.both}"


def test_the_choices_of_each(inferred):
    shown = []
    for issue, text in load_issues().items():
        stands = [_stand(inferred[name], issue) for name in ENGINES]
        if any(stand != "·" for stand in stands[1:]):
            shown.append([f"{issue} {text.title}", *stands])
    hold(DOCUMENT, "Which rules they play", shown, head=["issue", *ENGINES])
    hold_figures(DOCUMENT, "`infer --all` asks all cases of the {} suites.", len(suite_names()))


def _stand(report: InferenceReport, issue: str) -> str:
    return " or ".join(report.choices[issue]) if report.proof[issue] else "·"


def test_what_contradicts_and_what_fits_no_ruleset(inferred):
    shown = [
        [
            name,
            "; ".join(" + ".join(keys) for keys in report.contradictions) or "none",
            ", ".join(report.bugs) or "none",
        ]
        for name, report in inferred.items()
    ]
    hold(DOCUMENT, "Answers that no ruleset gives", shown)


def test_less_shows_where_not_every_case_is_asked(inferred):
    found = _infer("pydip", every_case=False)
    assert (found.choices["4.D.8"], inferred["pydip"].choices["4.D.8"]) == (
        ["alexander"],
        ["1971-own-fleets", "alexander"],
    )
    assert not any(".J." in key for keys in found.contradictions for key in keys)
    words = "of pydip it then says `alexander` for `4.D.8`, and finds no contradiction in civil disorder."
    assert words in " ".join(TEXT.split())


def test_what_the_doctor_says(diagnosed):
    shown = [
        [name, mutant_text(mutant), _names(mutant.cases), evidence_text(mutant.evidence)]
        for name, report in diagnosed.items()
        for mutant in report.looks_like
    ]
    hold(DOCUMENT, "What the bug doctor says", shown)


def test_how_many_fail_and_which_look_like_no_known_bug(diagnosed):
    shown = []
    for name, report in diagnosed.items():
        failed = [CaseName(suite=case.suite, id=case.id) for case in report.cases if case.verdict == "failed"]
        explained = [case for mutant in report.looks_like for case in mutant.cases]
        unexplained = [case for case in failed if case not in explained]
        shown.append([name, str(len(failed)), _names(unexplained) or "none"])
    hold(DOCUMENT, "Like no known bug", shown)


def _names(cases: Sequence[CaseName]) -> str:
    return ", ".join(short_key(case.key) for case in cases)


@pytest.mark.parametrize("command", re.findall(r"^datc-check (explain .*)$", TEXT, re.MULTILINE))
def test_no_choice_of_rules_explains_the_two_bugs(command):
    result = CliRunner().invoke(cli, command.split())
    assert result.exit_code == 1
    assert "single and together, gives its answer: it is probably a bug." in " ".join(result.output.split())


def test_it_says_who_did_not_answer_what(runs):
    def silent(name: str, verdict: str) -> list[str]:
        return [case.section for case in runs[name].cases if case.verdict == verdict]

    assert set(silent("radip", "unsupported")) == {"6.B", "6.F", "6.H", "6.I", "6.J"}
    assert silent("js_diplomacy", "error") == ["6.E"] * 2 + ["6.I"] * 5 + ["6.J"] * 11
    assert len(silent("rust_diplomacy", "error")) == len(silent("diplomacygm", "error")) == 5
    assert silent("jdip", "error") == ["6.E"]
    assert "throws in 16 cases of adjustments and in two with a beleaguered" in TEXT


@pytest.mark.parametrize("name", bridge_names())
def test_each_claim_has_the_case_that_shows_it(inferred, name):
    """The units that stand only where the case has them, and only where the engine has them."""
    cases = {(case.suite, case.id): case for case in inferred[name].cases}
    claims = rows_under(DOCUMENT, f"`{name}`")
    assert len(claims) > 2
    for shown, expected, answered, _ in claims:
        suite, _, case_id = shown.split(" ")[0].rpartition("/")
        case = cases[suite or USUAL_EDITION, case_id]
        assert shown.endswith(case.title)
        assert [expected, answered] == list(_apart(case)), case_id


def _apart(case: CaseData) -> tuple[str, str]:
    phase = next((phase for phase in case.phases if phase.differences), case.phases[-1])
    if phase.answer is None:
        return "", "no answer"
    assert phase.expected is not None
    expected, answered = set(phase.expected.units), set(phase.answer.units)
    if expected == answered:
        return "", "as expected" if not phase.differences else phase.differences[0]
    return _units(expected - answered), _units(answered - expected)


def _units(units) -> str:
    return ", ".join(f"{unit.power.title()} {unit.type} {unit.location}" for unit in sorted(units))


def test_its_commands_are_those_of_the_runs():
    commands = re.findall(r"^\$? ?(datc-check .*)$", TEXT, re.MULTILINE)
    assert f"datc-check compare {' '.join(ENGINES)} --report html:docs/examples/compare.html" in commands
    assert "datc-check infer ENGINE --all" in commands
    assert "datc-check doctor ENGINE" in commands


def test_the_example_is_of_this_comparison():
    page = (ROOT / "docs" / "examples" / "compare.html").read_text(encoding="utf-8")
    (figures,) = re.findall(r"They differ in \d+ of 176 cases", TEXT.replace("of the 176", "of 176"))
    assert figures in page
    assert "Content-Security-Policy" in page
    assert not re.search(r"""<(?:link|script|img|iframe)[^>]+(?:src|href)=""", page), "it asks nobody for anything"
