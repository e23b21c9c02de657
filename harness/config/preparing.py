"""From the options and arguments of a command to engines, rules, cases and positions."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ...adapters import AdjudicateParams, Engine, EngineSpec, Limits, open_engine, parse_engine_spec
from ...adapters.conversion import read_position, read_submission
from ...adapters.engine import UNREADABLE
from ...adapters.opening import BUILTIN
from ...cases import Case, load_ruleset, load_suite, select_cases, suite_names
from ...cases.errors import UnknownCaseError
from ...cases.loading import variant_suites
from ...cases.suite import USUAL_EDITION, CaseOrder, CasePhase
from ...reference_engine import Ruleset, Submitted
from ...reference_engine.board import Season
from ...reference_engine.errors import ReferenceEngineError, nearest
from ...reference_engine.rulesets import check_choice
from ...reports.vocabulary import listed
from ..errors import ConfigError, HarnessError, NoEngineError
from ..play.verdict import Rules
from .config import FILE_NAME, NO_CONFIG, Config, find_config, read_config


class Prepared(msgspec.Struct, frozen=True):
    """An engine, not yet started, and what it is held to."""

    engine: Engine
    spec: EngineSpec
    limits: Limits
    rules: Rules
    config: Config
    config_file: Path | None

    def open_for_serving(self) -> Engine:
        """Open the engine so that it is started again however often it breaks down: others depend on it."""
        return open_engine(self.spec, replace(self.limits, restarts=sys.maxsize))


def open_config_engine(
    engine: str | None,
    config_file: Path | None,
    timeout: float | None,
    ruleset_name: str | None,
    choices: Mapping[str, str],
    suites: Sequence[str] = (),
    ca_file: Path | None = None,
) -> Prepared:
    """Open an engine by what the author typed, or that of the config; options win over the config.

    Raises `DatcCheckError` for what is wrong with any of it.
    """
    file = config_file or find_config()
    config, folder = read_config(file)
    named = parse_engine_spec(engine if engine is not None else engine_of(config, file), config.engines(folder))
    spec = with_ca_file(named, ca_file)
    ruleset = ruleset_in_force(config, ruleset_name, choices, suites)
    limits = spec.limits(timeout or config.run.timeout)
    rules = Rules(ruleset, config.deviations, spec.notation, config.run.skip)
    return Prepared(open_engine(spec, limits), spec, limits, rules, config, None if file == NO_CONFIG else file)


def engine_of(config: Config, file: Path | None) -> str:
    """Return the engine that a config names.

    Raises `NoEngineError`: the built-in engine never stands in for the one that was meant.
    """
    if config.usual_engine is not None:
        return config.usual_engine
    if file is None:
        raise NoEngineError(
            f"no engine is named, and there is no {FILE_NAME} in this folder or above it. Name the engine to test, such"
            + ' as "exec:./my-engine", or write a bridge to it with `datc-check init`. The engine that comes with'
            + f" datc-check is `{BUILTIN}`"
        )
    found = f"has several engines ({', '.join(config.engine)})" if config.engine else "has none"
    advice = 'Name the engine to test, or write engine = "NAME" below [run] in that file'
    raise NoEngineError(f"no engine is named, and {file} {found}. {advice}")


def with_ca_file(spec: EngineSpec, ca_file: Path | None) -> EngineSpec:
    """Have an engine at a URL trusted by the authorities in a file, if one is named. Others have no use for it."""
    return spec if ca_file is None or spec.url is None else replace(spec, ca_file=str(ca_file.absolute()))


def ruleset_in_force(
    config: Config, ruleset_name: str | None, choices: Mapping[str, str], suites: Sequence[str] = ()
) -> Ruleset:
    """Make the ruleset of the options and the config; options win. Without one it is that of the suites.

    Raises `CasesError`, `HarnessError` and `RulesetError` for what is wrong with it.
    """
    name = ruleset_name if ruleset_name is not None else config.run.ruleset
    if name is None and suites:
        named = {load_suite(suite).ruleset for suite in suites_named(suites)}
        name = named.pop() if len(named) == 1 else None
    return make_ruleset(name, {**config.choices, **choices})


def check_case_names(config: Config, suites: Sequence[str]) -> None:
    """Raise `ConfigError` where the config declares, skips or pins what no suite has: a case, or an edition."""
    for suite in map(load_suite, suites_named(suites) if config.run.editions else ()):
        own = suite.cases[0].edition.edition if suite.cases and suite.cases[0].edition else ""
        if config.run.editions.get(suite.name, own) > own:
            pin, have = config.run.editions[suite.name], own or "no edition with a name"
            raise ConfigError(f"[run.editions] pins {suite.name} to {pin}, which is later than the {have} that is here")
    named = {"deviations": config.deviations, "run.skip": config.run.skip}
    if not any(named.values()):
        return
    every_suite = dict.fromkeys((*suite_names(), *suites_named(suites)))
    known = [case.id for name in every_suite for case in load_suite(name).cases]
    for table, cases in named.items():
        for case in cases:
            if case not in known and not any(fnmatchcase(each, case) for each in known):
                raise ConfigError(f"[{table}] names the case {case!r}, which is in no suite{nearest(case, known)}")


def make_ruleset(name: str | None, choices: Mapping[str, str]) -> Ruleset:
    """Make a ruleset (the usual one if none is named) with some choices changed.

    Raises `CasesError` for an unknown ruleset, as an empty name is, and `RulesetError` for an unknown choice.
    """
    ruleset = load_ruleset(USUAL_EDITION if name is None else name).ruleset()
    return ruleset.with_choices(choices) if choices else ruleset


def split_choices(texts: Sequence[str]) -> Mapping[str, str]:
    """Read choices as the option `--choice` has them. Raises `HarnessError` and `RulesetError`."""
    choices: dict[str, str] = {}
    for text in texts:
        issue, separator, choice = text.partition("=")
        if not separator:
            raise HarnessError(f"--choice {text}: write ISSUE=CHOICE, such as 4.A.1=any-route")
        check_choice(issue.strip(), choice.strip())
        choices[issue.strip()] = choice.strip()
    return choices


STANDARD_INPUT = "-"
_IS_TOML = r"(?m)^[^\S\n]*(\[{1,2}[ \t]*(case|phase|orders|centers|units)\b|[\w.\"-]+[ \t]*=(?![=>]))"
_IS_REQUEST = r"(?i)\s*\{(?!\s*['\"]?(?:AUSTRIA|ENGLAND|FRANCE|GERMANY|ITALY|RUSSIA|TURKEY)\b)"
"""JSON that is no dictionary of the orders of powers."""


def find_case_or_positions(what: str, suite_name: str | None) -> Sequence[Case]:
    """Find what a person names: a case of a suite, or a file of positions (`-`: standard input).

    Raises `HarnessError`, and `CasesError` for an unknown suite or a wrong TOML file.
    """
    case = find_case(what, suite_name)
    if case is not None:
        return (case,)
    path = Path(what)
    if what == STANDARD_INPUT or path.is_file() or path.is_fifo():  # Such as the `<(...)` of a shell.
        content, name = read_input(what)
        try:
            return read_positions(content.decode("utf-8"), name)
        except UnicodeDecodeError as error:
            raise HarnessError(f"{what} is no text in UTF-8") from error
    raise HarnessError(f"{what!r} is no file, and {no_case(what, suite_name)}")


def read_positions(text: str, name: str) -> Sequence[Case]:
    """Read positions, in whichever way they are written, as cases without a suite.

    Raises `HarnessError` for what is not a position, and `CasesError` where the TOML is wrong; both give `name`.
    """
    if re.match(_IS_REQUEST, text.lstrip("\ufeff")):
        return (_of_request(text, name),)
    if re.search(_IS_TOML, text):
        from ...cases.reading import read_loose_cases  # Here, since it takes long to import.

        return read_loose_cases(text, name)
    return (_of_lines(text, name),)


def _of_lines(text: str, name: str) -> Case:
    """Read orders as people write them; what was guessed or skipped becomes the remark of the case."""
    from ..paste.reader import read_on_best_map  # Here, since it takes long to import.

    pasted, board = read_on_best_map(text, name)
    phases = list[CasePhase]()
    for phase, position, centers, orders, texts, recorded in pasted.phases:
        written = tuple(CaseOrder(Submitted(*order), text) for order, text in zip(orders, texts, strict=True))
        season = msgspec.convert(pasted.season, Season)
        phases.append(
            CasePhase(
                phase,
                season,
                pasted.year,
                board,
                position,
                centers,
                written,
                {},
                in_sequence=True,
                expectations=(),
                recorded=recorded,
            )
        )
    return _case(name, *phases, remark="\n".join(pasted.notes))


def _of_request(text: str, name: str) -> Case:
    """Read a request as it goes to an engine. Its ruleset is not that of the position."""
    try:
        whole = msgspec.json.decode(text, type=dict[str, msgspec.Raw])  # A request, or no more than its `params`.
        params = msgspec.json.decode(whole.get("params", text.encode()), type=AdjudicateParams)
        season = msgspec.convert(params.season, Season)
        position, submission = read_position(params), read_submission(params)
    except (*UNREADABLE, ReferenceEngineError) as error:
        raise HarnessError(f"{name} is no request of the protocol: {error}") from error
    written = zip(submission.writings, params.orders, strict=True)
    orders = tuple(CaseOrder(submitted, message.text) for submitted, message in written)
    centers = {power: tuple(owned) for power, owned in params.centers.items()}
    known = submission.marks, submission.in_sequence
    phase = CasePhase(params.phase, season, params.year, position.board, position, centers, orders, *known, ())
    return _case(name, phase)


def _case(name: str, *phases: CasePhase, remark: str = "") -> Case:
    return Case("position", "", "", "", name, (), (), remark, phases)


def read_input(what: str) -> tuple[bytes, str]:
    """Read a file, or standard input for `-`, and return what it is called in messages, too. Raises `HarnessError`."""
    try:
        if what == STANDARD_INPUT:
            return sys.stdin.buffer.read(), "standard input"
        return Path(what).read_bytes(), what
    except OSError as error:
        raise HarnessError(f"{what} cannot be read: {error.strerror}") from error


ALL = "all"
"""The name that stands for every suite of the project."""


def _own_suites() -> Sequence[str]:
    return *suite_names(), *variant_suites()


def suites_named(suites: Sequence[str]) -> Sequence[str]:
    """Return the suites that `--suite` names, or the usual one where it names none."""
    return suite_names() if ALL in suites else suites or (USUAL_EDITION,)


def find_cases(suites: Sequence[str], selections: Sequence[str]) -> Sequence[Case]:
    """Find the cases of some suites (the usual edition if none is named) that are selected.

    A selection is an id, a section or an issue, in capitals or not, or several with commas; `SUITE/ID` is a case of any
    suite. Where no suite is named, what the usual edition does not have is looked for in the others.

    Raises `CasesError` for an unknown suite, and for a selection that names nothing.
    """
    chosen = [case for name in suites_named(suites) for case in load_suite(name).cases]
    if not selections:
        return chosen
    parts: list[str] = []
    for text in selections:
        named = [part.strip() for part in text.split(",") if part.strip()]
        if not named:
            raise UnknownCaseError(f"--select {text!r} names no case: write an id, a section or an issue, such as 6.F")
        parts += named
    found = {case.key: case for part in parts for case in _selected(part, chosen, suites)}
    own = [case for case in chosen if case.key in found]
    return [*own, *(case for case in found.values() if case not in own)]


def _selected(selection: str, chosen: Sequence[Case], suites: Sequence[str]) -> Sequence[Case]:
    suite, _, name = selection.rpartition("/")
    if suite:
        own = [case for case in chosen if case.suite == suite]
        if found := select_cases(own or (load_suite(suite).cases if suite in _own_suites() else ()), [name]):
            return found
    elif found := select_cases(chosen, [selection]):
        return found
    searched = [suite] if suite else suites_named(suites)
    unsearched = (other for other in suite_names() if other not in searched)
    others = {other: found for other in unsearched if (found := select_cases(load_suite(other).cases, [name]))}
    if len(others) == 1 and not suites and not suite:
        return next(iter(others.values()))
    message = f"--select {selection}: there is no such case, section or issue in {suite or 'the suite'}"
    if others:
        keys = [f"{other}/{name}" for other in others]
        raise UnknownCaseError(f"{message}; there is {listed(keys)}")
    known = dict.fromkeys(word for case in chosen for word in (case.id, case.section, *case.issues))
    raise UnknownCaseError(f"{message}{nearest(name, tuple(known))}")


def _suite_and_id(key: str, suite_name: str | None) -> tuple[str | None, str]:
    """Split a key such as `extended/X.2-a-case` into the suite, if one is named, and the id."""
    suite, separator, case_id = key.partition("/")
    if separator and suite in _own_suites():
        return suite, case_id
    return None if suite_name == ALL else suite_name, key


def find_case(key: str, suite_name: str | None) -> Case | None:
    """Find a case that is named by its id, or as `extended/X.2-a-case`; `None` where no suite has it.

    Where no suite is named it is looked for in the usual edition, then in the others. Raises `UnknownCaseError` for an
    id that several of these have.
    """
    suite, case_id = _suite_and_id(key, suite_name)
    for names in ([USUAL_EDITION], _own_suites()) if suite is None else ([suite],):
        cases = (case for name in names for case in load_suite(name).cases)
        found = [case for case in cases if case.id.casefold() == case_id.casefold()]
        if len(found) > 1:
            raise UnknownCaseError(f"several suites have a case {key!r}: write {listed(case.key for case in found)}")
        if found:
            return found[0]
    return None


def no_case(key: str, suite_name: str | None) -> str:
    """Say that there is no such case, and which one is near: the end of a message."""
    suite, case_id = _suite_and_id(key, suite_name)
    ids = [case.id for case in load_suite(suite or USUAL_EDITION).cases]
    return f"no case in {suite or 'any suite'}{nearest(case_id, ids)}"
