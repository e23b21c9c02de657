"""A picture as PNG, drawn by a browser that is installed: Chromium, Chrome or Edge."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from ..errors import MissingProgramError, SetUpError

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
)
"""The programs that are looked for, in this order."""
WIDTH = 1200
"""How wide the page is in pixels; the picture has twice as many."""
TIME_LIMIT = 60.0
"""Seconds for the browser."""

_FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-extensions",
    "--no-first-run",
    "--hide-scrollbars",
    "--force-device-scale-factor=2",
)
_PAGE = '<!DOCTYPE html><meta charset="utf-8"><style>body{{margin:0}}</style>{svg}'


def png_of(svg: str) -> bytes:
    """Draw an SVG file as PNG. Raises `MissingProgramError` without a browser, `SetUpError` where it drew nothing."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise MissingProgramError("a PNG needs Chromium, Chrome or Edge on the path; an SVG needs nothing: -o FILE.svg")
    _, _, width, height = map(float, re.findall(r'viewBox="([^"]*)"', svg)[0].split())
    with tempfile.TemporaryDirectory(prefix="datc-check-", ignore_cleanup_errors=True) as folder:
        page, picture = Path(folder, "page.html"), Path(folder, "picture.png")
        _ = page.write_text(_PAGE.format(svg=svg), encoding="utf-8")
        # A browser refuses to start its sandbox for root, as in most containers; the page has no script.
        as_root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        command = [browser, *_FLAGS, *as_root, f"--user-data-dir={folder}/profile", f"--screenshot={picture}"]
        _run([*command, f"--window-size={WIDTH},{round(WIDTH * height / width)}", page.as_uri()])
        if not picture.is_file():
            raise SetUpError(f"{browser} drew no picture; an SVG needs no browser: -o FILE.svg")
        return picture.read_bytes()


def _run(command: list[str]) -> None:
    """Run a browser, and end it with all that it started when its time is up."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True) as process:
        try:
            _ = process.wait(TIME_LIMIT)
        except subprocess.TimeoutExpired as error:
            raise SetUpError(f"{command[0]} did not draw the picture in {TIME_LIMIT:g} s") from error
        finally:
            if process.poll() is None and hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            elif process.poll() is None:
                process.kill()
