"""Metrics over discourse representation structures."""
