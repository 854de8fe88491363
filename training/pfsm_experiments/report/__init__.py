"""The results of an experiment as tables."""
