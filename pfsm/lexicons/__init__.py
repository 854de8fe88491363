"""Lexicons: tables of synonyms and paraphrases; how they are compiled, stored and looked up."""
