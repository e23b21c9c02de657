"""Reads positions and orders as people write and paste them, in the notation of players, servers and judges."""
