"""Analysers by name: the shipped parser and labeller, other weights for them, programs and files."""
