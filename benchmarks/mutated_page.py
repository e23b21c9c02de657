"""Test the tests of the pages: put faults into their scripts, and say which ones no test notices.

    python benchmarks/mutated_page.py                              the faults that have a name
    python benchmarks/mutated_page.py --draw 40 --seed 1 play.mjs  mutants of a script, drawn from all

Each mutant is one change to one line. pytest loads this file as a plugin, which gives the mutated script to the
browser. What only the page on the site runs (its worker and its service worker) is not mutated.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    import pytest
    from playwright.sync_api import BrowserContext, Page, Route

ROOT = Path(__file__).parents[1]
SCRIPTS = {
    "play.mjs": ROOT / "harness" / "board" / "files" / "play.mjs",
    "cases.js": ROOT / "reports/templates/cases.js",
}
TESTS: Mapping[str, Sequence[Sequence[str]]] = {
    "play.mjs": (
        ("tests/test_play_orders.py",),
        (
            "tests/test_play_page.py",
            "-k",
            "(server or engines_) and not outcomes_of_explain and not hostile and not axe",
        ),
    ),
    "cases.js": (
        (
            "tests/reports/test_page.py",
            "-k",
            "not hostile and not axe and not hundreds and not wider and not test_letters",
        ),
    ),
}
"""What runs a script: the quick tests, then those for what survives them."""
ONLY_ON_THE_SITE = re.compile(
    r"^(async )?function (workerBackend|keepOffline|findKept|keepAnswers)\(.*?^}|^const answers = .*?$",
    re.MULTILINE | re.DOTALL,
)
NAMED = (
    ("the support of a move is written as a convoy", '"S" : "C"} ${named(helped)} -', '"C" : "C"} ${named(helped)} -'),
    ("VIA is lost", '" VIA")', '"")'),
    ("a coast is lost", "() => give(location)", "() => give(provinceOf(location))"),
    ("Copy link is dead", '  part("link").addEventListener', "  void (() => {})"),
    ("Start of a game is dead", "() => setText(data.start)", "() => {}"),
    ("Take it off the board is dead", 'board", () => takeOff(code)', 'board", () => {}'),
    ("the board after is the one before", "state.boards[shown]", "state.boards.before"),
    ("a waived build is not written", '() => build(power, "WAIVE")', "() => {}"),
    ("a failure is not said", "showStale(`No answer: ${error.message}.`);", ""),
)
"""Faults that the tests did not notice in an earlier version of `play.mjs`, with what each changes."""
MUTATORS: Sequence[tuple[str, str]] = (
    (r" === ", " !== "),
    (r" !== ", " === "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r"(?<![\w)])!(?=[\w(\[])", ""),
    (r" < ", " >= "),
    (r" > ", " <= "),
    (r" \+ ", " - "),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"(?<![\w.#-])0(?![\w.])", "1"),
    (r"(?<![\w.#-])1(?![\w.])", "0"),
    (r'"[^"]+"', '""'),
    (r"\bif \((?=.*\)[^()]*$)", "if (!"),
    (r"\.some\(", ".every("),
    (r"\.every\(", ".some("),
    (r"\(\) => (?!\{)[^,]+\)(?=[,)])", "() => {}"),
    (r"^ +[\w.?]+\([^{}]*\);$", ""),
    (r"^ +(state|mode|entry)\.\w+ = [^{}]*;$", ""),
)
"""What is found in a line, as a regular expression, and what replaces it. The last two remove a statement."""

_RESULT = "RESULT "
_UNCHANGED = "no change"
_TIMES, _LEAST, _LONG = 4, 3.0, 45.0
"""For a step of a test, a mutant has this multiple of the time that the whole test took without it; the least and the
longest time for a step, in seconds."""


class Mutant(NamedTuple):
    """A script with one change."""

    script: str
    what: str
    source: str


def named_mutants() -> Iterator[Mutant]:
    """Make those of `NAMED`. Ends with a message if a place has changed."""
    source = SCRIPTS["play.mjs"].read_text(encoding="utf-8")
    for what, old, new in NAMED:
        if source.count(old) != 1:
            raise SystemExit(f"{old!r} is {source.count(old)} times in play.mjs, and not once")
        yield Mutant("play.mjs", what, source.replace(old, new))


def all_mutants(script: str) -> Iterator[Mutant]:
    """Make every mutant that the mutators give, in the order of the lines. Some are no JavaScript."""
    source = SCRIPTS[script].read_text(encoding="utf-8")
    left_out = [range(*found.span()) for found in ONLY_ON_THE_SITE.finditer(source)]
    start = 0
    for number, line in enumerate(source.splitlines(keepends=True), 1):
        code = line.partition(" // ")[0].rstrip("\n")
        if not code.lstrip().startswith(("//", "import ")) and not any(start in each for each in left_out):
            for pattern, replacement in MUTATORS:
                for found in re.finditer(pattern, code):
                    changed = code[: found.start()] + replacement + code[found.end() :]
                    what = f"line {number}: `{code.strip()}` → `{changed.strip()}`"
                    yield Mutant(script, what, source[:start] + changed + source[start + len(code) :])
        start += len(line)


def is_script(mutant: Mutant) -> bool:
    """Whether a browser reads it at all: a mutant that is no JavaScript tests nothing."""
    suffix = Path(mutant.script).suffix
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"script{suffix}")
        _ = file.write_text(mutant.source, encoding="utf-8")
        command = [shutil.which("node") or "node", "--check", file]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def tested(mutants: Sequence[Mutant], tests: Sequence[str]) -> Iterator[str]:
    """Run tests with each mutant in one process; give the first one that fails, or nothing if a mutant survives."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(mutants, file)
        file.flush()
        path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": path, "DATC_MUTANTS": file.name}
        command = [sys.executable, "-m", "pytest", "-n0", "-qs", "-p", "mutated_page", *tests]
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout or ():
                if line.startswith(_RESULT):
                    yield line.removeprefix(_RESULT).strip()


