"""Which rule choices an engine makes, and how engines compare."""
