"""What a shell can complete: the values of options and arguments, by what these are called in every command."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeAlias, final

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, add_completion_class, split_arg_string

if TYPE_CHECKING:
    from ...cases import Suite

_Values: TypeAlias = Callable[[click.Context], Iterable[CompletionItem]]

_BREAKS = "=:"
"""What ends a word for bash, though it stands inside of one here: `4.A.1=any-route`, `builtin:NAME`."""


def complete_values(command: click.Command) -> None:
    """Let a command, and the commands in it, complete the values that are known. It does nothing else to them."""
    for parameter in command.params:
        if parameter.name in VALUES and isinstance(parameter.type, click.types.StringParamType):
            parameter.type = _Known(VALUES[parameter.name], with_commas=parameter.name in _WITH_COMMAS)
    if isinstance(command, click.Group):
        for subcommand in command.commands.values():
            complete_values(subcommand)


def prepare_shell() -> None:
    """Make ready for the request of a shell."""
    _ = add_completion_class(_Bash)
    _ = add_completion_class(_Fish)


@final
class _Known(click.types.StringParamType):
    """Any text, of which some values are known."""

    def __init__(self, values: _Values, *, with_commas: bool) -> None:
        self._values = values
        self._with_commas = with_commas

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        _ = param
        before, comma, last = incomplete.rpartition(",") if self._with_commas else ("", "", incomplete)
        found = [item for item in self._values(ctx) if str(item.value).startswith(last)]
        return [CompletionItem(f"{before}{comma}{item.value}", help=item.help) for item in found] if comma else found


@final
class _Bash(BashComplete):
    """Puts the words together again that bash has broken, and gives it only what comes behind the break."""

    def __init__(self, cli: click.Command, ctx_args: dict[str, object], prog_name: str, complete_var: str) -> None:
        super().__init__(cli, ctx_args, prog_name, complete_var)
        self._before = ""
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


@final
class _Fish(FishComplete):
    """Shows whole descriptions: click's own script cuts them at their first comma."""

    source_template: ClassVar[str] = FishComplete.source_template.replace(
        'string split ","', 'string split --max 1 ","'
    )


def _engines(ctx: click.Context) -> Iterator[CompletionItem]:
    from ...adapters import BUILTIN
    from ...reference_engine import PROCEDURES

    yield CompletionItem(BUILTIN, help="the reference engine")
    yield from (CompletionItem(f"{BUILTIN}:{name}") for name in PROCEDURES)
    yield from _engines_to_set_up(ctx)
    yield from _other_releases()
    yield from (CompletionItem("exec:", help="a command line"), CompletionItem("http://", help="a server"))


def _engines_to_set_up(ctx: click.Context) -> Iterator[CompletionItem]:
    from ...adapters import bridge_names, find_bridge
    from ..errors import HarnessError
    from ..settings.config import read_config

    with contextlib.suppress(HarnessError):  # What is wrong with it is said when the command runs.
        config, _ = read_config(ctx.params.get("config_file"))
        yield from (CompletionItem(name, help="datc.toml") for name in config.engine)
    for name in bridge_names():
        table = find_bridge(name).table
        yield CompletionItem(name, help=f"{table.engine} {table.version}")


def _other_releases() -> Iterator[CompletionItem]:
    """The releases and checkouts that are set up beside the usual release of a bridge."""
    from ...adapters import bridge_names
    from ...adapters.bridges import set_up_bridges

    for name in bridge_names():
        for bridge in set_up_bridges(name):
            if not bridge.is_pinned:
                yield CompletionItem(bridge.name, help=f"{bridge.table.engine} {bridge.label}")


def _procedures(_ctx: click.Context) -> Iterator[CompletionItem]:
    from ...reference_engine import PROCEDURES

    return map(CompletionItem, PROCEDURES)


def _suites(_ctx: click.Context) -> Iterator[CompletionItem]:
    from ...cases import load_suite, suite_names

    return (CompletionItem(name, help=load_suite(name).title) for name in suite_names())


def _cases(ctx: click.Context) -> Iterator[CompletionItem]:
    for suite in _chosen_suites(ctx):
        yield from (CompletionItem(case.id, help=case.title) for case in suite.cases)


def _selections(ctx: click.Context) -> Iterator[CompletionItem]:
    from ...cases import load_issues

    for suite in _chosen_suites(ctx):
        yield from (CompletionItem(section.id, help=section.title) for section in suite.sections)
    yield from _cases(ctx)
    yield from (CompletionItem(issue.id, help=issue.title) for issue in load_issues().values())


def _chosen_suites(ctx: click.Context) -> Iterator[Suite]:
    """The suites that the command line names so far, or the usual one."""
    from ...cases import USUAL_EDITION, CasesError, load_suite, suite_names

    named: tuple[str, ...] = ctx.params.get("suites") or (ctx.params.get("suite_name") or USUAL_EDITION,)
    for name in suite_names() if "all" in named else named:
        with contextlib.suppress(CasesError):
            yield load_suite(name)


def _rulesets(_ctx: click.Context) -> Iterator[CompletionItem]:
    from ...cases import load_ruleset, ruleset_names

    return (CompletionItem(name, help=load_ruleset(name).title) for name in ruleset_names())


def _choices(_ctx: click.Context) -> Iterator[CompletionItem]:
    from ...cases import load_issues

    for issue in load_issues().values():
        yield from (CompletionItem(f"{issue.id}={choice.key}", help=choice.text) for choice in issue.choice)


def _formats(_ctx: click.Context) -> Iterator[CompletionItem]:
    from ...reports import FORMATS

    return (CompletionItem(f"{name}:", help=kind.purpose) for name, kind in FORMATS.items())


def _verdicts(_ctx: click.Context) -> Iterator[CompletionItem]:
    from typing import get_args

    from ..gate import Failing

    return map(CompletionItem, get_args(Failing))


def _stages(_ctx: click.Context) -> Iterator[CompletionItem]:
    from ..diagnosis.topics import topics

    return (CompletionItem(name, help=topic.title) for name, topic in topics().items())


def _skeletons(_ctx: click.Context) -> Iterator[CompletionItem]:
    return (
        CompletionItem(folder.name)
        for folder in sorted((Path(__file__).parents[1] / "integrations" / "skeletons").iterdir())
    )


VALUES: Mapping[str, _Values] = {
    "engine": _engines,
    "engines": _engines,
    "engine_name": _engines_to_set_up,
    "procedure": _procedures,
    "suites": _suites,
    "suite_name": _suites,
    "selections": _selections,
    "case_id": _cases,
    "what": _cases,
    "ruleset_name": _rulesets,
    "left": _rulesets,
    "right": _rulesets,
    "choices": _choices,
    "fail_on": _verdicts,
    "reports": _formats,
    "kind": _skeletons,
    "until": _stages,
}
"""The known values of each option and argument, by its name in the code; it has the same meaning in every command."""
_WITH_COMMAS = ("fail_on", "selections")
"""Those that hold several values with commas between them."""
