"""A hunt on a Dask cluster of real worker processes."""

import os
import signal

import pytest
from click.testing import CliRunner

from datc.harness.cli.commands.hunt import command
from datc.harness.fuzzing.hunt import Hunt, open_adjudicators

from .adjudicators import buggy_spec, plan_for

distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")


@pytest.fixture
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs="CRITICAL"
    ) as local:
        yield local


def test_a_worker_that_is_killed_midway_loses_nothing_and_nothing_counts_twice(cluster):
    plan = plan_for(buggy_spec("border"), 400, profiles=("opening", "dense"))
    with open_adjudicators(plan) as adjudicators:
        alone = Hunt(plan, ["buggy"])
        for _ in alone.go_on(adjudicators, 1, None, None):
            pass
    with distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
    hunt = Hunt(plan, ["buggy"])
    came = []
    for result in hunt.go_on([], 1, None, cluster.scheduler_address):
        if not came:
            os.kill(pids[0], signal.SIGKILL)
        came.append(result.chunk)
    assert sorted(came) == list(range(20))
    assert hunt.complete
    assert hunt.positions == 400
    assert alone.findings
    assert hunt.findings == alone.findings


def test_without_a_cluster_there_is_a_message():
    result = CliRunner().invoke(command, ["builtin", "--dask", "tcp://127.0.0.1:9"])
    assert result.exit_code == 2
    assert "there is no cluster" in result.output
