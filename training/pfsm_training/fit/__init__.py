"""Fitting: solvers, cross-validation, initial models, checkpoints."""
