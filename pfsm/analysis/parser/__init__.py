"""The parser that ships: numbers of words, encoder, scores, trees. No torch."""
