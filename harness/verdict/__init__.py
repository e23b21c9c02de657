"""From an answer and what is expected to a verdict."""
