"""What the build cannot read from `pyproject.toml`: the README as PyPI shows it, and the compiled reference engine.

In the repository the links of the README are relative, so that they work in every clone. PyPI has no files to link to.

With `DATC_CHECK_COMPILE=1` in the environment, mypyc compiles the modules of the reference engine that take its time.
They stay there as Python, too, so that tracebacks show them.
"""

import os
import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urljoin

from setuptools import Extension, setup
from setuptools.config.pyprojecttoml import read_configuration

ROOT = Path(__file__).parent
COMPILER = "mypy[mypyc]==2.4.1"
WHEEL_COMMANDS = frozenset({"bdist_wheel", "editable_wheel"})
_RELATIVE = re.compile(r"(!\[[^\]]*)?\]\((?!https?:|#)([^)]+)\)")
PACKAGES = ("adapters", "cases", "harness", "reference_engine", "reports")
COMPILED = {
    "reference_engine": (
        "adjudication",
        "adjustments",
        "choices",
        "disorder",
        "equations",
        "fallback",
        "legality",
        "matched",
        "movement",
        "orders",
        "paradoxes",
        "position",
        "retreats",
        "routes",
    ),
    "harness": ("asking", "positions"),
    "harness/answers": ("answer", "differences"),
    "harness/generating": ("draft", "generate"),
}
"""The modules that take the time of many positions: of the engine, of what generates positions, asks and compares."""


def absolute_links(markdown: str, repository: str, version: str) -> str:
    """Make relative links lead to the repository at the tag of this version, and pictures to the file itself."""

    def absolute(link: re.Match[str]) -> str:
        picture, target = link.groups(default="")
        folder = f"{repository}/{'raw' if picture else 'blob'}/v{version}/"
        return f"{picture}]({urljoin(folder, target)})"

    return _RELATIVE.sub(absolute, markdown)


def compiled_modules() -> list[Extension]:
    """Translate modules of the reference engine into C; none while pip asks what to install, the compiler among it."""
    if find_spec("mypyc") is None:
        if WHEEL_COMMANDS.isdisjoint(sys.argv):
            return []
        message = f'DATC_CHECK_COMPILE is set, but mypyc is not installed. Run: pip install "{COMPILER}"'
        raise SystemExit(f"{message}; or build without --no-build-isolation, or unset DATC_CHECK_COMPILE.")
    from mypyc.build import mypycify

    # The compiler takes the names of modules from folders, and the package `datc` is no folder here.
    copy = ROOT / "build" / "compiled"
    shutil.rmtree(copy, ignore_errors=True)
    for package in PACKAGES:
        for source in (ROOT / package).rglob("*.py"):
            target = copy / "datc" / source.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            _ = shutil.copyfile(source, target)
    os.environ["MYPYPATH"] = str(copy)
    os.chdir(ROOT)
    options = ["--explicit-package-bases", "--follow-imports=silent", "--ignore-missing-imports"]
    options.append(f"--cache-dir={copy / 'cache'}")
    files = [f"build/compiled/datc/{folder}/{name}.py" for folder, names in COMPILED.items() for name in names]
    return mypycify([*options, *files], opt_level="3", group_name="datc", target_dir=str(copy / "c"))


if __name__ == "__main__":
    project = read_configuration(ROOT / "pyproject.toml", expand=False)["project"]
    is_compiled = os.environ.get("DATC_CHECK_COMPILE", "0") not in ("", "0")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    _ = setup(
        long_description=absolute_links(readme, project["urls"]["Repository"], project["version"]),
        long_description_content_type="text/markdown",
        setup_requires=[COMPILER] if is_compiled else [],
        ext_modules=compiled_modules() if is_compiled else [],
    )
