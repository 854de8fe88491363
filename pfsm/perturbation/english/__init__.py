"""English: inflections, word lists, clauses."""
