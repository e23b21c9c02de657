"""Small reports to render: one case for each verdict, plain or with all that an engine may smuggle into a string."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from datc.cases import load_suite
from datc.cases.suite import CaseName
from datc.harness.rules.compare import compare_runs
from datc.harness.rules.infer import Conclusion, Finding
from datc.reference_engine import ISSUES
from datc.reports import report as data
from datc.reports.comparison import Comparison
from datc.reports.inference import InferenceReport
from datc.reports.statements import MutantData

HOSTILE = (
    "<script>alert(1)</script> ]]> \" onload='x' \x00\x1b[31m \ud800 \ufffe &amp; </failure><!-- {{ 7 * 7 }} "
    "@everyone a@evil.example [a](https://evil.example) ![b](https://evil.example/b.png) www.evil.example evil/evil#1 "
    "`one` ``two`` | \\| {0} %0A # TODO no\u2028\u2029::error::no\n::error::yes\r\n##[error]no\n1..0\nnot ok 1\n"
    "  ...\nBail out!\n---\n```\n~~~\n</details>\n\n# evil\n"
)
"""What an engine may say: something for each format to fall for."""


def unit(text: str) -> data.UnitData:
    """Read a unit such as `ENGLAND A LON`."""
    power, kind, location = text.split(" ", 2)
    return data.UnitData(power=power, type=kind, location=location)


def phase(*, answer: data.BoardData | None, differences: list[str]) -> data.PhaseData:
    """Build a phase in which London should have moved to Belgium."""
    return data.PhaseData(
        phase="movement",
        season="spring",
        year=1901,
        before=data.BoardData(units=[unit("ENGLAND A LON"), unit("ENGLAND F NTH"), unit("FRANCE F ENG")]),
        centers={},
        orders=[
            data.OrderData(
                power="ENGLAND", text="A London - Belgium", expected="succeeds", outcome="fails", reason="no-path"
            ),
            data.OrderData(power="ENGLAND", text="F North Sea Convoys A London - Belgium"),
            data.OrderData(power="FRANCE", text="F English Channel Hold"),
        ],
        expected=data.ExpectedData(
            choices={"4.A.1": ["all-routes"]},
            basis="text",
            units=[unit("ENGLAND A BEL"), unit("ENGLAND F NTH")],
            dislodged=[unit("FRANCE F ENG")],
            may_retreat=["F English Channel - Irish Sea"],
        ),
        answer=answer,
        facts=[
            data.FactData(kind="unit-missing", unit=unit("ENGLAND A BEL"), expected="on the board", actual="not"),
            data.FactData(kind="unit-unexpected", unit=unit("ENGLAND A LON"), expected="not", actual="on the board"),
        ]
        if differences
        else [],
        differences=differences,
        explanation="England's A London moves to Belgium: path: F North Sea." if differences else "",
    )


def case(number: int, verdict: data.Verdict) -> data.CaseData:
    """Build a case with a verdict."""
    passed = verdict == "passed"
    army = "ENGLAND A BEL" if passed else "ENGLAND A LON"
    answer = data.BoardData(
        units=[unit(army), unit("ENGLAND F NTH")],
        dislodged=[data.DislodgedData(unit=unit("FRANCE F ENG"), attacked_from="MAO", retreats=["IRI", "WAL"])],
    )
    answered = verdict in ("passed", "deviated", "failed", "declared")
    differences = [] if passed else ["A London should be in BEL, and is in LON"]
    only = phase(answer=answer if answered else None, differences=differences if answered else [])
    return data.CaseData(
        id=f"6.F.{number}",
        suite="datc-3.2",
        section="6.F",
        title=f"A case that is {verdict}",
        issues=["4.A.1"],
        verdict=verdict,
        reason="" if passed else f"it is {verdict}",
        choices={"4.A.1": ["all-routes"] if passed else ["any-route"]} if answered and verdict != "failed" else {},
        deviations={"4.A.1": ["any-route"]} if verdict == "deviated" else {},
        seconds=0.25,
        phases=[only],
        expected=only.expected,
        answer=only.answer,
    )


def report(cases: list[data.CaseData], *, complete: bool = True, reason: str = "") -> data.Report:
    """Build the report of a run over cases."""
    return data.Report(
        harness=data.HarnessData(name="datc-check", version="0.1.0"),
        engine=data.EngineData(spec="exec:./mine", name="Mine", version="2.0", url="https://example.org/mine"),
        ruleset=data.RulesetData(name="datc-3.2", choices={"4.A.1": "all-routes", "4.A.2": "szykman"}),
        complete=complete,
        incomplete_reason=reason,
        compliant=all(case.verdict in ("passed", "declared") for case in cases),
        seconds=2.5,
        summary=data.summarize(cases),
        board_summary=data.summarize(cases, by_board=True),
        cases=cases,
    )


def every_verdict() -> data.Report:
    """Build the report of a run that gave every verdict, and so did not finish."""
    cases = [case(number, verdict) for number, verdict in enumerate(data.VERDICTS, start=1)]
    passed, _, failed, *_ = (each.name for each in cases)
    mutant = MutantData(name="lame-army", sentence="lets no army move", cases=[failed], against=[passed])
    found = report(cases, complete=False, reason="the engine gave out")
    restarts = [data.RestartData(cases=[each.name], reason=f"broke on {each.id}", log=["goes down"]) for each in cases]
    return replace(found, looks_like=[mutant], restarts=restarts)


def searched() -> data.Report:
    """Build the report of a hunt that found two causes and was ended early."""
    verdicts: list[data.Verdict] = ["failed", "deviated"]
    causes = [
        replace(case(number, verdict), id=f"hunt.{number}", suite="hunt", section="hunt")
        for number, verdict in enumerate(verdicts, start=1)
    ]
    found = report(causes, complete=False, reason="970 of 2000 positions were asked")
    return replace(found, search=data.SearchData(positions=970, disagreements=412, against="the reference engine"))


def hostile() -> data.Report:
    """Build a report in which every string that an engine or a config can reach is hostile."""
    board = data.BoardData(
        units=[data.UnitData(power=HOSTILE, type=HOSTILE, location=HOSTILE)],
        dislodged=[data.DislodgedData(unit=unit("FRANCE F ENG"), attacked_from=HOSTILE, retreats=[HOSTILE])],
    )
    bad_phase = replace(
        phase(answer=board, differences=[HOSTILE]),
        before=board,
        centers={HOSTILE: [HOSTILE]},
        orders=[data.OrderData(power=HOSTILE, text=HOSTILE, expected=HOSTILE, outcome=HOSTILE, reason=HOSTILE)],
        expected=None,
        facts=[],
        not_given=[HOSTILE],
        explanation=HOSTILE,
        broken_rule=HOSTILE,
    )
    cases = [
        data.CaseData(
            id=f"6.A.{number}",
            suite="datc-3.2",
            section="6.A",
            title=HOSTILE,
            issues=[HOSTILE],
            verdict=verdict,
            reason=HOSTILE,
            choices={HOSTILE: [HOSTILE]},
            deviations={HOSTILE: [HOSTILE]},
            notes=[HOSTILE],
            log=[HOSTILE, "\t".join(HOSTILE)],
            remark=HOSTILE,
            source=HOSTILE,
            phases=[bad_phase],
            answer=board,
        )
        for number, verdict in enumerate(data.VERDICTS, start=1)
    ]
    restarted = ([CaseName(suite=HOSTILE, id=HOSTILE)], [])
    return replace(
        report(cases, complete=False, reason=HOSTILE),
        engine=data.EngineData(spec=HOSTILE, name=HOSTILE, version=HOSTILE, url="javascript:alert(1)//\ud800"),
        ruleset=data.RulesetData(name=HOSTILE, choices={HOSTILE: HOSTILE}),
        restarts=[data.RestartData(cases=names, reason=HOSTILE, log=[HOSTILE]) for names in restarted],
        looks_like=[MutantData(name=HOSTILE, sentence=HOSTILE, cases=[cases[0].name])],
    )


def compared(*reports: data.Report) -> Comparison:
    """Compare runs of which no answer shows a choice."""
    return compare_runs(reports, [rules_of() for _ in reports])


def rules_of(choices: tuple[str, ...] = (), proof: Sequence[str] = (), contradiction: Sequence[str] = ()) -> Conclusion:
    """Conclude choices of 4.A.1 from cases of the usual edition, and nothing of other issues."""
    cases = {case.id: case for case in load_suite("datc-3.2").cases}
    findings = dict.fromkeys(ISSUES, Finding((), (), ""))
    findings["4.A.1"] = Finding(choices, tuple(cases[each] for each in proof), "")
    return Conclusion(findings, (tuple(cases[each] for each in contradiction),) if contradiction else (), (), 0, ())


def three_engines() -> Comparison:
    """Compare three engines: one passes, one fails and one says nothing in some cases."""
    passes = report([case(number, "passed") for number in range(1, 5)])
    fails = report([case(1, "passed"), case(2, "failed"), case(3, "deviated"), case(4, "passed")])
    silent = report(
        [case(1, "passed"), case(2, "passed"), case(3, "unsupported"), case(4, "error")],
        complete=False,
        reason="it gave out",
    )
    played = [
        rules_of(("all-routes",), ["6.F.3"]),
        rules_of(("any-route",), ["6.F.3"], ["6.F.1", "6.F.2"]),
        rules_of(("any-route", "all-routes")),
    ]
    return compare_runs([passes, fails, silent], played)


def inferred(**changes: object) -> InferenceReport:
    """Build what was inferred of an engine: a choice, an open issue, a contradiction, a bug and a case not answered."""
    verdicts: list[data.Verdict] = ["passed", "deviated", "failed", "unsupported", "passed"]
    run = report([case(number, verdict) for number, verdict in enumerate(verdicts, start=1)])
    fields: dict[str, object] = {
        "harness": run.harness,
        "engine": run.engine,
        "ruleset": run.ruleset,
        "every_case": False,
        "asked": 5,
        "choices": {"4.A.1": ["all-routes"], "4.A.2": ["2000", "szykman"], "4.A.4": ["not-cut", "cut"]},
        "proof": {"4.A.1": ["6.F.1"], "4.A.2": ["6.F.1"], "4.A.4": []},
        "open": {"4.A.2": "6.F.3 should decide this, but the answers do not", "4.A.4": "no case has another outcome"},
        "contradictions": [["6.F.2", "6.F.5"]],
        "bugs": ["6.F.3"],
        "unsupported": ["6.F.4"],
        "cases": run.cases,
        **changes,
    }
    return msgspec.convert(fields, InferenceReport)


def hostile_inference() -> InferenceReport:
    """Build what was inferred of an engine that smuggles something into every string."""
    run = hostile()
    keys = [one.id for one in run.cases]
    return inferred(
        engine=run.engine,
        ruleset=run.ruleset,
        proof={"4.A.1": keys[:1], "4.A.2": keys[1:2], "4.A.4": []},
        contradictions=[keys[2:4]],
        bugs=keys[4:5],
        unsupported=keys[5:],
        cases=run.cases,
    )
