"""The commands, what a run is, and how a case comes to its verdict."""
