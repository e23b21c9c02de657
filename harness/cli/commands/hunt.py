"""`datc-check hunt`: generated positions on which engines differ."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...wording import wrapped
from ..command import (
    USUAL_EDITION,
    Command,
    a_time,
    ca_file_option,
    choice_option,
    config_option,
    echo,
    json_option,
    no_experiments_option,
    quiet_option,
    say,
    seed_option,
    timeout_option,
    work_options,
    writing,
)
from ..ending import EXIT_ENGINE, EXIT_INTERRUPTED
from ..reporting import check_place, confirm, report_option, report_targets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....reports import Handler
    from ...fuzzing.findings import Finding, Store
    from ...fuzzing.grouping import Group
    from ...fuzzing.hunt import Hunt
    from ...fuzzing.plan import Plan
    from ..progress import HuntBar

EXIT_ALIKE, EXIT_DIFFERENT = 0, 1
_PROFILES = "opening, dense, sea-war or convoy-knots"
"""The names of `PROFILES`, which the help shows without loading what generates positions."""
_FEW = 2
"""Of positions with so few units, others with the same pattern are shown, too."""
_SHOWN = 5
_SHOWN_NOTES = 20
_HUNTING = 0.8
"""The share of `--time` for hunting; the rest is for testing what explains the findings."""
_MOST_CAUSES = 30
"""So many causes are shown on a terminal."""


@click.command("hunt", cls=Command, short_help="Look for positions on which engines differ.")
@click.argument("engines", nargs=-1, required=True, metavar="ENGINE [ENGINE…]")
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="SOURCE",
    help="Where positions come from. [random, paradoxes, metamorphic]",
)
@click.option("--profile", "profiles", multiple=True, metavar="NAME", help=f"Random positions: {_PROFILES}. [all]")
@seed_option(1)
@click.option("--positions", type=click.IntRange(1), default=2000, metavar="N", help="How many at most. [2000]")
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(0.1),
    callback=a_time,
    metavar="S",
    help="Stop after S seconds, even if an engine hangs.",
)
@work_options
@click.option("--jobs", "old_processes", type=click.IntRange(1, 64), hidden=True)
@click.option(
    "--again",
    "store_again",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Ask only what the hunt in DIR found, and say what is gone.",
)
@click.option(
    "--cases", "case_path", type=click.Path(path_type=Path), metavar="FILE", help="Write the findings as cases."
)
@click.option("--words", is_flag=True, help="Also report equal boards with other outcomes of orders.")
@no_experiments_option
@click.option("--infer", "by_inferred_rules", is_flag=True, help="Compare with the rules that the engine plays.")
@click.option("--ruleset", "ruleset_name", metavar="NAME", help=f"The rules to ask for. [{USUAL_EDITION}]")
@choice_option
@timeout_option
@ca_file_option
@config_option
@quiet_option
@json_option
@report_option
@click.pass_context
def command(
    ctx: click.Context,
    engines: Sequence[str],
    sources: Sequence[str],
    profiles: Sequence[str],
    seed: int,
    positions: int,
    seconds: float | None,
    processes: int,
    old_processes: int | None,
    cluster: str | None,
    folder: Path | None,
    store_again: Path | None,
    case_path: Path | None,
    ruleset_name: str | None,
    choices: Sequence[str],
    timeout: float | None,
    ca_file: Path | None,
    config_file: Path | None,
    reports: Sequence[str],
    *,
    resume: bool,
    words: bool,
    untested: bool,
    by_inferred_rules: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    r"""Ask ENGINEs generated positions; shrink each disagreement, and say what explains it.

    One ENGINE is compared with the reference, several with each other. SOURCE is random, paradoxes, metamorphic (what
    should make no difference), or real:FILE (positions of recorded games, or a pasted one, drawn at random, half of
    them with one order changed; `datc-check replay` takes each as it was).
    The DIR of --store is a suite: `datc-check run ENGINE --suite DIR` asks the smallest position of each cause. With
    --again one ENGINE is asked only what a stored hunt found. Exit codes: 0 they agree, or with --again every cause is
    gone; 1 they do not; 3 an engine could not be asked to the end.

    \b
    datc-check hunt mine
    datc-check hunt mine theirs --positions 20000 --processes 2 --store found
    datc-check hunt mine --again found
    datc-check hunt mine --source real:games.jsonl --infer --report html:hunt.html
    """
    from ...fuzzing.findings import Store
    from ...fuzzing.plan import make_plan
    from ...settings.preparing import open_config_engine, split_choices
    from ..hunt_again import hunt_again, refuse_other_options
    from ..progress import HuntBar
    from ..reporting import open_outputs

    if old_processes is not None:
        echo("Note: --jobs is called --processes here; the old name goes in the next version.", err=True)
        processes = old_processes
    stop_at = None if seconds is None else time.monotonic() + seconds
    if store_again is not None:
        if len(engines) > 1:
            raise click.UsageError("--again asks one engine: name one", ctx)
        refuse_other_options(ctx)
        again = open_config_engine(engines[0], config_file, timeout, None, {}, ca_file=ca_file)
        hunt_again(ctx, again, store_again, stop_at, as_json=as_json)
    with writing("what was found"):
        handlers = open_outputs(reports, quiet=True)
        if case_path is not None:
            check_place(f"--cases {case_path}", case_path)
        prepared = [
            open_config_engine(text, config_file, timeout, ruleset_name, split_choices(choices), ca_file=ca_file)
            for text in engines
        ]
        plan = make_plan(
            [(each.spec, each.limits) for each in prepared],
            prepared[0].rules.ruleset,
            sources,
            profiles,
            seed=seed,
            positions=positions,
            words=words,
        )
        store = Store(folder) if folder else None
        with store.locked(new=not resume) if store else nullcontext(), HuntBar(plan.positions) as bar:
            plan = _with_known_choices(plan, store, seconds, resume=resume, by_inferred_rules=by_inferred_rules)
            hunt = _hunt(
                plan.until(stop_at), store, processes, stop_at, cluster, bar, resume=resume, tests=not untested
            )
            _write_files(hunt, handlers, case_path, folder)
    say(_json(hunt) if as_json else "\n".join(_lines(hunt)), _why(hunt), quiet=quiet, as_json=as_json)
    files = [*([case_path] if case_path else []), *([folder] if folder else [])]
    confirm([*(target.path for target in report_targets(reports)), *map(str, files)])
    ctx.exit(_exit_code(hunt))


def _with_known_choices(
    plan: Plan, store: Store | None, seconds: float | None, *, resume: bool, by_inferred_rules: bool
) -> Plan:
    """Add to a plan which choices the engines may make: from the store, or by asking them the suites.

    That takes half of the time of the hunt at most.
    """
    from dataclasses import replace

    from ...fuzzing.plan import with_inferred_rules

    if store is not None and resume:
        known = zip(plan.engines, store.possible(plan), strict=True)
        return replace(plan, engines=tuple(engine._replace(possible=possible) for engine, possible in known))
    half = None if seconds is None else time.monotonic() + seconds / 2
    plan = with_inferred_rules(plan, by_inferred_rules=by_inferred_rules, stop_at=half)
    if store is not None:
        store.begin(plan)
    return plan


def _hunt(
    plan: Plan,
    store: Store | None,
    processes: int,
    stop_at: float | None,
    cluster: str | None,
    bar: HuntBar,
    *,
    resume: bool,
    tests: bool,
) -> Hunt:
    from ....adapters import EngineClosedError, EngineStartError
    from ...fuzzing.chunk import Progress
    from ...fuzzing.hunt import Hunt
    from ...fuzzing.workers import open_adjudicators

    now = time.monotonic()
    hunting_until = now + (stop_at - now) * _HUNTING if stop_at is not None and tests else stop_at
    try:
        with open_adjudicators(plan) as adjudicators:
            hunt = Hunt(plan, [each.name for each in adjudicators], store, tell=bar.show)
            if resume:
                hunt.resume()
            bar.show(Progress(hunt.positions, len(hunt.findings)))
            for _ in hunt.go_on(adjudicators, processes, hunting_until, cluster):
                bar.show(Progress(hunt.positions, len(hunt.findings)))
            if tests and not hunt.trouble and not hunt.interrupted:
                bar.show_tests()
                hunt.test_causes(adjudicators, stop_at)
    except EngineClosedError as error:
        raise EngineStartError("--time: it was over before the engine had started") from error
    return hunt


def _write_files(hunt: Hunt, handlers: Sequence[Handler], case_path: Path | None, folder: Path | None) -> None:
    """Write the reports, the cases and the suite that were asked for. Raises `OSError`."""
    from ....reports import RunFinished, write_whole
    from ...fuzzing.report import hunt_report
    from ...fuzzing.suite import write_suite
    from ...fuzzing.texts import case_file

    for handler in handlers:
        handler.handle(RunFinished(hunt_report(hunt)))
    if case_path is not None:
        write_whole(case_path, case_file(hunt.groups, _heading(hunt)).encode())
    if folder is not None:
        write_suite(folder, hunt.groups, _heading(hunt), hunt.plan.ruleset)


def _exit_code(hunt: Hunt) -> int:
    if hunt.interrupted:
        return EXIT_INTERRUPTED
    if hunt.trouble:
        return EXIT_ENGINE
    return EXIT_DIFFERENT if hunt.findings else EXIT_ALIKE


def _why(hunt: Hunt) -> str:
    """Say in a line why the exit code is not 0; nothing where it is."""
    from ....reports import counted

    found = f"{counted(len(hunt.findings), 'disagreement')}, {counted(len(hunt.groups), 'cause')}."
    return hunt.trouble or (found if hunt.findings else "")


def _json(hunt: Hunt) -> str:
    import msgspec

    from ....reports.text import indented_json
    from ...fuzzing.texts import cause_text, difference_lines, question_lines

    spent = hunt.spent
    data = {
        "engines": list(hunt.names),
        "ruleset": hunt.plan.ruleset.name,
        "seed": hunt.plan.seed,
        "positions": hunt.positions,
        "sources": dict(hunt.asked),
        "complete": hunt.complete,
        "trouble": hunt.trouble,
        "unsupported": hunt.unsupported,
        "disagreements": len(hunt.findings),
        "seconds": {"whole": round(hunt.seconds, 3), **msgspec.to_builtins(spent)},
        "causes": [
            {
                "engine": hunt.names[group.engine],
                "kind": group.kind,
                "cause": cause_text(group),
                "choices": group.changes,
                "evidence": msgspec.to_builtins(group.evidence),
                "refuted": [
                    {"cause": each.sentence, "evidence": msgspec.to_builtins(each.evidence)} for each in group.refuted
                ],
                "positions": len(group.findings),
                "smallest": group.smallest,
                "question": question_lines(group.smallest) if group.smallest else [],
                "differences": difference_lines(group.smallest) if group.smallest else [],
            }
            for group in hunt.groups
        ],
    }
    return indented_json(data).decode().rstrip()


def _heading(hunt: Hunt) -> str:
    from ....reference_engine import printable

    plan = hunt.plan
    against = " and ".join(hunt.names) if len(hunt.names) > 1 else f"{hunt.names[0]} and the reference engine"
    return (
        f"{printable(against)}, ruleset {printable(plan.ruleset.name)}\n"
        f"seed {plan.seed}, {hunt.positions} positions from {printable(', '.join(plan.sources))}"
    )


def _lines(hunt: Hunt) -> list[str]:
    from ....reports import counted

    lines = [line for part in _heading(hunt).splitlines() for line in wrapped(part, hanging=2)]
    rate = f", {hunt.asked_now / hunt.seconds:.0f} a second" if hunt.asked_now and hunt.seconds else ""
    lines += [f"in {hunt.seconds:.0f} s{rate}", ""]
    lines += _about_games(hunt)
    if hunt.interrupted:
        lines += ["Interrupted: this is what was found until then.", ""]
    elif hunt.trouble:
        lines += [*wrapped(f"Not finished: {hunt.trouble}", hanging=2), ""]
    elif not hunt.complete:
        lines += [f"The time was up: {hunt.positions} of {hunt.plan.positions} positions were asked.", ""]
    if hunt.plan.rules_unknown:
        lines += [
            *wrapped("The time was too short to infer which rules it plays: any choice may explain it.", hanging=2),
            "",
        ]
    count, groups = len(hunt.findings), hunt.groups
    if not groups:
        return [*lines, "No disagreement." if hunt.positions else "No position was asked, so nothing is known."]
    lines += [f"{counted(count, 'disagreement')}: {counted(len(groups), 'cause')}"]
    for number, group in enumerate(groups[:_MOST_CAUSES], 1):
        lines += ["", *_group_lines(hunt, number, group)]
    if len(groups) > _MOST_CAUSES:
        lines += ["", f"and {counted(len(groups) - _MOST_CAUSES, 'more cause')}: --json has them all"]
    return lines


def _about_games(hunt: Hunt) -> list[str]:
    """Say what was done with the positions of games."""
    from ...fuzzing.real import HOW_DRAWN, read_games

    lines: list[str] = []
    for source in hunt.plan.sources:
        kind, _, path = source.partition(":")
        if kind == "real":
            games = read_games(Path(path))
            which = f"a sample of {len(games)}" if games.is_sample else f"{len(games)}"
            lines += wrapped(f"{path}: of {which} positions, {HOW_DRAWN} (datc-check replay does).", hanging=2)
            lines += _notes(games.notes)
    return [*lines, ""] if lines else []


def _notes(notes: Sequence[str]) -> list[str]:
    """Say what was guessed or skipped to read a text that was pasted."""
    from ....reference_engine import printable

    shown = [printable(note) for note in notes[:_SHOWN_NOTES]]
    rest = [f"and {len(notes) - len(shown)} more"] if len(notes) > len(shown) else []
    lines = ["Guessed or skipped to read it:"] if notes else []
    return [*lines, *(line for note in [*shown, *rest] for line in wrapped(note, indent=2, hanging=4))]


def _group_lines(hunt: Hunt, number: int, group: Group) -> list[str]:
    from ....reports import counted
    from ...fuzzing.texts import cause_text, difference_lines, how_tested, position_lines, question_lines

    smallest = group.smallest
    count = counted(len(group.findings), "position")
    if smallest is not None:
        count += f", smallest has {counted(smallest.units, 'unit')}"
    engine = f"{hunt.names[group.engine]}: " if len(hunt.names) > 1 else ""
    lines = wrapped(f"{number:3}  {engine}{cause_text(group)} ({group.kind}, {count})", hanging=5)
    for text in how_tested(group):
        lines += wrapped(text, indent=5, hanging=7)
    if smallest is not None:
        for line in (*position_lines(smallest), *question_lines(smallest), *difference_lines(smallest)):
            lines += wrapped(line, indent=7, hanging=9)
        for line in _elsewhere(group, smallest):
            lines += wrapped(f"also {line}", indent=7, hanging=9)
    return lines


def _elsewhere(group: Group, smallest: Finding) -> Sequence[str]:
    """Return other positions as small: where single moves are wrong, it is the places that matter."""
    from ...fuzzing.texts import position_lines

    if smallest.units > _FEW:
        return ()
    alike = (finding for finding in group.findings if finding.position is not None and finding.units == smallest.units)
    texts = dict.fromkeys("; ".join(position_lines(finding)) for finding in alike)
    return [text for text in texts if text != "; ".join(position_lines(smallest))][:_SHOWN]
