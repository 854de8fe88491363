"""Weights and word lists that ship."""
