"""The board to try positions on: one function from a question to its answer, and what serves it on this machine."""
