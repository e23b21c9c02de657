import pytest

from datc.reports.report import Report

from . import samples


@pytest.fixture
def every_verdict() -> Report:
    return samples.every_verdict()


@pytest.fixture
def passing() -> Report:
    return samples.report([samples.case(1, "passed"), samples.case(4, "declared")])


@pytest.fixture
def hostile() -> Report:
    return samples.hostile()
