"""Recorded games, every phase once, compared with the rules or with an engine."""
