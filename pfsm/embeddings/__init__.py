"""Vectors of tokens: where they come from, how they are compiled, kept and compared."""
