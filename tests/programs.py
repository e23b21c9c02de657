"""Runs programs to their end, as the tests do."""

import subprocess
from collections.abc import Sequence
from typing import Any


def run(
    command: Sequence[object], *, stderr: int = subprocess.PIPE, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a program; keep what it prints, errors apart, and its exit code."""
    words = [*map(str, command)]
    return subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=stderr, timeout=600, check=False, **options)
