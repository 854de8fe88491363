"""Kinds of changes of English that need tags and heads."""
