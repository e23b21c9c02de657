"""What the build cannot read from `pyproject.toml`: the README as PyPI shows it, with absolute links.

In the repository its links are relative, so that they work in every clone. PyPI has no files to link to.
"""

import re
from pathlib import Path
from urllib.parse import urljoin

from setuptools import setup
from setuptools.config.pyprojecttoml import read_configuration

ROOT = Path(__file__).parent
_RELATIVE = re.compile(r"(!\[[^\]]*)?\]\((?!https?:|#)([^)]+)\)")


def absolute_links(markdown: str, repository: str, version: str) -> str:
    """Make relative links lead to the repository at the tag of this version, and pictures to the file itself."""

    def absolute(link: re.Match[str]) -> str:
        picture, target = link.groups(default="")
        folder = f"{repository}/{'raw' if picture else 'blob'}/v{version}/"
        return f"{picture}]({urljoin(folder, target)})"

    return _RELATIVE.sub(absolute, markdown)


if __name__ == "__main__":
    project = read_configuration(ROOT / "pyproject.toml", expand=False)["project"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    _ = setup(
        long_description=absolute_links(readme, project["urls"]["Repository"], project["version"]),
        long_description_content_type="text/markdown",
    )
