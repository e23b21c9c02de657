"""From the options of a command to what it works with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...adapters import BUILTIN, Engine, EngineSpec, Limits, open_engine, parse_engine_spec
from ...cases import Case, UnknownCaseError, load_ruleset, load_suite, select_cases, suite_names
from ...reference_engine import Ruleset, check_choice, nearest
from ..errors import ConfigError, HarnessError
from ..verdict import Rules
from .config import Config, read_config

USUAL_RULESET = "datc-3.1"


@dataclass(frozen=True)
class Prepared:
    """An engine, not yet started, and what it is held to."""

    engine: Engine
    spec: EngineSpec
    limits: Limits
    rules: Rules
    config: Config


def open_config_engine(
    engine: str | None,
    config_file: Path | None,
    timeout: float | None,
    ruleset_name: str | None,
    choices: Mapping[str, str],
) -> Prepared:
    """Open an engine by what the author typed, or that of the config; options win over the config.

    Raises `DatcCheckError` for what is wrong with any of it.
    """
    config, folder = read_config(config_file)
    spec = parse_engine_spec(first_named(engine, config.run.engine, BUILTIN), config.engines(folder))
    ruleset = ruleset_in_force(config, ruleset_name, choices)
    limits = spec.limits(timeout or config.run.timeout)
    return Prepared(open_engine(spec, limits), spec, limits, Rules(ruleset, config.deviations, spec.notation), config)


def ruleset_in_force(config: Config, ruleset_name: str | None, choices: Mapping[str, str]) -> Ruleset:
    """Make the ruleset of the options and the config; options win.

    Raises `CasesError`, `HarnessError` and `RulesetError` for what is wrong with it.
    """
    name = first_named(ruleset_name, config.run.ruleset, USUAL_RULESET)
    return make_ruleset(name, {**config.choices, **choices})


def first_named(*names: str | None) -> str:
    """Return the first name that is given. An empty one counts: an unset variable is not the usual."""
    return next(name for name in names if name is not None)


def find_cases(suites: Sequence[str], selections: Sequence[str]) -> Sequence[Case]:
    """Find the cases of some suites (`datc-3.1` if none is named) that are selected.

    Raises `CasesError` for an unknown suite, and for a selection that names nothing.
    """
    return select([case for name in _suite_names(suites) for case in load_suite(name).cases], selections)


def select(cases: Sequence[Case], selections: Sequence[str]) -> Sequence[Case]:
    """Select cases. Raises `UnknownCaseError` for a selection that names nothing."""
    for selection in selections:
        if not select_cases(cases, [selection]):
            raise UnknownCaseError(f"--select {selection}: there is no such case, section or issue in the suite")
    return select_cases(cases, selections)


def split_case_key(key: str, suite_name: str) -> tuple[str, str]:
    """Give the suite and the id of a case that is named as `extended/X.2-a-case`, or by its id in a suite."""
    before, separator, case_id = key.partition("/")
    return (before, case_id) if separator and before in suite_names() else (suite_name, key)


def _suite_names(suites: Sequence[str]) -> Sequence[str]:
    return suite_names() if "all" in suites else suites or ("datc-3.1",)


def check_deviations(deviations: Mapping[str, str], suites: Sequence[str]) -> None:
    """Raise `ConfigError` for a declared deviation of a case that is in no suite."""
    if not deviations:
        return
    every_suite = dict.fromkeys((*suite_names(), *_suite_names(suites)))
    known = [case.id for name in every_suite for case in load_suite(name).cases]
    for case in deviations:
        if case not in known:
            raise ConfigError(f"[deviations] names the case {case!r}, which is in no suite{nearest(case, known)}")


def make_ruleset(name: str | None, choices: Mapping[str, str]) -> Ruleset:
    """Make a ruleset (`datc-3.1` if none is named) with some choices changed.

    Raises `CasesError` for an unknown ruleset and `RulesetError` for an unknown choice.
    """
    ruleset = load_ruleset(first_named(name, USUAL_RULESET)).ruleset()
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
