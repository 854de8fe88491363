"""What a translation keeps of its reference beside the words: numbers, negation, case; and words it says twice."""
