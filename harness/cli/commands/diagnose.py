"""What the answers of an engine show: `datc-check infer` its rules, `preferences` a page of them, `doctor` its bugs.

`next`: which stage it has reached, and which case to make pass next.
"""

from __future__ import annotations

from pathlib import Path

import click
import msgspec
from msgspec.structs import replace

from ....cases import load_ruleset
from ....reference_engine import EVERY_ISSUE
from ....reference_engine.errors import nearest, printable
from ....reports import FORMATS, InferenceReport, renderers, write_report
from ....reports.findings import Findings, Line, Part, wrapped
from ....reports.gate import not_carried_sentences
from ....reports.inference import settled_issues
from ....reports.post import STYLES
from ....reports.preferences import declared_page, inferred_page, run_page, write_rules
from ....reports.report import counted, engine_name
from ....reports.text import listed
from ....reports.wording import bug_sentences, restart_lines
from ...bugs.diagnosis import infer_by_experiments
from ...bugs.doctor import coverage_findings, doctor_findings, mutant_coverage
from ...bugs.topics import topics
from ...config.config import read_config
from ...config.preparing import ALL, find_cases, make_ruleset, ruleset_in_force, split_choices
from ...errors import HarnessError
from ...play.carry import carried_data
from ...play.engine import EngineAdjudicator
from ...rules.infer import infer, inference_report
from ...run.next import next_findings, next_report, stages_of
from ...run.runner import engine_data, restart_data
from .. import options as shared
from ..command import Command, Exit, Options, echo, writing
from ..progress import Bar
from ..reporting import Reports, check_place, confirm, read_stored, show

_SHOWN = 6
"""Of the cases that prove something, so many are named."""


@click.command("infer", cls=Command)
@click.argument("engine", required=False)
@shared.all_suites_option
@shared.select_option
@shared.engine_options
@click.option("--all", "every_case", is_flag=True, help="Ask every case, also if none is wrong.")
@shared.carry_options
@shared.no_experiments_option
@shared.seed_option(0)
@shared.quiet_option
@shared.json_option
@click.option("--toml", "as_toml", is_flag=True, help="As the [choices] of a datc.toml.")
@shared.findings_option
def infer_command(options: Options) -> int:
    r"""Ask ENGINE the cases that distinguish rules, and say for every issue which choice it makes.

    An engine that plays what a request asks for plays --ruleset; any other plays its own. If one of its answers is not
    right under --ruleset, it is asked every case, and its bugs are found first, as by doctor: they are no choices.

    \b
    datc-check infer mine
    datc-check infer mine --all --report html:rules.html
    datc-check infer mine --map loeb9
    datc-check infer "exec:./my-engine --json-rpc" --toml
    datc-check infer "exec:datc-check engine --ruleset 1982 --fixed" --json
    """
    reports = Reports(options.reports, renderers("inference"), "which rules an engine plays")
    report = infer_choices(options)
    findings = _toml(report) if options.as_toml and not options.as_json else _rules(report)
    is_quiet = options.quiet and not options.as_toml
    show(findings, quiet=is_quiet, as_json=options.as_json, err=reports.stdout_is_taken)
    reports.write(report)
    if report.interrupted:
        return Exit.INTERRUPTED
    return Exit.NOT_PASSED if findings.why else Exit.PASSED


def infer_choices(options: Options) -> InferenceReport:
    """Ask an engine the cases that distinguish rules, and return what its answers show. Raises `DatcCheckError`."""
    prepared = shared.open_engine(options.engine, options)
    rules, cases = prepared.rules, find_cases(options.suites or [ALL], options.selections)
    carried = shared.carried(cases, options, rules.ruleset)
    cases = carried.cases if carried else cases
    with prepared.engine as opened:
        started = opened.start()
        inferred = infer(
            opened,
            started.capabilities,
            cases,
            rules,
            every_case=options.every_case,
            every_if_wrong=not options.untested,
            until_interrupted=True,
            not_carried=[each.case for each in carried.not_carried] if carried else (),
        )
        if not options.untested and not inferred.is_interrupted:
            asked = EngineAdjudicator(opened, started.capabilities, rules.ruleset, rules.notation)
            try:
                inferred = infer_by_experiments(inferred, cases, rules, asked, options.seed)
            except KeyboardInterrupt:
                inferred = inferred._replace(is_interrupted=True)
    identity = engine_data(prepared.spec, started.engine)
    restarts = restart_data(prepared.engine)
    where = carried_data(carried) if carried else msgspec.UNSET
    return inference_report(inferred, identity, rules, restarts, carried=where)


