"""Matchers: the kinds of knowledge that may align a block of the reference with one of the hypothesis."""
