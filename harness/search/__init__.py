"""Searches for disagreements: hunts, archives of recorded games, and the log of an engine in use."""
