"""Metrics, matchers and changes of text that need an analysis: trees, semantic roles, discourse structures."""
