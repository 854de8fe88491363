"""Lattices: names of features, arrays, building."""
