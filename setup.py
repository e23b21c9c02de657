"""What the build cannot read from `pyproject.toml`: the README as PyPI shows it, and what it makes.

It stores the suites as they are read from TOML (`cases/loading.py`), so that a start does not read them again.

In the repository the links of the README are relative, so that they work in every clone. PyPI has no files to link to.

With `DATC_CHECK_COMPILE=1` in the environment, mypyc compiles the modules that take the time of many positions, of the
reference engine and of the harness. They stay there as Python, too, so that tracebacks show them.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urljoin

from setuptools import Extension, setup
from setuptools.command.build_py import build_py
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
        "legality",
        "matched",
        "meanings",
        "movement",
        "orders",
        "paradoxes",
        "position",
        "readings",
        "retreats",
        "routes",
    ),
    "harness": ("asking", "positions"),
    "harness/answers": ("answer", "differences"),
    "harness/generating": ("draft", "generate", "interned", "situations", "slips", "terrain"),
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
    """Translate the modules of `COMPILED` into C; none while pip asks what to install, the compiler among it."""
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
    # A module that is no longer compiled would still be taken from an earlier build in this folder.
    for earlier in ROOT.glob("build/lib*"):
        shutil.rmtree(earlier)
    # Without it, the compiler takes modules of an installed version for those of this one.
    (copy / "datc" / "__init__.py").touch()
    os.environ["MYPYPATH"] = str(copy)
    os.chdir(ROOT)
    options = ["--explicit-package-bases", "--follow-imports=silent", "--ignore-missing-imports"]
    options.append(f"--cache-dir={copy / 'cache'}")
    files = [f"build/compiled/datc/{folder}/{name}.py" for folder, names in COMPILED.items() for name in names]
    extensions = mypycify([*options, *files], opt_level="3", group_name="datc", target_dir=str(copy / "c"))
    if sys.platform != "win32":
        for extension in extensions:
            # Nothing outside calls the functions, so that the C compiler may inline them.
            extension.extra_compile_args.append("-fvisibility=hidden")
    return extensions


class BuildWithSuites(build_py):
    """Copies the packages, and stores the suites beside them; an editable installation has them in the sources."""

    def run(self) -> None:
        """Build. Where the suites cannot be stored, such as without msgspec, each start reads their TOML."""
        super().run()
        folder = ROOT if self.editable_mode else Path(self.build_lib) / "datc"
        try:
            store_suites(folder / "cases" / "stored")
        except (subprocess.CalledProcessError, OSError) as error:
            log = getattr(error, "stderr", "") or str(error)
            self.warn(f"the suites are not stored, and each start reads their TOML: {log.splitlines()[-1]}")


def store_suites(target: Path) -> None:
    """Have a copy of the package store its suites, and put them there. Raises `CalledProcessError` and `OSError`."""
    with tempfile.TemporaryDirectory() as copy:
        for package in ("cases", "reference_engine"):
            leave_out = shutil.ignore_patterns("__pycache__", "stored", "*.so", "*.pyd")
            _ = shutil.copytree(ROOT / package, Path(copy, "datc", package), ignore=leave_out)
        # What the build may import is on its own path alone. Sets of texts are in the order of their hashes: the seed
        # makes the bytes the same each time.
        path = os.pathsep.join([copy, *filter(None, sys.path)])
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}
        program = "from datc.cases.loading import store_suites; store_suites()"
        _ = subprocess.run(
            [sys.executable, "-c", program], check=True, env=environment, stderr=subprocess.PIPE, text=True
        )
        shutil.rmtree(target, ignore_errors=True)
        _ = shutil.copytree(Path(copy, "datc", "cases", "stored"), target)


if __name__ == "__main__":
    project = read_configuration(ROOT / "pyproject.toml", expand=False)["project"]
    is_compiled = os.environ.get("DATC_CHECK_COMPILE", "0") not in ("", "0")
    version = (ROOT / "reference_engine" / "version.txt").read_text(encoding="utf-8").strip()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    _ = setup(
        long_description=absolute_links(readme, project["urls"]["Repository"], version),
        long_description_content_type="text/markdown",
        setup_requires=[COMPILER] if is_compiled else [],
        cmdclass={"build_py": BuildWithSuites},
        ext_modules=compiled_modules() if is_compiled else [],
    )
