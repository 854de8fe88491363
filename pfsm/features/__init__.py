"""Sentence-level features of models: what there is, and their values."""
