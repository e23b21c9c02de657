"""The smoke test of an engine: `datc-check engines check`."""
