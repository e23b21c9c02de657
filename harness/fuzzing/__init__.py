"""Looks for positions on which engines differ, makes them small, and says why."""
