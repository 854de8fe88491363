"""The kinds of changes, one module each."""
