"""Training of the labeller of semantic roles."""
