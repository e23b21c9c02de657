"""Measures replays: phases a second, and the memory of a large archive that is made by repeating a small one.

    python benchmarks/replay.py [ARCHIVE] [MEBIBYTES]

ARCHIVE is a packed file of JSON Lines, by default the sample beside the repository; it is repeated until its lines
have so many MiB, by default 500. First the movement phases alone are compared in this process, and then all phases,
under the choices that the command infers for the sample: by processor time, the best of five rounds, reading included.
Then whole replays by turns, under these choices and under those of the DATC, with which phases differ: what explains
these is tested. Then the command replays the large archive; its greatest memory is what Linux says.
"""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from datc.cases import load_ruleset
from datc.harness.search.archives import find_format
from datc.harness.search.archives.records import Archive, chunks_of
from datc.harness.search.findings import Finding, ReadCounts, merge_findings
from datc.harness.search.plan import Plan
from datc.harness.search.replay import Replay, open_archives, replay_chunk

SAMPLE = Path(__file__).parents[2] / "shared" / "data" / "games_sample.jsonl.gz"
CHOICES = {"4.A.3": "2000-fallback-unordered", "4.D.8": "1971-all-abilities"}
MEBIBYTES = 500
ROUNDS = 5
MEMORY_LIMIT = 150
"""MiB that a replay may take, whatever the size of the archive."""


def main() -> None:
    """Print the figures; exit with 1 where the memory is over the limit."""
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE
    mebibytes = int(sys.argv[2]) if len(sys.argv) > 2 else MEBIBYTES
    with gzip.open(source) as packed:
        content = packed.read()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = content.splitlines(keepends=True)
        movements = folder / "movements.jsonl"
        _ = movements.write_bytes(b"".join(line for line in lines if re.search(rb'"phase": ?"movement"', line)))
        time_replay("movement phases", movements)
        time_replay("all phases", source)
        time_differences(source)
        if not mebibytes:
            return
        large = folder / "large.jsonl.gz"
        with gzip.open(large, "wb", compresslevel=1) as packed:
            for part in repeated(content, mebibytes << 20):
                _ = packed.write(part)
        del content, lines
        measure_memory(large, mebibytes)


def time_replay(what: str, path: Path) -> None:
    """Print how many phases a second are read and compared."""
    archive = Archive(path)
    found = find_format(archive)
    plan = Plan((), load_ruleset("datc-3.2").ruleset().with_choices(CHOICES), against="archive")
    seconds, read = float("inf"), ReadCounts()
    for _ in range(ROUNDS):
        read, merged, began = ReadCounts(), dict[tuple[object, ...], Finding](), time.process_time()
        for chunk in chunks_of([(archive, *found)]):
            result = replay_chunk(plan, [], chunk)
            read.add(result.read or ReadCounts())
            merge_findings(merged, result.findings)
        seconds = min(seconds, time.process_time() - began)
    count = read.count("read")
    print(f"{what}: {count:,}, of which {read.count('differs'):,} differ, {count / seconds:,.0f} a second")


def time_differences(path: Path) -> None:
    """Print how long a replay takes in which phases differ, by that of one in which all agree."""
    rules, seconds, differing = load_ruleset("datc-3.2").ruleset(), [float("inf")] * 2, [0, 0]
    for turn in range(2 * ROUNDS):
        plan = Plan((), rules if turn % 2 else rules.with_choices(CHOICES), against="archive")
        replay, began = Replay(plan, archives=open_archives([path])[0]), time.process_time()
        replay.run(1, None)
        seconds[turn % 2] = min(seconds[turn % 2], time.process_time() - began)
        differing[turn % 2] = replay.read.count("differs")
    print(f"{differing[1]:,} differences instead of {differing[0]}: {seconds[1] / seconds[0]:.1f} times as long")


def repeated(content: bytes, size: int) -> Iterator[bytes]:
    """Repeat lines until they have this size, under other names of games."""
    written = number = 0
    while written < size:
        part = re.sub(rb'"id": ?"', b'"id": "%d/' % number, content)
        yield part
        written += len(part)
        number += 1


def measure_memory(path: Path, mebibytes: int) -> None:
    """Print the greatest memory of the command on an archive."""
    choices = [f"--choice={issue}={choice}" for issue, choice in CHOICES.items()]
    command = "import sys; from datc.harness.cli.group import cli; cli(sys.argv[1:], standalone_mode=False);"
    command += "print(*(line for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", command, "replay", str(path), *choices],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "80"},
    )
    seconds = time.perf_counter() - began
    memory = int(done.stdout.split()[-2]) / 1024
    print(f"{mebibytes} MiB of lines: {memory:.0f} MiB of memory at most, in {seconds:.0f} s")
    if memory > MEMORY_LIMIT:
        sys.exit(1)


if __name__ == "__main__":
    main()
