"""The pytest plugin as pytest finds it: its options, and nothing more until one of them names an engine.

It is installed as a package of its own, `pytest_datc`: pytest watches all packages of a distribution with a plugin, and
of one that has `datc.harness` alone it would watch an author's own `harness`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

_ENGINE = "The engine to ask the DATC: `builtin`, `exec:COMMAND LINE`, a URL, or a name from datc.toml."


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, and the keys of the same names in the config of pytest."""
    group = parser.getgroup("datc", "DATC test cases (datc-check)")
    group.addoption("--datc-engine", metavar="ENGINE", help=_ENGINE)
    group.addoption("--datc-ruleset", metavar="NAME", help="The rules that the engine is held to.")
    group.addoption("--datc-suite", metavar="NAME", action="append", default=[], help="A suite of cases.")
    group.addoption("--datc-select", metavar="6.F", action="append", default=[], help="A case, a section or an issue.")
    group.addoption("--datc-config", metavar="FILE", help="Another file than the datc.toml beside pytest's config.")
    parser.addini("datc_engine", _ENGINE, default="")
    parser.addini("datc_ruleset", "As --datc-ruleset.", default="")
    parser.addini("datc_suite", "As --datc-suite; several.", type="args", default=[])
    parser.addini("datc_select", "As --datc-select; several.", type="args", default=[])
    parser.addini("datc_config", "As --datc-config, from the folder of pytest's config.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Collect the cases, where an engine is named. Their marker is known without one, too: `-m "not datc"`."""
    config.addinivalue_line("markers", "datc: cases that datc-check asks the engine")
    keys = vars(config).get("_inicfg") or vars(config).get("inicfg", ())  # The property `inicfg` warns in pytest 9.
    unknown = [key for key in keys if key.startswith("datc_") and key not in vars(config.option)]
    if unknown or config.getoption("datc_engine") or config.getini("datc_engine"):
        from datc.harness.integrations.pytest_plugin import CasesPlugin

        _ = config.pluginmanager.register(CasesPlugin(config, unknown), "datc-cases")
