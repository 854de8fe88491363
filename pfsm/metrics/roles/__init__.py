"""Metrics over semantic roles."""
