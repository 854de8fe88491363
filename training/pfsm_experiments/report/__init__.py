"""Results of an experiment: tables, figures, pages."""
