"""Compiled lexicons, trained models and the demonstration corpus that ship with the package."""