def _rules(report: InferenceReport) -> Findings[object]:
    """Build what is said of the rules of an engine; `--json` leaves out the cases with their boards."""
    width = max(map(len, report.choices), default=0) + 2

    def row(issue: str, text: str) -> Line:
        return Line(f"{issue:{width}}{text}", hanging=9)

    def left(issue: str) -> str:
        choices = report.choices[issue]
        return "any choice" if len(choices) == len(EVERY_ISSUE[issue].choices) else " or ".join(choices)

    doubts = [row(issue, doubt) for issue in report.choices if (doubt := report.statement(issue).doubt)]
    opened = [row(issue, f"{left(issue)}: {why}") for issue, why in report.open.items()]
    settled = settled_issues(report)
    unexplained = _unexplained(report)
    bugs = bug_sentences(report)
    parts = [
        Part([f"{engine_name(report.engine)}: {counted(report.asked, 'case')} asked", *not_carried_sentences(report)]),
        Part(
            [
                row(issue, f"{' or '.join(report.played(issue))}  {listed(report.proof[issue], _SHOWN)}")
                for issue in settled
            ]
        ),
        Part(["Not as the cases have it:", *doubts] if doubts else []),
        Part(["Open:", *opened] if opened else []),
        *(Part([Line(sentence, hanging=2)]) for sentence in bugs),
        *(Part([Line(line, hanging=9)]) for line in unexplained),
        Part([Line(line, hanging=9) for line in restart_lines(report.restarts)]),
    ]
    return Findings(replace(report, cases=[]), parts, "\n".join(unexplained))


def _unexplained(report: InferenceReport) -> list[str]:
    contradictions = [f"Its answers to {' and '.join(cases)} contradict each other." for cases in report.contradictions]
    bugs = [f"Wrong under every ruleset: {', '.join(report.bugs)}."] if report.bugs else []
    return [*report.unanswered, *contradictions, *bugs]


def _toml(report: InferenceReport) -> Findings[object]:
    lines = ["[choices]"]
    for issue, choices in report.choices.items():
        if doubt := report.statement(issue).doubt:
            lines.append(f"# {issue}: {doubt}")
        elif len(choices) > 1:
            lines.append(f"# {issue} is open: {' or '.join(choices)}")
        else:
            lines.append(f'"{issue}" = "{choices[0]}"')
    unexplained = _unexplained(report)
    lines += [f"# {line}" for line in unexplained]
    return Findings(None, [Part([Line(line, unbroken=True) for line in lines])], "\n".join(unexplained))


@click.command("preferences", cls=Command)
@click.argument("engine", required=False)
@shared.option("--run", "stored", "RUN.json", "Use the choices of a stored run.", click.File("rb"))
@click.option("-o", "--output", metavar="FILE", help="FILE.md, .html or .bbcode. [Markdown, on standard output]")
@shared.option("--beside", "beside", "NAME", "Compare with this ruleset, too: dptg or dpjudge.", multiple=True)
@click.option("--json", "as_json", is_flag=True, help="As JSON, on standard output.")
@shared.engine_options
def preferences_command(options: Options) -> int:
    r"""Write the rules as a page for players: the changes to a ruleset first, where they differ, and every issue.

    The choices are those that datc.toml or the options declare; with --run those of a stored run, and what its cases
    showed; with ENGINE those that its answers fit, as `datc-check infer` finds them. Exit codes: 0 nothing is
    contradicted, 1 something is, and the page says so, 3 the engine could not be asked to the end.

    \b
    datc-check preferences -o rules.md
    datc-check preferences --ruleset 1982
    datc-check preferences --run run.json -o rules.html
    datc-check preferences mine -o rules.html
    """
    if options.engine is not None and options.stored is not None:
        raise click.UsageError("name an ENGINE, or a run with --run, not both")
    if (file := options.output) is not None:
        if options.as_json:
            raise HarnessError("--json goes to standard output: leave out -o")
        if Path(file).suffix not in (".md", ".html", ".bbcode"):
            raise HarnessError(f"-o {file}: the name of the page ends in .md, .html or .bbcode")
        check_place(f"-o {file}", Path(file))
    is_interrupted = False
    if options.stored is not None:
        page = run_page(read_stored(options.stored))
    elif options.engine is not None:
        inference = infer_choices(options)
        page, is_interrupted = inferred_page(inference), inference.interrupted
    else:
        config, _ = read_config(options.config_file)
        ruleset = ruleset_in_force(config, options.ruleset_name, split_choices(options.choices))
        page = declared_page(ruleset, config.usual_engine or "")
    page, output = replace(page, beside=[load_ruleset(name).name for name in options.beside]), file or "-"
    kind = FORMATS["json" if options.as_json else "html" if output.endswith(".html") else "markdown"]
    with writing("the page"):
        if output.endswith(".bbcode"):
            write_report(output, write_rules(page, STYLES["bbcode"]).encode(), kind.ci_escape)
        else:
            write_report(output, kind.render(page, "preferences"), kind.ci_escape)
    confirm([output])
    if page.settled:
        return Exit.PASSED
    issues = [each.id for each in page.preferences if each.standing == "contradicted"]
    contradicted = [f"Contradicted by its answers: {', '.join(issues)}."] if issues else []
    echo("\n".join(wrapped(printable(" ".join([*contradicted, *page.remarks])), hanging=2)), err=True)
    return Exit.INTERRUPTED if is_interrupted else Exit.NOT_PASSED


