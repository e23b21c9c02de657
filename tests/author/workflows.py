"""Runs what stands in `action.yml` and `ci/gitlab.yml`, as the services do it."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from ..programs import run

ROOT = Path(__file__).parents[2]
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def load(path: Path | str) -> Any:
    """Read a YAML file, or a text that is YAML."""
    return YAML(typ="safe").load(path)


ACTION = load(ROOT / "action.yml")
INSTALL, RUN, UPLOAD = ACTION["runs"]["steps"]


@dataclass(frozen=True)
class Runner:
    """A machine of the service: where its action and its temporary files are."""

    action: Path
    temp: Path

    @property
    def scripts(self) -> Path:
        """The programs that the action installed."""
        return self.temp / "datc-check" / "bin"

    @property
    def report(self) -> Path:
        return self.temp / "datc-report"

    @property
    def environment(self) -> dict[str, str]:
        """The variables of this process, with those programs in front."""
        return {**os.environ, "PATH": f"{self.scripts}{os.pathsep}{os.environ['PATH']}"}


@dataclass(frozen=True)
class Ran:
    """The result of a step."""

    code: int
    log: str
    outputs: Mapping[str, str]
    summary: str


def evaluate(text: str, runner: Runner, inputs: Mapping[str, str]) -> str:
    """Put values in the place of expressions; an unknown one is a `KeyError`."""
    values = {"github.action_path": str(runner.action), "runner.temp": str(runner.temp)}
    values |= {f"inputs.{name}": value for name, value in inputs.items()}
    return EXPRESSION.sub(lambda found: values[found[1]], text)


def defaults(given: Mapping[str, Any]) -> dict[str, str]:
    """Give every input a value; whatever a workflow has becomes a text."""
    unknown = given.keys() - ACTION["inputs"].keys()
    assert not unknown, f"the action has no input {unknown}"
    texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}
    return {name: texts.get(name, str(one["default"])) for name, one in ACTION["inputs"].items()}


def run_step(step: Mapping[str, Any], runner: Runner, folder: Path, given: Mapping[str, Any]) -> Ran:
    """Run the script of a step in a folder, as GitHub runs a step whose shell is bash."""
    inputs = defaults(given)
    files = {name: runner.temp / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for file in files.values():
        _ = file.write_text("", encoding="utf-8")
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment |= {name: evaluate(str(value), runner, inputs) for name, value in step["env"].items()}
    environment |= {name: str(file) for name, file in files.items()}
    script = runner.temp / "script.sh"
    _ = script.write_text(step["run"], encoding="utf-8")
    done = run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
        cwd=folder / evaluate(step.get("working-directory", "."), runner, inputs),
        env=environment,
        stderr=subprocess.STDOUT,
    )
    outputs = [line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines()]
    return Ran(done.returncode, done.stdout, dict(outputs), files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8"))


def run_action(runner: Runner, folder: Path, given: Mapping[str, Any]) -> Ran:
    """Run the action in a folder, but for its installation and the upload."""
    shutil.rmtree(runner.report, ignore_errors=True)
    return run_step(RUN, runner, folder, given)
