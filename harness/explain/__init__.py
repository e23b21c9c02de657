"""Why the reference engine answers a position as it does, and what would make it answer as another engine."""
