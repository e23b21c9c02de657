"""A replay on a Dask cluster of real worker processes."""

import json

import pytest
from click.testing import CliRunner

from datc.harness.cli.group import cli

from .games import VIA, game, write

distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")


def test_a_cluster_finds_what_one_process_finds(tmp_path):
    lines = [line for number in range(500) for line in ({"id": f"v/{number}/S1901M", **VIA}, *game(f"g/{number}"))]
    file = write(tmp_path / "games.jsonl", lines)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs="CRITICAL"
    ) as cluster:
        options = ([], ["--dask", cluster.scheduler_address])
        found = [CliRunner().invoke(cli, ["replay", str(file), "--json", *each]) for each in options]
    alone, together = (json.loads(done.stdout) for done in found)
    assert alone == together
    assert alone["phases"]["movement"]["differs"] == 500
