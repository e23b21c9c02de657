"""Recorded games, every phase once, held to the rules or to an engine."""
