"""Lexicons learned from text."""
