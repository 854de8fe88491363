"""Metrics over the syntax of the two lines: dependencies, constituents, linguistic elements."""
