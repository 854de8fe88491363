"""Metrics over trees, semantic roles and discourse structures."""
