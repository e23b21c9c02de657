"""The benchmarks run, and what they compare agrees."""

import os
import runpy
import subprocess
import sys
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from datc.adapters import open_engine
from datc.harness.bugs.experiment import drawn_at_random, positions_of_suites
from datc.harness.play.answer import Failure
from datc.harness.play.differential import agree, ask
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.session import ReferenceAdjudicator
from datc.reference_engine import DATC_3_2, find_procedure

from .programs import run

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


def test_the_procedures_agree_on_positions_in_which_everything_meets():
    done = run([sys.executable, str(BENCHMARKS / "procedures.py"), "1500"])
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "1,500 positions of 34 units, seeds 0 to 1499"
    assert [line.split()[0] for line in lines if line.endswith("differs on 0")] == ["default", "guess", "decisions"]
    assert "paradoxes" in lines[1]
    assert not lines[1].startswith("0 ")


def test_a_disagreement_is_shown_and_fails():
    """As where one procedure plays another paradox rule than the rest."""
    broken = (
        "import runpy, sys; from datc.reference_engine.procedures import decisions;"
        " decisions.PARADOX_RULES['szykman'] = decisions.all_hold; sys.argv = [sys.argv[1], '300'];"
        " sys.path.insert(0, sys.argv[0].rpartition('/')[0]); runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    done = run([sys.executable, "-c", broken, str(BENCHMARKS / "procedures.py")])
    assert done.returncode == 1, done.stdout + done.stderr
    assert "differs on 0" in done.stdout
    assert done.stdout.startswith("seed ")


@pytest.fixture
def diagnosis(monkeypatch):
    """What is in the benchmark of the doctor."""
    pytest.importorskip("cosmic_ray", reason="Cosmic Ray (the extra `benchmarks`) is not installed")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return runpy.run_path(str(BENCHMARKS / "diagnosis.py"))


@pytest.mark.parametrize(("module", "occurrence"), [("decisions", 13), ("decisions.types", 20)])
def test_a_mutated_source_is_an_engine_that_answers_otherwise(diagnosis, module, occurrence):
    mutation = diagnosis["Mutation"]("decisions", module, "core/NumberReplacer", occurrence)
    unmutated = ReferenceAdjudicator(DATC_3_2, find_procedure("decisions"))
    with open_engine(mutation.spec, diagnosis["LIMITS"]) as engine:
        mutated = EngineAdjudicator(engine, engine.start().capabilities, DATC_3_2)
        pairs = [(ask(unmutated, ordered), ask(mutated, ordered)) for ordered in positions_of_suites()]
    assert not any(isinstance(said[-1].answer, Failure) for _, said in pairs)
    assert any(not agree(*pair) for pair in pairs)
    assert f"{module} NumberReplacer {occurrence}: " in mutation.line


def test_what_is_said_of_a_known_bug_is_held_to_fresh_positions(diagnosis):
    outcome = diagnosis["diagnosed"](diagnosis["Job"]("alone", ("support-cut-from-target",)))
    assert outcome.found
    assert outcome.statements == (("confirmed", "support-cut-from-target", "true"),)
    engine = ReferenceAdjudicator(DATC_3_2, find_procedure("guess"))
    assert diagnosis["truth_of_either"](engine, ["support-cut-from-target"], DATC_3_2) == "wrong"


def test_a_suite_of_a_user_names_no_issues_and_is_right(diagnosis):
    cases = diagnosis["own_cases"]()
    assert len(cases) > 200
    assert not any(case.issues for case in cases)


def test_a_known_bug_that_is_hunted_twice_is_one_cause(diagnosis, monkeypatch):
    hunts = diagnosis["hunted_bugs"]
    monkeypatch.setattr(hunts, "POSITIONS", 60)
    outcome = hunts.hunted(hunts.job_of_mutant("no-retreat-at-all"))
    assert outcome.is_noticed
    assert outcome.is_one_cause
    assert outcome.has_same_causes
    said = ("confirmed", outcome.found[0].causes[0].cause, "true")
    assert [found.statements for found in outcome.found] == [(said,)] * 2


def test_each_black_box_has_a_bug_and_answers(diagnosis):
    boxes = diagnosis["black_boxes"]
    assert len(boxes.NAMES) >= 40
    drawn = [*positions_of_suites(), *islice(drawn_at_random(Random(0)), 60)]
    late = [ordered._replace(autumn=True, year=1912) for ordered in drawn[-60:]]

    def answers(engine):
        return [*(ask(engine, each) for each in drawn), *(ask(engine, each, "names") for each in late)]

    expected = answers(ReferenceAdjudicator(DATC_3_2))
    for name in boxes.NAMES:
        said = answers(boxes.open_black_box(name))
        assert not any(isinstance(each[-1].answer, Failure) for each in said), name
        assert any(not agree(*pair, words=True) for pair in zip(expected, said, strict=True)), name


def test_a_relation_is_true_only_where_nothing_else_is_the_reason(diagnosis):
    """One changes its answers with the season, and one with the number of the request."""
    boxes, truth = diagnosis["black_boxes"], diagnosis["hunted_bugs"].truth_of_relation
    in_autumn = partial(boxes.open_black_box, "convoy-in-autumn")
    in_time = partial(boxes.open_black_box, "support-from-the-60th-request")
    assert [truth(in_autumn, relation) for relation in ("season", "later")] == ["true", "wrong"]
    assert [truth(in_time, relation) for relation in ("season", "later")] == ["wrong", "true"]


def test_rare_things_are_drawn():
    """Each is among a thousand random positions, or the benchmark fails."""
    done = run([sys.executable, str(BENCHMARKS / "rare.py"), "1000", "1"])
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[2:]]
    assert {"circle of four or more", "two retreats to one province"} <= {name for name, _ in rows}
    assert all(int(number) > 0 for _, number in rows)


