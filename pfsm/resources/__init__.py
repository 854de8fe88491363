"""Compiled lexicons, trained models and the demonstration corpus."""
