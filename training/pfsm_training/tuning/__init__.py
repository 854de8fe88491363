"""Weights of features by hill climbing on a correlation, and costs of edits that are tuned with their alignments."""
