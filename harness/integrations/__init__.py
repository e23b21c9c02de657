"""The pytest plugin, watching an engine's files, and the beginnings of bridges."""

from pathlib import Path

SKELETONS = Path(__file__).with_name("skeletons")
"""The folder with the first version of a bridge for each language, which `datc-check init` copies."""
