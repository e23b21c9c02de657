"""The version of the project, from the file that the build and `datc-check --version` read, too."""

from functools import cache
from pathlib import Path


@cache
def package_version() -> str:
    """Return the version of this project."""
    return Path(__file__).with_name("version.txt").read_text(encoding="utf-8").strip()
