"""TERp: TER with matches of stems, synonyms and paraphrases, and a cost for every kind of edit."""
