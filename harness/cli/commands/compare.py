"""`datc-check compare`: where engines differ, and what changed between two stored runs; `report`: stored runs again."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from ....adapters.bridges import bridge_names, set_up_bridges
from ....cases import Case, load_suite
from ....cases.suite import short_key
from ....reference_engine import PositionError, RulesetError
from ....reports import Report, RunFinished, renderers, statement
from ....reports.findings import Findings, Line, Part, contract, terminal_text
from ....reports.report import counted
from ....reports.text import id_ranges
from ....reports.wording import ruleset_text
from ...play.carry import carried_again
from ...play.case_verdicts import Contradiction, lacks_answer, verify_run
from ...play.trace import make_trace_folder
from ...rules.compare import compare, comparison_findings
from ...run.gate import CHANGE_TITLES, WORSE, Change, diff_runs, gate_contradictions
from ...run.runner import Run, map_ordered
from .. import options as shared
from .. import reporting
from ..command import Command, Exit, Options, echo, refuse_others, writing


@click.command("compare", cls=Command)
@click.argument("engines", nargs=-1, metavar="ENGINE|RUN.json…")
@click.option("--all-bridges", is_flag=True, help="Also every bridge that is set up (`datc-check engines`).")
@shared.run_options
@shared.trace_option
@shared.quiet_option
@shared.json_option
@shared.findings_option
def compare_command(options: Options) -> int:
    r"""Compare engines or stored runs: how often they agree, who is alone, and which issues separate them.

    Each ENGINE is asked the same cases, several engines at once, and RUN.json is a stored run (`--report json:FILE`).
    What is compared is the board after each phase. A case that an engine did not answer counts for no agreement. Exit
    codes: 0 all answer every case alike, 1 they do not, 3 one of them could not be asked to the end. The DIR of --trace
    gets a folder for each engine, named by its number.

    With two stored runs, of which the first is the older one, it says which cases pass or fail newly and which answers
    changed. Exit codes: 0 nothing got worse, 1 a case does not pass any more, or is not asked any more.

    \b
    datc-check compare mine diplomacy_pypi js_diplomacy
    datc-check compare mine theirs --report html:both.html
    datc-check compare mine --all-bridges
    datc-check compare last.json now.json
    """
    engines = options.engines
    if options.all_bridges:  # With those to other releases and to checkouts.
        bridges = [bridge for name in bridge_names() for bridge in set_up_bridges(name) if bridge.is_ready]
        engines = list(dict.fromkeys([*engines, *(bridge.name for bridge in bridges)]))
    if len(engines) < 2:
        raise click.UsageError("name two engines or stored runs at least")
    reports = reporting.Reports(options.reports, renderers("comparison"), "several runs")
    stored = [text.endswith((".json", ".jsonl")) and Path(text).is_file() for text in engines]
    if all(stored):
        refuse_others(("engines", "reports", "quiet", "as_json"), "stored runs are compared as they are")
    finished, cases, interrupted = _finish(engines, stored, options)
    comparison = compare(finished, cases)
    if all(stored) and len(finished) == 2:
        findings: Findings[object] = change_findings(*finished)
        code = Exit.NOT_PASSED if findings.why else Exit.PASSED
    else:
        findings = comparison_findings(comparison)
        code = Exit.PASSED if comparison.alike else Exit.NOT_PASSED
        if not all(report.complete for report in finished):
            code = Exit.INTERRUPTED if interrupted else Exit.ENGINE
    reporting.show(findings, quiet=options.quiet, as_json=options.as_json, err=reports.stdout_is_taken)
    reports.write(comparison)
    return code


def _finish(
    engines: Sequence[str], stored: Sequence[bool], options: Options
) -> tuple[list[Report], Sequence[Case] | None, bool]:
    """Return a run of each, stored or asked now, the cases that were asked, if any, and whether Ctrl-C ended it.

    As many engines are asked at once as there are processors.
    """
    several: list[Run | Report] = []
    for number, (text, is_stored) in enumerate(zip(engines, stored, strict=True), 1):
        if is_stored:
            with Path(text).open("rb") as file:
                several.append(reporting.read_stored(file))
            continue
        run, _ = shared.prepare_run(text, options)
        run.rules = run.rules.asking_all()  # What one engine lacks, others may have.
        run.explains = False  # A comparison shows no explanations of single cases.
        if options.trace_folder is not None:
            run.traces = make_trace_folder(options.trace_folder / str(number))
        several.append(run)
    runs = [each for each in several if isinstance(each, Run)]

    def finish(one: Run | Report) -> Report:
        return one.to_the_end() if isinstance(one, Run) else one

    def give_up() -> None:
        for run in runs:
            run.engine.close()

    cases = runs[0].cases if runs else None
    try:
        return [*map_ordered(finish, several, os.cpu_count() or 1, give_up)], cases, False
    except KeyboardInterrupt:
        return [each.interrupted() if isinstance(each, Run) else each for each in several], cases, True


def change_findings(before: Report, after: Report) -> Findings[dict[str, object]]:
    """Say what changed between two runs."""
    found = diff_runs(before, after)
    unfinished = "" if after.complete else after.incomplete_reason or "the run did not say why"
    lines = {kind: [*_change_lines(kind, changes, unfinished)] for kind, changes in found.items()}
    worse = terminal_text([Part([line for kind in WORSE for line in lines[kind]])])
    shown = [line for several in lines.values() for line in several] or ["Nothing changed."]
    data = {
        kind: [change.key if kind.startswith("only") else change._asdict() for change in changes]
        for kind, changes in found.items()
    }
    return Findings(contract("changes", worse=bool(worse), **data, unfinished=unfinished), [Part(shown)], worse)


def _change_lines(kind: str, changes: Sequence[Change], unfinished: str) -> Iterator[str | Line]:
    """Say what changed in one way; of cases that one run did not ask, all in one line and why."""
    if not changes:
        return
    yield f"{CHANGE_TITLES[kind]}: {len(changes)}" + (f" ({unfinished})" if kind == "not_run" and unfinished else "")
    if kind == "not_run" or kind.startswith("only"):
        yield Line(", ".join(short_key(change.key) for change in changes), 2, 6)
        return
    for change in changes:
        verdicts = change.after if change.before == change.after else f"{change.before} → {change.after}"
        yield Line(f"{short_key(change.key)} {change.title}: {verdicts}", 2, 6)


@click.command("report", cls=Command)
@click.argument("files", nargs=-1, required=True, type=click.File("rb"), metavar="FILE…")
@shared.report_option
@shared.json_option
@shared.verbose_option
@click.option("--verify", is_flag=True, help="Only check that the verdicts follow from the answers that FILEs hold.")
def report_command(options: Options) -> int:
    r"""Report the runs that FILEs hold, as `--report json:FILE` and `--report jsonl:FILE` stored them.

    A FILE of JSON lines may be of a run that was killed: it is reported as far as it got. Without --report the report
    is on the terminal. Several runs are compared: html, markdown and json can show that. The exit code is that of the
    run; of several runs, the highest.

    With --verify nothing is reported: every verdict is worked out again from the answers, and no engine is asked. The
    exit code is 0 if all verdicts follow from the answers, whether the cases passed or not, and 1 if some do not.

    \b
    datc-check report run.json
    datc-check report run.jsonl --report html:run.html --report badge:run.svg
    datc-check report mine.json theirs.json --report html:both.html
    datc-check report --verify theirs.json
    """
    texts = [*options.reports, reporting.JSON_REPORT] if options.as_json else options.reports
    if options.verify and texts:
        raise click.UsageError("--verify writes no report: leave --report and --json out")
    reports = reporting.Reports(texts)  # What is wrong with it is said first.
    runs = [reporting.read_stored(file, as_stated=options.verify) for file in options.files]
    if options.verify:
        return max([_verify(file.name, run) for file, run in zip(options.files, runs, strict=True)])
    with writing("a report"):
        if len(runs) > 1 and texts:
            reporting.Reports(texts, renderers("comparison"), "several runs").write(compare(runs))
        else:
            handlers = reports.open().handlers or [reporting.terminal(verbose=options.verbose)]
            for number, run in enumerate(runs):
                if number:
                    echo("")
                for handler in handlers:
                    handler.handle(RunFinished(run))
            reports.confirm()
    codes = [*map(reporting.exit_code, runs)]
    for run, code in zip(runs, codes, strict=True):
        if texts and code != Exit.PASSED:  # Otherwise the terminal says why.
            echo(f"{run.engine.name}: {statement(run)}", err=True)
    return max(codes)


def _verify(name: str, run: Report) -> int:
    carried: Sequence[Case] = ()
    found: list[Contradiction] = []
    try:
        carried = carried_again(run)
    except PositionError as error:
        found.append(Contradiction("", f"its cases cannot be carried again: {error}"))
    except RulesetError:
        pass  # It is said of the run below.
    found += [*verify_run(run, carried), *gate_contradictions(run)]
    for each in found:
        echo(f"{name}: {f'{short_key(each.case)}: ' if each.case else ''}{each.reason}")
    if found:
        return Exit.NOT_PASSED
    asked, without = Counter(case.suite for case in run.cases), [case for case in run.cases if lacks_answer(case)]
    verdicts = counted(len(run.cases) - len(without), "verdict")
    said = [f"{verdicts}, and all follow from the answers under {ruleset_text(run.ruleset)}"]
    size = {suite: len(load_suite(suite.partition("@")[0]).cases) for suite in asked}
    said += [f"{count} of {counted(size[suite], 'case')} of {suite}" for suite, count in asked.items()]
    if without:
        have, them = ("lacks", "it") if len(without) == 1 else ("lack", "them")
        ids = id_ranges([short_key(case.key) for case in without])
        said.append(f"{counted(len(without), 'case')} {have} an answer, so nothing follows for {them}: {ids}")
    said += [] if run.complete else [f"the run did not finish: {run.incomplete_reason}"]
    echo(f"{name}: {'; '.join(said)}")
    return Exit.PASSED
