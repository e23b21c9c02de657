"""Mutants, and which of them an engine behaves like: experiments on new positions, and what generates these."""
