"""Semantic roles: candidate spans, their features, and sums over sets of arguments."""
