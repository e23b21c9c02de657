"""The releases and the commits of an engine, each set up when it is asked."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, TypeAlias

from msgspec.structs import replace

from ...adapters import EngineSpec, parse_engine_spec
from ...adapters.bridges import Bridge, find_bridge
from ...adapters.process_session import start_killable
from ...reference_engine.errors import printable
from ..config.setting_up import Manner, releases, run_set_up, set_up_bridge
from ..errors import HarnessError

ALL = "all"
"""What stands for every release in the registry."""
_ID = re.compile(r"[0-9a-f]{40,64}")


@dataclass(frozen=True)
class Release:
    """A release or a checkout of an engine that has a bridge."""

    bridge: Bridge

    title: ClassVar[str] = ""
    """A registry has no messages."""

    @property
    def label(self) -> str:
        return self.bridge.label

    @property
    def identity(self) -> Sequence[str]:
        """Return its name and what sets it up; nothing for what can change: a checkout, or a tag such as `latest`."""
        if self.bridge.source is not None or not self.bridge.label[0].isdigit():
            return ()
        return (self.bridge.name, self.bridge.fingerprint())

    @contextmanager
    def ready(self, manner: Manner) -> Generator[EngineSpec]:
        """Set it up if it is not, and say how it is reached. Raises `HarnessError`."""
        if not self.bridge.is_ready:
            set_up_bridge(self.bridge, manner)
        yield parse_engine_spec(self.bridge.name, {})


def named_releases(name: str, versions: str) -> list[Release]:
    """Return the releases of the engine of a bridge: versions with commas between them, or `all` in the registry.

    Raises `EngineSpecError` for an unknown bridge or a wrong version, and `SetUpError` where the registry does not list
    the releases.
    """
    bridge = find_bridge(name)
    labels = releases(bridge) if versions == ALL else [label.strip() for label in versions.split(",")]
    return [Release(find_bridge(f"{bridge.engine_name}@{label}")) for label in dict.fromkeys(labels)]


@dataclass(frozen=True)
class Commit:
    """A commit of the repository of an engine of `datc.toml`."""

    repository: Path
    sha: str
    tags: tuple[str, ...]
    title: str
    spec: EngineSpec
    """How the engine is set up and started in the repository itself."""

    @property
    def label(self) -> str:
        """Return its tags, or the start of its id."""
        return " ".join(self.tags) or self.sha[:10]

    @property
    def identity(self) -> Sequence[str]:
        """Return its id, and how it is set up, started and asked."""
        spec = self.spec
        parts = (spec.command, spec.setup, spec.cwd, sorted((spec.environment or {}).items()))
        return (self.sha, *map(repr, (*parts, spec.notation, spec.limits())))

    @contextmanager
    def ready(self, manner: Manner) -> Generator[EngineSpec]:
        """Check it out into a folder of its own, set it up there, and say how it is reached. Raises `HarnessError`."""
        with tempfile.TemporaryDirectory(prefix="datc-history-") as temporary:
            folder = Path(temporary).resolve() / "checkout"
            try:
                _ = git(self.repository, "worktree", "add", "--detach", "--quiet", str(folder), self.sha)
                spec = _moved(self.spec, self.repository, folder)
                run_set_up(spec.setup, Path(spec.cwd or folder), manner, spec.environment)
                yield replace(spec, text=f"{self.spec.text}@{self.sha[:10]}", setup=())
            finally:
                self._remove(folder)

    def _remove(self, folder: Path) -> None:
        """Remove a checkout from the repository, also one that was interrupted: that has to be gone first."""
        remove = partial(git, self.repository, "worktree", "remove", "--force", "--force", str(folder))
        try:
            _ = remove()
        except HarnessError:
            shutil.rmtree(folder, ignore_errors=True)
            with suppress(HarnessError):  # It was not added.
                _ = remove()


Snapshot: TypeAlias = Release | Commit
"""An engine as it was at some time."""


def _moved(spec: EngineSpec, repository: Path, folder: Path) -> EngineSpec:
    """Have an engine set up and started in another folder: programs and the folder that it runs in move along."""

    def line(command: Sequence[str]) -> tuple[str, ...]:
        named = Path(command[0])
        program = named.parent.resolve() / named.name  # A symlink such as `.venv/bin/python` must stay one.
        if not named.is_absolute() or not program.is_relative_to(repository):
            return tuple(command)
        return (str(folder / program.relative_to(repository)), *command[1:])

    return replace(
        spec,
        command=line(spec.command or ()),
        setup=tuple(map(line, spec.setup)),
        cwd=str(folder / Path(spec.cwd or ".").resolve().relative_to(repository)),
    )


def _check_movable(spec: EngineSpec, repository: Path) -> None:
    """Raise `HarnessError` where a commit would run with files of the repository as it is now."""
    cwd = Path(spec.cwd or ".")
    if not cwd.resolve().is_relative_to(repository):
        raise HarnessError(f"{spec.text} runs in {cwd}, which is not in the repository {repository}")
    absolute = cwd.absolute()
    spellings = {str(path) for path in (repository, absolute, *absolute.parents) if path.resolve() == repository}
    arguments = [argument for command in (spec.command or (), *spec.setup) for argument in command[1:]]
    for text in (*arguments, *(spec.environment or {}).values()):
        if any(re.search(rf"{re.escape(spelling)}(?![\w.+-])", text) for spelling in spellings):
            advice = f"write it relative to the folder that the engine runs in, {cwd}"
            what = f"{text!r} names the repository, whose files are not those of a commit"
            raise HarnessError(f"{spec.text}: {what}: {advice}")


def commits_between(spec: EngineSpec, span: str, *, tagged: bool) -> list[Commit]:
    """Return the commits of an engine's repository in a span, the oldest first; `tagged`: only those with a tag.

    The span `A..B` includes both, and `A..` goes up to `HEAD`. Of a merge, only the first parent is followed, so that
    each commit contains the one before it. Raises `HarnessError` where there is no repository, or no such commit.
    """
    if spec.command is None:
        raise HarnessError(f"{spec.text} is not started by a command line, so its commits cannot be tested")
    first, dots, last = span.partition("..")
    if not dots or not first:
        raise HarnessError(f"--commits {span}: write A..B, such as v1.0..HEAD")
    repository = Path(git(Path(spec.cwd or "."), "rev-parse", "--show-toplevel").removesuffix("\n")).resolve()
    _check_movable(spec, repository)
    find = ("rev-parse", "--verify", "--quiet", "--end-of-options")
    start, end = (git(repository, *find, f"{name}^{{commit}}").strip() for name in (first, last or "HEAD"))
    try:
        _ = git(repository, "merge-base", "--is-ancestor", start, end)
    except HarnessError as error:
        raise HarnessError(f"--commits {span}: {first} does not come before {last or 'HEAD'}") from error
    listing = git(repository, "log", "-1", "--format=%H %s", start)
    listing += git(repository, "log", "--first-parent", "--reverse", "--format=%H %s", f"{start}..{end}")
    tags: dict[str, tuple[str, ...]] = {}
    fields = "%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end) %(refname:short)"
    for sha, tag in _lines_by_id(git(repository, "for-each-ref", f"--format={fields}", "refs/tags")):
        tags[sha] = (*tags.get(sha, ()), printable(tag))
    return [
        Commit(repository, sha, tags.get(sha, ()), printable(title), spec)
        for sha, title in _lines_by_id(listing)
        if sha in tags or not tagged
    ]


def _lines_by_id(text: str) -> Iterator[tuple[str, str]]:
    """Split the lines that git prints into an id and a text. Raises `HarnessError`.

    A text can have the separators in it that `str.splitlines` splits at, such as U+2028.
    """
    for line in text.split("\n")[:-1]:
        sha, _, rest = line.partition(" ")
        if not _ID.fullmatch(sha):
            raise HarnessError(f"git printed {line[:80]!r} where a line begins with the id of a commit")
        yield sha, rest


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder and return what it prints; whatever ends it early ends what it runs, such as a filter, too.

    It runs without the author's hooks and signatures, and in that folder even if a hook started this program. Raises
    `HarnessError`.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-c", f"core.hooksPath={os.devnull}", "-c", "log.showSignature=false", *arguments]
    pipe = subprocess.PIPE
    try:
        process, kill = start_killable(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe
        )
    except (OSError, ValueError) as error:
        raise HarnessError(f"git cannot be started: {error}") from error
    with process:
        try:
            printed, errors = process.communicate()
        except BaseException:
            kill()
            raise
    if process.returncode:
        said = printable(errors.decode("utf-8", "replace")).strip() or "it names no commit"
        raise HarnessError(f"git {' '.join(map(printable, arguments))}: {said}")
    return printed.decode("utf-8", "replace")
