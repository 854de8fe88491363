"""The shipped parser: numbers of words, encoder, scores, trees. Works without torch."""