@pytest.mark.parametrize("name", ["adjudicate.py", "requests.py"])
def test_the_reference_engine_is_what_others_are_compared_with(name, tmp_path):
    """As where no engine is set up; the figures are no matter of a test."""
    done = run(
        [sys.executable, str(BENCHMARKS / name), "--positions", "50"],
        env={**os.environ, "DATC_CHECK_HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    header, first, *_ = done.stdout.splitlines()
    assert header.split() == ["opening", "dense", "convoys"]
    assert first.startswith("datc-check")
    assert first.count(" µs  1.0") == 3


def test_an_engine_that_stops_has_no_figure(tmp_path, monkeypatch):
    """One that crashes is not the fastest; its errors are those of its worst round."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    requests = runpy.run_path(str(BENCHMARKS / "requests.py"))
    some, more = tmp_path / "some", tmp_path / "more"
    _ = some.write_text("{}\n" * 2)
    _ = more.write_text("{}\n" * 4)
    answers = "import sys\nfor line in sys.stdin: print('{\"result\":{}}')"
    fails, whole = requests["Times"](), requests["Times"]()
    fails.take_turn([sys.executable, "-c", "print('{\"error\":{}}'); exit(3)"], some, more, 2)
    fails.take_turn([sys.executable, "-c", answers], some, more, 2)
    whole.take_turn([sys.executable, "-c", answers], some, more, 2)
    assert (fails.stopped, fails.errors) == ("exit code 3 after 1 of 2 answers", 1)
    assert requests["_cell"](fails, whole).strip() == "stopped"
    assert whole.stopped == ""
    assert "µs" in requests["_cell"](whole, whole)


def test_every_fault_of_the_page_has_its_place():
    page = runpy.run_path(str(BENCHMARKS / "mutated_page.py"))
    assert len({each.source for each in page["named_mutants"]()}) == len(page["NAMED"]) == 9
    assert all(len([*islice(page["all_mutants"](script), 300)]) == 300 for script in page["SCRIPTS"])


def test_a_figure_is_measured_by_the_command_before_it():
    """All figures of the documents are such figures, and are measured."""
    page = runpy.run_path(str(BENCHMARKS / "page.py"))
    shown = [found for file in page["PAGES"] for found in page["_FIGURE"].finditer(file.read_text("utf-8"))]
    assert len(shown) > 4
    assert all((BENCHMARKS.parent / found["command"].split()[0]).is_file() for found in shown)
    empty = [found["command"] for found in shown if not any(map(str.isdigit, found[0].partition("-->")[2]))]
    assert empty == [], "`python benchmarks/page.py` writes the figures"


def test_a_figure_is_written_when_it_is_measured(tmp_path):
    """A command that fails loses no figure but its own."""
    page = runpy.run_path(str(BENCHMARKS / "page.py"))
    commands = ("first", "fails", "last")
    text = "".join(f"<!-- plain: python {command}.py -->\n```text\nold {command}\n```\n" for command in commands)
    document = tmp_path / "document.md"
    _ = document.write_text(text, "utf-8")
    seen = []

    def measure(environment, command):
        seen.append(document.read_text("utf-8"))
        if command == "fails.py":
            raise subprocess.CalledProcessError(1, command)
        return f"{environment} {command}\n"

    [failure] = page["fill_in"](document, measure)
    assert "fails.py" in failure
    assert "plain first.py" in seen[1]
    assert document.read_text("utf-8") == text.replace("old first", "plain first.py").replace(
        "old last", "plain last.py"
    )
