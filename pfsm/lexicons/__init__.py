"""Lexicons: tables of synonyms and paraphrases; how they are compiled, where they lie, how they are looked up."""
