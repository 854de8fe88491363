"""Semantic roles: which spans are offered, what is said of them, and sums over sets of arguments."""
