"""What all tests share: the profile of `hypothesis`, and the bridges, each set up in a home of its own."""

from __future__ import annotations

import functools
import gc
import http.server
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from hypothesis import HealthCheck, settings

from datc.adapters.bridges import Bridge, find_bridge
from datc.harness.board.browser import BROWSERS
from datc.harness.config.setting_up import Manner, set_up_bridge
from datc.harness.errors import MissingProgramError, SetUpError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parent.parent
SETUP_SECONDS = 1800.0
NOT_SET_UP = "is not set up in .engines: run the tests with DATC_SET_UP=1"
SITE_URL = "https://datc.example/check/"
"""Where the documentation site says that it is, when it is built for a test."""
REBOUND = "rebound.example"
"""A name that the browser takes to this machine, as an attacker's name server does."""
UNREACHABLE = re.compile(
    r"from versions: none|name resolution|resolve host|connection|connect to|offline"
    r"|ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|no such host|unknown host|dial tcp",
    re.IGNORECASE,
)
"""What pip, npm, cargo, Go, git and Maven say where their registry cannot be reached."""
REFUSED = re.compile("403 Forbidden", re.IGNORECASE)
"""What a machine without a network hears from a mirror that lacks a package. With a network, it is a real refusal."""

SLOW = """
test_site test_docs golden/test_golden author/test_ci harness/bugs/test_mutants harness/integrations/test_init
test_benchmarks harness/run/test_bridges harness/search/test_replay test_play_page harness/search/test_hunt
harness/search/test_store harness/search/test_groups reference_engine/test_properties test_games_sample
harness/bugs/test_missing harness/bugs/test_inferred harness/bugs/test_other_maps test_case_pages
harness/bugs/test_spoiled_answers harness/bugs/test_blame test_play_orders reports/test_page reports/test_labels
adapters/test_http adapters/test_process adapters/test_run_with_fakes harness/cli/test_cli harness/cli/test_commands
harness/cli/test_report_command harness/cli/test_serve harness/bugs/test_experiment harness/search/test_workers
harness/history/test_history harness/rules/test_infer harness/search/test_relations harness/cli/test_signals
harness/integrations/test_hostile_engines harness/integrations/test_pytest_plugin harness/search/test_shadowing
harness/cli/test_attacks harness/rules/test_single_choices harness/run/test_smoke harness/run/test_declarations
harness/run/test_editions harness/search/test_causes reference_engine/procedures/test_agreement
reference_engine/test_equations reference_engine/test_land_fallback reference_engine/test_notation test_mutated_inputs
harness/paste/test_pasting harness/explain/test_explain harness/board/test_play_api harness/config/test_setting_up
harness/run/test_trace adapters/test_tls test_schemas adapters/test_server harness/search/test_archives
harness/cli/test_draw harness/bugs/test_changes harness/cli/test_completion adapters/test_conversion
reports/test_drawing reports/test_cells reports/test_html harness/play/test_carry harness/play/test_verifying
harness/run/test_requests harness/run/test_runner adapters/test_opening adapters/test_ending
harness/integrations/test_watch
"""
"""The tests of these files, and single ones marked so, take most of the time; `-m "not slow"` leaves a minute or so.
The longest begin first. The one of the site builds it; others that show its pages come later, so that no worker waits
for it."""

# The homes of the bridges are kept between runs. Every process that a test starts finds them.
os.environ["DATC_CHECK_HOME"] = str(ROOT / ".engines")

