"""Training data: judgments with their lattices, here or on a cluster."""
