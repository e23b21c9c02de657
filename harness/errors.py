"""What can be wrong with a command."""

from __future__ import annotations

from ..reference_engine import DatcCheckError


class HarnessError(DatcCheckError):
    """The root of the harness's own errors."""


class ConfigError(HarnessError):
    """The config file is wrong."""


class NoEngineError(HarnessError):
    """A command that tests an engine is given none."""


class MissingProgramError(HarnessError):
    """A set-up needs a program that is not on the path."""


class SetUpError(HarnessError):
    """The set-up of an engine failed."""


class ExpectationError(HarnessError):
    """The file that says what is expected of a bridge is wrong."""


class UnknownMutantError(HarnessError):
    """There is no mutant of this name."""
