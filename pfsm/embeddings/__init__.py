"""Vectors of tokens: where they come from, and how they are computed, stored and compared."""
