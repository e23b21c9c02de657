"""What the tests of diagnoses share: what mutants answer to the cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from datc.cases import Case
from datc.harness.bugs import diagnosis
from datc.harness.play.session import PlayedPhase
from datc.reference_engine import Procedure, Ruleset


@pytest.fixture(scope="module", autouse=True)
def _played_once() -> Iterator[None]:
    """Let each mutant play each case once under some rules: one diagnosis after another asks for the same."""
    play, known = diagnosis._played, dict[object, tuple[Procedure, Case, Sequence[PlayedPhase]]]()

    def played(procedure: Procedure, case: Case, ruleset: Ruleset) -> Sequence[PlayedPhase]:
        key = id(procedure), id(case), ruleset
        if key not in known:
            # With the procedure and the case, so that their ids stay their own.
            known[key] = procedure, case, play(procedure, case, ruleset)
        return known[key][2]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(diagnosis, "_played", played)
        yield
