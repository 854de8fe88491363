"""Lattices of training data: features and their counts, kept in memory or in a mapped file."""