# A shell without a terminal ignores Ctrl-C in what it starts in the background, and so would all that tests start.
_ = signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in every run: a failure never depends on luck or on a slow machine.
settings.register_profile(
    "datc", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("datc")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Start three processes for two cores: many tests wait for what hangs, or for a browser."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else (os.cpu_count() or 1) * 3 // 2


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while tests are collected, seldom afterwards, and never at what they are made of."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000)
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests, and put them first."""
    places = {ROOT / "tests" / f"{file}.py": place for place, file in enumerate(SLOW.split())}
    for item in items:
        if item.path in places:
            item.add_marker("slow")
    items.sort(key=lambda item: places.get(item.path, len(places)))


@pytest.fixture(autouse=True)
def _ended(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """End what a test started and left, whatever happened to it: a hunt of a million positions would go on."""
    started: list[subprocess.Popen[Any]] = []

    class Started(subprocess.Popen[Any]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Started)
    yield
    for process in started:
        if process.poll() is None:
            process.kill()
            with process:  # Waits for it, and closes its pipes.
                pass


ReadyBridge: TypeAlias = Callable[[str], Bridge]


@pytest.fixture(scope="session")
def ready_bridge() -> ReadyBridge:
    """Give a bridge that is set up, or skip the test and say why.

    With `DATC_SET_UP=1`, as in CI, what is not set up is, as `datc-check engines setup` does it.
    """
    missing: dict[str, str] = {}

    def give(name: str) -> Bridge:
        bridge = find_bridge(name)
        if not bridge.is_ready and name not in missing:
            missing[name] = _set_up(bridge) if os.environ.get("DATC_SET_UP") else f"{name} {NOT_SET_UP}"
        if reason := missing.get(name):
            pytest.skip(reason)
        return bridge

    return give


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the documentation site, once for all processes; what mkdocs warns of is an error."""
    fcntl = pytest.importorskip("fcntl", reason="the site is built on Linux and macOS")
    for tool in ("mkdocs", "resvg_py", "PIL"):
        pytest.importorskip(tool, reason="the documentation tools (the extra `docs`) are not installed")
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, built = shared / "site", shared / "site.built"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            _build_site(folder)
            built.touch()
    return folder


def _build_site(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "SITE_URL": SITE_URL},
        capture_output=True,
        text=True,
        check=False,
    )
    if "fonts are not installed" in done.stderr:
        pytest.skip("the fonts of the pictures (DejaVu Sans, DejaVu Serif) are not installed")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Serve the site on this machine."""
    with served_folder(site) as url:
        yield url


class FileHandler(http.server.SimpleHTTPRequestHandler):
    """Answers a request for a file, and prints nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base class
        pass


@contextmanager
def served_folder(folder: Path, handler: type[FileHandler] = FileHandler) -> Generator[str]:
    """Serve the files of a folder on this machine, at the address that is given."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def open_settled(page: Page, url: str) -> None:
    """Open a page of the site, and wait until nothing is loaded any more and the theme's script runs."""
    _ = page.goto(url, wait_until="networkidle")
    _ = page.wait_for_selector("html.js", state="attached")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Give a browser, or skip the test and say why."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright (the extra `browser`) is not installed")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("there is no chromium here")
    flags = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync"
    flags += " --disable-background-networking --disable-component-update"
    rebound = f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1"
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=[*flags.split(), rebound])
        yield started
        started.close()


def _set_up(bridge: Bridge) -> str:
    """Set a bridge up, and say what this machine lacks for it; any other failure is one of the test."""
    if not bridge.setup:
        return f"{bridge.table.engine} is in no registry, and {bridge.name} is not set up from a checkout in .engines"
    try:
        set_up_bridge(bridge, Manner(SETUP_SECONDS))
    except MissingProgramError as error:
        return str(error)
    except SetUpError as error:
        if (why := unreachable(str(error), is_offline=_is_offline)) is None:
            raise
        return f"the registry for {bridge.table.engine} cannot be reached: {why}"
    return ""


def unreachable(error: str, *, is_offline: Callable[[], bool]) -> str | None:
    """Return the line of an error that says that a registry cannot be reached; `None` if the error is another one."""
    for line in error.splitlines():
        if UNREACHABLE.search(line) or (REFUSED.search(line) and is_offline()):
            return line.strip()
    return None


def _is_offline() -> bool:
    """Whether this machine finds no public host."""
    try:
        _ = socket.getaddrinfo("github.com", 443)
    except OSError:
        return True
    return False


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A cluster with two workers, in processes of this machine."""
    distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs="CRITICAL"
    ) as local:
        yield local
