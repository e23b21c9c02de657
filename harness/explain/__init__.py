"""Explains why the reference engine answers as it does, and where and why the answer of an engine differs."""
