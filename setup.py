"""What `pyproject.toml` cannot say: the packages, the README as PyPI shows it, and the modules that mypyc compiles."""

import os
import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urljoin

from setuptools import Extension, setup

FOLDERS = ("adapters", "cases", "harness", "reference_engine", "reports")
SOURCES = [file for folder in FOLDERS for file in Path(folder).rglob("*.py")]
PACKAGES = sorted(file.parent.parts for file in SOURCES if file.name == "__init__.py")
COMPILER = "mypy[mypyc]==2.4.1"
IS_COMPILED = os.environ.get("DATC_CHECK_COMPILE", "0") not in {"", "0"}


def readme() -> str:
    """Return the README with links to the repository at the tag of this version."""
    names = ("README.md", "reference_engine/version.txt", "pyproject.toml")
    text, version, project = (Path(name).read_text("utf-8") for name in names)
    repository = project.partition('Repository = "')[2].partition('"')[0]
    folders = {"!": f"{repository}/raw/v{version.strip()}/", "]": f"{repository}/blob/v{version.strip()}/"}
    relative = r"(!\[[^\]]*\]\(|\]\()(?!https?:|#)([^)]+)"
    return re.sub(relative, lambda link: link[1] + urljoin(folders[link[1][0]], link[2]), text)


def compiled_modules() -> list[Extension]:
    """Translate the modules that begin with `# mypyc` into C; none while pip asks what to install, mypyc among it."""
    if find_spec("mypyc") is None:
        if {"bdist_wheel", "editable_wheel"}.isdisjoint(sys.argv):
            return []
        raise SystemExit(f'DATC_CHECK_COMPILE is set, but mypyc is not installed. Run: pip install "{COMPILER}"')
    from mypyc.build import mypycify

    for earlier in (*Path("build").glob("lib*"), Path("build/compiled")):
        shutil.rmtree(earlier, ignore_errors=True)
    # The compiler names modules by their folders, and has to find `datc` here, not the installed one.
    for folder in FOLDERS:
        _ = shutil.copytree(folder, f"build/compiled/datc/{folder}", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    Path("build/compiled/datc/__init__.py").touch()
    os.environ["MYPYPATH"] = str(Path("build/compiled").resolve())
    files = [f"build/compiled/datc/{file}" for file in SOURCES if file.read_bytes().startswith(b"# mypyc")]
    options = ["--explicit-package-bases", "--follow-imports=silent", "--ignore-missing-imports"]
    return mypycify([*options, *files], opt_level="3", group_name="datc", target_dir="build/compiled/c")


if __name__ == "__main__":
    _ = setup(
        packages=["pytest_datc", *(".".join(("datc", *parts)) for parts in PACKAGES if parts[-1] != "pytest_datc")],
        long_description=readme(),
        long_description_content_type="text/markdown",
        setup_requires=[COMPILER] if IS_COMPILED else [],
        ext_modules=compiled_modules() if IS_COMPILED else [],
    )
