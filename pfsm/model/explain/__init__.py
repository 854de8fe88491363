"""Explanations of scores, as text and as a page."""
