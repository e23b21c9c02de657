"""What a shell can complete: the values of options and arguments, by what these are called in every command."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import ClassVar, TypeAlias, final, get_args

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, add_completion_class, split_arg_string

from ...adapters.bridges import bridge_names, find_bridge, set_up_bridges
from ...adapters.opening import BUILTIN
from ...cases import CasesError, Suite, load_issues, load_ruleset, load_suite, ruleset_names, suite_names
from ...cases.loading import variant_suites
from ...cases.rulesets import IssueText, load_map_issues
from ...cases.suite import USUAL_EDITION
from ...reference_engine import PROCEDURES
from ...reference_engine.maps import map_table, own_map_names
from ...reports import FORMATS
from ...reports.gate import Failing
from ..bugs.topics import topics
from ..config.config import read_config
from ..errors import HarnessError
from ..integrations import SKELETONS

_Values: TypeAlias = Iterable[tuple[str, str | None]]
"""Values, each with what a shell shows beside it."""
_BREAKS = "=:"
"""What ends a word for bash, though it stands inside of one here: `4.A.1=any-route`, `builtin:NAME`."""
_WITH_COMMAS = ("fail_on", "selections")
"""The options that hold several values with commas between them."""


def complete_values(command: click.Command) -> None:
    """Let a command, and the commands in it, complete the values that are known. It does nothing else to them."""
    for parameter in command.params:
        if parameter.name in VALUES and isinstance(parameter.type, click.types.StringParamType):
            parameter.type = _Known()
    for subcommand in command.commands.values() if isinstance(command, click.Group) else ():
        complete_values(subcommand)


@final
class _Known(click.types.StringParamType):
    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        name = param.name or ""
        before, comma, last = incomplete.rpartition(",") if name in _WITH_COMMAS else ("", "", incomplete)
        known = ((value, text) for value, text in VALUES[name](ctx) if value.startswith(last))
        return [CompletionItem(before + comma + value, help=text) for value, text in known]


@add_completion_class
@final
class _Bash(BashComplete):
    """Puts the words together again that bash has broken, and gives it only what comes behind the break."""

    _before: str = ""
    """What of the word to complete stands before the break, and must not be given again."""

    def get_completion_args(self) -> tuple[list[str], str]:
        words = split_arg_string(os.environ["COMP_WORDS"])
        place = int(os.environ["COMP_CWORD"])
        last = words[place] if place < len(words) else ""
        whole: list[str] = []
        for word in (*words[1:place], last):
            broken = bool(word) and not word.strip(_BREAKS)
            if whole and (broken or whole[-1].endswith(tuple(_BREAKS))):
                whole[-1] += word
            else:
                whole.append(word)
        incomplete = whole.pop()
        before = incomplete if last and not last.strip(_BREAKS) else incomplete.removesuffix(last)
        # The name of an option is no part of its value: `--choice=4.A.1=any-route`.
        self._before = before.partition("=")[2] if before.startswith("--") else before
        return whole, incomplete

    def format_completion(self, item: CompletionItem) -> str:
        return f"{item.type},{str(item.value).removeprefix(self._before)}"


@add_completion_class
@final
class _Fish(FishComplete):
    """Shows whole descriptions: click's own script cuts them at their first comma."""

    source_template: ClassVar[str] = FishComplete.source_template.replace(
        'string split ","', 'string split --max 1 ","'
    )


def _engines(ctx: click.Context) -> Iterator[tuple[str, str | None]]:
    yield BUILTIN, "the reference engine"
    yield from ((f"{BUILTIN}:{name}", None) for name in PROCEDURES)
    yield from _engines_to_set_up(ctx)
    others = (bridge for name in bridge_names() for bridge in set_up_bridges(name) if not bridge.is_pinned)
    yield from ((bridge.name, f"{bridge.table.engine} {bridge.label}") for bridge in others)
    yield from (("exec:", "a command line"), ("http://", "a server"))


def _engines_to_set_up(ctx: click.Context) -> Iterator[tuple[str, str | None]]:
    with contextlib.suppress(HarnessError):  # What is wrong with it is said when the command runs.
        config, _ = read_config(ctx.params.get("config_file"))
        yield from ((name, "datc.toml") for name in config.engine)
    tables = ((name, find_bridge(name).table) for name in bridge_names())
    yield from ((name, f"{table.engine} {table.version}") for name, table in tables)


def _chosen_suites(ctx: click.Context) -> Iterator[Suite]:
    named: tuple[str, ...] = ctx.params.get("suites") or (ctx.params.get("suite_name") or USUAL_EDITION,)
    for name in suite_names() if "all" in named else named:
        with contextlib.suppress(CasesError):
            yield load_suite(name)


def _cases(ctx: click.Context) -> _Values:
    return ((case.id, case.title) for suite in _chosen_suites(ctx) for case in suite.cases)


def _selections(ctx: click.Context) -> Iterator[tuple[str, str | None]]:
    yield from ((section.id, section.title) for suite in _chosen_suites(ctx) for section in suite.sections)
    yield from _cases(ctx)
    yield from ((issue.id, issue.title) for issue in _issues())


def _issues() -> Iterable[IssueText]:
    return *load_issues().values(), *load_map_issues().values()


def _rulesets(_: click.Context) -> _Values:
    return ((name, load_ruleset(name).title) for name in ruleset_names())


def _suites(_: click.Context) -> _Values:
    return ((name, load_suite(name).title) for name in (*suite_names(), *variant_suites()))


def _maps(_: click.Context) -> _Values:
    return ((name, map_table(name).get("title")) for name in own_map_names())


VALUES: Mapping[str, Callable[[click.Context], _Values]] = {
    "case_id": _cases,
    "choices": lambda _: ((f"{each.id}={one.key}", one.text) for each in _issues() for one in each.choice),
    "engine": _engines,
    "engine_name": _engines_to_set_up,
    "engines": _engines,
    "fail_on": lambda _: ((verdict, None) for verdict in get_args(Failing)),
    "kind": lambda _: ((folder.name, None) for folder in sorted(SKELETONS.iterdir())),
    "left": _rulesets,
    "map_files": _maps,
    "map_name": _maps,
    "procedure": lambda _: ((name, None) for name in PROCEDURES),
    "reports": lambda _: ((f"{name}:", kind.purpose) for name, kind in FORMATS.items()),
    "right": _rulesets,
    "ruleset_name": _rulesets,
    "selections": _selections,
    "suite_name": _suites,
    "suites": _suites,
    "until": lambda _: ((name, topic.title) for name, topic in topics().items()),
    "what": _cases,
}
"""The known values of each option and argument, by its name in `Options`."""
