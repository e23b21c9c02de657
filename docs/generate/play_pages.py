"""The page to try positions on: Pyodide runs the reference engine in the browser, from files of the site alone."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import logging
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from urllib.parse import urlencode

from board_maps import map_file, shared_board
from html_pages import HtmlPage, root_of

from datc.cases import Case, load_suite
from datc.cases.suite import CasePhase
from datc.harness.board.play_api import (
    RULESETS_FILE,
    LaterPhase,
    Question,
    play_question,
    rulesets_text,
)
from datc.harness.board.server import FILES, EngineFolder, page_content
from datc.harness.errors import HarnessError
from datc.harness.explain.case import every_document, every_ruleset
from datc.harness.paste.writing import orders_text, position_text
from datc.harness.play.answer import Failure, PhaseInput
from datc.harness.play.session import PlayedPhase, ReferenceAdjudicator, case_inputs, play
from datc.reference_engine import GivenOrder, standard_board, start_position
from datc.reports.boardmap.scenes import scene_of_orders

ROOT = Path(__file__).parents[2]
PLAY_URL = "play/"
PYODIDE = ROOT / "build" / "pyodide" / "node_modules" / "pyodide"
"""Where `ci/pyodide` installs it."""
_PROGRAM, _LOCK, _LIBRARY = "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip"
_PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", _PROGRAM, _LOCK, _LIBRARY)
_PAGE_FILES = ("play.mjs", "view.mjs", "play.css", "offline.js")
_LEFT_OUT = re.compile(
    r"encodings/(?!__init__|aliases|ascii|cp437|latin_1|utf_8)|xml/(?!__init__|sax)|importlib/(metadata|resources)"
    + r"|(_pyrepl|ctypes|html|multiprocessing|sqlite3|sysconfig|unittest|wsgiref|xmlrpc|zoneinfo|logging/(?!__init__))/"
    + r"|(_pydatetime|_pyio|argparse|bdb|configparser|doctest|ftplib|imaplib|mailbox|optparse|pdb|pickle|pickletools"
    + r"|pydoc|smtplib|statistics|tarfile|trace|turtle)\.py"
)
"""What the page needs nothing of in Python's library: half of it."""
_ENTRY = "datc.harness.board.play_api"
_NOT_THERE = ("click", "jinja2", "markupsafe", "msgspec", "rich")
"""What the browser does not have: the modules are found without them."""
_FIND_MODULES = f"""
import json, sys
sys.platform = "emscripten"
sys.modules.update(dict.fromkeys({_NOT_THERE!r}))
import {_ENTRY}
names = [name for name, module in sys.modules.items() if name.startswith("datc.") and module is not None]
print(json.dumps(names))
"""
_DATA = (
    "reference_engine/data/standard.toml",
    "harness/paste/words.toml",
    "reports/wording.toml",
    "reports/boardmap/standard.json",
    "reports/boardmap/colors.toml",
)
_LOG = logging.getLogger("mkdocs.plugins.play")


def play_page() -> HtmlPage:
    """Return the page."""
    root = root_of(PLAY_URL)
    shared_map = shared_board(root, [province.code for province in standard_board().provinces])
    content = page_content("", shared_map, f"{root}{map_file('light')}", engine=_engine_folder(engine_files()))
    about = (
        "<p>Set units and give orders, and see what happens, why, and what every ruleset makes"
        " of it. The reference engine runs in your browser: nothing that you write is sent anywhere, and a link to a"
        f' position holds it all. <a href="{root}players/">For game masters and players</a>.</p>'
    )
    missing = "" if _has_pyodide() else "<p><strong>This copy of the site was built without Pyodide.</strong></p>"
    style = '<link rel="stylesheet" href="play.css">'
    description = "A board in the browser: set units, give orders, and see the outcome under every ruleset, and why."
    scene = scene_of_orders(start_position(), ())
    html = f"{style}<h1>Try a position</h1>{missing}{content}{about}"
    return HtmlPage("Try a position", description, html, scene=scene, is_wide=True, outcome=description)


def play_files() -> Mapping[str, Path | bytes]:
    """Return the files of the page by their place on the site: what they are copied from, or their content."""
    page = {f"{PLAY_URL}{name}": FILES / name for name in _PAGE_FILES}
    if not _has_pyodide():
        _LOG.info("Pyodide is not installed (ci/pyodide does it): the page to try positions on has no engine")
        return page
    files = engine_files()
    folder = _engine_folder(files).folder
    return {**page, **{f"{PLAY_URL}{folder}{name}": content for name, content in files.items()}}


