"""Matchers that know English: forms of one word, amounts and dates."""
