"""The pytest plugin, watching an engine's files, and the beginnings of bridges."""
