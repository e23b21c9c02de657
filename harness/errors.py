"""What can be wrong with a command."""

from __future__ import annotations


class HarnessError(Exception):
    """The root of the harness's own errors."""


class ConfigError(HarnessError):
    """The config file is wrong."""