# What follows runs inside pytest.

_SOURCE: list[str] = []
"""The script that pages get."""
_CONTEXTS: list[BrowserContext] = []


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Run the tests with each mutant until one fails, and print its name. The first mutant is the script as it is."""
    mutants = [Mutant(*each) for each in json.loads(Path(os.environ["DATC_MUTANTS"]).read_text(encoding="utf-8"))]
    unchanged = mutants[0]
    (_give_to_reports if unchanged.script == "cases.js" else _give_to_pages)(unchanged.script)
    took: dict[str, float] = {}
    for mutant in mutants:
        found = (_failure(session, item, mutant, unchanged, took) for item in (None, *session.items))
        print(f"\n{_RESULT}{next(filter(None, found), '')}", flush=True)
    return True


def _failure(
    session: pytest.Session, item: pytest.Item | None, mutant: Mutant, unchanged: Mutant, took: dict[str, float]
) -> str:
    """Name a test if it fails. One that waits in vain runs again, as a slow machine notices nothing."""
    name = item.name if item else "loading"
    said, seconds = _tried(session, item, mutant, _TIMES * took.get(name, _LONG))
    _ = took.setdefault(name, seconds)
    if "Timeout" in said:
        said, seconds = _tried(session, item, unchanged, _LONG)
        said = "" if said else _tried(session, item, mutant, _TIMES * seconds)[0]
    if said and mutant == unchanged:
        print(said, file=sys.stderr)
    in_vain = f", in vain, where the script as it is needs {seconds:.1f} s" if "Timeout" in said else ""
    return said and name + in_vain


def _tried(session: pytest.Session, item: pytest.Item | None, mutant: Mutant, patience: float) -> tuple[str, float]:
    """Run a test with a mutant, `patience` seconds a step; return what failed, or nothing, and how long it took."""
    milliseconds = round(1000 * min(max(patience, _LEAST), _LONG))
    said = ""
    if mutant.source not in _SOURCE:
        _SOURCE[:] = [mutant.source]
        if mutant.script == "cases.js":
            # The reports are made again, with it.
            session._setupstate.teardown_exact(None)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        said = _reloaded(milliseconds) if item else ""
    start = perf_counter()
    return said or _run(session, item, milliseconds), perf_counter() - start


def _run(session: pytest.Session, item: pytest.Item | None, patience: int) -> str:
    """Run a test, or load the page without one; return what failed, or nothing."""
    from _pytest.runner import runtestprotocol

    if item is None:
        return _reloaded(patience)
    for name in ("tests.test_play_page.LOADING", "tests.reports.test_page.PATIENCE"):
        module, _, constant = name.rpartition(".")
        if module in sys.modules:
            setattr(sys.modules[module], constant, patience)
    for page in (page for context in _CONTEXTS for page in context.pages):
        page.set_default_timeout(patience)
    # The fixtures of the module stay, also for the next mutant.
    reports = runtestprotocol(item, log=False, nextitem=session.items[item is session.items[0]])
    return next((report.longreprtext or "failed" for report in reports if report.failed), "")


def _give_to_reports(script: str) -> None:
    from datc.reports import html

    loader: Any = html._environment().loader  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    original = loader.get_source

    def get_source(environment: object, name: str) -> object:
        return (_SOURCE[0], None, lambda: False) if name == script else original(environment, name)

    loader.get_source = get_source


def _give_to_pages(script: str) -> None:
    from playwright.sync_api import Browser

    original = Browser.new_context

    def give(route: Route) -> None:
        route.fulfill(body=_SOURCE[0], content_type="text/javascript")

    @functools.wraps(original)
    def opened(*arguments: object, **options: object) -> BrowserContext:
        made: BrowserContext = cast("Any", original)(*arguments, **options)
        _ = made.route(f"**/{script}", give)
        _CONTEXTS.append(made)
        return made

    def opened_page(browser: Browser) -> Page:
        return browser.new_context().new_page()

    setattr(Browser, "new_context", opened)  # noqa: B010 - it is a method to the type checker
    setattr(Browser, "new_page", opened_page)  # noqa: B010


def _reloaded(patience: int) -> str:
    """Load the page of all tests, if it is open, with the mutant; return why it does not answer, or nothing."""
    from playwright.sync_api import Error

    for page in (page for context in _CONTEXTS for page in context.pages):
        try:
            page.unroute_all()
            address = page.url.partition("#")[0]
            _ = page.goto("about:blank")
            _ = page.goto(address)
            _ = page.wait_for_selector("#play[data-state=done]", timeout=patience)
        except Error as error:
            return str(error)
    return ""


def main() -> None:
    """Run the tests with each mutant, and print a line for each."""
    parser = argparse.ArgumentParser()
    _ = parser.add_argument("script", nargs="?", choices=SCRIPTS, default="play.mjs")
    _ = parser.add_argument("--draw", type=int, default=0)
    _ = parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    mutants = [*all_mutants(options.script)] if options.draw else [*named_mutants()]
    if options.draw:
        print(f"{len(mutants)} mutants of {options.script}", flush=True)
        Random(options.seed).shuffle(mutants)
        mutants = [*islice(filter(is_script, mutants), options.draw)]
    unchanged = Mutant(options.script, _UNCHANGED, SCRIPTS[options.script].read_text(encoding="utf-8"))
    left = [unchanged, *mutants]
    for tests in TESTS[options.script]:
        found = [*shown(left, tests)]
        left = [mutant for mutant, failed in zip(left, found, strict=True) if not failed]
    print(f"{len(mutants) + 1 - len(left)} of {len(mutants)} killed; these survived:")
    for mutant in left[1:]:
        print(f"- {mutant.what}")


def shown(mutants: Sequence[Mutant], tests: Sequence[str]) -> Iterator[str]:
    """Run tests with mutants, and print each that is killed."""
    for mutant, failed in zip(mutants, tested(mutants, tests), strict=True):
        if failed and mutant.what == _UNCHANGED:
            raise SystemExit(f"{failed} fails without a mutant")
        if failed:
            print(f"{mutant.what}: {failed}", flush=True)
        yield failed


if __name__ == "__main__":
    main()
