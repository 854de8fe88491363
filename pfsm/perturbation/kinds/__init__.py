"""The kinds of changes, by theme."""
