"""The entry point: what it says without importing anything, and Ctrl-C while something is still being imported."""

import subprocess
import sys

import pytest

INTERRUPTED = """
import sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == interrupted_import:
            raise KeyboardInterrupt

from datc.harness.cli.start import main

interrupted_import = sys.argv.pop(1)
sys.meta_path.insert(0, Interrupt())
main()
"""


@pytest.mark.attack
@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("click", ["run", "builtin"]),
        ("datc.harness.cli.group", ["run", "builtin"]),
        ("datc.harness.cli.commands.run", ["run", "builtin"]),
        ("datc.harness.config.preparing", ["run", "builtin"]),
        ("msgspec", ["run", "builtin"]),
        ("platform", ["--version", "-v"]),
        ("datc.reports", ["run", "--help", "--help"]),
    ],
)
def test_an_interrupted_import_ends_in_one_line(module, arguments):
    words = [sys.executable, "-c", INTERRUPTED, module, *arguments]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


BROKEN = """
import os, signal, sys

from datc.harness.cli.start import main
from datc.harness.config import preparing
from datc.reference_engine import DatcCheckError

ending = sys.argv.pop(1)

def break_off(*_):
    if ending == "signal":
        os.kill(os.getpid(), signal.SIGTERM)
    raise DatcCheckError("no suite")

preparing.find_cases = break_off
main()
"""


@pytest.mark.parametrize(("ending", "code", "said"), [("error", 2, "Error: no suite\n"), ("signal", 143, "")])
def test_a_demonstration_ends_as_commands_do(ending, code, said):
    words = [sys.executable, "-c", BROKEN, ending]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (code, said)