@click.command("doctor", cls=Command)
@click.argument("engine", required=False)
@shared.all_suites_option
@shared.select_option
@shared.engine_options
@shared.jobs_option
@shared.carry_options
@click.option(
    "--mutants", "measure", is_flag=True, help="Ask no engine: list the known bugs, and the cases that notice each."
)
@shared.no_experiments_option
@shared.seed_option(0)
@click.option("--verbose", "-v", is_flag=True, help="Say everything, also what it does not play.")
@shared.quiet_option
@shared.json_option
def doctor_command(options: Options) -> int:
    r"""Ask ENGINE the cases and say which known bugs its wrong answers look like.

    Each is a mutant that the reference engine can be given (`datc-check engine --mutant NAME`): with it, it gives the
    same wrong answers. Failures that no mutant explains are listed, too. Exit codes: 0 no case failed, 1 one did, or
    none was answered; with --mutants 0 every mutant is noticed by some case, 1 one is not.

    \b
    datc-check doctor mine
    datc-check doctor "exec:datc-check engine --mutant swap-by-land"
    datc-check doctor mine --map loeb9
    datc-check doctor --mutants
    """
    if options.measure and options.engine is not None:
        raise click.UsageError("--mutants asks no engine: leave it out")
    options.suites = options.suites or [ALL]
    if options.measure:
        ruleset = make_ruleset(options.ruleset_name, split_choices(options.choices))
        cases = find_cases(options.suites, options.selections)
        carried = shared.carried(cases, options, ruleset)
        noticed = mutant_coverage(carried.cases if carried else cases, ruleset)
        show(coverage_findings(noticed), as_json=options.as_json)
        return Exit.PASSED if all(noticed.values()) else Exit.NOT_PASSED
    run, _ = shared.prepare_run(options.engine, options)
    run.explains, run.diagnoses = False, True  # What it says has no explanations of single cases.
    run.experiments, run.seed = not options.untested, options.seed
    code = Exit.ENGINE
    try:
        report = run.to_the_end()
    except KeyboardInterrupt:
        report, code = run.interrupted(), Exit.INTERRUPTED
    if code == Exit.ENGINE and not report.complete and all(case.verdict == "not-run" for case in report.cases):
        echo(f"Error: {report.incomplete_reason}", err=True)
        return code
    findings = doctor_findings(report, options.engine, verbose=options.verbose)
    show(findings, quiet=options.quiet, as_json=options.as_json)
    if not report.complete:
        return code
    is_answered = any(case.is_answered for case in report.cases)
    return Exit.PASSED if is_answered and not findings.data["failed"] else Exit.NOT_PASSED


@click.command("next", cls=Command)
@click.argument("engine", required=False)
@shared.run_options
@shared.option("--until", "until", "STAGE", "Only the stages up to this one, such as supports. [all]")
@shared.quiet_option
@shared.json_option
def next_command(options: Options) -> int:
    r"""Ask ENGINE the cases, and say which stage it has reached and which one case to make pass next.

    It is for engines that are being written. The cases are sorted into stages: moves and bounces, supports, cutting
    supports, and so on. What a case needs are the rules whose breaking it notices. Cases that need the fewest rules
    come first, then those of the usual section, then those with the fewest orders. It ends when `datc-check run`
    passes. Cases that [run.skip] in datc.toml names are asked, too. Exit codes: 0 no case is left, 1 one is, 3 the
    engine could not be started or stopped responding.

    \b
    datc-check next mine
    datc-check next "exec:python my_engine.py" --until supports
    datc-check next mine --json
    """
    run, _ = shared.prepare_run(options.engine, options)
    stages = stages_of(run.cases, run.rules.ruleset)
    if (last := options.until) is not None:
        order = [stage.topic for stage in stages]
        if last not in order:
            unknown = f"there is no such stage{nearest(last, [*topics()])}"
            raise HarnessError(f"--until {last}: {'no case of it is selected' if last in topics() else unknown}")
        stages = stages[: order.index(last) + 1]
    run.cases = [case for stage in stages for case in stage.cases]
    run.rules = run.rules.asking_all()  # A case that is not asked would stay the next one for good.
    with Bar("asking the cases", len(run.cases)) as bar:
        found = run.to_the_end(lambda: bar.show(advance=1))
    if not found.complete:
        echo(f"Error: {found.incomplete_reason}", err=True)
        return Exit.ENGINE
    report = next_report(stages, {case.key: case for case in run.cases}, found, run.rules.ruleset)
    show(next_findings(report, run.spec.text), quiet=options.quiet, as_json=options.as_json)
    return Exit.PASSED if report.next is None else Exit.NOT_PASSED
