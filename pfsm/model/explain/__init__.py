"""Explanations of scores, and how they are shown."""
