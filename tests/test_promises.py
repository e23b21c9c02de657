"""Every promise of SECURITY.md, in bold there, has one test that names it with the mark `promise`."""

import re

from .conftest import ROOT

PROMISED = ("## What is protected", "## Engines over HTTP", "## `engine` and `shadow`")


def test_every_promise_has_one_test_that_names_it() -> None:
    sections = re.split(r"\n(?=## )", (ROOT / "SECURITY.md").read_text("utf-8"))
    texts = [each.partition("These are not promised:")[0] for each in sections if each.startswith(PROMISED)]
    promises = [name.rstrip(".") for text in texts for name in re.findall(r"^- \*\*(.+?)\*\*", text, re.MULTILINE)]
    tests = [file.read_text("utf-8") for file in (ROOT / "tests").rglob("test_*.py")]
    named = [name for text in tests for name in re.findall(r'@pytest\.mark\.promise\("(.+)"\)', text)]
    assert sorted(named) == sorted(promises)
