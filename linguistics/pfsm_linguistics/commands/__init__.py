"""Commands that need an analysis."""