@cache
def engine_files() -> Mapping[str, bytes]:
    """Return what the browser loads to run the reference engine, by name: none without Pyodide."""
    if not _has_pyodide():
        return {}
    files = {name: PYODIDE.joinpath(name).read_bytes() for name in _PYODIDE_FILES}
    # The packages of Pyodide are not needed; the program is packed, since not every server does it.
    lock: dict[str, object] = {**json.loads(files[_LOCK]), "packages": {}}
    packed = gzip.compress(files.pop(_PROGRAM), mtime=0)
    files |= {_LOCK: json.dumps(lock).encode(), f"{_PROGRAM}.packed": packed, _LIBRARY: _library(files[_LIBRARY])}
    return {**files, "datc.zip": python_archive(), "worker.mjs": FILES.joinpath("worker.mjs").read_bytes()}


def _library(archive: bytes) -> bytes:
    """Return Python's library without what is left out."""
    whole = zipfile.ZipFile(io.BytesIO(archive))
    return _zipped({name: whole.read(name) for name in whole.namelist() if not _LEFT_OUT.match(name)})


def _engine_folder(files: Mapping[str, bytes]) -> EngineFolder:
    """Return the folder of the engine, which is named by its content, so that a browser may keep it for ever."""
    digest = hashlib.sha256(b"".join(files[name] for name in sorted(files))).hexdigest()[:16]
    size = sum(len(content) for name, content in files.items() if not name.endswith(".mjs"))
    return EngineFolder(f"engine-{digest}/", size)


def play_link(case: Case) -> str | None:
    """Return the address of the page with the position and the orders of a case, from the root of the site.

    `None` where the page cannot hold the case: where it would show another outcome of it, under any ruleset.
    """
    question = _question(case)
    if question is None or not _has_outcomes_of(question, case):
        return None
    return f"{PLAY_URL}#{urlencode([('ruleset', question.ruleset), ('text', question.text), *question.later])}"


def _question(case: Case) -> Question | None:
    """Write a case as the page has it; the page has no movements after the first ones."""
    first, *following = case.phases
    if any(each.phase == "movement" for each in following):
        return None
    units = () if first.position is None else first.position.units
    asked = PhaseInput(first.phase, (), units, season=first.season, year=first.year, centers=first.centers)
    later: list[tuple[LaterPhase, str]] = [
        (each.phase, orders_text(_readable(each))) for each in following if each.phase != "movement"
    ]
    return Question(position_text(asked, _readable(first)), later, load_suite(case.suite).ruleset)


def _has_outcomes_of(question: Question, case: Case) -> bool:
    """Whether the page shows the outcomes of a case under every ruleset. The same phases have the same outcomes."""
    inputs, rulesets = case_inputs(case), every_ruleset()
    try:
        shown = play_question(question, rulesets[question.ruleset]).phases
        return [_phase_key(each.asked) for each in shown] == [*map(_phase_key, inputs)] or all(
            [*map(_outcome, play_question(question, each).phases)]
            == [*map(_outcome, play(ReferenceAdjudicator(each), inputs))]
            for each in rulesets.values()
        )
    except HarnessError:
        return False


def _phase_key(asked: PhaseInput) -> object:
    """Return what the outcome of a phase depends on; the order of the units and of the powers is no part of it."""
    position = None if asked.follows else (frozenset(asked.units), asked.dislodged, asked.flying_dutchmen)
    centers = {power: sorted(owned) for power, owned in asked.centers.items() if owned}
    submission = asked.submission
    orders = sorted(submission.writings, key=lambda each: each.power)
    return asked.phase, position, asked.phase == "adjustment" and centers, orders, submission.marks


def _outcome(played: PlayedPhase) -> object:
    """Return the boards before and after a phase; `None` for the one after where the rules give no answer."""
    answer = None if isinstance(played.answer, Failure) else (played.answer.units, played.answer.dislodged)
    return played.asked.phase, frozenset(played.asked.units), answer


def _readable(phase: CasePhase) -> Sequence[GivenOrder]:
    return [GivenOrder(each.power, each.order) for each in phase.orders if each.order is not None]


def _has_pyodide() -> bool:
    return all(PYODIDE.joinpath(name).is_file() for name in _PYODIDE_FILES)


def python_archive() -> bytes:
    """Pack the modules that the browser runs, with their data; the same sources give the same bytes."""
    sources = {_archived(file): file.read_bytes() for file in [*map(_source, _modules()), *map(ROOT.joinpath, _DATA)]}
    rulesets = f"datc/harness/board/{RULESETS_FILE}"
    sources[rulesets] = rulesets_text(every_ruleset(), every_document()).encode()
    return _zipped(sources)


def _zipped(files: Mapping[str, bytes]) -> bytes:
    """Pack files; the same ones give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _modules() -> list[str]:
    """Import what answers the page, and name the modules of the project that this takes."""
    done = subprocess.run([sys.executable, "-c", _FIND_MODULES], capture_output=True, check=True, text=True)
    names: list[str] = json.loads(done.stdout)
    return names


def _source(module: str) -> Path:
    place = ROOT.joinpath(*module.split(".")[1:])
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def _archived(file: Path) -> str:
    return f"datc/{file.relative_to(ROOT).as_posix()}"
