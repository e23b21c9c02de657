"""What stands around the code for those who work on it: right in form, and true of what is there."""

import re
from pathlib import Path

import pytest

from datc.reference_engine.version import package_version

ROOT = Path(__file__).parents[1]
GITHUB = sorted((ROOT / ".github").rglob("*.yml"))
FORMS = [file for file in GITHUB if file.parent.name == "ISSUE_TEMPLATE" and file.name != "config.yml"]
WORKFLOWS = [file for file in GITHUB if file.parent.name == "workflows"]
MORE_RIGHTS = {
    "attest": {"id-token": "write", "attestations": "write"},
    "deploy": {"pages": "write", "id-token": "write"},
    "publish": {"id-token": "write"},
}
"""The jobs that may do more than read, each because a service has to know who it is."""
CI = (ROOT / ".ci" / "run").read_text("utf-8")


def load(file):
    yaml = pytest.importorskip("yaml", reason="PyYAML, which comes with the extra `docs`, is not installed")
    return yaml.safe_load(file.read_text("utf-8"))


@pytest.mark.parametrize("file", GITHUB, ids=lambda file: file.name)
def test_it_is_yaml(file):
    assert load(file)


@pytest.mark.parametrize("file", FORMS, ids=lambda file: file.name)
def test_a_form_has_what_github_wants(file):
    form = load(file)
    assert {"name", "description", "body"} <= form.keys()
    ids = [field["id"] for field in form["body"]]
    assert len(set(ids)) == len(ids)
    assert all(field["attributes"]["label"] for field in form["body"])


def test_a_bug_report_asks_for_what_the_command_prints():
    assert "datc-check --version" in (ROOT / ".github/ISSUE_TEMPLATE/bug.yml").read_text("utf-8")


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_may_do_no_more_than_it_must(file):
    workflow = load(file)
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert "uses" in job or job["timeout-minutes"]
        assert job.get("permissions", {}) == MORE_RIGHTS.get(name, {})


def test_the_release_is_checked_attested_and_published_without_a_token():
    file = ROOT / ".github/workflows/release.yml"
    jobs = load(file)["jobs"]
    last = {name: job["steps"][-1] for name, job in jobs.items() if "steps" in job}
    assert last["check"]["run"] == "bash .ci/run"
    assert set(jobs["build"]["needs"]) == set(jobs["wheels"]["needs"]) == {"check", "audit"}
    assert set(jobs["attest"]["needs"]) == {"build", "wheels"}
    assert last["attest"]["uses"].startswith("actions/attest@")
    assert last["attest"]["with"]["subject-path"] == "dist/*"
    assert jobs["publish"]["needs"] == "attest"
    assert last["publish"]["uses"].startswith("pypa/gh-action-pypi-publish@")
    assert last["publish"]["with"]["attestations"] is True
    only_tags = {name for name, job in jobs.items() if job.get("if") == "startsWith(github.ref, 'refs/tags/v')"}
    assert only_tags == {"attest", "publish"}, "the workflow can be started by hand, to build the wheels"
    text = file.read_text("utf-8")
    assert "\n  workflow_dispatch:\n" in text
    assert "password" not in text
    assert "secrets." not in text


def test_the_version_that_is_cited_is_that_of_the_package():
    citation = load(ROOT / "CITATION.cff")
    assert citation["version"] == package_version()
    assert citation["cff-version"] == "1.2.0"


def test_the_changes_name_the_version():
    assert package_version() in (ROOT / "CHANGELOG.md").read_text("utf-8")


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "SECURITY.md"])
def test_the_files_that_a_document_names_are_there(document):
    text = (ROOT / document).read_text("utf-8")
    named = re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", text)
    assert [path for path in named if path != ".engines/" and not (ROOT / path).exists()] == []


def test_the_checks_that_a_contributor_is_told_are_those_of_ci():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for check in ("ruff check", "ruff format", "basedpyright", "lint-imports", "mkdocs"):
        assert check in text
        assert check in CI


def test_security_says_the_limits_that_there_are():
    from datc.adapters.engine import Limits

    text = (ROOT / "SECURITY.md").read_text("utf-8")
    assert f"{Limits().line // 2**20} MiB" in text
    assert f"{Limits().restarts} times at most" in text
