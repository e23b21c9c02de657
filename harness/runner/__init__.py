"""Asks an engine cases, one after the other."""
