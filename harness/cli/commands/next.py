"""`datc-check next`: which stage an engine has reached, and which case to make pass next."""

from __future__ import annotations

import click

from ....reference_engine.errors import nearest
from ...bugs.topics import topics
from ...errors import HarnessError
from ...run.next import next_findings, next_report, stages_of
from .. import options as shared
from ..command import Command, Exit, Options, echo
from ..progress import Bar
from ..reporting import show


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
