"""The results of an experiment as tables, plots and a page."""
