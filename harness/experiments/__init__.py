"""Experiments: what other rules would answer, and fresh positions on which an engine shows which it plays."""
