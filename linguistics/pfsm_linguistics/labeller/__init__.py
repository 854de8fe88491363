"""The labeller of semantic roles."""
