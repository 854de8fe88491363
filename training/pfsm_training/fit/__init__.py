"""Fitting: the solver, cross-validation, initial models, checkpoints."""
