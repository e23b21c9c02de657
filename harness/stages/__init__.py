"""In which stages an engine is built, which one it has reached, and which case comes next."""
